"""`adjud drill`: would this backup bring the club back? Nothing leaves, and nothing is touched."""

import json
import os
import shutil
import smtplib
import socket
import sqlite3
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest

from adjudicator import SCHEMA
from tests.older_club import database_of_0_2_28
from tests.program import Adjud, Answer

LATER = "2026-11-23 18:30:00"


@pytest.fixture
def saved(by_mail: Adjud, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Adjud, Path]]:
    """Return a club that sends email, with emails that wait, and its backup.

    Any way out raises, and what is in the club's folder stays as it is.
    """
    temporary = by_mail.folder / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    by_mail.does("gm", "say", "espionage-1", "hello")
    by_mail.came("white", "STATUS")
    archive = by_mail.folder / "b.tar.gz"
    by_mail.does("backup", str(archive))
    os.utime(by_mail.file, (1, 1))

    def leaves(*_: object, **__: object) -> None:
        raise AssertionError("a drill has no way out")

    for where, name in ((smtplib, "SMTP"), (socket, "create_connection"), (subprocess, "Popen")):
        monkeypatch.setattr(where, name, leaves)
    before = contents(by_mail.folder)
    yield by_mail, archive
    assert contents(by_mail.folder) == before
    assert list(temporary.iterdir()) == []


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".gz")
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def remade(archive: Path, **parts: bytes | None) -> Path:
    """Make an archive in which some files are others, or missing."""
    made = archive.with_name("remade.tar.gz")
    with tarfile.open(archive) as old, tarfile.open(made, "w:gz") as new:
        for entry in old.getmembers():
            name = entry.name.removeprefix("adjud.")
            content = parts.get(name, old.extractfile(entry).read())  # type: ignore[union-attr]
            if content is not None:
                entry.size = len(content)
                new.addfile(entry, BytesIO(content))
    return made


def drill(adjud: Adjud, archive: Path, *words: str) -> Answer:
    return adjud("drill", str(archive), *words, at=LATER)


def member(archive: Path, name: str) -> bytes:
    with tarfile.open(archive) as tar:
        return tar.extractfile(name).read()  # type: ignore[union-attr]


def test_a_backup_that_is_well_is_told_with_its_age(saved: tuple[Adjud, Path]) -> None:
    adjud, archive = saved
    found = json.loads(drill(adjud, archive, "--format", "json").out)
    assert found["faults"] == []
    assert (found["matches"], found["going"], found["players"]) == (1, 1, 2)
    assert (found["schema"], found["epoch"]) == (SCHEMA, "bcdfg")
    assert found["last_tick"] == "2026-11-21T12:00:00Z"
    answer = drill(adjud, archive)
    assert (answer.code, answer.err) == (0, "")
    told = answer.out.splitlines()
    assert told[0] == f"{archive}: it can be restored"
    assert told[2:] == [
        "  matches: 1, not over 1; all were verified",
        "  players: 2",
        "  last tick: 2026-11-21 12:00 UTC",
        f"  schema: {SCHEMA}; epoch: bcdfg",
    ]


def test_the_archives_own_configuration_leads_nowhere(saved: tuple[Adjud, Path]) -> None:
    """It names the club's own files, a server's database and ways for email."""
    adjud, archive = saved
    home = adjud.folder / "data/adjud"
    for database in (f"sqlite:///{adjud.file}", "postgresql://club@db.example.org/club"):
        settings = (
            f'database = "{database}"\nfolder = "{home}"\n[site]\nfolder = "{adjud.folder}/www"\n'
            f'[mail]\ndomain = "play.example.org"\nkey = "{home}/adjud.key"\n'
            f'spool = "{home}/spool"\nout = "smtp://mx.example.org"\nfetch = "maildir:{home}/in"\n'
        )
        answer = drill(adjud, remade(archive, toml=settings.encode()))
        assert (answer.code, answer.err) == (0, ""), answer
    assert not (adjud.folder / "www").exists()


def test_it_needs_no_club_and_no_configuration_that_can_be_read(
    saved: tuple[Adjud, Path],
) -> None:
    adjud, archive = saved
    config = Path(str(adjud.env["ADJUD_CONFIG"]))
    kept = config.read_bytes(), config.stat()
    config.write_text("[mail\n")
    assert drill(adjud, archive).code == 0
    config.write_bytes(kept[0])
    os.utime(config, ns=(kept[1].st_atime_ns, kept[1].st_mtime_ns))


