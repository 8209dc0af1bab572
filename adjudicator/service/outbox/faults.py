"""One fault stops nothing else, and is told to the operator in a sentence that tells no secret.

Theory of operation. What a job does is done by itself (`base/jobs.isolate`). After a fault all is
taken back that was begun, and as the thing stays due, the next tick tries it again. Only a fault of
the database ends the jobs. A thing has a name if the operator may know of it. A fault of any other
is told in the same words, whatever it was and however many there were: nobody can tell from them
that a substitute is looked for, or whose row it is. A row of each is kept (`store/upkeep`), so
that the operator can be told what it stopped when the match is over of which it was a secret.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from adjudicator.core.message import Message, say
from adjudicator.service.base import game_faults
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.base.context import OpenClub, Progress, Refusal, Session
from adjudicator.service.base.jobs import (
    DueItem,
    Tick,
    Told,
    Work,
    isolate,
    raise_what_stops_all,
)
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.outbox.queue import alert
from adjudicator.store import rows, upkeep
from adjudicator.store.database import Clash, Store, StoreTrouble, Tx
from adjudicator.store.upkeep import JobFault

A_DAY = timedelta(days=1)
REMEMBERED = timedelta(days=90)


def report(
    store: Store, job: str, work: Work | None, item: DueItem | None, tick: Tick, fault: Exception
) -> Iterator[Progress]:
    """Deal with a fault in a job, or in one thing that is due there, as the job says."""
    _note(store, job, item, fault, tick.now)
    dealt_with = _deal_with(store, work, item, tick, fault)
    name = item.name if item else ""
    yield from isolate(dealt_with, partial(tell, OpenClub(store, tick.now, tick.context), name))


def _note(store: Store, job: str, item: DueItem | None, fault: Exception, now: datetime) -> None:
    """Keep which fault of ours it was, and where."""
    if isinstance(fault, StoreTrouble | Unreadable | Refusal):
        return
    key, match_id = "", None
    if item is not None:
        key = item.name or (str(item.key) if isinstance(item.key, int) else "")
        match_id = None if item.name else item.match_id
    is_told = item is not None and bool(item.name)
    kind = type(fault).__name__
    with suppress(Clash), store.transaction() as tx:  # another worker has counted the same
        upkeep.note_job_fault(tx, job, key, kind, match_id=match_id, is_told=is_told, now=now)


def _deal_with(
    store: Store, work: Work | None, item: DueItem | None, tick: Tick, fault: Exception
) -> Iterator[Progress]:
    """Do what the job does of its own accord; raise what it does not know."""
    if work is None or item is None or isinstance(fault, StoreTrouble):
        raise fault
    if work.put_off is not None and not item.name:  # a secret thing is not tried at each tick
        with store.transaction() as tx:
            work.put_off(tx, item.key, tick.now + A_DAY)
    if work.on_fault is None:
        raise fault
    with OpenClub(store, tick.now, tick.context).session() as s:
        told = work.on_fault(s, item, fault)
    if told:
        yield told


def tell(club: OpenClub, name: str, fault: Exception) -> Iterator[Progress]:
    """Tell the operator why something does not go on, and say it in the tick; once, and nothing if
    another worker was only quicker.

    A fault that stops all is raised again. The operator is told the kind of another fault, not its
    text, which might hold what they may not know.
    """
    if isinstance(fault, Clash | Unreadable):
        return  # the next tick does it; that a match cannot be read is told by itself
    raise_what_stops_all(fault, club.context)
    told, kind = _message_of_fault(name, fault), type(fault).__name__
    key = f"{name}/fault/{kind}" if name else f"fault/{kind}/{club.now:%Y-%m-%d}"
    try:
        with club.session() as s:
            is_new = alert(s, told, key, once="ever")
    except StoreTrouble:
        raise
    except Exception:  # a row is damaged that tells whether it was told: who reads the log is told
        is_new = True
    if is_new:
        yield Progress(told, name, urgent=True)


# Faults that were secrets of a match: they are told when it is over.


def no_longer_secret(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the faults that were secrets of matches that are over now."""
    return [DueItem((fault_id, name), name) for fault_id, name in upkeep.job_faults_to_tell(tx)]


def tell_when_over(s: Session, key: tuple[int, str]) -> Told:
    """Tell the operator what a fault stopped that was a secret until now."""
    fault_id, name = key
    found = rows.one(s.tx, JobFault, fault_id, lock=True)
    if found.told_at is not None:
        return None  # another worker was quicker
    rows.change(s.tx, JobFault, fault_id, told_at=s.now)
    told = say(
        "an error inside adjud ({kind}) stopped the job '{job}' of {match}, first at {first} and "
        "last at {last}; what it was about was a secret until the match was over",
        match=name,
        kind=found.kind,
        job=found.job,
        first=in_zone(found.first_at, "UTC"),
        last=in_zone(found.last_at, "UTC"),
    )
    is_new = alert(s, told, f"fault/{name}/{found.job}/{found.kind}", once="ever")
    return Progress(told, name, urgent=True) if is_new else ()


def old(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key if faults are so old that they are forgotten."""
    return [DueItem("faults")] if upkeep.has_old_job_faults(tx, tick.now - REMEMBERED) else []


def forget(s: Session, _key: str) -> Told:
    upkeep.forget_job_faults(s.tx, s.now - REMEMBERED)
    return ()


def _message_of_fault(name: str, fault: Exception) -> Message:
    kind = type(fault).__name__
    if not name:
        return say(
            "an error inside adjud ({kind}) stopped a part of its work; all else continues. "
            "ADJUD_DEBUG=1 shows where, and may show what only players may know",
            kind=kind,
        )
    if isinstance(fault, Refusal):
        return say("{name} cannot continue: {why}", name=name, why=fault.messages[0])
    return game_faults.keeps_from_going_on(name, fault)
