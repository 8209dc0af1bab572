"""The sheets that were accepted, and what seats declared beside their orders."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.store.database import Tx
from adjudicator.store.tables import declaration, submission

DEFAULT = "default"  # the channel of orders that the game gives a silent seat


class Submission(Struct, frozen=True, kw_only=True):
    """A sheet as it was accepted.

    `lines` are its orders in canonical form; `channel` is the road on which they came.
    """

    seat: str
    ply: int
    revision: int
    received_at: datetime
    lines: tuple[str, ...]
    channel: str
    letter_id: int | None = None


class Declaration(Struct, frozen=True, kw_only=True):
    """A RESIGN or DRAW that was received but perhaps not told to the others yet."""

    id: int
    seat: str
    kind: str
    received_at: datetime
    status: str


_SHEETS = sa.select(submission).where(
    submission.c.match_id == sa.bindparam("of_match"),
    submission.c.ply == sa.bindparam("of_ply"),
    submission.c.status == "in force",
)


def in_force(tx: Tx, match_id: int, ply: int) -> dict[str, Submission]:
    """Return the sheets that would be adjudicated in that ply, by seat."""
    return {
        row.seat: Submission(
            seat=row.seat,
            ply=row.ply,
            revision=row.revision,
            received_at=row.received_at,
            lines=decode(row.orders, type=tuple[str, ...]),
            channel=row.channel,
            letter_id=row.letter_id,
        )
        for row in tx.execute(_SHEETS, {"of_match": match_id, "of_ply": ply})
    }


def last_revision(tx: Tx, match_id: int, ply: int, seat: str) -> int:
    """Return the number of the seat's last sheet for that ply; 0 if it has sent none."""
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
    letter_id: int | None = None,
) -> Submission:
    """Put a sheet in force in place of the one before."""
    made = Submission(
        seat=seat,
        ply=ply,
        revision=last_revision(tx, match_id, ply, seat) + 1,
        received_at=now,
        lines=tuple(lines),
        channel=channel,
        letter_id=letter_id,
    )
    close(tx, match_id, ply, [seat], "replaced")
    tx.execute(
        sa.insert(submission),
        {
            "match_id": match_id,
            "ply": ply,
            "seat": seat,
            "revision": made.revision,
            "received_at": now,
            "channel": channel,
            "text": text,
            "orders": encode(made.lines).decode(),
            "status": "in force",
            "letter_id": letter_id,
        },
    )
    return made


# This statement runs in every turn and is built once: to build one costs more than to run it.
_IN_FORCE = sa.update(submission).where(
    submission.c.match_id == sa.bindparam("of_match"),
    submission.c.ply == sa.bindparam("of_ply"),
    submission.c.seat.in_(sa.bindparam("seats", expanding=True)),
    submission.c.status == "in force",
)


def close(tx: Tx, match_id: int, ply: int, seats: Iterable[str], status: str) -> int:
    """Give the sheets in force of these seats another status; return how many there were."""
    row = {"of_match": match_id, "of_ply": ply, "seats": list(seats), "status": status}
    return tx.execute(_IN_FORCE, row).rowcount


def withdraw_all(tx: Tx, match_id: int, seat: str) -> None:
    """Withdraw all sheets of a seat that are in force, for whatever ply."""
    of_seat = (submission.c.match_id == match_id, submission.c.seat == seat)
    open_ = sa.update(submission).where(*of_seat, submission.c.status == "in force")
    tx.execute(open_.values(status="withdrawn"))


def carry(tx: Tx, match_id: int, ply: int, seats: Iterable[str]) -> None:
    """Move the sheets in force of these seats to the next ply."""
    of_seats = (*_of(match_id, ply), submission.c.seat.in_(list(seats)))
    _move(tx, match_id, of_seats, ply + 1)


def bring_back(tx: Tx, match_id: int, ply: int) -> None:
    """Move the sheets in force back from the next ply to this one, where they replace the unused
    ones."""
    for seat in _move(tx, match_id, _of(match_id, ply + 1), ply):
        unused = (*_of(match_id, ply, "unused"), submission.c.seat == seat)
        tx.execute(sa.update(submission).where(*unused).values(status="replaced"))


def _move(tx: Tx, match_id: int, which: tuple[Any, ...], ply: int) -> list[str]:
    """Move sheets to another ply, and return their seats.

    A sheet keeps its revision unless that ply has one of that number or higher.
    """
    found = tx.execute(
        sa.select(submission.c.id, submission.c.seat, submission.c.revision).where(*which)
    ).all()
    for row in found:
        revision = max(row.revision, last_revision(tx, match_id, ply, row.seat) + 1)
        moved = sa.update(submission).where(submission.c.id == row.id)
        tx.execute(moved.values(ply=ply, revision=revision))
    return [row.seat for row in found]


def _of(match_id: int, ply: int, status: str = "in force") -> tuple[Any, ...]:
    of_match = submission.c.match_id == match_id
    return of_match, submission.c.ply == ply, submission.c.status == status


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
        declaration.c.status.in_(["pending", "standing"]),
    )
    .order_by(declaration.c.received_at, declaration.c.id)
)


def open_declarations(tx: Tx, match_id: int) -> list[Declaration]:
    """Return the declarations that are pending or standing, by time of receipt."""
    rows = tx.execute(_OPEN, {"of_match": match_id}).mappings()
    return [Declaration(**row) for row in rows]


def settle_declarations(tx: Tx, ids: Sequence[int], status: str, *, ply: int | None = None) -> None:
    """Give declarations a final status.

    `ply` is the one that used them or let them lapse, so that an undo can take that back.
    """
    if ids:
        chosen = declaration.c.id.in_(ids)
        values = {"status": status, "settled_ply": ply}
        tx.execute(sa.update(declaration).where(chosen).values(values))


def reopen(tx: Tx, match_id: int, ply: int, *, but: Collection[str] = ()) -> None:
    """Open the sheets and declarations of a ply again, as they were before it; withdraw later
    sheets.

    Those of the seats `but` stay closed.
    """
    of_match = submission.c.match_id == match_id
    closed = sa.and_(
        of_match,
        submission.c.ply == ply,
        submission.c.status.in_(["used", "unused"]),
        submission.c.seat.not_in(list(but)),
    )
    later = sa.and_(of_match, submission.c.ply > ply, submission.c.status == "in force")
    tx.execute(sa.update(submission).where(closed).values(status="in force"))
    tx.execute(sa.update(submission).where(later).values(status="withdrawn"))
    settled = sa.and_(
        declaration.c.match_id == match_id,
        declaration.c.settled_ply == ply,
        declaration.c.seat.not_in(list(but)),
    )
    # A resignation was used before anybody was told of it; a draw offer that lapsed had been told.
    status = sa.case((declaration.c.kind == "DRAW", "standing"), else_="pending")
    tx.execute(sa.update(declaration).where(settled).values(status=status, settled_ply=None))


def last_used_ply(tx: Tx, match_id: int, seat: str, before: int) -> int:
    """Return the last ply before that one that adjudicated the seat's own orders; 0 if there is
    none."""
    wanted = sa.select(sa.func.max(submission.c.ply)).where(
        submission.c.match_id == match_id,
        submission.c.seat == seat,
        submission.c.ply < before,
        submission.c.status == "used",
        submission.c.channel != DEFAULT,
    )
    return tx.execute(wanted).scalar() or 0
