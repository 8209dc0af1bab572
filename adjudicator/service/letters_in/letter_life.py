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
letter both succeed for one of them only. On PostgreSQL a worker claims some letters at a time
(`store/readers`), so that a letter that another one reads is not taken for one of a killed worker.

| status | becomes | when |
|---|---|---|
| received | junk | no person wrote it, or it is not for us |
| received | duplicate | the same letter came before; the first answer goes once more |
| received | accepted, refused | it was read and answered |
| received | parked | it failed the match's level, or asks for what must be confirmed |
| received | received, later | it killed the program from three to five times |
| received | stuck | three faults of ours, or six kills; the operator and the seat are told |
| received, stuck | dropped | `adjud mail queue drop` |
| stuck, dropped | received | `adjud mail queue retry`: it is tried as if it were new |
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from adjudicator.core.mailbox import folded_address
from adjudicator.core.message import Message, say
from adjudicator.mail.address import read_address
from adjudicator.mail.read.letter import Letter, body_of, passes
from adjudicator.mail.transport import spool
from adjudicator.mail.transport.spool import Spooled
from adjudicator.resources import Incomplete
from adjudicator.service.base import letter_ids
from adjudicator.service.base.breakdown import of_program
from adjudicator.service.base.environment import Means
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.letters_in import (
    answer,
    bounces,
    claiming,
    collecting,
    delays,
    public_address,
    replies,
    trials,
    unreadable,
    wrong_seat,
)
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.delays import LATER, STUCK, Delay
from adjudicator.service.letters_in.replies import Reply
from adjudicator.service.letters_in.said import Opened, content_of, open_letter
from adjudicator.service.letters_in.whose import (
    Addressed,
    Anybody,
    Bounced,
    Former,
    Nobody,
    Torn,
    Tried,
    Unsigned,
    find,
)
from adjudicator.store import clubs, earlier_letters, inbox, outbox, parking, unheard
from adjudicator.store.database import Clash, Store, StoreTrouble, Tx
from adjudicator.store.inbox import Envelope, Received, Unread
from adjudicator.store.readers import Claims

TRIES = 3  # faults of ours after which a letter is stuck
# How long a letter waits after 0, 1, 2... kills; after more of them a human must look at it.
WAITS = tuple(timedelta(hours=hours) for hours in (0, 0, 0, 1, 4, 16))
# Letters of a seat in a day; those that fail the level are counted apart, so that a stranger cannot
# use up the seat's.
A_DAY = 30  # are answered one by one, those after them together at the next tick
MANY_A_DAY = 100  # after them an answer gathers for a while: two programs may answer each other
GATHERING = timedelta(hours=1)


class Read(Struct, frozen=True):
    """Tell what became of a letter, for the operator's log; never what the letter said."""

    status: str
    text: Message


