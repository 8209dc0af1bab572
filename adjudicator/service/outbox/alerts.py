"""Tell the operator that something needs a human."""

from typing import Literal, TypeAlias

from adjudicator.core.message import Message
from adjudicator.service.base.session import Session
from adjudicator.service.outbox.post import post, post_once
from adjudicator.store import outbox
from adjudicator.store.matches import Match
from adjudicator.store.outbox import OutgoingEmail

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
