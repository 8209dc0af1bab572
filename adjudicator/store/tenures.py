"""The players who held a seat before its present holder."""

from datetime import datetime

import sqlalchemy as sa

from adjudicator.store.database import Tx
from adjudicator.store.tables import tenure


def end(tx: Tx, match_id: int, seat: str, number: int, player_id: int, now: datetime) -> None:
    """Note that a player's tenure of a seat is over."""
    row = {"match_id": match_id, "seat": seat, "number": number, "player_id": player_id}
    tx.execute(sa.insert(tenure), {**row, "ended_at": now})


def ended(tx: Tx, match_id: int, seat: str) -> list[int]:
    """Return the numbers of the tenures of a seat that are over, the last first."""
    of_seat = (tenure.c.match_id == match_id, tenure.c.seat == seat)
    wanted = sa.select(tenure.c.number).where(*of_seat).order_by(tenure.c.number.desc())
    return list(tx.execute(wanted).scalars())


def player_of(tx: Tx, match_id: int, seat: str, number: int) -> int | None:
    """Return the player of a tenure that is over."""
    wanted = sa.select(tenure.c.player_id).where(_one(match_id, seat, number))
    found = tx.execute(wanted).scalar()
    return None if found is None else int(found)


def untold(tx: Tx, match_id: int, seat: str, number: int) -> int | None:
    """Return the player of a tenure that is over, if he was not told yet."""
    wanted = sa.select(tenure.c.player_id).where(
        _one(match_id, seat, number), tenure.c.told_at.is_(None)
    )
    found = tx.execute(wanted.with_for_update()).scalar()
    return None if found is None else int(found)


def mark_told(tx: Tx, match_id: int, seat: str, number: int, now: datetime) -> None:
    chosen = _one(match_id, seat, number)
    tx.execute(sa.update(tenure).where(chosen).values(told_at=now))


def _one(match_id: int, seat: str, number: int) -> sa.ColumnElement[bool]:
    return sa.and_(tenure.c.match_id == match_id, tenure.c.seat == seat, tenure.c.number == number)
