"""Say what an audit found, and what that means for the player."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import wraps
from typing import ParamSpec, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.message import Message, Value, say, tell

# The rules by which an audit judges; docs/checking.md says what each of them finds.
RULES = (
    *(
        "same/differs",
        "same/framed",
        "same/respaced",
        "same/restyled",
        "same/picture",
        "same/no value",
    ),
    *("versions", "n/before", "n/twice", "n/epoch"),
    *("A1", "A2", "A3", "A4"),
    *("C1", "C2", "C3", "C4", "C5", "C6"),
    *("O1", "O2", "O3", "O4", "O5", "O6"),
    *("T1", "T2", "T3", "T4"),
    *("chance", "version"),
)


class AuditVerdict(Enum):
    """Tell what a finding means.

    CONTRADICTS: two papers cannot both be true. ASKS: only the player knows whether it is true.
    UNCOMPARED: something could not be compared, and why. MISSING: an email must exist that is not
    here. REMARK: nothing is wrong with it.
    """

    CONTRADICTS = "contradicts"
    ASKS = "asks"
    UNCOMPARED = "uncompared"
    MISSING = "missing"
    REMARK = "remark"


P = ParamSpec("P")


class AuditFinding(Struct, frozen=True):
    """Hold one sentence on what was found, what it means, and by which of the RULES; the sentence
    on an email and its value begins with that."""

    verdict: AuditVerdict
    told: Message
    rule: str = ""

    @property
    def judged_by(self) -> str:
        """Return the rule; empty for what no rule judges."""
        begun = tell(self.told).partition(":")[0]
        return self.rule or (begun if begun in RULES else "")

    @property
    def with_rule(self) -> Message:
        """Return the sentence behind its rule, where a rule judged it that is not in it."""
        is_judged = self.verdict in (AuditVerdict.CONTRADICTS, AuditVerdict.ASKS)
        if self.rule and is_judged:
            return say("{rule}: {told}", rule=self.rule, told=self.told)
        return self.told


Judge: TypeAlias = Callable[P, Iterator[AuditFinding]]


def by_rule(rule: str) -> Callable[[Judge[P]], Judge[P]]:
    """Give a rule to all that a judge finds and that names none."""

    def of(judge: Judge[P]) -> Judge[P]:
        @wraps(judge)
        def judged(*args: P.args, **named: P.kwargs) -> Iterator[AuditFinding]:
            for one in judge(*args, **named):
                yield one if one.judged_by else replace(one, rule=rule)

        return judged

    return of


def contradicting(rule: str, told: Iterable[Message]) -> Iterator[AuditFinding]:
    """Yield what contradicts by a rule."""
    return (AuditFinding(AuditVerdict.CONTRADICTS, one, rule) for one in told)


def contradicts(told: Message | str, /, **values: Value) -> AuditFinding:
    """Return that two papers cannot both be true, in a sentence or in its text and its values."""
    return AuditFinding(AuditVerdict.CONTRADICTS, _said(told, values))


def asks(told: Message | str, /, **values: Value) -> AuditFinding:
    return AuditFinding(AuditVerdict.ASKS, _said(told, values))


def leaves_open(told: Message | str, /, **values: Value) -> AuditFinding:
    return AuditFinding(AuditVerdict.UNCOMPARED, _said(told, values))


def lacks(told: Message) -> AuditFinding:
    return AuditFinding(AuditVerdict.MISSING, told)


def remark(told: Message | str, /, **values: Value) -> AuditFinding:
    return AuditFinding(AuditVerdict.REMARK, _said(told, values))


def _said(told: Message | str, values: Mapping[str, Value]) -> Message:
    return say(told, **values) if isinstance(told, str) else told
