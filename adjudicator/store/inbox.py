"""Letters that came in: taken from the spool once, read once, kept for ever."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx, insert_once
from adjudicator.store.tables import letter, match, outbox

MOST_SEEN = 20  # letters with one Message-ID that a new one is compared with


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


class Seen(Struct, frozen=True, kw_only=True):
    """An earlier letter. `reason` says why it was set aside, None for one that was heard."""

    id: int
    raw: bytes
    reason: str | None


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
    return insert_once(tx, letter, {"status": "received", "tries": 0, **values})


class Unread(Struct, frozen=True, kw_only=True):
    """A letter that nobody has read to its end. `tries` were begun, `faults` of them ended with a
    fault of ours; `again_at` is when the time was up for which it was put off."""

    id: int
    tries: int
    faults: int
    again_at: datetime | None

    @property
    def kills(self) -> int:
        """Tries that never ended: the program did."""
        return max(0, self.tries - self.faults)


def unread(tx: Tx, now: datetime) -> list[Unread]:
    """The letters to be read now, in the order in which they came."""
    c = letter.c
    wanted = sa.select(c.id, c.tries, c.faults, c.again_at).where(
        c.status == "received", sa.or_(c.again_at.is_(None), c.again_at <= now)
    )
    return [Unread(**row) for row in tx.execute(wanted.order_by(c.received_at, c.id)).mappings()]


def begin(tx: Tx) -> list[int]:
    """Count a try for every letter that was never tried; returns the ids of those that were, for
    no other worker has counted the same."""
    return _count(tx, letter.c.tries == 0)


def count_try(tx: Tx, letter_id: int, tries: int) -> bool:
    """Count one more try of a letter; False where another worker has done so, or has it."""
    return bool(_count(tx, letter.c.id == letter_id, letter.c.tries == tries))


def count_fault(tx: Tx, letter_id: int) -> int:
    """Count that a try of a letter ended with a fault of ours; how many have."""
    counted = sa.update(letter).where(letter.c.id == letter_id)
    counted = counted.values(faults=letter.c.faults + 1)
    return int(tx.execute(counted.returning(letter.c.faults)).scalar_one())


def _count(tx: Tx, *which: sa.ColumnElement[bool]) -> list[int]:
    free = sa.select(letter.c.id).where(letter.c.status == "received", *which)
    counted = sa.update(letter).where(letter.c.id.in_(free.with_for_update(skip_locked=True)))
    counted = counted.values(tries=letter.c.tries + 1, again_at=None).returning(letter.c.id)
    return list(tx.execute(counted).scalars())


def uncount_try(tx: Tx, letter_id: int) -> None:
    """A try ended for a reason that lies outside the letter."""
    update(tx, letter_id, tries=letter.c.tries - 1)


def take(tx: Tx, letter_id: int) -> Received | None:
    """An unread letter, ours until the transaction ends; None when another worker has it or
    has read it."""
    wanted = sa.select(*_COLUMNS).where(letter.c.id == letter_id, letter.c.status == "received")
    row = tx.execute(wanted.with_for_update(skip_locked=True)).mappings().first()
    return Received(**row) if row else None


def update(tx: Tx, letter_id: int, **changes: Any) -> None:
    tx.execute(sa.update(letter).where(letter.c.id == letter_id).values(changes))


def seen_before(tx: Tx, match_id: int | None, seat: str | None, message_id: str) -> list[Seen]:
    """Earlier letters to that seat, or to nobody's, with the same Message-ID. One that came twice
    stands for all that were the same; of very many different ones only some are
    compared, those that were heard and then the newest, for each is as long as a letter can be."""
    wanted = sa.select(letter.c.id, letter.c.raw, letter.c.reason).where(
        letter.c.match_id == match_id,
        letter.c.seat == seat,
        letter.c.message_id == message_id,
        letter.c.status != "duplicate",
    )
    heard_first = (letter.c.reason.is_not(None), letter.c.id.desc())
    rows = tx.execute(wanted.order_by(*heard_first).limit(MOST_SEEN)).mappings()
    return sorted((Seen(**row) for row in rows), key=lambda one: one.id)


def dated_at(tx: Tx, letter_id: int) -> datetime | None:
    """When its sender's clock says that a letter was written."""
    wanted = sa.select(letter.c.dated_at).where(letter.c.id == letter_id)
    found: datetime | None = tx.execute(wanted).scalar_one()
    return found


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


class Unheard(Struct, frozen=True, kw_only=True):
    """A letter that waits for a human, or to be read later; the seat is known where it could be
    found."""

    match_id: int | None
    seat: str | None
    ply: int | None  # that was awaited
    received_at: datetime


def all_stuck(tx: Tx) -> list[Unheard]:
    return _unheard(tx, letter.c.status == "stuck")


def put_off(tx: Tx, now: datetime) -> list[Unheard]:
    """Letters that are to be read later than now."""
    return _unheard(tx, letter.c.status == "received", letter.c.again_at > now)


def _unheard(tx: Tx, *which: sa.ColumnElement[bool]) -> list[Unheard]:
    wanted = sa.select(letter.c.match_id, letter.c.seat, letter.c.ply, letter.c.received_at)
    return [Unheard(**row) for row in tx.execute(wanted.where(*which)).mappings()]


def is_comforted(tx: Tx, letter_id: int, mark: str) -> bool:
    """Whether the seat was told why its letter is not read yet; `mark` ends the key of what it
    was told."""
    comfort = outbox.c.key.endswith(f"/{letter_id}{mark}")
    wanted = sa.select(outbox.c.id).where(_of_match_of(letter_id), comfort)
    return tx.execute(wanted).first() is not None


def _of_match_of(letter_id: int) -> sa.ColumnElement[bool]:
    """Letters that go out in the match of one that came: by its key alone one would be looked
    for among all."""
    its = sa.select(letter.c.match_id).where(letter.c.id == letter_id)
    return outbox.c.match_id == its.scalar_subquery()


def envelope(tx: Tx, letter_id: int) -> tuple[str, str, bytes]:
    """(sender, recipient, bytes) of a letter."""
    wanted = sa.select(letter.c.sender, letter.c.recipient, letter.c.raw)
    row = tx.execute(wanted.where(letter.c.id == letter_id)).one()
    return row.sender, row.recipient, row.raw


_HEAD = 16 * 1024  # octets in which the addresses of a letter stand


def astray(tx: Tx, moment: datetime, most: int) -> list[tuple[str, bytes]]:
    """The newest letters after that moment that came home to nobody: the envelope's recipient,
    and how the letter begins."""
    wanted = sa.select(letter.c.recipient, sa.func.substr(letter.c.raw, 1, _HEAD))
    nobodys = (letter.c.status == "junk", letter.c.match_id.is_(None))
    wanted = wanted.where(*nobodys, letter.c.received_at > moment)
    found = tx.execute(wanted.order_by(letter.c.id.desc()).limit(most))
    return [(recipient, bytes(head)) for recipient, head in found]


def since(tx: Tx, match_id: int, seat: str, moment: datetime, *, heard: bool) -> int:
    """How many letters of a seat came after that moment, without those that came twice: those
    that were heard, or those that failed the match's level."""
    wanted = sa.select(sa.func.count()).where(
        letter.c.match_id == match_id,
        letter.c.seat == seat,
        letter.c.received_at > moment,
        letter.c.status != "duplicate",
        letter.c.reason.is_(None) if heard else letter.c.reason.is_not(None),
    )
    return int(tx.execute(wanted).scalar_one())
