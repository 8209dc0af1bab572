"""Key, spool and names: what the doctor sees of them, and that a backup holds them."""

import os
import socket
import tarfile
import time
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest

from adjudicator.mail import spool
from adjudicator.service import keys, premises, upkeep
from adjudicator.service.premises import Premises
from adjudicator.service.refusal import Refusal
from adjudicator.store.database import open_store
from tests.service.club import Club


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """Names that the resolver knows; no test asks a real one."""
    names = {"play.example.org", "smtp.example.org"}

    def getaddrinfo(host, *_, **__):
        if host in names:
            return [()]
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return names


@pytest.fixture
def at(tmp_path):
    key = tmp_path / "adjud.key"
    keys.create(key)
    premises.saved_mark(key).touch()
    return Premises(
        config=None,
        key=key,
        spool=tmp_path / "spool",
        domain="play.example.org",
        out="smtp://games@smtp.example.org:587",
    )


def put(at, raw=b"Subject: x\r\n\r\nhello\r\n"):
    return spool.put(at.spool, BytesIO(raw), sender="", recipient="", channel="test")


def found(at, people=2, now=None):
    now = now or datetime.now(UTC)
    return [(f.well, str(f.text)) for f in premises.examine(at, people=people, now=now)]


def bad(at, **more):
    return [text for well, text in found(at, **more) if not well]


def test_a_well_kept_house_is_well(at):
    put(at)
    assert bad(at) == []


def test_a_spool_that_is_not_there_is_made_by_the_first_letter(at):
    assert (True, f"spool: {at.spool}, the first letter makes it") in found(at)
    put(at)
    for folder in (at.spool, at.spool / "new", at.spool / "tmp"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_spool_that_others_can_read_is_told(at):
    put(at)
    (at.spool / "new").chmod(0o755)
    assert bad(at) == [f"{at.spool / 'new'}: mode 0755, others can read letters; chmod 700"]


def test_letters_that_nobody_fetches_from_the_spool_are_told(at):
    put(at)
    assert bad(at, now=datetime.now(UTC) + timedelta(minutes=50)) == []
    (text,) = bad(at, now=datetime.now(UTC) + timedelta(minutes=70))
    assert text.startswith("spool: a letter has waited for more than an hour")


def test_what_was_put_aside_is_told_until_somebody_has_looked_at_it(at):
    name = put(at)
    spool.put_aside(at.spool, name)
    (text,) = bad(at)
    assert text == (
        f"spool: 1 in {at.spool}/bad could not be taken for letters; "
        f"what is one goes back to {at.spool}/new"
    )
    (at.spool / "bad" / name).rename(at.spool / "new" / name)
    assert bad(at) == []


def test_a_key_that_was_never_backed_up_is_told(at, store, tmp_path):
    premises.saved_mark(at.key).unlink()
    (text,) = bad(at)
    assert text.startswith("key: it was never backed up")
    upkeep.backup(store, tmp_path / "b.tar.gz", at)
    assert bad(at) == []


def test_a_key_that_is_newer_than_its_backup_is_told(at):
    later = time.time() + 60
    os.utime(at.key, (later, later))
    (text,) = bad(at)
    assert text.startswith("key: it was never backed up")


def test_a_key_that_others_can_read_or_that_is_none_is_told(at):
    at.key.chmod(0o640)
    assert bad(at) == [f"{at.key}: mode 0640, others can read the secret; chmod 600"]
    at.key.unlink()
    assert bad(at) == [f"there is no key at {at.key}; `adjud init` makes one"]


def test_a_server_without_an_address_is_told_and_a_domain_may_have_an_mx_record_alone(at, known):
    known.clear()
    assert bad(at) == ["DNS: smtp.example.org has no address (or the look-up took too long)"]
    text = "DNS: play.example.org has no address of its own; has it an MX record?"
    assert (True, text) in found(at)


def test_a_resolver_that_hangs_does_not_hang_the_doctor(at, monkeypatch):
    monkeypatch.setattr(premises, "PATIENCE", 0.2)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(5))
    before = time.monotonic()
    assert len(bad(at)) == 1
    assert time.monotonic() - before < 2


