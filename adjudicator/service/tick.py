"""Everything that is due, in every match or in one. What cron calls."""

from collections.abc import Iterator
from datetime import datetime

from adjudicator.service.adjudication import Done, advance, set_aside
from adjudicator.service.means import Means
from adjudicator.store import matches
from adjudicator.store.database import Store, StoreTrouble

COMPUTER_ORDERS = 10_000  # a tick at most; the next one goes on


def tick(store: Store, *, now: datetime, means: Means, match: str | None = None) -> Iterator[Done]:
    """Do all that is due at `now`, each thing in a transaction of its own, and tell it."""
    allowance = COMPUTER_ORDERS
    for name in [match] if match else _due(store, now):
        while allowance > 0 and (done := _advance(store, name, now, means)):
            allowance -= done.computer_orders
            yield done


def _advance(store: Store, name: str, now: datetime, means: Means) -> Done | None:
    """The next step of a match. One that cannot be adjudicated is held and does not stop the
    others; a fault of the database stops all."""
    try:
        return advance(store, name, now=now, means=means)
    except StoreTrouble:
        raise
    except Exception as fault:
        if means.raise_faults:
            raise
        return set_aside(store, name, fault, now=now)


def _due(store: Store, now: datetime) -> list[str]:
    with store.reading() as tx:
        return matches.due(tx, now)
