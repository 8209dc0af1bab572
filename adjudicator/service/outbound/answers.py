"""Write the answer to an email as things are when it is delivered.

What was accepted or refused, and why, was put down when the email was read. What is in force, how
long it can be replaced and the sheet to be filled in are made here: between the two another email
may have come, or the game master may have ruled.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, convert
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, both, say
from adjudicator.mail.write import subjects
from adjudicator.reports.frame import PROOFS
from adjudicator.service.base.calendar import when
from adjudicator.service.base.loaded_match import Loaded, MatchSession, Seated, Unreadable, load
from adjudicator.service.base.session import Session
from adjudicator.service.inbound import commands, confirmations
from adjudicator.service.inbound.answering import codes
from adjudicator.service.inbound.replies import Conversation, is_of_entered
from adjudicator.service.matches.receipts import is_played, is_played_and_reported_next
from adjudicator.service.outbox.layout import paragraphs
from adjudicator.service.reports import building, printing
from adjudicator.service.reports.standing import read_log
from adjudicator.store import outgoing, submissions, turns
from adjudicator.store.database import Tx
from adjudicator.store.outgoing import DueEmail, WaitingReceipt
from adjudicator.store.submissions import UsedSheet
from adjudicator.store.turns import StoredReport

# Tell in a receipt what came of its orders, if they were adjudicated before it is delivered.


class OrdersOutcome(Struct, frozen=True):
    """The ply that adjudicated an email's orders, and what their seat saw of it; nothing, if other
    seats' orders were adjudicated with them, for then a report tells of all of them.

    `is_reported` says that this report has gone out by now.
    """

    ply: int
    turn: int
    revision: int
    told: str
    is_reported: bool


def orders_outcome(tx: Tx, email: DueEmail, loaded: Seated) -> OrdersOutcome | None:
    """Return what came of the orders to which a receipt answers; None if they still wait."""
    if email.kind != "receipt" or email.ply is None or email.match_id is None:
        return None
    ply, seat = email.ply + 1, Seat(str(email.seat))
    stored = email.told
    if stored is None or stored.tenure != loaded.holders[seat].tenure:
        return None
    used = submissions.used(tx, loaded.match.id, ply)
    ours = _orders_of(used, email.key)
    if ours is None:
        return None
    told = _news_of_ply(tx, loaded, seat, stored) if len(used) == 1 else ""
    is_reported = not told and _is_reported(tx, loaded, seat, ply)
    return OrdersOutcome(ply, ours.turn, ours.revision, told, is_reported)


def _news_of_ply(tx: Tx, loaded: Seated, seat: Seat, stored: StoredReport) -> str:
    """Return what the seat saw of a ply, by the report of that ply."""
    log = read_log(tx, loaded.match, loaded.game, stored.ply, stored.ply)
    seen = (loaded.game.sight.witness(event, seat) for _, event in log)
    report = building.read(loaded.game, stored.body)
    report = replace(report, news=tuple(sight for sight in seen if sight is not None))
    if not loaded.game.sight.retells:  # what is told once only stays for the report
        report = loaded.game.sight.lasting(report)
    return printing.what_came(report, loaded.holders[seat])


def _is_reported(tx: Tx, loaded: Seated, seat: Seat, ply: int) -> bool:
    """Return whether a report that was delivered to the seat's holder tells of a ply: the answer
    to an email that came again is written when that may have been."""
    reach = turns.told_by_reports(tx, loaded.match.id)
    told = reach.get((seat, loaded.holders[seat].tenure))
    return told is not None and told.until is not None and told.until >= ply


def _orders_of(used: Sequence[UsedSheet], key: str) -> UsedSheet | None:
    """Return that of the adjudicated sheets which came with the email that a receipt with this
    key answers, if it answers one and no other."""
    name = key.split("/")[4:]
    if not (name and name[0].isdecimal() and name[1:] in ([], ["again"])):
        return None
    return next((one for one in used if one.letter_id == int(name[0])), None)


# Let a report that tells what came of orders confirm them, too, so that one email goes where two
# would.
#
# A receipt waits in the outbox like any answer. If a report goes to the same reader in the same
# round, and tells what came of its orders, it goes on waiting. The transaction that makes the bytes
# of the report puts into them what the receipt says, and drops the receipt with the report's key as
# the reason. Until then it waits and nothing else; so whatever is killed, fails or is taken back in
# between, it is there, and goes by itself if no report takes it. If a report is dropped that has
# taken receipts (a newer one tells it, too; its ply was taken back), these wait again.


class Carried(Struct, frozen=True):
    """A receipt that a report says in its place, and what came of its orders; `answers` is the
    Message-ID of the player's email."""

    id: int
    text: str
    told: Message
    proofs: Sequence[str]
    answers: str | None


