"""Decide what a match waits for, and when (emails, section 7).

Theory of operation. These functions are pure. They see a loaded match and the time, and they change
nothing. `service/matches/adjudication` asks them in a transaction that holds the match's row,
does the one step that is due, notes it and commits. The tick calls it again until nothing is due.
If the program is killed before the commit, nothing has happened and the next tick decides the
same; after it, the note keeps the step from being done twice. The same transaction notes when a
tick must look at the match again (`wake_at`), so that a tick leaves all other matches alone.

A match that is not held waits for the first of these:

| what is so | step | noted by |
|---|---|---|
| the game master's announced time has come, and a seat is silent | Forfeit | the new ply |
| all awaited sheets are in and have settled | Adjudicate | the new ply |
| only dormant seats have sent no sheet | Default | sheets in force |
| the deadline has come, and nobody is silent | Adjudicate | the new ply |
| the same, and a substitute may be looked for | Seek | a search of each seat |
| deadline and grace have passed, and seats are silent | as `LADDER` says | see below |
| the deadline has come in a match with a reserve, and seats are silent | Overdue | `overdue_at` |
| four fifths of the time have passed | Remind | `reminded_ply` |

With a reserve (club, 5.2) the time of silent seats is up only when the own time of the last of them
has ended, and not at the deadline. What is said of it to anybody before must not depend on who has
sent.

With `substitutes=on` a search for a substitute comes first, for each silent seat that would be
forfeited now or become dormant (club, 6.3). For its days the time of all silent seats is not up.
The step that was due follows when they are over.

One that waits for the game master, held or after an Alert, is due when he is reminded of it again
(`service/matches/outage`); until he is, that time stays noted.

For silence the order is: Default if the rules answer it themselves, Excuse while the seat has
excused misses left, Alert if the game master decides, Default if the game has orders for the seat,
and else Forfeit. Excuse is noted by the new deadline, Alert by `alerted_ply`. After a Default all
sheets are in, and the next step adjudicates them. Grace exists only where silence forfeits a seat.

Before any of this a tick looks for an outage (`service/matches/outage`). If the silence is
perhaps our own fault, the match is held, and nothing here is done until the game master goes on.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.service.base import calendar
from adjudicator.service.base.calendar import Never
from adjudicator.service.base.deadlines import has_reserve, own_end
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import terms
from adjudicator.store.matches import Match
from adjudicator.store.offers import Search
from adjudicator.store.submissions import DEFAULT

# When the operator hears again of something that waits for him.


ONE_DAY = timedelta(days=1)


class Rhythm(Struct, frozen=True):
    """The days after which he hears of it; after the last of them every so many days more."""

    days: tuple[int, ...]
    then: int = 7

    def due(self, since: datetime, now: datetime) -> int:
        """Return how often he should have heard by now of what waits since then."""
        waited = now - since
        first = sum(waited >= day * ONE_DAY for day in self.days)
        if first < len(self.days):
            return first
        return first + (waited - self.days[-1] * ONE_DAY) // (self.then * ONE_DAY)

    def after(self, since: datetime, now: datetime) -> datetime:
        """Return when he hears of it next."""
        due = self.due(since, now)
        if due < len(self.days):
            return since + self.days[due] * ONE_DAY
        return since + (self.days[-1] + self.then * (due - len(self.days) + 1)) * ONE_DAY


OF_MATCH = Rhythm((1, 3, 7))
OF_ADDRESS = Rhythm((2, 7))


DORMANT_AFTER = 3  # deadlines missed in a row (Spion rule 5.4)
SEARCH = timedelta(days=3)  # for a substitute of a silent seat (club, 6.3)
_NEVER = datetime.max.replace(tzinfo=UTC)
REMINDER_AT = 0.8  # share of the time between a turn's opening and its deadline


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


class Rung(Struct, frozen=True):
    """One answer to silence: `holds` says for which seats it can be given, `step` what is done."""

    holds: Callable[[Loaded, str], bool]
    step: Callable[[tuple[str, ...]], Step]


def _is_provided_for(loaded: Loaded, seat: str) -> bool:
    return loaded.game.rules.provides(loaded.state) and default_of(loaded, seat) is not None


def _is_excusable(loaded: Loaded, seat: str) -> bool:
    agreed = terms(loaded.match.options)
    return loaded.holders[seat].missed < agreed.excused and not isinstance(agreed.deadline, Never)


def _is_the_game_masters(loaded: Loaded, seat: str) -> bool:
    return terms(loaded.match.options).absence == "gm"


def _has_default(loaded: Loaded, seat: str) -> bool:
    return default_of(loaded, seat) is not None


def _always(loaded: Loaded, seat: str) -> bool:
    return True


# What silence leads to after reminder and grace. A silent seat climbs from the top of this list to
# the first rung that holds it; the seats that came farthest are dealt with first. Only an awaited
# seat can be silent, so nobody is charged for a turn in which he had nothing to order.
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
    """Return the silent seats that nobody waits for.

    They have left, or their players missed three deadlines in a row, and the game has orders for
    them. If everybody is dormant, the match keeps its time: otherwise it would play itself to its
    end overnight.
    """
    asleep = {seat for seat, holder in loaded.holders.items() if holder.silent >= DORMANT_AFTER}
    if not set(_people(loaded, loaded.seats)) - loaded.gone - asleep:
        asleep = set()
    silent = (seat for seat in silent_seats(loaded) if seat in asleep | loaded.gone)
    return tuple(seat for seat in silent if default_of(loaded, seat) is not None)


def default_of(loaded: Loaded, seat: str) -> list[str] | None:
    """Return what the game orders for a silent seat, in canonical lines; None if it has nothing."""
    game = loaded.game
    if game.rules.default is None:
        return None
    chance = loaded.chance.private(seat, f"default {loaded.match.ply + 1}")
    orders = game.rules.default(loaded.state, Seat(seat), chance)
    return None if orders is None else game.orders.lines(orders)


def complete_at(loaded: Loaded) -> datetime | None:
    """Return when all awaited sheets were in and had settled.

    Return None while a sheet is missing or a seat wants to think on. Built-in players need not
    settle, and nobody need if the game master has ended the waiting.
    """
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
    """Return the seats that the game master forfeits if they stay silent, and when.

    A seat is among them until orders of its own are adjudicated, it leaves or the match ends.
    """
    if loaded.match.status == "over":
        return {}
    return {
        seat: holder.forfeit_at
        for seat in loaded.seats
        for holder in [loaded.holders[seat]]
        if holder.forfeit_at and (holder.forfeit_ply or 0) > holder.ordered_ply
        if seat not in loaded.gone
    }


def due_forfeits(loaded: Loaded, now: datetime) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the seats whose announced time has come: first those that are silent, then the
    others."""
    due = [seat for seat, at in announced(loaded).items() if at <= now]
    silent = tuple(seat for seat in due if not has_ordered(loaded, seat))
    return silent, tuple(seat for seat in due if seat not in silent)


