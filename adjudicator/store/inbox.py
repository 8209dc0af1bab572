"""Letters that came in. Each is taken from the spool once, read once, and kept: its bytes for sixty
days, the rest for ever or as long as the settings say (`store/retention`).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.clubs import FAR
from adjudicator.store.database import Tx, insert_new
from adjudicator.store.tables import letter, outbox


class IncomingLetter(Struct, frozen=True, kw_only=True):
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


class StoredEnvelope(Struct, frozen=True, kw_only=True):
    """A letter as it came, from whom and to whom its envelope said."""

    sender: str
    recipient: str
    raw: bytes


class UnreadLetter(Struct, frozen=True, kw_only=True):
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


def next_unread(tx: Tx, now: datetime, passed: Collection[int]) -> UnreadLetter | None:
    """Lock the first letter to be read now that no other worker holds, until the transaction ends;
    return None if there is none.

    One to an address to which an earlier letter waits is left out, whoever reads that one: a later
    sheet of a seat never gives way to an earlier one. Those in `passed` are left out, too.
    """
    row = tx.execute(_NEXT, _parameters(now, passed)).mappings().first()
    return UnreadLetter(**row) if row else None


def is_any_unread(tx: Tx, now: datetime, passed: Collection[int]) -> bool:
    """Return whether `next_unread` would find a letter if no other worker held one."""
    return tx.execute(_FIRST, _parameters(now, passed)).first() is not None


def wait_for_another(tx: Tx, now: datetime, passed: Collection[int]) -> None:
    """Wait until the worker who holds the first of these letters is done with it."""
    tx.execute(_HELD, _parameters(now, passed))


def _parameters(now: datetime, passed: Collection[int]) -> dict[str, Any]:
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
    .with_for_update()
)


def note_progress(tx: Tx, letter_id: int) -> None:
    """Note that a part of a letter was carried out: the kills before it do not count against the
    rest, of which a try is begun."""
    update(tx, letter_id, tries=letter.c.faults + 1)


def take(tx: Tx, letter_id: int) -> IncomingLetter | None:
    """Lock an unread letter until the transaction ends.

    Return None if another worker has read it. One who holds it is waited for: he may only have
    counted a try, or read one part of several, and then whoever has it next goes on. To pass over
    it would be to count one try after the other, and so many look like kills.
    """
    row = tx.execute(_TAKEN, {"letter_id": letter_id}).mappings().first()
    return IncomingLetter(**row) if row else None


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


def envelope(tx: Tx, letter_id: int) -> StoredEnvelope:
    wanted = sa.select(letter.c.sender, letter.c.recipient, letter.c.raw)
    row = tx.execute(wanted.where(letter.c.id == letter_id)).mappings().one()
    return StoredEnvelope(**row)


_HEAD = 16 * 1024  # octets from the beginning; the addresses stand there


def astray(tx: Tx, moment: datetime, most: int) -> list[tuple[str, bytes]]:
    """Return the newest letters after that moment that came home to nobody.

    Each is given as the envelope's recipient and the beginning of the letter. Of one that was
    emptied since, nothing is known.
    """
    wanted = sa.select(letter.c.recipient, sa.func.substr(letter.c.raw, 1, _HEAD))
    nobodys = sa.and_(letter.c.status == "junk", letter.c.match_id.is_(None))
    has_bytes = sa.func.length(letter.c.raw) > 0
    wanted = wanted.where(nobodys, has_bytes, letter.c.received_at > moment)
    found = tx.execute(wanted.order_by(letter.c.id.desc()).limit(most))
    return [(recipient, bytes(head)) for recipient, head in found]


_FEW = 1000  # letters whose bytes are deleted at once
_OPEN = ("received", "parked", "stuck")  # somebody may still read them


REMEMBERED = timedelta(days=60)  # how long the bytes of a letter that was read are kept


def forget_bytes(tx: Tx, before: datetime) -> None:
    """Delete the bytes of letters that came before that moment and are done with.

    What they were, whose, when they came and what became of them stays. Only some are deleted at a
    time, so that nobody waits for it.
    """
    few = _old_bytes(before).limit(_FEW)
    tx.execute(sa.update(letter).where(letter.c.id.in_(few)).values(raw=b""))


def has_old_bytes(tx: Tx, before: datetime) -> bool:
    """Return whether `forget_bytes` would delete anything."""
    return bool(tx.execute(sa.select(_old_bytes(before).exists())).scalar_one())


def _old_bytes(before: datetime) -> sa.Select[tuple[int]]:
    kept = (sa.text("length(raw) > 0"), letter.c.received_at < before)
    return sa.select(letter.c.id).where(*kept, letter.c.status.not_in(_OPEN))


# Find the letters that came before one: the same one, and how many of its seat in a day.


MOST_SEEN = 20  # letters with one Message-ID that a new one is compared with


class SeenLetter(Struct, frozen=True, kw_only=True):
    """An earlier letter. `reason` says why it was set aside; it is None for a letter that was
    heard."""

    id: int
    raw: bytes
    reason: str | None


_SEEN = sa.select(letter.c.id, letter.c.raw, letter.c.reason).where(letter.c.status != "duplicate")
_HEARD_FIRST = (letter.c.reason.is_not(None), letter.c.id.desc())


def to_nobody(tx: Tx, message_id: str) -> list[SeenLetter]:
    """Return earlier letters to no seat with the same Message-ID: only some, as in
    `EarlierLetters`."""
    wanted = _SEEN.where(
        letter.c.match_id.is_(None),
        letter.c.seat.is_(None),
        letter.c.player_id.is_(None),
        letter.c.message_id == message_id,
    )
    rows = tx.execute(wanted.order_by(*_HEARD_FIRST).limit(MOST_SEEN)).mappings()
    return sorted((SeenLetter(**row) for row in rows), key=lambda one: one.id)


class EarlierLetters(Struct, frozen=True, kw_only=True):
    """Tell what else came for the seat of a letter.

    `same_id` are other letters with its Message-ID. Identical ones are given once. If there are
    very many different ones, only some are given, because each can be as long as a letter may be:
    first those that were heard, then the newest. `heard` and `unheard` count the letters that came
    after a moment, without duplicates: those that were heard, and those that failed the match's
    level.
    """

    same_id: Sequence[SeenLetter]
    heard: int
    unheard: int


def earlier(
    tx: Tx, letter_id: int, match_id: int, seat: str, message_id: str, moment: datetime
) -> EarlierLetters:
    """Return what else came for a seat beside that letter; `moment` is that of the count."""
    row = {
        "this": letter_id,
        "of_match": match_id,
        "of_seat": seat,
        "of_message": message_id,
        "moment": moment,
    }
    return _earlier_of(tx.execute(_EARLIER, row).all())


def _earlier_of(found: Sequence[sa.Row[Any]]) -> EarlierLetters:
    same = [
        SeenLetter(id=one.id, raw=one.raw, reason=one.reason) for one in found if one.id is not None
    ]
    return EarlierLetters(
        same_id=sorted(same, key=lambda one: one.id),
        heard=found[0].heard,
        unheard=found[0].unheard,
    )


def earlier_of_player(
    tx: Tx, letter_id: int, player_id: int, message_id: str, moment: datetime
) -> EarlierLetters:
    """Return what else came to a player's personal address, as `earlier` does for a seat."""
    row = {
        "this": letter_id,
        "of_player": player_id,
        "of_message": message_id,
        "moment": moment,
    }
    return _earlier_of(tx.execute(_EARLIER_OF_PLAYER, row).all())


