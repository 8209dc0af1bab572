"""What a match waits for, and until when (emails, section 7).

Theory of operation. The decision itself is `core/clock.decide`. These functions see a loaded match
and the time, and but for `reschedule` they change nothing. `service/matches/adjudication` asks them
in a transaction that holds the match's row, does the one step that is due, notes it and commits.
The tick calls it again until nothing is due. If the program is killed before the commit, nothing
has happened and the next tick decides the same; after it, the note keeps the step from being done
twice. The same transaction notes when a tick must look at the match again (`reschedule`), so that a
tick leaves all other matches alone.

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

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from msgspec import Struct

from adjudicator.core import clock
from adjudicator.core.chain import HolderChange, Opening, PlyText, Ruled
from adjudicator.core.clock import ClockFacts, SeatTime, Step, Timing
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.resources import zone_of
from adjudicator.service.base import calendar
from adjudicator.service.base.bank import A_SECOND, NOTHING, Bank, Running
from adjudicator.service.base.calendar import A_DAY, OF_MATCH, Away, Never
from adjudicator.service.base.loaded_match import Loaded, MatchSession, load, refuse_unopened
from adjudicator.service.base.options import Terms, options_after, terms
from adjudicator.store import matches, players
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match
from adjudicator.store.offers import Search
from adjudicator.store.players import Absence
from adjudicator.store.submissions import DEFAULT

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
    return clock.decide(facts_of(loaded), now)


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
    times = [clock.until(facts, now)]
    if silent and not facts.is_alerted:
        times += _times_of_reserve(loaded, now)
    elif since := waits_since(loaded):
        times.append(_reminded_at(loaded.match, since, now))
    return min((time for time in times if time is not None), default=None)


def reschedule(session: MatchSession) -> None:
    """Note when `tick` must look at the match again."""
    loaded = session.loaded
    refuse_unopened(loaded)
    wake = wake_at(loaded, session.now)
    if wake != loaded.match.wake_at:
        matches.update(session.tx, loaded.match.id, wake_at=wake)
        session.mark_changed()


def reload_and_reschedule(tx: Tx, loaded: Loaded, now: datetime) -> Loaded:
    """Load the match as it is in this transaction, and note when `tick` must look at it again."""
    session = MatchSession(tx, load(tx, loaded.match.name), now)
    reschedule(session)
    return session.loaded


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


# Until when the orders of a match are due: by its calendar and its players' absences, and by each
# seat's own time in a match with a reserve, whose bank changes with each ply (club, 5.2).
#
# Whose orders are here the reserve asks only to charge for them, in the ply that adjudicates them.


class Balance(Struct, frozen=True):
    """What a seat's bank holds, in seconds, and in how many adjudications it was awaited."""

    bank: int
    turns: int


def has_reserve(loaded: Loaded) -> bool:
    return terms(loaded.match.options).has_reserve


def running(
    loaded: Loaded, seat: str, *, known: datetime | None = None, given: bool = True
) -> Running:
    """Return what of the time runs for a seat.

    With `known` it is without days of absence of which nobody knew at that time; unless `given`
    without those that a silent player was given.
    """
    agreed = terms(loaded.match.options)
    days = given_days(loaded, seat)
    away = (
        one
        for one in loaded.away.get(seat, ())
        if (known is None or one.created_at <= known)
        and (not one.auto or (given and one.first in days))
    )
    return Running(
        zone=agreed.zone,
        skip=agreed.skip,
        away=tuple(Away(zone_of(one.zone), one.first, one.last) for one in away),
        double=agreed.double,
    )


def given_days(loaded: Loaded, seat: str) -> frozenset[date]:
    """Return the days that a seat's player was given for silence and on which the time of this
    match does not run: no more than were agreed, whichever of his matches they were given for."""
    opened, agreed = loaded.match.created_at, terms(loaded.match.options)
    days = sorted(
        one.first
        for one in loaded.away.get(seat, ())
        if one.auto and one.first >= opened.astimezone(zone_of(one.zone)).date()
    )
    return frozenset(days[: agreed.leave_days])


def own_end(
    loaded: Loaded, seat: str, *, known: datetime | None = None, given: bool = True
) -> datetime | None:
    """Return when a seat's own time ends, Z; None if the turn has no deadline. Without a reserve it
    is the deadline."""
    if not has_reserve(loaded):
        return loaded.match.deadline_at
    return _drawn_at(loaded, seat, _balance(loaded, seat), known, given=given)


