"""A match looked back upon: as its seat's old reports told it or, when it has ended, as it was.

In a running match no moment names the type of a card, but for the open dossier (rules 5.6): what
was told once and what the holders held is not even read. At the end the record, which the last
report gives, tells everything, with all cards open (rules 5.5).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import groupby, pairwise
from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType, convert, to_builtins
from msgspec.structs import replace

from adjudicator.core import lookback
from adjudicator.core.lookback import PastMoment, look_back
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.core.record import transcript_of
from adjudicator.core.report import Report, flat
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_read, card_title
from adjudicator.games.spion.page.drawing import (
    LETTERS,
    Piece,
    below_ground,
    beside,
    guards,
    movements,
    spies,
)
from adjudicator.games.spion.page.news import group_by_turn, sentences
from adjudicator.games.spion.page.plan import Plan
from adjudicator.games.spion.record import Facts, retell
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.state import (
    Card,
    Challenged,
    Dice,
    Ended,
    Event,
    GuessedRight,
    Instructed,
    Ordered,
    Place,
    Shown,
    State,
    TurnOpened,
)
from adjudicator.games.spion.sight.sightings import SawMoved, SawPhrased, SawTurnOpened, Seen
from adjudicator.games.spion.sight.view import View, board_in
from adjudicator.games.spion.sight.witness import unveil

Position: TypeAlias = Mapping[str, str]  # what stands where, by what it is
Stand = tuple[Place, Place, str]  # of a seat: spy, bodyguard, what the holder shows
Corner = tuple[float, float]
Weighed = Sequence[tuple[int, str]]  # turning points, each with its weight

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
    moments = (
        _leading(_retold(report.view, report.record, words, ending or ""))
        if report.record
        else list(_told(report, past, words))
    )
    return look_back(
        History,
        moments,
        _changes,
        room,
        nothing={},
        whole=bool(report.record) or len(past) >= report.ply,
        titles={seat: words(SEAT_TITLES[seat]) for seat in report.players},
        file=f"{report.match}.spion",
    )


def _told(
    report: Report[View, Seen], past: Sequence[OldReport], words: Words
) -> Iterator[PastMoment[Position]]:
    """Yield a moment for each report, with its news."""
    turn: int | None = None
    for old in (*past, convert(flat(report), OldReport)):
        kept = [to_builtins(step) for step in old.news if step.event != "phrased"]
        if news := convert(kept, list[Seen]):
            before = old.turn - 1 if turn is None else turn
            turn = next((step.turn for step in news if isinstance(step, SawTurnOpened)), before)
            yield _moment(report.view, old, turn, news, words)


def _moment(
    view: View, old: OldReport, turn: int, news: Sequence[Seen], words: Words
) -> PastMoment[Position]:
    parts = group_by_turn(news)
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
    return PastMoment(f"turn-{turn}", words(label), *_position(view, seats, lying, news), steps)


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


# How a moment differs from the one before it.


def _changes(before: Position, moment: PastMoment[Position]) -> str:
    """Write what differs, as the page's script reads it, and the ways of the pieces that went."""
    after = moment.position
    new = [f"{what}={where}" for what, where in after.items() if before.get(what) != where]
    gone = [f"{what}=" for what in before if what not in after]
    return ";".join((*new, *gone, *moment.ways))


def _position(
    view: View, seats: Mapping[Seat, Stand], lying: Mapping[Place, str], news: Sequence[Seen]
) -> tuple[Position, list[str]]:
    """Return a position and the ways that led to it, in units of the drawing: `B` is Blue's spy,
    `b` his bodyguard, `#B` his holder, `@NOR` an embassy's card, each with its place or what it
    shows."""
    board = board_in(view)
    plan = Plan(board)
    stood = _stood(view, seats, lying)
    placed = {
        **{piece[1]: _spot(piece) for piece in spies(stood, board, plan)},
        **{piece[1].lower(): _spot(piece) for piece in guards(stood, plan)},
        **{f"#{LETTERS[seat]}": holder for seat, (_, _, holder) in seats.items()},
        **{f"@{code}": card for code, card in lying.items()},
    }
    return placed, [way for step in news for way in _ways(step, board, plan)]


def _stood(view: View, seats: Mapping[Seat, Stand], lying: Mapping[Place, str]) -> View:
    """Return the view with pieces and cards where they were."""
    entries = {entry.seat: entry for entry in view.seats}
    embassies = tuple(replace(one, card=one.code in lying) for one in view.board.embassies)
    return replace(
        view,
        board=replace(view.board, embassies=embassies),
        seats=tuple(
            replace(entries[seat], spy=spy, bodyguard=bodyguard)
            for seat, (spy, bodyguard, _) in seats.items()
        ),
    )


def _spot(piece: Piece) -> str:
    _, _, (x, y), scale, _ = piece
    return f"{x:g},{y:g}" + (f",{scale:.2g}" if scale != 1 else "")


def _ways(step: Seen, board: Board, plan: Plan) -> Iterator[str]:
    """Write the ways of an event, corner by corner: `+B` on foot, `~B` through a tunnel, `:B` put
    somewhere."""
    if isinstance(step, SawMoved):
        yield from _walk(step.seat, (step.start, *step.path), board, plan)
    for seat, start, goal in movements(step):
        yield _line(":", LETTERS[seat], [plan.at(start), plan.at(goal)])


def _walk(seat: Seat, way: Sequence[Place], board: Board, plan: Plan) -> Iterator[str]:
    points = [beside(plan.at(place), seat) for place in way]
    steps = zip(pairwise(points), below_ground(board, way), strict=True)
    for below, part in groupby(steps, key=lambda step: step[1]):
        legs = [leg for leg, _ in part]
        yield _line("~" if below else "+", LETTERS[seat], [legs[0][0], *(end for _, end in legs)])


