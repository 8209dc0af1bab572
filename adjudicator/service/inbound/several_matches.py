"""An email about several matches (club, 4.1 and 4.2): its parts, each carried out by itself, and
the one answer to all.

Theory of operation. The transaction that begins such an email does what it asks of its writer's own
and leaves a row for each match. Each of the next transactions locks one match, carries out the part
that is of it, and notes in its row what an email to the seat would have been answered. The last one
queues the answer, which is made of these rows, and the email is done. So whatever is killed in
between, no part is carried out twice, and the next tick goes on with the first that waits. No
transaction holds the locks of two matches, so no two workers wait for each other.

A part at whose match we stumble, or whose match cannot be read, is set aside as an email to a seat
would be. The others are carried out and answered; the email is stuck, and when it is tried again
only that part is.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import count as numbers
from typing import Any

from msgspec import convert, structs
from msgspec.json import decode, encode

from adjudicator.core.match import Seat
from adjudicator.core.match_parts import MOST_PARTS, MatchPart
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.mail.read.email import Email
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Refusal, Session
from adjudicator.service.base.loaded_match import Loaded, Unreadable, gather, seat_of
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph, paragraphs_in
from adjudicator.service.inbound import replies, seat_email, undecided
from adjudicator.service.inbound.conversation import Person
from adjudicator.service.inbound.parsed_email import EmailContent, ParsedEmail, content_of
from adjudicator.service.inbound.routing import ToSeat
from adjudicator.service.matches import outage
from adjudicator.service.outbox import queue
from adjudicator.store import inbox, matches, rows
from adjudicator.store.database import Tx
from adjudicator.store.inbox import EmailPart
from adjudicator.store.pending import Parked

STATUSES = {"receipt": "accepted", "refusal": "refused", "confirm": "parked"}  # by kind of answer
OWN = 0  # the number of the part that is of no match


def waiting(parts: Sequence[MatchPart]) -> list[EmailPart]:
    """Return the parts of an email, to be carried out."""
    return [EmailPart(number=0, match=one.match, text=one.text, status="waiting") for one in parts]


def confirmed_parts(
    tx: Tx, parts: Sequence[MatchPart], letter_id: int, came_at: datetime
) -> list[EmailPart]:
    """Return the parts of an email that came then and has waited for a code since; each is for the
    turn that was awaited then."""
    return [structs.replace(one, **_since(tx, one, letter_id, came_at)) for one in waiting(parts)]


def _since(tx: Tx, part: EmailPart, letter_id: int, came_at: datetime) -> dict[str, Any]:
    match = matches.find(tx, part.match)
    ply = inbox.ply_at(tx, match.id, came_at) + 1 if match else None
    return {"parked_id": letter_id, "ply": ply}


def begin(tx: Tx, letter_id: int, parts: Sequence[EmailPart], kind: str, told: Paragraphs) -> None:
    """Keep the parts of an email in their order. `told` is what its writer's own was answered, if
    there was any, and `kind` what kind of answer that is."""
    own = EmailPart(number=OWN, match="", text="", status=STATUSES[kind], reply=_reply(kind, told))
    rows = [structs.replace(one, number=n) for n, one in enumerate(parts[:MOST_PARTS], start=1)]
    inbox.insert_parts(tx, letter_id, [*([own] if told else []), *rows])


def _reply(kind: str, says: Paragraphs) -> str:
    return encode({"kind": kind, "says": says}).decode()


# Carry out one part.


def carry_out(person: Person, opened: ParsedEmail, part: EmailPart, *, alone: bool) -> None:
    """Carry out a part and note its answer; `alone` says that the email has no other.

    Raises Unreadable if its match cannot be read.
    """
    found = _whose(person, part)
    if isinstance(found, Message):
        _note(person, part, status="refused", reply=_reply("refusal", paragraph(found)))
        return
    opened = _only(opened, part, alone=alone)
    parked = None
    if part.parked_id is not None:
        parked = Parked(id=0, letter_id=part.parked_id, text=part.text, ply=part.ply)
    reply = seat_email.answer_part(person, opened, found, parked)
    match, holder = found.loaded.match, found.loaded.holders[found.seat]
    kept = {
        "kind": reply.kind,
        "ply": match.ply,
        "tenure": holder.tenure,
        "body": replies.body_of_part(reply),
    }
    _note(
        person,
        part,
        status=STATUSES[reply.kind],
        reply=encode(kept).decode(),
        match_id=match.id,
        match=match.name,
        seat=found.seat,
        ply=match.ply + 1,
        revision=reply.revision,
    )


def _note(person: Person, part: EmailPart, **changes: Any) -> None:
    rows.change(person.tx, EmailPart, (person.letter_id, part.number), **changes)


def _only(opened: ParsedEmail, part: EmailPart, *, alone: bool) -> ParsedEmail:
    """Return the email as if it said nothing but that part. What is warned of beside it (quoted
    orders, files) is told with the only one, for nobody can say of which match it is."""
    content = content_of(part.text)
    if not alone:
        email = structs.replace(opened.email, files=())
        return structs.replace(opened, email=email, content=content)
    whole = opened.content
    content = structs.replace(
        content, left_out=whole.left_out, footers=whole.footers, unread=whole.unread
    )
    return structs.replace(opened, content=content)


def _whose(person: Person, part: EmailPart) -> ToSeat | Message:
    """Return the player's seat in the match of a part, or why there is none. Locks the match."""
    match = matches.find(person.tx, part.match)
    none = say("You hold no seat in {match}.", match=shown(part.match))
    if match is None:
        return none
    held = [
        seat
        for seat, holder in matches.holders(person.tx, match.id).items()
        if holder.player_id == person.player_id
    ]
    if not held:
        return none
    loaded = gather(person.tx, match)
    if not loaded.is_opened:
        return undecided.message_for_unopened(match)
    if len(held) == 1:
        return ToSeat(loaded, Seat(held[0]), authorised=True)
    return _named_seat(loaded, held, content_of(part.text))


