"""The kinds of outgoing emails, and all about an email that does not depend on what it says.

Theory of operation. Each kind is a row of `KINDS`, and whoever sends, waits, lists, exports or
counts emails asks the row, never for names of kinds: a new kind is a row, and is then right
everywhere. A field is false where silence is safe, but for `tells_of_seat`, which a new kind must
state, because it decides what the operator sees while a match goes on.
"""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct


class EmailKind(Struct, frozen=True, kw_only=True):
    """What holds for all outgoing emails of a kind."""

    tells_of_seat: bool  # that there is one tells what a seat did, learned, or failed to do
    answers: bool = False  # belongs to an email that came, and goes at once
    is_auto_reply: bool = False  # nobody answers it, not even a mail server (RFC 3834, section 3.3)
    can_wait: bool = False  # for the daily email (club, 4.3)
    depends_on_orders: bool = False  # goes or is dropped by who has sent orders
    is_told_in_reports: bool = False  # a newer report may tell the same
    names_turn: bool = False  # a reply to it is about the turn that it names
    is_of_ply: bool = False  # an undo of the ply takes it back
    goes_last: bool = False  # after all others of a delivery, so that it can carry them


# All emails about offers of which the operator may not know. Only substitutes were offered so at
# first, and the word is stored.
OF_SECRET_OFFER = "substitute"  # noqa: S105

KINDS: Mapping[str, EmailKind] = {
    "report": EmailKind(
        tells_of_seat=False,
        can_wait=True,
        is_told_in_reports=True,
        names_turn=True,
        is_of_ply=True,
        goes_last=True,
    ),
    "aside": EmailKind(tells_of_seat=True, can_wait=True, is_of_ply=True, goes_last=True),
    "reminder": EmailKind(
        tells_of_seat=True, can_wait=True, depends_on_orders=True, names_turn=True
    ),
    "leave": EmailKind(tells_of_seat=True, can_wait=True, depends_on_orders=True),
    OF_SECRET_OFFER: EmailKind(tells_of_seat=True),
    "notice": EmailKind(tells_of_seat=False, can_wait=True, is_told_in_reports=True),
    "press": EmailKind(tells_of_seat=True, can_wait=True),
    "receipt": EmailKind(
        tells_of_seat=True,
        answers=True,
        is_auto_reply=True,
        depends_on_orders=True,
        names_turn=True,
        is_of_ply=True,
    ),
    "refusal": EmailKind(
        tells_of_seat=True,
        answers=True,
        is_auto_reply=True,
        depends_on_orders=True,
        names_turn=True,
        is_of_ply=True,
    ),
    "confirm": EmailKind(tells_of_seat=True, answers=True, depends_on_orders=True),
    "alert": EmailKind(tells_of_seat=False),
    "daily": EmailKind(tells_of_seat=True, goes_last=True),
    "test": EmailKind(tells_of_seat=False),
}


def names_of(which: Callable[[EmailKind], bool]) -> tuple[str, ...]:
    """Return the names of the kinds for which something holds, in the table's order."""
    return tuple(name for name, kind in KINDS.items() if which(kind))


ANSWERS = names_of(lambda kind: kind.answers)
TELLING_OF_SEATS = names_of(lambda kind: kind.tells_of_seat)

# Kinds of which an email is written from a value (service/emails). A test email is of no kind that
# a player reads.
ValuedKind: TypeAlias = Literal[
    "report",
    "aside",
    "reminder",
    "leave",
    "substitute",
    "notice",
    "press",
    "receipt",
    "refusal",
    "confirm",
    "alert",
    "daily",
]
