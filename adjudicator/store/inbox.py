"""Letters that came in. Each is taken from the spool once, read once, and kept for ever, its bytes
for sixty days."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.clock import FAR
from adjudicator.store.database import Tx, insert_new
from adjudicator.store.tables import letter


class Received(Struct, frozen=True, kw_only=True):
    """A letter as it came. `raw` is the part of its `length` bytes that was kept."""

    id: int
    received_at: datetime
    sender: str
    recipient: str
    channel: str
    length: int
    raw: bytes


_COLUMNS = (
    letter.c.id,
    letter.c.received_at,
    letter.c.sender,
    letter.c.recipient,
    letter.c.channel,
    letter.c.length,
    letter.c.raw,
)


def insert(tx: Tx, letters: Sequence[Mapping[str, Any]]) -> None:
    """Keep letters, but for those that were taken from the spool before."""
    insert_new(tx, letter, [{"status": "received", "tries": 0, **row} for row in letters])


class Envelope(Struct, frozen=True, kw_only=True):
    """A letter as it came, from whom and to whom its envelope said."""

    sender: str
    recipient: str
    raw: bytes


class Unread(Struct, frozen=True, kw_only=True):
    """A letter that nobody has read to its end.

    `tries` were begun, and `faults` of them ended with a fault of ours; the program was killed in
    the others. `again_at` is the time until which the letter was put off.
    """

    id: int
    received_at: datetime
    tries: int
    faults: int
    again_at: datetime | None
    envelope: Envelope

    @property
    def kills(self) -> int:
        """Return how many tries never ended because the program was killed."""
        return max(0, self.tries - self.faults)


_TO_BE_READ = sa.and_(
    letter.c.status == "received",
    sa.or_(
        letter.c.again_at.is_(None),
        letter.c.again_at <= sa.bindparam("now"),
        letter.c.again_at > sa.bindparam("far"),
    ),
)
_UNREAD = (
    sa.select(
        letter.c.id,
        letter.c.received_at,
        letter.c.tries,
        letter.c.faults,
        letter.c.again_at,
        letter.c.sender,
        letter.c.recipient,
        letter.c.raw,
    )
    .where(_TO_BE_READ)
    .order_by(letter.c.received_at, letter.c.id)
    .limit(sa.bindparam("most"))
)
_UNREAD_AFTER = _UNREAD.where(
    sa.tuple_(letter.c.received_at, letter.c.id)
    > sa.tuple_(sa.bindparam("after_time", type_=letter.c.received_at.type), sa.bindparam("after"))
)


def unread(tx: Tx, now: datetime, most: int, after: Unread | None = None) -> list[Unread]:
    """Return the letters to be read now, in the order in which they came: no more than `most`, and
    only those that came after a letter, if one is given."""
    asked: dict[str, Any] = {"now": now, "far": now + FAR, "most": most}
    if after is None:
        rows = tx.execute(_UNREAD, asked)
    else:
        asked |= {"after_time": after.received_at, "after": after.id}
        rows = tx.execute(_UNREAD_AFTER, asked)
    return [
        Unread(
            id=row.id,
            received_at=row.received_at,
            tries=row.tries,
            faults=row.faults,
            again_at=row.again_at,
            envelope=Envelope(sender=row.sender, recipient=row.recipient, raw=row.raw),
        )
        for row in rows
    ]


_ENDS = sa.select(sa.func.min(letter.c.received_at), sa.func.max(letter.c.received_at))


def unread_since(tx: Tx, now: datetime) -> list[datetime]:
    """Return when the first and when the last came of the letters to be read now; nothing if there
    are none."""
    ends = tx.execute(_ENDS.where(_TO_BE_READ), {"now": now, "far": now + FAR}).one()
    return [end for end in ends if end is not None]


def begin(tx: Tx, letter_ids: Collection[int]) -> list[int]:
    """Count a first try for those of the letters that were never tried, and return their ids.

    No other worker has counted the same ones.
    """
    return _count(tx, letter.c.tries == 0, letter.c.id.in_(letter_ids))


def begin_taken(tx: Tx, spool_names: Collection[str]) -> list[int]:
    """Do the same as `begin`, with letters by their names in the spool."""
    return _count(tx, letter.c.tries == 0, letter.c.spool_name.in_(spool_names))


def count_try(tx: Tx, letter_id: int, tries: int) -> bool:
    """Count one more try of a letter; return False if another worker has done so, or holds the
    letter."""
    return bool(_count(tx, letter.c.id == letter_id, letter.c.tries == tries))


def count_fault(tx: Tx, letter_id: int) -> int:
    """Count that a try of a letter ended with a fault of ours, and return how many have."""
    counted = sa.update(letter).where(letter.c.id == letter_id)
    counted = counted.values(faults=letter.c.faults + 1)
    return int(tx.execute(counted.returning(letter.c.faults)).scalar_one())


def _count(tx: Tx, *which: sa.ColumnElement[bool]) -> list[int]:
    free = sa.select(letter.c.id).where(letter.c.status == "received", *which)
    counted = sa.update(letter).where(letter.c.id.in_(free.with_for_update(skip_locked=True)))
    counted = counted.values(tries=letter.c.tries + 1, again_at=None).returning(letter.c.id)
    return list(tx.execute(counted).scalars())


def uncount_try(tx: Tx, letter_id: int) -> None:
    """Take back the count of a try that ended for a reason outside the letter."""
    update(tx, letter_id, tries=letter.c.tries - 1)


_TAKEN = (
    sa.select(*_COLUMNS)
    .where(letter.c.id == sa.bindparam("letter_id"), letter.c.status == "received")
    .with_for_update(skip_locked=True)
)


def take(tx: Tx, letter_id: int) -> Received | None:
    """Lock an unread letter until the transaction ends.

    Return None if another worker holds it or has read it.
    """
    row = tx.execute(_TAKEN, {"letter_id": letter_id}).mappings().first()
    return Received(**row) if row else None


def update(tx: Tx, letter_id: int, **changes: Any) -> None:
    tx.execute(sa.update(letter).where(letter.c.id == letter_id).values(changes))


def drop_of_match(tx: Tx, match_id: int) -> None:
    """Drop the letters of a match that wait for a human or to be read."""
    waiting = sa.and_(letter.c.match_id == match_id, letter.c.status.in_(["received", "stuck"]))
    tx.execute(sa.update(letter).where(waiting).values(status="dropped"))


def moments(tx: Tx, letter_id: int) -> tuple[datetime | None, datetime]:
    """Return when a letter was written, by its sender's clock, and when it came, by ours."""
    wanted = sa.select(letter.c.dated_at, letter.c.received_at).where(letter.c.id == letter_id)
    dated, came = tx.execute(wanted).one()
    return dated, came


