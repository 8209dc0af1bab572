"""Sheets that were accepted, and what seats declared beside their orders."""

from collections.abc import Iterable, Sequence
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.store.database import Tx
from adjudicator.store.tables import declaration, submission


class Submission(Struct, frozen=True, kw_only=True):
    """A sheet as it was accepted; `lines` are its orders in canonical form."""

    seat: str
    ply: int
    revision: int
    received_at: datetime
    lines: tuple[str, ...]


class Declaration(Struct, frozen=True, kw_only=True):
    """RESIGN or DRAW, received but perhaps not yet told."""

    id: int
    seat: str
    kind: str
    received_at: datetime
    status: str


def in_force(tx: Tx, match_id: int, ply: int) -> dict[str, Submission]:
    """The sheets that would be adjudicated in that ply, by seat."""
    wanted = sa.select(submission).where(
        submission.c.match_id == match_id,
        submission.c.ply == ply,
        submission.c.status == "in force",
    )
    return {
        row.seat: Submission(
            seat=row.seat,
            ply=row.ply,
            revision=row.revision,
            received_at=row.received_at,
            lines=decode(row.orders, type=tuple[str, ...]),
        )
        for row in tx.execute(wanted)
    }


def last_revision(tx: Tx, match_id: int, ply: int, seat: str) -> int:
    """0 when the seat has sent nothing for that ply."""
    wanted = sa.select(sa.func.max(submission.c.revision)).where(
        submission.c.match_id == match_id, submission.c.ply == ply, submission.c.seat == seat
    )
    return tx.execute(wanted).scalar() or 0


def store(
    tx: Tx,
    match_id: int,
    ply: int,
    seat: str,
    *,
    lines: Sequence[str],
    text: str,
    channel: str,
    now: datetime,
) -> int:
    """Put a sheet in force in place of the one before; returns its revision."""
    revision = last_revision(tx, match_id, ply, seat) + 1
    close(tx, match_id, ply, [seat], "replaced")
    tx.execute(
        sa.insert(submission),
        {
            "match_id": match_id,
            "ply": ply,
            "seat": seat,
            "revision": revision,
            "received_at": now,
            "channel": channel,
            "text": text,
            "orders": encode(lines).decode(),
            "status": "in force",
        },
    )
    return revision


# Statements of every turn are made once: to make one costs more than to run it.
_IN_FORCE = sa.update(submission).where(
    submission.c.match_id == sa.bindparam("of_match"),
    submission.c.ply == sa.bindparam("of_ply"),
    submission.c.seat.in_(sa.bindparam("seats", expanding=True)),
    submission.c.status == "in force",
)


def close(tx: Tx, match_id: int, ply: int, seats: Iterable[str], status: str) -> int:
    """Give the sheets in force of these seats another status; returns how many there were."""
    row = {"of_match": match_id, "of_ply": ply, "seats": list(seats), "status": status}
    return tx.execute(_IN_FORCE, row).rowcount


def declare(tx: Tx, match_id: int, seat: str, kind: str, now: datetime) -> None:
    tx.execute(
        sa.insert(declaration),
        {
            "match_id": match_id,
            "seat": seat,
            "kind": kind,
            "received_at": now,
            "status": "pending",
        },
    )


def open_declarations(tx: Tx, match_id: int) -> list[Declaration]:
    """What is pending or standing, by time of receipt."""
    wanted = (
        sa.select(
            declaration.c.id,
            declaration.c.seat,
            declaration.c.kind,
            declaration.c.received_at,
            declaration.c.status,
        )
        .where(
            declaration.c.match_id == match_id,
            declaration.c.status.in_(["pending", "standing"]),
        )
        .order_by(declaration.c.received_at, declaration.c.id)
    )
    return [Declaration(**row) for row in tx.execute(wanted).mappings()]


def settle_declarations(tx: Tx, ids: Sequence[int], status: str) -> None:
    if ids:
        chosen = declaration.c.id.in_(ids)
        tx.execute(sa.update(declaration).where(chosen).values(status=status))
