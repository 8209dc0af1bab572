"""Read each letter that came in, once (letters, section 5).

Theory of operation. A letter in the database waits until a tick reads it. The tick first counts a
try, in a transaction of its own; that of a letter that is alone in the spool is counted there, by
its name, and the letter comes into the database in the transaction that reads it. Then the tick
takes the letter's text apart, while nobody waits for us: this is most of the work, and it may meet
any fault. At last one transaction locks the letter, then the matches that it names, carries out
what it asks, queues its one answer and notes its new status. So a letter has done all that it asks,
or nothing.

A fault of ours in a letter counts against it; after three the letter is stuck, and those behind it
are read all the same. A kill (`kill -9`, no memory, no power) leaves a try that was begun and never
ended. It is counted apart, because the machine's reboots are not the letter's fault. After the
first and the second kill the next tick tries again, after the third to fifth the letter waits 1, 4
and 16 hours, and after the sixth it is stuck. If the database fails or a file of the program is
missing, the try does not count. Two workers cannot read one letter: counting a try and taking the
letter both succeed for one of them only. On PostgreSQL a worker claims some letters at a time, on
SQLite one worker reads after the other (`store/readers`), so that a letter that another one reads
is not taken for one of a killed worker.

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
from pathlib import Path

from msgspec import structs

from adjudicator.core.mailbox import folded_address
from adjudicator.core.message import say
from adjudicator.mail.transport import spool
from adjudicator.mail.transport.spool import Spooled
from adjudicator.resources import Incomplete
from adjudicator.service.base import letter_ids
from adjudicator.service.base.breakdown import of_program
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.letters_in import claiming, collecting, delays, one_letter, withheld
from adjudicator.service.letters_in.delays import LATER, STUCK
from adjudicator.service.letters_in.one_letter import Read
from adjudicator.service.letters_in.said import Opened, content_of, open_letter
from adjudicator.service.letters_in.whose import Addressed, Withheld, find
from adjudicator.store import inbox, parking
from adjudicator.store.database import Clash, Store, StoreTrouble, Tx
from adjudicator.store.inbox import Envelope, Unread
from adjudicator.store.processors import Processor
from adjudicator.store.readers import Claims

TRIES = 3  # faults of ours after which a letter is stuck
PASSES = 3  # in which a letter is tried that clashes with other workers
# How long a letter waits after 0, 1, 2... kills; after more of them a human must look at it.
WAITS = tuple(timedelta(hours=hours) for hours in (0, 0, 0, 1, 4, 16))


def read_all(
    store: Store, *, now: datetime, means: Means, begun: Collection[int] = ()
) -> Iterator[Read]:
    """Read every letter that nobody has looked at. One bad letter never stops the others.

    The first try of the letters `begun` is counted already. Raises Refusal if letters stay unread
    because the program broke down, and Clash if one clashes with other workers again and again:
    orders may be in them, so nothing may be adjudicated past them.
    """
    begun = set(begun)
    with Claims(store) as claims, Processor(store) as processor:
        for _ in range(PASSES):
            kept: dict[str, Clash | Incomplete] = {}  # why a letter to an address waits
            for one in claiming.unread(store, now, begun, claims, processor):
                to = folded_address(one.envelope.recipient)
                if to in kept:
                    continue  # a later sheet never gives way to an earlier one
                processor.take()
                try:
                    if one.id in begun:
                        done = _try(store, structs.replace(one, tries=1), now, means)
                    else:
                        done = _go_on(store, one, now, means)
                except (Clash, Incomplete) as trouble:
                    kept[to] = trouble
                    continue
                if done:
                    yield done
            if not any(isinstance(why, Clash) for why in kept.values()):
                break
    if kept:
        raise _stopped(next(iter(kept.values())))


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


def read_from_spool(
    store: Store, folder: Path, letter: Spooled, *, now: datetime, means: Means
) -> tuple[bool, Read | None]:
    """Take a letter from the spool and read it, in one transaction; return whether it has left the
    spool, read by us.

    The try is counted in the spool before. If it comes to no end, the letter is as it was.
    """
    if not spool.begin(folder, letter.name):
        return False, None
    sender, recipient = letter.envelope.sender, letter.envelope.recipient
    try:
        opened = _open(store, Envelope(sender=sender, recipient=recipient, raw=letter.raw), means)
        with store.transaction() as tx:
            inbox.insert(tx, [collecting.row_of(letter)])
            begun = inbox.begin_taken(tx, [letter.name])
            received = inbox.take(tx, begun[0]) if begun else None
            done = one_letter.read(tx, received, opened, now, means) if received else None
    except Unreadable:
        spool.give_back(folder, letter.name)
        return False, None  # it comes into the database, and is kept there
    except Exception as fault:
        spool.give_back(folder, letter.name)
        if means.raise_faults or (isinstance(fault, StoreTrouble) and not isinstance(fault, Clash)):
            raise
        return False, None
    try:
        spool.remove(folder, letter.name)
    except OSError:
        return False, done
    return bool(begun), done


def _go_on(store: Store, one: Unread, now: datetime, means: Means) -> Read | None:
    """Read a letter of which a try was cut off, if enough time has passed since."""
    if one.kills >= len(WAITS):
        return _stuck(store, one.id, "adjud ended while it read it", now, means)
    if WAITS[one.kills] and one.again_at is None:
        return _put_off(store, one, now, means)
    return _try_again(store, one, now, means)


def _try_again(store: Store, one: Unread, now: datetime, means: Means) -> Read | None:
    """Count one more try and make it, unless another worker does so.

    It is counted before it is made, so that a letter that kills us is not tried for ever.
    """
    with store.transaction() as tx:
        ours = inbox.count_try(tx, one.id, one.tries)
    if not ours:
        return None
    return _try(store, structs.replace(one, tries=one.tries + 1), now, means)


def _try(store: Store, one: Unread, now: datetime, means: Means) -> Read | None:
    """Read a letter; the try is counted already."""
    try:
        opened = _open(store, one.envelope, means)
        with store.transaction() as tx:
            received = inbox.take(tx, one.id)
            return one_letter.read(tx, received, opened, now, means) if received else None
    except StoreTrouble:
        _uncount(store, one)
        raise
    except Unreadable as unread:
        return _withhold(store, one, unread, now, means)
    except Exception as fault:
        if means.raise_faults:
            raise
        if missing := of_program(fault):
            _uncount(store, one)
            raise missing from fault
        reason = f"a fault inside adjud ({type(fault).__name__})"
    with store.transaction() as tx:
        faults = inbox.count_fault(tx, one.id)
    if faults < TRIES:
        return _try_again(store, one, now, means)
    return _stuck(store, one.id, reason, now, means)


def _withhold(
    store: Store, one: Unread, unread: Unreadable, now: datetime, means: Means
) -> Read | None:
    """Keep a letter at which its match turned out not to be readable."""
    assert means.post is not None
    opened = open_letter(one.envelope.raw, means.post)
    with store.transaction() as tx:
        received = inbox.take(tx, one.id)
        if received is None:
            return None
        whose = find(tx, means.post, received.recipient, opened)
        if isinstance(whose, Addressed):
            holder = whose.loaded.holders[whose.seat]
            whose = Withheld(unread, whose.seat, holder.player_id)
        if not isinstance(whose, Withheld):
            whose = Withheld(unread, "", None)
        return Read(*withheld.keep(tx, received, opened.letter, whose, now=now, means=means))


def _uncount(store: Store, one: Unread) -> None:
    """Take back the count of a try, because the letter was not at fault."""
    with suppress(StoreTrouble), store.transaction() as tx:
        inbox.uncount_try(tx, one.id)


def _open(store: Store, envelope: Envelope, means: Means) -> Opened:
    """Understand a letter, and what it confirms, while others may write."""
    opened = open_letter(envelope.raw, means.post)
    if code := opened.content.code:
        with store.reading() as tx:
            text = _waiting(tx, envelope.recipient, opened, code, means)
        return structs.replace(opened, waiting=content_of(text))
    return opened


def _waiting(tx: Tx, recipient: str, opened: Opened, code: str, means: Means) -> str:
    """Return the text that waits under a code; empty for none.

    It is looked up again when it is claimed.
    """
    assert means.post is not None
    whose = find(tx, means.post, recipient, opened)
    if not isinstance(whose, Addressed):
        return ""
    match, seat = whose.loaded.match, whose.seat
    parked = parking.find(tx, match.id, seat, whose.loaded.holders[seat].tenure, code)
    return parked.text if parked else ""


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
