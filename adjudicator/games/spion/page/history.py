"""A match looked back upon: as its seat's old reports told it or, when it has ended, as it was.

In a running match no moment names the type of a card, but for the open dossier (rules 5.6): what
was told once and what the holders held is not even read. At the end the record, which the last
report gives, tells everything.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET, Struct, UnsetType, convert, structs, to_builtins

from adjudicator.core import lookback
from adjudicator.core.lookback import MomentRow, newest, places, points
from adjudicator.core.match import Seat
from adjudicator.core.message import Words, say
from adjudicator.core.report import Report, flat
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_read
from adjudicator.games.spion.page.news import grouped, sentences
from adjudicator.games.spion.page.replay_from_record import retold
from adjudicator.games.spion.page.replay_steps import Moment, Position, changes, position
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.state import Card, Dice, Place
from adjudicator.games.spion.sight.sightings import SawTurnOpened, Seen
from adjudicator.games.spion.sight.view import View

MOST_POINTS = 10

STEPPING = ("shared/history.js", "spion/history.js")  # the scripts that step through it


class OldEmbassy(Struct, frozen=True):
    code: Place
    card: bool


class OldBoard(Struct, frozen=True):
    embassies: tuple[OldEmbassy, ...]


class OldSeat(Struct, frozen=True):
    """A seat's pieces and which places of its holder had a card, never which card."""

    seat: Seat
    spy: Place
    bodyguard: Place
    home: Place
    filled: tuple[int, ...]


class OldStep(Struct, frozen=True, omit_defaults=True):
    """An event as an old report told it: what happened and where, no guess, no card."""

    event: str
    seat: Seat
    target: Seat | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    number: int | UnsetType = UNSET
    key: str | UnsetType = UNSET
    dice: Dice | UnsetType | None = UNSET
    start: Place | UnsetType = UNSET
    goal: Place | UnsetType = UNSET
    path: tuple[Place, ...] | UnsetType = UNSET
    embassy: Place | UnsetType = UNSET
    embassies: tuple[Place, ...] | UnsetType = UNSET
    place: int | UnsetType | None = UNSET
    into: int | UnsetType | None = UNSET
    guard_from: Place | UnsetType = UNSET
    guard_to: Place | UnsetType = UNSET
    spy_from: Place | UnsetType = UNSET
    spy_to: Place | UnsetType = UNSET
    by: tuple[Seat, ...] | UnsetType = UNSET
    use: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    ambush: bool | UnsetType = UNSET


class OldNote(Struct, frozen=True):
    """An entry of the open dossier, which all may read at any time."""

    card: Card
    seat: Seat | None
    place: str
    moved: bool


class OldReport(Struct, frozen=True):
    """The part of its seat's old report that a page needs; nothing else of it is read."""

    turn: int
    board: OldBoard
    seats: tuple[OldSeat, ...]
    news: tuple[OldStep, ...]
    dossier: tuple[OldNote, ...] | None = None


class History(lookback.History, frozen=True, kw_only=True):
    """The rows of a page that looks back, with the titles of the seats. No record stands in it."""

    titles: Mapping[str, str]


def history(
    report: Report[View, Seen],
    past: Sequence[OldReport],
    words: Words,
    ending: str | None,
    room: int | None = None,
) -> History | None:
    """Make the rows that look back, as many as have room; None if nothing has happened yet.
    `ending` is the result in words."""
    if report.record:
        moments = list(retold(report.view, report.record, words, ending or ""))
    else:
        moments = list(_told(report, past, words))
    if not moments:
        return None
    rows = list(_rows(_leading(moments)))
    shown = newest(rows, room, lambda n: changes({}, moments[n].position, moments[n].ways))
    first = len(rows) - len(shown)
    return History(
        moments=shown,
        complete=first == 0 and (bool(report.record) or len(past) >= report.ply),
        cut=first > 0,
        titles={seat: words(SEAT_TITLES[seat]) for seat in report.players},
        file=f"{report.match}.spion",
        points=list(points(rows, first)),
    )


def _told(report: Report[View, Seen], past: Sequence[OldReport], words: Words) -> Iterator[Moment]:
    """Yield a moment for each report, with its news."""
    turn: int | None = None
    for old in (*past, convert(flat(report), OldReport)):
        kept = [to_builtins(step) for step in old.news if step.event != "phrased"]
        if news := convert(kept, list[Seen]):
            before = old.turn - 1 if turn is None else turn
            turn = next((step.turn for step in news if isinstance(step, SawTurnOpened)), before)
            yield _moment(report.view, old, turn, news, words)


def _moment(view: View, old: OldReport, turn: int, news: Sequence[Seen], words: Words) -> Moment:
    parts = grouped(news)
    steps = [
        (words(heading) if len(parts) > 1 else "", "moved", told)
        for heading, entries in parts
        if (told := " ".join(sentences(entries, view, words)))
    ]
    if old.dossier:
        steps.append((words(say("Cards everyone has seen")), "moved", _dossier(old.dossier, words)))
    label = parts[0][0] if len(parts) == 1 else say("Turn {turn}", turn=turn)
    seats = {entry.seat: (entry.spy, entry.bodyguard, _filled(entry)) for entry in old.seats}
    lying = {entry.code: "?" for entry in old.board.embassies if entry.card}
    return Moment(f"turn-{turn}", words(label), *position(view, seats, lying, news), steps)


def _filled(entry: OldSeat) -> str:
    return "".join(str(n) if n in entry.filled else "." for n in PLACES)


def _dossier(notes: Sequence[OldNote], words: Words) -> str:
    """List the cards whose places all know."""
    known = (
        (
            card_read(note.card, words),
            words(SEAT_TITLES[note.seat]) if note.seat else "",
            note.place,
        )
        for note in notes
        if not note.moved
    )
    return ", ".join(" ".join(filter(None, note)) for note in known) or "-"


def _leading(moments: Sequence[Moment]) -> list[Moment]:
    """Return the moments with no more than ten turning points, of those of one weight the last
    ones."""
    ranked = sorted(
        (-weight, -number, told)
        for number, moment in enumerate(moments)
        for weight, told in moment.points
    )
    kept = {(-number, told) for _, number, told in ranked[:MOST_POINTS]}
    return [
        structs.replace(
            moment, points=[point for point in moment.points if (number, point[1]) in kept]
        )
        for number, moment in enumerate(moments)
    ]


def _rows(moments: Sequence[Moment]) -> Iterator[MomentRow]:
    before: Position = {}
    named = places(moment.place for moment in moments)
    for moment, place in zip(moments, named, strict=True):
        changed = changes(before, moment.position, moment.ways)
        points = [told for _, told in moment.points]
        yield MomentRow(place, moment.label, changed, moment.steps, points)
        before = moment.position
