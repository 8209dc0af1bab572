"""Decide what a match waits for, and when (emails, section 7).

Theory of operation. These functions are pure: they see facts and a time, and change nothing. The
facts are values, so whoever has them decides the same: the club from its rows, in the tick that
does what is due (`service/base/deadlines`), and a player's audit from an opened log
(`service/audit/timing`).

A match that is not held waits for the first of these:

| what is so | step |
|---|---|
| the game master's announced time has come, and a seat is silent | Forfeit |
| all awaited sheets are in and have settled | Adjudicate |
| only dormant seats have sent no sheet | Default |
| the deadline has come, and nobody is silent | Adjudicate |
| the same, and a substitute may be looked for | Seek |
| deadline and grace have passed, and seats are silent | as `LADDER` says |
| the deadline has come in a match with a reserve, and seats are silent | Overdue |
| four fifths of the time have passed | Remind |

With a reserve (club, 5.2) the time of silent seats is up only when the own time of the last of them
has ended, and not at the deadline. What is said of it to anybody before must not depend on who has
sent.

With `substitutes=on` a search for a substitute comes first, for each silent seat that would be
forfeited now or become dormant (club, 6.3). For its days the time of all silent seats is not up.
The step that was due follows when they are over.

For silence the order is: Default if the rules answer it themselves, Excuse while the seat has
excused misses left, Alert if the game master decides, Default if the game has orders for the seat,
and else Forfeit. After a Default all sheets are in, and the next step adjudicates them. Grace
exists only where silence forfeits a seat.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

DORMANT_AFTER = 3  # deadlines missed in a row (Spion rule 5.4)
SEARCH = timedelta(days=3)  # for a substitute of a silent seat (club, 6.3)
REMINDER_AT = 0.8  # share of the time between a turn's opening and its deadline


class Timing(Struct, frozen=True, kw_only=True):
    """What was agreed of the time of a match. `period` is the usual time of a turn, and `is_timed`
    says whether turns have deadlines."""

    is_timed: bool
    period: timedelta
    absence: str  # gm or forfeit
    excused: int
    grace: timedelta
    settle: timedelta
    reminders: bool
    substitutes: bool
    has_reserve: bool


class SeatTime(Struct, frozen=True, kw_only=True):
    """What decides about one seat.

    `sent_at` is when its orders in force came, which `is_default` if the game gave them. `own_end`
    is when its time ends: the deadline, or the end of its reserve. `forfeit_at` is the time that
    the game master announced, while it counts. `missed` are the misses that were excused, `silent`
    the deadlines missed in a row. `sought` says whether a substitute of its holder is or was looked
    for since the present deadline.
    """

    is_awaited: bool
    is_computer: bool = False
    has_left: bool = False
    sent_at: datetime | None = None
    is_default: bool = False
    thinks_on: bool = False
    missed: int = 0
    silent: int = 0
    forfeit_at: datetime | None = None
    own_end: datetime | None = None
    has_default: bool = False
    sought: bool = False


class ClockFacts(Struct, frozen=True, kw_only=True):
    """What decides what a match waits for, once the turn is open.

    `since` is when it opened, `due` its deadline. `provides` says that the rules answer silence
    now, whatever was agreed. The game master has ended the waiting if it `is_hurried`, and decides
    about silence himself if he `is_alerted`. `sought_until` is until when substitutes are looked
    for since the present deadline. `seats` are in the rule book's order.
    """

    timing: Timing
    since: datetime
    due: datetime | None
    seats: Mapping[str, SeatTime]
    provides: bool = False
    is_setup: bool = False
    is_hurried: bool = False
    is_alerted: bool = False
    is_reminded: bool = False
    is_overdue_noted: bool = True
    sought_until: datetime | None = None

    @property
    def awaited(self) -> tuple[str, ...]:
        return tuple(seat for seat, one in self.seats.items() if one.is_awaited)

    @property
    def silent(self) -> tuple[str, ...]:
        """Return the awaited seats without orders in force."""
        return tuple(seat for seat in self.awaited if self.seats[seat].sent_at is None)

    def people(self, seats: Collection[str]) -> tuple[str, ...]:
        return tuple(seat for seat in seats if not self.seats[seat].is_computer)


class Adjudicate(Struct, frozen=True):
    """The turn is adjudicated: all awaited sheets are in and nothing keeps it open, or it is the
    deadline."""


class Excuse(Struct, frozen=True):
    """Every silent seat is excused, and the deadline moves on by one more period."""

    silent: tuple[str, ...]


class Alert(Struct, frozen=True):
    """The deadline has passed, seats are silent, and the match waits for the game master."""

    silent: tuple[str, ...]


class Default(Struct, frozen=True):
    """The silent seats get the orders that the game has for them."""

    silent: tuple[str, ...]


class Forfeit(Struct, frozen=True):
    """The silent seats are forfeited.

    Deadline and grace have passed, or the time that the game master announced.
    """

    silent: tuple[str, ...]


class Seek(Struct, frozen=True):
    """Substitutes are looked for, for the silent seats that would be forfeited now or become
    dormant."""

    silent: tuple[str, ...]


class Remind(Struct, frozen=True):
    """The awaited seats are reminded, because four fifths of the time have passed.

    A reminder is queued even for a seat that has ordered, so that the queue does not tell who has;
    at delivery it is dropped for him.
    """

    seats: tuple[str, ...]


class Overdue(Struct, frozen=True):
    """The deadline has passed, and silent seats draw on their reserves: these awaited seats are
    reminded at their own times, whoever has ordered."""

    seats: tuple[str, ...]


Step = Adjudicate | Excuse | Alert | Default | Forfeit | Seek | Remind | Overdue


def decide(facts: ClockFacts, now: datetime) -> Step | None:
    """Decide what is due now, and of whom; None while the match waits."""
    silent, due = facts.silent, facts.due
    forfeited, _ = due_forfeits(facts, now)
    if forfeited:
        return Forfeit(forfeited)
    complete = complete_at(facts)
    if complete and now >= complete:
        return Default(silent) if silent else Adjudicate()
    if not silent and due and now >= due:
        return Adjudicate()
    if silent and due and now >= due and not facts.is_overdue_noted:
        return Overdue(facts.people(facts.awaited))
    absence = absence_at(facts)
    if silent and absence and now >= absence:
        if facts.is_alerted:
            return None
        sought = _to_seek(facts, silent)
        return Seek(sought) if sought else _climb(facts, silent)
    reminder = reminder_at(facts, now)
    if reminder and reminder <= now:
        return Remind(facts.people(facts.awaited))
    return None


def until(facts: ClockFacts, now: datetime) -> datetime | None:
    """Return when the next step is due; None if none is while nobody sends anything."""
    return min(_times(facts, now), default=None)


def _times(facts: ClockFacts, now: datetime) -> Iterator[datetime]:
    """Yield the times at which something is due, whether they have come or not."""
    silent = facts.silent
    times = [complete_at(facts), reminder_at(facts, now), *announced_forfeits(facts).values()]
    if not silent:
        times.append(facts.due)
    elif not facts.is_alerted:
        times.append(absence_at(facts))
        if not facts.is_overdue_noted:
            times.append(facts.due)
    yield from (time for time in times if time is not None)


# What silence leads to after reminder and grace. A silent seat climbs from the top of this list to
# the first rung that holds it; the seats that came farthest are dealt with first. Only an awaited
# seat can be silent, so nobody is charged for a turn in which he had nothing to order.


class Rung(Struct, frozen=True):
    """One answer to silence: `holds` says for which seats it can be given, `step` what is done."""

    holds: Callable[[ClockFacts, SeatTime], bool]
    step: Callable[[tuple[str, ...]], Step]


def _is_provided_for(facts: ClockFacts, one: SeatTime) -> bool:
    return facts.provides and one.has_default


LADDER: tuple[Rung, ...] = (
    Rung(_is_provided_for, Default),
    Rung(lambda facts, one: facts.timing.is_timed and one.missed < facts.timing.excused, Excuse),
    Rung(lambda facts, one: facts.timing.absence == "gm", Alert),
    Rung(lambda facts, one: one.has_default, Default),
    Rung(lambda facts, one: True, Forfeit),
)


def _climb(facts: ClockFacts, silent: tuple[str, ...]) -> Step:
    reached = {seat: _rung(facts, seat) for seat in silent}
    highest = max(reached.values())
    return LADDER[highest].step(tuple(seat for seat in silent if reached[seat] == highest))


def _rung(facts: ClockFacts, seat: str) -> int:
    return next(i for i, rung in enumerate(LADDER) if rung.holds(facts, facts.seats[seat]))


def is_lost(facts: ClockFacts, seat: str) -> bool:
    """Return whether silence leads to a forfeit of an awaited seat."""
    return isinstance(LADDER[_rung(facts, seat)].step((seat,)), Forfeit)


def dormant_seats(facts: ClockFacts) -> tuple[str, ...]:
    """Return the silent seats that nobody waits for.

    They have left, or their players missed three deadlines in a row, and the game has orders for
    them. If everybody is dormant, the match keeps its time: otherwise it would play itself to its
    end overnight.
    """
    gone = {seat for seat, one in facts.seats.items() if one.has_left}
    asleep = {seat for seat, one in facts.seats.items() if one.silent >= DORMANT_AFTER}
    if not set(facts.people(facts.seats)) - gone - asleep:
        asleep = set()
    silent = (seat for seat in facts.silent if seat in asleep | gone)
    return tuple(seat for seat in silent if facts.seats[seat].has_default)


def complete_at(facts: ClockFacts) -> datetime | None:
    """Return when all awaited sheets were in and had settled.

    Return None while a sheet is missing or a seat wants to think on. Built-in players need not
    settle, and nobody need if the game master has ended the waiting.
    """
    awaited = [facts.seats[seat] for seat in facts.awaited]
    if set(facts.silent) - set(dormant_seats(facts)) or not awaited:
        return None
    if any(one.thinks_on for one in awaited) and not facts.is_hurried:
        return None
    settle = timedelta() if facts.is_hurried else facts.timing.settle
    received = (
        one.sent_at + (timedelta() if one.is_computer else settle)
        for one in awaited
        if one.sent_at is not None
    )
    return max(received, default=facts.since)


def announced_forfeits(facts: ClockFacts) -> Mapping[str, datetime]:
    """Return the seats that the game master forfeits if they stay silent, and when."""
    return {seat: one.forfeit_at for seat, one in facts.seats.items() if one.forfeit_at}


def due_forfeits(facts: ClockFacts, now: datetime) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the seats whose announced time has come: first those that are silent, then the
    others."""
    due = [seat for seat, at in announced_forfeits(facts).items() if at <= now]
    silent = tuple(seat for seat in due if not _has_ordered(facts.seats[seat]))
    return silent, tuple(seat for seat in due if seat not in silent)


