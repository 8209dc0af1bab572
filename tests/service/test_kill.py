"""Kill the program at any moment and run it again: the rows are those of one clean run.

Two workers at once do everything once. What a killed process leaves is what is on the disk at that
moment: SQLite's file and its log. So the exhaustive tests copy both at every statement and go on
from every copy; the others kill real processes.
"""

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.club import Club, Context, Store
from tests.database import open_store
from tests.processes import at_once
from tests.rows import count, rows_of
from tests.scale import scaled
from tests.service import due

LOG = "-wal"  # what SQLite appends to its file's name


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def use(path: Path, work: Callable[[Store], object]) -> None:
    store = open_store(url(path))
    work(store)
    store.close()


def copy(path: Path, target: Path) -> Path:
    """Copy the file and its log as they are on the disk now.

    SQLite's third file only indexes the log and is made anew by the first program that opens it.
    """
    for suffix in ("", LOG):
        source = path.with_name(path.name + suffix)
        copied = target.with_name(target.name + suffix)
        copied.unlink(missing_ok=True)
        if source.exists():
            shutil.copyfile(source, copied)
    return target


_DRAWN = re.compile(r"(INSERT INTO \"outbox\" .*)'[a-z2-7]{8}'(?=[^()]*\);$)", re.DOTALL)


def contents(path: Path) -> list[str]:
    """Return all rows as SQL: equal lists are equal bytes in every column.

    The names of emails, which are drawn by lot, are left out.
    """
    connection = sqlite3.connect(path)
    try:
        return [_DRAWN.sub(r"\1''", row) for row in connection.iterdump()]
    finally:
        connection.close()


def disks(path: Path, work: Callable[[Store], object]) -> tuple[int, list[Path]]:
    """Return how many statements `work` made, and the disk at each of them and at each commit.

    A disk that is the same as the one before is left out.
    """
    found: list[Path] = []
    statements = 0
    before = ""

    def keep() -> None:
        nonlocal before
        log = path.with_name(path.name + LOG)
        seen = sha256(path.read_bytes() + (log.read_bytes() if log.exists() else b"")).hexdigest()
        if seen != before:
            before = seen
            found.append(copy(path, path.with_name(f"killed-{len(found)}.db")))

    def at_statement(*_: object) -> None:
        nonlocal statements
        statements += 1
        keep()

    store = open_store(url(path))
    for moment in ("before_cursor_execute", "after_cursor_execute"):
        sa.event.listen(store.engine, moment, at_statement)
    sa.event.listen(store.engine, "commit", lambda _: keep())
    work(store)
    keep()
    store.close()
    return statements, found


def clean_run(path: Path, work: Callable[[Store], object]) -> list[str]:
    target = copy(path, path.with_name("clean.db"))
    use(target, work)
    return contents(target)


@pytest.fixture
def path(sqlite_url: str, tmp_path: Path) -> Path:
    return tmp_path / "adjud.db"


@pytest.fixture
def due_path(path: Path, now: datetime) -> Path:
    use(path, lambda store: due.everything(store, now))
    return path


def ticking(now: datetime, context: Context) -> Callable[[Store], list[str]]:
    return lambda store: [str(done) for done in Club(store, context).run_due(now=now)]


def test_everything_that_a_tick_can_do_is_due(
    due_path: Path, now: datetime, context: Context
) -> None:
    store = open_store(url(due_path))
    told = ticking(now, context)(store)
    for words in (
        "is waiting for",
        "the match is over",
        "reminders were queued",
        "waits for you",
        "a draw offer was passed on",
    ):
        assert any(words in line for line in told), words
    with store.reading() as tx:
        causes = set(tx.exec_driver_sql("SELECT cause FROM turn").scalars())
        statuses = set(tx.exec_driver_sql("SELECT trouble FROM match").scalars())
    assert causes == {"opening", "orders", "resignation", "agreement", "forfeit"}
    assert not any("fault" in str(text) for text in statuses)
    assert ticking(now, context)(store) == []
    store.close()


@pytest.mark.slow
def test_a_tick_killed_at_any_statement_and_run_again_is_one_clean_tick(
    due_path: Path, now: datetime, context: Context
) -> None:
    work = ticking(now, context)
    expected = clean_run(due_path, work)
    statements, killed = disks(due_path, work)
    assert statements > 300
    assert len(killed) > 10  # something was stored many times on the way
    for disk in killed:
        use(disk, work)
        assert contents(disk) == expected, disk.name


