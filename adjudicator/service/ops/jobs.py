"""The table of jobs: the work of a tick that is neither reading nor sending emails.

The jobs are done in the order of the table; those `AFTER` the emails have gone walk
through all matches, or through all that is old. Only the store is imported here, and what a job is
about when there may be something to do: a tick that finds nothing needs no more. To add a job, add
a row here, and its functions where it belongs; tests/service/test_jobs.py tests each row.

A job finds the keys of what is due and does a step for each, in a transaction that looks again
whether it is due; so whatever is killed is done by the next tick, and two workers do nothing twice.
A fault in a step, or in a job, stops nothing else (`outbox/faults`), and what it had begun is taken
back; only a fault of the database ends the jobs.
"""

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from time import monotonic
from typing import Any

from msgspec import structs

from adjudicator.service.base.context import Keep, OpenClub, Progress, Session
from adjudicator.service.base.jobs import DueItem, Job, Tick, Told, Work, isolate
from adjudicator.store import (
    clubs,
    guests,
    inbox,
    ladders,
    matches,
    offers,
    players,
    rows,
    tournaments,
    upkeep,
)
from adjudicator.store.clubs import SLACK
from adjudicator.store.database import Store, Tx
from adjudicator.store.offers import Offer, Search

PRECISION = timedelta(hours=1)  # how exact the noted time is, so that not every tick writes


def before_delivery(
    store: Store, tick: Tick, begun: float | None = None
) -> Generator[Progress, None, Tick | None]:
    """Do the jobs before emails go out; return the tick with what is known by then, None if a fault
    keeps us from knowing what is due. `begun` is what the clock that is never set showed at the
    time of the tick, if emails were read since."""
    known: list[Tick] = []
    report = partial(report_fault, store, tick, job="what is due")
    yield from isolate(_look(store, tick, known), report)
    if not known:
        return None
    tick = known[0]
    yield from run(store, FIRST, tick)
    if tick.overdue:
        spared = set(tick.overdue)  # all of them, if it cannot be found out which
        look = _hold_back(store, tick, begun, spared)
        yield from isolate(look, partial(report_fault, store, tick, job="silent seats"))
        tick = structs.replace(tick, matches=[one for one in tick.matches if one not in spared])
    yield from run(store, BEFORE, tick)
    return tick


def after_delivery(store: Store, tick: Tick) -> Iterator[Progress]:
    """Do the jobs that come after the emails."""
    return run(store, AFTER, tick)


def _look(store: Store, tick: Tick, known: list[Tick]) -> Iterator[Progress]:
    """Find the matches at which to look."""
    with store.reading() as tx:
        clock = clubs.clock_of(tx)
        due = matches.due(tx, tick.now)
    known.append(
        structs.replace(
            tick,
            matches=[tick.match] if tick.match else [*due],
            overdue=[name for name in due if due[name] and tick.match in (None, name)],
            clock=clock,
            is_first_of_day=bool(clock.last_tick and clock.last_tick.date() != tick.now.date()),
        )
    )
    yield from ()


def _hold_back(
    store: Store, tick: Tick, begun: float | None, spared: set[str]
) -> Iterator[Progress]:
    """Keep of the matches whose time is up those with silent seats whose orders may lie unread."""
    from adjudicator.service.matches import outage

    club = OpenClub(store, tick.now, tick.context)
    unheld = yield from outage.hold_back(club, tick.overdue)
    spent = timedelta(seconds=0 if begun is None else monotonic() - begun)
    left = outage.left_waiting(club, tick.overdue, until=tick.now + spent)
    spared.intersection_update({*left, *unheld})


# What there may be to do, as the store knows it.


def _clock_leapt(tx: Tx, tick: Tick) -> bool:
    """Return whether the clock may be in doubt, or no longer be."""
    doubt = tick.clock.doubt
    return tick.sure or (doubt is not None and bool(doubt.leap)) or _is_to_note(tx, tick)


def _is_to_note(tx: Tx, tick: Tick) -> bool:
    """Return whether this tick must be written down."""
    last, gap = tick.clock.last_tick, tick.context.max_gap
    precision = min(PRECISION, gap / 4) if gap else PRECISION
    return last is None or tick.now - last >= precision or tick.now < last - SLACK


