"""Do everything that is due, in every match or in one; this is what cron calls."""

from collections.abc import Generator, Iterator, Sequence
from datetime import datetime, timedelta
from time import monotonic

from adjudicator.core.message import Message, say
from adjudicator.service.base import spool_mark
from adjudicator.service.base.breakdown import of_program
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.base.progress import Progress
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.club import unconfirmed
from adjudicator.service.letters_in import collecting, letter_life, wrong_seat
from adjudicator.service.letters_in.one_letter import Read
from adjudicator.service.letters_out import delivery
from adjudicator.service.machine import restored
from adjudicator.service.match import outage_valve, unread, waiting
from adjudicator.service.match.advance import advance_first, set_aside
from adjudicator.store import matches, tick_lock, upkeep
from adjudicator.store.database import Clash, Store, StoreTrouble
from adjudicator.store.tick_lock import Busy

COMPUTER_ORDERS = 10_000  # a tick at most; the next one goes on
SOME = 16  # matches of which one is claimed: more than there are workers


def night(
    store: Store, *, now: datetime, means: Means, match: str | None = None
) -> Iterator[Progress]:
    """Do all that cron calls for, and tell each thing as soon as it is done.

    The letters that have reached us are read, all that is due is done, in all matches or in one,
    and letters are delivered. While the mailbox cannot be reached nothing is adjudicated: orders
    may lie where we cannot see them. If another tick works on the same SQLite file for too long,
    nothing is done.
    """
    begun = monotonic()
    unreached = yield from _fetch(store, now, means)
    try:
        with tick_lock.hold(store):
            try:
                yield from read_letters(store, now=now, means=means)
                if unreached is not None:
                    raise Refusal(unreached)
            except Refusal as refusal:
                for why in refusal.messages:
                    yield Progress(why, failed=True)
            else:
                yield from tick(store, now=now, means=means, match=match, begun=begun)
    except Busy as busy:
        yield Progress(busy.message)
        return
    yield from delivery.deliver(store, now=now, means=means)


def take_letters(store: Store, *, now: datetime, means: Means) -> Iterator[Progress]:
    """Fetch and read every letter that has reached us.

    Raises Refusal, after those that are here were read, if the configured mailbox cannot be
    reached: until it can, no deadline counts as missed. Raises Busy if another tick is at work.
    """
    unreached = yield from _fetch(store, now, means)
    with tick_lock.hold(store):
        yield from read_letters(store, now=now, means=means)
    if unreached is not None:
        raise Refusal(unreached)


def _fetch(store: Store, now: datetime, means: Means) -> Generator[Progress, None, Message | None]:
    """Empty the configured mailbox into the spool; return why it cannot be reached."""
    if means.mailbox is None or means.spool is None:
        return None
    # With it come IMAP and mailboxes, which most clubs have no use for.
    from adjudicator.service.letters_in import fetching

    skipped: dict[str, Message] = {}  # what cannot be read of it, by its place
    why: Message | None = None
    try:
        spool_mark.claim(store, means.spool)
        password = means.mailbox.password()
        fetching.fetch(means.mailbox.source, means.spool, password, skipped.setdefault)
    except Refusal as refusal:
        why = say(
            "letters cannot be fetched: {why}; nothing is adjudicated or ruled until they can",
            why=refusal.messages[0],
        )
    for place, told in skipped.items():
        if fetching.warn(store, place, told, now=now, means=means):
            yield Progress(told, urgent=True)
    return why


def read_letters(store: Store, *, now: datetime, means: Means) -> Iterator[Progress]:
    """Read and answer each letter in the spool; do nothing without a domain of ours."""
    if means.post is None:
        return
    if means.spool is not None:
        for trouble in collecting.collect(store, means.spool, now=now, means=means):
            yield Progress(trouble, urgent=True)
    for read in letter_life.read_all(store, now=now, means=means):
        yield from _told(read)
    wrong_seat.tell_of_unsigned(store, now=now, means=means)


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
    while passed < len(names) and allowance > 0:
        looked_at, name, done = _advance_first(store, names[passed : passed + SOME], now, means)
        passed += looked_at
        while done:
            allowance -= done.computer_orders
            yield done
            if done.sleeps or allowance <= 0:
                break
            _, _, done = _advance_first(store, [name], now, means)


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
