"""Tell the operator and, once, the seat why a letter that has come is not read yet."""

from datetime import datetime

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.mail.write import subjects
from adjudicator.reports.words import words
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import load
from adjudicator.service.letters_in import replies
from adjudicator.service.letters_in.replies import Reply
from adjudicator.service.letters_in.said import open_letter
from adjudicator.service.letters_in.whose import Addressed, find
from adjudicator.service.outbox import to_queue
from adjudicator.store import inbox, unheard
from adjudicator.store.database import Store, StoreTrouble, Tx


class Delay(Struct, frozen=True):
    """A reason for a delay.

    The key of the letter to the seat ends with `name`; the letter is of that `kind`.
    """

    name: str
    kind: str
    to_operator: Message
    to_seat: Message


STUCK = Delay(
    "stuck",
    "refusal",
    say(
        "A letter that came in could not be read. It is kept: `adjud mail queue list --status "
        "stuck` shows it, `adjud mail queue retry` reads it again."
    ),
    say("Your letter has arrived and a human will look at it."),
)
LATER = Delay(
    "later",
    "receipt",
    say(
        "adjud was killed several times while it read the same letter: was the machine restarted, "
        "or has it too little memory? The letter is kept and read again by itself, after 1, 4 and "
        "16 hours. Until then a turn waits for each silent seat that it may be of."
    ),
    say(
        "Your letter has arrived. The program was stopped several times while it read it, which "
        "need not be the letter's fault: it will be read again by itself, within a day. If no "
        "orders of yours are in force, the turn waits for it."
    ),
)


def warn(tx: Tx, delay: Delay, *, now: datetime, means: Means) -> None:
    """Tell the operator, once a day."""
    to_queue.queue_warning_of_day(tx, delay.name, delay.to_operator, now=now, means=means)


def tell_seat(store: Store, letter_id: int, delay: Delay, *, now: datetime, means: Means) -> None:
    """Tell the seat of a delayed letter, if it can be found, and note it on the letter; only once,
    however often the same letter is delayed so."""
    with store.reading() as tx:
        if unheard.is_comforted(tx, letter_id, f"/{delay.name}"):
            return
    if whose := _whose(store, letter_id, means):
        match, seat = whose.loaded.match, whose.seat
        with store.transaction() as tx:
            inbox.update(tx, letter_id, match_id=match.id, seat=seat, ply=match.ply + 1)
            _tell(tx, delay, letter_id, match.name, seat, now=now, means=means)


def _whose(store: Store, letter_id: int, means: Means) -> Addressed | None:
    """Return the seat of a letter that we could not read, if it can be found without another
    fault."""
    assert means.post is not None
    try:
        with store.reading() as tx:
            envelope = inbox.envelope(tx, letter_id)
        understood = open_letter(envelope.raw, means.post)
        with store.reading() as tx:
            whose = find(tx, means.post, envelope.recipient, understood)
    except StoreTrouble:
        raise
    except Exception:
        return None
    if not isinstance(whose, Addressed) or understood.letter.automatic:
        return None
    return whose


def _tell(
    tx: Tx, delay: Delay, letter_id: int, match: str, seat: Seat, *, now: datetime, means: Means
) -> None:
    """Tell the seat why its letter is not read yet, and what is in force, unless another worker
    has."""
    mark = f"/{delay.name}"
    if unheard.is_comforted(tx, letter_id, mark):
        return
    loaded = load(tx, match)
    sheet = loaded.sheets.get(seat)
    revision = sheet.revision if sheet else None
    subject = subjects.later(match)
    if delay is STUCK:
        subject = subjects.refusal(match, loaded.match.turn, revision)
    tell = words(loaded.holders[seat].language, loaded.match.game)
    text = replies.paragraphs([tell(delay.to_seat)])
    reply = Reply(delay.kind, subject, text, standing_by="still", revision=revision)
    replies.queue(tx, loaded, seat, reply, letter_id, None, now=now, means=means, mark=mark)
