"""Tell the operator and, once, the sender why an email that has come is not read yet."""

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.mail.write import subjects
from adjudicator.reports.words import words
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import load
from adjudicator.service.base.session import OpenClub, Session
from adjudicator.service.inbound import replies
from adjudicator.service.inbound.parsed_email import parse_email
from adjudicator.service.inbound.replies import Reply
from adjudicator.service.inbound.routing import ToPerson, ToSeat, recipient_of
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.alerts import alert
from adjudicator.service.outbox.layout import paragraphs
from adjudicator.store import inbox
from adjudicator.store.database import Store, StoreTrouble
from adjudicator.store.players import Player


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
            _tell(s, delay, letter_id, match.name, seat)


def _whose(store: Store, letter_id: int, context: Context) -> ToSeat | ToPerson | None:
    """Return whose an email is that we could not read, if that can be found without another
    fault."""
    assert context.post is not None
    try:
        with store.reading() as tx:
            envelope = inbox.envelope(tx, letter_id)
        understood = parse_email(envelope.raw, context.post)
        with store.reading() as tx:
            whose = recipient_of(tx, context.post, envelope.recipient, understood)
    except StoreTrouble:
        raise
    except Exception:
        return None
    if not isinstance(whose, ToSeat | ToPerson) or understood.email.automatic:
        return None
    if isinstance(whose, ToSeat) and not whose.loaded.is_opened:
        return None  # nothing of it is in force
    return whose


def _tell(s: Session, delay: Delay, letter_id: int, match: str, seat: Seat) -> None:
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
        subject = subjects.unwanted(match, loaded.match.turn)
    tell = words(loaded.holders[seat].language, loaded.match.game)
    text = paragraphs([tell(delay.to_seat)])
    reply = Reply(delay.kind, subject, text, standing_by="still", revision=revision)
    replies.queue(s, loaded, seat, reply, letter_id, None, mark=mark)


def _tell_person(club: OpenClub, delay: Delay, letter_id: int, player: Player) -> None:
    tell = words(player.language, "", player.zone)
    with club.session() as s:
        inbox.update(s.tx, letter_id, player_id=player.id)
        queue.queue_from_personal_address(
            s,
            player,
            f"answer/{delay.kind}/{letter_id}/{delay.name}",
            subjects.delayed(),
            paragraphs([tell(delay.to_seat)]),
            kind=delay.kind,
        )
