"""What the state, the events and the view of every simple game have."""

from collections.abc import Mapping
from typing import Any

from adjudicator.core.match import Outcome, Seat, Setting, StoredValue
from adjudicator.core.visible import Visible


class Position(StoredValue, frozen=True, kw_only=True):
    """The base of a simple game's state. `ply` counts the adjudications, `left` are the seats whose
    part has ended, and `ordered_turn` is the turn whose orders the last ply adjudicated, if it did;
    these are kept by `simple_game`. A match begins in turn 0 if it has a set-up."""

    variant: str
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    turn: int = 1
    ply: int = 0
    left: tuple[Seat, ...] = ()
    ordered_turn: int | None = None
    outcome: Outcome | None = None

    @property
    def playing(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats if seat not in self.left)


def position_fields(setting: Setting) -> dict[str, Any]:
    """Return the fields of the first `Position` that follow from what was agreed."""
    return {"variant": setting.variant, "options": setting.options, "seats": setting.seats}


class Event(StoredValue, frozen=True, tag=True):
    """The base of a simple game's events."""


CLOSED = ("agreement", "cancelled")  # ends of the program's, between two adjudications


class SheetPlayed(Event, frozen=True):
    """A seat's orders as canonical lines, from which a record is written. Nobody is told of it."""

    ply: int
    seat: Seat
    lines: tuple[str, ...]


class Left(Event, frozen=True):
    """A seat's part has ended, by "resignation" or "forfeit"."""

    seat: Seat
    reason: str


class Ended(Event, frozen=True):
    """The match is over."""

    outcome: Outcome


def end_of_match(reason: str, *winners: Seat) -> Ended:
    """Make the event that ends a match. `reason` is a key of `Look.reasons`."""
    winner = winners[0] if len(winners) == 1 else None
    return Ended(Outcome(winner=winner, winners=winners, reason=reason))


class Seen(Visible, frozen=True, kw_only=True):
    """The base of a simple game's view."""

    variant: str
    phase: str
    seat: Seat
    turn: int
    seats: tuple[Seat, ...]
    left: tuple[Seat, ...]
    result: Outcome | None


def view_fields(position: Position, seat: Seat) -> dict[str, Any]:
    """Return the fields of a view that every simple game has; nothing of them is secret."""
    return {
        "variant": position.variant,
        "phase": phase(position),
        "seat": seat,
        "turn": turn(position),
        "seats": position.seats,
        "left": position.left,
        "result": position.outcome,
    }


def turn(position: Position) -> int:
    """Return the turn that is to be ordered; once the match is over, the last one that was: a rule
    that ends a match has raised the number already."""
    ended = position.outcome
    if ended is None or position.ordered_turn is None or ended.reason in CLOSED:
        return position.turn
    return position.ordered_turn


def phase(position: Position) -> str:
    if position.outcome:
        return "over"
    return "play" if position.turn else "setup"
