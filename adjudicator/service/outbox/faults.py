"""One fault stops nothing else: each thing that a tick does is done by itself, and its fault is
told to the operator in a sentence that tells no secret.

Theory of operation. A job of a tick is done by `job`, its items by `each`, a transaction for each.
A fault in an item stops neither the other items nor the other jobs nor the emails; what was begun
is taken back, and as the item stays due, the next tick tries it again. Only a fault of the database
ends the jobs. An item has a name if the operator may know of it. A fault of any other is told in
the same words, whatever it was and however many there were: nobody can tell from them that a
substitute is looked for, or whose row it is.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.service.base.context import Context, Progress, Refusal
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.outbox import queue
from adjudicator.store.database import Clash, Store, StoreTrouble, Tx


class DueItem(Struct, frozen=True):
    """Something that is due, and what the operator calls it. What has no name is secret."""

    key: Any
    name: str = ""


def each(
    store: Store,
    about: str,
    due: Iterable[DueItem],
    step: Callable[[Tx, Any], Progress | None],
    *,
    now: datetime,
    context: Context,
) -> Iterator[Progress]:
    """Do one step for each thing that is due, in a transaction of its own, and tell it. The step
    looks again whether it is due; `about` begins the key of what is told of a fault. Of several
    things with one name a fault is told once."""
    for one in due:
        try:
            with store.transaction() as tx:
                done = step(tx, one.key)
        except Exception as fault:
            key = f"{about}/{one.name}"
            done = set_aside(store, key, one.name, fault, now=now, context=context)
        if done:
            yield done


def job(
    store: Store, work: Callable[[], Iterable[Progress]], *, now: datetime, context: Context
) -> Iterator[Progress]:
    """Do a job, whose own fault stops no other one."""
    try:
        yield from work()
    except Exception as fault:
        if told := set_aside(store, "", "", fault, now=now, context=context):
            yield told


def set_aside(
    store: Store, about: str, name: str, fault: Exception, *, now: datetime, context: Context
) -> Progress | None:
    """Tell the operator why something does not go on; return what the tick says, None if that was
    told before or another worker was only quicker.

    A fault of the database, which stops all, is raised again. The operator is told the kind of
    another fault, not its text, which might hold what they may not know.
    """
    if isinstance(fault, Clash | Unreadable):
        return None  # the next tick does it; that a match cannot be read is told by itself
    if isinstance(fault, StoreTrouble):
        raise fault
    if context.raise_faults:
        raise fault
    told = _told(name, fault)
    kind = type(fault).__name__
    key = f"{about}/fault/{kind}" if name else f"fault/{kind}/{now:%Y-%m-%d}"
    try:
        with store.transaction() as tx:
            is_new = queue.queue_warning_once(tx, key, told, now=now, context=context)
    except StoreTrouble:
        raise
    except Exception:  # a row is damaged that tells whether it was told: who reads the log is told
        is_new = True
    return Progress(told, name, urgent=True) if is_new else None


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
