"""Another game made of one that there is: one of its parts has other functions."""

from dataclasses import replace
from typing import Any

from adjudicator.core.game import AnyGame


def with_part(game: AnyGame, part: str, **fields: Any) -> AnyGame:
    """Return the game with other fields in one of its parts, as in `rules, default=…`."""
    return replace(game, **{part: replace(getattr(game, part), **fields)})
