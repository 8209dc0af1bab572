"""An ended match becomes one file, and what the club shows of it stays as it was."""

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import copied, every_host_is_known, with_emails
from tests.inside import archiving
from tests.program import BLACK_ARMY, WHITE_ARMY, Adjud

LATER = "2026-11-22 12:00:00"


@pytest.fixture(scope="module")
def ended(clubs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a club in which a match has ended after both sides had written."""
    folder = tmp_path_factory.mktemp("ended")
    with pytest.MonkeyPatch.context() as monkeypatch:
        every_host_is_known(monkeypatch)
        club = with_emails(copied(clubs.by_mail, folder))
        for seat, army in (("white", WHITE_ARMY), ("black", BLACK_ARMY)):
            club.came(seat, "SETUP", *army.splitlines(), Message_ID=f"<{seat}@example.org>")
        club.does("tick")
        club.came("black", "RESIGN", "PRESS TO white", "Farewell", "ENDPRESS")
        club.does("tick")
        club.does("gm", "forfeit", "espionage-1", "black", "--reason", "Illness.")
        club.does("tick")
    return folder


@pytest.fixture
def over(adjud: Adjud, ended: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Adjud]:
    """Return a copy of that club. Whatever was archived in it, the doctor reads what is left."""
    every_host_is_known(monkeypatch)
    copied(ended, adjud.folder)
    club = with_emails(adjud.folder)
    yield club
    assert "an error inside adjud" not in club("doctor", at=LATER).out


def shown(club: Adjud) -> list[str]:
    """Return all that the club says of the match, apart from its old reports."""
    words = (
        ("status", "--all"),
        ("status", "espionage-1"),
        ("standings",),
        ("record", "export", "espionage-1"),
        ("report", "espionage-1", "white", "--format", "json"),
        ("report", "espionage-1", "black", "--format", "text"),
        ("board", "espionage-1", "--gm"),
        ("verify",),
    )
    return [without_messages(club.does(*one, at=LATER)) for one in words]


# In JSON, HTML and text: what players wrote to each other.
_MESSAGES = re.compile(
    r',\n  "press": \[.*?\n  \]'
    r'|<section class="press">.*?</section>\s*'
    r"|\nMessages\n-+\n.*?(?=\n[^\n]+\n-+\n|\Z)",
    re.S,
)


def without_messages(text: str) -> str:
    """Leave out what players wrote to each other, which goes into the archive with their emails."""
    return _MESSAGES.sub("", text)


def pages(club: Adjud, name: str) -> dict[str, str]:
    """Build the site where none is, and return its files, but those of the first page."""
    folder = club.folder / name
    club.does("site", "build", str(folder), at=LATER)
    return {
        str(path.relative_to(folder)): without_messages(path.read_text("utf-8", "replace"))
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_all_that_is_shown_of_an_archived_match_stays(over: Adjud) -> None:
    before, site = shown(over), pages(over, "before")
    told = over.does("match", "archive", "espionage-1", at=LATER)
    assert told.startswith("espionage-1 is archived in espionage-1.zip; ")
    assert shown(over) == before
    assert pages(over, "after") == site
    assert "ok  matches: all can be read\n" in over("doctor", at=LATER).out
    over.does("tick", at=LATER)


@pytest.mark.slow
def test_the_file_can_be_read_and_checked_without_the_club(over: Adjud, tmp_path: Path) -> None:
    over.does("match", "archive", "espionage-1", str(over.folder / "m.zip"), at=LATER)
    assert (over.folder / "m.zip").stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(over.folder / "m.zip") as archive:
        archive.extractall(over.folder / "m")
    folder = over.folder / "m" / "espionage-1"
    facts = json.loads((folder / "match.json").read_text())
    assert facts["players"] == {"white": "Anna", "black": "Bob"}
    assert facts["result"]["winner"] == "white"
    assert facts["places"] == [["white"], ["black"]]
    assert [(one["seat"], one["how"]) for one in facts["departures"]] == [("black", "forfeited")]
    assert len(list((folder / "reports").iterdir())) == 6
    for path in over.folder.glob("adjud.db*"):
        path.unlink()
    told = over.does("audit", str(folder), at=LATER)
    assert told.startswith("espionage-1: everything that can be compared agrees\n")
    over.does("record", "replay", str(folder / "record.txt"), at=LATER)


@pytest.mark.slow
def test_a_reply_to_an_old_email_is_answered(over: Adjud) -> None:
    over.does("match", "archive", "espionage-1", at=LATER)
    for number, words in enumerate((["REPORT"], ["STATUS"], ["ORDERS", "d4-d5", "END"])):
        over.came("white", *words, In_Reply_To=f"<{number}@play.example.org>")
    before = set((over.folder / "out").iterdir())
    over.does("tick", at=LATER)
    assert len(set((over.folder / "out").iterdir()) - before) == 3
    assert "ok  matches: all can be read\n" in over("doctor", at=LATER).out


@pytest.mark.slow
def test_a_backup_of_an_archived_match_is_whole(over: Adjud) -> None:
    over.does("match", "archive", "espionage-1", at=LATER)
    before = shown(over)
    over.does("backup", str(over.folder / "b.tar.gz"), at=LATER)
    for path in over.folder.glob("adjud.db*"):
        path.unlink()
    over.does("backup", "--restore", str(over.folder / "b.tar.gz"), at=LATER)
    assert shown(over)[2:4] == before[2:4]
    assert shown(over)[-1] == before[-1]


@pytest.mark.slow
def test_a_killed_archive_goes_on(over: Adjud, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(archiving, "reduce", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert over("match", "archive", "espionage-1", at=LATER).code != 0
    there = (over.folder / "espionage-1.zip").read_bytes()
    over.does("match", "archive", "espionage-1", at="2026-11-23 12:00:00")
    assert (over.folder / "espionage-1.zip").read_bytes() == there
    old = over("report", "espionage-1", "white", "--turn", "0")
    assert "its old reports are no longer in the database" in old.err
    again = over("match", "archive", "espionage-1", "other.zip")
    assert "espionage-1 was archived on 2026-11-23" in again.err
    assert not (over.folder / "other.zip").exists()


@pytest.mark.slow
def test_a_file_that_is_there_is_left_alone(over: Adjud) -> None:
    over.write("espionage-1.zip", "mine")
    before = over.dump()
    answer = over("match", "archive", "espionage-1", at=LATER)
    assert answer.err == "adjud: espionage-1.zip already exists; nothing was written\n"
    assert (over.folder / "espionage-1.zip").read_text() == "mine"
    assert len(over.dump()) == len(before)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("espionage-1",), "espionage-1 has not ended; only a match that has ended is archived"),
        (("espionag-1",), "there is no match 'espionag-1'; did you mean espionage-1?"),
    ],
)
def test_what_is_not_archived(by_mail: Adjud, words: tuple[str, ...], told: str) -> None:
    answer = by_mail("match", "archive", *words)
    assert (answer.code, answer.out, answer.err) == (1, "", f"adjud: {told}\n")
    assert list(by_mail.folder.glob("*.zip")) == []


@pytest.mark.slow
def test_a_folder_that_is_not_there_is_named(over: Adjud) -> None:
    answer = over("match", "archive", "espionage-1", "no/where.zip")
    assert (answer.code, answer.err) == (1, "adjud: there is no folder no\n")


@pytest.mark.slow
def test_a_pruned_file_has_no_free_pages(over: Adjud) -> None:
    over.does("match", "archive", "espionage-1", at=LATER)
    before = shown(over)
    told = over.does("db", "prune", at=LATER)
    assert " kB before, " in told
    assert b"Farewell" not in over.file.read_bytes()
    assert shown(over) == before


@pytest.mark.slow
def test_an_erased_players_archives_are_named(over: Adjud) -> None:
    over.does("match", "archive", "espionage-1", at=LATER)
    told = over.does("player", "erase", "Bob", "--confirm", at=LATER)
    assert "espionage-1: the name stays in the file in which it was archived\n" in told
