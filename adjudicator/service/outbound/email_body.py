"""What an email says, before it has an envelope."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from adjudicator.service.emails.printed import Forms
from adjudicator.service.emails.value import EmailValue
from adjudicator.service.emails.write import write


def body_of(value: EmailValue, past: Sequence[Any] = ()) -> "EmailBody":
    """Return an email from its value; its page, if it has one, looks back on `past`."""
    return EmailBody(value=value, forms=write(value, past))


class EmailBody(Struct, frozen=True, kw_only=True):
    """What an email says, before it has an envelope: its value, and what is written from that."""

    value: EmailValue
    forms: Forms
    page_name: str = ""  # as a file
    png: bytes | None = None
    boards: Sequence[bytes] = ()  # small pictures, in the order of their Content-IDs
    to_name: str = ""
    answers: str | None = None
    reply_to: str | None = None  # of an email that is to no seat
    since: int | None = None  # the first ply of which it tells, if its row does not say so
    carries: Sequence[int] = ()  # the ids of receipts that stand in it
    is_last: bool = False  # it has the last report of a match, without its page
    unsubscribe: str | None = None  # the link by which its reader says no for good
