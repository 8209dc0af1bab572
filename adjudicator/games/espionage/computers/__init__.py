"""Built-in players. They get a view and private chance, never a state."""

from collections.abc import Callable, Mapping

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.computers import drawn, thinking
from adjudicator.games.espionage.orders.values import Order
from adjudicator.games.espionage.sight.observe import View

COMPUTERS: Mapping[str, Callable[[View, Stream], tuple[Order, ...]]] = {
    "computer:easy": thinking.easy,
    "computer": thinking.normal,
    "computer:strong": thinking.strong,
    "computer:random": drawn.play,
}
