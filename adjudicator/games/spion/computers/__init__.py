"""Built-in players. They are given a view and nothing else, so they know what a player knows."""

from collections.abc import Callable, Mapping

from adjudicator.core.dice import Stream
from adjudicator.games.spion.computers.drawn import random_sheet
from adjudicator.games.spion.computers.tempers import easy, normal, strong
from adjudicator.games.spion.orders.values import Order
from adjudicator.games.spion.sight.view import View

COMPUTERS: Mapping[str, Callable[[View, Stream], tuple[Order, ...]]] = {
    "computer": normal,
    "computer:easy": easy,
    "computer:strong": strong,
    "computer:random": random_sheet,
}
