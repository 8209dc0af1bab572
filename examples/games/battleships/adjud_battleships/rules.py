"""The rules: the fleets, the salvos, and what is called out. Numbers are those of `RULES.md`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.simple import (
    Chance,
    Event,
    Option,
    Position,
    Seat,
    Setting,
    Stream,
    Visible,
    end_of_match,
    position_fields,
)

BLUE, RED = SEATS = (Seat("blue"), Seat("red"))
OTHER: Mapping[Seat, Seat] = {BLUE: RED, RED: BLUE}
COLUMNS, LINES = "abcdefghij", tuple(range(1, 11))
ROWS = tuple(tuple(f"{column}{line}" for column in COLUMNS) for line in LINES)  # 1.1
SQUARES = tuple(square for row in ROWS for square in row)
SHIPS: Mapping[str, int] = {  # 1.2
    "carrier": 5,
    "battleship": 4,
    "cruiser": 3,
    "submarine": 3,
    "destroyer": 2,
}
OPTIONS: Mapping[str, Option] = {
    "turns": Option(("together", "alternating")),  # 2.1
    "salvo": Option(("ships", "one")),  # 2.2
    "called": Option(("hit", "ship")),  # 3.1
}
MISS, HIT = "miss", "hit"

Fleet: TypeAlias = Mapping[str, tuple[str, ...]]  # the squares of each ship
_LINES_OF_SQUARES = (*ROWS, *zip(*ROWS, strict=True))


class Place(Struct, frozen=True):
    """The ship is "random" for all that are not named (1.5); then it has no ends."""

    ship: str
    bow: str = ""
    stern: str = ""


class Shoot(Struct, frozen=True):
    squares: tuple[str, ...]


Order: TypeAlias = Place | Shoot


class State(Position, frozen=True, kw_only=True):
    """`shots` are, by who fired them, what was called out for each square."""

    fleets: Mapping[Seat, Fleet] = {}
    shots: Mapping[Seat, Mapping[str, str]] = {}


class Salvo(Visible, frozen=True, kw_only=True):
    """What is called out for each shot, and which ships were sunk (3.1, 3.2)."""

    shots: Mapping[str, str]
    sunk: tuple[str, ...]


class Placed(Event, frozen=True):
    """Both fleets lie in their seas (1.4); of this nobody learns anything."""

    fleets: Mapping[Seat, Fleet]


class Fired(Event, frozen=True):
    """Salvos by who fired them. All that stands here was called out, so that everybody knows it."""

    salvos: Mapping[Seat, Salvo]


def between(bow: str, stern: str) -> tuple[str, ...]:
    """Return the squares from one to the other; none if they are not in one row or column (1.3)."""
    for line in _LINES_OF_SQUARES:
        if bow in line and stern in line:
            first, last = sorted((line.index(bow), line.index(stern)))
            return line[first : last + 1]
    return ()


def berths(length: int) -> Iterator[tuple[str, ...]]:
    """Yield all places where a ship of this length can lie."""
    for line in _LINES_OF_SQUARES:
        for first in range(len(line) - length + 1):
            yield line[first : first + length]


def completed(fleet: Fleet, chance: Stream) -> Fleet:
    """Place the ships that are missing by chance (1.5)."""
    placed = dict(fleet)
    for ship in [name for name in SHIPS if name not in fleet]:
        taken = {square for squares in placed.values() for square in squares}
        placed[ship] = chance.choice(
            [berth for berth in berths(SHIPS[ship]) if taken.isdisjoint(berth)]
        )
    return {ship: placed[ship] for ship in SHIPS}


def afloat(state: State, seat: Seat) -> list[str]:
    """Return the ships of a seat that are not sunk."""
    shot = state.shots.get(OTHER[seat], {})
    fleet = state.fleets.get(seat, {})
    return [ship for ship, squares in fleet.items() if not shot.keys() >= {*squares}]


def shots_due(state: State, seat: Seat) -> int:
    """Return how many shots the seat has in its next salvo (2.2, 2.3)."""
    left = len(SQUARES) - len(state.shots.get(seat, ()))
    return min(left, 1 if state.options["salvo"] == "one" else len(afloat(state, seat)))


def set_up(setting: Setting, chance: Chance) -> State:
    return State(**position_fields(setting), turn=0)


def awaiting(state: State) -> Iterable[Seat]:
    if state.turn and state.options["turns"] == "alternating":
        return (SEATS[(state.turn - 1) % 2],)
    return SEATS


def adjudicate(
    state: State, orders: Mapping[Seat, Sequence[Order]], chance: Chance
) -> Iterator[Event]:
    if not state.turn:
        yield Placed({seat: _fleet(orders[seat], chance.private(seat, "fleet")) for seat in SEATS})
        return
    fired = Fired({seat: _salvo(state, seat, *given) for seat, given in orders.items()})
    yield fired
    after = apply(state, fired)
    left = [seat for seat in SEATS if afloat(after, seat)]
    if len(left) == 1:  # 4.1
        yield end_of_match("sunk", *left)
    elif not left:  # 4.2
        yield end_of_match("both-sunk")


def _fleet(orders: Sequence[Order], chance: Stream) -> Fleet:
    named = {
        order.ship: between(order.bow, order.stern)
        for order in orders
        if isinstance(order, Place) and order.bow
    }
    return completed(named, chance)


def _salvo(state: State, seat: Seat, order: Order) -> Salvo:
    assert isinstance(order, Shoot), "`check` lets no other order pass in play"
    target, before = state.fleets[OTHER[seat]], afloat(state, OTHER[seat])
    at = {square: ship for ship, squares in target.items() for square in squares}
    named = state.options["called"] == "ship"
    shots = {
        square: (at[square] if named else HIT) if square in at else MISS for square in order.squares
    }
    after = afloat(apply(state, Fired({seat: Salvo(shots=shots, sunk=())})), OTHER[seat])
    return Salvo(shots=shots, sunk=tuple(ship for ship in before if ship not in after))


def apply(state: State, event: Placed | Fired) -> State:
    match event:
        case Placed(fleets):
            return replace(state, turn=1, fleets=fleets)
        case Fired(salvos):
            shots = {
                seat: {**state.shots.get(seat, {}), **salvo.shots} for seat, salvo in salvos.items()
            }
            return replace(state, turn=state.turn + 1, shots={**state.shots, **shots})
