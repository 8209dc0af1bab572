"""Backups: what they hold and bring back, and that a kill leaves nothing half done."""

import os
import tarfile
import time
from datetime import UTC, datetime
from io import BytesIO

import pytest

from adjudicator.mail.transport import spool
from tests.club import Club, Paths, Refusal, create_keys, read_keys, restore
from tests.database import count_unsigned, open_store
from tests.inside import context
from tests.service.installed import installed, put

NOW = datetime.now(UTC)


@pytest.fixture
def at(tmp_path):
    return installed(tmp_path, out="smtp://games@smtp.example.org:587")


def test_a_backup_brings_back_database_key_and_spool(at, store, tmp_path):
    first, second = put(at), put(at, b"Subject: y\r\n\r\n")
    contents = {name: (at.spool / "new" / name).read_bytes() for name in (first, second)}
    archive = tmp_path / "b.tar.gz"
    told, on_the_same_disk = Club(store).back_up(archive, at)
    holds = "the database, no configuration, the key and the emails in the spool"
    assert str(told) == f"{archive} contains {holds}"
    assert str(on_the_same_disk).startswith(f"{archive} is on the disk of the club itself; ")
    new = Paths(config=None, key=tmp_path / "new/adjud.key", spool=tmp_path / "new/spool")
    url = f"sqlite:///{tmp_path}/new/adjud.db"
    restore(archive, url, new, now=NOW)
    open_store(url).close()
    assert new.key.read_bytes() == at.key.read_bytes()
    assert new.key.stat().st_mode & 0o777 == 0o600
    assert {p.name: p.read_bytes() for p in (new.spool / "new").iterdir()} == contents
    assert (new.spool / "new").stat().st_mode & 0o777 == 0o700
    assert spool.names(new.spool) == [first, second]


def test_nothing_is_restored_beside_the_log_of_another_database(at, store, new_sqlite, tmp_path):
    """SQLite would write that log, which a killed program has left, into what was restored."""
    archive = tmp_path / "b.tar.gz"
    Club(store).back_up(archive, at)
    url = new_sqlite("club")
    open_one = open_store(url)
    with open_one.transaction() as tx:
        count_unsigned(tx)
    file, log = tmp_path / "club.db", tmp_path / "club.db-wal"
    assert log.stat().st_size
    file.rename(tmp_path / "away.db")
    with pytest.raises(
        Refusal, match=r"there is already a database at .*club.db-wal; move it away first"
    ):
        restore(archive, url, at, now=NOW)
    assert not file.exists()
    open_one.close()
    for left in tmp_path.glob("club.db-*"):
        left.unlink()
    restore(archive, url, at, now=NOW)
    open_store(url).close()


def test_nothing_is_overwritten_by_what_is_restored(at, store, tmp_path):
    put(at)
    archive = tmp_path / "b.tar.gz"
    Club(store).back_up(archive, at)
    url = f"sqlite:///{tmp_path}/new/adjud.db"
    other = Paths(config=None, key=tmp_path / "other.key", spool=tmp_path / "other")
    create_keys(other.key)
    before = other.key.read_bytes()
    with pytest.raises(Refusal, match=r"there is a different key at .*; move it away first"):
        restore(archive, url, other, now=NOW)
    assert other.key.read_bytes() == before
    other.key.unlink()
    put(other)
    with pytest.raises(Refusal, match=r"there are emails in .*; move them away first"):
        restore(archive, url, other, now=NOW)  # the archive does not say whose its are
    assert not other.key.exists()
    assert not (tmp_path / "new/adjud.db").exists()


@pytest.mark.parametrize("is_marked", [True, False])
def test_emails_that_came_since_wait_beside_those_of_the_backup(at, store, tmp_path, is_marked):
    """The disk of the database broke, and the mail server went on; or a new one was quick."""
    context.claim_spool(store, at.spool)
    kept = put(at)
    archive = tmp_path / "b.tar.gz"
    Club(store).back_up(archive, at)
    new, url = elsewhere(tmp_path)
    came = put(new, b"Subject: z\r\n\r\n")
    if is_marked:
        context.claim_spool(store, new.spool)
    restore(archive, url, new, now=NOW)
    assert spool.names(new.spool) == [kept, came]
    again = open_store(url)
    context.claim_spool(again, new.spool)
    again.close()


