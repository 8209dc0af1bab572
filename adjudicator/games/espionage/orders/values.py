"""Orders as values, and the one way in which we write them (rules section 7)."""

from typing import TypeAlias

from msgspec import Struct

from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import LETTERS, Rank


class Move(Struct, frozen=True):
    """One step of an order; `claimed` is the rank that the writer named, if he did (7.2)."""

    start: Square
    target: Square
    claimed: Rank | None = None


class SetUpOrder(Struct, frozen=True):
    """The base of the orders of a set-up; all others are of a turn."""


class Rows(SetUpOrder, frozen=True):
    """A set-up by rows as the player sees his board, front row first, letters only (7.3)."""

    rows: tuple[str, ...]


class Places(SetUpOrder, frozen=True):
    """A set-up by square (7.3)."""

    places: tuple[tuple[Rank, Square], ...]


class RandomSetUp(SetUpOrder, frozen=True):
    """`SETUP RANDOM` (1.4)."""


class AutoSetUp(SetUpOrder, frozen=True):
    """`SETUP AUTO` (1.6)."""


Order: TypeAlias = Move | Rows | Places | RandomSetUp | AutoSetUp


def canonical(order: Order) -> str:
    """Write an order in the one way in which we write it: squares and letters, in no language. A
    rank that the writer claimed was checked (7.2) and is not repeated."""
    match order:
        case Move(start, target):
            return f"{start}-{target}"
        case Rows(rows):
            return "\n".join(("SETUP", *rows))
        case Places(places):
            return "\n".join(("SETUP", *(f"{LETTERS[rank]} {square}" for rank, square in places)))
        case RandomSetUp():
            return "SETUP RANDOM"
        case AutoSetUp():
            return "SETUP AUTO"
