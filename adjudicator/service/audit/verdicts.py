"""Say what an audit found, and what that means for the player."""

from enum import Enum

from msgspec import Struct

from adjudicator.core.message import Message


class AuditVerdict(Enum):
    """Tell what a finding means.

    CONTRADICTS: two papers cannot both be true. ASKS: only the player knows whether it is true.
    UNCOMPARED: something could not be compared, and why. REMARK: nothing is wrong with it.
    """

    CONTRADICTS = "contradicts"
    ASKS = "asks"
    UNCOMPARED = "uncompared"
    REMARK = "remark"


class AuditFinding(Struct, frozen=True):
    """Hold one sentence on what was found, and what it means."""

    verdict: AuditVerdict
    told: Message


def contradicts(told: Message) -> AuditFinding:
    return AuditFinding(AuditVerdict.CONTRADICTS, told)


def asks(told: Message) -> AuditFinding:
    return AuditFinding(AuditVerdict.ASKS, told)


def uncompared(told: Message) -> AuditFinding:
    return AuditFinding(AuditVerdict.UNCOMPARED, told)


def remark(told: Message) -> AuditFinding:
    return AuditFinding(AuditVerdict.REMARK, told)
