"""A clock in doubt: what a tick finds that comes long after the last one, or before it (server).

Theory of operation. No program can tell an outage from a clock that was set wrong. So a tick that
finds a leap notes it, and until the time has run in the ordinary way for long enough, or the
operator says that the clock is right, nothing is done for good because its time has come. What
people send is still taken and carried out. Whether a leap is long depends on what would be done:
in a match on the length of its turns, elsewhere on `max_gap`.

If a clock that was in doubt goes back to where time would be without the leap, it is right again.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from adjudicator.core.message import Message, count, listed, say
from adjudicator.service.base import calendar
from adjudicator.service.base.calendar import in_zone, when
from adjudicator.service.base.context import Context, Progress, Refusal
from adjudicator.service.base.loaded_match import Loaded, Unreadable, load_open
from adjudicator.service.base.next_step import (
    SLACK,
    Adjudicate,
    Default,
    Remind,
    Step,
    came_at,
    complete_at,
)
from adjudicator.service.base.options import terms
from adjudicator.service.base.reserve import has_reserve
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.service.outbox import queue
from adjudicator.store import clubs, daily, matches, wrong_times
from adjudicator.store.clubs import ClubClock, Doubt
from adjudicator.store.database import Store, Tx

LEAST = timedelta(minutes=90)  # ticks are noted to the hour, and some run every half an hour
LONGEST = timedelta(days=1)  # after so long of ordinary ticks no leap is doubted any more
USUAL_GAP = timedelta(days=2)  # where `max_gap` is 0, and something is deleted


def judged(clock: ClubClock, now: datetime) -> Doubt | None:
    """Return the doubt after a tick at `now`."""
    last, doubt = clock.last_tick, clock.doubt
    if last is None:
        return None
    gap = now - last
    went_back = gap < -SLACK
    if doubt is not None and not went_back and gap <= abs(doubt.leap):
        if now - doubt.since < min(LONGEST, abs(doubt.leap) / 2):
            return doubt
    elif doubt is not None:
        leap = now - doubt.right_at - max(last - doubt.since, timedelta())
        is_right = now >= doubt.right_at - SLACK and leap <= LEAST
        return None if is_right else Doubt(doubt.right_at, now, leap)
    return Doubt(last, now, gap) if went_back or gap > LEAST else None


def is_long(doubt: Doubt | None, context: Context) -> bool:
    """Return whether nothing may be started or ended because its time has come."""
    return doubt is not None and context.max_gap is not None and abs(doubt.leap) > context.max_gap


def forbids_deleting(doubt: Doubt | None, context: Context) -> bool:
    """Return whether nobody knows how old anything is; also where `max_gap` is 0."""
    return doubt is not None and abs(doubt.leap) > (context.max_gap or USUAL_GAP)


def long_for(options: Mapping[str, str], context: Context) -> timedelta | None:
    """Return how long a gap is ordinary for a match, by the length of its turns; None if any is."""
    if context.max_gap is None:
        return None
    turn = calendar.period(terms(options).deadline) + SLACK
    return min(context.max_gap, max(LEAST, turn))


def is_told(doubt: Doubt) -> bool:
    """Return whether a leap is so long that the operator should know of it, in whatever club."""
    return abs(doubt.leap) > USUAL_GAP


def of_match(tx: Tx, options: Mapping[str, str], context: Context) -> Doubt | None:
    """Return the doubt in which the time of a match is; None if it is in none."""
    most, doubt = long_for(options, context), clubs.clock_of(tx).doubt
    return doubt if doubt is not None and most is not None and abs(doubt.leap) > most else None


def of_club(tx: Tx, context: Context) -> bool:
    """Return whether what is not a match's may be started or ended now."""
    return is_long(clubs.clock_of(tx).doubt, context)


def certain_step(loaded: Loaded, step: Step | None, doubt: Doubt, now: datetime) -> Step | None:
    """Return that step if it is right whatever the clock says: the turn is adjudicated because all
    orders are in and have settled. A reminder does no harm. All else waits."""
    if not isinstance(step, (Adjudicate, Default)):
        return step if isinstance(step, Remind) else None
    complete = complete_at(loaded, now)
    if complete is None or now < complete:
        return None  # it is the deadline
    if _is_charged_after(loaded, doubt.right_at):
        return None  # a reserve pays for time that nobody knows
    if _latest(loaded, now) > doubt.right_at or complete <= doubt.right_at:
        return step
    return step if now - doubt.since >= complete - doubt.right_at else None


def _is_charged_after(loaded: Loaded, moment: datetime) -> bool:
    """Return whether a reserve would be charged up to a time after that moment."""
    due = loaded.match.deadline_at
    if due is None or not has_reserve(loaded):
        return False
    times = [loaded.sheets[seat].received_at for seat in loaded.awaited if seat in loaded.sheets]
    return any(due < at and at > moment for at in times)


