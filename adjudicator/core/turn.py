"""Fold the events of a turn into the state."""

from collections.abc import Iterable
from functools import reduce
from typing import Any

from adjudicator.core.game import E, Game, O, S, V


def fold(game: Game[S, O, E, V, Any], state: S, events: Iterable[E]) -> S:
    """Return the state after the events."""
    return reduce(game.rules.apply, events, state)
