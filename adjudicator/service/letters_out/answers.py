"""Write the answer to a letter as things are when it is delivered.

What was accepted or refused, and why, was put down when the letter was read. What is in force, how
long it can be replaced and the sheet to be filled in are made here: between the two another letter
may have come, or the game master may have ruled.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, convert

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, both, say
from adjudicator.mail.write import subjects
from adjudicator.service.base.calendar import when
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded, Seated, Unreadable, load
from adjudicator.service.base.match_session import MatchSession
from adjudicator.service.letters_in import confirmations, in_force
from adjudicator.service.letters_in.answer import codes
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.replies import is_of_entered, paragraphs
from adjudicator.service.letters_out.outcome import Outcome, outcome
from adjudicator.store import turns
from adjudicator.store.database import Tx
from adjudicator.store.handing_over import Waiting
from adjudicator.store.outbox import ANSWERS

LATE = timedelta(hours=1)  # from then on an answer says when it was written

_STANDING: Mapping[str, Callable[[Talk, Sequence[int]], str]] = {
    "standing": in_force.standing,
    "still": in_force.still,
}


class Answer(Struct, frozen=True):
    """Hold what an answer says. `since` is the first ply of which it tells, if it tells of one."""

    subject: Message
    text: str
    since: int | None = None


def write(
    tx: Tx,
    letter: Waiting,
    loaded: Seated,
    body: Mapping[str, Any],
    tell: Words,
    now: datetime,
    means: Means,
) -> Answer:
    """Write an answer, or press.

    If its orders were adjudicated meanwhile, it tells what came of them; if others were, what was
    in force is so no more, and is left out.
    """
    subject, entered = convert(body["subject"], Message), is_of_entered(letter.key)
    again = [tell(_read_before(body))] if "read_at" in body else []
    if came := outcome(tx, letter, loaded):
        text = paragraphs([*again, body["text"], tell(_adjudicated(came)), came.told])
        since = came.ply if came.told else None
        return Answer(
            subjects.adjudicated(loaded.match.name, came.turn, came.revision), text, since
        )
    if _is_of_before(letter, loaded):
        assert letter.ply is not None
        turn = turns.one(tx, loaded.match.id, letter.ply).turn
        gone_on = _gone_on(turn if loaded.match.turn > turn else None, entered=entered)
        now_told = both(gone_on, say("Your newest report tells how things stand."))
        text = paragraphs([*again, body["text"], tell(now_told)])
        return Answer(subjects.afterwards(subject, entered=entered), text)
    if "standing_by" not in body:  # press, or the row of an older adjud
        return Answer(subject, paragraphs([body["text"], *_kept(body)]))
    try:
        whole = load(tx, loaded.match.name)
    except Unreadable:  # the seat is told so by itself
        return Answer(subjects.afterwards(subject, entered=entered), paragraphs([body["text"]]))
    return _as_things_are(tx, letter, whole, body, now, means)


def _as_things_are(
    tx: Tx,
    letter: Waiting,
    loaded: Loaded,
    body: Mapping[str, Any],
    now: datetime,
    means: Means,
) -> Answer:
    talk = Talk(
        session=MatchSession(tx, loaded, now),
        seat=Seat(str(letter.seat)),
        letter_id=0,
        now=now,
        means=means,
    )
    sheet = talk.loaded.sheets.get(talk.seat)
    is_same = (sheet.revision if sheet else None) == body["revision"]
    subject = convert(body["subject"], Message)
    if not is_same or talk.loaded.match.status == "over":
        subject = subjects.afterwards(subject, entered=is_of_entered(letter.key))
    standing = _STANDING[body["standing_by"]](talk, body["told"])
    fill_in = _sheet(talk, body)
    if "read_at" in body:
        if not _is_told_again(talk, letter, body, is_same=is_same):
            parts = [talk.words(_read_before(body)), in_force.current(talk)]
            waiting = codes(talk, confirmations.MOST_WAITING)
            subject = subjects.answer_of_before(talk.loaded.match.name, talk.loaded.match.turn)
            return Answer(subject, paragraphs([*parts, *waiting]))
        first = [talk.words(both(_read_before(body), say("This was the answer:"))), body["text"]]
        return Answer(subject, paragraphs([*first, fill_in, standing]))
    began = [talk.words(late(letter))] if now - letter.created_at > LATE else []
    return Answer(subject, paragraphs([*began, body["text"], fill_in, standing]))


def _sheet(talk: Talk, body: Mapping[str, Any]) -> str:
    """Return the sheet to be filled in, or the player's own that he is to mend."""
    if not body["sheet"]:
        return ""
    if body.get("is_own_sheet") and in_force.may_order(talk):
        return str(body["sheet"])
    return in_force.sheet(talk)


def _is_told_again(talk: Talk, letter: Waiting, body: Mapping[str, Any], *, is_same: bool) -> bool:
    """Return whether the first answer to a letter that came again is still worth reading.

    A refusal says what was wrong; a request to confirm needs a code that waits.
    """
    if letter.kind == "confirm":
        return any(code in body["text"] for code in confirmations.codes(talk))
    return is_same or letter.kind == "refusal"


def _kept(body: Mapping[str, Any]) -> Sequence[str]:
    return [body.get("sheet", ""), body.get("standing", "")]


def _read_before(body: Mapping[str, Any]) -> Message:
    return say(
        "Your email came a second time. It was read on {when} and is not carried out again.",
        when=when(datetime.fromisoformat(body["read_at"])),
    )


def late(letter: Waiting) -> Message:
    """Say when an answer was written that goes out late."""
    return say("This answer is late: it was written on {when}.", when=when(letter.created_at))


def _is_of_before(letter: Waiting, loaded: Seated) -> bool:
    """Return whether this is the answer to a letter that was read before the newest ply."""
    is_answer = letter.kind in ANSWERS
    return is_answer and letter.ply is not None and letter.ply < loaded.match.ply


def _gone_on(adjudicated: int | None, *, entered: bool) -> Message:
    """Say that the turn was adjudicated, or that the match has gone on, since the letter was read
    or the game master entered the sheet."""
    if adjudicated is None and entered:
        return say("The match has gone on since the game master entered this sheet.")
    if adjudicated is None:
        return say("The match has gone on since your letter was read.")
    if entered:
        return say(
            "Turn {turn} has been adjudicated since the game master entered this sheet.",
            turn=adjudicated,
        )
    return say("Turn {turn} has been adjudicated since your letter was read.", turn=adjudicated)


def _adjudicated(came: Outcome) -> Message:
    if came.told or came.is_reported:
        return say("Revision {revision} has been adjudicated.", revision=came.revision)
    return say(
        "Revision {revision} has been adjudicated; your next report tells what came of it.",
        revision=came.revision,
    )
