"""Gather the facts by which the clock decides what a match waits for, and when (emails, section 7).

Theory of operation. The decision itself is `core/clock.decide`. These functions see a loaded match
and the time, and they change nothing. `service/matches/adjudication` asks them in a transaction
that holds the match's row, does the one step that is due, notes it and commits. The tick calls it
again until nothing is due. If the program is killed before the commit, nothing has happened and the
next tick decides the same; after it, the note keeps the step from being done twice. The same
transaction notes when a tick must look at the match again (`wake_at`), so that a tick leaves all
other matches alone.

| step | noted by |
|---|---|
| Adjudicate, Forfeit | the new ply |
| Default | sheets in force |
| Excuse | the new deadline |
| Alert | `alerted_ply` |
| Seek | a search of each seat |
| Overdue | `overdue_at` |
| Remind | `reminded_ply` |

One that waits for the game master, held or after an Alert, is due when he is reminded of it again
(`service/matches/outage`); until he is, that time stays noted.

Before any of this a tick looks for an outage (`service/matches/outage`). If the silence is
perhaps our own fault, the match is held, and nothing here is done until the game master goes on.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from adjudicator.core import clock
from adjudicator.core.clock import ClockFacts, SeatTime, Step, Timing
from adjudicator.core.match import Seat
from adjudicator.service.base import calendar
from adjudicator.service.base.calendar import Never
from adjudicator.service.base.deadlines import has_reserve, own_end
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import Terms, terms
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

_NEVER = datetime.max.replace(tzinfo=UTC)


# The facts of a match, as its rows tell them.


def facts_of(loaded: Loaded) -> ClockFacts:
    """Return what decides what a match waits for."""
    match, coming, rules = loaded.match, loaded.match.ply + 1, loaded.game.rules
    forfeits, awaited = announced_forfeits(loaded), loaded.awaited
    sought = {(one.seat, one.tenure) for one in _searches(loaded)}
    return ClockFacts(
        timing=timing_of(terms(match.options)),
        since=loaded.since,
        due=match.deadline_at,
        seats={
            str(seat): _facts_of_seat(
                loaded,
                seat,
                is_awaited=seat in awaited,
                forfeit_at=forfeits.get(seat),
                sought=(seat, loaded.holders[seat].tenure) in sought,
            )
            for seat in loaded.seats
        },
        provides=loaded.is_opened and rules.provides(loaded.state),
        is_setup=loaded.is_opened and rules.phase(loaded.state) == "setup",
        is_hurried=match.hurried_ply == coming,
        is_alerted=match.alerted_ply == coming,
        is_reminded=match.reminded_ply == coming,
        is_overdue_noted=is_overdue_noted(loaded),
        sought_until=end_of_search(loaded),
    )


def timing_of(agreed: Terms) -> Timing:
    """Return what was agreed of the time of a match."""
    return Timing(
        is_timed=not isinstance(agreed.deadline, Never),
        period=calendar.period(agreed.deadline),
        absence=agreed.absence,
        excused=agreed.excused,
        grace=agreed.grace,
        settle=agreed.settle,
        reminders=agreed.reminders,
        substitutes=agreed.substitutes,
        has_reserve=agreed.has_reserve,
    )


def _facts_of_seat(
    loaded: Loaded, seat: Seat, *, is_awaited: bool, forfeit_at: datetime | None, sought: bool
) -> SeatTime:
    holder, sheet = loaded.holders[seat], loaded.sheets.get(seat)
    return SeatTime(
        is_awaited=is_awaited,
        is_computer=bool(holder.computer),
        has_left=seat in loaded.gone,
        sent_at=sheet.received_at if sheet else None,
        is_default=sheet is not None and sheet.channel == DEFAULT,
        thinks_on=holder.not_ready_ply == loaded.match.ply + 1,
        missed=holder.missed,
        silent=holder.silent,
        forfeit_at=forfeit_at,
        own_end=own_end(loaded, seat) if is_awaited else None,
        has_default=is_awaited and default_of(loaded, seat) is not None,
        sought=sought,
    )


def next_step(loaded: Loaded, now: datetime) -> Step | None:
    """Return what is due now; None if there is nothing to do but wait."""
    return clock.decide(facts_of(loaded), now).step


def silent_seats(loaded: Loaded) -> tuple[str, ...]:
    return tuple(seat for seat in loaded.awaited if seat not in loaded.sheets)


def default_of(loaded: Loaded, seat: str) -> list[str] | None:
    """Return what the game orders for a silent seat, in canonical lines; None if it has nothing."""
    game = loaded.game
    if game.rules.default is None:
        return None
    chance = loaded.chance.private(seat, f"default {loaded.match.ply + 1}")
    orders = game.rules.default(loaded.state, Seat(seat), chance)
    return None if orders is None else game.orders.lines(orders)


def announced_forfeits(loaded: Loaded) -> Mapping[str, datetime]:
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


def has_ordered(loaded: Loaded, seat: str) -> bool:
    """Return whether the seat's own orders are in force, not those that the game has for a silent
    one."""
    sheet = loaded.sheets.get(seat)
    return sheet is not None and sheet.channel != DEFAULT


def end_of_search(loaded: Loaded) -> datetime | None:
    """Return until when substitutes of silent seats are looked for, or were; None if not in this
    turn. All players were told it, so it is asked of no seat whether it is still silent."""
    return max((one.ends_at for one in _searches(loaded)), default=None)


def _searches(loaded: Loaded) -> Iterator[Search]:
    """Yield the searches that began after the present deadline."""
    due = loaded.match.deadline_at
    return (one for one in loaded.searches if due is not None and one.due_at == due)


def is_overdue_noted(loaded: Loaded) -> bool:
    """Return whether nothing is to be noted of a deadline that has passed, or will."""
    match = loaded.match
    has_noted = match.deadline_at is None or match.overdue_at == match.deadline_at
    return has_noted or not has_reserve(loaded)


def out_of_time(loaded: Loaded, now: datetime) -> dict[str, datetime]:
    """Return the silent seats of people whose own time has ended, and when that was, where a day
    of absence may give them more; none of those to which the rules give orders then (club, 5.3)."""
    if terms(loaded.match.options).leave != "auto":
        return {}
    return clock.out_of_time(facts_of(loaded), now)


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
    facts = facts_of(loaded)
    times = [clock.decide(facts, now).until]
    if silent and not facts.is_alerted:
        times += _times_of_reserve(loaded, now)
    elif since := waits_since(loaded):
        times.append(_reminded_at(loaded.match, since, now))
    return min((time for time in times if time is not None), default=None)


def _times_of_reserve(loaded: Loaded, now: datetime) -> Iterator[datetime | None]:
    """Yield when silent seats may get a day of absence. One that is due stays due until a tick has
    dealt with it; it may be that no day is left."""
    if not has_reserve(loaded):
        return
    wake, ends = loaded.match.wake_at, out_of_time(loaded, _NEVER)
    is_due = wake is not None and wake <= now
    yield from (at for at in ends.values() if at > now or is_due)


def waits_since(loaded: Loaded) -> datetime | None:
    """Return since when a match that is played waits for the game master; None if it does not."""
    alerted = loaded.match.alerted_ply == loaded.match.ply + 1
    if not alerted or not silent_seats(loaded):
        return None
    # Of a reserve, who is silent by now would tell another time.
    return loaded.match.alerted_at if has_reserve(loaded) else clock.absence_at(facts_of(loaded))


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
