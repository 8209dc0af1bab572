"""Letters for a match that cannot be read: they are kept for a human, and the seats are told."""

from datetime import datetime, timedelta

from adjudicator.core.message import Message, say
from adjudicator.mail.read.letter import Letter
from adjudicator.mail.write import subjects
from adjudicator.service.base.environment import Means
from adjudicator.service.letters_in.whose import Withheld
from adjudicator.service.match import waiting
from adjudicator.service.outbox import to_queue
from adjudicator.store import inbox, outbox, players
from adjudicator.store.database import Tx
from adjudicator.store.inbox import Received

A_DAY = 30  # answers to one seat: two programs may answer each other


def keep(
    tx: Tx, received: Received, letter: Letter, whose: Withheld, *, now: datetime, means: Means
) -> tuple[str, Message]:
    """Keep a letter that is stuck because of its match, tell whoever holds its seat, and hold the
    match; return its status, and what the operator is told."""
    match, seat = whose.unread.match, whose.seat
    over = match.status == "over"
    status = "refused" if over else "stuck"
    inbox.update(
        tx,
        received.id,
        status=status,
        reason="its match cannot be read",
        match_id=match.id,
        seat=seat or None,
        message_id=letter.message_id or None,
        dated_at=letter.date,
        ply=match.ply + 1,
    )
    waiting.lay_aside(tx, whose.unread, now=now, means=means)
    prefix = f"{match.name}/kept/{seat}/"
    told_today = outbox.since(tx, prefix, now - timedelta(days=1))
    if whose.player_id is not None and told_today < A_DAY:
        to_queue.queue_to_person(
            tx,
            players.one(tx, whose.player_id),
            f"{prefix}{received.id}",
            subjects.unread(match.name) if over else subjects.kept_for_later(match.name),
            (_not_read if over else _kept)(match.name),
            answers=letter.message_id,
            now=now,
            means=means,
        )
    return status, say("{match}: a letter is kept, its match cannot be read", match=match.name)


def _kept(match: str) -> Message:
    return say(
        "Your email for {match} has arrived and is kept, but adjud cannot read the match at the "
        "moment. The match is held, and the game master will look at it. You need not send your "
        "email again.",
        match=match,
    )


def _not_read(match: str) -> Message:
    return say("Your email for {match} was not read: the match is over.", match=match)