def read_all(
    store: Store, *, now: datetime, means: Means, begun: Collection[int] = ()
) -> Iterator[Read]:
    """Read every letter that nobody has looked at. One bad letter never stops the others.

    The first try of the letters `begun` is counted already. Raises Refusal if letters stay unread
    because the program broke down: orders may be in them.
    """
    begun = set(begun)
    broken: Message | None = None
    with Claims(store) as claims:
        for one in claiming.unread(store, now, begun, claims):
            try:
                if one.id in begun:
                    done = _try(store, structs.replace(one, tries=1), now, means)
                else:
                    done = _go_on(store, one, now, means)
            except Clash:
                continue  # the next tick reads it
            except Incomplete as trouble:
                broken = trouble.message
                continue
            if done:
                yield done
    if broken is not None:
        raise Refusal(
            say(
                "letters cannot be read: {why}; nothing is adjudicated or ruled until they can",
                why=broken,
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
            done = _read(tx, received, opened, now, means) if received else None
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
            return _read(tx, received, opened, now, means) if received else None
    except StoreTrouble:
        _uncount(store, one)
        raise
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


def _uncount(store: Store, one: Unread) -> None:
    """Take back the count of a try, because the letter was not at fault."""
    with suppress(StoreTrouble), store.transaction() as tx:
        inbox.uncount_try(tx, one.id)


def _open(store: Store, envelope: Envelope, means: Means) -> Opened:
    """Understand a letter, and what it confirms, while others may write."""
    opened = open_letter(envelope.raw)
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


def _read(tx: Tx, received: Received, opened: Opened, now: datetime, means: Means) -> Read:
    assert means.post is not None
    letter = opened.letter
    whose = find(tx, means.post, received.recipient, opened)
    if isinstance(whose, Bounced):
        reason = bounces.take_back(tx, letter, whose.bounce, now=now, means=means)
        return _close(tx, received, "junk", reason)
    if isinstance(whose, Tried):
        reason = trials.came_home(tx, letter, whose.tag, now)
        return _close(tx, received, "junk", reason)
    if why := _is_nobodys(received, letter, means):
        return _close(tx, received, "junk", why)
    match whose:
        case Addressed() if _holds_another_seat(whose, letter):
            wrong_seat.tell_astray(tx, letter, now=now, means=means)
            return _close(tx, received, "refused", "from the holder of another seat")
        case Addressed():
            return _seat(tx, received, opened, whose, now, means)
        case Former():
            return _former(tx, received, letter, whose, now, means)
        case Torn():
            wrong_seat.tell_torn(tx, letter, now=now, means=means)
            return _close(tx, received, "refused", "names two seats")
        case Anybody():
            return _close(
                tx, received, *public_address.answer(tx, received, opened, now=now, means=means)
            )
        case Unsigned():
            clubs.count_unsigned(tx)
            return _close(tx, received, "junk", "for a seat, and not to its address")
        case Nobody():
            return _close(tx, received, "junk", "not for a seat")


def _holds_another_seat(whose: Addressed, letter: Letter) -> bool:
    """Return whether the sender plays in this match, but not this seat.

    Then nothing is parked for the seat or shown to its holder (section 2).
    """
    held = {
        seat
        for seat, holder in whose.loaded.holders.items()
        if holder.player_id is not None
        and letter.sender is not None
        and _is_same(holder.address, letter.sender)
    }
    return bool(held) and whose.seat not in held


def _is_nobodys(received: Received, letter: Letter, means: Means) -> str | None:
    """Return why no person wrote the letter (section 5); None if one may have."""
    if letter.automatic:
        return letter.automatic
    if _is_ours(means, letter):
        return "our own"
    return "no envelope sender" if _has_no_sender(received) else None


def _is_ours(means: Means, letter: Letter) -> bool:
    """Return whether the letter is from an address of ours.

    A player may well have another address of our domain.
    """
    assert means.post is not None
    return letter.sender is not None and read_address(means.post, letter.sender) is not None


def _has_no_sender(received: Received) -> bool:
    """Return whether the envelope's sender is empty, as of bounces (RFC 5321, section 4.5.5).

    A pipe may say so with a word; if it says nothing, nothing is known.
    """
    if received.channel == "lmtp" and not received.sender:
        return True
    return received.sender.upper() in ("<>", "MAILER-DAEMON")


def _close(tx: Tx, received: Received, status: str, reason: str) -> Read:
    inbox.update(tx, received.id, status=status, reason=reason)
    return Read(status, say("a letter: {reason}", reason=reason))


def _seat(
    tx: Tx, received: Received, opened: Opened, whose: Addressed, now: datetime, means: Means
) -> Read:
    letter, loaded, seat = opened.letter, whose.loaded, whose.seat
    match = loaded.match
    a_day_ago = now - timedelta(days=1)
    earlier = earlier_letters.earlier(
        tx, received.id, match.id, seat, letter.message_id or "", moment=a_day_ago
    )
    same = [one for one in earlier.same_id if body_of(one.raw) == opened.body]
    on_file = _is_on_file(whose, letter)
    noted = {
        "match_id": match.id,
        "seat": seat,
        "message_id": letter.message_id or None,
        "dated_at": letter.date,
        "ply": match.ply + 1,
    }
    talk = Talk(
        tx=tx,
        loaded=loaded,
        seat=seat,
        letter_id=received.id,
        now=now,
        at=min(now, received.received_at),
        means=means,
        references=letter.references,
        notes=(_used_twice(),) if len(same) < len(earlier.same_id) else (),
        on_file=on_file,
        may_confirm=on_file or whose.authorised,
        waiting=opened.waiting,
    )
    reason = _fails(talk, whose, opened, means)
    for one in same:
        if reason is not None or one.reason is None:  # else that one could not be heard
            return _again(tx, received, noted, talk, one.id, means)
    reply = _answer(talk, received, opened, reason)
    status = {"receipt": "accepted", "refusal": "refused", "confirm": "parked"}[reply.kind]
    inbox.update(tx, received.id, status=status, reason=reason, **noted)
    told = say("{match}, {seat}: a letter was read", match=match.name, seat=seat)
    today = earlier.heard if reason is None else earlier.unheard
    today += received.received_at > a_day_ago
    if today > A_DAY:
        not_before = now + GATHERING if today > MANY_A_DAY else now
        replies.queue_for_all(talk, reply, lambda tally: answer.for_all(talk, tally), not_before)
    else:
        replies.queue(tx, loaded, seat, reply, received.id, letter, now=now, means=means)
    return Read(status, told)


def _used_twice() -> Message:
    return say(
        "Note: an earlier letter of yours has the same Message-ID and says something else. "
        "This one was read as a new letter."
    )


def _answer(talk: Talk, received: Received, opened: Opened, reason: str | None) -> Reply:
    if told := unreadable.over_limits(opened.letter, cut=received.length > len(received.raw)):
        return answer.refuse(talk, told)
    if told := unreadable.ambiguous(talk, opened):
        return answer.refuse(talk, told, opened.content if reason is None else None)
    if reason is not None:
        return answer.park(talk, opened)
    return answer.answer(talk, opened)


def _fails(talk: Talk, whose: Addressed, opened: Opened, means: Means) -> str | None:
    """Return why the letter may not speak for the seat (section 3), in the operator's words; None
    if it may."""
    if not whose.authorised:
        return "came home without its address"
    letter, level = opened.letter, whose.loaded.match.options["level"]
    if level == "token":
        return None
    if not talk.on_file:
        return letter.sender_defect or "from an address that is not on file"
    if level == "confirm" and answer.acts(talk, opened):
        return "every sheet is confirmed in this match"
    if level == "token+auth" and not passes(letter, means.authserv_id, means.authserv_hosts):
        return "no server of ours vouches for the sender"
    return None


def _is_on_file(whose: Addressed, letter: Letter) -> bool:
    holder = whose.loaded.holders[whose.seat]
    if holder.player_id is None or letter.sender is None:
        return False
    return _is_same(holder.address, letter.sender)


def _is_same(one: str, other: str) -> bool:
    return folded_address(one) == folded_address(other)


def _again(
    tx: Tx, received: Received, noted: Mapping[str, Any], talk: Talk, first: int, means: Means
) -> Read:
    """Send the first answer once more, because the same letter came again; never a third time."""
    inbox.update(tx, received.id, status="duplicate", reason="came twice", **noted)
    outbox.repeat_answer(tx, talk.loaded.match.id, first, way_out=means.way_out, now=talk.now)
    told = say("{match}, {seat}: a letter came twice", match=talk.loaded.match.name, seat=talk.seat)
    return Read("duplicate", told)


def _former(
    tx: Tx, received: Received, letter: Letter, whose: Former, now: datetime, means: Means
) -> Read:
    """Answer somebody who no longer holds the seat. Nothing of the match is told to him."""
    wrong_seat.tell_former(tx, whose, letter, now=now, means=means)
    return _close(tx, received, "refused", "for a tenure that has ended")


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
    _comfort(store, letter_id, STUCK, now, means)
    return Read("stuck", told)


def _put_off(store: Store, one: Unread, now: datetime, means: Means) -> Read | None:
    """Put a letter off until later, and tell the operator and then the seat, as `_stuck` does."""
    with store.transaction() as tx:
        if inbox.take(tx, one.id) is None:
            return None  # another worker has come to an end with it
        inbox.update(tx, one.id, again_at=now + WAITS[one.kills])
        delays.warn(tx, LATER, now=now, means=means)
    _comfort(store, one.id, LATER, now, means)
    return Read("later", say("a letter is read later: adjud ended {n} times at it", n=one.kills))


def _comfort(store: Store, letter_id: int, why: Delay, now: datetime, means: Means) -> None:
    """Tell the seat whose letter it is, and note the seat on the letter."""
    with store.reading() as tx:
        if unheard.is_comforted(tx, letter_id, f"/{why.name}"):
            return
    if whose := _whose(store, letter_id, means):
        match, seat = whose.loaded.match, whose.seat
        with store.transaction() as tx:
            inbox.update(tx, letter_id, match_id=match.id, seat=seat, ply=match.ply + 1)
            delays.tell_seat(tx, why, letter_id, match.name, seat, now=now, means=means)


def _whose(store: Store, letter_id: int, means: Means) -> Addressed | None:
    """Return the seat of a letter that we could not read, if it can be found without another
    fault."""
    assert means.post is not None
    try:
        with store.reading() as tx:
            envelope = inbox.envelope(tx, letter_id)
        understood = open_letter(envelope.raw)
        with store.reading() as tx:
            whose = find(tx, means.post, envelope.recipient, understood)
    except StoreTrouble:
        raise
    except Exception:
        return None
    answered = isinstance(whose, Addressed) and not understood.letter.automatic
    return whose if answered and isinstance(whose, Addressed) else None
