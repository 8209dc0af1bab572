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
    tries: int
    faults: int
    again_at: datetime | None

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
_IN_ORDER = (letter.c.received_at, letter.c.id)
_PLACES = (  # of the letters to one address, in the order in which they came
    sa.select(
        letter.c.id,
        sa.func.row_number()
        .over(partition_by=sa.func.lower(letter.c.recipient), order_by=_IN_ORDER)
        .label("place"),
    )
    .where(_TO_BE_READ)
    .subquery()
)
_FIRST = (
    sa.select(letter.c.id, letter.c.tries, letter.c.faults, letter.c.again_at)
    .where(
        _TO_BE_READ,
        letter.c.id.in_(sa.select(_PLACES.c.id).where(_PLACES.c.place == 1)),
        letter.c.id.not_in(sa.bindparam("passed", expanding=True)),
    )
    .order_by(*_IN_ORDER)
    .limit(1)
)
_NEXT = _FIRST.with_for_update(skip_locked=True)
_HELD = _FIRST.with_for_update()


def next_unread(tx: Tx, now: datetime, passed: Collection[int]) -> Unread | None:
    """Lock the first letter to be read now that no other worker holds, until the transaction ends;
    return None if there is none.

    One to an address to which an earlier letter waits is left out, whoever reads that one: a later
    sheet of a seat never gives way to an earlier one. Those in `passed` are left out, too.
    """
    row = tx.execute(_NEXT, _asked(now, passed)).mappings().first()
    return Unread(**row) if row else None


def is_any_unread(tx: Tx, now: datetime, passed: Collection[int]) -> bool:
    """Return whether `next_unread` would find a letter if no other worker held one."""
    return tx.execute(_FIRST, _asked(now, passed)).first() is not None


def wait_for_another(tx: Tx, now: datetime, passed: Collection[int]) -> None:
    """Wait until the worker who holds the first of these letters is done with it."""
    tx.execute(_HELD, _asked(now, passed))


def _asked(now: datetime, passed: Collection[int]) -> dict[str, Any]:
    return {"now": now, "far": now + FAR, "passed": list(passed)}


_ENDS = sa.select(sa.func.min(letter.c.received_at), sa.func.max(letter.c.received_at))


def unread_since(tx: Tx, now: datetime) -> list[datetime]:
    """Return when the first and when the last came of the letters to be read now; nothing if there
    are none."""
    ends = tx.execute(_ENDS.where(_TO_BE_READ), {"now": now, "far": now + FAR}).one()
    return [end for end in ends if end is not None]


def count_try(tx: Tx, letter_id: int) -> None:
    """Count that one more try of a letter is begun."""
    update(tx, letter_id, tries=letter.c.tries + 1, again_at=None)


def count_fault(tx: Tx, letter_id: int) -> int:
    """Count that a try of a letter ended with a fault of ours, and return how many have."""
    counted = sa.update(letter).where(letter.c.id == letter_id)
    counted = counted.values(faults=letter.c.faults + 1)
    return int(tx.execute(counted.returning(letter.c.faults)).scalar_one())


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
