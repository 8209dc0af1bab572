"""Read one letter, in the transaction that carries it out: whose it is, and what becomes of it."""

from datetime import datetime

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.mail.address import read_address
from adjudicator.mail.read.letter import Letter
from adjudicator.service.base.environment import Means
from adjudicator.service.letters_in import (
    bounces,
    letter_to_seat,
    public_address,
    trials,
    withheld,
    wrong_seat,
)
from adjudicator.service.letters_in.said import Opened
from adjudicator.service.letters_in.whose import (
    Addressed,
    Anybody,
    Bounced,
    Former,
    Nobody,
    Torn,
    Tried,
    Unsigned,
    Withheld,
    find,
)
from adjudicator.store import clubs, inbox
from adjudicator.store.database import Tx
from adjudicator.store.inbox import Received


class Read(Struct, frozen=True):
    """Tell what became of a letter, for the operator's log; never what the letter said."""

    status: str
    text: Message


def read(tx: Tx, received: Received, opened: Opened, now: datetime, means: Means) -> Read:
    """Do what a letter asks, once it is locked, and note its new status."""
    assert means.post is not None
    letter = opened.letter
    whose = find(tx, means.post, received.recipient, opened)
    if isinstance(whose, Bounced):
        if is_persons := letter.bounce is None and not _is_nobodys(received, letter, means):
            public_address.tell_astray(tx, received, opened, now=now, means=means)
        reason = bounces.take_back(
            tx,
            letter,
            whose.bounce,
            has_sender=not (_has_no_sender(received) or letter.signs.has_no_sender),
            is_orders=is_persons and opened.holds_orders,
            now=now,
            means=means,
        )
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
            return Read(*letter_to_seat.read(tx, received, opened, whose, now=now, means=means))
        case Withheld():
            return Read(*withheld.keep(tx, received, letter, whose, now=now, means=means))
        case Former():
            wrong_seat.tell_former(tx, whose, letter, now=now, means=means)
            return _close(tx, received, "refused", "for a tenure that has ended")
        case Torn():
            wrong_seat.tell_torn(tx, whose, letter, now=now, means=means)
            return _close(tx, received, "refused", "names two seats")
        case Anybody():
            return _close(
                tx, received, *public_address.answer(tx, received, opened, now=now, means=means)
            )
        case Unsigned():
            clubs.count_unsigned(tx)
            public_address.tell_astray(tx, received, opened, now=now, means=means)
            return _close(tx, received, "junk", "for a seat, and not to its address")
        case Nobody():
            public_address.tell_astray(tx, received, opened, now=now, means=means)
            return _close(tx, received, "junk", "not for a seat")


def _holds_another_seat(whose: Addressed, letter: Letter) -> bool:
    """Return whether the sender plays in this match, but not this seat.

    Then nothing is parked for the seat or shown to its holder (section 2).
    """
    held = {
        seat
        for seat, holder in whose.loaded.holders.items()
        if letter_to_seat.is_from(holder, letter)
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
