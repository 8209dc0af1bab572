"""What plies have changed in the banks of seats (club, 5.2), so that an undo gives it back."""

from collections.abc import Mapping

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import matches
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.tables import charge


class Kept(Struct, frozen=True):
    """What a seat had before a ply."""

    seat: str
    bank: int | None
    turns: int


def keep(tx: Tx, match_id: int, ply: int, before: Mapping[str, Holder]) -> None:
    """Keep what these seats have before a ply changes it."""
    rows = [
        {"match_id": match_id, "ply": ply, "seat": seat, "bank": one.bank, "turns": one.turns}
        for seat, one in before.items()
    ]
    if rows:
        tx.execute(sa.insert(charge), rows)


def take_back(tx: Tx, match_id: int, ply: int) -> None:
    """Give seats what they had before a ply."""
    of_ply = (charge.c.match_id == match_id, charge.c.ply == ply)
    wanted = sa.select(charge.c.seat, charge.c.bank, charge.c.turns).where(*of_ply)
    for one in [Kept(*row) for row in tx.execute(wanted)]:
        matches.update_seats(tx, match_id, [one.seat], bank=one.bank, turns=one.turns)
    tx.execute(sa.delete(charge).where(*of_ply))


def forget(tx: Tx, match_id: int) -> None:
    tx.execute(sa.delete(charge).where(charge.c.match_id == match_id))
