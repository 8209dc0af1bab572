"""New SQLite files have large pages; `db copy` gives them to an old one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from adjudicator.store import schema, upkeep
from tests.database import create, open_store


def page_size(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA page_size").fetchone()[0])


def test_a_new_file_has_large_pages_and_so_has_the_copy_of_an_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(schema, "PAGE_SIZE", 4096)
        create(f"sqlite:///{tmp_path / 'old.db'}")
    assert page_size(tmp_path / "old.db") == 4096
    create(f"sqlite:///{tmp_path / 'new.db'}")
    assert page_size(tmp_path / "new.db") == 8192
    with closing(open_store(f"sqlite:///{tmp_path / 'old.db'}")) as old:
        schema.copy(old, f"sqlite:///{tmp_path / 'copy.db'}")
        upkeep.copy_to(old, tmp_path / "saved.db")
    assert page_size(tmp_path / "copy.db") == 8192
    assert page_size(tmp_path / "saved.db") == 4096  # a backup is the file as it is
