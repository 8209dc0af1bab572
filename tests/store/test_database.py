"""Transactions that never fail half-way, and faults that are told in a sentence."""

import re
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DataError, IntegrityError

from adjudicator.store.database import is_reading, sqlite_path
from adjudicator.store.tables import outbox
from tests.database import Clash, Store, StoreTrouble, create, open_store, parse_url
from tests.processes import at_once
from tests.rows import count
from tests.scale import scaled

WORKERS = 4


def pragmas(store: Store) -> list[object]:
    names = ("foreign_keys", "busy_timeout", "synchronous", "journal_mode")
    with store.reading() as tx:
        return [tx.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]


def test_every_sqlite_connection_is_prepared(sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    with store.reading():  # a second one must be opened beside it
        assert pragmas(store) == [1, 15_000, 2, "wal"]
    assert pragmas(store) == [1, 15_000, 2, "wal"]
    store.close()


def statements(store: Store, use: Callable[[], None]) -> list[str]:
    said: list[str] = []

    @sa.event.listens_for(store.engine, "checkout")
    def note(connection: Any, *_: object) -> None:
        connection.set_trace_callback(said.append)

    use()
    return [one for one in said if re.match(r"BEGIN|SELECT \d", one)]


def test_a_transaction_takes_the_write_lock_at_once_and_a_look_does_not(sqlite_url: str) -> None:
    store = open_store(sqlite_url)

    def use() -> None:
        with store.transaction() as tx:
            tx.exec_driver_sql("SELECT 1")
        with store.reading() as tx:
            tx.exec_driver_sql("SELECT 2")

    assert statements(store, use) == [
        "BEGIN IMMEDIATE",
        "SELECT 1",
        "BEGIN DEFERRED",
        "SELECT 2",
    ]
    store.close()


def add_player(tx: sa.Connection, name: str) -> None:
    columns = "(name, name_key, address, language, zone, created_at, token)"
    told = (name, name, "a@example.org", "en", "UTC", "2026", name)
    values = ", ".join(f"'{text}'" for text in told)
    tx.exec_driver_sql(f"INSERT INTO player {columns} VALUES ({values})")


def test_a_transaction_is_stored_whole_or_not_at_all(store: Store) -> None:
    def break_off() -> None:
        with store.transaction() as tx:
            add_player(tx, "anna")
            raise RuntimeError("power")

    with pytest.raises(RuntimeError, match="power"):
        break_off()
    assert count(store, "player") == 0


def test_a_look_sees_one_state_however_long_it_takes(store: Store) -> None:
    counted = "SELECT count(*) FROM player"
    with store.reading() as look:
        before = look.exec_driver_sql(counted).scalar()
        with store.transaction() as tx:
            add_player(tx, "anna")
        assert look.exec_driver_sql(counted).scalar() == before == 0
    assert count(store, "player") == 1


def test_a_look_knows_that_it_is_one(store: Store) -> None:
    with store.reading() as tx:
        assert is_reading(tx)
    with store.transaction() as tx:
        assert not is_reading(tx)


def test_four_processes_that_read_and_then_write_never_lock_each_other_out(database: str) -> None:
    turns = scaled(30)

    def work(worker: int) -> None:
        store = open_store(database)
        for turn in range(turns):
            with store.transaction() as tx:
                tx.exec_driver_sql("SELECT count(*) FROM player").scalar()
                add_player(tx, f"{worker}-{turn}")
        store.close()

    at_once(WORKERS, work)
    store = open_store(database)
    assert count(store, "player") == WORKERS * turns
    store.close()


def said(use: Callable[[str], object], url: str) -> str:
    with pytest.raises(StoreTrouble) as told:
        use(url)
    return str(told.value.message)


@pytest.mark.parametrize("use", [open_store, create])
def test_a_file_that_is_no_database_is_left_alone(
    use: Callable[[str], object], tmp_path: Path
) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Anna, " * 500)
    assert "is not an adjud database, or it is damaged" in said(use, f"sqlite:///{path}")
    assert path.read_text() == "Dear Anna, " * 500


@pytest.mark.parametrize("use", [open_store, create])
def test_a_folder_is_no_database(use: Callable[[str], object], tmp_path: Path) -> None:
    told = said(use, f"sqlite:///{tmp_path}")
    assert told == "the database cannot be opened; check its folder's permissions"


def test_a_missing_database_is_not_made_by_accident(tmp_path: Path) -> None:
    path = tmp_path / "adjud.db"
    assert said(open_store, f"sqlite:///{path}") == (
        f"there is no database at {path}; `adjud init` makes an empty one, "
        "`adjud backup --restore FILE` restores a club's"
    )
    assert not path.exists()


def test_somebody_elses_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE bird (name TEXT)")
    assert "has no adjud database" in said(open_store, f"sqlite:///{path}")


def test_an_empty_server_database_holds_no_adjud_database(postgres_server: sa.URL) -> None:
    told = said(open_store, postgres_server.render_as_string(hide_password=False))
    assert told.endswith(
        "has no adjud database; `adjud init` makes an empty one, `adjud backup --restore FILE` "
        "restores a club's"
    )


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("adjud.db", "that is not a database URL; write it like sqlite:////path/adjud.db"),
        ("postgresql://x:secret@host:port/games", "that is not a database URL; write it like"),
        ("mysql://me@host/games", "not in 'mysql'"),
        ("postgresql://x@127.0.0.1:1/games", "the database server says: connection failed"),
    ],
)
def test_a_url_that_cannot_be_used_is_told_in_a_sentence(url: str, told: str) -> None:
    assert told in said(open_store, url)


