"""Marks and notes: what the holder of a seat wrote down for himself alone (Espionage rule 9.3).

A mark is kept as it was made: its place and the ply that its place is meant after. Where its piece
stands now is kept nowhere.
"""

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.tables import jotting


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


class Jottings(Struct, frozen=True):
    """All that was written down in a match, in the order in which it was."""

    marks: Sequence[Mark]
    notes: Sequence[Note]


_OF_MATCH = (
    sa.select(jotting).where(jotting.c.match_id == sa.bindparam("of_match")).order_by(jotting.c.id)
)


def of_match(tx: Tx, match_id: int) -> Jottings:
    rows = tx.execute(_OF_MATCH, {"of_match": match_id}).all()
    return Jottings(
        [
            Mark(
                id=row.id,
                seat=row.seat,
                tenure=row.tenure,
                ply=row.ply,
                place=row.place,
                text=row.text,
            )
            for row in rows
            if row.place is not None
        ],
        [
            Note(seat=row.seat, tenure=row.tenure, text=row.text)
            for row in rows
            if row.place is None
        ],
    )


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


def take_away(tx: Tx, ids: Collection[int]) -> None:
    """Delete marks."""
    if ids:
        tx.execute(sa.delete(jotting).where(jotting.c.id.in_(list(ids))))


def move(tx: Tx, mark: Mark, ply: int, place: str) -> None:
    """Note another ply and place at which the same piece stood."""
    chosen = sa.update(jotting).where(jotting.c.id == mark.id)
    tx.execute(chosen.values(ply=ply, place=place))
