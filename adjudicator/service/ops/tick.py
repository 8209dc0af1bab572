"""Do everything that is due, in every match or in one; this is what cron calls.

Most of the ticks that cron runs find nothing to do, and importing the program takes far longer than
to see that. So the store and the spool are asked first, and what reads or writes emails is imported
where there are any.
"""

from collections.abc import Generator, Iterator
from datetime import datetime
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from adjudicator.core.message import Message, say
from adjudicator.service.base import files
from adjudicator.service.base.context import Context, Progress, Refusal
from adjudicator.service.base.jobs import Tick, isolated
from adjudicator.service.ops import hooks, jobs, running
from adjudicator.store import inbox, outgoing, upkeep
from adjudicator.store.database import Store, StoreTrouble
from adjudicator.store.upkeep import Busy

if TYPE_CHECKING:
    from adjudicator.service.inbound.reading import LetterResult


def run_tick(
    store: Store,
    *,
    now: datetime,
    context: Context,
    match: str | None = None,
    sure: bool = False,
) -> Iterator[Progress]:
    """Do all that cron calls for, and tell each thing as soon as it is done.

    The letters that have reached us are read, all that is due is done, in all matches or in one,
    letters are delivered, and the club's pages are built if they changed. While the mailbox cannot
    be reached nothing is adjudicated: orders may lie where we cannot see them. If another tick
    works on the same SQLite file for too long, nothing is done. Letters go out whatever has
    happened before, and nothing slow stands before them. With `sure` the operator says that the
    clock is right.
    """
    begun = monotonic()
    unreached = yield from _fetch(store, now, context)
    begin, tick = Tick(now, context, match, sure), None
    trouble: list[Exception] = []
    try:
        with upkeep.hold(store):
            try:
                yield from read_letters(store, now=now, context=context)
                if unreached is not None:
                    raise Refusal(unreached)
            except Refusal as refusal:
                for why in refusal.messages:
                    yield Progress(why, failed=True)
            else:
                tick = yield from jobs.before_delivery(store, begin, begun)
    except Busy as busy:
        yield Progress(busy.message)
        return
    except StoreTrouble as stopped:
        trouble.append(stopped)
    has_letters = False
    try:
        if context.pages is not None:
            from adjudicator.service.ops import pages  # most clubs have none

            with store.reading() as tx:
                has_letters = bool(outgoing.due(tx, now))
            if has_letters and not pages.is_there(store):  # no email leads to a page that is not
                yield from pages.refresh(store, now=now, context=context)
        yield from _deliver(store, now, context)
    except (Refusal, StoreTrouble) as stopped:
        trouble.append(stopped)
    # A tick that was killed may have sent letters and built no pages: the first of a day looks.
    if context.pages is not None and (has_letters or (tick and tick.is_first_of_day)):
        yield from pages.refresh(store, now=now, context=context)
    if tick is not None:
        yield from jobs.after_delivery(store, tick)
    handed_over = hooks.hand_over(store, now=now, context=context)
    yield from isolated(handed_over, partial(running.report, store, begin, job="hooks"))
    if trouble:
        raise trouble[0]


def _deliver(store: Store, now: datetime, context: Context) -> Iterator[Progress]:
    with store.reading() as tx:
        if not outgoing.due(tx, now):
            return
    from adjudicator.service.outbound import delivery

    yield from delivery.deliver(store, now=now, context=context)


def take_letters(store: Store, *, now: datetime, context: Context) -> Iterator[Progress]:
    """Fetch and read every letter that has reached us.

    Raises Refusal, after those that are here were read, if the configured mailbox cannot be
    reached, or the spool is another club's: until then no deadline counts as missed. Raises Busy if
    another tick is at work.
    """
    unreached = yield from _fetch(store, now, context)
    with upkeep.hold(store):
        for done in read_letters(store, now=now, context=context):
            if done.failed:
                unreached = unreached or done.text
            else:
                yield done
    if unreached is not None:
        raise Refusal(unreached)


def _fetch(
    store: Store, now: datetime, context: Context
) -> Generator[Progress, None, Message | None]:
    """Empty the configured mailbox into the spool; return why it cannot be reached."""
    if context.mailbox is None or context.spool is None:
        return None
    # With it come IMAP and mailboxes, which most clubs have no use for.
    from adjudicator.service.inbound import fetching

    skipped: dict[str, Message] = {}  # what cannot be read of it, by its place
    why: Message | None = None
    try:
        files.claim_spool(store, context.spool)
        password = context.mailbox.password()
        fetching.fetch_mailbox(context.mailbox.source, context.spool, password, skipped.setdefault)
    except Refusal as refusal:
        why = say(
            "emails cannot be fetched: {why}; nothing is adjudicated or decided until they can be",
            why=refusal.messages[0],
        )
    for place, told in skipped.items():
        if fetching.warn_of_skipped(store, place, told, now=now, context=context):
            yield Progress(told, urgent=True)
    return why


def read_letters(store: Store, *, now: datetime, context: Context) -> Iterator[Progress]:
    """Read and answer each letter in the spool; do nothing without a domain of ours."""
    if context.post is None:
        return
    with store.reading() as tx:
        is_empty = context.spool is None or files.is_spool_empty(tx, context.spool)
    if context.spool is not None and not is_empty:
        from adjudicator.service.inbound import collecting

        yield from collecting.collect(store, context.spool, now=now, context=context)
    with store.reading() as tx:
        if not inbox.is_any_unread(tx, now, ()):
            return
    from adjudicator.service.inbound import reading

    for read in reading.read_all(store, now=now, context=context):
        yield from _told(read)


def _told(read: "LetterResult") -> Iterator[Progress]:
    """Tell what became of a letter; but nobody is told that a seat has written, for the operator
    may play against it."""
    if read.status in ("junk", "later", "stuck"):
        yield Progress(read.text, urgent=read.status == "stuck")


def run_due(
    store: Store,
    *,
    now: datetime,
    context: Context,
    match: str | None = None,
    sure: bool = False,
) -> Iterator[Progress]:
    """Do all that is due at `now`, each thing in a transaction of its own, and tell it."""
    tick = yield from jobs.before_delivery(store, Tick(now, context, match, sure))
    if tick is not None:
        yield from jobs.after_delivery(store, tick)