def _has_ordered(one: SeatTime) -> bool:
    """Return whether the seat's own orders are in force, not those that the game has for a silent
    one."""
    return one.sent_at is not None and not one.is_default


def absence_at(facts: ClockFacts) -> datetime | None:
    """Return when silence has consequences: when the time for orders is up, or the search for
    substitutes that began then is over."""
    up, until = _time_up(facts), facts.sought_until
    return up if up is None or until is None else max(up, until)


def _time_up(facts: ClockFacts) -> datetime | None:
    """Return when the time for orders is up: at the deadline or, if seats are forfeited, after the
    grace. With a reserve it is when the own time of the last silent seat ends."""
    due, timing = facts.due, facts.timing
    if due is None:
        return None
    if timing.has_reserve:
        waited = set(facts.silent) - set(dormant_seats(facts))
        return max((facts.seats[seat].own_end or due for seat in waited), default=due)
    return due + timing.grace if timing.absence == "forfeit" else due


def _to_seek(facts: ClockFacts, silent: tuple[str, ...]) -> tuple[str, ...]:
    """Return the silent seats for which a substitute must be looked for before anything happens to
    them."""
    if not facts.timing.substitutes:
        return ()
    step = _climb(facts, silent)
    if isinstance(step, Forfeit):
        lost = step.silent
    elif isinstance(step, Default) and not facts.is_setup:
        lost = tuple(seat for seat in step.silent if _falls_asleep(facts, seat))
    else:
        lost = ()
    return tuple(seat for seat in facts.people(lost) if not facts.seats[seat].sought)


