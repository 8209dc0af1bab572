"""Conditions (rules 6.5): they see only what the owner sees at that moment."""

from collections.abc import Callable, Iterable, Mapping

from adjudicator.games.spies.orders.values import MONEY, VALUE, Cond
from adjudicator.games.spies.rules.atlas import City, Code, Power
from adjudicator.games.spies.rules.control import enemy_police, face, points_value, seat_of
from adjudicator.games.spies.rules.state import State

COMPARED: Mapping[str, Callable[[int, int], bool]] = {
    ">=": lambda seen, n: seen >= n,
    "<=": lambda seen, n: seen <= n,
    "=": lambda seen, n: seen == n,
}


def all_hold(
    state: State, power: Power, spy: Code, city: City | None, conds: Iterable[Cond]
) -> bool:
    """Return whether all conditions hold for a spy; `city` is the goal's for GO, else the spy's
    own."""
    return all(_holds(state, power, spy, city, cond) for cond in conds)


def _holds(state: State, power: Power, spy: Code, city: City | None, cond: Cond) -> bool:
    carried = state.spies[spy].carries
    match cond.what:
        case "CARRYING":
            return carried is not None and (
                not cond.op or _compares(points_value(state, carried), cond)
            )
        case "EMPTY":
            return carried is None
        case "POLICE":
            return _compares(enemy_police(state, power, city) if city else 0, cond)
        case "MONEY":
            return _compares(state.hands[power].money, cond)
        case "STRENGTH":
            return _compares(state.spies[spy].strength, cond)
        case "VALUE":  # only of what is covered
            return False
        case code:
            secret = state.secrets[code]
            return city is not None and secret.city == city and secret.spy is None


def covers(state: State, power: Power, secret: Code, conds: Iterable[Cond]) -> bool:
    """Return whether the conditions of a COVER rule hold (6.3): VALUE needs a value that the power
    knows, and is false for counterspies."""
    return all(_covering(state, power, secret, cond) for cond in conds)


def _covering(state: State, power: Power, secret: Code, cond: Cond) -> bool:
    if cond.what == MONEY:
        return _compares(state.hands[power].money, cond)
    seat, value = seat_of(state, power), face(state, secret).value
    known = seat is not None and secret in state.known[seat]
    return cond.what == VALUE and known and value is not None and _compares(value, cond)


def _compares(seen: int, cond: Cond) -> bool:
    return COMPARED[cond.op](seen, cond.n)
