"""Emails that came in. Each is taken from the spool once, read once, and kept: its bytes for sixty
days, the rest for ever or as long as the settings say (`store/erasure`).

An email about several matches (club, 4.2) has parts, one row each, carried out one by one:

| status | becomes | when |
|---|---|---|
| waiting | accepted, refused, parked | it was carried out, in a transaction of its own |
| waiting | stuck | its match cannot be read |
| stuck | waiting | `adjud mail queue retry`: the email is read again, and of it only this |

What a part said and was answered is forgotten when the answer to the email is written, which holds
both; of a stuck part what it says is kept.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict

from adjudicator.store import rows
from adjudicator.store.clubs import FAR
from adjudicator.store.database import Tx, insert_new
from adjudicator.store.tables import email, outbox, turn
from adjudicator.store.tables_club import email_part


class IncomingEmail(Struct, frozen=True, kw_only=True):
    """An email as it came. `raw` is the part of its `length` bytes that was kept.

    `tries` to read it were begun, and `faults` of them ended with a fault of ours; the program was
    killed in the others. `again_at` is the time until which the email was put off.
    """

    id: int
    received_at: datetime
    sender: str
    recipient: str
    channel: str
    length: int
    raw: bytes
    tries: int
    faults: int
    again_at: datetime | None

    @property
    def kills(self) -> int:
        """Return how many tries never ended because the program was killed."""
        return max(0, self.tries - self.faults)


_COLUMNS = (
    email.c.id,
    email.c.received_at,
    email.c.sender,
    email.c.recipient,
    email.c.channel,
    email.c.length,
    email.c.raw,
    email.c.tries,
    email.c.faults,
    email.c.again_at,
)


def insert(tx: Tx, emails: Sequence[Mapping[str, Any]]) -> None:
    """Keep emails, but for those that were taken from the spool before."""
    insert_new(tx, email, [{"status": "received", "tries": 0, **row} for row in emails])


_TO_BE_READ = sa.and_(
    email.c.status == "received",
    sa.or_(
        email.c.again_at.is_(None),
        email.c.again_at <= sa.bindparam("now"),
        email.c.again_at > sa.bindparam("far"),
    ),
)
_IN_ORDER = (email.c.received_at, email.c.id)
_PLACES = (  # of the emails to one address, in the order in which they came
    sa.select(
        email.c.id,
        sa.func.row_number()
        .over(partition_by=sa.func.lower(email.c.recipient), order_by=_IN_ORDER)
        .label("place"),
    )
    .where(_TO_BE_READ)
    .subquery()
)
_FIRST = (
    sa.select(*_COLUMNS)
    .where(
        _TO_BE_READ,
        email.c.id.in_(sa.select(_PLACES.c.id).where(_PLACES.c.place == 1)),
        email.c.id.not_in(sa.bindparam("passed", expanding=True)),
    )
    .order_by(*_IN_ORDER)
    .limit(1)
)
_NEXT = _FIRST.with_for_update(skip_locked=True)
_NUMBER = _FIRST.with_only_columns(email.c.id)
_HELD = _NUMBER.with_for_update()


def next_unread(tx: Tx, now: datetime, passed: Collection[int]) -> IncomingEmail | None:
    """Lock the first email to be read now that no other worker holds, until the transaction ends;
    return None if there is none.

    One to an address to which an earlier email waits is left out, whoever reads that one: a later
    sheet of a seat never gives way to an earlier one. Those in `passed` are left out, too.
    """
    row = tx.execute(_NEXT, _parameters(now, passed)).mappings().first()
    return IncomingEmail(**row) if row else None


def is_any_unread(tx: Tx, now: datetime, passed: Collection[int]) -> bool:
    """Return whether `next_unread` would find an email if no other worker held one."""
    return tx.execute(_NUMBER, _parameters(now, passed)).first() is not None


def wait_for_another(tx: Tx, now: datetime, passed: Collection[int]) -> None:
    """Wait until the worker who holds the first of these emails is done with it."""
    tx.execute(_HELD, _parameters(now, passed))


def _parameters(now: datetime, passed: Collection[int]) -> dict[str, Any]:
    return {"now": now, "far": now + FAR, "passed": list(passed)}


_ENDS = sa.select(sa.func.min(email.c.received_at), sa.func.max(email.c.received_at))


def span_of_unread(tx: Tx, now: datetime) -> list[datetime]:
    """Return when the first and when the last came of the emails to be read now; nothing if there
    are none."""
    ends = tx.execute(_ENDS.where(_TO_BE_READ), {"now": now, "far": now + FAR}).one()
    return [end for end in ends if end is not None]


def count_try(tx: Tx, letter_id: int) -> None:
    """Count that one more try of an email is begun."""
    update(tx, letter_id, tries=email.c.tries + 1, again_at=None)


def count_fault(tx: Tx, letter_id: int) -> int:
    """Count that a try of an email ended with a fault of ours, and return how many have."""
    counted = sa.update(email).where(email.c.id == letter_id)
    counted = counted.values(faults=email.c.faults + 1)
    return int(tx.execute(counted.returning(email.c.faults)).scalar_one())


def uncount_try(tx: Tx, letter_id: int) -> None:
    """Take back the count of a try that ended for a reason outside the email."""
    update(tx, letter_id, tries=email.c.tries - 1)


_TAKEN = (
    sa.select(*_COLUMNS)
    .where(email.c.id == sa.bindparam("letter_id"), email.c.status == "received")
    .with_for_update()
)


def note_progress(tx: Tx, letter_id: int) -> None:
    """Note that a part of an email was carried out: the kills before it do not count against the
    rest, of which a try is begun."""
    update(tx, letter_id, tries=email.c.faults + 1)


def take(tx: Tx, letter_id: int) -> IncomingEmail | None:
    """Lock an unread email until the transaction ends.

    Return None if another worker has read it. One who holds it is waited for: he may only have
    counted a try, or read one part of several, and then whoever has it next goes on. To pass over
    it would be to count one try after the other, and so many look like kills.
    """
    row = tx.execute(_TAKEN, {"letter_id": letter_id}).mappings().first()
    return IncomingEmail(**row) if row else None


def update(tx: Tx, letter_id: int, **changes: Any) -> None:
    tx.execute(sa.update(email).where(email.c.id == letter_id).values(changes))


def drop_of_match(tx: Tx, match_id: int) -> None:
    """Drop the emails of a match that wait for a human or to be read."""
    waiting = sa.and_(email.c.match_id == match_id, email.c.status.in_(["received", "stuck"]))
    tx.execute(sa.update(email).where(waiting).values(status="dropped"))


def moments(tx: Tx, letter_id: int) -> tuple[datetime | None, datetime]:
    """Return when an email was written, by its sender's clock, and when it came, by ours."""
    wanted = sa.select(email.c.dated_at, email.c.received_at).where(email.c.id == letter_id)
    dated, came = tx.execute(wanted).one()
    return dated, came


