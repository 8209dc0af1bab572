"""Write the answer to an email as things are when it is delivered: to a seat, or to a person or a
stranger, where each part about a match says what an email to its seat would have been answered.

What was accepted or refused, and why, was put down when the email was read. What is in force, how
long it can be replaced and the sheet to be filled in are made here: between the two another email
may have come, or the game master may have ruled.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from msgspec import Struct, convert
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.email_kinds import KINDS, ValuedKind
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, both, say
from adjudicator.mail.write import subjects
from adjudicator.service.base.calendar import when
from adjudicator.service.base.loaded_match import (
    Loaded,
    MatchSession,
    Seated,
    Unreadable,
    load,
    load_seats,
)
from adjudicator.service.emails.links import EmailReader
from adjudicator.service.emails.paragraphs import (
    AnswerPart,
    EmailContents,
    Lines,
    NewsAlone,
    Paragraphs,
    Told,
    finished_text,
    paragraph,
    paragraphs_in,
    proofs,
    tell_played,
    tell_played_and_reported_next,
)
from adjudicator.service.emails.value import EmailText, report_value
from adjudicator.service.emails.wording import answer_text, fit_contents
from adjudicator.service.inbound import codes
from adjudicator.service.inbound.conversation import (
    Conversation,
    current_line,
    current_version,
    may_order,
    sheet_in_force,
    standing_line,
    still_line,
)
from adjudicator.service.inbound.replies import is_of_entered
from adjudicator.service.outbound.writing import (
    EmailBody,
    Writing,
    ask_of,
    give_number,
    said_to_person,
    said_to_seat,
)
from adjudicator.service.outbox.queue import own_address
from adjudicator.service.reports import building
from adjudicator.service.reports.standing import read_log
from adjudicator.store import outbox, outgoing, players, submissions, turns
from adjudicator.store.database import Tx
from adjudicator.store.outgoing import DueEmail, WaitingReceipt
from adjudicator.store.submissions import UsedSheet
from adjudicator.store.turns import StoredReport

# An answer, its subject, and the first ply of which it tells.
Written: TypeAlias = tuple[EmailContents, Message, int | None]

# Tell in a receipt what came of its orders, if they were adjudicated before it is delivered.


def _after_orders(email: Writing, read_before: Paragraphs) -> Written | None:
    """Return a receipt after the ply that adjudicated its orders, with what their seat saw of it;
    nothing, if other seats' orders were adjudicated with them, for then a report tells of all of
    them. Return None if they still wait."""
    due, loaded, seat, stored = email.due, email.match, email.seat, email.due.told
    if due.kind != "receipt" or due.ply is None or due.match_id is None:
        return None
    if stored is None or stored.tenure != email.holder.tenure:
        return None
    ply = due.ply + 1
    used = submissions.used(email.tx, loaded.match.id, ply)
    ours = _orders_of(used, due.key)
    if ours is None:
        return None
    news = _news_of_ply(email.tx, loaded, seat, stored) if len(used) == 1 else ()
    is_told = bool(news) or _is_reported(email.tx, loaded, seat, ply)
    tell = tell_played if is_told else tell_played_and_reported_next
    answer = EmailContents(
        above=read_before,
        says=paragraphs_in(email.body),
        below=(*paragraph(tell(ours.revision)), *news, *_proofs_in(email.body)),
    )
    subject = subjects.adjudication(loaded.match.name, ours.turn, ours.revision)
    return answer, subject, ply if news else None


def _news_of_ply(tx: Tx, loaded: Seated, seat: Seat, stored: StoredReport) -> Paragraphs:
    """Return what the seat saw of a ply, by the report of that ply."""
    log = read_log(tx, loaded.match, loaded.game, stored.ply, stored.ply)
    seen = (loaded.game.sight.witness(event, seat) for _, event in log)
    report = building.read(loaded.game, stored.body)
    report = replace(report, news=tuple(sight for sight in seen if sight is not None))
    if not loaded.game.sight.retells:  # what is told once only stays for the report
        report = loaded.game.sight.lasting(report)
    return (NewsAlone(report=report_value(report)),) if report.news else ()


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
    says: Paragraphs
    told: Message
    proofs: tuple[Told, ...]
    answers: str | None


def waits_for_report(tx: Tx, email: DueEmail) -> bool:
    """Return whether a report that goes now as well will say what the email says."""
    if not email.has_carrier:
        return False
    receipt = WaitingReceipt(email.id, email.key, email.ply or 0, email.body)
    return _adjudicated_orders(tx, email.match_id, receipt) is not None


def receipts_in_report(tx: Tx, email: DueEmail) -> Sequence[Carried]:
    """Return the receipts that a report says in their place."""
    found = []
    for receipt in outgoing.receipts_of(tx, email.id) if email.has_receipts else ():
        if ours := _adjudicated_orders(tx, email.match_id, receipt):
            body = decode(receipt.body)
            told, finished = tell_played(ours.revision), body["in_report"]
            says = finished_text(finished) if isinstance(finished, str) else paragraphs_in(body)
            found.append(Carried(receipt.id, says, told, _digests_in(body), body["answers"]))
    return found


def _adjudicated_orders(tx: Tx, match_id: int | None, receipt: WaitingReceipt) -> UsedSheet | None:
    """Return the orders that a receipt confirms, if they were adjudicated and a report may say what
    it says."""
    if match_id is None or not decode(receipt.body).get("in_report"):
        return None
    return _orders_of(submissions.used(tx, match_id, receipt.ply + 1), receipt.key)


Subject: TypeAlias = str | Message | Sequence[Message]
LATE = timedelta(hours=1)  # from then on an answer says when it was written

_STANDING: Mapping[str, Callable[[Conversation, Sequence[int]], Paragraphs]] = {
    "standing": standing_line,
    "still": still_line,
}


def to_seat(email: Writing) -> EmailBody:
    """Write an answer, or press, to the holder of a seat.

    If its orders were adjudicated meanwhile, it tells what came of them; if others were, what was
    in force is so no more, and is left out.
    """
    answer, subject, since = _answer_to_seat(email)
    answer = fit_contents(answer, email.reader)
    said = EmailText(
        game=email.match.match.game,
        subject=(subject,),
        contents=answer,
        asked=ask_of(email, answer),
    )
    value = said_to_seat(email, convert(email.due.kind, ValuedKind), said)
    value = give_number(email, value)
    return EmailBody(value=value, answers=email.body["answers"], since=since)


def _answer_to_seat(email: Writing) -> Written:
    due, body, loaded = email.due, email.body, email.match
    says, digests = paragraphs_in(body), _proofs_in(body)
    subject, entered = convert(body["subject"], Message), is_of_entered(due.key)
    again = paragraph(_read_before(body)) if "read_at" in body else ()
    if played := _after_orders(email, again):
        return played
    if _is_of_before(due, loaded):
        assert due.ply is not None
        turn = turns.one(email.tx, loaded.match.id, due.ply).turn
        gone_on = _gone_on(turn if loaded.match.turn > turn else None, entered=entered)
        now_told = both(gone_on, say("Your latest report shows the current position."))
        answer = EmailContents(above=again, says=says, below=(*paragraph(now_told), *digests))
        return answer, subjects.afterwards(subject, entered=entered), None
    if "standing_by" not in body:  # press
        return EmailContents(says=says), subject, None
    try:
        whole = load(email.tx, loaded.match.name)
    except Unreadable:  # the seat is told so by itself
        answer = EmailContents(says=says, below=digests)
        return answer, subjects.afterwards(subject, entered=entered), None
    return _as_things_are(email, whole)


def _proofs_in(body: Mapping[str, Any]) -> Paragraphs:
    """Return the digests of what an email's orders were stored as, under their heading."""
    return proofs(_digests_in(body))


