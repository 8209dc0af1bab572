"""Play one turn without a match around it."""

from collections.abc import Mapping, Sequence
from typing import Any

from adjudicator.core.dice import Chance
from adjudicator.core.game import E, Game, O, S, V, fold
from adjudicator.core.match import Seat


def play_turn(
    game: Game[S, O, E, V, Any],
    state: S,
    orders: Mapping[Seat, Sequence[O]],
    chance: Chance,
) -> tuple[tuple[E, ...], S]:
    """Adjudicate the orders and return the events and the state after them."""
    events = tuple(game.rules.adjudicate(state, orders, chance))
    return events, fold(game, state, events)
