"""Find the report that an email answers, and with it the turn for a sheet that names none
(interface, section 2): so a late answer never orders for a turn that its writer has not seen.

An email to a player's own address may answer one of ours that told of several matches: an answer to
several parts, or a daily email (club, 4). What that one told of the match is looked up.
"""

from collections.abc import Sequence

from msgspec import structs

from adjudicator.core.email_kinds import KINDS
from adjudicator.mail.address import (
    MailDomain,
    is_plain_message_id,
    match_of_message_id,
    message_id,
    plain_message_id,
)
from adjudicator.mail.read.email import references_of
from adjudicator.service.inbound.replies import Conversation
from adjudicator.store import clubs, email_parts, inbox, outbox, turns
from adjudicator.store.outbox import AnswerableEmail, OwnEmail


def turn_answered(conversation: Conversation) -> int | None:
    """Return the turn that the email answers, or the one that waited to be confirmed.

    Return None if it answers nothing that tells of a turn.
    """
    return _turn_of_email(conversation, _ply_answered(conversation))


def ply_answered(conversation: Conversation) -> int | None:
    """Return the ply whose report the email answers, or the last one before it came, if it
    waited to be confirmed and answers none. Return None if it answers none and came just now."""
    ply = _ply_answered(conversation)
    if ply is None and conversation.parked_ply is not None:
        return conversation.parked_ply - 1
    return ply


def is_id_of(conversation: Conversation, message_id: str, told: AnswerableEmail) -> bool:
    """Return whether a Message-ID is that of an email of ours to the talk's seat."""
    post = conversation.context.post
    assert post is not None
    return message_id.strip().lower() in _ids(post, conversation, told)


def _ply_answered(conversation: Conversation) -> int | None:
    if conversation.parked is None:
        return _answered_ply(conversation, conversation.references)
    raw = inbox.envelope(conversation.tx, conversation.parked).raw
    return _answered_ply(conversation, references_of(raw))


def _turn_of_email(conversation: Conversation, ply: int | None) -> int | None:
    """Return the turn that was to be ordered after that ply; the ply may have been taken back."""
    match = conversation.loaded.match
    if ply is None or ply > match.ply:
        return None
    return match.turn if ply == match.ply else turns.one(conversation.tx, match.id, ply).turn


def _answered_ply(conversation: Conversation, references: Sequence[str]) -> int | None:
    """Return the ply of the newest email of ours to which an email refers."""
    post, match = conversation.context.post, conversation.loaded.match
    assert post is not None
    ours = next((one for one in references if match_of_message_id(post, one) == match.name), None)
    if ours is None:
        own = _own_email(conversation, references)
        return _told_in(conversation, own) if own else None
    for told in outbox.told(conversation.tx, match.id, conversation.seat):
        if ours.lower() in _ids(post, conversation, told):
            return _ply_of_email(told)
    return None


def _ids(post: MailDomain, conversation: Conversation, told: AnswerableEmail) -> set[str]:
    """Return the Message-IDs of an email under each of our keys."""
    match, seat, tenure = (
        conversation.loaded.match.name,
        conversation.seat,
        conversation.holder.tenure,
    )
    posts = (structs.replace(post, keys=(one,)) for one in post.keys)
    ids = (message_id(one, told.key, match, seat, tenure, told.epoch) for one in posts)
    return {one.lower() for one in ids}


def _ply_of_email(told: AnswerableEmail) -> int | None:
    """Return the ply whose report an email answers.

    Reminders, receipts and refusals tell of a turn; notices and press tell of none.
    """
    if not KINDS[told.kind].names_turn:
        return None
    return told.ply - 1 if told.kind == "reminder" else told.ply


def _own_email(conversation: Conversation, references: Sequence[str]) -> OwnEmail | None:
    """Return the newest email from the player's own address to which an email refers."""
    post = conversation.context.post
    assert post is not None
    ids = [one.strip().lower() for one in references if is_plain_message_id(post, one)]
    posts = [structs.replace(post, keys=(one,)) for one in post.keys] if ids else ()
    for own in outbox.own_emails(conversation.tx, conversation.player_id) if ids else ():
        if any(plain_message_id(one, own.key, own.epoch).lower() in ids for one in posts):
            return own
    return None


def _told_in(conversation: Conversation, own: OwnEmail) -> int | None:
    """Return the ply of which an email from a player's own address told in this match."""
    tx, match_id = conversation.tx, conversation.loaded.match.id
    carried = (
        _ply_of_email(told) for told in outbox.carried_by(tx, own.id, match_id, conversation.seat)
    )
    plies = [ply for ply in carried if ply is not None]
    if own.answers is not None:
        plies += email_parts.plies(tx, own.answers, match_id)
    return max(plies, default=None)


def answers_unknown(conversation: Conversation, references: Sequence[str]) -> bool:
    """Return whether an email refers to one from the player's own address that this club never
    sent: a restore has undone it."""
    post = conversation.context.post
    assert post is not None
    if clubs.restored(conversation.tx) is None or not references:
        return False
    newest = next((one for one in references if _is_ours(post, one)), None)
    if newest is None or not is_plain_message_id(post, newest):
        return False
    return _own_email(conversation, [newest]) is None


def _is_ours(post: MailDomain, reference: str) -> bool:
    return is_plain_message_id(post, reference) or match_of_message_id(post, reference) is not None
