"""The values of a check: what it looks at, and what it finds."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import datetime
from functools import cached_property
from threading import Thread
from typing import Literal, TypeAlias, TypeVar

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.service.base.context import BREAKDOWNS, Paths
from adjudicator.service.base.keys import NOTHING, KnownKeys, load_known_keys
from adjudicator.store import upkeep
from adjudicator.store.database import Store, StoreTrouble, open_store

State: TypeAlias = Literal["ok", "warn", "bad", "unknown"]


class Finding(Struct, frozen=True):
    """One thing that was looked at; `unknown` if it could not be, `warn` if it works and should be
    otherwise."""

    state: State
    text: Message


def well(text: Message) -> Finding:
    return Finding("ok", text)


def warn(text: Message) -> Finding:
    return Finding("warn", text)


def bad(text: Message) -> Finding:
    return Finding("bad", text)


def unknown(text: Message) -> Finding:
    return Finding("unknown", text)


class Installation:
    """An installation, and the moment at which it is looked at."""

    def __init__(self, url: str, at: Paths, now: datetime) -> None:
        self.url = url
        self.at = at
        self.now = now

    @property
    def store(self) -> Store:
        """Return the database, opened once. Raises StoreTrouble or a breakdown if it cannot be
        opened."""
        if isinstance(self._opened, Exception):
            raise self._opened
        return self._opened

    @cached_property
    def _opened(self) -> Store | Exception:
        try:
            return open_store(self.url)
        except (StoreTrouble, *BREAKDOWNS) as trouble:
            return trouble

    @cached_property
    def people(self) -> int:
        """Return how many seats people hold in matches that are not over."""
        with self.store.reading() as tx:
            return upkeep.people_playing(tx)

    @cached_property
    def keys(self) -> KnownKeys:
        """Return what the database knows of the club's keys; nothing if it cannot be asked."""
        if isinstance(self._opened, Exception):
            return NOTHING
        with self._opened.reading() as tx:
            return load_known_keys(tx)

    def close(self) -> None:
        if isinstance(self._opened, Store):
            self._opened.close()


Look: TypeAlias = Callable[[Installation], Iterator[Finding]]


# Ask questions that may never be answered.


T = TypeVar("T")


def in_time(ask: Callable[[], T], seconds: float) -> T:
    """Return what `ask` returns, or raise what it raises; raise TimeoutError if that takes longer.

    A late question is then left behind: the system's resolver, for one, cannot be told how long to
    wait.
    """
    answer: Future[T] = Future()

    def work() -> None:
        try:
            answer.set_result(ask())
        except Exception as trouble:
            answer.set_exception(trouble)

    Thread(target=work, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError:
        raise TimeoutError(f"no answer within {seconds:g} seconds") from None