def dying_at(number: int, work: Callable[[Store], object]) -> Callable[[Store], None]:
    """Return `work` in a form that ends its process at that statement."""

    def work_and_die(store: Store) -> None:
        left = number

        @sa.event.listens_for(store.engine, "before_cursor_execute")
        def die(*_: object) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(9)

        work(store)

    return work_and_die


def in_a_child(work: Callable[[], object]) -> int:
    """Do `work` in a forked process; return its exit code."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.slow
def test_a_process_that_dies_at_a_statement_leaves_nothing_half_done(
    due_path: Path, now: datetime, context: Context
) -> None:
    work = ticking(now, context)
    expected = clean_run(due_path, work)
    disk = due_path.with_name("died.db")
    for number in random.Random(7).sample(range(1, 220), scaled(5)):
        copy(due_path, disk)
        died = in_a_child(lambda at=number: use(disk, dying_at(at, work)))  # type: ignore[misc]
        assert died == 9
        use(disk, work)
        assert contents(disk) == expected, f"died at statement {number}"


@pytest.mark.slow
def test_the_same_tick_killed_again_and_again_comes_to_the_same_end(
    due_path: Path, now: datetime, context: Context
) -> None:
    work = ticking(now, context)
    expected = clean_run(due_path, work)
    deaths = 0  # a tick asks some seventy times what is due before it comes to a match
    while in_a_child(lambda: use(due_path, dying_at(120, work))) == 9:
        deaths += 1
    assert deaths > 2
    assert contents(due_path) == expected


def sheets(match: str) -> str:
    return f"ORDERS {match} white\nSETUP RANDOM\nEND\nORDERS {match} black\nSETUP RANDOM\nEND\n"


def test_a_submit_killed_at_any_statement_has_stored_whole_sheets_or_none(
    path: Path, now: datetime, context: Context
) -> None:
    def prepare(store: Store) -> None:
        club = Club(store)
        club.add("Anna", "Bob", now=now)
        club.new(now=now)

    def submit(seats: int) -> Callable[[Store], object]:
        text = "".join(sheet + "END\n" for sheet in sheets("m").split("END\n")[:seats])
        return lambda store: Club(store).submit(text, now=now)

    use(path, prepare)
    possible = [contents(path), clean_run(path, submit(1)), clean_run(path, submit(2))]
    statements, killed = disks(path, submit(2))
    assert statements > 16
    found = [contents(disk) for disk in killed]
    assert all(rows in possible for rows in found)
    assert all(rows in found for rows in possible)


def test_a_tick_killed_while_it_uses_orders_in_advance_loses_and_doubles_nothing(
    path: Path, now: datetime, context: Context
) -> None:
    use(path, lambda store: due.in_advance(store, now))
    work = ticking(now, context)
    expected = clean_run(path, work)
    statements, killed = disks(path, work)
    assert statements > 80
    assert len(killed) > 4
    for disk in killed:
        use(disk, work)
        assert contents(disk) == expected, disk.name
    rows = [row for row in expected if row.startswith('INSERT INTO "submission"')]
    early = [row for row in rows if row.split(",")[-2] != "NULL"]
    assert [
        sum(f"'{status}'" in row for row in early) for status in ("used", "dropped", "kept")
    ] == [
        3,
        1,
        1,
    ]


def test_a_sheet_in_advance_is_kept_whole_or_not_at_all(
    path: Path, now: datetime, context: Context
) -> None:
    use(path, lambda store: due.in_advance(store, now))
    sheet = "ORDERS m white turn 4\nh3-h4\ng3-g4\nEND"

    def submit(store: Store) -> object:
        return Club(store).submit(sheet, now=now)

    possible = [contents(path), clean_run(path, submit)]
    _, killed = disks(path, submit)
    found = [contents(disk) for disk in killed]
    assert all(rows in possible for rows in found)
    assert all(rows in found for rows in possible)


# Real processes, which have a clock of their own.


@pytest.fixture
def today() -> datetime:
    return datetime.now(UTC)


def adjud(path: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "adjudicator", "--database", url(path), *words]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=path.parent
    )


def ran(path: Path, *words: str) -> str:
    """Run a command that must not fail; return what it printed."""
    process = adjud(path, *words)
    printed, told = process.communicate(timeout=120)
    assert (process.returncode, told) == (0, "")
    return printed


def killed_after(path: Path, seconds: float, *words: str) -> bool:
    """Kill a command some time after its log has begun to grow.

    Return False if it ended before.
    """
    log = path.with_name(path.name + LOG)
    with adjud(path, *words) as process:
        while process.poll() is None and not (log.exists() and log.stat().st_size):
            time.sleep(0.001)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
    return process.returncode == -signal.SIGKILL


def log_of(path: Path) -> Iterator[object]:
    """Yield the rows that must be the same whenever and however often the tick was killed."""
    connection = sqlite3.connect(path)
    yield from connection.execute("SELECT match_id, ply, turn, cause, snapshot FROM turn")
    yield from connection.execute("SELECT match_id, ply, seq, body FROM event")
    yield from connection.execute("SELECT match_id, ply, seat, status, orders FROM submission")
    yield from connection.execute("SELECT key, status FROM outbox")
    yield from connection.execute("SELECT match_id, ply, seat, turn, tenure FROM report")
    connection.close()


@pytest.mark.slow
def test_adjud_tick_killed_at_random_and_run_again_loses_and_doubles_nothing(
    path: Path, today: datetime
) -> None:
    def prepare(store: Store) -> None:
        club = Club(store)
        for number in range(3):
            name = f"m-{number}"
            club.new(name=name, white="computer", black="computer:random", now=today)

    use(path, prepare)
    clean = copy(path, path.with_name("clean.db"))
    ran(clean, "tick")
    chance, kills = random.Random(5), 0
    for _ in range(scaled(2)):
        disk = copy(path, path.with_name("killed.db"))
        kills += killed_after(disk, chance.random() * 0.2, "tick")
        kills += killed_after(disk, chance.random() * 0.2, "tick")
        ran(disk, "tick")
        assert ran(disk, "verify").count("agree") == 3
        assert sorted(map(str, log_of(disk))) == sorted(map(str, log_of(clean)))
    assert kills > scaled(2)  # of twice as many tries


def serial_rows(path: Path, now: datetime, context: Context) -> object:
    serial = copy(path, path.with_name("serial.db"))
    use(serial, ticking(now, context))
    store = open_store(url(serial))
    rows = rows_of(store, numbered=False)
    store.close()
    return rows


@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.slow
def test_ticks_at_once_adjudicate_every_turn_once(
    path: Path, now: datetime, context: Context, workers: int
) -> None:
    use(path, lambda store: due.many(store, now, scaled(12)))
    expected = serial_rows(path, now, context)
    at_once(workers, lambda _: use(path, ticking(now, context)))
    store = open_store(url(path))
    assert rows_of(store, numbered=False) == expected
    for name in Club(store).match_names():
        assert Club(store).verify(name) == []
    store.close()


@pytest.mark.slow
def test_adjud_tick_twice_at_once_tells_every_turn_once(path: Path, today: datetime) -> None:
    use(path, lambda store: due.many(store, today, 8))
    together = [adjud(path, "tick") for _ in range(2)]
    told: list[str] = []
    for process in together:
        printed, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
        told += printed.splitlines()
    store = open_store(url(path))
    plies = count(store, "turn") - count(store, "match")
    store.close()
    assert plies > 8
    assert len([line for line in told if ": adjudicated" in line]) == plies
    assert ran(path, "tick") == ""


def test_sheets_handed_in_while_ticks_run_are_used_or_in_force(
    path: Path, now: datetime, context: Context
) -> None:
    """While some workers submit and others tick, a sheet said to be accepted is never lost."""
    names = [f"m-{n}" for n in range(scaled(6))]

    def prepare(store: Store) -> None:
        club = Club(store)
        club.add("Anna", "Bob", now=now)
        for name in names:
            club.new(name=name, now=now)

    def work(number: int) -> None:
        store = open_store(url(path))
        for name in names:
            if number % 2:
                submit_all(store, name)
            else:
                ticking(now, context)(store)
        store.close()

    def submit_all(store: Store, name: str) -> Sequence[object]:
        receipts = Club(store).submit(sheets(name), now=now)
        assert all(receipt.accepted for receipt in receipts)
        return receipts

    use(path, prepare)
    at_once(2, work)
    use(path, ticking(now, context))
    store = open_store(url(path))
    with store.reading() as tx:
        statuses = set(tx.exec_driver_sql("SELECT status FROM submission").scalars())
    assert count(store, "submission") == 2 * len(names)
    assert statuses == {"used"}
    store.close()