def _line(kind: str, letter: str, points: Sequence[Corner]) -> str:
    return f"{kind}{letter}=" + " ".join(f"{x:g},{y:g}" for x, y in _corners(points))


def _corners(points: Sequence[Corner]) -> Iterator[Corner]:
    """Leave out the points between two steps in one direction."""
    yield points[0]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        if (here[0] - before[0], here[1] - before[1]) != (after[0] - here[0], after[1] - here[1]):
            yield here
    yield points[-1]


# A match that has ended, from its record.


def _retold(
    view: View, record: str, words: Words, ending: str
) -> Iterator[tuple[PastMoment[Position], Weighed]]:
    """Yield the deal, every turn and answer, and the end, each with its turning points; nothing of
    a match that ended in its set-up."""
    found = transcript_of(record)
    if found is None:
        return
    last: State | None = None
    threes: set[Three] = set()
    turn = 0
    for facts in (turn for ply in retell(found) for turn in _turns(ply)):
        last = facts[-1][1]
        points = [(weight, words(told)) for weight, told in _turning_points(facts, threes)]
        turn = next((event.turn for event, _ in facts if isinstance(event, TurnOpened)), turn)
        yield _turn(view, turn, facts, words), points
    if last:
        stands = _stands(view, last, ())
        end = PastMoment("end", words(say("The end")), *stands, [("", "moved", ending)])
        yield end, [(Weight.END, ending)]


def _turns(ply: Facts) -> Iterator[Facts]:
    """Divide the facts of a ply, seat by seat."""
    turn: list[tuple[Event, State]] = []
    for event, state in ply:
        begun = any(not isinstance(other, Ordered | Instructed) for other, _ in turn)
        if begun and isinstance(event, TurnOpened):
            yield turn
            turn = []
        turn.append((event, state))
    yield turn


def _turn(view: View, turn: int, facts: Facts, words: Words) -> PastMoment[Position]:
    news = [entry for event, state in facts if (entry := _known(event, state))]
    told = " ".join(sentences(news, view, words))
    stands = _stands(view, facts[-1][1], news)
    label = words(group_by_turn(news)[0][0])
    return PastMoment(f"turn-{turn}", label, *stands, [("", "moved", told)])


def _known(event: Event, state: State) -> Seen | None:
    """Return an event with all cards open. Phrases are left out; they stand in the record."""
    seen = unveil(event, state.seats)
    return None if isinstance(seen, SawPhrased) else seen


def _stands(view: View, state: State, news: Sequence[Seen]) -> tuple[Mapping[str, str], list[str]]:
    seats: dict[Seat, Stand] = {
        seat: (state.spies[seat], state.bodyguards[seat], ",".join(c or "" for c in holder))
        for seat, holder in state.holders.items()
    }
    return _position(view, seats, state.embassies, news)


# The turning points of such a match: where a reader may want to look first.

Three = tuple[str, Card]  # who held three cards of a type


class Weight(IntEnum):
    """The worth of a turning point to a reader, if there are too many of them."""

    WRONG = 1
    AMBUSH = 2
    RIGHT = 3
    THREE = 4
    END = 5


def _leading(moments: Iterable[tuple[PastMoment[Position], Weighed]]) -> list[PastMoment[Position]]:
    """Return the moments with no more than ten turning points, of those of one weight the last
    ones."""
    found = list(moments)
    ranked = sorted(
        (-weight, -number, told)
        for number, (_, points) in enumerate(found)
        for weight, told in points
    )
    kept = {(-number, told) for _, number, told in ranked[:MOST_POINTS]}
    return [
        replace(moment, points=[told for _, told in points if (number, told) in kept])
        for number, (moment, points) in enumerate(found)
    ]


def _turning_points(
    facts: Sequence[tuple[Event, State]], told: set[Three]
) -> Iterator[tuple[Weight, Message]]:
    """Yield the turning points of a turn: ambushes, guesses, the first three cards of a type, the
    set that won. `told` are the threes of earlier turns; those of this one are added."""
    for event, state in facts:
        yield from _guesses(event)
        for seat, card in _threes(state):
            if (seat, card) not in told:
                told.add((seat, card))
                three = say(
                    "{seat} holds three {card}.", seat=SEAT_TITLES[seat], card=card_title(card)
                )
                yield Weight.THREE, three
        if isinstance(event, Ended) and event.outcome.reason == "set":
            for seat in event.outcome.winners:
                card = state.holders[seat][0] or ""
                four = say(
                    "{seat} holds four {card}.", seat=SEAT_TITLES[seat], card=card_title(card)
                )
                yield Weight.END, four


def _guesses(event: Event) -> Iterator[tuple[Weight, Message]]:
    match event:
        case Challenged(seat, target, ambush=True):
            waylaid = say(
                "{seat} ambushes {target}.", seat=SEAT_TITLES[seat], target=SEAT_TITLES[target]
            )
            yield Weight.AMBUSH, waylaid
        case Shown(seat, place, card):
            wrong = say(
                "A wrong guess: place {n} of {seat} holds {card}.",
                n=place,
                seat=SEAT_TITLES[seat],
                card=card_title(card),
            )
            yield Weight.WRONG, wrong
        case GuessedRight(seat, target, place, card):
            right = say(
                "{seat} guesses right: place {n} of {target} holds {card}.",
                seat=SEAT_TITLES[seat],
                n=place,
                target=SEAT_TITLES[target],
                card=card_title(card),
            )
            yield Weight.RIGHT, right


def _threes(state: State) -> Iterator[Three]:
    for seat, holder in state.holders.items():
        for card in state.types:
            if holder.count(card) == 3:
                yield seat, card
