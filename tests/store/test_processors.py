"""At most as many workers of a server here work at a time as the machine has processors."""

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

from adjudicator.store import processors
from adjudicator.store.database import Store, make_engine, parse_url
from adjudicator.store.processors import Processor

SOON = 3  # seconds: less than anybody's patience


def store_at(url: str) -> Store:
    """Return a store of a server that is never spoken to."""
    return Store(make_engine(parse_url(url)))


HERE = store_at("postgresql://adjud@localhost/adjud")


@pytest.fixture(autouse=True)
def two_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "gettempdir", lambda: tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


def works_in_the_end() -> threading.Event:
    """Let another thread wait for a processor; return what it sets when it has one."""
    works = threading.Event()

    def work() -> None:
        with Processor(HERE):
            works.set()

    threading.Thread(target=work, daemon=True).start()
    return works


@contextmanager
def another_worker() -> Iterator[int]:
    """Let another process have a processor; yield its number."""
    context = multiprocessing.get_context("fork")
    inside = context.Event()

    def hold() -> NoReturn:
        with Processor(HERE):
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


def test_a_third_worker_waits_until_one_of_two_lets_his_processor_go() -> None:
    with Processor(HERE) as first, Processor(HERE) as second:
        third = works_in_the_end()
        assert not third.wait(0.2)
        first.let_go()
        second.let_go()
        assert third.wait(SOON)


def test_the_processor_is_free_after_a_fault_in_the_block() -> None:
    for _ in range(3):
        with pytest.raises(KeyError), Processor(HERE):
            raise KeyError
    assert works_in_the_end().wait(SOON)


def test_after_a_spell_who_waits_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "SPELL", 0.05)
    with Processor(HERE) as first, Processor(HERE) as second:
        third = works_in_the_end()
        began = monotonic()
        while not third.is_set() and monotonic() - began < SOON:
            sleep(0.01)
            first.take()
            second.take()
        assert third.is_set()


def test_within_a_spell_nobody_else_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "SPELL", 60)
    with Processor(HERE) as first, Processor(HERE) as second:
        third = works_in_the_end()
        for _ in range(20):
            sleep(0.01)
            first.take()
            second.take()
        assert not third.is_set()


def test_a_processor_serves_one_block_after_the_other() -> None:
    processor = Processor(HERE)
    for _ in range(3):
        with processor, Processor(HERE):
            third = works_in_the_end()
            assert not third.wait(0.1)
        assert third.wait(SOON)


def test_a_killed_worker_holds_no_processor() -> None:
    with another_worker() as one, another_worker() as other:
        waits = works_in_the_end()
        assert not waits.wait(0.2)
        for pid in (one, other):
            os.kill(pid, signal.SIGKILL)
        assert waits.wait(SOON)


def test_workers_that_stand_still_keep_nobody_from_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "PATIENCE", 0.1)
    monkeypatch.setattr(processors, "SPELL", 0.1)
    with another_worker() as one, another_worker() as other:
        for pid in (one, other):
            os.kill(pid, signal.SIGSTOP)
        began = monotonic()
        with Processor(HERE) as processor:
            assert 0.1 <= monotonic() - began < SOON
            sleep(0.11)
            began = monotonic()
            processor.take()
            assert monotonic() - began < 0.1, "who has waited once in vain waits again"


def no_such_file(*_: object) -> NoReturn:
    raise PermissionError(13, "Permission denied")


def no_such_locks(*_: object) -> NoReturn:
    raise OSError(95, "Operation not supported")


def no_such_folder() -> NoReturn:
    raise FileNotFoundError(2, "No usable temporary directory found")


@pytest.mark.parametrize(
    ("where", "name", "fault"),
    [
        (processors.fcntl, "flock", no_such_locks),
        (os, "open", no_such_file),
        (processors, "gettempdir", no_such_folder),
    ],
)
def test_where_there_can_be_no_such_files_everybody_works(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, fault: Callable[..., NoReturn]
) -> None:
    monkeypatch.setattr(where, name, fault)
    began = monotonic()
    with Processor(HERE), Processor(HERE), Processor(HERE):
        assert monotonic() - began < SOON


def test_a_link_in_the_place_of_a_processor_is_not_followed(tmp_path: Path) -> None:
    for number in range(2):
        link = tmp_path / f"adjud-{os.geteuid()}-processor-{number}"
        link.symlink_to(tmp_path / "elsewhere")
    with Processor(HERE), Processor(HERE), Processor(HERE):
        assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("url", "shared"),
    [
        ("postgresql:///adjud", True),
        ("postgresql://adjud@127.0.0.1:5433/adjud", True),
        ("postgresql://adjud@[::1]/adjud", True),
        ("postgresql:///adjud?host=/run/postgresql", True),
        ("postgresql://adjud@db.example.org/adjud", False),
        ("postgresql://adjud@192.0.2.7/adjud", False),
        ("postgresql:///adjud?host=db.example.org", False),
        ("postgresql:///adjud?host=localhost&host=db.example.org", False),
        ("postgresql:///adjud?host=/run/postgresql,db.example.org", False),
        ("postgresql://LOCALHOST/adjud", True),
        ("postgresql://localhost/adjud?hostaddr=192.0.2.7", False),
        ("postgresql:///adjud?hostaddr=127.0.0.1", True),
        ("postgresql:///adjud?service=far", False),
        ("sqlite:////somewhere/adjud.db", False),
    ],
)
def test_only_workers_of_a_server_on_this_machine_are_held_back(
    url: str, shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PGHOST", "PGHOSTADDR", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)
    with Processor(store_at(url)):
        assert any(tmp_path.iterdir()) == shared


@pytest.mark.parametrize(
    ("name", "value", "shared"),
    [
        ("PGHOST", "db.example.org", False),
        ("PGHOST", "/run/postgresql", True),
        ("PGHOSTADDR", "192.0.2.7", False),
        ("PGSERVICE", "far", False),
    ],
)
def test_what_the_environment_says_of_the_server_counts_where_the_url_names_none(
    name: str, value: str, shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with Processor(store_at("postgresql:///adjud")):
        assert any(tmp_path.iterdir()) == shared
