"""The work of a tick that is neither reading nor sending letters: a table of jobs.

Theory of operation. A job finds what is due and does each thing in a transaction of its own, which
looks again whether it is due; so whatever is killed is done by the next tick, and two workers do
nothing twice. A fault in a thing, or in a job, stops nothing else (`outbox/faults`); only a fault
of the database ends the jobs. The jobs `BEFORE` the letters go out are done in the order of the
table. What walks through all matches, or through all that is old, comes `AFTER`.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from time import monotonic

from msgspec import Struct

from adjudicator.core.message import say
from adjudicator.service.base.context import Context, Keep, Progress, fault_of_program
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.club import people, unknown_choices
from adjudicator.service.club.offers import answering, guests, substitutes, wishes
from adjudicator.service.competition import ladders
from adjudicator.service.inbound import collecting
from adjudicator.service.matches import doubt, entering, outage
from adjudicator.service.matches.adjudication import advance_first, set_aside
from adjudicator.service.ops import restored
from adjudicator.service.outbox import faults
from adjudicator.service.outbox.faults import DueItem
from adjudicator.store import matches, upkeep
from adjudicator.store.clubs import Doubt
from adjudicator.store.database import Clash, Store, StoreTrouble
from adjudicator.store.upkeep import Chores

COMPUTER_ORDERS = 10_000  # a tick at most; the next one goes on
SOME = 16  # matches of which one is claimed: more than there are workers


class Work:
    """What the jobs of one tick know: what is due, and what those before have found.

    With a `match` all is done for that one alone. `begun` is what the clock that is never set
    showed at `now`, if letters were read since. With `sure` the operator says that the clock is
    right.
    """

    def __init__(
        self,
        store: Store,
        now: datetime,
        context: Context,
        match: str | None = None,
        begun: float | None = None,
        *,
        sure: bool = False,
    ) -> None:
        self.store, self.now, self.context, self.match = store, now, context, match
        self.begun, self.sure = begun, sure
        self.chores: Chores | None = None
        self.names: list[str] = []  # of the matches at which to look, in their order
        self.overdue: list[str] = []  # those of them whose time is up
        self.seeks = False  # substitutes are looked for
        self.doubt: Doubt | None = None  # of the clock

    @property
    def is_first_of_day(self) -> bool:
        last = self.chores.clock.last_tick if self.chores else None
        return last is not None and last.date() != self.now.date()

    @property
    def may_delete(self) -> bool:
        return not doubt.forbids_deleting(self.doubt, self.context)


class Job(Struct, frozen=True):
    """One row of the table. `work` says what it did; `is_due` asks whether there may be anything to
    do."""

    work: Callable[[Work], Iterator[Progress]]
    is_due: Callable[[Work, Chores], object] = lambda work, chores: True
    is_of_one_match: bool = False  # also done by `adjud tick MATCH`


def run(work: Work, jobs: Sequence[Job]) -> Iterator[Progress]:
    """Do these jobs, and tell each thing as soon as it is done."""
    now, context = work.now, work.context
    if work.chores is None:
        yield from faults.job(work.store, partial(_look, work), now=now, context=context)
    for job in jobs:
        if work.chores is None or (work.match is not None and not job.is_of_one_match):
            continue
        if job.is_due(work, work.chores):
            yield from faults.job(work.store, partial(job.work, work), now=now, context=context)


def _look(work: Work) -> Iterator[Progress]:
    """Find what is due."""
    store, now = work.store, work.now
    with store.reading() as tx:
        due = matches.due(tx, now)
        work.chores = upkeep.chores(tx, now - collecting.REMEMBERED, now)
    here = [one for one in due if work.match in (None, one.name)]
    work.overdue = [one.name for one in here if one.overdue]
    work.names = [work.match] if work.match else [one.name for one in here]
    yield from ()


def _tell_of_restore(work: Work) -> Iterator[Progress]:
    return restored.tell_players(work.store, now=work.now, context=work.context)


def _judge_clock(work: Work) -> Iterator[Progress]:
    assert work.chores is not None
    clock = work.chores.clock
    work.doubt = clock.doubt
    work.doubt = yield from doubt.look(
        work.store, clock, sure=work.sure, now=work.now, context=work.context
    )


def _hold_back(work: Work) -> Iterator[Progress]:
    """Take away the matches whose time is up while orders of silent seats may lie unread; all of
    them, if that cannot be found out."""
    store, now, context, overdue = work.store, work.now, work.context, work.overdue
    names = work.names
    work.names = [name for name in names if name not in overdue]
    unheld = yield from outage.hold_back(store, overdue, now=now, context=context)
    spent = timedelta(seconds=0 if work.begun is None else monotonic() - work.begun)
    left = outage.left_waiting(store, overdue, now=now, until=now + spent, context=context)
    work.names = [name for name in names if name not in (*left, *unheld)]


def _expire_offers(work: Work) -> Iterator[Progress]:
    return answering.expire(work.store, now=work.now, context=work.context)


def _expire_guests(work: Work) -> Iterator[Progress]:
    return guests.expire(work.store, now=work.now, context=work.context)


def _fetch_numbers(work: Work) -> Iterator[Progress]:
    return entering.fetch(work.store, now=work.now, context=work.context, match=work.match)


def _advance(work: Work) -> Iterator[Progress]:
    for done in _advance_all(work.store, work.names, work.now, work.context):
        work.seeks = work.seeks or done.seeks
        yield done


def _look_for_substitutes(work: Work) -> Iterator[Progress]:
    return substitutes.look(work.store, now=work.now, context=work.context)


def _go_on_with_tournaments(work: Work) -> Iterator[Progress]:
    from adjudicator.service.competition import rounds  # most clubs have none

    return rounds.advance_all(work.store, now=work.now, context=work.context)


def _settle_challenges(work: Work) -> Iterator[Progress]:
    return ladders.settle_all(work.store, now=work.now, context=work.context)


def _remind_of_addresses(work: Work) -> Iterator[Progress]:
    return people.remind_unconfirmed(work.store, now=work.now, context=work.context)


def _tell_of_choices(work: Work) -> Iterator[Progress]:
    return unknown_choices.tell(work.store, now=work.now, context=work.context)


def _note(work: Work) -> Iterator[Progress]:
    outage.note(work.store, work.now, first=work.is_first_of_day)
    yield from ()


def _is_to_note(work: Work, chores: Chores) -> bool:
    is_to_note = outage.is_to_note(chores.clock.last_tick, work.now, work.context)
    return is_to_note and not work.is_first_of_day


def _is_busy(work: Work, chores: Chores) -> bool:
    """Return whether the tick has something to do, or is the first of a day: one that has nothing
    asks no more than `cli/idle`."""
    is_due = chores.offers or chores.has_tournaments or chores.challenges or chores.unconfirmed
    return bool(work.names or is_due or work.is_first_of_day)


BEFORE: Sequence[Job] = (
    Job(_judge_clock, is_of_one_match=True),
    Job(_tell_of_restore, lambda work, chores: chores.restored, is_of_one_match=True),
    Job(_hold_back, lambda work, chores: work.overdue, is_of_one_match=True),
    Job(_expire_offers, lambda work, chores: chores.offers),
    Job(_expire_guests, lambda work, chores: chores.guests),
    Job(_fetch_numbers, is_of_one_match=True),
    Job(_advance, is_of_one_match=True),
    Job(_look_for_substitutes, lambda work, chores: chores.searches or work.seeks),
    Job(_go_on_with_tournaments, lambda work, chores: chores.has_tournaments),
    Job(
        _settle_challenges,
        lambda work, chores: chores.challenges and not doubt.is_long(work.doubt, work.context),
    ),
    Job(_remind_of_addresses, lambda work, chores: chores.unconfirmed),
    Job(_tell_of_choices, _is_busy),
    Job(_note, _is_to_note),
)


def _look_at_all(work: Work) -> Iterator[Progress]:
    """Find the matches that cannot be read, before their time comes or a letter does."""
    for fault in outage.unreadable(work.store, every=False):
        due = [DueItem(fault, fault.match.name)]
        step = partial(outage.lay_aside, now=work.now, context=work.context)
        yield from faults.each(work.store, "match", due, step, now=work.now, context=work.context)


def _keep(work: Work) -> Iterator[Progress]:
    """Delete what is kept no longer."""
    if work.context.keep != Keep():
        from adjudicator.service.ops import keeping  # most clubs keep everything

        yield from keeping.apply(work.store, work.context.keep, now=work.now)


def _forget_bytes(work: Work) -> Iterator[Progress]:
    collecting.forget_bytes(work.store, now=work.now)
    yield from ()


def _forget_digests(work: Work) -> Iterator[Progress]:
    wishes.forget_digests(work.store, now=work.now)
    yield from ()


AFTER: Sequence[Job] = (
    Job(_look_at_all, lambda work, chores: work.is_first_of_day),
    Job(_keep, lambda work, chores: work.is_first_of_day and work.may_delete),
    Job(_forget_digests, lambda work, chores: work.is_first_of_day and work.may_delete),
    # This comes behind them, so that the tick after a killed one still knows what that one knew.
    Job(_note, lambda work, chores: work.is_first_of_day),
    Job(_forget_bytes, lambda work, chores: chores.old_bytes and work.may_delete),
)

# The matches that are due.


def _advance_all(
    store: Store, names: Sequence[str], now: datetime, context: Context
) -> Iterator[Progress]:
    """Do all that is due in these matches, beside other workers, who have the same list.

    Each match is done by whoever claims it first. Of those that are done already, or that another
    one has, many are passed over at once.
    """
    allowance, passed = COMPUTER_ORDERS, 0
    while passed < len(names) and allowance > 0:
        looked_at, name, done = _advance_first(store, names[passed : passed + SOME], now, context)
        passed += looked_at
        while done:
            allowance -= done.computer_orders
            yield done
            if done.sleeps or allowance <= 0:
                break
            _, _, done = _advance_first(store, [name], now, context)


def _advance_first(
    store: Store, names: Sequence[str], now: datetime, context: Context
) -> tuple[int, str, Progress | None]:
    """Do the next step in the first match that can be claimed; return how many are passed, its
    name, and what was done.

    A match that cannot be adjudicated is held and does not stop the others. If a part of the
    program is missing, it waits. A fault of the database stops all.
    """
    claimed: list[str] = []
    done: Progress | None = None
    try:
        done = advance_first(store, names, now=now, context=context, claimed=claimed.append)
    except Exception as fault:
        if not claimed and len(names) > 1:  # one of them cannot even be claimed
            return _advance_first(store, names[:1], now, context)
        done = _not_advanced(store, (claimed or names)[0], fault, now, context)
    if not claimed:
        return len(names), names[0], done
    return names.index(claimed[0]) + 1, claimed[0], done


def _not_advanced(
    store: Store, name: str, fault: Exception, now: datetime, context: Context
) -> Progress | None:
    if isinstance(fault, Clash):
        return None  # the next tick does it
    if isinstance(fault, StoreTrouble):
        raise fault
    if context.raise_faults and not isinstance(fault, Unreadable):
        raise fault
    if missing := fault_of_program(fault):
        waits = say("waiting: {why}", why=missing.message)
        return Progress(waits, name, sleeps=True, urgent=True)
    try:
        return set_aside(store, name, fault, now=now, context=context)
    except Exception as worse:  # it cannot even be put on hold: the next tick tries it again
        return faults.set_aside(store, f"match/{name}", name, worse, now=now, context=context)