def test_without_a_domain_people_play_without_letters_and_nothing_is_wrong(tmp_path):
    at = Premises(config=None, key=tmp_path / "key", spool=tmp_path / "spool")
    assert found(at) == [(True, "mail: no domain is set, so nobody can order by mail")]
    assert found(at, people=0) == []


def test_who_can_write_but_gets_no_answer_is_told(at):
    import msgspec

    silent = msgspec.structs.replace(at, out="none")
    assert bad(silent) == ["mail: players can write to us and get no answer; set mail.out"]


def test_a_password_file_that_is_missing_or_open_to_all_is_told(at, tmp_path):
    import msgspec

    path = tmp_path / "password"
    with_password = msgspec.structs.replace(at, password_files=(path,))
    assert bad(with_password) == [f"{path}: there is no such file, or it is out of reach"]
    path.write_text("secret")
    path.chmod(0o644)
    assert bad(with_password) == [f"{path}: mode 0644, others can read the secret; chmod 600"]
    path.chmod(0o600)
    assert bad(with_password) == []


def test_the_doctor_looks_at_all_of_it(at, store, tmp_path, now):
    Club(store).begin()
    at.key.unlink()
    texts = [str(f.text) for f in upkeep.examine(f"sqlite:///{tmp_path}/adjud.db", at, now=now)]
    assert f"there is no key at {at.key}; `adjud init` makes one" in texts


def test_letters_that_wait_too_long_to_go_out_are_told(at, store, tmp_path, now):
    with store.transaction() as tx:
        tx.exec_driver_sql(
            "INSERT INTO outbox (name, key, kind, body, created_at, status, tries, next_at) VALUES "
            "('n', 'k', 'alert', '{}', '2026-11-21T12:00:00.000000Z', 'waiting', 0, "
            "'2026-11-21T16:59:00.000000Z')"
        )

    def told(moment):
        url = f"sqlite:///{tmp_path}/adjud.db"
        findings = upkeep.examine(url, at, now=moment)
        return [str(f.text) for f in findings if not f.well and str(f.text).startswith("letters")]

    assert told(now - timedelta(minutes=10)) == []
    assert told(now) == [
        "letters: some have been due for more than an hour; does cron call `adjud tick`?"
    ]


def test_a_backup_brings_back_database_key_and_spool(at, store, tmp_path):
    first, second = put(at), put(at, b"Subject: y\r\n\r\n")
    contents = {name: (at.spool / "new" / name).read_bytes() for name in (first, second)}
    archive = tmp_path / "b.tar.gz"
    (told,) = upkeep.backup(store, archive, at)
    holds = "the database, no configuration, the key and 2 letters of the spool"
    assert str(told) == f"{archive} holds {holds}"
    new = Premises(config=None, key=tmp_path / "new/adjud.key", spool=tmp_path / "new/spool")
    url = f"sqlite:///{tmp_path}/new/adjud.db"
    upkeep.restore(archive, url, new)
    open_store(url).close()
    assert new.key.read_bytes() == at.key.read_bytes()
    assert new.key.stat().st_mode & 0o777 == 0o600
    assert {p.name: p.read_bytes() for p in (new.spool / "new").iterdir()} == contents
    assert (new.spool / "new").stat().st_mode & 0o777 == 0o700
    assert spool.names(new.spool) == [first, second]


def test_nothing_is_overwritten_by_what_is_restored(at, store, tmp_path):
    put(at)
    archive = tmp_path / "b.tar.gz"
    upkeep.backup(store, archive, at)
    url = f"sqlite:///{tmp_path}/new/adjud.db"
    other = Premises(config=None, key=tmp_path / "other.key", spool=tmp_path / "other")
    keys.create(other.key)
    before = other.key.read_bytes()
    with pytest.raises(Refusal, match=r"there is another key at .*; move it away first"):
        upkeep.restore(archive, url, other)
    assert other.key.read_bytes() == before
    other.key.unlink()
    put(other)
    with pytest.raises(Refusal, match=r"there are letters in .*; move them away first"):
        upkeep.restore(archive, url, other)
    assert not other.key.exists()
    assert not (tmp_path / "new/adjud.db").exists()


def test_an_archive_with_foreign_paths_writes_nowhere_else(at, store, tmp_path):
    archive = tmp_path / "b.tar.gz"
    upkeep.backup(store, archive, at)
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
    new = Premises(config=None, key=tmp_path / "new/adjud.key", spool=tmp_path / "new/spool")
    upkeep.restore(evil, f"sqlite:///{tmp_path}/new/adjud.db", new)
    assert not list((tmp_path / "new").rglob("*x"))
    assert not list((tmp_path / "new").rglob("link"))


