"""Pass on what seats wrote to others: at once, or with the next ply (club, section 10).

A copy of an unsigned message follows from its words, its readers and the time at which it is told,
and from nothing of its writer.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from textwrap import wrap

from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, listed, say
from adjudicator.mail.write import subjects
from adjudicator.reports.words import words
from adjudicator.service.base.context import Session
from adjudicator.service.base.loaded_match import Loaded, Seated, person
from adjudicator.service.emails.paragraphs import Lines, Paragraph
from adjudicator.service.emails.wording import WIDTH
from adjudicator.service.outbox import queue
from adjudicator.store import press
from adjudicator.store.database import Tx
from adjudicator.store.press import PressCopy, SentPress

_UNSIGNED = say("UNSIGNED")  # the word of PRESS TO and MUTE


def quote_with_bars(lines: Sequence[str]) -> str:
    """Put a bar before each line, so that nothing in it is taken for our words, or for orders. A
    long one is broken here, for what is broken later has no bar."""
    return "\n".join(_bars(lines))


def _bars(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        told = f"| {line}".rstrip()
        broken = len(told) > WIDTH
        yield from wrap(told, WIDTH, subsequent_indent="| ") if broken else [told]


def is_plain(loaded: Seated) -> bool:
    """Return whether a match has neither of the newer options of messages: then the email with a
    message is as it always was."""
    options = loaded.match.options
    return options.get("press") != "unsigned" and options.get("press_when", "now") == "now"


def pass_on(s: Session, loaded: Loaded, sent: SentPress) -> None:
    """Pass a message on at once."""
    for seat in loaded.seats:
        if _wants(s.tx, loaded, seat, sent):
            tenure = loaded.holders[seat].tenure
            its = (loaded.match.id, seat, tenure)
            number = press.add_copy(s.tx, *its, sent, ply=loaded.coming, at=s.now)
            if is_plain(loaded):
                body = _plain(loaded, seat, sent)
                key = queue.queue_press(s, loaded, seat, body)
                press.name_email(s.tx, *its, number, key)
            else:
                _queue(s, loaded, seat, [number], _subject(loaded, sent))


def pass_on_waiting(s: Session, loaded: Loaded) -> None:
    """Pass on what has waited for the ply that was the last one, to each reader in one email:
    sorted by seat and then by when it came, the unsigned ones last, by their words' SHA-256."""
    waiting = press.waiting_messages(s.tx, loaded.match.id)
    if not waiting:
        return
    order = {seat: n for n, seat in enumerate(loaded.seats)}
    signed = sorted(
        (one for one in waiting if not one.unsigned),
        key=lambda one: (order[one.seat], one.sent_at, one.id),
    )
    unsigned = sorted((one for one in waiting if one.unsigned), key=_digest)
    for seat in loaded.seats:
        tenure = loaded.holders[seat].tenure
        numbers = [
            press.add_copy(s.tx, loaded.match.id, seat, tenure, one, ply=loaded.match.ply, at=s.now)
            for one in (*signed, *unsigned)
            if _wants(s.tx, loaded, seat, one)
        ]
        if numbers:
            subject = subjects.press_of_turn(loaded.match.name)
            _queue(s, loaded, seat, numbers, subject)
    press.mark_told(s.tx, waiting, s.now)


def _digest(one: SentPress) -> tuple[str, list[tuple[str, int]]]:
    return sha256("\n".join(one.lines).encode()).hexdigest(), sorted(one.readers.items())


def _wants(tx: Tx, loaded: Loaded, seat: Seat, sent: SentPress) -> bool:
    """Return whether a message is for a seat's present holder, and he has not muted it."""
    holder, writer = loaded.holders[seat], loaded.holders[sent.seat]
    if holder.player_id is None or sent.readers.get(seat) != holder.tenure:
        return False
    if sent.unsigned:
        return not press.is_muted(tx, holder.player_id, loaded.match.id, None)
    if writer.player_id is None or writer.tenure != sent.tenure:
        return True
    return not press.is_muted(tx, holder.player_id, loaded.match.id, writer.player_id)


def _queue(
    s: Session, loaded: Loaded, seat: Seat, numbers: Sequence[int], subject: Message
) -> None:
    """Queue an email that is written from the rows of the messages when it goes out."""
    body = {"subject": subject, "copies": numbers, "answers": None}
    queue.queue_press(s, loaded, seat, body)


def _subject(loaded: Seated, sent: SentPress) -> Message:
    if sent.unsigned:
        return subjects.unsigned_press(loaded.match.name)
    return subjects.press(loaded.match.name, person(loaded, sent.seat))


def _plain(loaded: Loaded, seat: Seat, sent: SentPress) -> dict[str, object]:
    tell = words(loaded.holders[seat].language, loaded.match.game)
    hint = _how_to_reply(spelling_of(loaded.game, tell)(sent.seat))
    told = (Lines((_head(loaded, sent),)), Lines(tuple(_bars(sent.lines))), Lines((hint,)))
    return {"subject": _subject(loaded, sent), "says": told, "answers": None}


def _head(loaded: Seated, sent: SentPress) -> Message:
    titles = loaded.game.seat_titles
    readers = listed(titles[seat] for seat in loaded.seats if seat in sent.readers)
    if sent.unsigned:
        return say("Someone writes to {seats}:", seats=readers)
    return say("{seat} writes to {seats}:", seat=person(loaded, sent.seat), seats=readers)


def paragraphs_of(
    tx: Tx, loaded: Seated, seat: Seat, numbers: Sequence[int], tell: Words
) -> Iterator[Paragraph]:
    """Yield what an email says that passes on these messages to a seat's holder, whose words are
    `tell`."""
    tenure = loaded.holders[seat].tenure
    found = press.copies(tx, loaded.match.id, seat, tenure, numbers)
    for one in found:
        head = _head(loaded, one.sent)
        yield Lines((say("Message {n}. {head}", n=one.number, head=head),))
        yield Lines(tuple(_bars(one.sent.lines)))
    for hint in _hints(loaded, found, tell):
        yield Lines((hint,))


def _hints(loaded: Seated, found: Sequence[PressCopy], tell: Words) -> Iterator[Message]:
    signed = [one.sent.seat for one in found if not one.sent.unsigned]
    spelled = spelling_of(loaded.game, tell)
    if signed:
        yield _how_to_reply(spelled(signed[-1]))
    if not found:
        yield say("The message was deleted.")
        return
    yield say(
        "To stop such messages: MUTE {seat}. To send message {n} to the game master: COMPLAIN {n}.",
        seat=spelled(signed[-1]) if signed else _UNSIGNED,
        n=found[-1].number,
    )


def _how_to_reply(seat: str) -> Message:
    return say("To reply: PRESS TO {seat}, your lines, ENDPRESS, each on its own line.", seat=seat)
