"""A clock in doubt: what a tick finds that comes long after the last one, or before it (server).

Theory of operation. No program can tell an outage from a clock that was set wrong. So a tick that
finds a leap notes it, and until the time has run in the ordinary way for long enough, or the
operator says that the clock is right, nothing is done for good because its time has come. What
people send is still taken and carried out. Whether a leap is long depends on what would be done:
in a match on the length of its turns and the `max_gap` with which it began, elsewhere on `max_gap`
as it is set now.

If a clock that was in doubt goes back to where time would be without the leap, it is right again.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from adjudicator.core.acts import ClockPutRight, ClockSetBack, clock_changes
from adjudicator.core.clock import Adjudicate, Default, Remind, Step, complete_at
from adjudicator.core.message import Message, count, listed, say
from adjudicator.service.base import deadlines
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.base.context import Context, Progress, Session
from adjudicator.service.base.deadlines import facts_of, has_reserve
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.loaded_match import Loaded, load_open, rulings_since
from adjudicator.service.base.options import terms
from adjudicator.service.base.outages import LEAST, LONGEST, agreed_gap, longest_gap
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.service.outbox.queue import alert
from adjudicator.store import clubs, daily, matches
from adjudicator.store.clubs import SLACK, ClubClock, Doubt, WrongTime
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match

FAR_AHEAD = timedelta(hours=6)  # what was written less far ahead is left as it is
USUAL_GAP = timedelta(days=2)  # where `max_gap` is 0, and something is deleted


def judge(clock: ClubClock, now: datetime) -> Doubt | None:
    """Return the doubt after a tick at `now`; one that is over has no leap."""
    last, doubt = clock.last_tick, clock.doubt
    if last is None:
        return None
    gap = now - last
    went_back = gap < -SLACK
    # Daily ticks are never a day apart to the minute: a little more is no further leap.
    if doubt is not None and (went_back or (doubt.leap and gap > abs(doubt.leap) + LEAST)):
        leap = _unexplained_time(doubt, last, now)
        if leap <= LEAST and now >= doubt.right_at - SLACK:
            return Doubt(now, now, gap)  # it is right again
        if doubt.leap or is_right_again(clock, now):
            return Doubt(doubt.right_at, now, leap)
    elif doubt is not None and now - doubt.since < _lasts(doubt):
        return doubt
    if went_back or gap > LEAST:
        return Doubt(last, now, gap)
    return doubt and Doubt(doubt.right_at, doubt.since, timedelta())


def _unexplained_time(doubt: Doubt, last: datetime, now: datetime) -> timedelta:
    """Return what of the time since the clock was right neither ticks have seen pass."""
    return now - doubt.right_at - max(last - doubt.since, timedelta())


def is_right_again(clock: ClubClock, now: datetime) -> bool:
    """Return whether a clock that had run ahead was set back to where it may well be right: not
    before the last tick at a right time, and much nearer to that than it was."""
    last, doubt = clock.last_tick, clock.doubt
    if last is None or doubt is None or not doubt.right_at - SLACK <= now < last - SLACK:
        return False
    ahead = doubt.since - doubt.right_at
    return ahead > FAR_AHEAD and _unexplained_time(doubt, last, now) <= max(LEAST, ahead / 10)


def _lasts(doubt: Doubt) -> timedelta:
    """Return for how long a clock that runs as usual is in doubt; if it was found right again, only
    until other ticks that were at work have ended."""
    return SLACK if doubt.right_at == doubt.since else min(LONGEST, abs(doubt.leap) / 2)


def was_set_back(clock: ClubClock, now: datetime) -> bool:
    """Return whether this tick, or one a moment ago, found the clock set back."""
    doubt = clock.doubt
    return doubt is not None and doubt.leap < timedelta() and now - doubt.since < SLACK


def is_long(doubt: Doubt | None, context: Context) -> bool:
    """Return whether nothing may be started or ended because its time has come."""
    return doubt is not None and context.max_gap is not None and abs(doubt.leap) > context.max_gap


def forbids_deleting(tx: Tx, context: Context) -> bool:
    """Return whether nobody knows how old anything is; also where `max_gap` is 0."""
    doubt = clubs.clock_of(tx).doubt
    return doubt is not None and abs(doubt.leap) > (context.max_gap or USUAL_GAP)


def long_for(tx: Tx, match: Match, context: Context) -> timedelta | None:
    """Return how long a gap is ordinary for a match; None if any is."""
    return longest_gap(terms(match.options), agreed_gap(tx, match, context))


def is_worth_telling(doubt: Doubt) -> bool:
    """Return whether a leap is so long that the operator should know of it, in whatever club."""
    return abs(doubt.leap) > USUAL_GAP


def of_match(tx: Tx, match: Match, context: Context) -> Doubt | None:
    """Return the doubt in which the time of a match is; None if it is in none."""
    doubt = clubs.clock_of(tx).doubt
    if doubt is None or not doubt.leap:
        return None
    most = long_for(tx, match, context)
    return doubt if most is not None and abs(doubt.leap) > most else None


def stops_club(tx: Tx, context: Context) -> bool:
    """Return whether the clock is so much in doubt that outside of matches nothing is started or
    ended now because its time has come."""
    return is_long(clubs.clock_of(tx).doubt, context)


def certain_step(loaded: Loaded, step: Step | None, doubt: Doubt, now: datetime) -> Step | None:
    """Return that step if it is right whatever the clock says: the turn is adjudicated because all
    orders are in and have settled. A reminder does no harm. All else waits."""
    if not isinstance(step, (Adjudicate, Default)):
        return step if isinstance(step, Remind) else None
    complete = complete_at(facts_of(loaded))
    if complete is None or now < complete:
        return None  # it is the deadline
    if _is_charged_after(loaded, doubt.right_at):
        return None  # a reserve pays for time that nobody knows
    if _latest(loaded) > doubt.right_at or complete <= doubt.right_at:
        return step
    return step if now - doubt.since >= complete - doubt.right_at else None


def _is_charged_after(loaded: Loaded, moment: datetime) -> bool:
    """Return whether a reserve would be charged up to a time after that moment."""
    due = loaded.match.deadline_at
    if due is None or not has_reserve(loaded):
        return False
    times = [loaded.sheets[seat].received_at for seat in loaded.awaited if seat in loaded.sheets]
    return any(due < at and at > moment for at in times)


def _latest(loaded: Loaded) -> datetime:
    """Return when the last of the orders came that the turn awaits."""
    sheets = (loaded.sheets[seat] for seat in loaded.awaited if seat in loaded.sheets)
    return max((one.received_at for one in sheets), default=loaded.since)


def matches_ahead_of_clock(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the matches whose turns opened by a clock that had run ahead and is right again."""
    ahead = _ran_ahead(clubs.clock_of(tx), tick.now)
    names = [] if ahead is None else clubs.matches_with_turn_begun(tx, ahead)
    return [DueItem((name, ahead), name) for name in names]


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key if something new is known of the clock."""
    clock = clubs.clock_of(tx)
    return [DueItem(tick.sure)] if tick.sure or judge(clock, tick.now) != clock.doubt else []


def note(s: Session, is_sure: bool) -> Told:
    """Note whether the clock is in doubt; tell the operator if it went back."""
    clock = clubs.clock_of(s.tx, lock=True)
    clubs.put_doubt(s.tx, None if is_sure else judge(clock, s.now))
    if clock.last_tick is None or s.now >= clock.last_tick - SLACK:
        return ()
    ahead = _ran_ahead(clock, s.now)
    told = _of_unknown(clock.last_tick, s.now) if ahead is None else _of_wrong_time(s.tx, ahead)
    if ahead is not None:
        clubs.put_times_right(s.tx, ahead)
    clubs.note_tick(s.tx, s.now)  # what lies between is taken back once
    if told is None:
        return ()
    alert(s, told)
    return Progress(told, urgent=True)


def _ran_ahead(clock: ClubClock, now: datetime) -> WrongTime | None:
    """Return in which time the clock ran ahead, if it is right again now."""
    last, doubt = clock.last_tick, clock.doubt
    if last is None or doubt is None or not is_right_again(clock, now):
        return None
    return WrongTime(now + SLACK, last, now)


def move_deadline(s: Session, key: tuple[str, WrongTime]) -> Told:
    """Take back the deadline of a turn that opened by the clock that ran ahead, by as much as it
    was set back; all players are told."""
    (name, ahead) = key
    loaded = load_open(s.tx, name)
    match, deadline = loaded.match, loaded.match.deadline_at
    if deadline is None or loaded.since < ahead.since or _was_moved(s.tx, loaded, ahead):
        return None
    due = (
        deadline - ahead.by if deadline - ahead.by > s.now else deadlines.anew(s.tx, loaded, s.now)
    )
    matches.update(s.tx, match.id, reminded_ply=None)
    daily.look_again(s.tx, match.id)
    tell_all(s, loaded, "deadline", [ClockPutRight(due)])
    told = say("the clock was wrong; the deadline is now {when}", when=in_zone(due, "UTC"))
    return Progress(told, name)


def matches_with_clock_set_back(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return all matches that go on, if the clock was set back. Which of them have something that
    is later than now depends on who has written to the club."""
    last = clubs.clock_of(tx).last_tick
    if last is None or tick.now >= last - SLACK:
        return []
    return [DueItem((name, last), name) for name in matches.names_with_position(tx)]


