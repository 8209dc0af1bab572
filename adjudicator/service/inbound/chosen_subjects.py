"""Choose kind and subject of an answer to an email to a seat: made for the match as the email left
it."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from adjudicator.core.message import Message
from adjudicator.mail.write import subjects
from adjudicator.service.inbound import commands
from adjudicator.service.inbound.carrying_out import Result
from adjudicator.service.inbound.parsed_email import EmailContent
from adjudicator.service.inbound.replies import Conversation, subject_of
from adjudicator.service.matches.receipts import Receipt

Subject: TypeAlias = Callable[[Conversation], Message]


def kind_of_answer(conversation: Conversation, done: Result) -> tuple[str, Subject]:
    """Choose kind and subject of an answer.

    If the email was about orders, the subject says whether they are in, or what to correct.
    """
    refused = [receipt for receipt in done.receipts if not receipt.accepted]
    if done.in_vain or refused:
        stored = [one for one in done.receipts if one.stored and one.revision is not None]
        if stored and all(one.kept for one in stored):
            return "refusal", kept_in_part(stored[0])
        if stored:
            return "refusal", partly
        if done.read:
            return "refusal", of_faults(refused)
        if not refused:
            return "refusal", nothing_confirmed
        return "refusal", changed(conversation, done) if done.told else of_faults(refused)
    if done.waits:  # nothing else is asked for here that a code must confirm
        return "confirm", to_resign
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
    """Choose the subject for an email of which only sheets for later turns were kept. If the seat
    is awaited, it says how the present turn stands."""

    def subject(conversation: Conversation) -> Message:
        if commands.is_awaited(conversation):
            return partly(conversation)
        return subjects.kept_in_part(conversation.loaded.match.name, receipt.turn or 0)

    return subject


def of_refusal(conversation: Conversation) -> Message:
    match = conversation.loaded.match
    return subjects.unwanted(match.name, match.turn)


def of_faults(refused: Sequence[Receipt]) -> Subject:
    """Choose the subject for orders that were refused: it names the first line with a fault, if
    orders are awaited at all."""
    lines = (found.line for receipt in refused for found in receipt.problems)
    first = next((line for line in lines if line), 0)

    def subject(conversation: Conversation) -> Message:
        match = conversation.loaded.match
        if not first or not commands.is_awaited(conversation):
            return of_refusal(conversation)
        return subjects.correct(match.name, match.turn, first)

    return subject


def no_orders(conversation: Conversation) -> Message:
    match = conversation.loaded.match
    return subjects.no_orders(match.name, match.turn)


def not_understood(conversation: Conversation) -> Message:
    return subjects.not_understood(conversation.loaded.match.name)


def partly(conversation: Conversation) -> Message:
    """Choose the subject for an email of which a part was accepted; it may have withdrawn the
    orders again."""
    revision = revision_of(conversation)
    if revision is None:
        return of_refusal(conversation)
    return subjects.partly(conversation.loaded.match.name, conversation.loaded.match.turn, revision)


def of_words(*, asks: bool, passed: bool) -> Subject:
    """Choose the subject for a person's words: whether they ask something, and went to the game
    master. Where names are hidden it never says that they did."""

    def subject(conversation: Conversation) -> Message:
        match = conversation.loaded.match.name
        if passed and not conversation.holder.hidden:
            return subjects.passed_on(match, conversation.context.game_master, asks=asks)
        return subjects.question(match) if asks else subjects.words(match)

    return subject


def to_confirm(conversation: Conversation) -> Message:
    return subjects.confirm(conversation.loaded.match.name)


def to_resign(conversation: Conversation) -> Message:
    return subjects.resign(conversation.loaded.match.name)


def to_confirm_what(content: EmailContent) -> Subject:
    """Choose the subject for an email of which all must be confirmed."""
    if "RESIGN" in content.words:
        return to_resign
    if not content.reading.sheets:
        return to_confirm
    return lambda conversation: subjects.confirm_orders(conversation.loaded.match.name)


def nothing_confirmed(conversation: Conversation) -> Message:
    return subjects.nothing_confirmed(conversation.loaded.match.name)


def changed(before: Conversation, done: Result) -> Subject:
    """Choose the subject for an email without a sheet; the email may have withdrawn one."""

    def subject(after: Conversation) -> Message:
        if revision_of(before) != revision_of(after):
            return of_receipt(after)
        return subject_of(done.told, after.loaded.match.name)

    return subject
