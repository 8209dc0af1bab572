"""What a match waits for: pure decisions about time (mail dialog, section 7)."""

from collections.abc import Collection
from datetime import datetime, timedelta

from msgspec import Struct

from adjudicator.service.loading import Loaded
from adjudicator.service.options import terms

REMINDER_AT = 0.8  # of the time between a turn's opening and its deadline


class Adjudicate(Struct, frozen=True):
    """All awaited sheets are in and nothing keeps the turn open, or it is the deadline."""


class Alert(Struct, frozen=True):
    """The deadline has passed, seats are silent, and the match waits for the game master."""

    silent: tuple[str, ...]


class Forfeit(Struct, frozen=True):
    """Deadline and grace have passed: the silent seats are forfeited."""

    silent: tuple[str, ...]


class Remind(Struct, frozen=True):
    """Four fifths of the time have passed. A reminder is queued for every awaited seat, whoever
    has sent, so that the queue does not tell; it is dropped at the door for who has orders."""

    seats: tuple[str, ...]


Step = Adjudicate | Alert | Forfeit | Remind


def silent_seats(loaded: Loaded) -> tuple[str, ...]:
    return tuple(seat for seat in loaded.awaited if seat not in loaded.sheets)


def complete_at(loaded: Loaded) -> datetime | None:
    """When all awaited sheets were in and had settled; None while one is missing or a seat
    wants to think on. Built-in players need not settle."""
    if silent_seats(loaded) or not loaded.awaited:
        return None
    coming = loaded.match.ply + 1
    if any(loaded.holders[seat].not_ready_ply == coming for seat in loaded.awaited):
        return None
    settle = terms(loaded.match.options).settle
    received = [
        loaded.sheets[seat].received_at + (timedelta() if loaded.holders[seat].computer else settle)
        for seat in loaded.awaited
    ]
    return max(received)


def absence_at(loaded: Loaded) -> datetime | None:
    """When silence has consequences: the deadline, and the grace where seats are forfeited."""
    deadline = loaded.match.deadline_at
    if deadline is None:
        return None
    agreed = terms(loaded.match.options)
    return deadline + agreed.grace if agreed.absence == "forfeit" else deadline


def reminder_at(loaded: Loaded, now: datetime) -> datetime | None:
    """When the awaited players are reminded; None when it was done or is too late."""
    deadline = loaded.match.deadline_at
    reminded = loaded.match.reminded_ply == loaded.match.ply + 1
    if deadline is None or reminded or now >= deadline or not _people(loaded, loaded.awaited):
        return None
    return loaded.since + REMINDER_AT * (deadline - loaded.since)


def next_step(loaded: Loaded, now: datetime) -> Step | None:
    """What is due now; None when there is nothing but to wait."""
    coming = loaded.match.ply + 1
    deadline = loaded.match.deadline_at
    silent = silent_seats(loaded)
    complete = complete_at(loaded)
    if (complete and now >= complete) or (not silent and deadline and now >= deadline):
        return Adjudicate()
    absence = absence_at(loaded)
    if silent and absence and now >= absence:
        if terms(loaded.match.options).absence == "forfeit":
            return Forfeit(silent)
        return None if loaded.match.alerted_ply == coming else Alert(silent)
    reminder = reminder_at(loaded, now)
    if reminder and reminder <= now:
        return Remind(_people(loaded, loaded.awaited))
    return None


def wake_at(loaded: Loaded, now: datetime) -> datetime | None:
    """When `tick` must look at the match next; None while only a letter can change anything."""
    if loaded.match.status != "playing":
        return None
    pending = [d.received_at for d in loaded.declarations if d.status == "pending"]
    if pending:
        return min(pending)
    silent = silent_seats(loaded)
    if len(_people(loaded, silent)) < len(silent):
        return min(now, loaded.since)  # a built-in player is awaited
    times = [complete_at(loaded)]
    if not silent:
        times.append(loaded.match.deadline_at)
    elif loaded.match.alerted_ply != loaded.match.ply + 1:
        times.append(absence_at(loaded))
    times.append(reminder_at(loaded, now))
    return min((time for time in times if time is not None), default=None)


def _people(loaded: Loaded, seats: Collection[str]) -> tuple[str, ...]:
    return tuple(seat for seat in seats if not loaded.holders[seat].computer)
