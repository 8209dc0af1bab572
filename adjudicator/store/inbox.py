"""Letters that came in: taken from the spool once, read once, kept for ever."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.tables import letter, match, outbox, parked


class Received(Struct, frozen=True, kw_only=True):
    """A letter as it came. `raw` is what was kept of `length` bytes."""

    id: int
    sha256: str
    received_at: datetime
    sender: str
    recipient: str
    channel: str
    length: int
    raw: bytes
    status: str
    tries: int


class Parked(Struct, frozen=True, kw_only=True):
    """A sheet that waits for its seat's holder to confirm it."""

    id: int
    seat: str
    tenure: int
    letter_id: int
    code: str
    text: str
    created_at: datetime


_COLUMNS = (
    letter.c.id,
    letter.c.sha256,
    letter.c.received_at,
    letter.c.sender,
    letter.c.recipient,
    letter.c.channel,
    letter.c.length,
    letter.c.raw,
    letter.c.status,
    letter.c.tries,
)


def insert(tx: Tx, **values: Any) -> bool:
    """Keep a letter; False when it was taken from the spool before."""
    known = sa.select(letter.c.id).where(letter.c.spool_name == values["spool_name"])
    if tx.execute(known).first():
        return False
    tx.execute(sa.insert(letter), {"status": "received", "tries": 0, **values})
    return True


def unread(tx: Tx) -> list[int]:
    """Ids of the letters that nobody has looked at, in the order in which they came."""
    wanted = sa.select(letter.c.id).where(letter.c.status == "received")
    return list(tx.execute(wanted.order_by(letter.c.received_at, letter.c.id)).scalars())


def take(tx: Tx, letter_id: int) -> Received | None:
    """An unread letter, ours until the transaction ends; None when another worker has it or
    has read it."""
    wanted = sa.select(*_COLUMNS).where(letter.c.id == letter_id, letter.c.status == "received")
    row = tx.execute(wanted.with_for_update(skip_locked=True)).mappings().first()
    return Received(**row) if row else None


def update(tx: Tx, letter_id: int, **changes: Any) -> None:
    tx.execute(sa.update(letter).where(letter.c.id == letter_id).values(changes))


def seen_before(
    tx: Tx, match_id: int | None, seat: str | None, message_id: str
) -> list[tuple[int, bytes]]:
    """(id, bytes) of earlier letters to that seat, or to nobody's, with the same Message-ID."""
    wanted = sa.select(letter.c.id, letter.c.raw).where(
        letter.c.match_id == match_id,
        letter.c.seat == seat,
        letter.c.message_id == message_id,
    )
    return [(row.id, row.raw) for row in tx.execute(wanted.order_by(letter.c.id))]


def dated_at(tx: Tx, letter_id: int) -> datetime | None:
    """When its sender's clock says that a letter was written."""
    wanted = sa.select(letter.c.dated_at).where(letter.c.id == letter_id)
    found: datetime | None = tx.execute(wanted).scalar_one()
    return found


def park(tx: Tx, match_id: int, **values: Any) -> None:
    tx.execute(sa.insert(parked), {"match_id": match_id, "status": "waiting", **values})


def waiting(tx: Tx, match_id: int, seat: str) -> Sequence[Parked]:
    wanted = sa.select(
        parked.c.id,
        parked.c.seat,
        parked.c.tenure,
        parked.c.letter_id,
        parked.c.code,
        parked.c.text,
        parked.c.created_at,
    ).where(parked.c.match_id == match_id, parked.c.seat == seat, parked.c.status == "waiting")
    return [Parked(**row) for row in tx.execute(wanted.order_by(parked.c.id)).mappings()]


def settle_parked(tx: Tx, parked_id: int, status: str) -> None:
    tx.execute(sa.update(parked).where(parked.c.id == parked_id).values(status=status))


def counts(tx: Tx) -> dict[str, int]:
    """How many letters stand at each status."""
    wanted = sa.select(letter.c.status, sa.func.count()).group_by(letter.c.status)
    return {status: int(n) for status, n in tx.execute(wanted.order_by(letter.c.status))}


class Arrived(Struct, frozen=True, kw_only=True):
    """A letter as the operator's list shows it: never what it says, nor who wrote it."""

    id: int
    spool_name: str
    match: str | None
    seat: str | None
    received_at: datetime
    channel: str
    length: int
    status: str
    tries: int
    reason: str | None


