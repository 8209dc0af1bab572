"""What a report's reader can send, as links that begin an email: his orders, and what the buttons
and links of emails to a seat open. All of them go to the seat's address and are accepted as they
are. And a report with all of them, ready to be printed."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct
from msgspec.structs import replace

from adjudicator.core.game import Suggestion, spelling_of
from adjudicator.core.message import Message, Words, say, shortly
from adjudicator.core.report import AnyReport
from adjudicator.core.text import Spelling
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import mailto
from adjudicator.reports.button import Links
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.words import words
from adjudicator.service.emails.value import Beside

if TYPE_CHECKING:
    from adjudicator.reports.render import Prints


class EmailReader(Struct, frozen=True):
    """Who reads an email: in which language and time zone, the game of the match that it is about,
    if it is about one, and the address to which he writes for his seat, None if nobody can."""

    language: str
    zone: str = "UTC"
    game: str = ""
    address: str | None = None

    @property
    def words(self) -> Words:
        return words(self.language, self.game, self.zone)

    @property
    def spelled(self) -> Spelling:
        return spelling_of(GAMES[self.game], self.words) if self.game else Spelling({})

    def of_game(self, game: str) -> "EmailReader":
        """Return the same reader, of another match."""
        return replace(self, game=game)


def subject_of(report: AnyReport, *, again: bool = False) -> Sequence[Message]:
    """Return the subject of the email with a report, or that asks for its orders `again`, the
    longest first.

    An email that wants nothing of its reader does not say that it does.
    """
    if report.result is not None:
        wins = report.seat in report.result.winners
        return [subjects.match_end(report.match, report.turn, wins=wins)]
    if report.seat not in report.awaited or report.orders:
        return [subjects.report(report.match, report.turn)]
    make = subjects.reminder if again else subjects.orders_due
    due = shortly(report.deadline) if report.deadline else ""
    return make(report.match, report.turn, set_up=report.phase == "setup", due=due)


def reply_form(
    report: AnyReport, reader: EmailReader, *, attached: bool = False
) -> ReplyForm | None:
    """Return how the orders that a report asks for come back or, if it asks for none and is no
    email itself, what a seat may send at any time.

    Return None if there is nothing to send, or nobody can write for the seat.
    """
    takes_more = report.result is None and not attached
    if reader.address is None or not (report.template or takes_more):
        return None
    lines = report.template or (report.sheet_head(), "END")
    sheet = _orders_link(report, reader, _to_write(report)) if report.template else None
    return ReplyForm(_orders_link(report, reader, lines), attached, sheet)


def _to_write(report: AnyReport) -> Sequence[str]:
    """Return the sheet of an email that is begun without scripts: the orders in force or, without
    them, an empty line in place of what is to be filled in."""
    head, *lines, end = report.template
    if report.orders:
        return (head, *(line for order in report.orders.lines for line in order.split("\n")), end)
    return (head, *(line for line in lines if line[0] != "#" and ".." not in line), "", end)


def example(report: AnyReport, reader: EmailReader) -> str | None:
    """Return the link that begins an email with the orders that a first email gives as an
    example."""
    if reader.address is None or not report.template:
        return None
    lines = GAMES[report.game].orders.example(report.view)
    return _orders_link(report, reader, (report.template[0], *lines, "END")) if lines else None


def _orders_link(report: AnyReport, reader: EmailReader, lines: Sequence[str]) -> str:
    """Return the link that begins an email from the seat with these lines."""
    assert reader.address is not None
    tell, game = words(reader.language, report.game, reader.zone), GAMES[report.game]
    subject = f"Re: {subjects.fit(tell, *subject_of(report))}"
    return mailto(reader.address, subject, spelling_of(game, tell).all(lines))


def links_of(report: AnyReport, reader: EmailReader, beside: Beside, *, site: str) -> Links:
    """Return what the links of an email with a report open. That of a match that has ended leads to
    the club's pages at `site`, if there are any."""
    if reader.address is None:
        return Links()
    link = partial(button_link, report, reader)
    if report.result is not None:
        # Few words: a longer sentence of ours in a message is taken for a part of a quoted email.
        tell = words(reader.language, report.game)
        thanks = (f"PRESS TO {beside.thanks.upper()}", tell(say("Thanks for the game!")))
        return Links(
            rematch=rematch(report, reader) if beside.rematch else None,
            thanks=link((*thanks, "ENDPRESS"), say("[{match}] Thanks!", match=report.match))
            if beside.thanks
            else None,
            site=site or None,
        )
    tell = words(reader.language, report.game)
    begun = prefilled_emails(report, suggestion(report, tell), advised=beside.advised)
    return Links(**{name: link(one.lines, one.subject) for name, one in begun.items()})