def _digests_in(body: Mapping[str, Any]) -> tuple[Told, ...]:
    """Return the lines with these digests. Rows of before 0.3.0 have them as texts."""
    kept = body.get("proofs", ())
    found = (one.split("\n") if isinstance(one, str) else convert(one, Lines).lines for one in kept)
    return tuple(line for some in found for line in some)


def _as_things_are(email: Writing, loaded: Loaded) -> Written:
    due, body = email.due, email.body
    conversation = Conversation(
        email.tx,
        email.now,
        email.context,
        session=MatchSession(email.tx, loaded, email.now),
        seat=email.seat,
        letter_id=0,
    )
    is_same = current_version(conversation) == body["revision"]
    subject = convert(body["subject"], Message)
    if not is_same or conversation.loaded.match.status == "over":
        subject = subjects.afterwards(subject, entered=is_of_entered(due.key))
    holds = _STANDING[body["standing_by"]](conversation, body["told"])
    says, below = paragraphs_in(body), (*_sheet(conversation, body), *holds, *_proofs_in(body))
    if "read_at" in body:
        if not _is_told_again(conversation, email, is_same=is_same):
            now_told = (*current_line(conversation), *codes.tell_waiting(conversation))
            match = conversation.loaded.match
            subject = subjects.answer_of_before(match.name, match.turn)
            return EmailContents(above=paragraph(_read_before(body)), below=now_told), subject, None
        was = both(_read_before(body), say("This was the answer:"))
        return EmailContents(above=paragraph(was), says=says, below=below), subject, None
    began = paragraph(_late(due)) if email.now - due.created_at > LATE else ()
    return EmailContents(above=began, says=says, below=below), subject, None