# A letter of the ply that is awaited says that its seat has sent, and one that nobody has read
# may be of any seat; operators may not know. What is stuck needs them.
_DISCREET = sa.or_(
    letter.c.status.in_(["stuck", "dropped"]),
    sa.and_(letter.c.match_id.is_(None), letter.c.status != "received"),
    match.c.status == "over",
    letter.c.ply <= match.c.ply,
)


def listed(
    tx: Tx,
    statuses: Sequence[str] = (),
    letter_id: int | None = None,
    *,
    discreet: bool = False,
) -> list[Arrived]:
    """Letters that came, oldest first; all of them or some statuses or one. `discreet` leaves
    out what would tell who has sent."""
    wanted = (
        sa.select(
            letter.c.id,
            letter.c.spool_name,
            match.c.name.label("match"),
            letter.c.seat,
            letter.c.received_at,
            letter.c.channel,
            letter.c.length,
            letter.c.status,
            letter.c.tries,
            letter.c.reason,
        )
        .select_from(letter.outerjoin(match))
        .order_by(letter.c.id)
    )
    if statuses:
        wanted = wanted.where(letter.c.status.in_(list(statuses)))
    if letter_id is not None:
        wanted = wanted.where(letter.c.id == letter_id)
    if discreet:
        wanted = wanted.where(_DISCREET)
    return [Arrived(**row) for row in tx.execute(wanted).mappings()]


def stuck(tx: Tx) -> dict[str, int]:
    """How many letters wait for a human; empty for none. Other numbers would tell who has sent."""
    wanted = sa.select(sa.func.count()).where(letter.c.status == "stuck")
    n = int(tx.execute(wanted).scalar_one())
    return {"stuck": n} if n else {}


def is_comforted(tx: Tx, letter_id: int) -> bool:
    """Whether the sender of a letter was told that a human will look at it."""
    wanted = sa.select(outbox.c.id).where(outbox.c.key.endswith(f"/refusal/{letter_id}/stuck"))
    return tx.execute(wanted).first() is not None


def envelope(tx: Tx, letter_id: int) -> tuple[str, str, bytes]:
    """(sender, recipient, bytes) of a letter."""
    wanted = sa.select(letter.c.sender, letter.c.recipient, letter.c.raw)
    row = tx.execute(wanted.where(letter.c.id == letter_id)).one()
    return row.sender, row.recipient, row.raw


def ply_of(tx: Tx, letter_id: int) -> int | None:
    """The ply that stood when a letter to a seat was read."""
    awaited = tx.execute(sa.select(letter.c.ply).where(letter.c.id == letter_id)).scalar_one()
    return None if awaited is None else int(awaited) - 1


def tries(tx: Tx, letter_id: int) -> int:
    return int(tx.execute(sa.select(letter.c.tries).where(letter.c.id == letter_id)).scalar_one())


def since(tx: Tx, match_id: int, seat: str, moment: datetime, *, parked: bool) -> int:
    """How many letters of a seat came after that moment: those that were parked, or the others."""
    wanted = sa.select(sa.func.count()).where(
        letter.c.match_id == match_id,
        letter.c.seat == seat,
        letter.c.received_at > moment,
        letter.c.status == "parked" if parked else letter.c.status != "parked",
    )
    return int(tx.execute(wanted).scalar_one())


def repeat_answer(tx: Tx, letter_id: int, *, way_out: bool, now: datetime) -> None:
    """Send the answer to a letter once more; the key makes a third time impossible."""
    answers = sa.or_(*(outbox.c.key.endswith(f"/{kind}/{letter_id}") for kind in _ANSWERS))
    first = tx.execute(sa.select(outbox).where(answers)).mappings().first()
    if first is None:
        return
    again = f"{first['key']}/again"
    if tx.execute(sa.select(outbox.c.id).where(outbox.c.key == again)).first():
        return
    row = {name: value for name, value in first.items() if name not in ("id", "sent_at", "raw")}
    status = "waiting" if way_out else "kept"
    fresh = {"key": again, "status": status, "tries": 0, "created_at": now}
    tx.execute(sa.insert(outbox), {**row, **fresh, "next_at": now if way_out else None})


_ANSWERS = ("receipt", "refusal", "confirm")
