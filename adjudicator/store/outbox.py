"""Letters to send. A row is written in the transaction of what it tells, each key once."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import encode

from adjudicator.store.database import Tx
from adjudicator.store.tables import match, outbox, player


class Queued(Struct, frozen=True, kw_only=True):
    """A letter as the operator's list shows it: to whom and when, never what it says."""

    id: int
    key: str
    kind: str
    match: str | None
    seat: str | None
    to: str | None
    created_at: datetime
    status: str
    tries: int
    next_at: datetime | None
    sent_at: datetime | None


class Letter(Struct, frozen=True, kw_only=True):
    """A letter to be queued. `player_id` None is the operator; `body` is what it says beside
    the report that its key names."""

    key: str
    kind: str
    match_id: int | None = None
    ply: int | None = None
    seat: str | None = None
    player_id: int | None = None
    confirmed: bool = True
    body: Any = None


_LETTERS = sa.insert(outbox)


def put(tx: Tx, letters: Sequence[Letter], now: datetime, *, way_out: bool) -> None:
    """Queue letters. Without a way out they are kept and never sent later; to an address that
    is not confirmed nothing goes but the letter that asks for it."""
    if not letters:
        return
    rows = [_row(letter, now, way_out) for letter in letters]
    tx.execute(_LETTERS, rows)


def _row(letter: Letter, now: datetime, way_out: bool) -> Mapping[str, Any]:
    status = "kept" if not way_out else "waiting" if letter.confirmed else "unconfirmed"
    return {
        "key": letter.key,
        "kind": letter.kind,
        "match_id": letter.match_id,
        "ply": letter.ply,
        "seat": letter.seat,
        "player_id": letter.player_id,
        "body": encode(letter.body).decode(),
        "created_at": now,
        "status": status,
        "tries": 0,
        "next_at": now if status == "waiting" else None,
    }


def count(tx: Tx, prefix: str) -> int:
    """How many letters have a key that begins so; numbers the next notice to a seat."""
    wanted = sa.select(sa.func.count()).select_from(outbox)
    return int(
        tx.execute(wanted.where(outbox.c.key.startswith(prefix, autoescape=True))).scalar_one()
    )


# A reminder for the coming ply says that its seat has not sent, which operators may not read.
_DISCREET = sa.or_(
    outbox.c.kind != "reminder", outbox.c.status == "stuck", outbox.c.ply <= match.c.ply
)


def listed(
    tx: Tx,
    statuses: Sequence[str] = (),
    letter_id: int | None = None,
    *,
    discreet: bool = False,
) -> list[Queued]:
    """The queue, oldest first; all of it or some statuses or one letter. `discreet` leaves out
    what would tell who has not sent yet."""
    wanted = (
        sa.select(
            outbox.c.id,
            outbox.c.key,
            outbox.c.kind,
            match.c.name.label("match"),
            outbox.c.seat,
            player.c.name.label("to"),
            outbox.c.created_at,
            outbox.c.status,
            outbox.c.tries,
            outbox.c.next_at,
            outbox.c.sent_at,
        )
        .select_from(outbox.outerjoin(match).outerjoin(player))
        .order_by(outbox.c.id)
    )
    if statuses:
        wanted = wanted.where(outbox.c.status.in_(list(statuses)))
    if letter_id is not None:
        wanted = wanted.where(outbox.c.id == letter_id)
    if discreet:
        wanted = wanted.where(_DISCREET)
    return [Queued(**row) for row in tx.execute(wanted).mappings()]


def body(tx: Tx, letter_id: int) -> str:
    return str(tx.execute(sa.select(outbox.c.body).where(outbox.c.id == letter_id)).scalar_one())


def update(tx: Tx, letter_id: int, **changes: Any) -> None:
    tx.execute(sa.update(outbox).where(outbox.c.id == letter_id).values(changes))


def counts(tx: Tx) -> dict[str, int]:
    """How many letters stand at each status, but for what would tell who has not sent yet."""
    wanted = (
        sa.select(outbox.c.status, sa.func.count())
        .select_from(outbox.outerjoin(match))
        .where(_DISCREET)
        .group_by(outbox.c.status)
    )
    return {status: int(n) for status, n in tx.execute(wanted.order_by(outbox.c.status))}
