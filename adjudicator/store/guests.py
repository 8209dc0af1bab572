"""Guests: people who are not members, and whom a player would like to play with (club, 6.2).

An address is kept only while somebody waits for its answer.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.store.database import Tx
from adjudicator.store.tables import outbox
from adjudicator.store.tables_club import guest

OPEN = ("open", "asked")


class Guest(Struct, frozen=True, kw_only=True):
    """Somebody who is invited; the columns say what each field is."""

    id: int
    asker_id: int
    planned: Mapping[str, Any]
    door: str
    status: str
    address: str | None
    name: str
    language: str
    code: str
    tries: int
    created_at: datetime
    expires_at: datetime | None
    ended_at: datetime | None

    @property
    def prefix(self) -> str:
        """Return with what the keys of letters to him begin."""
        return f"guest/{self.id}/"


def _guests(tx: Tx, wanted: sa.Select[Any]) -> list[Guest]:
    rows = tx.execute(wanted).mappings()
    return [Guest(**{**row, "planned": _read(row["planned"])}) for row in rows]


def _read(text: str) -> Mapping[str, Any]:
    try:
        return decode(text, type=dict[str, Any])
    except ValueError:  # of this guest alone
        return {}


def insert(tx: Tx, *, planned: Any, **values: Any) -> Guest:
    made = sa.insert(guest).values(planned=encode(planned).decode(), **values)
    number = int(tx.execute(made.returning(guest.c.id)).scalar_one())
    (found,) = _guests(tx, sa.select(guest).where(guest.c.id == number))
    return found


def at_door(tx: Tx, door: str) -> Guest | None:
    """Lock and return whoever is invited through an address, however that has ended."""
    wanted = sa.select(guest).where(guest.c.door == door).with_for_update()
    return next(iter(_guests(tx, wanted)), None)


def of_asker(tx: Tx, asker_id: int) -> list[Guest]:
    return _guests(tx, sa.select(guest).where(guest.c.asker_id == asker_id).order_by(guest.c.id))


def update(tx: Tx, guest_id: int, **changes: Any) -> None:
    tx.execute(sa.update(guest).where(guest.c.id == guest_id).values(changes))


def end(tx: Tx, found: Guest, status: str, now: datetime) -> None:
    """End an invitation, and forget the address with all that was written to it."""
    update(tx, found.id, status=status, ended_at=now, expires_at=None, address=None, name="")
    tx.execute(sa.delete(outbox).where(outbox.c.key.startswith(found.prefix, autoescape=True)))


def due(tx: Tx, now: datetime) -> list[int]:
    wanted = sa.select(guest.c.id).where(guest.c.expires_at <= now).order_by(guest.c.id)
    return [int(one) for one in tx.execute(wanted).scalars()]


def take_due(tx: Tx, guest_id: int, now: datetime) -> Guest | None:
    """Lock and return a guest whose time is up, unless another worker has it."""
    wanted = sa.select(guest).where(guest.c.expires_at <= now, guest.c.id == guest_id)
    return next(iter(_guests(tx, wanted.with_for_update(skip_locked=True))), None)


def is_due(now: datetime) -> sa.Exists:
    """Ask whether a tick must look at a guest."""
    return sa.exists().where(guest.c.expires_at <= now)


def forget(tx: Tx, asker_id: int) -> None:
    """Delete the guests of a player who is removed."""
    tx.execute(sa.delete(guest).where(guest.c.asker_id == asker_id))
