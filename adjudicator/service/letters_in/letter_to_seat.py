"""A letter to a seat: whether it came before, whether it may speak for the seat, and the answer."""

from datetime import datetime, timedelta

from msgspec import structs

from adjudicator.core.mailbox import folded_address
from adjudicator.core.message import Message, say
from adjudicator.mail.read.letter import Letter, body_of, passes
from adjudicator.service.base import options
from adjudicator.service.base.environment import Means
from adjudicator.service.base.match_session import MatchSession
from adjudicator.service.letters_in import answer, questions, replies, undone, unreadable
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.replies import Reply
from adjudicator.service.letters_in.said import Opened
from adjudicator.service.letters_in.whose import Addressed
from adjudicator.store import earlier_letters, inbox
from adjudicator.store.database import Tx
from adjudicator.store.inbox import Received
from adjudicator.store.matches import Holder

# Letters of a seat in a day; those that fail the level are counted apart, so that a stranger cannot
# use up the seat's.
A_DAY = 30  # are answered one by one, those after them together at the next tick
MANY_A_DAY = 100  # after them an answer gathers for a while: two programs may answer each other
GATHERING = timedelta(hours=1)

_STATUSES = {"receipt": "accepted", "refusal": "refused", "confirm": "parked"}  # by kind of answer
_USED_TWICE = say(
    "Note: an earlier letter of yours has the same Message-ID and says something else. "
    "This one was read as a new letter."
)


def read(
    tx: Tx, received: Received, opened: Opened, whose: Addressed, *, now: datetime, means: Means
) -> tuple[str, Message]:
    """Do what a letter to a seat asks, and queue its answer; return its status, and what the
    operator is told.

    The same letter that came again is answered once more, as things are by then, and never a third
    time.
    """
    letter, match, seat = opened.letter, whose.loaded.match, whose.seat
    a_day_ago = now - timedelta(days=1)
    earlier = earlier_letters.earlier(
        tx, received.id, match.id, seat, letter.message_id or "", moment=a_day_ago
    )
    same = [one for one in earlier.same_id if body_of(one.raw) == opened.body]
    talk = _talk(tx, received, opened, whose, now, means)
    if len(same) < len(earlier.same_id):
        talk = structs.replace(talk, notes=(_USED_TWICE,))
    reason = _fails(talk, whose, opened, means)
    noted = {
        "match_id": match.id,
        "seat": seat,
        "message_id": letter.message_id or None,
        "dated_at": letter.date,
        "ply": match.ply + 1,
    }
    for one in same:
        if reason is not None or one.reason is None:  # else that one could not be heard
            inbox.update(tx, received.id, status="duplicate", reason="came twice", **noted)
            replies.queue_again(tx, whose.loaded, one.id, now=now, means=means)
            told = say("{match}, {seat}: a letter came twice", match=match.name, seat=seat)
            return "duplicate", told
    reply = _answer(talk, received, opened, reason)
    status = _STATUSES[reply.kind]
    inbox.update(tx, received.id, status=status, reason=reason, **noted)
    today = earlier.heard if reason is None else earlier.unheard
    today += received.received_at > a_day_ago
    _queue(talk, letter, reply, today)
    if reply.asked:
        questions.pass_on(tx, reply.asked, now=now, means=means)
    return status, say("{match}, {seat}: a letter was read", match=match.name, seat=seat)


def _talk(
    tx: Tx, received: Received, opened: Opened, whose: Addressed, now: datetime, means: Means
) -> Talk:
    on_file = is_from(whose.loaded.holders[whose.seat], opened.letter)
    return Talk(
        session=MatchSession(tx, whose.loaded, min(now, received.received_at)),
        seat=whose.seat,
        letter_id=received.id,
        now=now,
        means=means,
        references=opened.letter.references,
        on_file=on_file,
        may_confirm=on_file or whose.authorised,
    )


def is_from(holder: Holder, letter: Letter) -> bool:
    """Return whether a letter is from the address on file of the player who holds a seat."""
    if holder.player_id is None or letter.sender is None:
        return False
    return folded_address(holder.address) == folded_address(letter.sender)


def _answer(talk: Talk, received: Received, opened: Opened, reason: str | None) -> Reply:
    if told := unreadable.over_limits(opened.letter, cut=received.length > len(received.raw)):
        return answer.refuse(talk, told)
    content = answer.confirming(talk, opened.content)
    if undone.is_answered_by(talk, content):
        return answer.tell_undone(talk, content, heard=reason is None)
    if told := unreadable.ambiguous(talk, opened):
        return answer.refuse(talk, told, opened.content if reason is None else None)
    if reason is not None:
        return answer.park(talk, opened)
    return answer.answer(talk, opened)


def _fails(talk: Talk, whose: Addressed, opened: Opened, means: Means) -> str | None:
    """Return why the letter may not speak for the seat (section 3), in the operator's words; None
    if it may."""
    if not whose.authorised:
        return "came home without its address"
    letter, level = opened.letter, options.level(whose.loaded.match.options)
    if level == "token":
        return None
    if not talk.on_file:
        return letter.sender_defect or "from an address that is not on file"
    if level == "confirm" and answer.acts(talk, opened):
        return "every sheet is confirmed in this match"
    if level == "token+auth" and not passes(letter, means.authserv_id, means.authserv_hosts):
        return "no server of ours vouches for the sender"
    return None


def _queue(talk: Talk, letter: Letter, reply: Reply, today: int) -> None:
    """Queue the answer to the letter, which is one of so many of that day."""
    if today > A_DAY:
        not_before = talk.now + GATHERING if today > MANY_A_DAY else talk.now
        replies.queue_for_all(talk, reply, lambda tally: answer.for_all(talk, tally), not_before)
    else:
        replies.queue(
            talk.tx,
            talk.loaded,
            talk.seat,
            reply,
            talk.letter_id,
            letter,
            now=talk.now,
            means=talk.means,
        )
