"""The days on which players said that they would be away."""

from collections.abc import Collection
from datetime import date, datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.tables import absence, player


class Absence(Struct, frozen=True, kw_only=True):
    """An absence from `first` to `last`, both days included, in the player's time zone."""

    zone: str
    first: date
    last: date


_OF_PLAYERS = (
    sa.select(player.c.zone, absence.c.first_day, absence.c.last_day)
    .join(player)
    .where(absence.c.player_id.in_(sa.bindparam("players", expanding=True)))
    .order_by(absence.c.first_day, absence.c.id)
)


def insert(tx: Tx, player_id: int, first: date, last: date, now: datetime) -> None:
    row = {
        "player_id": player_id,
        "first_day": first.isoformat(),
        "last_day": last.isoformat(),
        "created_at": now,
    }
    tx.execute(sa.insert(absence), row)


def of_players(tx: Tx, players: Collection[int]) -> list[Absence]:
    """Return the absences that these players announced, the earliest first."""
    if not players:
        return []
    return [
        Absence(
            zone=row.zone,
            first=date.fromisoformat(row.first_day),
            last=date.fromisoformat(row.last_day),
        )
        for row in tx.execute(_OF_PLAYERS, {"players": list(players)})
    ]


def forget(tx: Tx, player_id: int) -> None:
    tx.execute(sa.delete(absence).where(absence.c.player_id == player_id))
