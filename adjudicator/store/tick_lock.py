"""One tick at a time on an SQLite file.

SQLite has one writer at a time, so a second tick beside the first would gain nothing. A tick holds
a lock of the kernel (`flock`) on a file beside the database; a killed program holds nothing. The
lock keeps ticks from waiting for each other at every step, and no more: what keeps a turn from
being adjudicated twice are the transactions themselves. On PostgreSQL there is no such lock:
there several workers share the matches and the letters (`matches.claim`, `inbox.next_unread`).
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from adjudicator.core.message import say
from adjudicator.store.database import Store, StoreTrouble, sqlite_path

TIMEOUT = 60.0  # seconds that a tick waits for another one
_PAUSE = 0.1  # seconds between two looks


class Busy(StoreTrouble):
    """Another tick has been at work on this database all the while that we waited."""

    def __init__(self) -> None:
        super().__init__(
            say(
                "another tick has been at work for {n} seconds, so nothing was done here; if it"
                " hangs, end it (`ps -C adjud` shows it)",
                n=round(TIMEOUT),
            )
        )


@contextmanager
def hold(store: Store) -> Iterator[None]:
    """Keep other ticks from this database, if it is an SQLite file. Raises Busy."""
    database = sqlite_path(store.engine.url)
    file = None if database is None else _open(database)
    if file is None:
        yield
        return
    try:
        _lock(file)
        yield
    finally:
        os.close(file)


def _open(database: Path) -> int | None:
    """Open the file of the lock; None where there can be none, for it saves work and no more."""
    try:
        file = os.open(f"{database}-tick", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    made = os.fstat(file)
    # What root has made is the database's owner's to use, as with SQLite's own files. Whoever may
    # write in the folder can link another file to that name: one with content, or with two names.
    if os.geteuid() == 0 and made.st_size == 0 and made.st_nlink == 1:
        owner = os.stat(database)
        os.fchown(file, owner.st_uid, owner.st_gid)
    return file


def _lock(file: int) -> None:
    until = monotonic() + TIMEOUT
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > until:
                raise Busy from None
            sleep(_PAUSE)
        except OSError:
            return  # a file system without such locks
        else:
            return
