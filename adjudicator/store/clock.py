"""When a tick looked at every match last."""

from datetime import datetime

import sqlalchemy as sa

from adjudicator.store.database import Tx, is_reading
from adjudicator.store.tables import clock

_LAST = sa.select(clock.c.last_tick_at)
_SET = sa.update(clock)


def last_tick(tx: Tx) -> datetime | None:
    """The last tick, or when the first match began; None before. A transaction that may write
    holds the row, so that no two ticks decide at once what the time between them means."""
    return tx.execute(_LAST if is_reading(tx) else _LAST.with_for_update()).scalar()


def begin(tx: Tx, now: datetime) -> None:
    """The first match counts its time: from now on there should be ticks."""
    tx.execute(_SET.where(clock.c.last_tick_at.is_(None)), {"last_tick_at": now})


def ticked(tx: Tx, now: datetime) -> None:
    tx.execute(_SET, {"last_tick_at": now})
