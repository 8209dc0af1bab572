"""Hand events over to the club's hooks, in the order in which they were made (club, 12.1).

To the file a line is appended for each event. Who appends holds a lock of the kernel on the file
until the rows say so, so no two workers mix their lines. After a kill in between the same bytes
come again. What a kill left of a line is taken away before.

The command gets one event after the other, each outside of any transaction; the row is leased
meanwhile. While one fails, those behind it wait, until it is given up after 100 tries.
"""

import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from adjudicator.core.message import say
from adjudicator.core.orders import shown
from adjudicator.service.base.context import OpenClub, Progress
from adjudicator.store import happenings
from adjudicator.store.database import Store
from adjudicator.store.happenings import COMMAND, FILE, MOST_TRIES, Happening

SOME = 200  # events that are appended at once
SECONDS = 10.0
LEASE = timedelta(minutes=1)
BACK_OFF = (timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))  # then always the last


def hand_over(club: OpenClub) -> Iterator[Progress]:
    """Hand over all events that wait, and forget those for a hook that there is no more."""
    with club.store.reading() as tx:
        wanting = happenings.wanting(tx)
    to_file, to_command = wanting & FILE, wanting & COMMAND
    if to_file and club.context.hooks_file is None:
        _forget(club.store, FILE)
    elif to_file and club.context.hooks_file is not None:
        yield from _append(club.store, club.context.hooks_file)
    if to_command and not club.context.hooks_command:
        _forget(club.store, COMMAND)
    elif to_command:
        yield from _run_all(club.store, club.context.hooks_command, club.now)


def _forget(store: Store, hook: int) -> None:
    with store.transaction() as tx:
        happenings.forget(tx, hook)


def _append(store: Store, path: Path) -> Iterator[Progress]:
    try:
        with open(path, "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            while True:
                with store.reading() as tx:
                    found = happenings.waiting(tx, FILE, SOME)
                if not found:
                    return
                lines = [f"{one.body}\n".encode() for one in found]
                _mend(file.fileno(), lines)
                rest = b"".join(lines)
                while rest:  # a disk that is nearly full takes a part
                    rest = rest[os.write(file.fileno(), rest) :]
                os.fsync(file.fileno())
                with store.transaction() as tx:
                    happenings.hand_over(tx, [one.id for one in found], FILE)
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        told = say("events cannot be written to {path}: {why}", path=str(path), why=why)
        yield Progress(told, failed=True)


def _mend(file: int, lines: Sequence[bytes]) -> None:
    """Take away what a kill, or a full disk, has left of one of these lines; end a line of somebody
    else's."""
    size, most = os.fstat(file).st_size, max(map(len, lines))
    tail = os.pread(file, most, max(0, size - most))
    begun = tail.rpartition(b"\n")[2]
    if begun and any(line.startswith(begun) for line in lines):
        os.ftruncate(file, size - len(begun))
    elif begun:
        os.write(file, b"\n")


def _run_all(store: Store, command: tuple[str, ...], now: datetime) -> Iterator[Progress]:
    while True:
        with store.transaction() as tx:
            one = happenings.claim(tx, now, now + LEASE)
        if one is None:
            return
        why = _run(command, one)
        with store.transaction() as tx:
            if not why:
                happenings.hand_over(tx, [one.id], COMMAND)
                continue
            tried = one.tries + 1
            given_up = tried >= MOST_TRIES
            again = None if given_up else now + BACK_OFF[min(one.tries, len(BACK_OFF) - 1)]
            happenings.put_off(tx, one, why, again)
        if given_up:
            yield Progress(
                say("an event was given up after {n} tries: {why}", n=tried, why=why), urgent=True
            )
            continue
        yield Progress(say("the command for events failed: {why}", why=why))
        return


def _run(command: tuple[str, ...], one: Happening) -> str:
    """Run the command with an event; return why it failed, or nothing."""
    try:
        running = subprocess.Popen(  # noqa: S603  # no shell; the operator names the command
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as trouble:
        return shown(trouble.strerror or str(trouble))
    try:
        with suppress(BrokenPipeError):  # it may end without reading
            running.communicate(f"{one.body}\n".encode(), timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS:.0f} seconds"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    return f"exit {running.returncode}" if running.returncode else ""