def half_drawn(loaded: Loaded, seat: str) -> datetime | None:
    """Return when half of a seat's bank is drawn; None if it holds nothing."""
    balance = _balance(loaded, seat)
    return _drawn_at(loaded, seat, balance / 2, None) if balance else None


def has_reserve_until(
    loaded: Loaded, seat: str, *, known: datetime | None = None
) -> datetime | None:
    """Return until when a seat has time with its bank, to be told to its holder alone; None if it
    is not awaited, or has none beyond the deadline."""
    if seat not in loaded.awaited or terms(loaded.match.options).bank is None:
        return None
    ends, deadline = own_end(loaded, seat, known=known), loaded.match.deadline_at
    return None if ends == deadline else ends


def message_for_reserve(ends: datetime) -> Message:
    """Say until when a seat has time with its reserve."""
    return say("With your reserve, you have until {when}.", when=calendar.when(ends))


def _balance(loaded: Loaded, seat: str) -> timedelta:
    return (loaded.holders[seat].bank or 0) * A_SECOND


def _drawn_at(
    loaded: Loaded, seat: str, drawn: timedelta, known: datetime | None, *, given: bool = True
) -> datetime | None:
    deadline = loaded.match.deadline_at
    if deadline is None:
        return None
    return running(loaded, seat, known=known, given=given).lasts_until(deadline, drawn)


def after_ply(loaded: Loaded, ordering: Collection[str], now: datetime) -> Mapping[str, Balance]:
    """Return the balances of the seats whose orders a ply adjudicates now; none without a bank."""
    bank = terms(loaded.match.options).bank
    if bank is None:
        return {}
    found = {}
    for seat in loaded.seats:
        if seat in ordering:
            turns = loaded.holders[seat].turns + 1
            drawn = _charge(loaded, seat, now)
            balance = bank.after(loaded.holders[seat].bank or 0, drawn, turns)
            found[str(seat)] = Balance(balance, turns)
    return found


