"""A match as its game knows it: its seats, what was agreed before it, and how it ended."""

from collections.abc import Mapping
from typing import NewType

from msgspec import Struct

from adjudicator.core.visible import Visible

Seat = NewType("Seat", str)


class Setting(Struct, frozen=True):
    """All that is agreed before a match opens.

    `board` is the game master's own board, in the form in which the game wrote it down after
    reading it. It is empty if the match uses the variant's board.
    """

    variant: str
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    board: str = ""


class Outcome(Visible, frozen=True, kw_only=True):
    """The end of a match: `winner` is given if there is exactly one, `winners` always."""

    winner: Seat | None
    winners: tuple[Seat, ...]
    reason: str