def test_what_would_be_missing_is_told(saved: tuple[Adjud, Path]) -> None:
    adjud, archive = saved
    another = b"k1 " + b"5e" * 32 + b"\n"
    for parts, why in (
        ({"key": None}, "there is no key in "),
        ({"key": another}, "is not this club's"),
        ({"toml": None}, "there is no configuration in the archive"),
        ({"toml": b"zzz = 1\n"}, "there is no setting 'zzz'"),
    ):
        answer = drill(adjud, remade(archive, **parts))
        assert answer.code == 1
        assert answer.out.splitlines()[0].endswith(": something is wrong")
        assert [why in line for line in answer.out.splitlines() if line.startswith("BAD ")] == [
            True
        ]


def test_a_match_that_does_not_agree_is_told(saved: tuple[Adjud, Path]) -> None:
    adjud, archive = saved
    copy = adjud.folder / "tmp" / "copy.db"
    copy.write_bytes(member(archive, "adjud.db"))
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("UPDATE turn SET head = 'spoilt'")
        connection.commit()
    answer = drill(adjud, remade(archive, db=copy.read_bytes()))
    copy.unlink()
    assert answer.code == 1
    assert "\nBAD espionage-1: " in answer.out


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        (
            "UPDATE tournament SET game = 'chess'",
            "BAD cup: the game 'chess' is not here any more; install its package again",
        ),
        (
            "UPDATE ladder SET game = 'chess'",
            "BAD spring: the game 'chess' is not here any more; install its package again",
        ),
        ("UPDATE entry SET number = NULL WHERE number = 1", "BAD cup: its table cannot be shown"),
        ("UPDATE ladder SET options = '{'", "BAD spring: its table cannot be shown"),
    ],
)
def test_a_tournament_or_ladder_that_cannot_be_shown_is_told(
    by_mail: Adjud, spoilt: str, why: str
) -> None:
    by_mail.does("player", "add", "Cleo", "cleo@example.org", "--confirmed")
    cup = ("new", "cup", "espionage", "--kind", "round-robin", "--variant", "small")
    people = [word for name in ("Anna", "Bob", "Cleo") for word in ("--entrant", name)]
    by_mail.does("tournament", *cup, *people)
    by_mail.does("tournament", "start", "cup")
    by_mail.does("ladder", "new", "spring", "espionage", "--variant", "small")
    by_mail.does("ladder", "enter", "spring", "Anna")
    by_mail.does("tick")
    by_mail.does("backup", "b.tar.gz")
    archive = by_mail.folder / "b.tar.gz"
    assert drill(by_mail, archive).code == 0
    copy = by_mail.folder / "copy.db"
    copy.write_bytes(member(archive, "adjud.db"))
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(spoilt)
        connection.commit()
    answer = drill(by_mail, remade(archive, db=copy.read_bytes()))
    assert answer.code == 1
    assert f"\n{why}" in answer.out


def test_what_cannot_be_restored_at_all_is_a_sentence(saved: tuple[Adjud, Path]) -> None:
    adjud, archive = saved
    broken = archive.with_name("broken.tar.gz")
    whole = archive.read_bytes()
    for content, why in (
        (b"not an archive", "is not an adjud backup"),
        (whole[: len(whole) // 2], "is damaged; nothing was restored"),
        (remade(archive, db=None).read_bytes(), "there is no database in"),
        (remade(archive, db=b"SQLite format 3\0").read_bytes(), ""),
    ):
        broken.write_bytes(content)
        answer = drill(adjud, broken)
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.startswith("adjud: ")
        assert why in answer.err
    assert drill(adjud, adjud.folder / "none.tar.gz").code == 1
    answer = drill(adjud, archive, "--folder", "/nowhere/at/all")
    assert answer == (1, "", "adjud: there is no folder /nowhere/at/all\n")


def test_an_older_backup_is_upgraded_in_the_copy(adjud: Adjud, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    database = old / "adjud.db"
    database_of_0_2_28(database)
    archive = tmp_path / "old.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(database, "adjud.db")
    before = database.read_bytes()
    answer = adjud("drill", str(archive), "--folder", str(tmp_path))
    assert "  schema: 0028; epoch: -\n" in answer.out
    assert "BAD there is no key in" in answer.out
    assert database.read_bytes() == before
    assert not list(tmp_path.glob("adjud-drill-*"))
    shutil.rmtree(old)


def test_a_backup_from_before_0_2_28_is_refused(adjud: Adjud, tmp_path: Path) -> None:
    older, archive = tmp_path / "older.db", tmp_path / "older.tar.gz"
    database_of_0_2_28(older)
    with closing(sqlite3.connect(older)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0027'")
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(older, "adjud.db")
    adjud.write("adjud.toml", "")
    why = "the database is from an adjud before 0.2.28; upgrade it with adjud 0.2.28 first"
    for words in (("drill",), ("backup", "--restore")):
        assert adjud(*words, str(archive)) == (1, "", f"adjud: {why}\n")
    assert not adjud.file.exists()
