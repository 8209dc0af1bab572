"""The life of a letter (mail dialog, section 5): read in one transaction, three tries, stuck."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec import Struct

from adjudicator.core.game import Seat
from adjudicator.core.message import Message, say
from adjudicator.mail import subjects
from adjudicator.mail.address import read_address
from adjudicator.mail.letter import Letter, body_of, passes, read
from adjudicator.reports.words import words
from adjudicator.service import letters, queue
from adjudicator.service.dialog import bouncing, conversing, public, replies, strays
from adjudicator.service.dialog.finding import (
    Anybody,
    Former,
    Holder,
    Nobody,
    Returned,
    Torn,
    find,
)
from adjudicator.service.dialog.replies import Reply
from adjudicator.service.dialog.talk import Talk
from adjudicator.service.loading import load
from adjudicator.service.means import Means
from adjudicator.store import inbox, players
from adjudicator.store.database import Store, StoreTrouble, Tx
from adjudicator.store.inbox import Received

TRIES = 3
A_DAY = 30  # letters of one seat that are answered at once; as many that had to be parked


class Read(Struct, frozen=True):
    """What became of a letter, for the operator's log: never what it said."""

    status: str
    text: Message


def read_all(store: Store, *, now: datetime, means: Means) -> Iterator[Read]:
    """Read every letter that nobody has looked at. One bad letter never stops the others."""
    with store.reading() as tx:
        unread = inbox.unread(tx)
    for letter_id in unread:
        done = _try(store, letter_id, now, means)
        if done:
            yield done


def _try(store: Store, letter_id: int, now: datetime, means: Means) -> Read | None:
    for _ in range(TRIES):
        try:
            with store.transaction() as tx:
                received = inbox.take(tx, letter_id)
                return _read(tx, received, now, means) if received else None
        except StoreTrouble:
            raise
        except Exception as fault:
            if means.raise_faults:
                raise
            last = type(fault).__name__
            with store.transaction() as tx:
                inbox.update(tx, letter_id, tries=inbox.tries(tx, letter_id) + 1)
    return _stuck(store, letter_id, last, now, means)


def _read(tx: Tx, received: Received, now: datetime, means: Means) -> Read:
    assert means.post is not None
    letter = read(received.raw)
    whose = find(tx, means.post, received.recipient, letter)
    if isinstance(whose, Returned):
        reason = bouncing.take_back(tx, letter, whose.bounce, now=now, means=means)
        return _close(tx, received, "junk", reason)
    if why := _is_nobodys(received, letter, means):
        return _close(tx, received, "junk", why)
    match whose:
        case Holder() if _holds_another_seat(tx, whose, letter):
            strays.tell_torn(tx, letter, now=now, means=means)
            return _close(tx, received, "refused", "from the holder of another seat")
        case Holder():
            return _seat(tx, received, letter, whose, now, means)
        case Former():
            return _former(tx, received, letter, whose, now, means)
        case Torn():
            strays.tell_torn(tx, letter, now=now, means=means)
            return _close(tx, received, "refused", "names two seats")
        case Anybody():
            return _close(tx, received, *public.answer(tx, received, letter, now=now, means=means))
        case Nobody():
            return _close(tx, received, "junk", "not for a seat")


def _holds_another_seat(tx: Tx, whose: Holder, letter: Letter) -> bool:
    """Whether the sender plays in this match, but not this seat: nothing is parked for the seat
    or shown to its holder (section 2)."""
    held = {
        seat
        for seat, holder in whose.loaded.holders.items()
        if holder.player_id is not None
        and letter.sender is not None
        and players.address(tx, holder.player_id).casefold() == letter.sender.casefold()
    }
    return bool(held) and whose.seat not in held


def _is_nobodys(received: Received, letter: Letter, means: Means) -> str | None:
    """Why nobody wrote it (section 5), else None."""
    if letter.automatic:
        return letter.automatic
    if _is_ours(means, letter):
        return "our own"
    return "no envelope sender" if _has_no_sender(received) else None


def _is_ours(means: Means, letter: Letter) -> bool:
    """From an address of ours; a player may well have one of the same domain."""
    assert means.post is not None
    return letter.sender is not None and read_address(means.post, letter.sender) is not None


def _has_no_sender(received: Received) -> bool:
    """The envelope's sender is empty, as of bounces (RFC 5321, section 4.5.5); a pipe may say so
    with a word, and where it says nothing nothing is known."""
    if received.channel == "lmtp" and not received.sender:
        return True
    return received.sender.upper() in ("<>", "MAILER-DAEMON")


def _close(tx: Tx, received: Received, status: str, reason: str) -> Read:
    inbox.update(tx, received.id, status=status, reason=reason)
    return Read(status, say("a letter: {reason}", reason=reason))


def _seat(
    tx: Tx, received: Received, letter: Letter, whose: Holder, now: datetime, means: Means
) -> Read:
    loaded, seat = whose.loaded, whose.seat
    match = loaded.match
    seen = inbox.seen_before(tx, match.id, seat, letter.message_id or "")
    earlier = [(letter_id, raw) for letter_id, raw in seen if letter_id != received.id]
    inbox.update(
        tx,
        received.id,
        match_id=match.id,
        seat=seat,
        message_id=letter.message_id or None,
        dated_at=letter.date,
        ply=match.ply + 1,
    )
    talk = Talk(
        tx=tx,
        loaded=loaded,
        seat=seat,
        letter_id=received.id,
        now=now,
        at=min(now, received.received_at),
        means=means,
        references=letter.references,
        notes=(_used_twice(),) if earlier else (),
    )
    for letter_id, raw in earlier:
        if body_of(raw) == body_of(received.raw):
            return _again(tx, received, talk, letter_id, means)
    reason = _fails(talk, whose, letter, means)
    reply = _answer(talk, received, letter, reason)
    status = {"receipt": "accepted", "refusal": "refused", "confirm": "parked"}[reply.kind]
    inbox.update(tx, received.id, status=status, reason=reason)
    told = say("{match}, {seat}: a letter was read", match=match.name, seat=seat)
    if _over_budget(tx, match.id, seat, now, parked=status == "parked"):
        replies.queue_for_all(talk, lambda number: conversing.for_all(talk, number))
    else:
        replies.queue(tx, loaded, seat, reply, received.id, letter, now=now, means=means)
    return Read(status, told)