def one(tx: Tx, letter_id: int) -> IncomingEmail:
    row = tx.execute(sa.select(*_COLUMNS).where(email.c.id == letter_id)).mappings().one()
    return IncomingEmail(**row)


_HEAD = 16 * 1024  # octets from the beginning; the addresses stand there


def astray(tx: Tx, moment: datetime, most: int) -> list[tuple[str, bytes]]:
    """Return the newest emails after that moment that came home to nobody.

    Each is given as the envelope's recipient and the beginning of the email. Of one that was
    emptied since, nothing is known.
    """
    wanted = sa.select(email.c.recipient, sa.func.substr(email.c.raw, 1, _HEAD))
    nobodys = sa.and_(email.c.status == "junk", email.c.match_id.is_(None))
    has_bytes = sa.func.length(email.c.raw) > 0
    wanted = wanted.where(nobodys, has_bytes, email.c.received_at > moment)
    found = tx.execute(wanted.order_by(email.c.id.desc()).limit(most))
    return [(recipient, bytes(head)) for recipient, head in found]


_FEW = 1000  # emails whose bytes are deleted at once
_OPEN = ("received", "parked", "stuck")  # somebody may still read them


REMEMBERED = timedelta(days=60)  # how long the bytes of an email that was read are kept
_OLD_BYTES = sa.select(email.c.id).where(
    sa.text("length(raw) > 0"),
    email.c.received_at < sa.bindparam("before"),
    email.c.status.not_in(_OPEN),
)
_HAS_OLD_BYTES = sa.select(_OLD_BYTES.exists())  # asked in every tick