def _latest(loaded: Loaded, now: datetime) -> datetime:
    """Return when the last of the orders came that the turn awaits."""
    sheets = (loaded.sheets[seat] for seat in loaded.awaited if seat in loaded.sheets)
    return max((came_at(loaded, one, now) for one in sheets), default=loaded.since)


def look(
    store: Store, clock: ClubClock, *, sure: bool, now: datetime, context: Context
) -> Generator[Progress, None, Doubt | None]:
    """Judge the clock in a tick, before anything is done; return the doubt in which it is. With
    `sure` the operator says that it is right."""
    if clock.doubt is None and judged(clock, now) is None:
        return None
    with store.transaction() as tx:
        clock = clubs.clock_of(tx)
        doubt = None if sure else judged(clock, now)
        if doubt != clock.doubt:
            clubs.put_doubt(tx, doubt)
        if clock.last_tick is None or now >= clock.last_tick - SLACK:
            return doubt
        told = _of_wrong_time(tx, clock.last_tick, now)
        wrong_times.put_right(tx, clock.last_tick, now)
        if told is not None:
            queue.queue_warning(tx, told, now=now, context=context)
    if told is not None:
        yield Progress(told, urgent=True)
    yield from _move_deadlines(store, clock.last_tick, now, context)
    return doubt


def _move_deadlines(
    store: Store, last: datetime, now: datetime, context: Context
) -> Iterator[Progress]:
    """Take back the deadlines of turns that opened by the clock that ran ahead, by as much as it
    was set back; all players are told."""
    with store.reading() as tx:
        names = wrong_times.opened_after(tx, now + SLACK)
    for name in names:
        told: Message | None = None
        with suppress(Unreadable, Refusal), store.transaction() as tx:
            told = _move_deadline(tx, name, last - now, now, context)
        if told is not None:
            yield Progress(told, name)


def _move_deadline(
    tx: Tx, name: str, by: timedelta, now: datetime, context: Context
) -> Message | None:
    loaded = load_open(tx, name)
    due = loaded.match.deadline_at
    if due is None or loaded.since <= now + SLACK:
        return None  # another worker did it, or a later turn has come
    due = max(due - by, now)
    matches.update(tx, loaded.match.id, deadline_at=due, reminded_ply=None)
    daily.look_again(tx, loaded.match.id)
    news = say("The club's clock was wrong. The deadline is now {when}.", when=when(due))
    tell_all(tx, loaded, "deadline", news, now=now, context=context)
    return say("the clock was wrong; the deadline is now {when}", when=in_zone(due, "UTC"))


def _of_wrong_time(tx: Tx, last: datetime, now: datetime) -> Message | None:
    """Say what was done by the clock that ran ahead; None if nothing was."""
    done = wrong_times.done_after(tx, now + SLACK)
    lines = [
        say("turns played in {matches}", matches=", ".join(done.played)) if done.played else None,
        say("begun: {matches}", matches=", ".join(done.begun)) if done.begun else None,
        say("put on hold: {matches}", matches=", ".join(done.held)) if done.held else None,
        say("rounds paired in {names}", names=", ".join(done.paired)) if done.paired else None,
        count("{n} offer ended", "{n} offers ended", done.offers) if done.offers else None,
    ]
    told = [line for line in lines if line is not None]
    if not told and last - now <= USUAL_GAP:
        return None
    if not told:
        return say(
            "the clock is behind the last tick, {when}. Nothing was done in between for good; "
            "emails that were due by then have gone out",
            when=in_zone(last, "UTC"),
        )
    return say(
        "the clock is behind the last tick, {when}. If it is right now, this was done at a wrong "
        "time: {done}. Deadlines that followed from it are moved back",
        when=in_zone(last, "UTC"),
        done=listed(told),
    )


def tell_of_waiting(
    store: Store, what: Message, *, now: datetime, context: Context
) -> Iterator[Progress]:
    """Tell the operator, once for each doubt, that something is not done though its time has
    come."""
    with store.reading() as tx:
        doubt = clubs.clock_of(tx).doubt
    if doubt is None:
        return
    told = say(
        "{what}: its time has come, but `adjud tick` had not run since {when}, or the clock is "
        "wrong. So nothing is started, ended or deleted for now. If the clock is right, run "
        "`adjud tick --sure`; otherwise this waits until ticks have run as usual for a day",
        what=what,
        when=in_zone(doubt.right_at, "UTC"),
    )
    about = f"clock/{doubt.since:%Y%m%dT%H%M%S}"
    with store.transaction() as tx:
        is_new = queue.queue_warning_once(tx, about, told, now=now, context=context)
    if is_new:
        yield Progress(told, urgent=True)
