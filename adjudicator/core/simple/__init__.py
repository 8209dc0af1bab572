"""All that the author of a simple game needs: its rules, orders and sight make the whole of it.

A game is simple if each of its orders is one line, if whoever is awaited has one sheet a turn, and
if its page is a table, a board of squares or a map. What it needs beyond that it gives itself, part
by part, or as a `Game`. `examples/games/goofspiel/` is one.
"""

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.match import Option, Outcome, Seat, Setting, StoredValue
from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.simple.board import Board, Map, ValueTable
from adjudicator.core.simple.computers import Lookahead
from adjudicator.core.simple.game import SimpleSight, simple_game
from adjudicator.core.simple.orders import SimpleOrders
from adjudicator.core.simple.page import Look
from adjudicator.core.simple.rules import SimpleRules
from adjudicator.core.simple.state import (
    Ended,
    Event,
    Position,
    Seen,
    end_of_match,
    position_fields,
    view_fields,
)
from adjudicator.core.visible import Square, Squares, Thing, Visible

__all__ = [
    "Board",
    "Chance",
    "Ended",
    "Event",
    "Look",
    "Lookahead",
    "Map",
    "Message",
    "Option",
    "Outcome",
    "Position",
    "Seat",
    "Seen",
    "Setting",
    "SimpleOrders",
    "SimpleRules",
    "SimpleSight",
    "Square",
    "Squares",
    "StoredValue",
    "Stream",
    "Thing",
    "ValueTable",
    "Visible",
    "Words",
    "count",
    "end_of_match",
    "position_fields",
    "say",
    "simple_game",
    "view_fields",
]
