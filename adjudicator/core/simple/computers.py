"""Computers of a simple game: one draws legal orders, one looks a turn ahead."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

from msgspec import Struct

from adjudicator.core.dice import LABEL, Chance, Stream
from adjudicator.core.game import Rules
from adjudicator.core.match import Seat
from adjudicator.core.simple.orders import SimpleOrders
from adjudicator.core.simple.state import Position, Seen

S = TypeVar("S", bound=Position)
O = TypeVar("O", bound=Struct)  # noqa: E741
V = TypeVar("V", bound=Seen)

Computer = Callable[[Any, Stream], tuple[Any, ...]]
_DRAW = 256  # the most that a stream tells apart in one draw


@dataclass(frozen=True, kw_only=True)
class Lookahead(Generic[S, V]):
    """What a computer needs to look one turn ahead.

    `guess` draws a state in which the seat has this view: what the view does not tell is drawn.
    `value` is how good a view is for its seat. Each of at most `most` sheets is tried in `tries`
    such states, in which all others draw their orders.
    """

    guess: Callable[[V, Stream], S]
    value: Callable[[V], float]
    tries: int = 12
    most: int = 40


def random_computer(orders: SimpleOrders[O, V]) -> Computer:
    """Return the computer that draws legal orders."""
    legal = orders.legal
    assert legal is not None, "only listed orders can be drawn"

    def play(view: V, chance: Stream) -> tuple[O, ...]:
        return tuple(_some(legal(view), orders.many(view), chance))

    return play


def _some(things: Sequence[O], many: int, chance: Stream) -> list[O]:
    """Draw some of the things."""
    left, found = list(things), []
    for _ in range(min(many, len(left))):
        found.append(left.pop(below(len(left), chance)))
    return found


def below(n: int, chance: Stream) -> int:
    """Return a fair number from 0 to n-1, n at most 65536."""
    if n <= _DRAW:
        return chance.below(n)
    limit = _DRAW * _DRAW - _DRAW * _DRAW % n
    while (number := _DRAW * chance.below(_DRAW) + chance.below(_DRAW)) >= limit:
        pass
    return number % n


def looking(
    lookahead: Lookahead[S, V],
    orders: SimpleOrders[O, V],
    rules: Rules[S, O, Any],
    observe: Callable[[S, Seat], V],
) -> Computer:
    """Return the computer that looks one turn ahead."""
    draw = random_computer(orders)

    def play(view: V, chance: Stream) -> tuple[O, ...]:
        sheets = _sheets(view, chance)
        return max(sheets, key=lambda sheet: sum(_tried(view, sheet, chance)))

    def _sheets(view: V, chance: Stream) -> list[tuple[O, ...]]:
        assert orders.legal is not None
        if orders.many(view) == 1:
            return [(order,) for order in _some(orders.legal(view), lookahead.most, chance)]
        return [draw(view, chance) for _ in range(lookahead.most)]

    def _tried(view: V, sheet: tuple[O, ...], chance: Stream) -> list[float]:
        return [_value(view, sheet, chance) for _ in range(lookahead.tries)]

    def _value(view: V, sheet: tuple[O, ...], chance: Stream) -> float:
        state = lookahead.guess(view, chance)
        others = rules.awaiting(state) - {view.seat}
        given = {seat: draw(observe(state, seat), chance) for seat in sorted(others)}
        seed = bytes(chance.below(_DRAW) for _ in range(32))
        events = rules.adjudicate(state, {**given, view.seat: sheet}, Chance(seed, "", LABEL))
        return lookahead.value(observe(reduce(rules.apply, events, state), view.seat))

    return play


def computers(
    lookahead: Lookahead[S, V] | None,
    orders: SimpleOrders[O, V],
    rules: Rules[S, O, Any],
    observe: Callable[[S, Seat], V],
) -> Mapping[str, Computer]:
    """Return the computers that a game has for what it gives."""
    if orders.legal is None:
        return {}
    best = looking(lookahead, orders, rules, observe) if lookahead else random_computer(orders)
    return {"computer": best, "computer:random": random_computer(orders)}
