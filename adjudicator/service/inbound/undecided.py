"""Emails of which nothing can be carried out now: the match of their seat cannot be read or has no
position yet, or the email itself is not read yet. What their writers and the operator are told."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Context, OpenClub, Progress, Session
from adjudicator.service.base.loaded_match import load
from adjudicator.service.base.public_number import why_unopened
from adjudicator.service.emails.paragraphs import paragraph
from adjudicator.service.inbound import replies
from adjudicator.service.inbound.parsed_email import ParsedEmail, parse_email
from adjudicator.service.inbound.replies import Reply
from adjudicator.service.inbound.routing import ToPerson, ToSeat, ToUnreadable, recipient_of
from adjudicator.service.matches import outage
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import alert
from adjudicator.store import inbox, outbox, players
from adjudicator.store.database import Store, StoreTrouble
from adjudicator.store.matches import Match
from adjudicator.store.players import Player

A_DAY = 30  # answers to one seat: two programs may answer each other

# Emails for a match that cannot be read: they are kept for a human, and the seats are told.


def keep_undecided(s: Session, opened: ParsedEmail, whose: ToUnreadable) -> Sequence[Progress]:
    """Keep an email that is stuck because of its match, tell whoever holds its seat, and hold the
    match; return what the operator is told."""
    match, seat = whose.unread.match, whose.seat
    over = match.status == "over"
    status = "refused" if over else "stuck"
    inbox.update(
        s.tx,
        opened.id,
        status=status,
        reason="its match cannot be read",
        match_id=match.id,
        seat=seat or None,
        message_id=opened.email.message_id or None,
        dated_at=opened.email.date,
        ply=match.ply + 1,
    )
    outage.lay_aside(s, whose.unread)
    subject = subjects.email_not_read(match.name) if over else subjects.email_saved(match.name)
    told = (_not_read if over else message_for_kept)(match.name)
    prefix = f"{match.name}/kept/{seat}/"
    _tell(s, whose.player_id, prefix, opened, subject, told)
    if over:
        return []
    kept = say("{match}: an email is saved, its match cannot be read", match=match.name)
    return [Progress(kept, urgent=True)]


def message_for_kept(match: str) -> Message:
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


def answer(s: Session, opened: ParsedEmail, whose: ToSeat) -> None:
    """Say to the holder of a seat that its match has not opened, and when it does."""
    match, seat = whose.loaded.match, whose.seat
    inbox.update(
        s.tx,
        opened.id,
        match_id=match.id,
        seat=seat,
        message_id=opened.email.message_id or None,
        dated_at=opened.email.date,
    )
    player_id, prefix = whose.loaded.holders[seat].player_id, f"{match.name}/early/{seat}/"
    subject, told = subjects.waits_for_number(match.name), message_for_unopened(match)
    _tell(s, player_id, prefix, opened, subject, told)


def _tell(
    s: Session,
    player_id: int | None,
    prefix: str,
    opened: ParsedEmail,
    subject: Message,
    told: Message,
) -> None:
    """Answer whoever holds the seat, if anybody does, `A_DAY` times a day at most."""
    if player_id is None or outbox.since(s.tx, prefix, s.now - timedelta(days=1)) >= A_DAY:
        return
    queue.queue_to_person(
        s,
        players.one(s.tx, player_id),
        f"{prefix}{opened.id}",
        subject,
        told,
        answers=opened.email.message_id,
    )


def message_for_unopened(match: Match) -> Message:
    if match.status == "over":
        return _not_read(match.name)
    return say(
        "Your email for {match} was not used: the match has not opened, because {why}. There is "
        "no position yet, so nothing can be ordered. Please send your orders when you have your "
        "first report.",
        match=match.name,
        why=why_unopened(match),
    )


class Delay(Struct, frozen=True):
    """A reason for a delay.

    The key of the email to the seat ends with `name`; the email is of that `kind`.
    """

    name: str
    kind: str
    to_operator: Message
    to_seat: Message


STUCK = Delay(
    "stuck",
    "refusal",
    say(
        "An incoming email could not be read. It is still in the queue: `adjud mail queue list "
        "--status stuck` shows it, `adjud mail queue retry` reads it again."
    ),
    say("Your email has arrived, and a human will look at it."),
)
LATER = Delay(
    "later",
    "receipt",
    say(
        "adjud was killed several times while reading the same email. Was the machine restarted, "
        "or does it have too little memory? The email stays in the queue and is read again "
        "automatically after 1, 4 and 16 hours. Until then a turn waits for each silent seat "
        "that may have sent it."
    ),
    say(
        "Your email has arrived. The program was stopped several times while reading it, which "
        "may not be the email's fault. It will be read again automatically within a day. If you "
        "have no current orders, the turn waits for it."
    ),
)


def warn(s: Session, delay: Delay) -> None:
    """Tell the operator, once a day."""
    alert(s, delay.to_operator, delay.name, once="day")


def tell_sender(club: OpenClub, letter_id: int, delay: Delay) -> None:
    """Tell the seat of a delayed email, or the player to whose own address it came, if they can be
    found, and note it on the email; only once, however often the same email is delayed so."""
    with club.store.reading() as tx:
        if inbox.is_notified(tx, letter_id, f"/{delay.name}"):
            return
    whose = _whose(club.store, letter_id, club.context)
    if isinstance(whose, ToPerson):
        _tell_person(club, delay, letter_id, whose.player)
    elif whose is not None:
        match, seat = whose.loaded.match, whose.seat
        with club.session() as s:
            inbox.update(s.tx, letter_id, match_id=match.id, seat=seat, ply=match.ply + 1)
            _tell_of_delay(s, delay, letter_id, match.name, seat)


def _whose(store: Store, letter_id: int, context: Context) -> ToSeat | ToPerson | None:
    """Return whose an email is that we could not read, if that can be found without another
    fault."""
    assert context.post is not None
    try:
        with store.reading() as tx:
            received = inbox.one(tx, letter_id)
        understood = parse_email(received, context.post)
        with store.reading() as tx:
            whose = recipient_of(tx, context.post, understood)
    except StoreTrouble:
        raise
    except Exception:
        return None
    if not isinstance(whose, ToSeat | ToPerson) or understood.email.automatic:
        return None
    if isinstance(whose, ToSeat) and not whose.loaded.is_opened:
        return None  # nothing of it is in force
    return whose


def _tell_of_delay(s: Session, delay: Delay, letter_id: int, match: str, seat: Seat) -> None:
    """Tell the seat why its email is not read yet, and what is in force, unless another worker
    has."""
    mark = f"/{delay.name}"
    if inbox.is_notified(s.tx, letter_id, mark):
        return
    loaded = load(s.tx, match)
    sheet = loaded.sheets.get(seat)
    revision = sheet.revision if sheet else None
    subject = subjects.later(match)
    if delay is STUCK:
        subject = subjects.no_orders_needed(match, loaded.match.turn)
    says = paragraph(delay.to_seat)
    reply = Reply(delay.kind, subject, says, standing_by="still", revision=revision)
    replies.queue(s, loaded, seat, reply, letter_id, None, mark=mark)


def _tell_person(club: OpenClub, delay: Delay, letter_id: int, player: Player) -> None:
    with club.session() as s:
        inbox.update(s.tx, letter_id, player_id=player.id)
        queue.queue_from_personal_address(
            s,
            player,
            f"answer/{delay.kind}/{letter_id}/{delay.name}",
            subjects.delay(),
            paragraph(delay.to_seat),
            kind=delay.kind,
        )
