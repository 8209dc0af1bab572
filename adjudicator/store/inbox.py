"""Letters that came in. Each is taken from the spool once, read once, and kept for ever, its bytes
for sixty days."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.clock import FAR
from adjudicator.store.database import IN_PARTS, Tx, insert_new
from adjudicator.store.tables import letter, match, outbox, submission

MOST_SEEN = 20  # letters with one Message-ID that a new one is compared with


class Received(Struct, frozen=True, kw_only=True):
    """A letter as it came. `raw` is the part of its `length` bytes that was kept."""

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
    """An earlier letter. `reason` says why it was set aside; it is None for a letter that was
    heard."""

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


def has_unread(tx: Tx, now: datetime) -> bool:
    wanted = sa.select(letter.c.id).where(_TO_BE_READ).limit(1)
    return tx.execute(wanted, {"now": now, "far": now + FAR}).first() is not None


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


def take(tx: Tx, letter_id: int) -> Received | None:
    """Lock an unread letter until the transaction ends.

    Return None if another worker holds it or has read it.
    """
    wanted = sa.select(*_COLUMNS).where(letter.c.id == letter_id, letter.c.status == "received")
    row = tx.execute(wanted.with_for_update(skip_locked=True)).mappings().first()
    return Received(**row) if row else None


def update(tx: Tx, letter_id: int, **changes: Any) -> None:
    tx.execute(sa.update(letter).where(letter.c.id == letter_id).values(changes))


_SEEN = sa.select(letter.c.id, letter.c.raw, letter.c.reason).where(letter.c.status != "duplicate")
_HEARD_FIRST = (letter.c.reason.is_not(None), letter.c.id.desc())


def to_nobody(tx: Tx, message_id: str) -> list[Seen]:
    """Return earlier letters to no seat with the same Message-ID: only some, as in `Earlier`."""
    wanted = _SEEN.where(
        letter.c.match_id.is_(None), letter.c.seat.is_(None), letter.c.message_id == message_id
    )
    rows = tx.execute(wanted.order_by(*_HEARD_FIRST).limit(MOST_SEEN)).mappings()
    return sorted((Seen(**row) for row in rows), key=lambda one: one.id)


class Earlier(Struct, frozen=True, kw_only=True):
    """Tell what else came for the seat of a letter.

    `same_id` are other letters with its Message-ID. Identical ones are given once. If there are
    very many different ones, only some are given, because each can be as long as a letter may be:
    first those that were heard, then the newest. `heard` and `unheard` count the letters that came
    after a moment, without duplicates: those that were heard, and those that failed the match's
    level.
    """

    same_id: Sequence[Seen]
    heard: int
    unheard: int


def earlier(
    tx: Tx, letter_id: int, match_id: int, seat: str, message_id: str, moment: datetime
) -> Earlier:
    """Return what else came for a seat beside that letter; `moment` is that of the count."""
    row = {
        "this": letter_id,
        "of_match": match_id,
        "of_seat": seat,
        "of_message": message_id,
        "moment": moment,
    }
    found = tx.execute(_EARLIER, row).all()
    same = [Seen(id=one.id, raw=one.raw, reason=one.reason) for one in found if one.id is not None]
    return Earlier(
        same_id=sorted(same, key=lambda one: one.id),
        heard=found[0].heard,
        unheard=found[0].unheard,
    )


_OF_SEAT = (
    letter.c.match_id == sa.bindparam("of_match"),
    letter.c.seat == sa.bindparam("of_seat"),
    letter.c.id != sa.bindparam("this"),
)
_OF_LATE = (
    sa.select(
        sa.func.count().filter(letter.c.reason.is_(None)).label("heard"),
        sa.func.count().filter(letter.c.reason.is_not(None)).label("unheard"),
    )
    .where(
        *_OF_SEAT,
        letter.c.status != "duplicate",
        letter.c.received_at > sa.bindparam("moment", type_=letter.c.received_at.type),
    )
    .subquery()
)
_SAME = (
    _SEEN.where(*_OF_SEAT, letter.c.message_id == sa.bindparam("of_message"))
    .order_by(*_HEARD_FIRST)
    .limit(MOST_SEEN)
    .subquery()
)
_EARLIER = sa.select(_OF_LATE, _SAME).select_from(_OF_LATE.outerjoin(_SAME, sa.true()))


def dated_at(tx: Tx, letter_id: int) -> datetime | None:
    """Return when a letter was written, by its sender's clock."""
    wanted = sa.select(letter.c.dated_at).where(letter.c.id == letter_id)
    found: datetime | None = tx.execute(wanted).scalar_one()
    return found


