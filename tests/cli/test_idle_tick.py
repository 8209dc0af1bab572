"""A tick that finds nothing to do changes nothing, goes through no table, and does not import what
it does not need: cron runs it every minute."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.database import metadata
from tests.program import Adjud

LATER = "2026-11-21 12:20:00"


def everything(adjud: Adjud) -> object:
    """Return all rows, and all files but the database's own."""
    files = {path: path.read_bytes() for path in adjud.folder.rglob("*") if path.is_file()}
    return adjud.dump(), {
        path: content for path, content in files.items() if "adjud.db" not in path.name
    }


def change(adjud: Adjud, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(adjud.file)) as database, database:
        database.execute(statement, values)


@contextmanager
def asked() -> Iterator[list[tuple[str, object]]]:
    """Note the statements that reach the database, with their values."""
    found: list[tuple[str, object]] = []

    def note(_c: object, _cursor: object, statement: str, values: object, *_: object) -> None:
        found.append((statement, values))

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


def test_a_tick_with_nothing_to_do_is_silent_and_writes_nothing(idle: Adjud) -> None:
    before = everything(idle)
    with asked() as statements:
        assert idle("tick", at=LATER) == (0, "", "")
    assert everything(idle) == before
    assert {statement.split()[0] for statement, _ in statements} == {"SELECT"}


def test_a_tick_with_nothing_to_do_searches_indexes_and_goes_through_no_table(idle: Adjud) -> None:
    with asked() as statements:
        idle("tick", at=LATER)
    scanned = set[str]()
    with closing(sqlite3.connect(idle.file)) as database:
        for statement, values in statements:
            if statement.startswith("SELECT"):
                plan = database.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()  # type: ignore[arg-type]
                details = [str(row[3]) for row in plan]
                scanned |= {
                    detail.split()[1]
                    for detail in details
                    if detail.startswith("SCAN") and "INDEX" not in detail
                }
    # Tables of one row, and of what waits for a hook.
    assert scanned & metadata.tables.keys() <= {"club", "clock", "happening"}


@pytest.mark.slow
def test_a_tick_with_nothing_to_do_imports_neither_games_nor_templates(
    idle: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in idle.env.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    change(idle, "UPDATE match SET wake_at = '2999-01-01T00:00:00.000000Z'")
    change(idle, "UPDATE clock SET last_tick_at = ?", now)
    listing = (
        "import sys; from adjudicator.__main__ import main\n"
        "sys.argv = ['adjud', 'tick', '--quiet']\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "print(*sys.modules)"
    )

    def loaded() -> set[str]:
        done = subprocess.run([sys.executable, "-c", listing], capture_output=True, check=True)
        return set(done.stdout.decode().split())

    heavy = {"jinja2", "adjudicator.games", "adjudicator.service.base.loaded_match"}
    before = everything(idle)
    assert not loaded() & heavy
    assert everything(idle) == before
    change(idle, "UPDATE match SET wake_at = ?", now)
    assert loaded() > heavy
    assert everything(idle) != before
