"""`adjud doctor`: a set-up of which nothing is wrong, and every way in which one can be broken."""

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mail.servers import Receiver, smtp_server
from tests.processes import at_once
from tests.program import Adjud

Break = Callable[[Adjud], object]

MAIL = """operator = "games@example.org"
[mail]
domain = "play.example.org"
out = "folder:{out}/out"
"""
NEVER_SAVED = (
    "key: it was never backed up, and without it every address of a seat is dead; "
    "`adjud backup FILE`, or keep a copy and touch {}.saved"
)


def bad(adjud: Adjud, *words: str, at: str | None = "2026-11-21 12:00:00") -> list[str]:
    """What the doctor finds wrong; the exit code says the same."""
    answer = adjud("doctor", *words, at=at)
    assert answer.err == ""
    found = [line for line in answer.out.splitlines() if line.startswith("BAD ")]
    assert answer.code == (1 if found else 0)
    return [line.removeprefix("BAD ") for line in found]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a club that plays by mail, made once."""
    club = Adjud(tmp_path_factory.mktemp("kept"))
    club.club()
    club.write("adjud.toml", MAIL.format(out=club.folder))
    club.match("espionage-1", "--option", "deadline=every 3 days")
    club.came("white", "hello")
    club.does("tick")
    club.does("backup", str(club.folder / "b.tar.gz"))
    return club.folder


@pytest.fixture
def well(adjud: Adjud, kept: Path) -> Adjud:
    """A club of which nothing is wrong."""
    shutil.copytree(kept, adjud.folder, dirs_exist_ok=True)
    adjud.write("adjud.toml", MAIL.format(out=adjud.folder))
    return adjud


def test_of_a_well_club_nothing_is_wrong(well: Adjud) -> None:
    assert bad(well) == []
    assert well.does("doctor", "--quiet") == ""


def spool_of(adjud: Adjud) -> Path:
    return adjud.folder / "data/adjud/spool"


def damage_a_page(adjud: Adjud) -> None:
    """A page of the table of reports is overwritten, as a bad disk would."""
    with sqlite3.connect(adjud.file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'report'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    with adjud.file.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(os.urandom(size))


def test_a_damaged_page_is_a_line_and_the_rest_is_looked_at_all_the_same(well: Adjud) -> None:
    damage_a_page(well)
    well.write("adjud.toml", (well.folder / "adjud.toml").read_text() + 'fetch = "mbox:/no"\n')
    told = bad(well)
    assert any(line.startswith("database: ") or "is damaged" in line for line in told), told
    assert [line for line in told if line.startswith("mail.fetch: there is no mailbox /no")]
    assert len(told) == len(set(told))
    assert len(told) < 8


def test_a_database_that_is_gone_does_not_hide_what_else_is_wrong(well: Adjud) -> None:
    for path in well.folder.glob("adjud.db*"):
        path.unlink()
    spool_of(well).chmod(0o755)
    assert bad(well) == [
        f"there is no database at {well.file}; `adjud init` makes one",
        f"{spool_of(well)}: mode 0755, others can read letters; chmod 700",
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_belongs_to_root_is_named_and_the_rest_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`adjud init` was run by root, and so was the first letter; cron runs as another user."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.chdir(folder)
        club = Adjud(Path(folder))
        club.club()
        club.write("adjud.toml", MAIL.format(out=folder))
        club.came("white", "hello")
        bad(club)  # imports what the other user may not be able to reach
        for path in (club.folder, *club.folder.rglob("*")):
            os.chown(path, 12345, 12345)
        spool, key = spool_of(club), club.folder / "data/adjud/adjud.key"
        os.chown(spool, 0, 0)
        taken_by_root = [*(spool / "new").iterdir()]

        def look(_: int) -> None:
            os.setgid(12345)
            os.setuid(12345)
            assert bad(club) == [
                f"{spool}: this user cannot write there",
                f"{spool}: it belongs to another user (number 0)",
                NEVER_SAVED.format(key),
            ]

        def look_again(_: int) -> None:
            os.setgid(12345)
            os.setuid(12345)
            assert bad(club) == [
                f"spool: 1 in {spool}/new cannot be read by this user; the mail server must run "
                "the pipe as the user that ticks",
                NEVER_SAVED.format(key),
            ]

        at_once(1, look)
        os.chown(spool, 12345, 12345)
        for letter in taken_by_root:
            os.chown(letter, 0, 0)
        at_once(1, look_again)


def test_the_doctor_as_json(well: Adjud) -> None:
    def found(*words: str) -> list[dict[str, str]]:
        answer = well("doctor", "--format", "json", *words)
        assert answer.code == 1
        return [json.loads(line) for line in answer.out.splitlines()]

    spool_of(well).chmod(0o755)
    text = f"{spool_of(well)}: mode 0755, others can read letters; chmod 700"
    assert found("--quiet") == [{"check": "spool", "state": "bad", "text": text}]
    everything = found()
    assert {"check": "clock", "state": "ok", "text": "clock: plausible"} in everything
    assert [each["text"] for each in everything if each["state"] == "bad"] == [text]


# --- one thing broken at a time ------------------------------------------------------------------


def settings(adjud: Adjud, *replaced: tuple[str, str]) -> None:
    """Change the configuration."""
    text = (adjud.folder / "adjud.toml").read_text("utf-8")
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    adjud.write("adjud.toml", text)


def test_without_an_operator_nobody_is_told_of_trouble(well: Adjud) -> None:
    settings(well, ('operator = "games@example.org"', ""))
    assert bad(well) == [
        "operator: no address is set, so nobody hears of a match that needs you; set operator"
    ]
    settings(well, (f'out = "folder:{well.folder}/out"', ""), ('domain = "play.example.org"', ""))
    assert not [line for line in bad(well) if line.startswith("operator")]


def test_letters_that_are_refused_for_hours_are_told_with_the_servers_words(well: Adjud) -> None:
    receiver = Receiver()
    receiver.refuses["anna@example.org"] = "451 4.7.1 greylisted, for ever"
    out = f'out = "smtp://127.0.0.1:{receiver.port}"'
    settings(well, (f'out = "folder:{well.folder}/out"', out))
    with smtp_server(receiver):
        well.does("gm", "say", "espionage-1", "Hello")
        for moment in ("12:00:00", "12:06:00", "12:37:00"):
            well("tick", at=f"2026-11-21 {moment}")
        assert bad(well, at="2026-11-21 13:50:00") == []
        assert bad(well, at="2026-11-21 14:10:00") == [
            "letters: 1 has been refused for 2 hours: 451 4.7.1 greylisted, for ever"
        ]
    told = well("doctor", "--quiet", "--format", "json", at="2026-11-21 14:10:00").out
    assert "letters" in [json.loads(line)["check"] for line in told.splitlines()]
