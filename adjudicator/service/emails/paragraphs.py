"""What an email that is no report says, before anybody reads it: paragraphs of sentences with their
values, orders, tables and reports, and lines that stand as they are.

An answer is kept so from the email that it answers until it goes out, and no sentence of ours is
finished in it. What stands as it is are somebody's own words, order lines, codes and addresses.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import convert

from adjudicator.core.message import Message
from adjudicator.core.report import PressThread
from adjudicator.core.visible import Visible
from adjudicator.service.emails.receipts import Receipt

Told: TypeAlias = Message | str  # a line: a sentence of ours, or one that stands as it is


class Lines(Visible, frozen=True, kw_only=False, tag="lines"):
    """Lines one below the other. `game` is named if its words are used and not those of the
    email's match."""

    lines: tuple[Told, ...]
    game: str = ""


class AlignedRows(Visible, frozen=True, kw_only=False, tag="table"):
    """Rows of which the columns are aligned, and lines right below them."""

    rows: tuple[tuple[Told, ...], ...]
    below: tuple[Told, ...] = ()


class OrderLines(Visible, frozen=True, kw_only=False, tag="orders"):
    """Order lines in canonical words, none of which is broken."""

    lines: tuple[str, ...]


class SeatReminder(Visible, frozen=True, kw_only=True):
    """What a daily reminder says of one seat, in the words of its game; `due` is the deadline."""

    game: str
    match: str
    turn: int
    seat: Message
    due: str | None
    told: tuple[Message, ...]
    address: str


class SeatReminders(Visible, frozen=True, kw_only=False, tag="reminders"):
    """The seats of a player that wait for his orders, and where these go."""

    seats: tuple[SeatReminder, ...]


class Card(Visible, frozen=True, kw_only=False, tag="card"):
    """The rules and commands of the match's game; `heads` are those of its two examples."""

    heads: tuple[str, ...]


class CommandList(Visible, frozen=True, kw_only=False, tag="commands"):
    """The commands that a personal or the public address takes."""

    of: Literal["person", "anyone"]


class WholeReport(Visible, frozen=True, kw_only=True, tag="report"):
    """A report as a text, with tips or without, for a reader who may have chosen another language
    and zone since; `report` is as `core/report.flat` writes it."""

    report: Mapping[str, Any]
    language: str
    zone: str
    tips: bool = False
    press: tuple[PressThread, ...] = ()


class NewsAlone(Visible, frozen=True, kw_only=True, tag="news"):
    """What a report tells of what has happened, and nothing else of it."""

    report: Mapping[str, Any]


class Proofs(Visible, frozen=True, kw_only=False, tag="proofs"):
    """Lines that somebody may check later, under their heading."""

    lines: tuple[Told, ...]


class MarkedRow(Visible, frozen=True, kw_only=False):
    """A row of a sheet, and what is wrong with it."""

    text: str
    faults: tuple[Message, ...] = ()


class MarkedSheet(Visible, frozen=True, kw_only=True, tag="marked"):
    """A player's own set-up with its faults marked, to be mended and sent back: its first and last
    line as the club writes them, faults of all of it, and its rows."""

    head: str
    first: str
    faults: tuple[Message, ...]
    rows: tuple[MarkedRow, ...]
    end: str


Paragraph: TypeAlias = (
    Lines
    | Receipt
    | AlignedRows
    | OrderLines
    | SeatReminders
    | Card
    | CommandList
    | WholeReport
    | NewsAlone
    | MarkedSheet
    | Proofs
)
Paragraphs: TypeAlias = tuple[Paragraph, ...]

# All that an email says as it goes out.

PartStatus: TypeAlias = Literal["accepted", "parked", "refused", "stuck"]


class AnswerPart(Visible, frozen=True, kw_only=True):
    """What an answer says of one match: what became of that part of the email, and the `game` in
    whose words it is told. Of a match that cannot be read the game is empty."""

    match: str
    status: PartStatus
    game: str
    says: "EmailContents"


class EmailContents(Visible, frozen=True, kw_only=True):
    """What stands in an email that is no report. An answer `says` what was put down when the email
    was read; what stands `above` and `below` that is as things are when it goes out, and it has
    `parts` about matches. What it says is cut if it is too long, and never the rest. Any other
    email has paragraphs `above` alone."""

    above: Paragraphs = ()
    says: Paragraphs = ()
    below: Paragraphs = ()
    parts: tuple[AnswerPart, ...] = ()

    @property
    def receipts(self) -> list[Receipt]:
        """Return what became of each sheet, of the parts, too."""
        own = [one for one in self.says if isinstance(one, Receipt)]
        return [*own, *(receipt for part in self.parts for receipt in part.says.receipts)]


ORDER, SET_IN = "{order}", "  {order}"


def paragraph(*lines: Told | None, game: str = "") -> Paragraphs:
    """Make a paragraph of lines; none of none."""
    told = tuple(line for line in lines if line is not None)
    return (Lines(told, game),) if told else ()


def each(told: Iterable[Told | None]) -> Paragraphs:
    """Make a paragraph of each line."""
    return tuple(Lines((one,)) for one in told if one)


def order_line(line: str, *, set_in: bool = True) -> Message:
    """Put an order line, in canonical words, into a paragraph: its reader reads it as he writes
    it."""
    return Message(SET_IN if set_in else ORDER, {"order": line})


def to_send(word: Message, code: str) -> Paragraphs:
    """Return the one line that a reader sends back: a command in his language, and its code."""
    return paragraph(Message("{word} {code}", {"word": word, "code": code}))


def proofs(lines: Iterable[Told]) -> Paragraphs:
    """Put lines that somebody may check later under their heading; nothing without any."""
    told = tuple(lines)
    return (Proofs(told),) if told else ()


def sentence(*told: Message | None) -> Message | None:
    """Put sentences into one line; None if there are none."""
    found = [one for one in told if one is not None]
    if not found:
        return None
    names = [f"part{n}" for n in range(len(found))]
    return Message(" ".join(f"{{{name}}}" for name in names), dict(zip(names, found, strict=True)))


def paragraphs_in(body: Mapping[str, Any], key: str = "says") -> Paragraphs:
    """Return the paragraphs in a row of the outbox. Rows of before 0.3.0 have a finished text."""
    if key in body and not isinstance(body[key], str):
        return convert(body[key], tuple[Paragraph, ...])
    return finished_text(body.get("text" if key == "says" else key) or "")


def finished_text(text: str) -> Paragraphs:
    """Return a finished text of before, which stands as it is."""
    return (Lines(tuple(text.strip("\n").split("\n"))),) if text else ()