def waits_for_report(tx: Tx, email: DueEmail) -> bool:
    """Return whether a report that goes now as well will say what the email says."""
    if not email.has_carrier:
        return False
    receipt = WaitingReceipt(email.id, email.key, email.ply or 0, email.body)
    return _adjudicated_orders(tx, email.match_id, receipt) is not None


def carried_by(tx: Tx, email: DueEmail) -> Sequence[Carried]:
    """Return the receipts that a report says in their place."""
    found = []
    for receipt in outgoing.receipts_of(tx, email.id) if email.has_receipts else ():
        if ours := _adjudicated_orders(tx, email.match_id, receipt):
            body = decode(receipt.body)
            told = is_played(ours.revision)
            proofs, answers = body["proofs"], body["answers"]
            found.append(Carried(receipt.id, body["in_report"], told, proofs, answers))
    return found


def _adjudicated_orders(tx: Tx, match_id: int | None, receipt: WaitingReceipt) -> UsedSheet | None:
    """Return the orders that a receipt confirms, if they were adjudicated and a report may say what
    it says."""
    if match_id is None or not decode(receipt.body).get("in_report"):
        return None
    return _orders_of(submissions.used(tx, match_id, receipt.ply + 1), receipt.key)


LATE = timedelta(hours=1)  # from then on an answer says when it was written

_STANDING: Mapping[str, Callable[[Conversation, Sequence[int]], str]] = {
    "standing": commands.standing_line,
    "still": commands.still_line,
}


class Answer(Struct, frozen=True):
    """Hold what an answer says. `since` is the first ply of which it tells, if it tells of one."""

    subject: Message
    text: str
    since: int | None = None


def write_answer(
    s: Session, email: DueEmail, loaded: Seated, body: Mapping[str, Any], tell: Words
) -> Answer:
    """Write an answer, or press.

    If its orders were adjudicated meanwhile, it tells what came of them; if others were, what was
    in force is so no more, and is left out.
    """
    subject, entered = convert(body["subject"], Message), is_of_entered(email.key)
    again = [tell(_read_before(body))] if "read_at" in body else []
    proofs = _proofs(body, tell)
    if came := orders_outcome(s.tx, email, loaded):
        text = paragraphs([*again, body["text"], tell(_message_of_played(came)), came.told, proofs])
        since = came.ply if came.told else None
        return Answer(
            subjects.adjudicated(loaded.match.name, came.turn, came.revision), text, since
        )
    if _is_of_before(email, loaded):
        assert email.ply is not None
        turn = turns.one(s.tx, loaded.match.id, email.ply).turn
        gone_on = _gone_on(turn if loaded.match.turn > turn else None, entered=entered)
        now_told = both(gone_on, say("Your latest report shows the current position."))
        text = paragraphs([*again, body["text"], tell(now_told), proofs])
        return Answer(subjects.afterwards(subject, entered=entered), text)
    if "standing_by" not in body:  # press
        return Answer(subject, paragraphs([body["text"], *_texts_of_body(body)]))
    try:
        whole = load(s.tx, loaded.match.name)
    except Unreadable:  # the seat is told so by itself
        told = paragraphs([body["text"], proofs])
        return Answer(subjects.afterwards(subject, entered=entered), told)
    return _as_things_are(s, email, whole, body)


def _proofs(body: Mapping[str, Any], tell: Words) -> str:
    """Return the digests of what an email's orders were stored as, under their heading."""
    return under_proofs(body.get("proofs", ()), tell)