def _sheet(conversation: Conversation, body: Mapping[str, Any]) -> Paragraphs:
    """Return the sheet to be filled in, or the player's own that he is to mend."""
    if not body["sheet"]:
        return ()
    if body.get("is_own_sheet") and may_order(conversation):
        return paragraphs_in(body, "sheet")
    return sheet_in_force(conversation)


def _is_told_again(conversation: Conversation, email: Writing, *, is_same: bool) -> bool:
    """Return whether the first answer to an email that came again is still worth reading.

    A refusal says what was wrong; a request to confirm needs a code that waits.
    """
    if email.due.kind == "confirm":
        text = answer_text(paragraphs_in(email.body), email.reader)
        return any(code in text for code in codes.current(conversation))
    return is_same or email.due.kind == "refusal"


def _read_before(body: Mapping[str, Any]) -> Message:
    return say(
        "Your email came a second time. It was read on {when} and is not carried out again.",
        when=when(datetime.fromisoformat(body["read_at"])),
    )


def _late(email: DueEmail) -> Message:
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


# An answer from an address that is no seat's, and its parts about matches (club, 4.2), under the
# names of these.


def to_address(email: Writing) -> EmailBody:
    """Write to a stranger, or from a player's personal address."""
    due, body = email.due, email.body
    is_late = KINDS[due.kind].answers and email.now - due.created_at > LATE
    late = paragraph(_late(due)) if is_late else ()
    parts, of_only = _parts_of(email, body.get("parts", ()))
    answer = fit_contents(
        EmailContents(above=late, says=paragraphs_in(body), parts=parts), email.reader
    )
    said = EmailText(
        game=email.reader.game,
        subject=(of_only or convert(body["subject"], Message),),
        contents=answer,
        asked=ask_of(email, answer, is_invitation=bool(body.get("is_invitation"))),
    )
    reply_to = body.get("reply_to") or _own_address(email)
    return EmailBody(
        value=said_to_person(email, said, reply_to),
        answers=body["answers"],
        reply_to=reply_to,
        unsubscribe=body.get("unsubscribe"),
    )


def _own_address(email: Writing) -> str | None:
    """Return the personal address of an email's reader if it goes out from there."""
    due, context = email.due, email.context
    if context.post is None or not due.key.startswith(outbox.OF_PERSONS):
        return None
    assert due.player_id is not None
    return own_address(context.post, players.one(email.tx, due.player_id))


def _parts_of(
    email: Writing, parts: Sequence[Mapping[str, Any]]
) -> tuple[tuple[AnswerPart, ...], Message | None]:
    """Return the answer to each part of an email, under the name of its match; and of the only part
    the subject that an email to its seat would have, if there is one."""
    told = [_part_of(email, part) for part in parts]
    subject = told[0][1] if len(told) == 1 else None
    return tuple(part for part, _ in told), subject


def _part_of(email: Writing, part: Mapping[str, Any]) -> tuple[AnswerPart, Message | None]:
    """Return what is answered to a part, and its subject, if it has one of its own."""
    made = AnswerPart(match=part["match"], status=part["status"], game="", says=EmailContents())
    if "body" not in part:
        return replace(made, says=EmailContents(says=paragraphs_in(part))), None
    try:
        loaded = load_seats(email.tx, part["match"])
    except Unreadable:  # its players are told so by themselves
        return replace(made, says=EmailContents(says=paragraphs_in(part["body"]))), None
    holder, made = loaded.holders[part["seat"]], replace(made, game=loaded.match.game)
    if (holder.player_id, holder.tenure) != (email.due.player_id, part["tenure"]):
        told = say("You hold no seat in {match}.", match=loaded.match.name)
        return replace(made, says=EmailContents(says=paragraph(told))), None
    due = _as_to_seat(email.tx, email.due, part, loaded)
    reader = EmailReader(holder.language, holder.zone, loaded.match.game)
    to_its_seat = replace(email, due=due, loaded=loaded, body=part["body"], reader=reader)
    answer, subject, _ = _answer_to_seat(to_its_seat)
    return replace(made, says=answer), subject


def _as_to_seat(tx: Tx, email: DueEmail, part: Mapping[str, Any], loaded: Seated) -> DueEmail:
    """Return the email as if it answered one to the seat alone."""
    seat, ply, match = Seat(part["seat"]), part["ply"], loaded.match
    number = email.key.split("/")[4]  # of the email that is answered
    stored = turns.report_of(tx, match.id, ply + 1, seat) if part["kind"] == "receipt" else None
    return replace(
        email,
        key=f"{match.name}/{ply}/{seat}/{part['kind']}/{number}",
        kind=part["kind"],
        match_id=match.id,
        match=match.name,
        ply=ply,
        seat=str(seat),
        told=stored,
    )
