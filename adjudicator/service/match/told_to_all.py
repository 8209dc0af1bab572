"""Note what befell a match, by the game master or by its calendar, and tell all who play."""

from collections.abc import Collection
from datetime import datetime

from adjudicator.core.message import Message
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.match import append_ply
from adjudicator.service.outbox import to_queue
from adjudicator.store import rulings
from adjudicator.store.database import Tx
from adjudicator.store.rulings import Ruling


def log(tx: Tx, loaded: Loaded, action: str, told: Message, reason: str, now: datetime) -> None:
    """Note a ruling that ends a ply: its reports tell of it."""
    made = Ruling(ply=loaded.match.ply, at=now, action=action, told=told, reason=reason)
    rulings.insert(tx, loaded.match.id, made)


def tell_all(
    tx: Tx,
    loaded: Loaded,
    action: str,
    told: Message,
    reason: str = "",
    *,
    now: datetime,
    means: Means,
    besides: Collection[str] = (),
) -> None:
    """Note a ruling and tell every player by letter, but the seats that are told otherwise; the
    next reports tell of it, too."""
    log(tx, loaded, action, told, reason, now)
    body = {"told": told, "reason": reason, "at": rfc3339(now)}
    seats = [seat for seat in loaded.seats if seat not in besides]
    to_queue.queue_notices(tx, loaded, seats, body, now=now, means=means)
    append_ply.rest_anew(tx, loaded, now)