def damaged(archive, at=0.5):
    """Fifty bytes in the middle turned over, as a bad disk would."""
    raw = bytearray(archive.read_bytes())
    begin = int(len(raw) * at)
    for n in range(begin, begin + 50):
        raw[n] ^= 0xFF
    archive.write_bytes(raw)


def elsewhere(tmp_path):
    new = Premises(config=None, key=tmp_path / "new/adjud.key", spool=tmp_path / "new/spool")
    return new, f"sqlite:///{tmp_path}/new/adjud.db"


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_of_a_damaged_archive_nothing_is_restored(at, store, tmp_path, place):
    for _ in range(20):
        put(at, os.urandom(2000))
    archive = tmp_path / "b.tar.gz"
    upkeep.backup(store, archive, at)
    damaged(archive, place)
    new, url = elsewhere(tmp_path)
    with pytest.raises(Refusal, match=r"b\.tar\.gz is damaged; nothing was restored"):
        upkeep.restore(archive, url, new)
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]


def test_of_an_archive_that_was_cut_off_nothing_is_restored(at, store, tmp_path):
    put(at)
    archive = tmp_path / "b.tar.gz"
    upkeep.backup(store, archive, at)
    archive.write_bytes(archive.read_bytes()[:-100])
    new, url = elsewhere(tmp_path)
    with pytest.raises(Refusal, match="is damaged; nothing was restored"):
        upkeep.restore(archive, url, new)
    assert not new.key.exists()


def test_a_database_that_was_damaged_when_it_was_saved_is_not_restored(at, store, tmp_path):
    with store.raw() as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute(
            "INSERT INTO turn VALUES (7, 0, 1, 'opening', '2026-11-21T18:00:00.000000Z', '{}')"
        )
        connection.execute("PRAGMA foreign_keys=ON")
    archive = tmp_path / "b.tar.gz"
    upkeep.backup(store, archive, at)
    new, url = elsewhere(tmp_path)
    with pytest.raises(Refusal, match="the database in it: a row of turn refers to nothing"):
        upkeep.restore(archive, url, new)
    assert not (tmp_path / "new/adjud.db").exists()
    assert not new.key.exists()


def test_a_backup_holds_what_was_put_aside_as_well(at, store, tmp_path):
    name = put(at)
    spool.put_aside(at.spool, name)
    (at.spool / "bad" / "folder").mkdir()
    upkeep.backup(store, tmp_path / "b.tar.gz", at)
    new, url = elsewhere(tmp_path)
    upkeep.restore(tmp_path / "b.tar.gz", url, new)
    assert [path.name for path in (new.spool / "bad").iterdir()] == [name]
    assert spool.names(new.spool) == []


def test_a_key_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    """Killed while it is made, it leaves nothing that a second `init` would take for a key."""

    class Killed(BaseException):
        pass

    def kill(*_):
        raise Killed

    path = tmp_path / "adjud.key"
    for step in ("fsync", "link"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, kill)
            with pytest.raises(Killed):
                keys.create(path)
        assert not path.exists()
    assert keys.create(path)
    assert not keys.create(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(keys.read(path)) == 1
    assert os.listdir(tmp_path) == ["adjud.key"]


def test_what_a_kill_left_unfinished_is_swept_out_when_the_next_file_is_written(tmp_path):
    from adjudicator.service import files

    left = {tmp_path / ".m-white.txt.adjud-17": 37, tmp_path / ".m-black.txt.adjud-18": 35}
    for path in left:
        path.write_text("half")
    folder = tmp_path / ".adjud-k3f5"
    folder.mkdir()
    (folder / "adjud.db").write_text("secret")
    for path, hours in {**left, folder: 40}.items():
        moment = time.time() - hours * 3600
        os.utime(path, (moment, moment))
    (tmp_path / ".profile.17").write_text("somebody else's")
    files.write_private(tmp_path / "m-white.txt", "whole")
    assert sorted(os.listdir(tmp_path)) == [
        ".m-black.txt.adjud-18",
        ".profile.17",
        "m-white.txt",
    ]