def _falls_asleep(facts: ClockFacts, seat: str) -> bool:
    """Return whether nobody waits for a seat any more if it misses this deadline, too."""
    one = facts.seats[seat]
    is_last = one.silent == DORMANT_AFTER - 1
    return is_last and not one.has_left and not _is_provided_for(facts, one)


def out_of_time(facts: ClockFacts, now: datetime) -> dict[str, datetime]:
    """Return the silent seats of people whose own time has ended, and when that was; none of those
    to which the rules give orders then (club, 5.3), and none once the game master decides."""
    if facts.due is None or facts.is_alerted:
        return {}
    dormant = dormant_seats(facts)
    silent = facts.people([seat for seat in facts.silent if seat not in dormant])
    found = ((seat, facts.seats[seat]) for seat in silent)
    times = {seat: one.own_end for seat, one in found if not _is_provided_for(facts, one)}
    return {seat: at for seat, at in times.items() if at is not None and at <= now}


def reminder_at(facts: ClockFacts, now: datetime) -> datetime | None:
    """Return when the awaited players are reminded; None if that was done, is too late, or nobody
    is reminded in the match."""
    due, opened = facts.due, facts.since
    if due is None or facts.is_reminded or now >= due or not facts.people(facts.awaited):
        return None
    if not facts.timing.reminders:
        return None
    if opened >= due:  # a clock that ran ahead wrote it
        opened = due - facts.timing.period
    return opened + REMINDER_AT * (due - opened)


