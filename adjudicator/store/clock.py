"""The time at which a tick last looked at every match."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from adjudicator.store.database import Tx, is_reading
from adjudicator.store.tables import clock

# No letter is put off for longer. One that waits for later than this was put off by a clock that
# ran ahead and has been set right since, so it waits no more.
FAR = timedelta(days=2)

_LAST = sa.select(clock.c.last_tick_at)
_SET = sa.update(clock)


def last_tick(tx: Tx) -> datetime | None:
    """Return the time of the last tick, or of the start of the first match; None before that.

    A transaction that may write locks the row, so that two ticks never judge the time between them
    at once.
    """
    return tx.execute(_LAST if is_reading(tx) else _LAST.with_for_update()).scalar()


def begin(tx: Tx, now: datetime) -> None:
    """Start the clock when the first match starts: from now on there should be ticks."""
    tx.execute(_SET.where(clock.c.last_tick_at.is_(None)), {"last_tick_at": now})


def ticked(tx: Tx, now: datetime) -> None:
    tx.execute(_SET, {"last_tick_at": now})
