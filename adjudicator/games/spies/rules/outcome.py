"""The end and the points (rules section 8)."""

from collections.abc import Iterator, Sequence

from adjudicator.core.match import Outcome, Seat
from adjudicator.games.spies.rules.atlas import LETTERS, Power, atlas, secret_codes
from adjudicator.games.spies.rules.control import (
    are_enemies,
    controller,
    face,
    is_original,
    points_value,
)
from adjudicator.games.spies.rules.events import Ended, Kept
from adjudicator.games.spies.rules.state import Entry, State


def kept_originals(state: State) -> Iterator[Kept]:
    """Yield the originals at home that no enemy controls (8.1)."""
    for power in state.hands:
        codes = secret_codes(LETTERS[power])
        if held := tuple(code for code in codes if _is_kept(state, power, code)):
            yield Kept(power, held)


def _is_kept(state: State, power: Power, code: str) -> bool:
    secret, holder = state.secrets[code], controller(state, code)
    if secret.gone or secret.city is None or face(state, code).value is None:
        return False
    hostile = holder is not None and are_enemies(state, power, holder)
    return atlas().owner(secret.city) == power and not hostile


def points_of(state: State, power: Power) -> int:
    """Return a power's points (8.2)."""
    return sum(_worth(state, entry) for entry in state.record[power])


def _worth(state: State, entry: Entry) -> int:
    factor = atlas().factors[entry.year]
    if entry.kind == "spy":
        return factor * state.spies[entry.code].strength
    return factor * points_value(state, entry.code)


def points(state: State) -> dict[Seat, int]:
    """Return the points by seat; with two players each has the sum of both powers."""
    return {
        seat: sum(points_of(state, power) for power in powers)
        for seat, powers in state.seats.items()
    }


def by_points(state: State) -> Ended:
    """Decide a match by points (8.3); a seat that left cannot win (6.7)."""
    staying = [seat for seat in state.seats if seat not in state.left]
    best = max(_rank(state, seat) for seat in staying)
    return end_event([seat for seat in staying if _rank(state, seat) == best], "points")


def places(state: State) -> Sequence[Sequence[Seat]]:
    """Return the seats in the order of what decided by points, equal ones together; nothing if
    something else ended the match (club, 7.6.1)."""
    if state.outcome is None or state.outcome.reason != "points":
        return ()
    ranks = sorted({_rank(state, seat) for seat in state.seats}, reverse=True)
    return [[seat for seat in state.seats if _rank(state, seat) == rank] for rank in ranks]


def _rank(state: State, seat: Seat) -> tuple[int, int, int, int]:
    """Return what decides: points, foreign secrets cashed, captured spies on the record, money."""
    led = state.seats[seat]
    entries = [(power, entry) for power in led for entry in state.record[power]]
    cashed = sum(e.kind == "secret" and not is_original(e.code, p) for p, e in entries)
    spies = sum(entry.kind == "spy" for _, entry in entries)
    money = sum(state.hands[power].money for power in led)
    return points(state)[seat], cashed, spies, money


def end_event(winners: Sequence[Seat], reason: str) -> Ended:
    winner = winners[0] if len(winners) == 1 else None
    return Ended(Outcome(winner=winner, winners=tuple(winners), reason=reason))