def forget_bytes(tx: Tx, before: datetime) -> None:
    """Delete the bytes of emails that came before that moment and are done with.

    What they were, whose, when they came and what became of them stays. Only some are deleted at a
    time, so that nobody waits for it.
    """
    few = _OLD_BYTES.limit(_FEW)
    forgotten = sa.update(email).where(email.c.id.in_(few)).values(raw=b"")
    tx.execute(forgotten, {"before": before})


def has_old_bytes(tx: Tx, before: datetime) -> bool:
    """Return whether `forget_bytes` would delete anything."""
    return bool(tx.execute(_HAS_OLD_BYTES, {"before": before}).scalar_one())


# Find the emails that came before one: the same one, and how many of its seat in a day.


MOST_SEEN = 20  # emails with one Message-ID that a new one is compared with


class SeenEmail(Struct, frozen=True, kw_only=True):
    """An earlier email. `reason` says why it was set aside; it is None for an email that was
    heard."""

    id: int
    raw: bytes
    reason: str | None


_SEEN = sa.select(email.c.id, email.c.raw, email.c.reason).where(email.c.status != "duplicate")
_HEARD_FIRST = (email.c.reason.is_not(None), email.c.id.desc())


def to_nobody(tx: Tx, message_id: str) -> list[SeenEmail]:
    """Return earlier emails to no seat with the same Message-ID: only some, as in
    `EarlierEmails`."""
    wanted = _SEEN.where(
        email.c.match_id.is_(None),
        email.c.seat.is_(None),
        email.c.player_id.is_(None),
        email.c.message_id == message_id,
    )
    rows = tx.execute(wanted.order_by(*_HEARD_FIRST).limit(MOST_SEEN)).mappings()
    return sorted((SeenEmail(**row) for row in rows), key=lambda one: one.id)


class EarlierEmails(Struct, frozen=True, kw_only=True):
    """Tell what else came for the seat of an email.

    `same_id` are other emails with its Message-ID. Identical ones are given once. If there are
    very many different ones, only some are given, because each can be as long as an email may be:
    first those that were heard, then the newest. `heard` and `unheard` count the emails that came
    after a moment, without duplicates: those that were heard, and those that failed the match's
    level.
    """

    same_id: Sequence[SeenEmail]
    heard: int
    unheard: int


def earlier(
    tx: Tx, letter_id: int, match_id: int, seat: str, message_id: str, moment: datetime
) -> EarlierEmails:
    """Return what else came for a seat beside that email; `moment` is that of the count."""
    row = {
        "this": letter_id,
        "of_match": match_id,
        "of_seat": seat,
        "of_message": message_id,
        "moment": moment,
    }
    return _earlier_of(tx.execute(_EARLIER, row).all())


def _earlier_of(found: Sequence[sa.Row[Any]]) -> EarlierEmails:
    same = [
        SeenEmail(id=one.id, raw=one.raw, reason=one.reason) for one in found if one.id is not None
    ]
    return EarlierEmails(
        same_id=sorted(same, key=lambda one: one.id),
        heard=found[0].heard,
        unheard=found[0].unheard,
    )


def earlier_of_player(
    tx: Tx, letter_id: int, player_id: int, message_id: str, moment: datetime
) -> EarlierEmails:
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
    others = (*whose, email.c.id != sa.bindparam("this"))
    late = (
        sa.select(
            sa.func.count().filter(email.c.reason.is_(None)).label("heard"),
            sa.func.count().filter(email.c.reason.is_not(None)).label("unheard"),
        )
        .where(
            *others,
            email.c.status != "duplicate",
            email.c.received_at > sa.bindparam("moment", type_=email.c.received_at.type),
        )
        .subquery()
    )
    same = (
        _SEEN.where(*others, email.c.message_id == sa.bindparam("of_message"))
        .order_by(*_HEARD_FIRST)
        .limit(MOST_SEEN)
        .subquery()
    )
    return sa.select(late, same).select_from(late.outerjoin(same, sa.true()))


