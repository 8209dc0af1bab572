"""Read what a mail system says became of a letter of ours (RFC 3464, RFC 6522)."""

import re
from collections.abc import Sequence

from msgspec import Struct

from adjudicator.mail.read.headers import Headers, read_head
from adjudicator.mail.read.mime import Part, octets

_STATUS_TYPES = frozenset({"message/delivery-status", "message/global-delivery-status"})
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")  # RFC 3463
_MOST_BLOCKS = 20


class Bounce(Struct, frozen=True):
    """A mail system's report on one of our letters.

    A stranger may have written it: it is believed only if it came to that letter's own envelope
    address, which is in `Letter.addressed`.
    """

    action: str | None  # failed, delayed, delivered, relayed, expanded
    status: str | None  # such as 5.1.1

    @property
    def is_hard(self) -> bool:
        """Return whether trying again is no use."""
        return self.action == "failed" and not (self.status or "5").startswith("4")


def bounce(headers: Headers, type_: str, leaves: Sequence[Part]) -> Bounce | None:
    if type_ == "multipart/report":
        for leaf in leaves:
            if leaf.content.type in _STATUS_TYPES:
                return _reported(octets(leaf))
    if headers.first("x-failed-recipients"):  # Exim without a report
        return Bounce("failed", None)
    return None


def _reported(body: bytes) -> Bounce:
    """Return what is said of the first recipient that failed, or else of the first recipient.

    Our letters have only one.
    """
    blocks = [read_head(block) for block in _BLANK_LINE.split(body, _MOST_BLOCKS)]
    told = [block for block in blocks if block.all("action") or block.all("final-recipient")]
    failed = [block for block in told if _action(block) == "failed"]
    block = next(iter([*failed, *told]), Headers((), False))
    status = _STATUS.match(block.first("status"))
    return Bounce(_action(block), status[0] if status else None)


def _action(block: Headers) -> str | None:
    word = re.match(r"[a-z]{1,20}", block.first("action").lower())
    return word[0] if word else None
