"""A match as its game knows it: its seats, what was agreed before it, and how it ended."""

from collections.abc import Mapping
from typing import NewType

from msgspec import Struct

from adjudicator.core.visible import Visible

Seat = NewType("Seat", str)


class Option(Struct, frozen=True):
    """One setting of a match that belongs to a game. The first of `values` is the default.

    If `values` is empty, the setting is a whole number from 0 to `most`, and the default is 0.
    `by_seats` gives another default for some numbers of players.
    """

    values: tuple[str, ...] = ()
    most: int = 0
    by_seats: Mapping[int, str] = {}

    @property
    def default(self) -> str:
        return self.values[0] if self.values else "0"


def defaults(options: Mapping[str, Option], players: int) -> dict[str, str]:
    """Return what holds in a match for so many players if nothing else is agreed."""
    return {name: one.by_seats.get(players, one.default) for name, one in options.items()}


class Setting(Struct, frozen=True):
    """All that is agreed before a match opens.

    `board` is the game master's own board, in the form in which the game wrote it down after
    reading it. It is empty if the match uses the variant's board.
    """

    variant: str
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    board: str = ""

    @classmethod
    def of(
        cls,
        options: Mapping[str, Option],
        variant: str,
        agreed: Mapping[str, str],
        seats: tuple[Seat, ...],
        board: str = "",
    ) -> "Setting":
        """Return what is agreed of a game's options. One that a match of an older program lacks has
        its default."""
        return cls(variant, {**defaults(options, len(seats)), **agreed}, seats, board)


class Outcome(Visible, frozen=True, kw_only=True):
    """The end of a match: `winner` is given if there is exactly one, `winners` always."""

    winner: Seat | None
    winners: tuple[Seat, ...]
    reason: str
