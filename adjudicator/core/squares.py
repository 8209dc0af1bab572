"""A board as a table, for letters: mail programs keep tables and drop drawings.

Styles are words; the templates have a table that says how each of them looks. `told` is what a
screen reader says, because signs and colours say nothing to it.
"""

from collections.abc import Sequence

from msgspec import Struct


class Thing(Struct, frozen=True):
    """A sign on a square: a piece, or a mark. One that a legend explains is `told` by itself."""

    sign: str
    style: str
    told: str


class Square(Struct, frozen=True):
    """A square with all that stands on it."""

    ground: str
    things: Sequence[Thing] = ()


class Squares(Struct, frozen=True):
    """The board with the heads of its columns, and its rows from above, each behind its head."""

    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Square]]]
