"""Which seat wrote to others, and when; the words themselves are in the outbox only."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from adjudicator.store.database import Tx
from adjudicator.store.tables import press


def insert(tx: Tx, match_id: int, **values: Any) -> None:
    tx.execute(sa.insert(press), {"match_id": match_id, **values})


def since(tx: Tx, match_id: int, seat: str, moment: datetime) -> int:
    """Return how many messages a seat sent after that moment."""
    wanted = sa.select(sa.func.count()).where(
        press.c.match_id == match_id, press.c.seat == seat, press.c.sent_at > moment
    )
    return int(tx.execute(wanted).scalar_one())