def test_of_two_that_wait_for_each_other_one_clashes_and_may_try_again(
    postgres_url: str,
) -> None:
    store = open_store(postgres_url)
    with store.transaction() as tx:
        for name in ("anna", "bob"):
            add_player(tx, name)
    ready, told = threading.Barrier(2), []

    def work(first: str, second: str) -> None:
        try:
            with store.transaction() as tx:
                for name in (first, second):
                    tx.exec_driver_sql(f"UPDATE player SET zone = 'x' WHERE name = '{name}'")
                    if name == first:
                        ready.wait(30)
        except Clash as clash:
            told.append(str(clash))

    threads = [threading.Thread(target=work, args=a) for a in (("anna", "bob"), ("bob", "anna"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert told == ["the database server says: deadlock detected"]
    store.close()


def test_a_row_that_cannot_be_is_our_mistake_and_no_trouble_of_the_database(
    postgres_url: str,
) -> None:
    store = open_store(postgres_url)
    with pytest.raises(DataError), store.transaction() as tx:
        tx.execute(sa.text("SELECT cast(:text AS text)"), {"text": "a\0b"})
    store.close()


def test_a_fault_shows_no_row(sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    with pytest.raises(IntegrityError) as told, store.transaction() as tx:
        tx.execute(sa.insert(outbox), {"key": "k", "kind": None, "body": "d3-d4"})
    assert "d3-d4" not in str(told.value)
    store.close()


def test_a_password_is_never_shown(postgres_server: sa.URL) -> None:
    url = postgres_server.set(password="hemmelig")
    told = said(open_store, url.render_as_string(hide_password=False))
    assert "hemmelig" not in told


def test_a_damaged_database_is_told(sqlite_url: str) -> None:
    path = sqlite_path(parse_url(sqlite_url))
    assert path is not None
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    told = said(open_store, sqlite_url)
    assert told == "the database is damaged; restore the last backup"


def test_a_locked_database_is_told(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudicator.store.database.BUSY_TIMEOUT", 50)
    store = open_store(sqlite_url)
    with store.transaction():
        other = open_store(sqlite_url)  # a look, which never waits
        with pytest.raises(StoreTrouble, match="locked by another program"), other.transaction():
            pass
        other.close()
    store.close()


def fill(store: Store, pragma: str) -> None:
    with store.transaction() as tx:
        tx.exec_driver_sql(f"PRAGMA {pragma}")
        for number in range(2000):
            add_player(tx, f"anna-{number}")


@pytest.mark.parametrize(
    ("pragma", "told"), [("max_page_count = 1", "disk is full"), ("query_only = ON", "read-only")]
)
def test_a_disk_that_takes_nothing_is_told_and_nothing_is_stored(
    sqlite_url: str, pragma: str, told: str
) -> None:
    store = open_store(sqlite_url)
    with pytest.raises(StoreTrouble, match=told):
        fill(store, pragma)
    assert count(store, "player") == 0
    store.close()