def _beside(*whose: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Select what else came for one reader."""
    others = (*whose, letter.c.id != sa.bindparam("this"))
    late = (
        sa.select(
            sa.func.count().filter(letter.c.reason.is_(None)).label("heard"),
            sa.func.count().filter(letter.c.reason.is_not(None)).label("unheard"),
        )
        .where(
            *others,
            letter.c.status != "duplicate",
            letter.c.received_at > sa.bindparam("moment", type_=letter.c.received_at.type),
        )
        .subquery()
    )
    same = (
        _SEEN.where(*others, letter.c.message_id == sa.bindparam("of_message"))
        .order_by(*_HEARD_FIRST)
        .limit(MOST_SEEN)
        .subquery()
    )
    return sa.select(late, same).select_from(late.outerjoin(same, sa.true()))


_EARLIER = _beside(
    letter.c.match_id == sa.bindparam("of_match"), letter.c.seat == sa.bindparam("of_seat")
)
_EARLIER_OF_PLAYER = _beside(letter.c.player_id == sa.bindparam("of_player"))


# Letters that came and are not read yet: stuck ones, and those that are put off.


class UnprocessedLetter(Struct, frozen=True, kw_only=True):
    """A letter that waits for a human, or to be read later. Its seat is given if it could be
    found."""

    match_id: int | None
    seat: str | None
    ply: int | None  # the ply that was awaited when it came
    received_at: datetime


def all_failed_to_read(tx: Tx) -> list[UnprocessedLetter]:
    return _unheard(tx, letter.c.status == "stuck")


def put_off_letters(tx: Tx, now: datetime) -> list[UnprocessedLetter]:
    """Return the letters that are to be read later than now."""
    return _unheard(tx, letter.c.status == "received", letter.c.again_at > now)


def _unheard(tx: Tx, *which: sa.ColumnElement[bool]) -> list[UnprocessedLetter]:
    wanted = sa.select(letter.c.match_id, letter.c.seat, letter.c.ply, letter.c.received_at)
    return [UnprocessedLetter(**row) for row in tx.execute(wanted.where(*which)).mappings()]


def is_notified(tx: Tx, letter_id: int, mark: str) -> bool:
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