def _charge(loaded: Loaded, seat: str, now: datetime) -> int:
    """Return what is charged to a seat for its orders, in seconds; for those that came by a clock
    that ran ahead, what has run by now."""
    deadline, sheet = loaded.match.deadline_at, loaded.sheets[seat]
    balance = loaded.holders[seat].bank or 0
    if sheet.channel == DEFAULT:
        is_opening = loaded.match.ply == 0 and loaded.game.rules.opens_at_once
        in_time = deadline is None or sheet.received_at < deadline
        return 0 if is_opening and in_time else balance
    if deadline is None or sheet.in_advance:
        return 0
    drawn = running(loaded, seat).cost_of_delay(deadline, min(sheet.received_at, now))
    return min(balance, max(NOTHING, drawn) // A_SECOND)


def balances(loaded: Loaded) -> Mapping[str, int] | None:
    """Return what the bank of each seat holds, in seconds; None without a bank."""
    if terms(loaded.match.options).bank is None:
        return None
    return {str(seat): loaded.holders[seat].bank or 0 for seat in loaded.seats}


def reserves_after(
    opening: Opening, entries: Sequence[PlyText], seats: Sequence[str]
) -> dict[str, int] | None:
    """Return what the reserve of each seat holds after these plies, in seconds, as the log tells
    it; None without a bank."""
    options = dict(opening.options)
    held = _reserves_begun(None, terms(options).bank, seats)
    for entry in entries:
        held = reserves_decided(held, options, entry.rulings, entry.holders, seats)
        options = options_after(options, (act for one in entry.rulings for act in one.acts))
        if held is not None and entry.bank:
            held = {seat: entry.bank.get(seat, n) for seat, n in held.items()}
    return held


def reserves_decided(
    held: dict[str, int] | None,
    options: Mapping[str, str],
    rulings: Iterable[Ruled],
    holders: Iterable[HolderChange],
    seats: Sequence[str],
) -> dict[str, int] | None:
    """Return what the reserves hold once rulings were made and seats given away, of which each came
    in its time: a seat that is given away then has at least half of the START of that moment."""
    given = [*holders]
    for ruled in rulings:
        while given and given[0].at <= ruled.at:
            held = _with_new_holder(held, terms(options).bank, given.pop(0).seat)
        if (after := options_after(options, ruled.acts)) != options:
            options = after
            held = _reserves_begun(held, terms(options).bank, seats)
    for one in given:
        held = _with_new_holder(held, terms(options).bank, one.seat)
    return held


def _reserves_begun(
    held: dict[str, int] | None, bank: Bank | None, seats: Sequence[str]
) -> dict[str, int] | None:
    """Return what the reserves hold once that bank is agreed: what they held, or its START."""
    if bank is None:
        return None
    return dict.fromkeys(seats, bank.start // A_SECOND) if held is None else held


def _with_new_holder(
    held: dict[str, int] | None, bank: Bank | None, seat: str
) -> dict[str, int] | None:
    if held is None or bank is None or seat not in held:
        return held
    return {**held, seat: max(held[seat], bank.half)}


def fresh(
    tx: Tx,
    options: Mapping[str, str],
    people: Iterable[int | None],
    now: datetime,
    pace: float = 1.0,
) -> datetime | None:
    """Return the deadline one period from now, for a turn that awaits these people.

    With `pace` it is that share of the period.
    """
    agreed = terms(options)
    if isinstance(agreed.deadline, calendar.Never):
        return None
    away = _away(tx, agreed, people)
    due = calendar.next_deadline(agreed.deadline, agreed.zone, now, agreed.skip, away)
    return due if due is None or pace == 1 else now + pace * (due - now)


def one_more(tx: Tx, loaded: Loaded, now: datetime) -> datetime | None:
    """Return the deadline one period after the present one or, after a long pause, from now."""
    match, people = loaded.match, people_of(loaded, loaded.awaited)
    if match.deadline_at is None:
        return None
    later = fresh(tx, match.options, people, match.deadline_at)
    return fresh(tx, match.options, people, now) if later is None or later <= now else later


def anew(tx: Tx, loaded: Loaded, now: datetime) -> datetime:
    """Return until when a turn has that gets its whole time again; without a deadline it is a week.

    If the match's calendar has its next deadline in less than half of the usual time, it is the one
    after that.
    """
    agreed, people = terms(loaded.match.options), people_of(loaded, loaded.awaited)
    usual = loaded.game.rules.pace(loaded.state) * calendar.period(agreed.deadline)
    due = fresh(tx, loaded.match.options, people, now, loaded.game.rules.pace(loaded.state))
    if due is not None and due - now < usual / 2:
        due = fresh(tx, loaded.match.options, people, due)
    return now + usual if due is None else due


def move_past_free_days(tx: Tx, loaded: Loaded, moment: datetime) -> datetime:
    """Return `moment`, moved past the days that the match skips and the absence of awaited
    players."""
    agreed = terms(loaded.match.options)
    away = _away(tx, agreed, people_of(loaded, loaded.awaited))
    return calendar.first_free_moment(moment, agreed.zone, agreed.skip, away)


def start_of_hold(loaded: Loaded, now: datetime) -> datetime:
    """Return since when no time has passed in a match: since it was put on hold, else `now`.

    A hold that a clock wrote which ran ahead begins now, and one that is older than the turn, by a
    clock that ran behind, with the turn: no hold may take time from anybody, nor give years.
    """
    held_at = loaded.match.held_at
    if held_at is None or held_at > now:
        return now
    return max(held_at, loaded.since) if loaded.since <= now else held_at


def people_of(loaded: Loaded, seats: Iterable[str]) -> list[int | None]:
    """Return the players of these seats; None for a seat that no person holds."""
    return [loaded.holders[seat].player_id for seat in seats if seat in loaded.holders]


def _away(tx: Tx, agreed: Terms, people: Iterable[int | None]) -> list[Away]:
    """Return the announced absences of these people. Days that were given to a silent player move
    no deadline, for all would see that."""
    if agreed.leave == "none":
        return []
    ids = {one for one in people if one is not None}
    return [
        Away(zone_of(entry.zone), entry.first, entry.last)
        for entry in players.absences_of(tx, sorted(ids))
    ]


def days_of(away: Iterable[Absence]) -> set[date]:
    """Return the days of absences, each once."""
    return {day for one in away for day in days_between(one.first, one.last)}


def days_spent(year: int, days: Iterable[date]) -> int:
    """Return how many of these days are of that year."""
    return sum(day.year == year for day in days)


def days_between(first: date, last: date) -> Iterable[date]:
    return (first + n * A_DAY for n in range((last - first).days + 1))
