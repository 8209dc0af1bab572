"""What became of each thing that an email asks; and its one answer, whose kind and subject follow
from that. It goes to the address on file, whoever wrote the email.

| status | what it says |
|---|---|
| `shown`, `done`, `refused`, `code` | what came of a command or a sheet; a code is to confirm it |
| `sent`, `unsent` | what came of a message to others |
| `waits` | something of the email is kept until a code confirms it |
| `nothing` | a code in the email confirmed nothing |
| `unread` | something in it was meant for another address, and was not read |
| `beside` | no more than a text, of which kind and subject say nothing |
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args

from msgspec import Struct, structs
from msgspec.json import decode, encode

from adjudicator.core.message import Message
from adjudicator.mail.read.email import Email as Came
from adjudicator.mail.write import subjects
from adjudicator.mail.write.subjects import Outcome
from adjudicator.service.base.context import Session
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.emails.paragraphs import (
    Paragraphs,
    Receipt,
    Told,
    paragraph,
    paragraphs_in,
)
from adjudicator.service.inbound.conversation import (
    Conversation,
    Question,
    current_version,
    is_awaited,
)
from adjudicator.service.inbound.parsed_email import EmailContent
from adjudicator.service.outbox.queue import post, post_again
from adjudicator.store import outbox
from adjudicator.store.inbox import EmailPart
from adjudicator.store.outbox import OutgoingEmail

Status: TypeAlias = Outcome | Literal["waits", "nothing", "unread", "beside"]
_ENTERED = "entered"  # in the key of a receipt that answers no email
SHEET = "ORDERS"  # what was asked, if it is no command
_OUTCOMES: Mapping[str, Outcome] = {one: one for one in get_args(Outcome)}


class Done(Struct, frozen=True):
    """What became of one thing that an email asks, and what its sender is `told` of it.

    `asked` is the word of the command, or ORDERS of a sheet; it may be empty. A `subject` is that
    of an answer that brings nothing else. `receipt` is that of a sheet, or of a command or of marks
    that were refused; `proof` has the digests of what was stored. `by_code` says that it had waited
    for a code. The parts `of_matches` are still to be carried out, and `question` goes to the game
    master.
    """

    told: Paragraphs
    status: Status = "beside"
    asked: str = ""
    subject: Message | None = None
    receipt: Receipt | None = None
    proof: Paragraphs = ()
    by_code: bool = False
    of_matches: Sequence[EmailPart] = ()
    question: Question | None = None


def notes(told: Iterable[Told | None]) -> list[Done]:
    """Return what is told beside all that was asked, each line as a paragraph."""
    return [Done(paragraph(line)) for line in told if line]


def with_words(done: Iterable[Done]) -> list[Done]:
    """Return that of which an answer tells anything."""
    return [one for one in done if one.told]


def paragraphs_of(done: Iterable[Done]) -> Paragraphs:
    """Return all that is told."""
    return tuple(told for one in done for told in one.told)


def proofs(done: Iterable[Done]) -> Paragraphs:
    return tuple(proof for one in done for proof in one.proof)


def receipts(done: Iterable[Done]) -> list[Receipt]:
    return [one.receipt for one in done if one.receipt is not None]


def refusals(done: Iterable[Done]) -> list[Receipt]:
    return [receipt for receipt in receipts(done) if not receipt.accepted]


def versions(done: Iterable[Done]) -> frozenset[int]:
    """Return the versions of the orders that were put in force."""
    stored = (one.revision for one in receipts(done) if one.stored and not one.kept)
    return frozenset(revision for revision in stored if revision is not None)


def holds_orders(done: Iterable[Done]) -> bool:
    """Return whether the email itself holds orders, with which what stands around them was told."""
    return any(one.asked == SHEET and not one.by_code for one in done)


def is_futile(done: Sequence[Done]) -> bool:
    """Return whether there is nothing in an email, or nothing that was not refused."""
    refused = sum(not one.jotted for one in refusals(done))
    return refused == len(with_words(done))


# Kind and subject of an answer that is about no match.


def of_no_match(done: Sequence[Done]) -> tuple[str, Message]:
    """Return kind and subject of an answer from a personal or the public address."""
    own = next((one.subject for one in done if one.subject), None)
    statuses = {one.status for one in done}
    if "waits" in statuses:
        return "confirm", own or subjects.to_confirm()
    kind = "receipt" if statuses & _OUTCOMES.keys() and "unread" not in statuses else "refusal"
    if any(map(_came, done)):
        return kind, subject_of_commands(done)
    return kind, own or subjects.nothing_done()


def _came(one: Done) -> Outcome | None:
    """Return what came of a command or a message; None of all else."""
    if one.status == "nothing":
        return "refused"
    return None if one.asked == SHEET else _OUTCOMES.get(one.status)


def subject_of_commands(done: Iterable[Done], match: str | None = None) -> Message:
    """Return the subject of an answer to commands; without a match that of one from a personal
    address."""
    came = [(one, outcome) for one in done if (outcome := _came(one))]
    other = [(one, outcome) for one, outcome in came if outcome != "shown"]
    if not other:
        own = next(filter(None, (subjects.of_command(one.asked, match) for one, _ in came)), None)
    elif all(outcome == "done" and one.asked in _SETTINGS for one, outcome in other):
        own = subjects.of_command("PREFS", match)
    else:
        own = other[0][0].subject if len(other) == 1 else None
    return own or subjects.of_commands([outcome for _, outcome in came], match)


_SETTINGS = frozenset({"PREFS", "LANGUAGE", "ZONE"})


# Kind and subject of an answer to the holder of a seat. If the email was about orders, the subject
# says whether they are in, or what to correct.


def of_seat(conversation: Conversation, done: Sequence[Done]) -> tuple[str, Message]:
    """Return kind and subject of an answer to what a seat's holder asks, for the match as the email
    left it."""
    refused, told = refusals(done), receipts(done)
    is_in_vain = any(one.status == "nothing" for one in done)
    if is_in_vain or refused:
        stored = [one for one in told if one.stored and one.revision is not None]
        if stored and all(one.kept for one in stored):
            return "refusal", _kept_in_part(conversation, stored[0])
        if stored:
            return "refusal", partly(conversation)
        if holds_orders(done):
            return "refusal", _of_faults(conversation, refused)
        if not refused:
            return "refusal", subjects.nothing_confirmed(conversation.loaded.match.name)
        if not any(map(_came, done)):
            return "refusal", _of_faults(conversation, refused)
        return "refusal", subject_of_commands(done, conversation.loaded.match.name)
    if any(one.status == "waits" for one in done):  # nothing else must be confirmed here
        return "confirm", subjects.resign(conversation.loaded.match.name)
    ordered = [receipt for receipt in told if receipt.revision is not None]
    if ordered and all(receipt.kept for receipt in ordered):
        return "receipt", _kept(conversation, ordered[0])
    if ordered:
        return "receipt", of_receipt(conversation)
    return "receipt", subject_of_commands(done, conversation.loaded.match.name)


def of_receipt(conversation: Conversation) -> Message:
    match = conversation.loaded.match
    return subjects.receipt(match.name, match.turn, current_version(conversation))


def of_refusal(conversation: Conversation) -> Message:
    match = conversation.loaded.match
    return subjects.no_orders_needed(match.name, match.turn)


def no_orders(conversation: Conversation) -> Message:
    match = conversation.loaded.match
    return subjects.no_orders(match.name, match.turn)


def partly(conversation: Conversation) -> Message:
    """Return the subject for an email of which a part was accepted; it may have withdrawn the
    orders again."""
    match, revision = conversation.loaded.match, current_version(conversation)
    if revision is None:
        return of_refusal(conversation)
    return subjects.partly(match.name, match.turn, revision)


def of_words(conversation: Conversation, *, asks: bool, passed: bool) -> Message:
    """Return the subject for a person's words: whether they ask something, and went to the game
    master. Where names are hidden it never says that they did."""
    match = conversation.loaded.match.name
    if passed and not conversation.holder.hidden:
        return subjects.to_game_master(match, conversation.context.game_master, asks=asks)
    return subjects.question(match) if asks else subjects.words(match)


def to_confirm(conversation: Conversation, content: EmailContent) -> Message:
    """Return the subject for an email of which all must be confirmed."""
    match = conversation.loaded.match.name
    if "RESIGN" in content.words:
        return subjects.resign(match)
    return (subjects.confirm_orders if content.reading.sheets else subjects.confirm)(match)


def _kept(conversation: Conversation, receipt: Receipt) -> Message:
    return subjects.orders_saved(conversation.loaded.match.name, receipt.turn or 0)


def _kept_in_part(conversation: Conversation, receipt: Receipt) -> Message:
    """Return the subject for an email of which only sheets for later turns were kept. If the seat
    is awaited, it says how the present turn stands."""
    if is_awaited(conversation):
        return partly(conversation)
    return subjects.orders_saved_in_part(conversation.loaded.match.name, receipt.turn or 0)


def _of_faults(conversation: Conversation, refused: Sequence[Receipt]) -> Message:
    """Return the subject for orders that were refused: it names the first line with a fault, if
    orders are awaited at all."""
    match = conversation.loaded.match
    lines = (found.line for receipt in refused for found in receipt.problems)
    first = next((line for line in lines if line), 0)
    if not first or not is_awaited(conversation):
        return of_refusal(conversation)
    return subjects.correct(match.name, match.turn, first)


# The answer itself, and its place in the queue.


class Reply(Struct, frozen=True):
    """An answer. `kind` is receipt, refusal or confirm, and it `says` what came of an email.

    Behind that stand a `sheet` to be filled in and, last, `standing`: what is in force. Both
    are made anew when the answer goes out, and left out if the turn has been adjudicated by then;
    `standing_by` names the function that makes the last. With `is_own_sheet` the sheet is the
    player's own, to be mended, and stays as it is. `revision` was in force when the email had been
    read, and the orders of the revisions `told` are in what it says. `proofs` are the digests of
    what was stored, which come last. `asked` is passed on to the game master. A report that tells
    what came of the orders may say the same in its place, if it is `in_report`.
    """

    kind: str
    subject: Message
    says: Paragraphs
    sheet: Paragraphs = ()
    standing: Paragraphs = ()
    standing_by: str = "standing"
    is_own_sheet: bool = False
    revision: int | None = None
    told: tuple[int, ...] = ()
    proofs: Paragraphs = ()
    asked: Question | None = None
    in_report: bool = False


class ReplyCounts(Struct, frozen=True):
    """The emails over the limit of a day; `refusal` is what was said to the last that was
    refused."""

    letters: int = 0
    accepted: int = 0
    refused: int = 0
    refusal: Paragraphs = ()


def queue(
    s: Session,
    loaded: Loaded,
    seat: str,
    reply: Reply,
    letter_id: int,
    email: Came | None,
    *,
    mark: str = "",
) -> None:
    """Queue the answer to that email; its key makes sure that there is only one.

    If another answer may follow, the key ends with `mark`.
    """
    if loaded.holders[seat].player_id is None:
        return
    key = f"{loaded.match.name}/{loaded.match.ply}/{seat}/{reply.kind}/{letter_id}{mark}"
    made = _email(loaded, seat, key, reply.kind, _body(reply, email))
    post(s, made)


def queue_entered(conversation: Conversation, reply: Reply) -> None:
    """Queue the receipt of a sheet that answers no email; it is numbered by seat and ply."""
    match = conversation.loaded.match
    prefix = f"{match.name}/{match.ply}/{conversation.seat}/{reply.kind}/{_ENTERED}/"
    key = f"{prefix}{outbox.count(conversation.tx, prefix) + 1}"
    made = _email(conversation.loaded, conversation.seat, key, reply.kind, _body(reply, None))
    post(conversation, made)


def is_of_entered(key: str) -> bool:
    """Return whether the email with that key is the receipt of a sheet that the game master
    entered."""
    return key.split("/")[4:5] == [_ENTERED]


def queue_for_all(
    conversation: Conversation,
    reply: Reply,
    write: Callable[[ReplyCounts], Reply],
    not_before: datetime,
) -> None:
    """Queue the one answer to all emails over the limit of a day, or add this email to it.

    It is in the queue before its first email is done with, so it cannot be lost. `reply` is what
    this email alone would be answered; `write` makes the answer to so many.
    """
    match = conversation.loaded.match
    prefix = f"{match.name}/{match.ply}/{conversation.seat}/receipt/all/"
    unsent = outbox.first_to_render(conversation.tx, prefix)
    counts = _count_reply(_counts_in(decode(unsent[1])) if unsent else ReplyCounts(), reply)
    body = {**_body(write(counts), None), **structs.asdict(counts)}
    if unsent:
        outbox.update(conversation.tx, unsent[0], body=encode(body).decode())
        return
    made = _email(
        conversation.loaded, conversation.seat, f"{prefix}{conversation.letter_id}", "receipt", body
    )
    made = structs.replace(made, not_before=not_before)
    post(conversation, made)


def queue_again(s: Session, loaded: Loaded, letter_id: int) -> None:
    """Queue the answer to an email that came again, but never a third one.

    While the first waits, it is the one answer to both.
    """
    first = outbox.answer_to(s.tx, loaded.match.id, letter_id)
    waits = ("waiting", "unconfirmed", "kept")
    if first is None or outbox.goes_out_as(s.tx, first) in waits:
        return
    body = {**decode(first.body), "read_at": first.created_at.isoformat()}
    post_again(s, first.id, f"{first.key}/again", body)


def _counts_in(body: Mapping[str, Any]) -> ReplyCounts:
    """Return the counts in a row; one of before 0.3.0 has its refusal as a text."""
    refusal = paragraphs_in(body, "refusal")
    return ReplyCounts(body["letters"], body["accepted"], body["refused"], refusal)


def _count_reply(counts: ReplyCounts, reply: Reply) -> ReplyCounts:
    refused = reply.kind == "refusal"
    return ReplyCounts(
        letters=counts.letters + 1,
        accepted=counts.accepted + (reply.kind == "receipt"),
        refused=counts.refused + refused,
        refusal=reply.says if refused else counts.refusal,
    )


def _email(
    loaded: Loaded, seat: str, key: str, kind: str, body: Mapping[str, Any]
) -> OutgoingEmail:
    holder = loaded.holders[seat]
    return OutgoingEmail(
        key=key,
        kind=kind,
        match_id=loaded.match.id,
        ply=loaded.match.ply,
        seat=seat,
        tenure=holder.tenure,
        player_id=holder.player_id,
        confirmed=holder.confirmed,
        body=body,
    )


def body_of_part(reply: Reply) -> Mapping[str, Any]:
    """Return what is kept of the answer to a part of an email, until the email is answered."""
    return _body(reply, None)


def _body(reply: Reply, email: Came | None) -> Mapping[str, Any]:
    return {
        "subject": reply.subject,
        "says": reply.says,
        "sheet": reply.sheet,
        "standing": reply.standing,
        "standing_by": reply.standing_by,
        **({"is_own_sheet": True} if reply.is_own_sheet else {}),
        "revision": reply.revision,
        "told": reply.told,
        "proofs": reply.proofs,
        **({"in_report": True} if reply.in_report else {}),
        "answers": email.message_id if email else None,
    }
