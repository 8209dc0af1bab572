"""The values of the table of jobs (`ops/jobs`): a tick, what is due in it, who does it, and what a
fault there stops."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.service.base.context import Context, Progress, Session
from adjudicator.store.clubs import ClubClock
from adjudicator.store.database import Tx, is_of_database

Told = Progress | Sequence[Progress] | None


class Tick(Struct, frozen=True):
    """What a job may know of a tick. With a `match` all is done for that one alone. With `sure` the
    operator says that the clock is right. `matches` are those at which to look, `overdue` those of
    them whose time is up, `clock` is what was known of the clock before."""

    now: datetime
    context: Context
    match: str | None = None
    sure: bool = False
    matches: Sequence[str] = ()
    overdue: Sequence[str] = ()
    clock: ClubClock = ClubClock(None, None)
    is_first_of_day: bool = False


class DueItem(Struct, frozen=True):
    """Something that is due, and what the operator calls it. What has no name is secret; with a
    match it is so only until that one is over."""

    key: Any
    name: str = ""
    match_id: int | None = None


class Work(Struct, frozen=True):
    """The functions of a job.

    `due` reads what is due; its transaction cannot write. `step` does one thing, by its key, in a
    transaction of its own, and looks again whether it is due: None if it is not, `()` if it was
    done without a word. `prepare` comes before it, outside of any transaction, and makes the key
    that it gets; None ends it. `on_fault` deals with a fault that is not ours, in a transaction of
    its own, and raises any other one again. `put_off` lets a secret thing that failed wait until
    then. `counted` says how many things were done.
    """

    due: Callable[[Tx, Tick], Sequence[DueItem]]
    step: Callable[[Session, Any], Told]
    prepare: Callable[[Any, Tick], Any] | None = None
    on_fault: Callable[[Session, DueItem, Exception], Progress | None] | None = None
    put_off: Callable[[Tx, Any, datetime], None] | None = None
    counted: Callable[[int], Message] | None = None


class Job(Struct, frozen=True):
    """One row of the table.

    `asks` returns whether there may be anything to do. It asks the store alone, so that a tick with
    nothing to do does not import the rest of the program, which `work` does.
    """

    name: str
    asks: Callable[[Tx, Tick], object]
    work: Callable[[], Work]
    repeats: bool = False  # the step is done again until nothing is due any more
    needs_sure_clock: bool = False  # not done while the clock is in doubt
    deletes: bool = False  # not done while nobody knows how old anything is
    is_of_one_match: bool = False  # also done by `adjud tick MATCH`


def isolate(
    work: Iterable[Progress], report: Callable[[Exception], Iterable[Progress]]
) -> Iterator[Progress]:
    """Do some work, whose fault is reported and stops nothing else."""
    try:
        yield from work
    except Exception as fault:
        yield from report(fault)


def raise_what_stops_all(fault: Exception, context: Context) -> None:
    """Raise a fault of the database, and any other while somebody looks for faults; return if it
    may stop no more than what it is in. Whoever catches every fault asks this first."""
    if context.raise_faults or is_of_database(fault):
        raise fault
