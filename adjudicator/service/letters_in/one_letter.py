"""Read one letter, in the transaction that carries it out: whose it is, and what becomes of it.

`CHAIN` is the whole policy: the first row that fits a letter says what is done with it.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

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
    Whose,
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


class Incoming(Struct, frozen=True):
    """A letter, locked in a transaction, and whose it is."""

    tx: Tx
    received: Received
    opened: Opened
    whose: Whose
    now: datetime
    means: Means

    @property
    def letter(self) -> Letter:
        return self.opened.letter

    def close(self, status: str, reason: str) -> Read:
        inbox.update(self.tx, self.received.id, status=status, reason=reason)
        return Read(status, say("a letter: {reason}", reason=reason))


def read(tx: Tx, received: Received, opened: Opened, now: datetime, means: Means) -> Read:
    """Do what a letter asks, once it is locked, and note its new status."""
    assert means.post is not None
    whose = find(tx, means.post, received.recipient, opened)
    incoming = Incoming(tx, received, opened, whose, now, means)
    return next(done for row in CHAIN if (done := row.act(incoming)))


def _is_anothers(incoming: Incoming) -> bool:
    """Return whether the sender plays in this match, but not this seat.

    Then nothing is parked for the seat or shown to its holder (section 2).
    """
    whose = incoming.whose
    if not isinstance(whose, Addressed):
        return False
    held = {
        seat
        for seat, holder in whose.loaded.holders.items()
        if letter_to_seat.is_from(holder, incoming.letter)
    }
    return bool(held) and whose.seat not in held


def _is_nobodys(incoming: Incoming) -> str | None:
    """Return why no person wrote the letter (section 5); None if one may have."""
    letter = incoming.letter
    if letter.automatic:
        return letter.automatic
    if _is_ours(incoming.means, letter):
        return "our own"
    return "no envelope sender" if _has_no_sender(incoming.received) else None


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


def _take_back(incoming: Incoming, whose: Bounced) -> Read:
    """Note that a letter of ours came back; a person's words beside it are answered."""
    tx, received, letter = incoming.tx, incoming.received, incoming.letter
    now, means = incoming.now, incoming.means
    if is_persons := letter.bounce is None and not _is_nobodys(incoming):
        public_address.tell_astray(tx, received, incoming.opened, now=now, means=means)
    reason = bounces.take_back(
        tx,
        letter,
        whose.bounce,
        has_sender=not (_has_no_sender(received) or letter.signs.has_no_sender),
        is_orders=is_persons and incoming.opened.holds_orders,
        now=now,
        means=means,
    )
    return incoming.close("junk", reason)


def _end_test(incoming: Incoming, whose: Tried) -> Read:
    reason = trials.came_home(incoming.tx, incoming.letter, whose.tag, incoming.now)
    return incoming.close("junk", reason)


def _ignore(incoming: Incoming, whose: object) -> Read:
    return incoming.close("junk", _is_nobodys(incoming) or "")


def _refuse_other_holder(incoming: Incoming, whose: Addressed) -> Read:
    wrong_seat.tell_astray(incoming.tx, incoming.letter, now=incoming.now, means=incoming.means)
    return incoming.close("refused", "from the holder of another seat")


def _answer_seat(incoming: Incoming, whose: Addressed) -> Read:
    tx, now, means = incoming.tx, incoming.now, incoming.means
    received, opened = incoming.received, incoming.opened
    return Read(*letter_to_seat.read(tx, received, opened, whose, now=now, means=means))


def _keep(incoming: Incoming, whose: Withheld) -> Read:
    tx, now, means = incoming.tx, incoming.now, incoming.means
    return Read(*withheld.keep(tx, incoming.received, incoming.letter, whose, now=now, means=means))


def _refuse_former(incoming: Incoming, whose: Former) -> Read:
    tx, now, means = incoming.tx, incoming.now, incoming.means
    wrong_seat.tell_former(tx, whose, incoming.letter, now=now, means=means)
    return incoming.close("refused", "for a tenure that has ended")


def _refuse_torn(incoming: Incoming, whose: Torn) -> Read:
    tx, now, means = incoming.tx, incoming.now, incoming.means
    wrong_seat.tell_torn(tx, whose, incoming.letter, now=now, means=means)
    return incoming.close("refused", "names two seats")


def _answer_anybody(incoming: Incoming, whose: Anybody) -> Read:
    tx, received, opened = incoming.tx, incoming.received, incoming.opened
    answered = public_address.answer(tx, received, opened, now=incoming.now, means=incoming.means)
    return incoming.close(*answered)


def _pass_over_unsigned(incoming: Incoming, whose: Unsigned) -> Read:
    clubs.count_unsigned(incoming.tx)
    return _tell_astray(incoming, "for a seat, and not to its address")


def _pass_over(incoming: Incoming, whose: Nobody) -> Read:
    return _tell_astray(incoming, "not for a seat")


def _tell_astray(incoming: Incoming, reason: str) -> Read:
    tx, received, opened = incoming.tx, incoming.received, incoming.opened
    public_address.tell_astray(tx, received, opened, now=incoming.now, means=incoming.means)
    return incoming.close("junk", reason)


W = TypeVar("W")


class Row(Struct, frozen=True):
    """A kind of letter: `act` does what is to be done with one, and returns None if the letter is
    of another kind."""

    kind: str
    act: Callable[[Incoming], Read | None]


def _row(
    kind: str,
    whose: type[W],
    act: Callable[[Incoming, W], Read],
    fits: Callable[[Incoming], object] = lambda incoming: True,
) -> Row:
    def act_if_fits(incoming: Incoming) -> Read | None:
        found = incoming.whose
        return act(incoming, found) if isinstance(found, whose) and fits(incoming) else None

    return Row(kind, act_if_fits)


CHAIN: Sequence[Row] = (
    _row("a letter of ours that came back", Bounced, _take_back),
    _row("a test letter of ours", Tried, _end_test),
    _row("written by no person", object, _ignore, _is_nobodys),
    _row("to a seat, from another one's holder", Addressed, _refuse_other_holder, _is_anothers),
    _row("to a seat", Addressed, _answer_seat),
    _row("to a seat of a match that cannot be read", Withheld, _keep),
    _row("to a seat that somebody else has taken over", Former, _refuse_former),
    _row("to two seats", Torn, _refuse_torn),
    _row("to the public address", Anybody, _answer_anybody),
    _row("for a seat, and not to its address", Unsigned, _pass_over_unsigned),
    _row("for nobody", Nobody, _pass_over),
)