def _has_later_orders(tx: Tx, tick: Tick) -> object:
    """Return whether orders have a time that has not come, by a clock that no tick saw; asked about
    once an hour. After a leap that was seen, nothing is sure before the doubt is over."""
    if not _is_to_note(tx, tick):
        return False
    doubt = clubs.clock_of(tx).doubt  # as the job before has noted it
    is_sure = doubt is None or not doubt.leap
    return is_sure and clubs.matches_with_later_orders(tx, tick.now)


def _is_busy(tx: Tx, tick: Tick) -> bool:
    return bool(tick.matches) or tick.is_first_of_day


def _keeps(tx: Tx, tick: Tick) -> bool:
    return tick.is_first_of_day and tick.context.keep != Keep()


# The functions of each job.


def _put_off_offer(tx: Tx, offer_id: int, until: datetime) -> None:
    rows.change(tx, Offer, offer_id, expires_at=until)


def _put_off_search(tx: Tx, search_id: int, until: datetime) -> None:
    rows.change(tx, Search, search_id, next_at=until)


def _deadlines() -> Work:
    from adjudicator.service.matches import doubt

    return Work(doubt.matches_ahead_of_clock, doubt.move_deadline)


def _set_back() -> Work:
    from adjudicator.service.matches import doubt

    return Work(doubt.matches_with_clock_set_back, doubt.tell_set_back)


def _clock() -> Work:
    from adjudicator.service.matches import doubt

    return Work(doubt.due, doubt.note)


def _later_orders() -> Work:
    from adjudicator.service.matches import doubt

    return Work(doubt.matches_with_later_orders, doubt.put_orders_right)


def _restored() -> Work:
    from adjudicator.service.ops import restored

    return Work(restored.due, restored.tell)


def _waiting_offers() -> Work:
    from adjudicator.service.club.offers import answering

    return Work(answering.waiting, answering.tell_of_waiting)


def _offers() -> Work:
    from adjudicator.service.club.offers import answering

    return Work(answering.due, answering.expire, put_off=_put_off_offer)


def _guests() -> Work:
    from adjudicator.service.club.offers import guests

    return Work(guests.due, guests.expire, put_off=guests.put_off)


def _numbers() -> Work:
    from adjudicator.service.matches import entering

    return Work(entering.due, entering.enter, entering.fetch, entering.pass_over)


def _numbers_of_tournaments() -> Work:
    from adjudicator.service.competition import numbers
    from adjudicator.service.matches import entering

    return Work(numbers.due, numbers.enter, entering.fetch, entering.pass_over)


def _matches() -> Work:
    from adjudicator.service.matches import adjudication

    return Work(adjudication.due, adjudication.advance, on_fault=adjudication.hold)


def _substitutes() -> Work:
    from adjudicator.service.club.offers import substitutes as searches

    return Work(searches.due, searches.advance, put_off=_put_off_search)


def _waiting_tournaments() -> Work:
    from adjudicator.service.competition import rounds

    return Work(rounds.waiting, rounds.tell_of_waiting)


def _tournaments() -> Work:
    from adjudicator.service.competition import rounds

    return Work(rounds.due, rounds.advance)


def _pairings() -> Work:
    from adjudicator.service.competition import rounds

    return Work(rounds.matches_to_make, rounds.make_match, on_fault=rounds.put_on_hold)


def _ladders() -> Work:
    from adjudicator.service.competition import ladders

    return Work(ladders.due, ladders.settle)


def _addresses() -> Work:
    from adjudicator.service.club import people

    return Work(people.due_to_remind, people.remind_of_address)


def _joinings() -> Work:
    from adjudicator.service.club import people

    return Work(people.joinings, people.remind_of_joinings)


def _unsigned() -> Work:
    from adjudicator.service.inbound import routing

    return Work(routing.due_to_tell, routing.tell_of_unsigned)


def _choices() -> Work:
    from adjudicator.service.club import unknown_choices

    return Work(unknown_choices.due, unknown_choices.tell)


def _noting() -> Work:
    return Work(_to_note, _note)


