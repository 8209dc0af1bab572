"""What took effect in a match beside orders, kept for the line of its log that names it: what seats
said, and who took a seat over.

A row has the ply that was the last one then; the line of the next ply names it.
"""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict

from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.tables import holder_change, said


@rows.of(said)
class StoredWord(Struct, frozen=True, kw_only=True):
    """A RESIGN or a DRAW that took effect, or the CLEAR that withdrew a DRAW, and when it came."""

    ply: int
    seat: str
    word: str
    at: datetime


@rows.of(holder_change)
class StoredHolderChange(Struct, frozen=True, kw_only=True):
    """A seat's new holder, a person or a built-in player, and the deadline in force then."""

    ply: int
    seat: str
    kind: str
    at: datetime
    due_at: datetime | None


def say(tx: Tx, match_id: int, one: StoredWord) -> None:
    rows.add(tx, StoredWord, match_id=match_id, **asdict(one))


def change_holder(tx: Tx, match_id: int, one: StoredHolderChange) -> None:
    rows.add(tx, StoredHolderChange, match_id=match_id, **asdict(one))


def said_since(tx: Tx, match_id: int, ply: int) -> list[StoredWord]:
    """Return what took effect while that ply or a later one was the last, in order."""
    return rows.find(tx, StoredWord, said.c.ply >= ply, match_id=match_id)


def changes_since(tx: Tx, match_id: int, ply: int) -> list[StoredHolderChange]:
    """Return who took a seat over while that ply or a later one was the last, in order."""
    return rows.find(tx, StoredHolderChange, holder_change.c.ply >= ply, match_id=match_id)


def take_back(tx: Tx, match_id: int, ply: int) -> None:
    """Count what came after a ply as if it had come before it, for the ply is taken back. A
    resignation that took effect in it will take effect anew."""
    resigned = (said.c.match_id == match_id, said.c.ply == ply - 1, said.c.word == "RESIGN")
    tx.execute(sa.delete(said).where(*resigned))
    for table in (said, holder_change):
        of_ply: Sequence[sa.ColumnElement[bool]] = (
            table.c.match_id == match_id,
            table.c.ply == ply,
        )
        tx.execute(sa.update(table).where(*of_ply).values(ply=ply - 1))