def under_proofs(lines: Iterable[str], tell: Words) -> str:
    """Return lines that somebody may check later, under their heading; empty without any."""
    told, heading = "\n".join(lines), tell(PROOFS)
    return f"{heading}\n{'-' * len(heading)}\n{told}" if told else ""


def _as_things_are(s: Session, email: DueEmail, loaded: Loaded, body: Mapping[str, Any]) -> Answer:
    conversation = Conversation(
        s.tx,
        s.now,
        s.context,
        session=MatchSession(s.tx, loaded, s.now),
        seat=Seat(str(email.seat)),
        letter_id=0,
    )
    sheet = conversation.loaded.sheets.get(conversation.seat)
    is_same = (sheet.revision if sheet else None) == body["revision"]
    subject = convert(body["subject"], Message)
    if not is_same or conversation.loaded.match.status == "over":
        subject = subjects.afterwards(subject, entered=is_of_entered(email.key))
    standing = _STANDING[body["standing_by"]](conversation, body["told"])
    fill_in, proofs = _sheet(conversation, body), _proofs(body, conversation.words)
    if "read_at" in body:
        if not _is_told_again(conversation, email, body, is_same=is_same):
            parts = [conversation.words(_read_before(body)), commands.current_line(conversation)]
            waiting = codes(conversation, confirmations.MOST_WAITING)
            subject = subjects.answer_of_before(
                conversation.loaded.match.name, conversation.loaded.match.turn
            )
            return Answer(subject, paragraphs([*parts, *waiting]))
        first = [
            conversation.words(both(_read_before(body), say("This was the answer:"))),
            body["text"],
        ]
        return Answer(subject, paragraphs([*first, fill_in, standing, proofs]))
    began = [conversation.words(late(email))] if s.now - email.created_at > LATE else []
    return Answer(subject, paragraphs([*began, body["text"], fill_in, standing, proofs]))


def _sheet(conversation: Conversation, body: Mapping[str, Any]) -> str:
    """Return the sheet to be filled in, or the player's own that he is to mend."""
    if not body["sheet"]:
        return ""
    if body.get("is_own_sheet") and commands.may_order(conversation):
        return str(body["sheet"])
    return commands.sheet_in_force(conversation)


def _is_told_again(
    conversation: Conversation, email: DueEmail, body: Mapping[str, Any], *, is_same: bool
) -> bool:
    """Return whether the first answer to an email that came again is still worth reading.

    A refusal says what was wrong; a request to confirm needs a code that waits.
    """
    if email.kind == "confirm":
        return any(code in body["text"] for code in confirmations.codes(conversation))
    return is_same or email.kind == "refusal"


def _texts_of_body(body: Mapping[str, Any]) -> Sequence[str]:
    return [body.get("sheet", ""), body.get("standing", "")]


def _read_before(body: Mapping[str, Any]) -> Message:
    return say(
        "Your email came a second time. It was read on {when} and is not carried out again.",
        when=when(datetime.fromisoformat(body["read_at"])),
    )


def late(email: DueEmail) -> Message:
    """Say when an answer was written that goes out late."""
    return say("This answer is late: it was written on {when}.", when=when(email.created_at))


def _is_of_before(email: DueEmail, loaded: Seated) -> bool:
    """Return whether this is the answer to an email that was read before the newest ply."""
    is_answer = KINDS[email.kind].answers
    return is_answer and email.ply is not None and email.ply < loaded.match.ply


def _gone_on(adjudicated: int | None, *, entered: bool) -> Message:
    """Say that the turn was adjudicated, or that the match has gone on, since the email was read
    or the game master entered the sheet."""
    if adjudicated is None and entered:
        return say("The match has continued since the game master entered these orders.")
    if adjudicated is None:
        return say("The match has moved on since your email was read.")
    if entered:
        return say(
            "Turn {turn} has been played since the game master entered these orders.",
            turn=adjudicated,
        )
    return say("Turn {turn} has been played since your email was read.", turn=adjudicated)


def _message_of_played(came: OrdersOutcome) -> Message:
    if came.told or came.is_reported:
        return is_played(came.revision)
    return is_played_and_reported_next(came.revision)