def _to_note(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key; but not if nothing waits for any time, for then nothing can be missed."""
    known = clubs.clock_of(tx).doubt
    doubted = known is not None and bool(known.leap)
    waits = tick.is_first_of_day or doubted or upkeep.waits_for_time(tx)
    return [DueItem("tick")] if waits else []


def _note(s: Session, _key: str) -> Told:
    clubs.note_tick(s.tx, s.now)
    return ()


def _unreadable() -> Work:
    from adjudicator.service.matches import outage

    return Work(outage.unread_matches, outage.hold_unread)


def _old_emails() -> Work:
    from adjudicator.service.ops import archiving

    return Work(archiving.old_emails, archiving.forget_emails)


def _old_reports() -> Work:
    from adjudicator.service.ops import archiving

    return Work(archiving.old_reports, archiving.drop_reports, counted=archiving.reports_gone)


def _long_ended() -> Work:
    from adjudicator.service.ops import archiving

    return Work(archiving.long_ended, archiving.reduce_ended, counted=archiving.message_for_reduced)


def _old_digests() -> Work:
    from adjudicator.service.club.offers import wishes

    return Work(wishes.old_digests, wishes.forget_digests)


def _secret_faults() -> Work:
    from adjudicator.service.outbox import faults

    return Work(faults.no_longer_secret, faults.tell_when_over)


def _old_faults() -> Work:
    from adjudicator.service.outbox import faults

    return Work(faults.old, faults.forget)


def _old_bytes() -> Work:
    from adjudicator.service.inbound import collecting

    return Work(collecting.old_bytes, collecting.forget_bytes)


# The table. What comes FIRST is done before it is judged who is silent.

FIRST: Sequence[Job] = (
    Job("clock set back", _clock_leapt, _set_back, is_of_one_match=True),
    Job("deadlines of a wrong clock", _clock_leapt, _deadlines, is_of_one_match=True),
    Job("clock", _clock_leapt, _clock, is_of_one_match=True),
    Job("orders of a wrong clock", _has_later_orders, _later_orders),
    Job("restored", lambda tx, tick: clubs.restores_to_tell(tx), _restored, is_of_one_match=True),
)

BEFORE: Sequence[Job] = (
    Job("waiting offers", _clock_leapt, _waiting_offers),
    Job(
        "offers",
        lambda tx, tick: offers.is_due(tx, tick.now),
        _offers,
        needs_sure_clock=True,
    ),
    Job(
        "guests",
        lambda tx, tick: rows.is_so(tx, guests.IS_DUE, now=tick.now),
        _guests,
        needs_sure_clock=True,
    ),
    Job(
        "numbers",
        lambda tx, tick: tick.context.fetcher and matches.waiting_for_number(tx),
        _numbers,
        is_of_one_match=True,
    ),
    Job(
        "numbers of tournaments",
        lambda tx, tick: tick.context.fetcher and tournaments.waiting_for_number(tx),
        _numbers_of_tournaments,
    ),
    Job("matches", lambda tx, tick: tick.matches, _matches, repeats=True, is_of_one_match=True),
    Job("substitutes", lambda tx, tick: offers.is_search_due(tx, tick.now), _substitutes),
    Job("waiting tournaments", _clock_leapt, _waiting_tournaments),
    Job(
        "tournaments",
        lambda tx, tick: tick.is_first_of_day or rows.is_so(tx, tournaments.IS_DUE, now=tick.now),
        _tournaments,
        repeats=True,
        needs_sure_clock=True,
    ),
    Job(
        "pairings",
        lambda tx, tick: rows.is_so(tx, tournaments.IS_UNMADE),
        _pairings,
        needs_sure_clock=True,
    ),
    Job(
        "ladders",
        lambda tx, tick: rows.is_so(tx, ladders.IS_TO_SETTLE),
        _ladders,
        needs_sure_clock=True,
    ),
    Job("addresses", lambda tx, tick: players.is_to_remind_of_any(tx, tick.now), _addresses),
    Job("joinings", lambda tx, tick: players.is_to_remind_of_joinings(tx, tick.now), _joinings),
    Job("unsigned", lambda tx, tick: clubs.number_of_unsigned(tx), _unsigned, is_of_one_match=True),
    Job("choices", _is_busy, _choices),
    Job("noting", lambda tx, tick: not tick.is_first_of_day and _is_to_note(tx, tick), _noting),
)

KEEPING: Sequence[Job] = (
    Job("old emails", _keeps, _old_emails, repeats=True, deletes=True),
    Job("old reports", _keeps, _old_reports, deletes=True),
    Job("long ended", _keeps, _long_ended, deletes=True),
)


AFTER: Sequence[Job] = (
    Job("unreadable", lambda tx, tick: tick.is_first_of_day, _unreadable),
    *KEEPING,
    Job(
        "secret faults",
        lambda tx, tick: tick.is_first_of_day and upkeep.is_job_fault_to_tell(tx),
        _secret_faults,
    ),
    Job("old faults", lambda tx, tick: tick.is_first_of_day, _old_faults, deletes=True),
    Job("old digests", lambda tx, tick: tick.is_first_of_day, _old_digests, deletes=True),
    # This comes behind them, so that the tick after a killed one still knows what that one knew.
    Job("first of the day", lambda tx, tick: tick.is_first_of_day, _noting),
    Job(
        "old bytes",
        lambda tx, tick: inbox.has_old_bytes(tx, tick.now - inbox.REMEMBERED),
        _old_bytes,
        deletes=True,
    ),
)

COMPUTER_ORDERS = 10_000  # of a job at most; the next tick goes on


def run(store: Store, jobs: Iterable[Job], tick: Tick) -> Iterator[Progress]:
    """Do these jobs in their order, and tell each thing as soon as it is done."""
    waiting = deque(job for job in jobs if tick.match is None or job.is_of_one_match)
    while waiting:
        try:
            found = _next_due(store, waiting, tick)
        except Exception as fault:
            yield from report_fault(store, tick, fault, job=waiting.popleft().name)
            continue
        if found is not None:
            job, work, due = found
            report = partial(report_fault, store, tick, job=job.name)
            yield from isolate(_do(store, job, work, due, tick), report)


def _next_due(
    store: Store, waiting: deque[Job], tick: Tick
) -> tuple[Job, Work, Sequence[DueItem]] | None:
    """Take the jobs from the queue up to the first that has something to do, and return that one;
    if one cannot be asked, it is left at the head. All are asked in one transaction, for to begin
    one takes longer than to ask."""
    with store.reading() as tx:
        while waiting:
            job = waiting[0]
            if job.asks(tx, tick) and not _waits(tx, job, tick):
                work = job.work()
                due = work.due(tx, tick)
                return waiting.popleft(), work, due
            waiting.popleft()
    return None


def _do(
    store: Store, job: Job, work: Work, due: Sequence[DueItem], tick: Tick
) -> Iterator[Progress]:
    steps = computer_orders = 0
    for item in due:
        try:
            for told in _steps(store, job, work, item, tick):
                steps += 1
                computer_orders += sum(one.computer_orders for one in told)
                yield from told
                if computer_orders >= COMPUTER_ORDERS:
                    break
        except Exception as fault:
            yield from report_fault(store, tick, fault, job=job.name, work=work, item=item)
        if computer_orders >= COMPUTER_ORDERS:
            break
    if work.counted is not None and steps:
        yield Progress(work.counted(steps))


def _waits(tx: Tx, job: Job, tick: Tick) -> bool:
    """Return whether the clock is too much in doubt for a job."""
    if tick.sure or not (job.needs_sure_clock or job.deletes):
        return False
    from adjudicator.service.matches import doubt  # a tick with nothing to do does not need it

    known = doubt.forbids_deleting if job.deletes else doubt.stops_club
    return known(tx, tick.context)


def _steps(
    store: Store, job: Job, work: Work, item: DueItem, tick: Tick
) -> Iterator[Sequence[Progress]]:
    """Do what is due of one thing: one step, or, if the job repeats, all of them. Yield what each
    of them tells."""
    key = item.key if work.prepare is None else work.prepare(item.key, tick)
    while key is not None:
        with OpenClub(store, tick.now, tick.context).session() as s:
            told = _as_sequence(work.step(s, key))
        if told is None:
            return
        yield told
        if not job.repeats or any(one.sleeps for one in told):
            return


def _as_sequence(told: Told) -> Any:
    return (told,) if isinstance(told, Progress) else told


def report_fault(
    store: Store,
    tick: Tick,
    fault: Exception,
    *,
    job: str,
    work: Work | None = None,
    item: DueItem | None = None,
) -> Iterator[Progress]:
    """Deal with a fault in a job, or in one thing that is due there."""
    from adjudicator.service.outbox import faults  # most ticks have none

    return faults.report(store, job, work, item, tick, fault)
