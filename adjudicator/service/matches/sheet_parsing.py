"""A sheet as it is understood: what it orders and what is wrong with it."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice

from msgspec import Struct

from adjudicator.core.commands import Jotting, read_commands, read_press
from adjudicator.core.conditions import reads_as_orders
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, Problem, lookup_form, problem
from adjudicator.core.sheets import (
    COMMANDS,
    Origin,
    RawSheet,
    Reading,
    SheetCommand,
    bare_sheet,
    read_sheets,
    sheets_in,
)
from adjudicator.games import GAMES
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.deadlines import is_open, next_turn, takes_advance
from adjudicator.service.base.loaded_match import Loaded, titles
from adjudicator.store import clubs
from adjudicator.store.database import Tx


class Source(Struct, frozen=True):
    """The command line or an email's address says this of a sheet beside its text.

    `turn` is that of the report which its email answers, `ply` the one that it tells of. By mail a
    resignation is not taken until it is confirmed (emails, section 3).
    """

    match: str | None = None
    seat: str | None = None
    channel: str = "file"
    may_resign: bool = True
    letter_id: int | None = None
    turn: int | None = None
    ply: int | None = None


class Ahead(Struct, frozen=True):
    """The later turn that a sheet is for."""

    turn: int
    ply: int


class JudgedSheet(Struct, frozen=True):
    """A sheet whose match and seat are known: what it orders and what is wrong with it.

    `explained` says what its lines mean. `ahead` is given if it is for a later turn. The places in
    its `jottings` are meant as after the ply `seen`. With `words_alone` it was judged by its words
    and by what everybody may know, and `loaded` holds nothing that a seat has sent.
    """

    loaded: Loaded
    seat: Seat
    text: str
    lines: Sequence[str]
    commands: Sequence[SheetCommand]
    problems: Sequence[Problem]
    warnings: Sequence[Problem] = ()
    explained: Sequence[Message] = ()
    says_orders: bool = True
    ahead: Ahead | None = None
    jottings: Sequence[Jotting] = ()
    seen: int = 0
    words_alone: bool = False


def judged_sheet(
    loaded: Loaded,
    seat: Seat,
    raw: RawSheet,
    lines: Sequence[str],
    problems: Sequence[Problem],
) -> JudgedSheet:
    return JudgedSheet(
        loaded=loaded,
        seat=seat,
        text="\n".join(line.text for line in (raw.line, *raw.body)),
        lines=lines,
        commands=raw.commands,
        problems=problems,
    )


# Take the sheets out of a text, before any match is looked at.


MOST_TRIED = 60  # lines in a wrong place that are looked at for orders
MOST_MISPLACED = 10  # warnings of such lines


def parse_sheets(text: str) -> Reading:
    """Take a text apart: its frames, or all of it as one sheet."""
    reading = read_sheets(text)
    return parsed_sheets(reading, would_read_as_orders(reading.ignored, GAMES.values()))


def asks_to_resign(text: str) -> bool:
    """Return whether a text has the command RESIGN, in a sheet or outside of any."""
    reading = read_sheets(read_press(text)[1])
    commands, _ = read_commands(reading.ignored)
    outside = [one.word for one in commands]
    inside = [one.word for sheet in reading.sheets for one in sheet.commands]
    return "RESIGN" in (*outside, *inside)


def from_json(text: str) -> str:
    """Return a file of orders with its sheets as text, if they are JSON (club, 12.3). Raises
    Refusal."""
    found = sheets_in(text)
    if isinstance(found, Message):
        raise Refusal(found)
    if found is None:
        return text
    if found.rest.strip():
        raise Refusal(say("behind the JSON there is more; put several order sheets into a list"))
    return found.text


def parsed_sheets(reading: Reading, warnings: Iterable[Problem]) -> Reading:
    """Make the parts of a text that was read. `warnings` are about the lines outside of its
    sheets."""
    if not reading.sheets:
        return Reading((bare_sheet(reading),), ())
    return Reading(reading.sheets, reading.ignored, tuple(warnings))


def would_read_as_orders(ignored: Sequence[Line], games: Iterable[AnyGame]) -> Iterator[Problem]:
    """Warn of the first lines outside of any sheet that seem to be meant as orders in one of these
    games."""
    meant = (line for line in terse(ignored) if _is_an_order(line, games))
    for line in islice(meant, MOST_MISPLACED):
        yield problem(line, say("this looks like an order, but it is outside ORDERS ... END"))


def terse(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the first lines that are as short as orders are.

    To read a line as orders in vain takes a thousand times as long as to see that it is none, and
    most emails quote a whole report.
    """
    return tuple(islice((line for line in lines if _is_terse(line)), MOST_TRIED))


