"""Letters that came and are not read yet: stuck ones, and those that are put off."""

from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.tables import letter, outbox


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
