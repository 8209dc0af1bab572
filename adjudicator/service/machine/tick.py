"""Do everything that is due, in every match or in one; this is what cron calls."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from time import monotonic

from adjudicator.core.message import Message, say
from adjudicator.mail.transport.spool import Spooled
from adjudicator.service.base import spool_mark
from adjudicator.service.base.breakdown import of_program
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.base.progress import Progress
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.club import unconfirmed
from adjudicator.service.letters_in import collecting, fetching, letter_life, wrong_seat
from adjudicator.service.letters_in.one_letter import Read
from adjudicator.service.letters_out import delivery
from adjudicator.service.machine import restored
from adjudicator.service.match import outage_valve, unread, waiting
from adjudicator.service.match.advance import advance_first, set_aside
from adjudicator.store import matches, readers, upkeep
from adjudicator.store.database import Clash, Store, StoreTrouble
from adjudicator.store.processors import Processor

COMPUTER_ORDERS = 10_000  # a tick at most; the next one goes on
SOME = 16  # matches of which one is claimed: more than there are workers


def night(
    store: Store, *, now: datetime, means: Means, match: str | None = None
) -> Iterator[Progress]:
    """Do all that cron calls for, and tell each thing as soon as it is done.

    The letters that have reached us are read, all that is due is done, in all matches or in one,
    and letters are handed over. While the mailbox cannot be reached nothing is adjudicated: orders
    may lie where we cannot see them.
    """
    begun = monotonic()
    try:
        yield from take_letters(store, now=now, means=means)
    except Refusal as refusal:
        for why in refusal.messages:
            yield Progress(why, failed=True)
    else:
        yield from tick(store, now=now, means=means, match=match, begun=begun)
    yield from delivery.deliver(store, now=now, means=means)


def take_letters(store: Store, *, now: datetime, means: Means) -> Iterator[Progress]:
    """Fetch and read every letter that has reached us.

    Raises Refusal, after those that are here were read, if the configured mailbox cannot be
    reached: until it can, no deadline counts as missed.
    """
    skipped: dict[str, Message] = {}
    why = _unfetched(store, means, skipped)
    for place, told in skipped.items():
        if fetching.warn(store, place, told, now=now, means=means):
            yield Progress(told, urgent=True)
    yield from read_letters(store, now=now, means=means)
    if why is not None:
        raise Refusal(why)


def _unfetched(store: Store, means: Means, skipped: dict[str, Message]) -> Message | None:
    """Empty the configured mailbox into the spool; return why it cannot be done. What cannot be
    read of it comes to `skipped`, by its place."""
    if means.mailbox is None or means.spool is None:
        return None
    try:
        spool_mark.claim(store, means.spool)
        password = means.mailbox.password()
        fetching.fetch(means.mailbox.source, means.spool, password, skipped.setdefault)
    except Refusal as refusal:
        return say(
            "letters cannot be fetched: {why}; nothing is adjudicated or ruled until they can",
            why=refusal.messages[0],
        )
    return None


def read_letters(store: Store, *, now: datetime, means: Means) -> Iterator[Progress]:
    """Read and answer each letter in the spool; do nothing without a domain of ours."""
    if means.post is None:
        return
    with readers.turn(store):
        alone: list[Spooled] = []
        yield from _read_letters(store, now, means, alone)
        for letter in alone:
            assert means.spool is not None
            done, read = letter_life.read_from_spool(
                store, means.spool, letter, now=now, means=means
            )
            if not done:
                yield from _read_letters(store, now, means)
            if read:
                yield from _told(read)
    wrong_seat.tell_of_unsigned(store, now=now, means=means)


def _read_letters(
    store: Store, now: datetime, means: Means, alone: list[Spooled] | None = None
) -> Iterator[Progress]:
    begun: set[int] = set()
    if means.spool is not None:
        for trouble in collecting.collect(
            store, means.spool, now=now, means=means, begun=begun, alone=alone
        ):
            yield Progress(trouble, urgent=True)
    for read in letter_life.read_all(store, now=now, means=means, begun=begun):
        yield from _told(read)


def _told(read: Read) -> Iterator[Progress]:
    """Tell what became of a letter; but nobody is told that a seat has written, for the operator
    may play against it."""
    if read.status in ("junk", "later", "stuck"):
        yield Progress(read.text, urgent=read.status == "stuck")


def tick(
    store: Store,
    *,
    now: datetime,
    means: Means,
    match: str | None = None,
    begun: float | None = None,
) -> Iterator[Progress]:
    """Do all that is due at `now`, each thing in a transaction of its own, and tell it.

    `begun` is what the clock that is never set showed at `now`, if letters were read since.
    """
    with store.reading() as tx:
        chores = upkeep.chores(tx, now - collecting.REMEMBERED, now)
        due = matches.due(tx, now)
    if chores.restored:
        yield from restored.tell_players(store, now=now, means=means)
    names = [match] if match else [one.name for one in due]
    overdue = [one.name for one in due if one.overdue and match in (None, one.name)]
    if overdue:
        yield from outage_valve.hold_back(store, overdue, now=now, means=means)
        spent = timedelta(seconds=0 if begun is None else monotonic() - begun)
        left = outage_valve.left_waiting(store, overdue, now=now, until=now + spent, means=means)
        names = [name for name in names if name not in left]
    yield from _advance_all(store, names, now, means)
    if match is None and chores.unconfirmed:
        yield from unconfirmed.remind(store, now=now, means=means)
    first = match is None and _is_first_of_day(chores.last_tick, now)
    if first:
        yield from _look_at_all(store, now, means)
    # This comes last, so that the tick after a killed one still knows what that one knew.
    if first or (match is None and outage_valve.is_to_note(chores.last_tick, now, means)):
        outage_valve.note(store, now, first=first)
    if match is None and chores.old_bytes:
        collecting.forget_bytes(store, now=now)


def _is_first_of_day(last: datetime | None, now: datetime) -> bool:
    return last is not None and last.date() != now.date()


def _look_at_all(store: Store, now: datetime, means: Means) -> Iterator[Progress]:
    """Find the matches that cannot be read, before their time comes or a letter does."""
    for fault in unread.unreadable(store, every=False):
        with store.transaction() as tx:
            done = waiting.lay_aside(tx, fault, now=now, means=means)
        if done:
            yield done


def _advance_all(
    store: Store, names: Sequence[str], now: datetime, means: Means
) -> Iterator[Progress]:
    """Do all that is due in these matches, beside other workers, who have the same list.

    Each match is done by whoever claims it first. Of those that are done already, or that another
    one has, many are passed over at once.
    """
    allowance, passed = COMPUTER_ORDERS, 0
    with Processor(store) as processor:
        while passed < len(names) and allowance > 0:
            looked_at, name, done = _advance_first(store, names[passed : passed + SOME], now, means)
            passed += looked_at
            while done:
                allowance -= done.computer_orders
                yield done
                if done.sleeps or allowance <= 0:
                    break
                processor.take()
                _, _, done = _advance_first(store, [name], now, means)
            processor.take()


def _advance_first(
    store: Store, names: Sequence[str], now: datetime, means: Means
) -> tuple[int, str, Progress | None]:
    """Do the next step in the first match that can be claimed; return how many are passed, its
    name, and what was done.

    A match that cannot be adjudicated is held and does not stop the others. If a part of the
    program is missing, it waits. A fault of the database stops all.
    """
    claimed: list[str] = []
    done: Progress | None = None
    try:
        done = advance_first(store, names, now=now, means=means, claimed=claimed.append)
    except Exception as fault:
        if not claimed and len(names) > 1:  # one of them cannot even be claimed
            return _advance_first(store, names[:1], now, means)
        done = _not_advanced(store, (claimed or names)[0], fault, now, means)
    if not claimed:
        return len(names), names[0], done
    return names.index(claimed[0]) + 1, claimed[0], done


def _not_advanced(
    store: Store, name: str, fault: Exception, now: datetime, means: Means
) -> Progress | None:
    if isinstance(fault, Clash):
        return None  # the next tick does it
    if isinstance(fault, StoreTrouble):
        raise fault
    if means.raise_faults and not isinstance(fault, Unreadable):
        raise fault
    if missing := of_program(fault):
        waits = say("waits: {why}", why=missing.message)
        return Progress(waits, name, sleeps=True, urgent=True)
    return set_aside(store, name, fault, now=now, means=means)
