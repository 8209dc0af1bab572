"""Writers of one SQLite file wait in a queue that never keeps anybody out."""

import fcntl
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import NoReturn

import pytest

from adjudicator.store import clubs, database, fair_queue
from adjudicator.store.database import Store, StoreTrouble, open_store
from tests.processes import at_once

SOON = 5  # seconds: far less than anybody's patience


@pytest.fixture
def store(sqlite_url: str) -> Iterator[Store]:
    store = open_store(sqlite_url)
    yield store
    store.close()


@pytest.fixture
def queue(sqlite_url: str) -> Path:
    return Path(sqlite_url.removeprefix("sqlite:///") + "-queue")


def write(store: Store) -> None:
    with store.transaction() as tx:
        clubs.count_unsigned(tx)


def written(store: Store) -> int:
    with store.reading() as tx:
        return clubs.unsigned(tx)


def is_free(queue: Path) -> bool:
    with queue.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def writes_soon(store: Store) -> None:
    began, before = monotonic(), written(store)
    write(store)
    assert written(store) == before + 1
    assert monotonic() - began < SOON


@contextmanager
def another_writes(url: str) -> Iterator[int]:
    """Let another process be in the middle of a transaction; yield its number."""
    context = multiprocessing.get_context("fork")
    inside = context.Event()

    def hold() -> NoReturn:
        with open_store(url).transaction() as tx:
            clubs.count_unsigned(tx)
            inside.set()
            sleep(60)
        raise AssertionError("it was to be killed")

    process = context.Process(target=hold)
    process.start()
    assert process.pid
    assert inside.wait(60)
    try:
        yield process.pid
    finally:
        process.kill()
        process.join()


def test_a_writer_has_the_queue_until_its_transaction_ends(store: Store, queue: Path) -> None:
    with store.transaction() as tx:
        clubs.count_unsigned(tx)
        assert not is_free(queue)
    assert is_free(queue)
    assert queue.stat().st_mode & 0o777 == 0o600
    with pytest.raises(KeyError), store.transaction():
        raise KeyError
    assert is_free(queue)
    writes_soon(store)


def test_a_look_does_not_queue(store: Store, queue: Path) -> None:
    write(store)
    with queue.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert written(store) == 1


def test_a_killed_writer_leaves_the_queue_and_nothing_stored(sqlite_url: str, queue: Path) -> None:
    with another_writes(sqlite_url) as pid:
        assert not is_free(queue)
        os.kill(pid, signal.SIGKILL)
        store = open_store(sqlite_url)
        writes_soon(store)
        assert written(store) == 1
        store.close()


@pytest.mark.slow
def test_who_waits_goes_on_when_the_writer_before_is_killed(sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    with another_writes(sqlite_url) as pid:
        threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
        writes_soon(store)
    store.close()


def test_behind_a_writer_that_stands_still_sqlite_says_that_it_is_locked(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 100)
    store = open_store(sqlite_url)
    with another_writes(sqlite_url) as pid:
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(StoreTrouble, match="locked"):
            write(store)
    writes_soon(store)
    store.close()


def test_a_place_that_is_held_too_long_keeps_nobody_out(
    store: Store, queue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else's program may lock any file, and never let it go."""
    monkeypatch.setattr(database, "PATIENCE", 100)
    handles = len(os.listdir("/proc/self/fd"))
    write(store)
    with queue.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        writes_soon(store)
    # The thread that still waited has got the lock by now, and has given it back.
    for _ in range(100):
        if len(os.listdir("/proc/self/fd")) <= handles + 3 and is_free(queue):
            break
        sleep(0.05)
    assert is_free(queue)
    writes_soon(store)


def test_a_transaction_inside_another_does_not_wait_behind_itself(
    store: Store, queue: Path
) -> None:
    """SQLite refuses it in time, as before."""
    with store.transaction():
        began = monotonic()
        with fair_queue.turn(Path(str(queue).removesuffix("-queue")), SOON):
            assert not is_free(queue)
        assert not is_free(queue)
        assert monotonic() - began < SOON
    assert is_free(queue)


def test_threads_queue_behind_each_other(sqlite_url: str) -> None:
    def work() -> None:
        store = open_store(sqlite_url)
        for _ in range(10):
            write(store)
        store.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    store = open_store(sqlite_url)
    assert written(store) == 40
    store.close()


@pytest.mark.slow
def test_many_writers_at_once_lose_nothing(sqlite_url: str) -> None:
    def work(_number: int) -> None:
        store = open_store(sqlite_url)
        for _ in range(10):
            write(store)
        store.close()

    at_once(8, work)
    store = open_store(sqlite_url)
    assert written(store) == 80
    store.close()


def no_such_locks(*_: object) -> NoReturn:
    raise OSError(95, "Operation not supported")


def no_such_file(*_: object) -> NoReturn:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(
    ("where", "name", "fault"),
    [(fcntl, "flock", no_such_locks), (os, "open", no_such_file)],
)
def test_where_there_can_be_no_queue_sqlite_alone_keeps_writers_apart(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    where: object,
    name: str,
    fault: Callable[..., NoReturn],
) -> None:
    monkeypatch.setattr(where, name, fault)
    writes_soon(store)


def test_a_link_in_the_place_of_the_queue_is_not_followed(store: Store, queue: Path) -> None:
    queue.unlink(missing_ok=True)
    queue.symlink_to(queue.with_name("elsewhere"))
    writes_soon(store)
    assert not queue.with_name("elsewhere").exists()