def has_ordered(loaded: Loaded, seat: str) -> bool:
    """Return whether the seat's own orders are in force, not those that the game has for a silent
    one."""
    sheet = loaded.sheets.get(seat)
    return sheet is not None and sheet.channel != DEFAULT


def absence_at(loaded: Loaded) -> datetime | None:
    """Return when silence has consequences: when the time for orders is up, or the search for
    substitutes that began then is over."""
    up, until = _time_up(loaded), sought_until(loaded)
    return up if up is None or until is None else max(up, until)


def _time_up(loaded: Loaded) -> datetime | None:
    """Return when the time for orders is up: at the deadline or, if seats are forfeited, after the
    grace. With a reserve it is when the own time of the last silent seat ends."""
    deadline = loaded.match.deadline_at
    if deadline is None:
        return None
    agreed = terms(loaded.match.options)
    if agreed.has_reserve:
        waited = set(silent_seats(loaded)) - set(dormant_seats(loaded))
        return max((_own_end(loaded, seat) for seat in waited), default=deadline)
    return deadline + agreed.grace if agreed.absence == "forfeit" else deadline


def sought_until(loaded: Loaded) -> datetime | None:
    """Return until when substitutes of silent seats are looked for, or were; None if not in this
    turn. All players were told it, so it is asked of no seat whether it is still silent."""
    return max((one.ends_at for one in _searches(loaded)), default=None)


def _searches(loaded: Loaded) -> Iterator[Search]:
    """Yield the searches that began after the present deadline."""
    due = loaded.match.deadline_at
    return (one for one in loaded.searches if due is not None and one.due_at == due)


