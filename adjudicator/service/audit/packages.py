"""Say with which version of its game a match was played, where another one is installed here.

The games of packages change apart from this program. So if a log that names other versions is
played again and does not agree, that may be the package's doing and not the club's; only the named
version can tell.
"""

from collections.abc import Sequence

from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.service.audit.receipts import ParsedLog
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    AuditVerdict,
    asks,
    by_rule,
    remark,
    uncompared,
)

_OF_THE_CLUB = (AuditVerdict.CONTRADICTS, AuditVerdict.ASKS)


def named_in(log: ParsedLog) -> list[str]:
    """Return the packages that a log names, each once, in the order in which they were used."""
    named = [log.opening.package, *(entry.package for entry in log.entries)]
    return [*dict.fromkeys(package for package in named if package)]


def missing_game(log: ParsedLog) -> AuditFinding:
    """Say that the game is not here, and so nothing was played again."""
    slug, named = shown(log.opening.game), named_in(log)
    if (why := GAMES.why_missing(log.opening.game)) is not None:
        told: Message = say("what follows from the rules: {why}", why=why)
    elif named:
        told = say(
            "what follows from the rules: it was played with the game '{name}' of the package "
            "{package}, which is not installed here; install it and audit the match again",
            name=slug,
            package=_told(named),
        )
    else:
        told = say(
            "what follows from the rules: this adjud does not know the game '{name}'", name=slug
        )
    return uncompared(told)


def judged(log: ParsedLog, findings: Sequence[AuditFinding]) -> list[AuditFinding]:
    """Return what was found when a log was played again; where it was played with another version
    of its game than is here, one sentence says so in place of what differs."""
    named, installed = named_in(log), GAMES.package(log.opening.game)
    others = _told([package for package in named if package != installed])
    if not others:
        return [*findings]
    here = installed or say("this adjud")  # the game has become one of the program's own
    left = [one for one in findings if one.verdict not in _OF_THE_CLUB]
    if len(left) == len(findings):
        told = say(
            "the match was played with {others}, and {here}, which is installed here, gives the "
            "same",
            others=others,
            here=here,
        )
        return [*left, remark(told)]
    told = say(
        "the match was played with {others}, and {here} is installed here, which does not give the "
        "same: audit the match with {others}, too",
        others=others,
        here=here,
    )
    return [*left, *by_rule("version", [asks(told)])]


def _told(packages: Sequence[str]) -> str:
    return ", ".join(map(shown, packages))
