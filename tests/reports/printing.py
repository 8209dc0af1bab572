"""Pages of a report's plain data, which tests change as they like."""

from typing import Any

from adjudicator.core.game import AnyGame, unflatten
from adjudicator.core.report import sentences_of_old
from adjudicator.reports import render as pages


def render(game: AnyGame, body: dict[str, Any], *more: Any, **named: Any) -> str:
    return pages.render(game, unflatten(game, sentences_of_old(body)), *more, **named)


def renders(game: AnyGame, body: dict[str, Any], *more: Any, **named: Any) -> tuple[str, ...]:
    return pages.renders(game, unflatten(game, sentences_of_old(body)), *more, **named)


def page(game: AnyGame, body: dict[str, Any], words: Any = str) -> Any:
    """The rows that the game's templates print."""
    return pages.rows_with_tales(game, unflatten(game, sentences_of_old(body)), words)
