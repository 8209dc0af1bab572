"""What the holders of seats write beside orders: messages to other seats, who got them, and who
wants none (club, section 10); and marks and notes, for themselves alone (Espionage rule 9.3)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.core.match import Seat
from adjudicator.store.database import Tx
from adjudicator.store.tables import jotting, muted, press, press_copy


class SentPress(Struct, frozen=True, kw_only=True):
    """A message as it was written. `readers` has the tenure of each seat that it is for; it is
    empty for one to the game master. `ply` was the match's last when it came."""

    id: int
    seat: Seat
    tenure: int | None
    readers: Mapping[str, int]
    lines: tuple[str, ...]
    unsigned: bool
    sent_at: datetime
    ply: int


class PressCopy(Struct, frozen=True, kw_only=True):
    """A message as a seat's holder got it: the `number`th of his in this match. `ply` is the first
    whose report shows it."""

    number: int
    ply: int
    at: datetime
    sent: SentPress


_SENT = (
    press.c.id,
    press.c.seat,
    press.c.tenure,
    press.c.readers,
    press.c.body,
    press.c.unsigned,
    press.c.sent_at,
    press.c.ply,
)


def _press_of(row: Any) -> SentPress:
    return SentPress(
        id=row.id,
        seat=Seat(row.seat),
        tenure=row.tenure,
        readers=decode(row.readers) if row.readers else {},
        lines=tuple(decode(row.body)) if row.body else (),
        unsigned=bool(row.unsigned),
        sent_at=row.sent_at,
        ply=row.ply,
    )


def insert(
    tx: Tx,
    match_id: int,
    *,
    seat: str,
    tenure: int,
    ply: int,
    readers: Mapping[str, int],
    lines: Sequence[str],
    unsigned: bool,
    letter_id: int,
    sent_at: datetime,
    told_at: datetime | None,
) -> SentPress:
    """Insert a message; without `told_at` it waits for the next ply."""
    row = {
        "match_id": match_id,
        "ply": ply,
        "seat": seat,
        "letter_id": letter_id,
        "sent_at": sent_at,
        "tenure": tenure,
        "readers": encode(readers).decode(),
        "body": encode(lines).decode(),
        "unsigned": unsigned,
        "told_at": told_at,
    }
    press_id = tx.execute(sa.insert(press).returning(press.c.id), row).scalar_one()
    return _one(tx, press_id)


def _one(tx: Tx, press_id: int) -> SentPress:
    return _press_of(tx.execute(sa.select(*_SENT).where(press.c.id == press_id)).one())


def since(tx: Tx, match_id: int, seat: str, moment: datetime) -> int:
    """Return how many messages a seat sent after that moment."""
    wanted = sa.select(sa.func.count()).where(
        press.c.match_id == match_id, press.c.seat == seat, press.c.sent_at > moment
    )
    return int(tx.execute(wanted).scalar_one())


def waiting_messages(tx: Tx, match_id: int) -> list[SentPress]:
    """Return the messages that wait for the next ply, in the order in which they came."""
    wanted = sa.select(*_SENT).where(
        press.c.match_id == match_id, press.c.told_at.is_(None), press.c.readers.is_not(None)
    )
    return [_press_of(row) for row in tx.execute(wanted.order_by(press.c.sent_at, press.c.id))]


def mark_told(tx: Tx, found: Sequence[SentPress], now: datetime) -> None:
    ids = [one.id for one in found]
    tx.execute(sa.update(press).where(press.c.id.in_(ids)).values(told_at=now))


def add_copy(
    tx: Tx, match_id: int, seat: str, tenure: int, sent: SentPress, *, ply: int, at: datetime
) -> int:
    """Note that a seat's holder gets a message; return its number among his."""
    c = press_copy.c
    its = (c.match_id == match_id, c.seat == seat, c.tenure == tenure)
    last = tx.execute(sa.select(sa.func.max(c.number)).where(*its)).scalar()
    number = int(last or 0) + 1
    row = {"match_id": match_id, "seat": seat, "tenure": tenure, "number": number}
    row |= {"press_id": sent.id, "ply": ply, "at": at}
    tx.execute(sa.insert(press_copy), row)
    return number


def name_email(tx: Tx, match_id: int, seat: str, tenure: int, number: int, key: str) -> None:
    """Note the key of the email whose row has a copy's words."""
    c = press_copy.c
    one = (c.match_id == match_id, c.seat == seat, c.tenure == tenure, c.number == number)
    tx.execute(sa.update(press_copy).where(*one).values(key=key))


_COPIES = (
    sa.select(press_copy.c.number, press_copy.c.ply.label("since"), press_copy.c.at, *_SENT)
    .select_from(press_copy.join(press, press_copy.c.press_id == press.c.id))
    .where(
        press_copy.c.match_id == sa.bindparam("of_match"),
        press_copy.c.seat == sa.bindparam("of_seat"),
        press_copy.c.tenure == sa.bindparam("of_tenure"),
    )
    .order_by(press_copy.c.number)
)


