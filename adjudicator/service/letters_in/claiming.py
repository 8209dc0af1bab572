"""Choose the letters that this worker reads, beside others who read at once."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from adjudicator.core.mailbox import folded_address
from adjudicator.store import inbox
from adjudicator.store.database import Store
from adjudicator.store.inbox import Unread
from adjudicator.store.processors import Processor
from adjudicator.store.readers import Claims

_SOME = 16  # letters whose bytes are read from the database at once


def unread(
    store: Store, now: datetime, begun: set[int], claims: Claims, processor: Processor
) -> Iterator[Unread]:
    """Yield the letters that we are to read now, and end when none of them is unread.

    Those that other workers read come last: we wait for them, because what they order must be in
    force before anything is adjudicated, and read what is left of them.
    """
    others: set[int] = set()
    yield from _of_some(store, now, begun, claims, others)
    while others:
        processor.let_go()
        claims.wait_for(min(others))
        waited, others = others, set()
        yield from _of_some(store, now, begun, claims, others, waited)


def _of_some(
    store: Store,
    now: datetime,
    begun: set[int],
    claims: Claims,
    others: set[int],
    chosen: Collection[int] | None = None,
) -> Iterator[Unread]:
    """Yield the unread letters, or the `chosen` ones, some of which are claimed at a time; put
    those that other workers have to `others`.

    The first try is counted for some letters at once, and their ids are put to those `begun`; a
    later one is counted for each. So a letter that kills the program is not tried for ever, and the
    letters after it are read.
    """
    last: Unread | None = None
    to_others = set[str]()
    while True:
        with store.reading() as tx:
            some = inbox.unread(tx, now, _SOME, last)
        wanted = [one for one in some if chosen is None or one.id in chosen]
        ours = _claimed(wanted, to_others, claims)
        others.update({one.id for one in wanted} - {one.id for one in ours})
        fresh = {one.id for one in ours if one.tries == 0}
        if fresh:
            with store.transaction() as tx:
                counted = inbox.begin(tx, fresh)
            begun.update(counted)
            fresh.difference_update(counted)  # somebody was quicker with these, and has read them
        yield from (one for one in ours if one.id not in fresh)
        claims.let_go()
        if len(some) < _SOME:
            return
        last = some[-1]


def _claimed(some: Sequence[Unread], to_others: set[str], claims: Claims) -> list[Unread]:
    """Return those of the letters that no other worker reads.

    Whoever reads the first letter to an address reads those that follow it, too; but nobody reads a
    letter that follows one that another worker has, so that a later sheet of a seat never gives way
    to an earlier one. `to_others` are the addresses to which other workers read; new ones are put
    there.
    """
    address = {one.id: folded_address(one.envelope.recipient) for one in some}
    first = {address[one.id]: one.id for one in reversed(some)}
    ours = claims.claim([n for to, n in first.items() if to not in to_others])
    to_others.update(to for to, n in first.items() if n not in ours)
    rest = [n for n, to in address.items() if n != first[to] and to not in to_others]
    ours |= claims.claim(rest)
    found = []
    for one in some:
        if one.id not in ours:
            to_others.add(address[one.id])
        if address[one.id] not in to_others:
            found.append(one)
    return found
