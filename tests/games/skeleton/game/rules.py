"""The rules: a state, and what orders do to it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.match import Outcome, Seat, Setting, StoredValue

if TYPE_CHECKING:
    from tests.games.skeleton.game.orders import Mark

CROSS, NOUGHT = SEATS = (Seat("cross"), Seat("nought"))
OTHER: Mapping[Seat, Seat] = {CROSS: NOUGHT, NOUGHT: CROSS}
ROWS = (("a3", "b3", "c3"), ("a2", "b2", "c2"), ("a1", "b1", "c1"))
SQUARES = tuple(square for row in ROWS for square in row)
LINES = (*ROWS, *zip(*ROWS, strict=True), ("a1", "b2", "c3"), ("a3", "b2", "c1"))


class Marked(StoredValue, frozen=True, tag=True):
    seat: Seat
    square: str


class Hit(StoredValue, frozen=True, tag=True):
    """A seat ordered a mark on a square that holds one of the other seat."""

    seat: Seat
    square: str


class Ended(StoredValue, frozen=True, tag=True):
    outcome: Outcome


Event = Marked | Hit | Ended


class State(StoredValue, frozen=True, kw_only=True):
    """`found` are the squares of the other seat on which a seat has come."""

    variant: str
    to_move: Seat = CROSS
    turn: int = 1
    marks: Mapping[str, Seat] = {}
    found: Mapping[Seat, tuple[str, ...]] = {}
    outcome: Outcome | None = None


def set_up(setting: Setting, chance: Chance) -> State:
    return State(variant=setting.variant)


def awaiting(state: State) -> frozenset[Seat]:
    return frozenset() if state.outcome else frozenset({state.to_move})


def phase(state: State) -> str:
    return "over" if state.outcome else "play"


def adjudicate(
    state: State, orders: Mapping[Seat, "Sequence[Mark]"], chance: Chance
) -> Iterator[Event]:
    seat = state.to_move
    (order,) = orders[seat]
    if order.square in state.marks:  # 1.2
        yield Hit(seat, order.square)
        return
    yield Marked(seat, order.square)
    own = {order.square, *(square for square, by in state.marks.items() if by == seat)}
    if any(own.issuperset(line) for line in LINES):  # 1.3
        yield _ended("three-in-a-row", seat)
    elif len(state.marks) + 1 == len(SQUARES):
        yield _ended("full-board")


def leave(state: State, seats: Sequence[Seat], reason: str) -> Iterator[Event]:
    """End the match: one seat cannot play alone."""
    yield _ended(reason, *(seat for seat in SEATS if seat not in seats))


def close(state: State, reason: str) -> Iterator[Event]:
    yield _ended(reason)


def _ended(reason: str, *winners: Seat) -> Ended:
    winner = winners[0] if len(winners) == 1 else None
    return Ended(Outcome(winner=winner, winners=winners, reason=reason))


def apply(state: State, event: Event) -> State:
    match event:
        case Marked(seat, square):
            marks = {**state.marks, square: seat}
            return replace(state, marks=marks, to_move=OTHER[seat], turn=state.turn + 1)
        case Hit(seat, square):
            found = {**state.found, seat: (*state.found.get(seat, ()), square)}
            return replace(state, found=found, turn=state.turn + 1)
        case Ended(outcome):
            return replace(state, outcome=outcome)
