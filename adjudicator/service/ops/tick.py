"""Do everything that is due, in every match or in one; this is what cron calls.

Most of the ticks that cron runs find nothing to do, and importing the program takes far longer than
to see that. So the store and the spool are asked first, and what reads or writes emails is imported
where there are any.
"""

from collections.abc import Generator, Iterator
from functools import partial
from time import monotonic

from adjudicator.core.message import Message, say
from adjudicator.service.base.context import (
    OpenClub,
    Progress,
    Refusal,
    claim_spool,
    is_spool_empty,
)
from adjudicator.service.base.jobs import Tick, isolate
from adjudicator.service.ops import jobs
from adjudicator.store import happenings, inbox, outgoing, upkeep
from adjudicator.store.database import StoreTrouble
from adjudicator.store.upkeep import Busy


def run_tick(club: OpenClub, *, match: str | None = None, sure: bool = False) -> Iterator[Progress]:
    """Do all that cron calls for, and tell each thing as soon as it is done.

    The emails that have reached us are read, all that is due is done, in all matches or in one,
    emails are delivered, and the club's pages are built if they changed. While the mailbox cannot
    be reached nothing is adjudicated: orders may lie where we cannot see them. If another tick
    works on the same SQLite file for too long, nothing is done. Emails go out whatever has
    happened before, and nothing slow stands before them. With `sure` the operator says that the
    clock is right.
    """
    begun = monotonic()
    unreached = yield from _fetch(club)
    begin, tick = Tick(club.now, club.context, match, sure), None
    trouble: list[Exception] = []
    try:
        with upkeep.hold(club.store):
            try:
                yield from read_emails(club)
                if unreached is not None:
                    raise Refusal(unreached)
            except Refusal as refusal:
                for why in refusal.messages:
                    yield Progress(why, failed=True)
            else:
                tick = yield from jobs.before_delivery(club.store, begin, begun)
    except Busy as busy:
        yield Progress(busy.message)
        return
    except StoreTrouble as stopped:
        trouble.append(stopped)
    has_emails = False
    try:
        if club.context.pages is not None:
            from adjudicator.service.ops import pages  # most clubs have none

            with club.store.reading() as tx:
                has_emails = bool(outgoing.due(tx, club.now))
            if has_emails and not pages.is_there(
                club.store
            ):  # no email leads to a page that is not
                yield from pages.refresh(club)
        yield from _deliver(club)
    except (Refusal, StoreTrouble) as stopped:
        trouble.append(stopped)
    # A tick that was killed may have sent emails and built no pages: the first of a day looks.
    if club.context.pages is not None and (has_emails or (tick and tick.is_first_of_day)):
        yield from pages.refresh(club)
    if tick is not None:
        yield from jobs.after_delivery(club.store, tick)
    yield from isolate(_hand_over(club), partial(jobs.report_fault, club.store, begin, job="hooks"))
    if trouble:
        raise trouble[0]


def _deliver(club: OpenClub) -> Iterator[Progress]:
    with club.store.reading() as tx:
        if not outgoing.due(tx, club.now):
            return
    from adjudicator.service.outbound import delivery

    yield from delivery.deliver(club)


def _hand_over(club: OpenClub) -> Iterator[Progress]:
    with club.store.reading() as tx:
        is_waiting = happenings.wanting(tx)
    if is_waiting:
        from adjudicator.service.ops import hooks

        yield from hooks.hand_over(club)


def take_emails(club: OpenClub) -> Iterator[Progress]:
    """Fetch and read every email that has reached us.

    Raises Refusal, after those that are here were read, if the configured mailbox cannot be
    reached, or the spool is another club's: until then no deadline counts as missed. Raises Busy if
    another tick is at work.
    """
    unreached = yield from _fetch(club)
    with upkeep.hold(club.store):
        for done in read_emails(club):
            if done.failed:
                unreached = unreached or done.text
            else:
                yield done
    if unreached is not None:
        raise Refusal(unreached)


def _fetch(club: OpenClub) -> Generator[Progress, None, Message | None]:
    """Empty the configured mailbox into the spool; return why it cannot be reached."""
    if club.context.mailbox is None or club.context.spool is None:
        return None
    # With it come IMAP and mailboxes, which most clubs have no use for.
    from adjudicator.service.inbound import collecting

    skipped: dict[str, Message] = {}  # what cannot be read of it, by its place
    why: Message | None = None
    try:
        claim_spool(club.store, club.context.spool)
        password = club.context.mailbox.password()
        collecting.fetch_mailbox(
            club.context.mailbox.source, club.context.spool, password, skipped.setdefault
        )
    except Refusal as refusal:
        why = say(
            "emails cannot be fetched: {why}; nothing is adjudicated or decided until they can be",
            why=refusal.messages[0],
        )
    for place, told in skipped.items():
        if collecting.warn_of_skipped(club, place, told):
            yield Progress(told, urgent=True)
    return why


def read_emails(club: OpenClub) -> Iterator[Progress]:
    """Read and answer each email in the spool; do nothing without a domain of ours."""
    if club.context.post is None:
        return
    with club.store.reading() as tx:
        is_empty = club.context.spool is None or is_spool_empty(tx, club.context.spool)
    if club.context.spool is not None and not is_empty:
        from adjudicator.service.inbound import collecting

        yield from collecting.collect(club, club.context.spool)
    with club.store.reading() as tx:
        if not inbox.is_any_unread(tx, club.now, ()):
            return
    from adjudicator.service.inbound import reading

    for told in reading.read_all(club):
        yield from told


def run_due(club: OpenClub, *, match: str | None = None, sure: bool = False) -> Iterator[Progress]:
    """Do all that is due at `now`, each thing in a transaction of its own, and tell it."""
    tick = yield from jobs.before_delivery(club.store, Tick(club.now, club.context, match, sure))
    if tick is not None:
        yield from jobs.after_delivery(club.store, tick)
