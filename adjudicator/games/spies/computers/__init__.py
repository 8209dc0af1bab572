"""Built-in players. They are given a view and nothing else, so they know what a player knows."""

from collections.abc import Callable, Mapping

from adjudicator.core.dice import Stream
from adjudicator.games.spies.computers.drawn import random_sheet
from adjudicator.games.spies.computers.thinking import bold, cautious
from adjudicator.games.spies.orders.values import Order
from adjudicator.games.spies.sight.view import View

COMPUTERS: Mapping[str, Callable[[View, Stream], tuple[Order, ...]]] = {
    "computer": bold,
    "computer:cautious": cautious,
    "computer:random": random_sheet,
}
