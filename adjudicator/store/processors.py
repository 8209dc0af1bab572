"""Let no more workers work at a time than this machine has processors.

More of them would get no more done: at each answer of the server the processor goes from one to the
next, and each finds in its caches what the last one needed. So a worker takes a processor before he
works, and lets it go where he waits for something else than the server: for another worker, or for
whoever takes letters. After a spell he lets others go first who wait.

A processor is a lock of a file, as the place in `fair_queue` is, and a courtesy in the same way:
where there can be no such file, one works without, and so does from then on whoever has waited for
too long. Only workers of a server on this machine are held back. With a server elsewhere they
mostly wait for the network, and on SQLite for each other.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir
from time import monotonic
from types import TracebackType
from typing import Self

from sqlalchemy.engine import URL

from adjudicator.core.host import is_loopback
from adjudicator.store import fair_queue
from adjudicator.store.database import Store

SPELL = 0.1  # seconds of work, about, after which others go first
PATIENCE = 5.0  # seconds after which one works without


class Processor:
    """A processor of this machine that this worker may use in the block, whenever it is his turn.

    An object is one thread's alone; it may serve one block after the other.
    """

    def __init__(self, store: Store) -> None:
        self._shares = _is_on_this_machine(store.engine.url)
        self._held: int | None = None
        self._until = 0.0

    def __enter__(self) -> Self:
        self.take()
        return self

    def take(self) -> None:
        """Wait until one is ours. If one has been ours for a spell, others go first."""
        if not self._shares or monotonic() < self._until:
            return
        self.let_go()
        self._held = _free()
        if self._held is None:
            self._held = _next_free()
        self._shares = self._held is not None
        self._until = monotonic() + SPELL

    def let_go(self) -> None:
        if self._held is not None:
            fair_queue.leave(self._held)
        self._held, self._until = None, 0.0

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.let_go()


def _free() -> int | None:
    """Return the open file of a processor that nobody holds; None if there is none."""
    for number in range(_processors()):
        handle = _opened(number)
        if handle is None:
            return None
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        os.close(handle)
    return None


def _next_free() -> int | None:
    """Wait until somebody lets a processor go; return its open file, or None if that takes too
    long."""
    handle = _opened(os.getpid() % _processors())
    if handle is None:
        return None
    try:
        return handle if fair_queue.Waiter(handle).waited(PATIENCE) else None
    except RuntimeError:  # there can be no more threads
        os.close(handle)
        return None


def _processors() -> int:
    """Return how many this process may use; where the system cannot say that, how many there
    are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _opened(number: int) -> int | None:
    """Open the file of one processor, which is the user's own; a link is not followed."""
    try:  # the folder, too, is missing where nothing may be written
        name = Path(gettempdir(), f"adjud-{os.geteuid()}-processor-{number}")
        return os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None


def _is_on_this_machine(url: URL) -> bool:
    """Return whether the database is that of a server here, reached by a socket or the loopback.

    It is unknown, and so not held to be here, where one of libpq's service files names the server.
    """
    if url.get_backend_name() == "sqlite":
        return False
    hosts = _said(url, "hostaddr") or url.host or _said(url, "host")
    if hosts is None:  # libpq's own socket
        return _said(url, "service") is None
    return isinstance(hosts, str) and all(map(_is_here, hosts.split(",")))


def _said(url: URL, name: str) -> str | tuple[str, ...] | None:
    """Return what the URL says, or what libpq reads in the environment where it says nothing."""
    return url.query.get(name) or os.environ.get(f"PG{name.upper()}") or None


def _is_here(host: str) -> bool:
    return host.startswith("/") or is_loopback(host)