class PrefilledEmail(Struct, frozen=True):
    """An email that a button begins."""

    lines: Sequence[str]
    subject: Message


def suggestion(report: AnyReport, tell: Words) -> Suggestion | None:
    """Return the orders that an email may suggest; None if it asks for none."""
    return GAMES[report.game].page.suggest(report.view, tell) if report.template else None


def prefilled_emails(
    report: AnyReport, orders: Suggestion | None, *, advised: bool
) -> Mapping[str, PrefilledEmail]:
    """Return the emails that the buttons of a running match begin, by their names in `Links`."""
    match, turn, begun = report.match, report.turn, dict[str, PrefilledEmail]()
    if orders and (orders.usual or advised):
        what = say("[{match}] Turn {turn}: orders", match=match, turn=turn)
        begun["orders"] = PrefilledEmail((report.template[0], *orders.lines, "END"), what)
    if _is_offered_draw(report):
        begun["draw"] = draw_email(report.sheet_head(turn), match, turn)
    return begun


def draw_email(head: str, match: str, turn: int) -> PrefilledEmail:
    """Return the email that accepts a draw. The turn stands in its `head`, so that it is no new
    offer when the turn is over."""
    subject = say("[{match}] Turn {turn}: draw", match=match, turn=turn)
    return PrefilledEmail((head, "DRAW", "END"), subject)


def rematch(report: AnyReport, reader: EmailReader) -> str:
    """Return what begins an email from the seat that asks for a rematch."""
    subject = say("[{match}] Rematch", match=report.match)
    return button_link(report, reader, ("REMATCH",), subject)


def _is_offered_draw(report: AnyReport) -> bool:
    """Return whether another seat's offer of a draw stands, and none of the reader's own."""
    offering = () if report.draw_offers is UNSET else report.draw_offers
    return bool(offering) and report.seat not in offering


def button_link(
    report: AnyReport, reader: EmailReader, lines: Sequence[str], subject: Message
) -> str:
    """Return the link of a button that begins an email from the seat. Its order words are English,
    which everybody may write and no program encodes."""
    assert reader.address is not None
    tell = words(reader.language, report.game)
    return mailto(reader.address, subjects.fit(tell, subject), lines)


def prints_of(
    report: AnyReport,
    reader: EmailReader,
    beside: Beside,
    said: ReplyForm | None = None,
    *,
    attached: bool,
    site: str = "",
) -> "Prints":
    """Return a report that is to be printed in the forms of `render`; its page is `attached` or
    not. `said` are the words beside it: receipts and their proofs, messages, the lines below. Of a
    match that has ended the club's pages are at `site`."""
    from adjudicator.reports.render import Prints  # and all that makes pages, only for a page

    opened = links_of(report, reader, beside, site=site)
    own = reply_form(report, reader, attached=attached) or ReplyForm()
    reply = replace(
        said or ReplyForm(),
        link=own.link,
        attached=own.attached,
        sheet=own.sheet,
        picture=beside.picture,
        first=beside.first,
        page=beside.page.link,
        built=beside.page.built,
        tips=beside.tips,
        example=example(report, reader) if beside.first else None,
        links=opened,
        rematch=opened.rematch,
        rating=beside.rating,
    )
    return Prints(GAMES[report.game], report, reader.language, reader.zone, reply)
