"""Kinds of tournaments whose matches are all of two players."""

from collections.abc import Callable, Sequence

from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, say
from adjudicator.service.base.context import Refusal


def of_two(title: Message) -> Callable[[AnyGame, Sequence[int], str | None], tuple[int, int]]:
    """Return what refuses games whose matches are larger."""

    def seats(game: AnyGame, possible: Sequence[int], text: str | None) -> tuple[int, int]:
        if 2 not in possible:
            raise Refusal(
                say(
                    "a {kind} is for matches of two, and {game} is for {least} or more; use "
                    "--kind swiss",
                    kind=title,
                    game=game.title,
                    least=min(possible),
                )
            )
        return 2, 2

    return seats
