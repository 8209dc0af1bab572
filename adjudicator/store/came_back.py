"""Find the letters of ours that came back, or that a server refused."""

from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.outbox import FORMER
from adjudicator.store.tables import match, outbox, seat


def is_to_former(tx: Tx, letter_id: int) -> bool:
    """Return whether a letter was written for somebody who no longer holds its seat."""
    wanted = sa.select(outbox.c.id).join(seat, FORMER).where(outbox.c.id == letter_id)
    return tx.execute(wanted).first() is not None


class Returned(Struct, frozen=True, kw_only=True):
    """A letter of ours that came back. `bounces` counts the times before, `address` is where it
    went."""

    id: int
    key: str
    epoch: str | None
    kind: str
    match: str | None
    seat: str | None
    status: str
    bounces: int
    address: str | None
    player_id: int | None


_RETURNED = sa.select(
    outbox.c.id,
    outbox.c.key,
    outbox.c.epoch,
    outbox.c.kind,
    match.c.name.label("match"),
    outbox.c.seat,
    outbox.c.status,
    outbox.c.bounces,
    outbox.c.address,
    outbox.c.player_id,
).select_from(outbox.outerjoin(match))


def returned(tx: Tx, bounce_tag: str, since: datetime) -> Returned | None:
    """Return the letter that went out with that bounce tag and was queued after that moment."""
    wanted = _RETURNED.where(outbox.c.bounce_tag == bounce_tag, outbox.c.created_at > since)
    row = tx.execute(wanted).mappings().first()
    return Returned(**row) if row else None


def newest_tagged(tx: Tx) -> tuple[str, str | None, str] | None:
    """Return key, epoch and bounce tag of the newest letter whose bytes were made."""
    wanted = sa.select(outbox.c.key, outbox.c.epoch, outbox.c.bounce_tag)
    tagged = wanted.where(outbox.c.bounce_tag.is_not(None))
    row = tx.execute(tagged.order_by(outbox.c.id.desc()).limit(1)).first()
    return (row.key, row.epoch, row.bounce_tag) if row else None


def refused(tx: Tx, letter_id: int) -> Returned | None:
    """Return a waiting letter that a server refused for good; None if it no longer waits."""
    wanted = _RETURNED.where(outbox.c.id == letter_id, outbox.c.status == "waiting")
    row = tx.execute(wanted).mappings().first()
    return Returned(**row) if row else None
