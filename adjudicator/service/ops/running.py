"""Do the jobs of a table, each thing in a transaction of its own.

Theory of operation. A job finds the keys of what is due and does a step for each, in a transaction
that looks again whether it is due; so whatever is killed is done by the next tick, and two workers
do nothing twice. A fault in a step, or in a job, stops nothing else (`outbox/faults`), and what it
had begun is taken back; only a fault of the database ends the jobs.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from adjudicator.service.base.context import Progress
from adjudicator.service.base.jobs import DueItem, Job, Tick, Told, Work, isolated
from adjudicator.service.base.session import OpenClub
from adjudicator.store.database import Store, Tx

COMPUTER_ORDERS = 10_000  # of a job at most; the next tick goes on


class _Done(Struct):
    """What a job has done so far."""

    steps: int = 0
    computer_orders: int = 0


def run(store: Store, jobs: Iterable[Job], tick: Tick) -> Iterator[Progress]:
    """Do these jobs in their order, and tell each thing as soon as it is done."""
    for job in jobs:
        if tick.match is None or job.is_of_one_match:
            yield from isolated(_do(store, job, tick), partial(report, store, tick, job=job.name))


def _do(store: Store, job: Job, tick: Tick) -> Iterator[Progress]:
    with store.reading() as tx:
        if not job.asks(tx, tick) or _waits(tx, job, tick):
            return
        work = job.work()
        due = work.due(tx, tick)
    done = _Done()
    for item in due:
        steps = _steps(store, job, work, item, tick, done)
        told = partial(report, store, tick, job=job.name, work=work, item=item)
        yield from isolated(steps, told)
        if done.computer_orders >= COMPUTER_ORDERS:
            break
    if work.counted is not None and done.steps:
        yield Progress(work.counted(done.steps))


def _waits(tx: Tx, job: Job, tick: Tick) -> bool:
    """Return whether the clock is too much in doubt for a job."""
    if tick.sure or not (job.needs_sure_clock or job.deletes):
        return False
    from adjudicator.service.matches import doubt  # a tick with nothing to do does not need it

    known = doubt.forbids_deleting if job.deletes else doubt.stops_club
    return known(tx, tick.context)


def _steps(
    store: Store, job: Job, work: Work, item: DueItem, tick: Tick, done: _Done
) -> Iterator[Progress]:
    """Do what is due of one thing: one step, or, if the job repeats, all of them."""
    key = item.key if work.prepare is None else work.prepare(item.key, tick)
    while key is not None:
        with OpenClub(store, tick.now, tick.context).session() as s:
            told = _as_sequence(work.step(s, key))
        if told is None:
            return
        done.steps += 1
        done.computer_orders += sum(one.computer_orders for one in told)
        yield from told
        is_enough = done.computer_orders >= COMPUTER_ORDERS or any(one.sleeps for one in told)
        if is_enough or not job.repeats:
            return


def _as_sequence(told: Told) -> Any:
    return (told,) if isinstance(told, Progress) else told


def report(
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