def _named_seat(loaded: Loaded, held: Sequence[str], content: EmailContent) -> ToSeat | Message:
    """Return that of several seats of a player which all sheets of a part name."""
    words = {sheet.head.seat for sheet in content.reading.sheets if sheet.head}
    if len(words) == 1 and (word := words.pop()):
        with suppress(Refusal):
            if (seat := seat_of(loaded.game, word)) in held:
                return ToSeat(loaded, seat, authorised=True)
    return say(
        "You hold several seats in {match}. Send your email to the address of the seat: reply to "
        "its latest report.",
        match=loaded.match.name,
    )


def set_aside(s: Session, letter_id: int, unread: Unreadable | None) -> bool:
    """Set the part aside at which the reading of an email has failed, so that the others are
    carried out. If its match cannot be read (`unread`), that is put on hold. Return whether there
    was such a part."""
    parts = rows.find(s.tx, EmailPart, letter_id=letter_id)
    part = next((one for one in parts if one.status == "waiting"), None)
    if part is None:
        return False
    told = say("This part of your email has arrived, and a human will look at it.")
    if unread is not None:
        outage.lay_aside(s, unread)
        told = undecided.message_for_kept(unread.match.name)
    reply = encode({"kind": "refusal", "told": told}).decode()
    rows.change(s.tx, EmailPart, (letter_id, part.number), status="stuck", reply=reply)
    inbox.update(s.tx, letter_id, tries=1, faults=0, again_at=None)
    return True


# The one answer.


def answer(person: Person, email: Email, *, shared: bool) -> str:
    """Queue the answer to an email of which all parts are carried out, unless it shares one with
    others of a day; return the email's status."""
    parts = rows.find(person.tx, EmailPart, letter_id=person.letter_id)
    told = [one for one in parts if one.reply is not None]
    status = _status([one.status for one in told])
    if status == "stuck":
        undecided.warn(person, undecided.STUCK)
    if not shared:
        _queue(person, email, told)
    inbox.close_parts(person.tx, person.letter_id)
    return status


def kind_of(status: str) -> str:
    """Return the kind of the answer to an email that ended so."""
    return {"accepted": "receipt", "parked": "confirm"}.get(status, "refusal")


def _status(found: Sequence[str]) -> str:
    order = ("stuck", "parked", "accepted", "refused")
    return next(one for one in order if one in found)


def _queue(person: Person, email: Email, told: Sequence[EmailPart]) -> None:
    own = [paragraphs_in(decode(one.reply)) for one in told if one.number == OWN and one.reply]
    of_matches = [one for one in told if one.number != OWN]
    kind = kind_of(_status([one.status for one in told if one.status != "stuck"] or ["refused"]))
    queue_answer(person, email, kind, _subject(of_matches), sum(own, ()), of_matches)


def queue_answer(
    person: Person,
    email: Email,
    kind: str,
    subject: Message,
    own: Paragraphs,
    of_matches: Sequence[EmailPart] = (),
) -> None:
    """Queue the one answer to an email to a personal address: what its writer's own was answered,
    and the parts about matches. An email that was stuck is answered again, once the rest of it is
    carried out."""
    abouts = (f"answer/{kind}/{person.letter_id}{mark}" for mark in _marks())
    while not queue.queue_from_personal_address(
        person,
        person.wishes,
        next(abouts),
        subject,
        own,
        kind=kind,
        answers=email.message_id,
        parts=[*map(_part_of_answer, of_matches)],
    ):
        pass


def _marks() -> Iterator[str]:
    yield ""
    yield from (f"/{n}" for n in numbers(2))


def _subject(parts: Sequence[EmailPart]) -> Message:
    """Make the subject: that of the only part, or how many were accepted."""
    if len(parts) == 1 and parts[0].reply and "body" in (kept := decode(parts[0].reply)):
        return convert(kept["body"]["subject"], Message)
    found = [one.status for one in parts]
    return subjects.several_matches(
        accepted=found.count("accepted"),
        to_confirm=found.count("parked"),
        refused=len(found) - found.count("accepted") - found.count("parked"),
    )


def _part_of_answer(part: EmailPart) -> Mapping[str, Any]:
    """Return what the answer keeps of a part, to be written when it goes out."""
    said: dict[str, Any] = {"match": part.match, "status": part.status}
    kept = decode(part.reply or "null")
    if "told" in kept:
        return {**said, "says": paragraph(convert(kept["told"], Message))}
    if "body" not in kept:
        return {**said, "says": paragraphs_in(kept)}
    return {**said, **kept, "match_id": part.match_id, "seat": part.seat}
