"""The queue in which writers wait for an SQLite file, so that nobody waits long.

SQLite lets a writer that finds the file locked sleep and look again, longer each time. So who has
waited long is passed by who has just come, and with several writers somebody waits for seconds. The
kernel wakes those who wait for `flock` in their order; therefore a writer takes such a lock first,
on a file beside the database.

The queue is a courtesy and never more: SQLite's own lock still keeps writers apart. Wherever the
queue does not work (the folder may not be written, the file system has no such locks, somebody
holds his place too long), a writer goes on without it. A killed program holds nothing, because the
kernel releases its locks.

Those who read letters wait in the same way, in a queue of their own (`store/readers`), but whoever
has waited too long there gives up. Workers of a server wait for a processor (`store/processors`).
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class _Inside(threading.local):
    """The queues at whose head this thread is: it must not wait behind itself."""

    def __init__(self) -> None:
        self.names: set[str] = set()


_inside = _Inside()


@contextmanager
def turn(
    database: Path, patience: float, queue: str = "queue", *, gives_up: bool = False
) -> Iterator[None]:
    """Wait until it is our turn, and let the next one in afterwards.

    After so many seconds of patience one goes on without one's turn or, if one `gives_up`, this
    raises TimeoutError. The `queue` is named by the end of its file's name.
    """
    name = f"{database}-{queue}"
    if name in _inside.names:
        yield
        return
    try:
        place = _head_of(name, database, patience)
    except TimeoutError:
        if gives_up:
            raise
        place = None
    _inside.names.add(name)
    try:
        yield
    finally:
        _inside.names.discard(name)
        if place is not None:
            leave(place)


def _head_of(name: str, database: Path, patience: float) -> int | None:
    """Return the open file once it is our turn, None if the queue does not work.

    Raises TimeoutError if our patience has ended.
    """
    try:
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    try:
        _give_to_owner(handle, database)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    except OSError:
        os.close(handle)
        return None
    else:
        return handle
    try:
        if not Waiter(handle).waited(patience):
            raise TimeoutError
    except RuntimeError:  # there can be no more threads
        os.close(handle)
        return None
    return handle


def _give_to_owner(handle: int, database: Path) -> None:
    """Let the database's owner use a file that root has made, as SQLite does with its own.

    Whoever may write in the folder can link another file to that name: one with content, or with
    two names.
    """
    made = os.fstat(handle)
    if os.geteuid() == 0 and made.st_size == 0 and made.st_nlink == 1:
        owner = os.stat(database)
        os.fchown(handle, owner.st_uid, owner.st_gid)


def leave(handle: int) -> None:
    """Let go of the lock of an open file, and close it."""
    # Closing alone would not do while a forked process has the same file open.
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)


class Waiter:
    """A thread that waits, because `flock` itself cannot be told for how long."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.locked = False
        self.given_up = False
        self.guard = threading.Lock()
        self.ended = threading.Event()

    def waited(self, patience: float) -> bool:
        """Return whether the lock is ours now; if not, the file is closed or will be.

        Raises RuntimeError, and leaves the file open, if no thread can be started.
        """
        threading.Thread(target=self._wait, daemon=True).start()
        try:
            self.ended.wait(patience)
        finally:
            with self.guard:
                ours = self.locked
                self.given_up = not ours
        return ours

    def _wait(self) -> None:
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX)
        except OSError:
            pass
        else:
            with self.guard:
                self.locked = not self.given_up
        if not self.locked:
            os.close(self.handle)
        self.ended.set()
