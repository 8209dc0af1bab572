"""Tell workers apart who read letters at once: each letter is read by whoever claims it first.

A claim holds over several transactions, because a try is counted before it is made. So on
PostgreSQL it is an advisory lock of a session of its own, which the server lets go when the worker
ends, however he ends. SQLite has one writer at a time, so many readers would gain nothing: there
nothing is claimed, and they wait for each other.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Self

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from adjudicator.core.message import Message, say
from adjudicator.store import fair_queue
from adjudicator.store.database import (
    PATIENCE_BESIDE_WORKERS,
    Store,
    StoreTrouble,
    sentences,
    sqlite_path,
)

_LETTERS = 0x1E77E5  # sets these locks apart from others in the database
_CLAIM = sa.text(
    "SELECT id FROM unnest(CAST(:ids AS integer[])) AS id"
    " WHERE pg_try_advisory_lock(CAST(:space AS integer), id)"
)
_WAIT = sa.text("SELECT pg_advisory_lock(CAST(:space AS integer), CAST(:id AS integer))")
_LET_GO = sa.text("SELECT pg_advisory_unlock_all()")


@contextmanager
def turn(store: Store) -> Iterator[None]:
    """Wait on SQLite until nobody else reads letters, and keep others from it.

    Otherwise who finds a letter that another worker reads would take it for one that killed him.
    Raises StoreTrouble if the other one reads, or hangs, for too long.
    """
    file = sqlite_path(store.engine.url)
    if file is None:
        yield
        return
    seconds = PATIENCE_BESIDE_WORKERS // 1000
    with ExitStack() as stack:
        try:
            stack.enter_context(fair_queue.turn(file, seconds, "letters", gives_up=True))
        except TimeoutError:
            raise StoreTrouble(_read_by_another(seconds)) from None
        yield


def _read_by_another(seconds: int) -> Message:
    return say(
        "another tick has been reading letters for {n} seconds, so this one does nothing; if that"
        " one hangs, end it (`ps -C adjud` shows it)",
        n=seconds,
    )


class Claims:
    """The letters that one worker has claimed, until the block ends."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._session: sa.Connection | None = None
        self._holds = False  # else the server need not be told that anything is let go

    def __enter__(self) -> Self:
        return self

    def claim(self, letter_ids: Sequence[int]) -> set[int]:
        """Return those of the letters that are ours now; another worker has the others."""
        if self._store.has_one_writer or not letter_ids:
            return set(letter_ids)
        with sentences(self._store.engine.url):
            asked = {"ids": list(letter_ids), "space": _LETTERS}
            claimed = set(self._opened().execute(_CLAIM, asked).scalars())
        self._holds = self._holds or bool(claimed)
        return claimed

    def let_go(self) -> None:
        if self._holds and self._session is not None:
            with sentences(self._store.engine.url):
                self._session.execute(_LET_GO)
            self._holds = False

    def wait_for(self, letter_id: int) -> None:
        """Let go of all letters, and wait until nobody else has that one.

        Nobody waits while he has letters, so workers never wait for each other.
        """
        self.let_go()
        with sentences(self._store.engine.url):
            self._opened().execute(_WAIT, {"id": letter_id, "space": _LETTERS})
        self._holds = True
        self.let_go()

    def _opened(self) -> sa.Connection:
        if self._session is None:
            opened = self._store.engine.connect()
            self._session = opened.execution_options(isolation_level="AUTOCOMMIT")
        return self._session

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is None:
            return
        try:
            self._session.execute(_LET_GO)
        except SQLAlchemyError:
            self._session.invalidate()  # the server has let go of them, or will
        finally:
            self._session.close()
