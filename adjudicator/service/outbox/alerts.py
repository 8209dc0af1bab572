"""Tell the operator that something needs a human."""

from datetime import datetime
from typing import Literal, TypeAlias

from adjudicator.core.message import Message
from adjudicator.service.base.context import Context
from adjudicator.store import outbox
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match
from adjudicator.store.outbox import OutgoingLetter

Once: TypeAlias = Literal["", "turn", "day", "ever"]


def alert(
    tx: Tx,
    told: Message,
    about: str = "",
    *,
    once: Once = "",
    match: Match | None = None,
    now: datetime,
    context: Context,
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
        "day": f"/alert/{about}/{now:%Y-%m-%d}",
        "ever": f"/alert/{about}",
    }[once]
    if not once:
        key += f"/{outbox.count(tx, f'{key}/') + 1}"
    email = OutgoingLetter(
        key=key,
        kind="alert",
        match_id=match.id if match else None,
        ply=coming,
        body={"told": told},
    )
    if once:
        return outbox.put_once(tx, email, now, sends_mail=context.sends_mail)
    outbox.put(tx, [email], now, sends_mail=context.sends_mail)  # a clash is tried again
    return True