def counts(tx: Tx) -> dict[str, int]:
    """Return how many letters have each status."""
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


# A letter for the awaited ply tells that its seat has sent orders, and an unread letter may be of
# any seat: operators may not know of either, nor before the end of a letter with orders in advance.
# Stuck letters are shown because they need a human.
_HAS_ADVANCE = (
    sa.select(submission.c.id)
    .where(
        submission.c.match_id == letter.c.match_id,
        submission.c.letter_id == letter.c.id,
        submission.c.turn.is_not(None),
    )
    .exists()
)
_DISCREET = sa.or_(
    letter.c.status.in_(["stuck", "dropped"]),
    sa.and_(letter.c.match_id.is_(None), letter.c.status != "received"),
    match.c.status == "over",
    sa.and_(letter.c.ply <= match.c.ply, sa.not_(_HAS_ADVANCE)),
)


_LISTED = sa.select(
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
).select_from(letter.outerjoin(match))


def _listed(statuses: Sequence[str], *, discreet: bool) -> sa.Select[Any]:
    wanted = _LISTED
    if statuses:
        wanted = wanted.where(letter.c.status.in_(list(statuses)))
    return wanted.where(_DISCREET) if discreet else wanted


def listed(
    tx: Tx,
    statuses: Sequence[str] = (),
    letter_id: int | None = None,
    *,
    discreet: bool = False,
    newest: int | None = None,
) -> list[Arrived]:
    """Return letters that came, the oldest first: all of them, those with some statuses, or one;
    with `newest` no more than so many, the newest first.

    `discreet` leaves out all that would tell the operator who has sent orders.
    """
    wanted = _listed(statuses, discreet=discreet)
    if newest is None:
        wanted = wanted.order_by(letter.c.id)
    else:
        wanted = wanted.order_by(letter.c.received_at.desc(), letter.c.id.desc()).limit(newest)
    if letter_id is not None:
        wanted = wanted.where(letter.c.id == letter_id)
    return [Arrived(**row) for row in tx.execute(wanted).mappings()]


def each(tx: Tx, statuses: Sequence[str], *, discreet: bool) -> Iterator[Arrived]:
    """Yield what `listed` returns by time, without holding all of it."""
    wanted = _listed(statuses, discreet=discreet).order_by(letter.c.received_at, letter.c.id)
    for row in tx.execute(wanted, execution_options=IN_PARTS).mappings():
        yield Arrived(**row)


def stuck(tx: Tx) -> dict[str, int]:
    """Return how many letters wait for a human; empty for none.

    Other numbers would tell who has sent orders.
    """
    wanted = sa.select(sa.func.count()).where(letter.c.status == "stuck")
    n = int(tx.execute(wanted).scalar_one())
    return {"stuck": n} if n else {}


class Unheard(Struct, frozen=True, kw_only=True):
    """A letter that waits for a human, or to be read later. Its seat is given if it could be
    found."""

    match_id: int | None
    seat: str | None
    ply: int | None  # the ply that was awaited when it came
    received_at: datetime


def all_stuck(tx: Tx) -> list[Unheard]:
    return _unheard(tx, letter.c.status == "stuck")


def put_off(tx: Tx, now: datetime) -> list[Unheard]:
    """Return the letters that are to be read later than now."""
    return _unheard(tx, letter.c.status == "received", letter.c.again_at > now)


def _unheard(tx: Tx, *which: sa.ColumnElement[bool]) -> list[Unheard]:
    wanted = sa.select(letter.c.match_id, letter.c.seat, letter.c.ply, letter.c.received_at)
    return [Unheard(**row) for row in tx.execute(wanted.where(*which)).mappings()]


def is_comforted(tx: Tx, letter_id: int, mark: str) -> bool:
    """Return whether the seat was told why its letter is not read yet.

    `mark` is the end of the key of the letter that told it.
    """
    comfort = outbox.c.key.endswith(f"/{letter_id}{mark}")
    wanted = sa.select(outbox.c.id).where(_of_match_of(letter_id), comfort)
    return tx.execute(wanted).first() is not None


def _of_match_of(letter_id: int) -> sa.ColumnElement[bool]:
    """Select the outgoing letters in the match of an incoming one.

    A search by key alone would look through all letters.
    """
    its = sa.select(letter.c.match_id).where(letter.c.id == letter_id)
    return outbox.c.match_id == its.scalar_subquery()


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