def forfeit_time(facts: ClockFacts, seat: str) -> datetime | None:
    """Return when an awaited seat is forfeited if it stays silent; None if something else follows
    then. With a reserve it is not before the end of its own time, with substitutes not before the
    end of the search."""
    times = [facts.seats[seat].forfeit_at]
    if is_lost(facts, seat) and (up := _own_time_up(facts, seat)):
        times.append((facts.sought_until or up + SEARCH) if facts.timing.substitutes else up)
    return min((time for time in times if time), default=None)


def _own_time_up(facts: ClockFacts, seat: str) -> datetime | None:
    return facts.seats[seat].own_end if facts.timing.has_reserve else _time_up(facts)


def late_seats(facts: ClockFacts) -> Mapping[str, datetime]:
    """Return the awaited seats of people whose own orders in force came after their time was up,
    and when that was: in whole seconds, as a log has times."""
    found = {}
    for seat in facts.people(facts.awaited):
        one, up = facts.seats[seat], _own_time_up(facts, seat)
        if up is None or one.sent_at is None or one.is_default:
            continue
        ends = max(up, facts.sought_until or up, one.forfeit_at or up)
        if one.sent_at.replace(microsecond=0) > ends:
            found[seat] = ends.replace(microsecond=0)
    return found


def search_time(facts: ClockFacts, seat: str) -> datetime | None:
    """Return when a substitute is looked for if an awaited seat stays silent that would be
    forfeited then; None if none will be, or is already."""
    if not facts.timing.substitutes or facts.sought_until is not None:
        return None
    return _own_time_up(facts, seat) if is_lost(facts, seat) else None


def seats_out_of_time(facts: ClockFacts, now: datetime) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the people's seats whose time is up at `now`, and those of them that are silent.

    Return none if the game master has been told already.
    """
    silent, ordered = due_forfeits(facts, now)
    due = {*silent, *ordered}
    absence = absence_at(facts)
    if absence is not None and now >= absence and not facts.is_alerted:
        due.update(facts.awaited)
        silent = (*silent, *facts.silent)
    return (
        facts.people([seat for seat in facts.seats if seat in due]),
        facts.people([seat for seat in facts.seats if seat in silent]),
    )


def time_was_up(facts: ClockFacts, now: datetime) -> datetime:
    """Return when the time of the last seat was up of those that are late at `now`."""
    times = [absence_at(facts), *announced_forfeits(facts).values()]
    return max((time for time in times if time is not None and time <= now), default=now)