def test_an_archive_with_foreign_paths_writes_nowhere_else(at, store, tmp_path):
    archive = tmp_path / "b.tar.gz"
    Club(store).back_up(archive, at)
    evil = tmp_path / "evil.tar.gz"
    with tarfile.open(archive) as good, tarfile.open(evil, "w:gz") as tar:
        for member in good.getmembers():
            tar.addfile(member, good.extractfile(member))
        for name in ("spool/new/../../x", "/x", "spool/new/.x", "../x"):
            info = tarfile.TarInfo(name)
            info.size = 1
            tar.addfile(info, BytesIO(b"x"))
        link = tarfile.TarInfo("spool/new/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    new = Paths(config=None, key=tmp_path / "new/adjud.key", spool=tmp_path / "new/spool")
    restore(evil, f"sqlite:///{tmp_path}/new/adjud.db", new, now=NOW)
    assert not list((tmp_path / "new").rglob("*x"))
    assert not list((tmp_path / "new").rglob("link"))


def damaged(archive, at=0.5):
    """Turn fifty bytes in the middle over, as a bad disk would."""
    raw = bytearray(archive.read_bytes())
    begin = int(len(raw) * at)
    for n in range(begin, begin + 50):
        raw[n] ^= 0xFF
    archive.write_bytes(raw)


def elsewhere(tmp_path):
    new = Paths(config=None, key=tmp_path / "new/adjud.key", spool=tmp_path / "new/spool")
    return new, f"sqlite:///{tmp_path}/new/adjud.db"


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_of_a_damaged_archive_nothing_is_restored(at, store, tmp_path, place):
    for _ in range(20):
        put(at, os.urandom(2000))
    archive = tmp_path / "b.tar.gz"
    Club(store).back_up(archive, at)
    damaged(archive, place)
    new, url = elsewhere(tmp_path)
    with pytest.raises(Refusal, match=r"b\.tar\.gz is damaged; nothing was restored"):
        restore(archive, url, new, now=NOW)
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]


def test_of_an_archive_that_was_cut_off_nothing_is_restored(at, store, tmp_path):
    put(at)
    archive = tmp_path / "b.tar.gz"
    Club(store).back_up(archive, at)
    archive.write_bytes(archive.read_bytes()[:-100])
    new, url = elsewhere(tmp_path)
    with pytest.raises(Refusal, match="is damaged; nothing was restored"):
        restore(archive, url, new, now=NOW)
    assert not new.key.exists()


def test_a_database_that_was_damaged_when_it_was_saved_is_not_restored(at, store, tmp_path):
    with store.raw() as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute(
            "INSERT INTO turn (match_id, ply, turn, cause, adjudicated_at, snapshot)"
            " VALUES (7, 0, 1, 'opening', '2026-11-21T18:00:00.000000Z', '{}')"
        )
        connection.execute("PRAGMA foreign_keys=ON")
    archive = tmp_path / "b.tar.gz"
    Club(store).back_up(archive, at)
    new, url = elsewhere(tmp_path)
    with pytest.raises(Refusal, match="the database in it: a row of turn refers to nothing"):
        restore(archive, url, new, now=NOW)
    assert not (tmp_path / "new/adjud.db").exists()
    assert not new.key.exists()


def test_a_backup_holds_what_was_put_aside_as_well(at, store, tmp_path):
    name = put(at)
    spool.put_aside(at.spool, name)
    (at.spool / "bad" / "folder").mkdir()
    Club(store).back_up(tmp_path / "b.tar.gz", at)
    new, url = elsewhere(tmp_path)
    restore(tmp_path / "b.tar.gz", url, new, now=NOW)
    assert [path.name for path in (new.spool / "bad").iterdir()] == [name]
    assert spool.names(new.spool) == []


def test_a_key_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    """A kill while it is made leaves nothing that a second `init` would take for a key."""

    class Killed(BaseException):
        pass

    def kill(*_):
        raise Killed

    path = tmp_path / "adjud.key"
    for step in ("fsync", "link"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, kill)
            with pytest.raises(Killed):
                create_keys(path)
        assert not path.exists()
    assert create_keys(path)
    assert not create_keys(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(read_keys(path)) == 1
    assert os.listdir(tmp_path) == ["adjud.key"]


def test_of_what_a_kill_left_only_what_was_to_become_this_file_is_removed(tmp_path):
    from tests.inside import base_files as files

    hours = {
        ".m-white.txt.adjud-0123456789abcdef": 37,
        ".m-white.txt.adjud-17": 37,  # as an older program named it
        ".m-white.txt.adjud-fedcba9876543210": 35,
        ".m-black.txt.adjud-0123456789abcdef": 37,
    }
    for name in hours:
        (tmp_path / name).write_text("half")
    (tmp_path / ".adjud-k3f5").mkdir()
    (tmp_path / ".adjud-k3f5" / "adjud.db").write_text("somebody else's")
    for name, old in {**hours, ".adjud-k3f5": 40}.items():
        moment = time.time() - old * 3600
        os.utime(tmp_path / name, (moment, moment))
    files.write_private(tmp_path / "m-white.txt", "whole")
    assert sorted(os.listdir(tmp_path)) == [
        ".adjud-k3f5",
        ".m-black.txt.adjud-0123456789abcdef",
        ".m-white.txt.adjud-fedcba9876543210",
        "m-white.txt",
    ]
