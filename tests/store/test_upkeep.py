"""Copies of a database, and whether it is sound."""

import os
import tarfile
from datetime import datetime
from pathlib import Path

from adjudicator.store import upkeep
from tests.club import Club, Paths, restore
from tests.database import open_store
from tests.rows import rows_of
from tests.service import due

# Of the restore itself, what it numbers higher, and what counts as shown.
NOTED = ("saved_at", "restored_at", "above", "tenure", "revision", "shown_at")


def test_a_restored_backup_is_the_database_as_it_was_and_never_makes_readers_wait(
    sqlite_url: str, tmp_path: Path, now: datetime
) -> None:
    at = Paths(config=None, key=tmp_path / "key", spool=tmp_path / "spool")
    store = open_store(sqlite_url)
    due.everything(store, now)
    rows = rows_of(store, without=NOTED)
    with store.reading():  # in use meanwhile
        Club(store).back_up(tmp_path / "backup.tar.gz", at)
    store.close()
    target = tmp_path / "restored" / "adjud.db"
    restore(tmp_path / "backup.tar.gz", f"sqlite:///{target}", at, now=now)
    restored = open_store(f"sqlite:///{target}")
    assert {**rows_of(restored, without=NOTED), "past_epoch": []} == rows
    with restored.reading() as tx:
        assert tx.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    restored.close()
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(target.parent)) == ["adjud.db"]


def test_a_backup_is_one_file_for_its_owner_with_the_configuration_in_it(
    sqlite_url: str, tmp_path: Path
) -> None:
    config = tmp_path / "adjud.toml"
    config.write_text('operator = "games@example.org"\n')
    store = open_store(sqlite_url)
    at = Paths(config=config, key=tmp_path / "key", spool=tmp_path / "spool")
    Club(store).back_up(tmp_path / "backup.tar.gz", at)
    store.close()
    assert (tmp_path / "backup.tar.gz").stat().st_mode & 0o777 == 0o600
    with tarfile.open(tmp_path / "backup.tar.gz") as archive:
        assert archive.getnames() == ["adjud.db", "adjud.toml"]


def test_a_sound_database_has_no_faults_and_a_dangling_row_is_one(sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    assert upkeep.faults(store) == []
    with store.raw() as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute(
            "INSERT INTO turn (match_id, ply, turn, cause, adjudicated_at, snapshot)"
            " VALUES (7, 0, 1, 'opening', '2026-11-21T18:00:00.000000Z', '{}')"
        )
        connection.execute("PRAGMA foreign_keys=ON")
    assert upkeep.faults(store) == ["a row of turn refers to nothing"]
    store.close()
