"""A fault in one tournament or ladder stops no other: the operator is told of it, once."""

from datetime import datetime

from adjudicator.core.message import say
from adjudicator.service.base.context import Context, Progress, Refusal
from adjudicator.service.outbox import queue
from adjudicator.store.database import Clash, Store, StoreTrouble


def set_aside(
    store: Store, about: str, name: str, fault: Exception, *, now: datetime, context: Context
) -> Progress | None:
    """Tell the operator why a tournament or ladder does not go on; return what the tick says, None
    if that was told before or another worker was only quicker.

    A fault of the database, which stops all, is raised again. The operator is told the kind of
    another fault, not its text, which might hold what they may not know.
    """
    if isinstance(fault, Clash):
        return None  # the next tick does it
    if isinstance(fault, StoreTrouble):
        raise fault
    if context.raise_faults:
        raise fault
    told = (
        say("{name} does not go on: {why}", name=name, why=fault.messages[0])
        if isinstance(fault, Refusal)
        else say(
            "an error inside adjud ({kind}) keeps {name} from going on; ADJUD_DEBUG=1 shows where",
            kind=type(fault).__name__,
            name=name,
        )
    )
    key = f"{about}/fault/{type(fault).__name__}"
    with store.transaction() as tx:
        is_new = queue.queue_warning_once(tx, key, told, now=now, context=context)
    return Progress(told, name, urgent=True) if is_new else None
