"""An email to a seat: whether it came before, whether it may speak for the seat, and the answer."""

from collections.abc import Iterable
from datetime import timedelta

from msgspec import structs

from adjudicator.core.command_table import TABLE
from adjudicator.core.commands import names_match
from adjudicator.core.message import Message, say
from adjudicator.core.sheets import Origin
from adjudicator.core.text import folded_address
from adjudicator.mail.address import match_of_message_id, seat_of_message_id
from adjudicator.mail.read.email import Email, passes
from adjudicator.service.base import options
from adjudicator.service.base.context import Context, Session
from adjudicator.service.base.loaded_match import MatchSession
from adjudicator.service.inbound import (
    answer,
    codes,
    own_words,
    parsed_email,
    questions,
    replies,
)
from adjudicator.service.inbound.conversation import Conversation
from adjudicator.service.inbound.parsed_email import EmailContent, ParsedEmail
from adjudicator.service.inbound.replies import Reply
from adjudicator.service.inbound.routing import ToSeat
from adjudicator.service.matches import sheet_parsing, sheet_storing
from adjudicator.store import inbox, outbox
from adjudicator.store.matches import Holder
from adjudicator.store.pending import Parked

# Know an email that answers what this club never sent: a report from before a backup was restored,
# of a part of the match that the restore has undone (emails, section 4).


_ASKING = frozenset(word for word, row in TABLE.items() if row.does != "acts")


def is_answered_by(conversation: Conversation, content: EmailContent) -> bool:
    """Return whether an email would do something in the match and answers an undone report.

    The sheets themselves say with which report they were made; of all else that decides to which
    email of ours it is a reply. A code is bound to what it confirms; words alone do nothing.
    """
    origins = [raw.head.origin if raw.head else None for raw in content.reading.sheets]
    if any(
        one and not sheet_parsing.is_of_ours(conversation.tx, conversation.loaded, one)
        for one in origins
    ):
        return True
    if _all(origins) or _does_nothing(conversation, content):
        return False
    return _is_reply(conversation)


def _all(origins: Iterable[Origin | None]) -> bool:
    found = list(origins)
    return bool(found) and None not in found


def _does_nothing(conversation: Conversation, content: EmailContent) -> bool:
    """Return whether an email only asks for something, or is of words alone."""
    if content.presses or content.jottings or content.reading.sheets:
        return False
    if not content.words <= _ASKING:
        return False
    return answer.is_of_words(conversation, content) or bool(content.words and not content.is_bare)


def _is_reply(conversation: Conversation) -> bool:
    """Return whether the newest email of ours to which this one refers went to its seat's holder,
    and is none that we know."""
    post, match = conversation.context.post, conversation.loaded.match
    assert post is not None
    ours = next((one for one in conversation.references if match_of_message_id(post, one)), None)
    holder = (match.name, conversation.seat, conversation.holder.tenure)
    if ours is None:
        return own_words.answers_unknown(conversation, conversation.references)
    if seat_of_message_id(post, ours, [holder]) is None:
        return False
    told = outbox.emails_to(conversation.tx, match.id, conversation.seat)
    return not any(own_words.is_id_of(conversation, ours, one) for one in told)


# Emails of a seat in a day; those that fail the level are counted apart, so that a stranger cannot
# use up the seat's.
A_DAY = 30  # are answered one by one, those after them together at the next tick
MANY_A_DAY = 100  # after them an answer gathers for a while: two programs may answer each other
GATHERING = timedelta(hours=1)

_STATUSES = {"receipt": "accepted", "refusal": "refused", "confirm": "parked"}  # by kind of answer
_USED_TWICE = say(
    "Note: an earlier email from you has the same Message-ID but says something else. This one "
    "was read as a new email."
)


def read_for_seat(s: Session, opened: ParsedEmail, whose: ToSeat) -> None:
    """Do what an email to a seat asks, queue its answer, and note its status.

    The same email that came again is answered once more, as things are by then, and never a third
    time. Thanks alone are not answered.
    """
    email, match, seat = opened.email, whose.loaded.match, whose.seat
    a_day_ago = s.now - timedelta(days=1)
    earlier = inbox.earlier(
        s.tx, opened.id, match.id, seat, email.message_id or "", moment=a_day_ago
    )
    same = [*opened.twins(earlier.same_id)]
    conversation = _talk(s, opened, whose)
    if len(same) < len(earlier.same_id):
        conversation = structs.replace(conversation, notes=(_USED_TWICE,))
    opened = own_words.without_sheets_of_ours(conversation, opened)
    reason = _fails(conversation, whose, opened, s.context)
    noted = {
        "match_id": match.id,
        "seat": seat,
        "message_id": email.message_id or None,
        "dated_at": email.date,
        "ply": match.ply + 1,
    }
    for one in same:
        if reason is not None or one.reason is None:  # else that one could not be heard
            inbox.update(s.tx, opened.id, status="duplicate", reason="came twice", **noted)
            replies.queue_again(s, whose.loaded, one.id)
            return
    if answer.is_thanks_alone(conversation, opened):
        if reason is None:
            sheet_storing.note_presence(conversation.session, seat)
        status = "accepted" if reason is None else "refused"
        inbox.update(s.tx, opened.id, status=status, reason=reason, **noted)
        return
    reply = _answer(conversation, opened, reason)
    inbox.update(s.tx, opened.id, status=_STATUSES[reply.kind], reason=reason, **noted)
    today = earlier.heard if reason is None else earlier.unheard
    today += opened.received.received_at > a_day_ago
    _queue(conversation, email, reply, today)
    if reply.asked:
        questions.pass_on_question(s, reply.asked)


