"""One fault stops nothing else, and is told to the operator in a sentence that tells no secret.

Theory of operation. What a job does is done by itself (`base/jobs.isolated`). After a fault all is
taken back that was begun, and as the thing stays due, the next tick tries it again. Only a fault of
the database ends the jobs. A thing has a name if the operator may know of it. A fault of any other
is told in the same words, whatever it was and however many there were: nobody can tell from them
that a substitute is looked for, or whose row it is.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from adjudicator.core.message import Message, say
from adjudicator.service.base.context import Context, Progress, Refusal
from adjudicator.service.base.jobs import DueItem, Tick, Work, isolated, raise_what_stops_all
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.base.session import open_session
from adjudicator.service.outbox.alerts import alert
from adjudicator.store.database import Clash, Store, StoreTrouble

A_DAY = timedelta(days=1)


def report(
    store: Store, work: Work | None, item: DueItem | None, tick: Tick, fault: Exception
) -> Iterator[Progress]:
    """Deal with a fault in a job, or in one thing that is due there, as the job says."""
    dealt_with = _deal_with(store, work, item, tick, fault)
    name = item.name if item else ""
    yield from isolated(dealt_with, partial(tell, store, name, now=tick.now, context=tick.context))


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
    with open_session(store, tick.now, tick.context) as s:
        told = work.on_fault(s, item, fault)
    if told:
        yield told


def tell(
    store: Store, name: str, fault: Exception, *, now: datetime, context: Context
) -> Iterator[Progress]:
    """Tell the operator why something does not go on, and say it in the tick; once, and nothing if
    another worker was only quicker.

    A fault that stops all is raised again. The operator is told the kind of another fault, not its
    text, which might hold what they may not know.
    """
    if isinstance(fault, Clash | Unreadable):
        return  # the next tick does it; that a match cannot be read is told by itself
    raise_what_stops_all(fault, context)
    told, kind = _told(name, fault), type(fault).__name__
    key = f"{name}/fault/{kind}" if name else f"fault/{kind}/{now:%Y-%m-%d}"
    try:
        with open_session(store, now, context) as s:
            is_new = alert(s, told, key, once="ever")
    except StoreTrouble:
        raise
    except Exception:  # a row is damaged that tells whether it was told: who reads the log is told
        is_new = True
    if is_new:
        yield Progress(told, name, urgent=True)


def _told(name: str, fault: Exception) -> Message:
    kind = type(fault).__name__
    if not name:
        return say(
            "an error inside adjud ({kind}) stopped a part of its work; all else continues. "
            "ADJUD_DEBUG=1 shows where, and may show what only players may know",
            kind=kind,
        )
    if isinstance(fault, Refusal):
        return say("{name} cannot continue: {why}", name=name, why=fault.messages[0])
    return say(
        "an error inside adjud ({kind}) keeps {name} from going on; ADJUD_DEBUG=1 shows where",
        kind=kind,
        name=name,
    )