def _is_terse(line: Line) -> bool:
    return len(line.text) <= 80 and 0 < len(line.text.split()) <= 6


def _is_an_order(line: Line, games: Iterable[AnyGame]) -> bool:
    return lookup_form(line.text) in COMMANDS or any(
        reads_as_orders(game, [line]) for game in games
    )


# Say what is wrong with the time of a sheet (interface, section 2).


UNDONE = say(
    "these orders reply to a report from before the club was restored from a backup, and that "
    "part of the match is no longer valid; send orders for the latest report"
)


def is_of_ours(tx: Tx, loaded: Loaded, origin: Origin) -> bool:
    """Return whether a sheet was made with a report of this club, not with one that a restore has
    undone."""
    match = loaded.match
    return clubs.is_of_our_reports(tx, match.id, match.epoch, origin.epoch, origin.ply)


def untimely(
    loaded: Loaded, seat: Seat, raw: RawSheet, given: Source, now: datetime, *, says_orders: bool
) -> Message | None:
    """Return why a sheet does not count now: its match or its seat's part in it is over, the seat
    is not awaited, it is for another turn, or the deadline has passed; None if it counts.

    A sheet of commands alone may also come when no orders would be taken.
    """
    words = {command.word for command in raw.commands}
    asked = raw.head.turn if raw.head else None
    if told := message_for_ended(loaded, seat):
        return told
    if seat not in loaded.awaited and (says_orders or words & {"READY", "NOTREADY"}):
        return _not_awaited(loaded, seat, says_orders=says_orders)
    if told := _for_another_turn(loaded, asked, given.turn if says_orders else None):
        return told
    if _is_too_late(loaded, seat, now) and (says_orders or "CLEAR" in words):
        return say("the deadline has passed; your current orders stay")
    return None


def message_for_ended(loaded: Loaded, seat: Seat) -> Message | None:
    """Say that the match, or the seat's part in it, has ended."""
    if loaded.match.status == "over":
        return say("{match} is over", match=loaded.match.name)
    if seat in loaded.gone:
        return say("{seat} has left this match", seat=titles(loaded, [seat]))
    return None


def _not_awaited(loaded: Loaded, seat: Seat, *, says_orders: bool) -> Message:
    told = say(
        "it's not your turn: turn {turn} is waiting for {seats}",
        turn=loaded.match.turn,
        seats=titles(loaded, loaded.awaited),
    )
    if says_orders and takes_advance(loaded) and is_open(loaded):
        then = say(
            "for your next turn, write ORDERS {match} turn {turn}",
            match=loaded.match.name,
            turn=next_turn(loaded, seat),
        )
        return say("{told}; {then}", told=told, then=then)
    return told


def _for_another_turn(loaded: Loaded, asked: int | None, meant: int | None) -> Message | None:
    """Say that another turn is to be ordered than the one that the sheet asks for, or, if it names
    none, than the one of the report that its email answers."""
    turn = loaded.match.turn
    if asked is not None:
        if asked == turn:
            return None
        return say(
            "these orders are for turn {asked}, but the current turn is {turn}",
            asked=asked,
            turn=turn,
        )
    if meant in (None, turn):
        return None
    return say(
        "your email replies to the report of turn {meant}, but the current turn is {turn}; if "
        "you mean that one, write ORDERS {match} turn {turn}",
        meant=str(meant),
        turn=turn,
        match=loaded.match.name,
    )


def _is_too_late(loaded: Loaded, seat: Seat, now: datetime) -> bool:
    """Return whether a sheet is too late: after the deadline it counts only for a seat that had
    none."""
    deadline = loaded.match.deadline_at
    return deadline is not None and now >= deadline and seat in loaded.sheets
