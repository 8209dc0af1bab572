"""Built-in players. They get a view and private chance, never a state."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.computers import drawn, thinking
from adjudicator.games.espionage.orders.values import Order
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import View

Player: TypeAlias = Callable[[View, Stream], tuple[Order, ...]]

# In so many of a hundred turns a level moves by chance, so that the next one wins three of four
# matches against it. Blunders lengthen matches: a standard one is to end within 60 turns.
BLUNDERS: Mapping[str, Mapping[str, int]] = {
    "computer": {"standard": 4, "fast": 25, "small": 25, "small-fast": 25, "open-fast": 25},
    "computer:easy": dict.fromkeys(VARIANTS, 40),
}


def _blundering(careful: Player, shares: Mapping[str, int]) -> Player:
    """Return a player who moves by chance in so many of a hundred turns of each variant."""

    def play(view: View, chance: Stream) -> tuple[Order, ...]:
        if view.phase != "setup" and chance.below(100) < shares[view.variant]:
            return drawn.play(view, chance)
        return careful(view, chance)

    return play


COMPUTERS: Mapping[str, Player] = {
    "computer:easy": _blundering(thinking.easy, BLUNDERS["computer:easy"]),
    "computer": _blundering(thinking.normal, BLUNDERS["computer"]),
    "computer:strong": thinking.strong,
    "computer:random": drawn.play,
}