def tell_set_back(s: Session, key: tuple[str, datetime]) -> Told:
    """Tell all players of a match that the clock was set back."""
    name, before = key
    loaded = load_open(s.tx, name)
    told = ClockSetBack(before.replace(microsecond=0), s.now.replace(microsecond=0))
    made = rulings_since(s.tx, loaded.match, loaded.match.ply)
    if any(act.before == told.before for one in made for act in clock_changes(one.all_acts)):
        return None  # another worker was quicker
    tell_all(s, loaded, "clock", [told])
    return ()


def matches_with_later_orders(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the matches that wait with orders of a time that has not come, which is secret."""
    return [DueItem(name) for name in clubs.matches_with_later_orders(tx, tick.now)]


def put_orders_right(s: Session, name: str) -> Told:
    """Let the orders of such a match count as sent now, and the next tick look at it."""
    loaded = load_open(s.tx, name)
    clubs.put_orders_right(s.tx, loaded.match.id, s.now)
    deadlines.reload_and_reschedule(s.tx, loaded, s.now)
    return ()


def _was_moved(tx: Tx, loaded: Loaded, ahead: WrongTime) -> bool:
    """Return whether the deadline of the turn was moved since the clock is right again."""
    made = rulings_since(tx, loaded.match, loaded.match.ply)
    return any(one.at < ahead.since and one.action in ("deadline", "extend") for one in made)


def _of_wrong_time(tx: Tx, ahead: WrongTime) -> Message | None:
    """Say what was done by the clock that ran ahead; None if nothing was."""
    done = clubs.work_done_then(tx, ahead)
    lines = [
        say("turns played in {matches}", matches=", ".join(done.played)) if done.played else None,
        say("begun: {matches}", matches=", ".join(done.begun)) if done.begun else None,
        say("put on hold: {matches}", matches=", ".join(done.held)) if done.held else None,
        say("rounds paired in {names}", names=", ".join(done.paired)) if done.paired else None,
        count("{n} offer ended", "{n} offers ended", done.offers) if done.offers else None,
    ]
    told = [line for line in lines if line is not None]
    if not told:
        return None
    return say(
        "the clock is behind the last tick, {when}. If it is right now, this was done at a wrong "
        "time: {done}. Deadlines that followed from it are moved back",
        when=in_zone(ahead.last, "UTC"),
        done=listed(told),
    )


def _of_unknown(last: datetime, now: datetime) -> Message | None:
    """Say that the clock went back, and nobody knows which of the times was wrong."""
    if last - now <= USUAL_GAP:
        return None
    return say(
        "the clock is behind the last tick, {when}: it was wrong until now, or it is wrong now. "
        "`date` shows it",
        when=in_zone(last, "UTC"),
    )


def tell_of_waiting(s: Session, what: Message) -> Progress | None:
    """Tell the operator, once for each doubt, that something is not done though its time has
    come."""
    doubt = clubs.clock_of(s.tx).doubt
    if doubt is None or doubt.right_at == doubt.since:
        return None
    told = say(
        "{what}: its time has come, but `adjud tick` had not run since {when}, or the clock is "
        "wrong. So nothing is started, ended or deleted for now. If the clock is right, run "
        "`adjud tick --sure`; otherwise this waits until ticks have run as usual for a day",
        what=what,
        when=in_zone(doubt.right_at, "UTC"),
    )
    about = f"clock/{doubt.since:%Y%m%dT%H%M%S}"
    is_new = alert(s, told, about, once="ever")
    return Progress(told, urgent=True) if is_new else None
