"""Resignations and draw offers: what seats declared beside their orders."""

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.tables import declaration


class Declaration(Struct, frozen=True, kw_only=True):
    """A RESIGN or DRAW that was received but perhaps not told to the others yet."""

    id: int
    seat: str
    kind: str
    received_at: datetime
    status: str


def declare(tx: Tx, match_id: int, seat: str, kind: str, now: datetime) -> Declaration:
    row = {
        "match_id": match_id,
        "seat": seat,
        "kind": kind,
        "received_at": now,
        "status": "pending",
    }
    number = tx.execute(sa.insert(declaration).values(row).returning(declaration.c.id)).scalar_one()
    return Declaration(id=number, seat=seat, kind=kind, received_at=now, status="pending")


IS_OPEN = declaration.c.status.in_(["pending", "standing"])

_OPEN = (
    sa.select(
        declaration.c.id,
        declaration.c.seat,
        declaration.c.kind,
        declaration.c.received_at,
        declaration.c.status,
    )
    .where(
        declaration.c.match_id == sa.bindparam("of_match"),
        IS_OPEN,
    )
    .order_by(declaration.c.received_at, declaration.c.id)
)


def unsettled(tx: Tx, match_id: int) -> list[Declaration]:
    """Return the declarations that are pending or standing, by time of receipt."""
    rows = tx.execute(_OPEN, {"of_match": match_id}).mappings()
    return [Declaration(**row) for row in rows]


def settle(tx: Tx, ids: Sequence[int], status: str, *, ply: int | None = None) -> None:
    """Give declarations a final status.

    `ply` is the one that used them or let them lapse, so that an undo can take that back.
    """
    if ids:
        chosen = declaration.c.id.in_(ids)
        values = {"status": status, "settled_ply": ply}
        tx.execute(sa.update(declaration).where(chosen).values(values))


def reopen(tx: Tx, match_id: int, ply: int, *, but: Collection[str] = ()) -> None:
    """Open the declarations that a ply settled, as they were before it; those of the seats `but`
    stay closed."""
    settled = sa.and_(
        declaration.c.match_id == match_id,
        declaration.c.settled_ply == ply,
        declaration.c.seat.not_in(list(but)),
    )
    # A resignation was used before anybody was told of it; a draw offer that lapsed had been told.
    status = sa.case((declaration.c.kind == "DRAW", "standing"), else_="pending")
    tx.execute(sa.update(declaration).where(settled).values(status=status, settled_ply=None))