def envelope(tx: Tx, letter_id: int) -> Envelope:
    wanted = sa.select(letter.c.sender, letter.c.recipient, letter.c.raw)
    row = tx.execute(wanted.where(letter.c.id == letter_id)).mappings().one()
    return Envelope(**row)


_HEAD = 16 * 1024  # octets from the beginning; the addresses stand there


def astray(tx: Tx, moment: datetime, most: int) -> list[tuple[str, bytes]]:
    """Return the newest letters after that moment that came home to nobody.

    Each is given as the envelope's recipient and the beginning of the letter.
    """
    wanted = sa.select(letter.c.recipient, sa.func.substr(letter.c.raw, 1, _HEAD))
    nobodys = (letter.c.status == "junk", letter.c.match_id.is_(None))
    wanted = wanted.where(*nobodys, letter.c.received_at > moment)
    found = tx.execute(wanted.order_by(letter.c.id.desc()).limit(most))
    return [(recipient, bytes(head)) for recipient, head in found]


_FEW = 1000  # letters whose bytes are deleted at once
_OPEN = ("received", "parked", "stuck")  # somebody may still read them


def forget_bytes(tx: Tx, before: datetime) -> None:
    """Delete the bytes of letters that came before that moment and are done with.

    What they were, whose, when they came and what became of them stays. Only some are deleted at a
    time, so that nobody waits for it.
    """
    few = old_bytes(before).limit(_FEW)
    tx.execute(sa.update(letter).where(letter.c.id.in_(few)).values(raw=b""))


def old_bytes(before: datetime) -> sa.Select[tuple[int]]:
    """Select the letters whose bytes are to be deleted."""
    kept = (sa.text("length(raw) > 0"), letter.c.received_at < before)
    return sa.select(letter.c.id).where(*kept, letter.c.status.not_in(_OPEN))
