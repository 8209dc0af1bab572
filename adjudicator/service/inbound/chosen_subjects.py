"""Choose kind and subject of an answer to a letter to a seat: made for the match as the letter left
it."""

from collections.abc import Callable
from typing import TypeAlias

from adjudicator.core.message import Message
from adjudicator.mail.write import subjects
from adjudicator.service.inbound import commands
from adjudicator.service.inbound.carrying_out import Result
from adjudicator.service.inbound.replies import Conversation, subject_of
from adjudicator.service.matches.receipts import Receipt

Subject: TypeAlias = Callable[[Conversation], Message]


def kind_of_answer(conversation: Conversation, done: Result) -> tuple[str, Subject]:
    """Choose kind and subject of an answer.

    If the letter was about orders, the subject says what is in force now.
    """
    if done.in_vain or any(not receipt.accepted for receipt in done.receipts):
        stored = [one for one in done.receipts if one.stored and one.revision is not None]
        if stored and all(one.kept for one in stored):
            return "refusal", kept_in_part(stored[0])
        if stored or done.read:
            return "refusal", partly if stored else of_refusal
        if all(receipt.accepted for receipt in done.receipts):
            return "refusal", nothing_confirmed
        return "refusal", changed(conversation, done) if done.told else of_refusal
    if done.waits:
        return "confirm", to_confirm
    ordered = [receipt for receipt in done.receipts if receipt.revision is not None]
    if ordered and all(receipt.kept for receipt in ordered):
        return "receipt", kept(ordered[0])
    return "receipt", of_receipt if ordered else changed(conversation, done)


def revision_of(conversation: Conversation) -> int | None:
    sheet = conversation.loaded.sheets.get(conversation.seat)
    return sheet.revision if sheet else None


def of_receipt(conversation: Conversation) -> Message:
    return subjects.receipt(
        conversation.loaded.match.name, conversation.loaded.match.turn, revision_of(conversation)
    )


def kept(receipt: Receipt) -> Subject:
    return lambda conversation: subjects.kept(conversation.loaded.match.name, receipt.turn or 0)


def kept_in_part(receipt: Receipt) -> Subject:
    """Choose the subject for a letter of which only sheets for later turns were kept. If the seat
    is awaited, it says how the present turn stands."""

    def subject(conversation: Conversation) -> Message:
        if commands.is_awaited(conversation):
            return partly(conversation)
        return subjects.kept_in_part(conversation.loaded.match.name, receipt.turn or 0)

    return subject


def of_refusal(conversation: Conversation) -> Message:
    match = conversation.loaded.match
    if not commands.is_awaited(conversation):
        return subjects.unwanted(match.name, match.turn)
    return subjects.refusal(match.name, match.turn, revision_of(conversation))


def not_understood(conversation: Conversation) -> Message:
    return subjects.not_understood(conversation.loaded.match.name)


def partly(conversation: Conversation) -> Message:
    """Choose the subject for a letter of which a part was accepted; it may have withdrawn the
    orders again."""
    revision = revision_of(conversation)
    if revision is None:
        return of_refusal(conversation)
    return subjects.partly(conversation.loaded.match.name, conversation.loaded.match.turn, revision)


def of_words(conversation: Conversation) -> Message:
    return subjects.words(conversation.loaded.match.name)


def to_confirm(conversation: Conversation) -> Message:
    return subjects.confirm(conversation.loaded.match.name)


def nothing_confirmed(conversation: Conversation) -> Message:
    return subjects.nothing_confirmed(conversation.loaded.match.name)


def changed(before: Conversation, done: Result) -> Subject:
    """Choose the subject for a letter without a sheet; the letter may have withdrawn one."""

    def subject(after: Conversation) -> Message:
        if revision_of(before) != revision_of(after):
            return of_receipt(after)
        return subject_of(done.told, after.loaded.match.name)

    return subject
