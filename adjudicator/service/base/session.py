"""A unit of work: one transaction, and what is the same for all that is done in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from msgspec import Struct

from adjudicator.service.base.context import Context
from adjudicator.store.database import Store, Tx


class Session(Struct, frozen=True):
    """A transaction, the time at which what is done in it counts, and the environment.

    What is done for somebody, or about one thing, has a value that adds these to a session: an
    offer's step, an email that is read. It lives as long as its transaction.
    """

    tx: Tx
    now: datetime
    context: Context


class OpenClub(Struct, frozen=True):
    """A club whose database is open, the time of what is done there, and the environment."""

    store: Store
    now: datetime
    context: Context

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Begin a transaction that may write; it is taken back if what is done in it fails."""
        with self.store.transaction() as tx:
            yield Session(tx, self.now, self.context)
