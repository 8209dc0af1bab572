"""What a match waits for: pure decisions about time (letters, section 7)."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from adjudicator.core.game import Seat
from adjudicator.service.base.calendar import Never
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import terms
from adjudicator.store.submissions import DEFAULT

DORMANT_AFTER = 3  # deadlines missed in a row (Spion rule 5.4)
REMINDER_AT = 0.8  # of the time between a turn's opening and its deadline


class Adjudicate(Struct, frozen=True):
    """All awaited sheets are in and nothing keeps the turn open, or it is the deadline."""


class Excuse(Struct, frozen=True):
    """A miss of every silent seat is excused: the deadline moves on by one more period."""

    silent: tuple[str, ...]


class Alert(Struct, frozen=True):
    """The deadline has passed, seats are silent, and the match waits for the game master."""

    silent: tuple[str, ...]


class Default(Struct, frozen=True):
    """Silent seats get the orders that the game has for them."""

    silent: tuple[str, ...]


class Forfeit(Struct, frozen=True):
    """Deadline and grace have passed, or the time that the game master announced: the silent seats
    are forfeited."""

    silent: tuple[str, ...]


class Remind(Struct, frozen=True):
    """Four fifths of the time have passed. A reminder is queued for every awaited seat, whoever
    has sent, so that the queue does not tell; it is dropped at the door for who has orders."""

    seats: tuple[str, ...]


Step = Adjudicate | Excuse | Alert | Default | Forfeit | Remind


class Rung(Struct, frozen=True):
    """One answer to silence: for which seats it can be given, and what is done then."""

    holds: Callable[[Loaded, str], bool]
    step: Callable[[tuple[str, ...]], Step]


def _is_provided_for(loaded: Loaded, seat: str) -> bool:
    return loaded.game.provides(loaded.state) and default_of(loaded, seat) is not None


def _is_excusable(loaded: Loaded, seat: str) -> bool:
    agreed = terms(loaded.match.options)
    return loaded.holders[seat].missed < agreed.excused and not isinstance(agreed.deadline, Never)


def _is_the_game_masters(loaded: Loaded, seat: str) -> bool:
    return terms(loaded.match.options).absence == "gm"


def _has_default(loaded: Loaded, seat: str) -> bool:
    return default_of(loaded, seat) is not None


def _always(loaded: Loaded, seat: str) -> bool:
    return True


# What silence leads to after reminder and grace. A silent seat climbs to the first rung that
# holds it; the seats that came highest are dealt with first. Silent is only who is awaited, so
# nobody is charged for a turn on which he had nothing to order.
LADDER: tuple[Rung, ...] = (
    Rung(_is_provided_for, Default),
    Rung(_is_excusable, Excuse),
    Rung(_is_the_game_masters, Alert),
    Rung(_has_default, Default),
    Rung(_always, Forfeit),
)


def silent_seats(loaded: Loaded) -> tuple[str, ...]:
    return tuple(seat for seat in loaded.awaited if seat not in loaded.sheets)


def dormant_seats(loaded: Loaded) -> tuple[str, ...]:
    """Silent seats that nobody waits for: they left, or their players missed three deadlines in
    a row, and the game has orders for them. As long as nobody else is awake the match keeps its
    time, else it would play itself to its end overnight."""
    asleep = {seat for seat, holder in loaded.holders.items() if holder.silent >= DORMANT_AFTER}
    if not set(_people(loaded, loaded.seats)) - loaded.gone - asleep:
        asleep = set()
    silent = (seat for seat in silent_seats(loaded) if seat in asleep | loaded.gone)
    return tuple(seat for seat in silent if default_of(loaded, seat) is not None)


def default_of(loaded: Loaded, seat: str) -> list[str] | None:
    """What the game orders for a silent seat, in canonical lines; None where it has nothing."""
    game = loaded.game
    if game.default is None:
        return None
    chance = loaded.chance.private(seat, f"default {loaded.match.ply + 1}")
    orders = game.default(loaded.state, Seat(seat), chance)
    if orders is None:
        return None
    return [line for order in orders for line in game.canonical(order).split("\n")]


def complete_at(loaded: Loaded) -> datetime | None:
    """When all awaited sheets were in and had settled; None while one is missing or a seat
    wants to think on. Built-in players need not settle, and nobody whose game master has ended
    the waiting."""
    if set(silent_seats(loaded)) - set(dormant_seats(loaded)) or not loaded.awaited:
        return None
    coming = loaded.match.ply + 1
    hurried = loaded.match.hurried_ply == coming
    if any(loaded.holders[seat].not_ready_ply == coming for seat in loaded.awaited) and not hurried:
        return None
    settle = timedelta() if hurried else terms(loaded.match.options).settle
    received = [
        loaded.sheets[seat].received_at + (timedelta() if loaded.holders[seat].computer else settle)
        for seat in loaded.awaited
        if seat in loaded.sheets
    ]
    return max(received, default=loaded.since)


def announced(loaded: Loaded) -> Mapping[str, datetime]:
    """The seats that the game master forfeits if they stay silent, and when: none of their own
    orders has been adjudicated since he announced it."""
    return {
        seat: holder.forfeit_at
        for seat in loaded.seats
        for holder in [loaded.holders[seat]]
        if holder.forfeit_at and (holder.forfeit_ply or 0) > holder.ordered_ply
        if seat not in loaded.gone
    }


def due_forfeits(loaded: Loaded, now: datetime) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The seats whose announced time has come: those that are silent, and the others."""
    due = [seat for seat, at in announced(loaded).items() if at <= now]
    silent = tuple(seat for seat in due if not has_ordered(loaded, seat))
    return silent, tuple(seat for seat in due if seat not in silent)


