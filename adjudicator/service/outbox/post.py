"""Write emails into the outbox, in the transaction of what they tell. All but the code to an
address that the operator enters (`club/people`) are queued here.
The operator is told by `alert` what needs a human. A player's own address, beside those of his
seats (club, 2), is made here, too."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias

from adjudicator.core.message import Message
from adjudicator.mail.address import MailDomain, personal_address
from adjudicator.service.base.context import Session
from adjudicator.service.emails.paragraphs import Paragraphs
from adjudicator.store import outbox
from adjudicator.store.matches import Match
from adjudicator.store.outbox import OutgoingEmail
from adjudicator.store.players import Player


def post(s: Session, *emails: OutgoingEmail) -> None:
    """Queue emails. Raises Clash if another worker has just queued one with the same key."""
    outbox.put(s.tx, emails, s.now, sends_mail=s.context.sends_mail)


def post_once(s: Session, email: OutgoingEmail) -> bool:
    """Queue an email unless one with its key was queued before; return whether it was queued."""
    return outbox.put_once(s.tx, email, s.now, sends_mail=s.context.sends_mail)


def post_again(s: Session, email_id: int, key: str, body: Any) -> None:
    """Queue an email like that one, under another key, unless it was queued before."""
    outbox.repeat(s.tx, email_id, key, body, s.now, sends_mail=s.context.sends_mail)


def post_to_address(
    s: Session,
    key: str,
    kind: str,
    to: str | None,
    language: str,
    subject: Message,
    says: Paragraphs,
    *,
    answers: str | None = None,
    **more: Any,
) -> None:
    """Queue an email to an address of which nothing needs to be known; `more` goes into the email's
    body as it is."""
    body = {
        "to": to,
        "language": language,
        "subject": subject,
        "says": says,
        "answers": answers,
        **more,
    }
    post(s, OutgoingEmail(key=key, kind=kind, body=body))


def email_to_player(
    player: Player,
    key: str,
    body: Mapping[str, Any],
    *,
    kind: str = "notice",
    not_before: datetime | None = None,
) -> OutgoingEmail:
    """Return an email to a player and not to a seat: of no match, and with no address of a seat."""
    return OutgoingEmail(
        key=key,
        kind=kind,
        player_id=player.id,
        confirmed=player.confirmed_at is not None,
        body=body,
        not_before=not_before,
    )


def own_address(post: MailDomain, player: Player) -> str:
    """Return the personal address of a player as it is now."""
    return personal_address(post, player.token, player.number)


Once: TypeAlias = Literal["", "turn", "day", "ever"]


def alert(
    s: Session, told: Message, about: str = "", *, once: Once = "", match: Match | None = None
) -> bool:
    """Queue an email to the operator; return whether it was queued.

    What it is `about` is told once, in a turn of the match, a day, or ever; without `once` each
    time.
    """
    coming = match.ply + 1 if match else None
    key = f"{match.name}/{coming}/operator" if match and once in ("", "turn") else "operator"
    key += {
        "": "/alert",
        "turn": f"/waits/{about}",
        "day": f"/alert/{about}/{s.now:%Y-%m-%d}",
        "ever": f"/alert/{about}",
    }[once]
    if not once:
        key += f"/{outbox.count(s.tx, f'{key}/') + 1}"
    email = OutgoingEmail(
        key=key,
        kind="alert",
        match_id=match.id if match else None,
        ply=coming,
        body={"told": told},
    )
    if once:
        return post_once(s, email)
    post(s, email)  # a clash is tried again
    return True
