"""What plies have changed in the banks of seats (club, 5.2), so that an undo gives it back."""

from collections.abc import Mapping

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import matches, rows
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.tables import charge


@rows.of(charge)
class Kept(Struct, frozen=True):
    """What a seat had before a ply."""

    seat: str
    bank: int | None
    turns: int


def keep(tx: Tx, match_id: int, ply: int, before: Mapping[str, Holder]) -> None:
    """Keep what these seats have before a ply changes it."""
    kept = [
        {"match_id": match_id, "ply": ply, "seat": seat, "bank": one.bank, "turns": one.turns}
        for seat, one in before.items()
    ]
    if kept:
        tx.execute(sa.insert(charge), kept)


def take_back(tx: Tx, match_id: int, ply: int) -> None:
    """Give seats what they had before a ply."""
    for one in rows.find(tx, Kept, match_id=match_id, ply=ply):
        matches.update_seats(tx, match_id, [one.seat], bank=one.bank, turns=one.turns)
    rows.drop(tx, Kept, match_id=match_id, ply=ply)


def forget(tx: Tx, match_id: int) -> None:
    rows.drop(tx, Kept, match_id=match_id)
