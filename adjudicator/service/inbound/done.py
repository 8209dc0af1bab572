"""What became of each thing that an email asks; and the kind and subject of its one answer, which
follow from that.

| status | what it says |
|---|---|
| `shown`, `done`, `refused`, `code` | what came of a command or a sheet; a code is to confirm it |
| `sent`, `unsent` | what came of a message to others |
| `waits` | something of the email is kept until a code confirms it |
| `nothing` | a code in the email confirmed nothing |
| `unread` | something in it was meant for another address, and was not read |
| `beside` | no more than a text, of which kind and subject say nothing |
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.mail.write import subjects
from adjudicator.mail.write.subjects import Outcome
from adjudicator.service.emails.paragraphs import Paragraphs, Told, paragraph
from adjudicator.service.emails.receipts import Receipt
from adjudicator.service.inbound import standing
from adjudicator.service.inbound.conversation import Conversation, Question
from adjudicator.service.inbound.parsed_email import EmailContent
from adjudicator.service.inbound.standing import current_version
from adjudicator.store.inbox import EmailPart

Status: TypeAlias = Outcome | Literal["waits", "nothing", "unread", "beside"]
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
    if standing.is_awaited(conversation):
        return partly(conversation)
    return subjects.orders_saved_in_part(conversation.loaded.match.name, receipt.turn or 0)


def _of_faults(conversation: Conversation, refused: Sequence[Receipt]) -> Message:
    """Return the subject for orders that were refused: it names the first line with a fault, if
    orders are awaited at all."""
    match = conversation.loaded.match
    lines = (found.line for receipt in refused for found in receipt.problems)
    first = next((line for line in lines if line), 0)
    if not first or not standing.is_awaited(conversation):
        return of_refusal(conversation)
    return subjects.correct(match.name, match.turn, first)