def answer_part(s: Session, opened: ParsedEmail, whose: ToSeat, parked: Parked | None) -> Reply:
    """Do what an email to its writer's own address says of one match, and return what an email to
    the seat would be answered. What a code has confirmed (`parked`) needs no other."""
    conversation = _talk(s, opened, whose)
    if parked is not None:
        conversation = structs.replace(
            conversation, confirmed=True, parked=parked.letter_id, parked_ply=parked.ply
        )
        reply = answer.answer_parked(conversation, parked)
    else:
        opened = own_words.without_sheets_of_ours(conversation, opened)
        reason = _fails(conversation, whose, opened, s.context)
        reply = _answer(conversation, opened, reason)
    if reply.asked:
        questions.pass_on_question(s, reply.asked)
    return reply


def _talk(s: Session, opened: ParsedEmail, whose: ToSeat) -> Conversation:
    on_file = is_from(whose.loaded.holders[whose.seat], opened.email)
    return Conversation(
        s.tx,
        s.now,
        s.context,
        session=MatchSession(s.tx, whose.loaded, min(s.now, opened.received.received_at)),
        seat=whose.seat,
        letter_id=opened.id,
        references=opened.email.references,
        on_file=on_file,
        may_confirm=on_file or whose.authorised,
    )


def is_from(holder: Holder, email: Email) -> bool:
    """Return whether an email is from the address on file of the player who holds a seat."""
    if holder.player_id is None or email.sender is None:
        return False
    return folded_address(holder.address) == folded_address(email.sender)


def _answer(conversation: Conversation, opened: ParsedEmail, reason: str | None) -> Reply:
    if told := parsed_email.over_limits(opened):
        return answer.refuse(conversation, told)
    if opened.content.codes_alone:
        content = codes.with_code_alone(conversation, opened.content)
        opened = structs.replace(opened, content=content)
    content = opened.content
    if is_answered_by(conversation, content):
        return answer.tell_undone(conversation, content, heard=reason is None)
    if names_match(content.commands, conversation.loaded.match.name):
        return answer.refuse(conversation, _of_several(conversation))
    if told := parsed_email.ambiguous(opened, conversation.loaded.game):
        return answer.refuse(conversation, told, content if reason is None else None)
    if reason is not None:
        return answer.park(conversation, opened)
    return answer.answer(conversation, opened)


def _of_several(conversation: Conversation) -> Message:
    """Say where an email about several matches goes: this one is from another address than the one
    on file, so it could not be read as one that had come there."""
    return say(
        "Nothing in your email was carried out: it has a line MATCH. Send emails about several "
        "matches to {address}.",
        address=conversation.own_address,
    )


def _fails(
    conversation: Conversation, whose: ToSeat, opened: ParsedEmail, context: Context
) -> str | None:
    """Return why the email may not speak for the seat (section 3), in the operator's words; None
    if it may."""
    if not whose.authorised:
        return "came home without its address"
    email, level = opened.email, options.level(whose.loaded.match.options)
    if level == "token" and not _speaks_for_person(opened.content):
        return None
    if not conversation.on_file:
        return email.sender_defect or "from an address that is not on file"
    if level == "confirm" and answer.acts(conversation, opened):
        return "every sheet is confirmed in this match"
    if level == "token+auth" and not passes(email, context.authserv_id, context.authserv_hosts):
        return "no server of ours vouches for the sender"
    return None


def _speaks_for_person(content: EmailContent) -> bool:
    """Return whether an email has a command of the player's own that changes something. It is
    obeyed as at the personal address (club, 2), where the sender must be on file."""
    return any(
        TABLE[one.word].where == "own" and TABLE[one.word].does == "changes"
        for one in content.commands
    )


def _queue(conversation: Conversation, email: Email, reply: Reply, today: int) -> None:
    """Queue the answer to the email, which is one of so many of that day."""
    if today > A_DAY:
        not_before = conversation.now + GATHERING if today > MANY_A_DAY else conversation.now
        replies.queue_for_all(
            conversation, reply, lambda tally: answer.for_all(conversation, tally), not_before
        )
    else:
        replies.queue(
            conversation,
            conversation.loaded,
            conversation.seat,
            reply,
            conversation.letter_id,
            email,
        )
