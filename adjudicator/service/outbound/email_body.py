"""What an email says, before it has an envelope."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.reports.button import Action
from adjudicator.service.emails.value import EmailValue
from adjudicator.service.emails.write import write


class BoardBeside(Struct, frozen=True):
    """A small picture of the board beside the paragraph that tells of its game."""

    told: str
    title: str
    png: bytes


def body_of(value: EmailValue, past: Sequence[Any] = ()) -> "EmailBody":
    """Return an email that is no report, from its value; its page, if it has one, looks back on
    `past`."""
    forms = write(value, past)
    return EmailBody(
        subject=forms.subject,
        text=forms.text,
        html=forms.html,
        page=forms.page,
        is_signed=True,
        value=value,
    )


class EmailBody(Struct, frozen=True, kw_only=True):
    """Tell what an email says, before it has an envelope."""

    subject: str | Message | Sequence[Message]  # of several the first that is short enough
    text: str
    is_signed: bool = False  # it ends with the lines about the club
    html: str | None = None
    page: str | None = None
    page_name: str = ""  # as a file
    png: bytes | None = None
    boards: Sequence[BoardBeside] = ()
    answers: str | None = None
    reply_to: str | None = None  # of an email that is to no seat
    since: int | None = None  # the first ply of which it tells, if its row does not say so
    carries: Sequence[int] = ()  # the ids of receipts that stand in it
    is_last: bool = False  # it has the last report of a match, without its page
    asked: Action | None = None  # what a button in its HTML does
    is_invitation: bool = False
    value: EmailValue | None = None  # all that it says
    unsubscribe: str | None = None  # the link by which its reader says no for good
