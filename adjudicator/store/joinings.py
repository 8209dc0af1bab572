"""People who asked for a seat and have not confirmed their address yet."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.core.mailbox import folded_address
from adjudicator.store.database import Tx
from adjudicator.store.tables import joining


class Joining(Struct, frozen=True, kw_only=True):
    """A request for a seat.

    `name` and `language` are those that a new player would get; if `seat` is None, any open seat
    will do.
    """

    id: int
    address: str
    name: str
    language: str
    match: str
    seat: str | None
    code: str
    created_at: datetime
    status: str
    tries: int
    remind_at: datetime | None = None  # the operator, that it is not confirmed


def insert(tx: Tx, address: str, **values: Any) -> None:
    row = {"address": address, "status": "waiting", "tries": 0, **values}
    tx.execute(sa.insert(joining), row)


def waiting(tx: Tx, address: str, since: datetime) -> list[Joining]:
    """Return the requests from that address, made after that moment, that wait for a code."""
    wanted = sa.select(joining).where(
        sa.func.lower(joining.c.address) == folded_address(address),
        joining.c.status == "waiting",
        joining.c.created_at > since,
    )
    rows = tx.execute(wanted.order_by(joining.c.id)).mappings()
    return [Joining(**row) for row in rows]


def unconfirmed(tx: Tx, since: datetime, until: datetime) -> list[Joining]:
    """Return the requests that were made between these times and still wait for a code."""
    wanted = sa.select(joining).where(
        joining.c.status == "waiting", joining.c.created_at > since, joining.c.created_at <= until
    )
    return [Joining(**row) for row in tx.execute(wanted.order_by(joining.c.id)).mappings()]


def to_remind_of(tx: Tx, now: datetime) -> list[Joining]:
    """Return the requests that the operator is to hear of, and let him hear of them no more."""
    wanted = sa.select(joining).where(joining.c.remind_at <= now).order_by(joining.c.id)
    found = [Joining(**row) for row in tx.execute(wanted.with_for_update()).mappings()]
    tx.execute(sa.update(joining).where(joining.c.remind_at <= now).values(remind_at=None))
    return [one for one in found if one.status == "waiting"]


def update(tx: Tx, joining_id: int, **changes: Any) -> None:
    tx.execute(sa.update(joining).where(joining.c.id == joining_id).values(changes))