def _to_seek(loaded: Loaded, silent: tuple[str, ...]) -> tuple[str, ...]:
    """Return the silent seats for which a substitute must be looked for before anything happens to
    them."""
    if not terms(loaded.match.options).substitutes:
        return ()
    sought = {(one.seat, one.tenure) for one in _searches(loaded)}
    step = _climb(loaded, silent)
    if isinstance(step, Forfeit):
        lost = step.silent
    elif isinstance(step, Default) and loaded.game.rules.phase(loaded.state) != "setup":
        lost = tuple(seat for seat in step.silent if _falls_asleep(loaded, seat))
    else:
        lost = ()
    people = _people(loaded, lost)
    return tuple(one for one in people if (one, loaded.holders[one].tenure) not in sought)


def _falls_asleep(loaded: Loaded, seat: str) -> bool:
    """Return whether nobody waits for a seat any more if it misses this deadline, too."""
    is_last = loaded.holders[seat].silent == DORMANT_AFTER - 1
    return is_last and seat not in loaded.gone and not _is_provided_for(loaded, seat)


def _own_end(loaded: Loaded, seat: str) -> datetime:
    ends = own_end(loaded, seat)
    assert ends is not None
    return ends


def is_overdue_noted(loaded: Loaded) -> bool:
    """Return whether nothing is to be noted of a deadline that has passed, or will."""
    match = loaded.match
    has_noted = match.deadline_at is None or match.overdue_at == match.deadline_at
    return has_noted or not has_reserve(loaded)


def out_of_time(loaded: Loaded, now: datetime) -> dict[str, datetime]:
    """Return the silent seats of people whose own time has ended, and when that was, where a day
    of absence may give them more; none of those to which the rules give orders then (club, 5.3)."""
    if loaded.match.deadline_at is None or terms(loaded.match.options).leave != "auto":
        return {}
    if loaded.match.alerted_ply == loaded.match.ply + 1:
        return {}  # the game master decides now
    dormant = dormant_seats(loaded)
    silent = _people(loaded, [seat for seat in silent_seats(loaded) if seat not in dormant])
    times = {seat: _own_end(loaded, seat) for seat in silent if not _is_provided_for(loaded, seat)}
    return {seat: at for seat, at in times.items() if at <= now}


def reminder_at(loaded: Loaded, now: datetime) -> datetime | None:
    """Return when the awaited players are reminded; None if that was done, is too late, or nobody
    is reminded in the match."""
    deadline = loaded.match.deadline_at
    reminded = loaded.match.reminded_ply == loaded.match.ply + 1
    if deadline is None or reminded or now >= deadline or not _people(loaded, loaded.awaited):
        return None
    agreed = terms(loaded.match.options)
    if not agreed.reminders:
        return None
    opened = loaded.since
    if opened >= deadline:  # a clock that ran ahead wrote it
        opened = deadline - calendar.period(agreed.deadline)
    return opened + REMINDER_AT * (deadline - opened)


def next_step(loaded: Loaded, now: datetime) -> Step | None:
    """Return what is due now; None if there is nothing to do but wait."""
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
    if silent and deadline and now >= deadline and not is_overdue_noted(loaded):
        return Overdue(_people(loaded, loaded.awaited))
    absence = absence_at(loaded)
    if silent and absence and now >= absence:
        if loaded.match.alerted_ply == coming:
            return None
        sought = _to_seek(loaded, silent)
        return Seek(sought) if sought else _climb(loaded, silent)
    reminder = reminder_at(loaded, now)
    if reminder and reminder <= now:
        return Remind(_people(loaded, loaded.awaited))
    return None


def _climb(loaded: Loaded, silent: tuple[str, ...]) -> Step:
    reached = {seat: _step_of_ladder(loaded, seat) for seat in silent}
    highest = max(reached.values())
    return LADDER[highest].step(tuple(seat for seat in silent if reached[seat] == highest))


def _step_of_ladder(loaded: Loaded, seat: str) -> int:
    return next(i for i, rung in enumerate(LADDER) if rung.holds(loaded, seat))


def forfeited_at(loaded: Loaded, seat: str) -> datetime | None:
    """Return when an awaited seat is forfeited if it stays silent; None if something else follows
    then. With a reserve it is not before the end of its own time, with substitutes not before the
    end of the search."""
    times = [announced(loaded).get(seat)]
    if is_lost(loaded, seat) and (up := _own_time_up(loaded, seat)):
        sought = terms(loaded.match.options).substitutes
        times.append((sought_until(loaded) or up + SEARCH) if sought else up)
    return min((time for time in times if time), default=None)


def is_lost(loaded: Loaded, seat: str) -> bool:
    """Return whether silence leads to a forfeit of an awaited seat."""
    return isinstance(LADDER[_step_of_ladder(loaded, seat)].step((seat,)), Forfeit)


