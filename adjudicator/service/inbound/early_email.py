"""Emails for a seat of which nothing can be carried out: its match cannot be read, or has no
position yet."""

from datetime import timedelta

from adjudicator.core.message import Message, say
from adjudicator.mail.read.email import Email
from adjudicator.mail.write import subjects
from adjudicator.service.base.public_number import why_unopened
from adjudicator.service.base.session import Session
from adjudicator.service.inbound.routing import ToSeat, ToUnreadable
from adjudicator.service.matches import outage
from adjudicator.service.outbox import queue
from adjudicator.store import inbox, outbox, players
from adjudicator.store.inbox import IncomingEmail
from adjudicator.store.matches import Match

A_DAY = 30  # answers to one seat: two programs may answer each other

# Emails for a match that cannot be read: they are kept for a human, and the seats are told.


def keep_undecided(
    s: Session, received: IncomingEmail, email: Email, whose: ToUnreadable
) -> tuple[str, Message]:
    """Keep an email that is stuck because of its match, tell whoever holds its seat, and hold the
    match; return its status, and what the operator is told."""
    match, seat = whose.unread.match, whose.seat
    over = match.status == "over"
    status = "refused" if over else "stuck"
    inbox.update(
        s.tx,
        received.id,
        status=status,
        reason="its match cannot be read",
        match_id=match.id,
        seat=seat or None,
        message_id=email.message_id or None,
        dated_at=email.date,
        ply=match.ply + 1,
    )
    outage.lay_aside(s, whose.unread)
    subject = subjects.unread(match.name) if over else subjects.kept_for_later(match.name)
    told = (_not_read if over else kept)(match.name)
    prefix = f"{match.name}/kept/{seat}/"
    _tell(s, whose.player_id, prefix, received, email, subject, told)
    return status, say("{match}: an email is saved, its match cannot be read", match=match.name)


def kept(match: str) -> Message:
    return say(
        "Your email for {match} has arrived and is saved, but adjud cannot read the match at the "
        "moment. The match is on hold, and the game master will look at it. You need not send "
        "your email again.",
        match=match,
    )


def _not_read(match: str) -> Message:
    return say("Your email for {match} was not read: the match is over.", match=match)


# Emails for a match without a position (`service/matches/unopened.py`): they are answered, and
# nothing of them is carried out.


def answer(s: Session, received: IncomingEmail, email: Email, whose: ToSeat) -> None:
    """Say to the holder of a seat that its match has not opened, and when it does."""
    match, seat = whose.loaded.match, whose.seat
    inbox.update(
        s.tx,
        received.id,
        match_id=match.id,
        seat=seat,
        message_id=email.message_id or None,
        dated_at=email.date,
    )
    player_id, prefix = whose.loaded.holders[seat].player_id, f"{match.name}/early/{seat}/"
    subject, told = subjects.waits_for_number(match.name), not_opened(match)
    _tell(s, player_id, prefix, received, email, subject, told)


def _tell(
    s: Session,
    player_id: int | None,
    prefix: str,
    received: IncomingEmail,
    email: Email,
    subject: Message,
    told: Message,
) -> None:
    """Answer whoever holds the seat, if anybody does, `A_DAY` times a day at most."""
    if player_id is None or outbox.since(s.tx, prefix, s.now - timedelta(days=1)) >= A_DAY:
        return
    queue.queue_to_person(
        s,
        players.one(s.tx, player_id),
        f"{prefix}{received.id}",
        subject,
        told,
        answers=email.message_id,
    )


def not_opened(match: Match) -> Message:
    if match.status == "over":
        return _not_read(match.name)
    return say(
        "Your email for {match} was not used: the match has not opened, because {why}. There is "
        "no position yet, so nothing can be ordered. Please send your orders when you have your "
        "first report.",
        match=match.name,
        why=why_unopened(match),
    )