def copies(
    tx: Tx, match_id: int, seat: str, tenure: int, numbers: Sequence[int] | None = None
) -> list[PressCopy]:
    """Return what a seat's holder got, by its number: all, or those of these numbers."""
    wanted = _COPIES
    if numbers is not None:
        wanted = wanted.where(press_copy.c.number.in_(numbers))
    asked = {"of_match": match_id, "of_seat": seat, "of_tenure": tenure}
    rows = tx.execute(wanted, asked)
    return [
        PressCopy(number=row.number, ply=row.since, at=row.at, sent=_press_of(row)) for row in rows
    ]


_OF_HOLDER = (
    sa.select(*_SENT)
    .where(
        press.c.match_id == sa.bindparam("of_match"),
        press.c.seat == sa.bindparam("of_seat"),
        press.c.tenure == sa.bindparam("of_tenure"),
    )
    .order_by(press.c.id)
)


def messages_of(tx: Tx, match_id: int, seat: str, tenure: int) -> list[SentPress]:
    """Return what a seat's holder wrote, in its order."""
    whose = {"of_match": match_id, "of_seat": seat, "of_tenure": tenure}
    return [_press_of(row) for row in tx.execute(_OF_HOLDER, whose)]


# Whose messages and invitations a player does not want.


def mute(tx: Tx, player_id: int, match_id: int, other_id: int | None, *, off: bool) -> bool:
    """Mute a player, or unsigned messages of a match, or end that; return whether it was not so
    before."""
    c = muted.c
    other = c.other_id.is_(None) if other_id is None else c.other_id == other_id
    one = (c.player_id == player_id, c.match_id == match_id, other)
    was = tx.execute(sa.select(c.id).where(*one)).first() is not None
    if off:
        tx.execute(sa.delete(muted).where(*one))
    elif not was:
        row = {"player_id": player_id, "match_id": match_id, "other_id": other_id}
        tx.execute(sa.insert(muted), row)
    return was == off


def is_muted(tx: Tx, player_id: int, match_id: int, other_id: int | None) -> bool:
    """Return whether a player wants no messages of another one in a match; without an `other_id`
    no unsigned ones."""
    c = muted.c
    other = c.other_id.is_(None) if other_id is None else c.other_id == other_id
    wanted = sa.select(c.id).where(c.player_id == player_id, c.match_id == match_id, other)
    return tx.execute(wanted.limit(1)).first() is not None


def wants_no_invitation(tx: Tx, player_id: int, other_id: int) -> bool:
    """Return whether a player has muted another one in any match (club, 6.2.2 and 10.3)."""
    c = muted.c
    wanted = sa.select(c.id).where(c.player_id == player_id, c.other_id == other_id)
    return tx.execute(wanted.limit(1)).first() is not None


# Marks and notes. A mark is kept as it was made: its place and the ply that its place is meant
# after. Where its piece stands now is kept nowhere.


class Mark(Struct, frozen=True, kw_only=True):
    id: int
    seat: str
    tenure: int
    ply: int
    place: str
    text: str


class Note(Struct, frozen=True, kw_only=True):
    seat: str
    tenure: int
    text: str


_JOTTINGS = (
    sa.select(jotting).where(jotting.c.match_id == sa.bindparam("of_match")).order_by(jotting.c.id)
)


def jottings_of_match(tx: Tx, match_id: int) -> list[Mark | Note]:
    """Return all that was written down in a match, in the order in which it was."""
    return [
        Note(seat=row.seat, tenure=row.tenure, text=row.text)
        if row.place is None
        else Mark(
            id=row.id, seat=row.seat, tenure=row.tenure, ply=row.ply, place=row.place, text=row.text
        )
        for row in tx.execute(_JOTTINGS, {"of_match": match_id})
    ]


def put_mark(
    tx: Tx, match_id: int, seat: str, tenure: int, *, ply: int, place: str, text: str
) -> Mark:
    row = {"match_id": match_id, "seat": seat, "tenure": tenure, "text": text}
    made = sa.insert(jotting).values(**row, ply=ply, place=place).returning(jotting.c.id)
    number = tx.execute(made).scalar_one()
    return Mark(id=number, seat=seat, tenure=tenure, ply=ply, place=place, text=text)


def add_note(tx: Tx, match_id: int, seat: str, tenure: int, text: str) -> None:
    row = {"match_id": match_id, "seat": seat, "tenure": tenure, "text": text}
    tx.execute(sa.insert(jotting), {**row, "ply": None, "place": None})


def clear_notes(tx: Tx, match_id: int, seat: str, tenure: int) -> None:
    chosen = sa.and_(
        jotting.c.match_id == match_id,
        jotting.c.seat == seat,
        jotting.c.tenure == tenure,
        jotting.c.place.is_(None),
    )
    tx.execute(sa.delete(jotting).where(chosen))


def remove_marks(tx: Tx, ids: Collection[int]) -> None:
    if ids:
        tx.execute(sa.delete(jotting).where(jotting.c.id.in_(list(ids))))


def move_mark(tx: Tx, mark: Mark, ply: int, place: str) -> None:
    """Note another ply and place at which the same piece stood."""
    chosen = sa.update(jotting).where(jotting.c.id == mark.id)
    tx.execute(chosen.values(ply=ply, place=place))
