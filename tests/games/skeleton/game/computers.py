"""Built-in players: they get a view and private chance."""

from collections.abc import Callable, Mapping

from adjudicator.core.dice import Stream
from tests.games.skeleton.game.orders import Mark
from tests.games.skeleton.game.rules import SQUARES
from tests.games.skeleton.game.sight import View


def play(view: View, chance: Stream) -> tuple[Mark, ...]:
    return (Mark(chance.choice([square for square in SQUARES if square not in view.marks])),)


COMPUTERS: Mapping[str, Callable[[View, Stream], tuple[Mark, ...]]] = {
    "computer": play,
    "computer:random": play,
}
