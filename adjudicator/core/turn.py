"""Play one turn as a pure function."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from adjudicator.core.dice import Chance
from adjudicator.core.game import E, Game, O, S, Seat, V


def fold(game: Game[S, O, E, V, Any], state: S, events: Iterable[E]) -> S:
    """Return the state after the events."""
    return reduce(game.rules.apply, events, state)


def play_turn(
    game: Game[S, O, E, V, Any],
    state: S,
    orders: Mapping[Seat, Sequence[O]],
    chance: Chance,
) -> tuple[tuple[E, ...], S]:
    """Adjudicate the orders and return the events and the state after them."""
    events = tuple(game.rules.adjudicate(state, orders, chance))
    return events, fold(game, state, events)
