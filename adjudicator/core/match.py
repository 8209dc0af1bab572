"""A match as its game knows it: its seats, what was agreed before it, and how it ended."""

from collections.abc import Mapping
from typing import Any, NewType, TypeVar

from msgspec import Struct

from adjudicator.core.message import Message, Value, Words, listed, say
from adjudicator.core.text import one_line
from adjudicator.core.visible import Visible

Seat = NewType("Seat", str)


class Option(Struct, frozen=True):
    """One setting of a match that belongs to a game. The first of `values` is the default.

    If `values` is empty, the setting is a whole number from 0 to `most`, and the default is 0.
    `by_seats` gives another default for some numbers of players. `about` says what it decides.
    """

    values: tuple[str, ...] = ()
    most: int = 0
    by_seats: Mapping[int, str] = {}
    about: str = ""

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
    """The end of a match."""

    winner: Seat | None
    """Given if there is exactly one, else null."""
    winners: tuple[Seat, ...]
    """Those who won; none in a draw."""
    reason: str
    """Why the match ended."""


# The base of the values that are stored in a match's log and must be read back unchanged.


K = TypeVar("K")
V = TypeVar("V")


class StoredValue(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every event, every state, and the values in them.

    Reading a row fails if a field was renamed while old matches are stored. Otherwise the old field
    would be forgotten and its default taken, unnoticed.
    """


def changeable(mapping: Mapping[K, V]) -> dict[K, V]:
    """Return a copy to make the next value of.

    `dict(mapping)` takes five times as long as `copy` where an entry was once taken out.
    """
    return mapping.copy() if isinstance(mapping, dict) else dict(mapping)


# Name the holder of a seat for a reader.
#
# A built-in player is stored under the name by which the game master gave it the seat (`computer`);
# no person can have that name.


HIDDEN = "computer:hidden"  # stands for a person in a match that hides names until its end
_BUILT_IN: Mapping[str, Message] = {
    "computer": say("computer"),
    "computer:cautious": say("computer (cautious)"),
    "computer:easy": say("computer (easy)"),
    "computer:random": say("computer (random)"),
    "computer:strong": say("computer (strong)"),
    HIDDEN: say("name hidden"),
}


def holder(name: str) -> Value:
    """Return the holder's name as part of a sentence; a built-in player's is translated."""
    return _BUILT_IN.get(name) or one_line(name)


def holder_read(name: str, words: Words) -> str:
    """Return the holder's name in the reader's language; empty for a seat that nobody holds."""
    return words(_BUILT_IN[name]) if name in _BUILT_IN else one_line(name)


_REASONS: Mapping[str, Message] = {
    "resignation": say("the others resigned"),
    "forfeit": say("the others forfeited"),
    "agreement": say("the players agreed"),
}


def ending(
    result: Outcome, reasons: Mapping[str, Message], titles: Mapping[Any, Message]
) -> Message:
    """Say who won and why; `reasons` are the game's own, `titles` the names of its seats."""
    if result.reason == "cancelled":
        return say("The match is cancelled and nobody wins.")
    reason = {**_REASONS, **reasons}[result.reason]
    if not result.winners:
        return say("Nobody wins: {reason}.", reason=reason)
    seats = listed(titles[seat] for seat in result.winners)
    if len(result.winners) > 1:
        return say("{seats} share the victory: {reason}.", seats=seats, reason=reason)
    return say("{seat} wins: {reason}.", seat=seats, reason=reason)