def _own_time_up(loaded: Loaded, seat: str) -> datetime | None:
    return own_end(loaded, seat) if has_reserve(loaded) else _time_up(loaded)


def sought_at(loaded: Loaded, seat: str) -> datetime | None:
    """Return when a substitute is looked for if an awaited seat stays silent that would be
    forfeited then; None if none will be, or is already."""
    if not terms(loaded.match.options).substitutes or sought_until(loaded) is not None:
        return None
    return _own_time_up(loaded, seat) if is_lost(loaded, seat) else None


def missed(loaded: Loaded, now: datetime) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the people's seats whose time is up at `now`, and those of them that are silent.

    Return none if the game master has been told already.
    """
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


def time_was_up(loaded: Loaded, now: datetime) -> datetime:
    """Return when the time of the last seat was up of those that are late at `now`."""
    times = [absence_at(loaded), *announced(loaded).values()]
    return max((time for time in times if time is not None and time <= now), default=now)


def wake_at(loaded: Loaded, now: datetime) -> datetime | None:
    """Return when `tick` must look at the match next; None while only an email can change
    anything."""
    if loaded.match.status == "held" and loaded.match.held_at:
        return _reminded_at(loaded.match, loaded.match.held_at, now)
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
        times += _times_of_reserve(loaded, now)
    elif since := waits_since(loaded):
        times.append(_reminded_at(loaded.match, since, now))
    times.append(reminder_at(loaded, now))
    return min((time for time in times if time is not None), default=None)


def _times_of_reserve(loaded: Loaded, now: datetime) -> Iterator[datetime | None]:
    """Yield when the deadline is noted, and when silent seats may get a day of absence. One that
    is due stays due until a tick has dealt with it; it may be that no day is left."""
    if not has_reserve(loaded):
        return
    if not is_overdue_noted(loaded):
        yield loaded.match.deadline_at
    wake, ends = loaded.match.wake_at, out_of_time(loaded, _NEVER)
    is_due = wake is not None and wake <= now
    yield from (at for at in ends.values() if at > now or is_due)


def waits_since(loaded: Loaded) -> datetime | None:
    """Return since when a match that is played waits for the game master; None if it does not."""
    alerted = loaded.match.alerted_ply == loaded.match.ply + 1
    if not alerted or not silent_seats(loaded):
        return None
    # Of a reserve, who is silent by now would tell another time.
    return loaded.match.alerted_at if has_reserve(loaded) else absence_at(loaded)


def _reminded_at(match: Match, since: datetime, now: datetime) -> datetime:
    """Return when the game master is reminded next; a reminder that is due stays due until a tick
    has dealt with it."""
    if match.wake_at is not None and since < match.wake_at <= now:
        return match.wake_at
    return OF_MATCH.after(since, now)


def _people(loaded: Loaded, seats: Collection[str]) -> tuple[str, ...]:
    return tuple(seat for seat in seats if not loaded.holders[seat].computer)


# Tell which later turns a seat may send sheets for, and compare turns as plies (Espionage rule
# 8.1).


MOST_KEPT = 5  # sheets of a seat


def takes_advance(loaded: Loaded) -> bool:
    """Return whether the match takes sheets for later turns, and conditions.

    A match that an older program opened has agreed nothing else than the default.
    """
    advance = loaded.match.options.get("advance", "on")
    return loaded.game.advance is not None and advance == "on"


def ply_of(loaded: Loaded, seat: Seat, turn: int) -> int:
    """Return the ply in which a turn of the seat is adjudicated."""
    advance = loaded.game.advance
    assert advance is not None
    return loaded.match.ply + 1 + advance.ply(loaded.state, seat, turn)


def is_ahead(loaded: Loaded, seat: Seat, turn: int | None) -> bool:
    """Return whether a sheet names a turn that is not to be ordered yet."""
    if turn is None or not takes_advance(loaded):
        return False
    return ply_of(loaded, seat, turn) > loaded.match.ply + 1


def is_open(loaded: Loaded) -> bool:
    """Return whether sheets are kept now: not before the match begins, nor in its set-up."""
    return loaded.match.status != "open" and loaded.game.rules.phase(loaded.state) == "play"


def next_turn(loaded: Loaded, seat: Seat) -> int:
    """Return the first turn that the seat has not ordered."""
    coming = loaded.match.ply + 1
    turn = loaded.match.turn
    while True:
        ply = ply_of(loaded, seat, turn)
        if ply > coming or (ply == coming and seat not in loaded.sheets):
            return turn
        turn += 1