_EARLIER = _beside(
    email.c.match_id == sa.bindparam("of_match"), email.c.seat == sa.bindparam("of_seat")
)
_EARLIER_OF_PLAYER = _beside(email.c.player_id == sa.bindparam("of_player"))


# Emails that came and are not read yet: stuck ones, and those that are put off.


class UnprocessedEmail(Struct, frozen=True, kw_only=True):
    """An email that waits for a human, or to be read later. Its seat is given if it could be
    found."""

    match_id: int | None
    seat: str | None
    ply: int | None  # the ply that was awaited when it came
    received_at: datetime


def all_failed_to_read(tx: Tx) -> list[UnprocessedEmail]:
    return _unheard(tx, email.c.status == "stuck")


def put_off_emails(tx: Tx, now: datetime) -> list[UnprocessedEmail]:
    """Return the emails that are to be read later than now."""
    return _unheard(tx, email.c.status == "received", email.c.again_at > now)


def _unheard(tx: Tx, *which: sa.ColumnElement[bool]) -> list[UnprocessedEmail]:
    wanted = sa.select(email.c.match_id, email.c.seat, email.c.ply, email.c.received_at)
    return [UnprocessedEmail(**row) for row in tx.execute(wanted.where(*which)).mappings()]


def is_notified(tx: Tx, letter_id: int, mark: str) -> bool:
    """Return whether the seat was told why its email is not read yet.

    `mark` is the end of the key of the email that told it.
    """
    comfort = outbox.c.key.endswith(f"/{letter_id}{mark}")
    wanted = sa.select(outbox.c.id).where(_of_match_of(letter_id), comfort)
    return tx.execute(wanted).first() is not None


def _of_match_of(letter_id: int) -> sa.ColumnElement[bool]:
    """Select the outgoing emails in the match of an incoming one.

    A search by key alone would look through all emails.
    """
    its = sa.select(email.c.match_id).where(email.c.id == letter_id)
    return outbox.c.match_id == its.scalar_subquery()


@rows.of(email_part)
class EmailPart(Struct, frozen=True, kw_only=True):
    """A part of an email. `match` is the name as the player wrote it, empty for what is of no
    match; `parked_id` is the email in which it waited for a code, if it did."""

    number: int
    match: str
    text: str
    status: str
    match_id: int | None = None
    seat: str | None = None
    ply: int | None = None
    revision: int | None = None
    parked_id: int | None = None
    reply: str | None = None


def insert_parts(tx: Tx, letter_id: int, parts: Sequence[EmailPart]) -> None:
    if parts:
        made = [{"letter_id": letter_id, **asdict(one)} for one in parts]
        tx.execute(sa.insert(email_part), made)


def close_parts(tx: Tx, letter_id: int) -> None:
    """Forget what the parts of an email said and were answered, but for what stuck ones said; those
    wait for the next time that the email is read."""
    c = email_part.c
    of_letter = sa.update(email_part).where(c.letter_id == letter_id)
    tx.execute(of_letter.where(c.status != "stuck").values(text="", reply=None))
    tx.execute(of_letter.where(c.status == "stuck").values(status="waiting", reply=None))


def ply_at(tx: Tx, match_id: int, moment: datetime) -> int:
    """Return the last ply that a match had at that moment; -1 before it opened."""
    wanted = sa.select(sa.func.max(turn.c.ply)).where(
        turn.c.match_id == match_id, turn.c.adjudicated_at <= moment
    )
    found: int | None = tx.execute(wanted).scalar()
    return -1 if found is None else found


def plies_of_parts(tx: Tx, letter_id: int, match_id: int) -> list[int]:
    """Return the last ply of a match when a part of an email was read, which the answer to it
    tells."""
    c = email_part.c
    wanted = sa.select(c.ply).where(
        c.letter_id == letter_id, c.match_id == match_id, c.ply.is_not(None)
    )
    return [ply - 1 for ply in tx.execute(wanted).scalars()]