def has_ordered(loaded: Loaded, seat: str) -> bool:
    """Whether orders of its own are in force, not those that the game has for who is silent."""
    sheet = loaded.sheets.get(seat)
    return sheet is not None and sheet.channel != DEFAULT


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
    forfeited, _ = due_forfeits(loaded, now)
    if forfeited:
        return Forfeit(forfeited)
    complete = complete_at(loaded)
    if complete and now >= complete:
        return Default(silent) if silent else Adjudicate()
    if not silent and deadline and now >= deadline:
        return Adjudicate()
    absence = absence_at(loaded)
    if silent and absence and now >= absence:
        return None if loaded.match.alerted_ply == coming else _climb(loaded, silent)
    reminder = reminder_at(loaded, now)
    if reminder and reminder <= now:
        return Remind(_people(loaded, loaded.awaited))
    return None


def _climb(loaded: Loaded, silent: tuple[str, ...]) -> Step:
    reached = {
        seat: next(i for i, rung in enumerate(LADDER) if rung.holds(loaded, seat))
        for seat in silent
    }
    highest = max(reached.values())
    return LADDER[highest].step(tuple(seat for seat in silent if reached[seat] == highest))


def missed(loaded: Loaded, now: datetime) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The people's seats whose time is up at `now`, and those of them that are silent; none
    where the game master has been told already."""
    silent, ordered = due_forfeits(loaded, now)
    due = {*silent, *ordered}
    absence = absence_at(loaded)
    alerted = loaded.match.alerted_ply == loaded.match.ply + 1
    if absence is not None and now >= absence and not alerted:
        due.update(loaded.awaited)
        silent = (*silent, *silent_seats(loaded))
    return (
        _people(loaded, [seat for seat in loaded.seats if seat in due]),
        _people(loaded, [seat for seat in loaded.seats if seat in silent]),
    )


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
    times = [complete_at(loaded), *announced(loaded).values()]
    if not silent:
        times.append(loaded.match.deadline_at)
    elif loaded.match.alerted_ply != loaded.match.ply + 1:
        times.append(absence_at(loaded))
    times.append(reminder_at(loaded, now))
    return min((time for time in times if time is not None), default=None)


def _people(loaded: Loaded, seats: Collection[str]) -> tuple[str, ...]:
    return tuple(seat for seat in seats if not loaded.holders[seat].computer)