def _used_twice() -> Message:
    return say(
        "Note: an earlier letter of yours has the same Message-ID and says something else. "
        "This one was read as a new letter."
    )


def _answer(talk: Talk, received: Received, letter: Letter, reason: str | None) -> Reply:
    told = conversing.over_limits(letter, cut=received.length > len(received.raw))
    told = told or conversing.ambiguous(talk, letter)
    if told:
        return conversing.refuse(talk, told)
    if reason is not None:
        return conversing.park(talk, letter)
    return conversing.answer(talk, letter)


def _fails(talk: Talk, whose: Holder, letter: Letter, means: Means) -> str | None:
    """Why the letter may not speak for the seat (section 3), in the operator's words; None when
    it may."""
    if not whose.authorised:
        return "came home without its address"
    level = whose.loaded.match.options["level"]
    if level == "token":
        return None
    if not _is_on_file(talk.tx, whose, letter):
        return letter.sender_defect or "from an address that is not on file"
    if level == "confirm" and conversing.acts(talk, letter):
        return "every sheet is confirmed in this match"
    if level == "token+auth" and not passes(letter, means.authserv_id, means.authserv_hosts):
        return "no server of ours vouches for the sender"
    return None


def _is_on_file(tx: Tx, whose: Holder, letter: Letter) -> bool:
    player_id = whose.loaded.holders[whose.seat].player_id
    if player_id is None or letter.sender is None:
        return False
    return players.address(tx, player_id).casefold() == letter.sender.casefold()


def _again(tx: Tx, received: Received, talk: Talk, first: int, means: Means) -> Read:
    """The same letter again gets the first answer again, once."""
    inbox.update(tx, received.id, status="duplicate", reason="came twice")
    inbox.repeat_answer(tx, first, way_out=means.way_out, now=talk.now)
    told = say("{match}, {seat}: a letter came twice", match=talk.loaded.match.name, seat=talk.seat)
    return Read("duplicate", told)


def _over_budget(tx: Tx, match_id: int, seat: str, now: datetime, *, parked: bool) -> bool:
    """Letters that had to be parked are counted apart: a stranger's cannot use up the seat's."""
    return inbox.since(tx, match_id, seat, now - timedelta(days=1), parked=parked) > A_DAY


def _former(
    tx: Tx, received: Received, letter: Letter, whose: Former, now: datetime, means: Means
) -> Read:
    """Somebody who no longer holds the seat. Nothing of the match is told to him."""
    strays.tell_former(tx, whose, letter, now=now, means=means)
    return _close(tx, received, "refused", "for a tenure that has ended")


def _stuck(store: Store, letter_id: int, fault: str, now: datetime, means: Means) -> Read:
    """Put aside for a human; the operator is told, and the seat that the letter is in hands."""
    whose = _whose(store, letter_id, means)
    with store.transaction() as tx:
        inbox.update(tx, letter_id, status="stuck", reason=f"a fault inside adjud ({fault})")
        if whose:
            match, seat = whose.loaded.match, whose.seat
            inbox.update(tx, letter_id, match_id=match.id, seat=seat, ply=match.ply + 1)
            _comfort(tx, letter_id, match.name, seat, now, means)
        letters.queue_warning_of_day(tx, "stuck", _waits_for_a_human(), now=now, means=means)
        told = say(
            "letter {id} is stuck; `adjud mail queue list`", id=queue.id_of_arrived(tx, letter_id)
        )
    return Read("stuck", told)


def _waits_for_a_human() -> Message:
    return say(
        "A letter that came in could not be read. It is kept: `adjud mail queue list --status "
        "stuck` shows it, `adjud mail queue retry` reads it again."
    )


def _whose(store: Store, letter_id: int, means: Means) -> Holder | None:
    """The seat of a letter over which we stumbled, if it can be found without stumbling again."""
    assert means.post is not None
    try:
        with store.reading() as tx:
            _, recipient, raw = inbox.envelope(tx, letter_id)
            letter = read(raw)
            whose = find(tx, means.post, recipient, letter)
    except StoreTrouble:
        raise
    except Exception:
        return None
    answered = isinstance(whose, Holder) and not letter.automatic
    return whose if answered and isinstance(whose, Holder) else None


def _comfort(tx: Tx, letter_id: int, name: str, seat: Seat, now: datetime, means: Means) -> None:
    """Tell the seat, once however often its letter gets stuck."""
    loaded = load(tx, name)
    if inbox.is_comforted(tx, letter_id):
        return
    sheet = loaded.sheets.get(Seat(seat))
    told = say("Your letter has arrived and a human will look at it.")
    stays = (
        say("Revision {revision} is still in force.", revision=sheet.revision)
        if sheet
        else say("No orders of yours are in force.")
    )
    tell = words(loaded.holders[seat].language, loaded.match.game)
    text = replies.paragraphs([tell(told), tell(stays)])
    subject = subjects.refusal(name, loaded.match.turn, sheet.revision if sheet else None)
    reply = Reply("refusal", subject, text)
    replies.queue(tx, loaded, seat, reply, letter_id, None, now=now, means=means, mark="/stuck")
