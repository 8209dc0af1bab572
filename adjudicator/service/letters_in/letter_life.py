"""Read each letter that came in, once (letters, section 5).

Theory of operation. A letter in the database waits until a tick reads it. The tick first counts a
try, in a transaction of its own. Then one transaction locks the letter, reads it, locks the match
that it names, carries out what it asks, queues its one answer and notes its new status. So a letter
has done all that it asks, or nothing.

A fault of ours in a letter counts against it; after three the letter is stuck, and those behind it
are read all the same. A kill (`kill -9`, no memory, no power) leaves a try that was begun and never
ended. It is counted apart, because the machine's reboots are not the letter's fault. After the
first and the second kill the next tick tries again, after the third to fifth the letter waits 1, 4
and 16 hours, and after the sixth it is stuck. If the database fails or a file of the program is
missing, the try does not count.

On SQLite one tick reads letters at a time (`store/tick_lock`). On PostgreSQL each worker takes the
first letter that no other one has locked, with `SKIP LOCKED`, and at the end waits for those that
others still read: what they order must be in force before anything is adjudicated. Between the two
transactions another worker may take the letter for one of a killed worker and read it; then it is
read by whoever locks it first, and the other one finds it done.

| status | becomes | when |
|---|---|---|
| received | junk | no person wrote it, or it is not for us |
| received | duplicate | the same letter came before; it is answered once more, as things are now |
| received | accepted, refused | it was read and answered |
| received | parked | it failed the match's level, or asks for what must be confirmed |
| received | received, later | it killed the program from three to five times |
| received | stuck | three faults of ours, or six kills; the operator and the seat are told |
| received, stuck | dropped | `adjud mail queue drop` |
| stuck, dropped | received | `adjud mail queue retry`: it is tried as if it were new |
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from adjudicator.core.message import say
from adjudicator.resources import Incomplete
from adjudicator.service.base import letter_ids
from adjudicator.service.base.breakdown import of_program
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.letters_in import delays, one_letter, withheld
from adjudicator.service.letters_in.delays import LATER, STUCK
from adjudicator.service.letters_in.one_letter import Read
from adjudicator.service.letters_in.said import open_letter
from adjudicator.service.letters_in.whose import Addressed, Withheld, find
from adjudicator.store import inbox
from adjudicator.store.database import Clash, Store, StoreTrouble
from adjudicator.store.inbox import Unread

TRIES = 3  # faults of ours after which a letter is stuck
PASSES = 3  # in which a letter is tried that clashes with other workers
# How long a letter waits after 0, 1, 2... kills; after more of them a human must look at it.
WAITS = tuple(timedelta(hours=hours) for hours in (0, 0, 0, 1, 4, 16))


def read_all(store: Store, *, now: datetime, means: Means) -> Iterator[Read]:
    """Read every letter that nobody has looked at. One bad letter never stops the others.

    Raises Refusal if letters stay unread because the program broke down, and Clash if one clashes
    with other workers again and again: orders may be in them, so nothing may be adjudicated past
    them.
    """
    for _ in range(PASSES):
        passed: dict[int, Clash | Incomplete] = {}  # why a letter waits, and those behind it
        while one := _begin_next(store, now, passed):
            try:
                if done := _go_on(store, one, now, means):
                    yield done
            except (Clash, Incomplete) as trouble:
                passed[one.id] = trouble
        if not any(isinstance(why, Clash) for why in passed.values()):
            break
    if passed:
        raise _stopped(next(iter(passed.values())))


def _stopped(why: Clash | Incomplete) -> Clash | Refusal:
    """Return why nothing may be done past a letter that could not be read."""
    if isinstance(why, Clash):
        return why
    return Refusal(
        say(
            "letters cannot be read: {why}; nothing is adjudicated or ruled until they can",
            why=why.message,
        )
    )


def _begin_next(store: Store, now: datetime, passed: Collection[int]) -> Unread | None:
    """Return the next letter; if it is to be read now, its try is counted.

    It is counted before it is made, so that a letter that kills us is not tried for ever.
    """
    while True:
        with store.reading() as tx:
            if not inbox.is_any_unread(tx, now, passed):
                return None
        with store.transaction() as tx:
            one = inbox.next_unread(tx, now, passed)
            if one is None:
                inbox.wait_for_another(tx, now, passed)
                continue
            if _is_to_read(one):
                inbox.count_try(tx, one.id)
            return one


def _is_to_read(one: Unread) -> bool:
    """Return whether enough time has passed since the program was killed over the letter."""
    return one.kills < len(WAITS) and not (WAITS[one.kills] and one.again_at is None)


def _go_on(store: Store, one: Unread, now: datetime, means: Means) -> Read | None:
    if _is_to_read(one):
        return _try(store, one.id, now, means)
    if one.kills < len(WAITS):
        return _put_off(store, one, now, means)
    return _stuck(store, one.id, "adjud ended while it read it", now, means)


def _try(store: Store, letter_id: int, now: datetime, means: Means) -> Read | None:
    """Read a letter; the try is counted already. After a fault of ours it is the next one again."""
    try:
        with store.transaction() as tx:
            received = inbox.take(tx, letter_id)
            if received is None:
                return None
            return one_letter.read(tx, received, open_letter(received.raw, means.post), now, means)
    except StoreTrouble:
        _uncount(store, letter_id)
        raise
    except Unreadable as unread:
        return _withhold(store, letter_id, unread, now, means)
    except Exception as fault:
        if means.raise_faults:
            raise
        if missing := of_program(fault):
            _uncount(store, letter_id)
            raise missing from fault
        reason = f"a fault inside adjud ({type(fault).__name__})"
    with store.transaction() as tx:
        faults = inbox.count_fault(tx, letter_id)
    return _stuck(store, letter_id, reason, now, means) if faults >= TRIES else None


def _withhold(
    store: Store, letter_id: int, unread: Unreadable, now: datetime, means: Means
) -> Read | None:
    """Keep a letter at which its match turned out not to be readable."""
    assert means.post is not None
    with store.transaction() as tx:
        received = inbox.take(tx, letter_id)
        if received is None:
            return None
        opened = open_letter(received.raw, means.post)
        whose = find(tx, means.post, received.recipient, opened)
        if isinstance(whose, Addressed):
            holder = whose.loaded.holders[whose.seat]
            whose = Withheld(unread, whose.seat, holder.player_id)
        if not isinstance(whose, Withheld):
            whose = Withheld(unread, "", None)
        return Read(*withheld.keep(tx, received, opened.letter, whose, now=now, means=means))


def _uncount(store: Store, letter_id: int) -> None:
    """Take back the count of a try, because the letter was not at fault."""
    with suppress(StoreTrouble), store.transaction() as tx:
        inbox.uncount_try(tx, letter_id)


def _stuck(store: Store, letter_id: int, reason: str, now: datetime, means: Means) -> Read | None:
    """Put a letter aside for a human, and tell the operator and the seat.

    The seat is told when the letter is stuck already: to find the seat we look into the letter once
    more.
    """
    with store.transaction() as tx:
        if inbox.take(tx, letter_id) is None:
            return None  # another worker's last try has come to an end
        inbox.update(tx, letter_id, status="stuck", reason=reason, again_at=None)
        delays.warn(tx, STUCK, now=now, means=means)
        stuck = letter_ids.id_of_arrived(tx, letter_id)
        told = say("letter {id} is stuck; `adjud mail queue list`", id=stuck)
    delays.tell_seat(store, letter_id, STUCK, now=now, means=means)
    return Read("stuck", told)


def _put_off(store: Store, one: Unread, now: datetime, means: Means) -> Read | None:
    """Put a letter off until later, and tell the operator and then the seat, as `_stuck` does."""
    with store.transaction() as tx:
        if inbox.take(tx, one.id) is None:
            return None  # another worker has come to an end with it
        inbox.update(tx, one.id, again_at=now + WAITS[one.kills])
        delays.warn(tx, LATER, now=now, means=means)
    delays.tell_seat(store, one.id, LATER, now=now, means=means)
    return Read("later", say("a letter is read later: adjud ended {n} times at it", n=one.kills))
