"""The key of a club: without it, or with another one, every address of a seat is dead."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from adjudicator.mail.address import MailDomain, seat_address
from tests.club import read_keys
from tests.program import SEED, Adjud

SHEET = ("ORDERS espionage-1 white", "SETUP RANDOM", "END")
OTHER = f"k1 {'ab' * 32}\n"


@pytest.fixture
def keyed(by_mail: Adjud) -> Adjud:
    """Return a club with a backup, and an email of Anna's that nobody has read."""
    by_mail.does("backup", "b.tar.gz")
    by_mail.came("white", *SHEET)
    return by_mail


def key_of(club: Adjud) -> Path:
    return club.folder / "data/adjud/adjud.key"


def waiting(club: Adjud) -> int:
    return len(list((club.folder / "data/adjud/spool/new").iterdir()))


def lost(club: Adjud) -> str:
    key_of(club).unlink()
    return (
        f"there is no key at {key_of(club)}, and without the club's own key no seat's address "
        "works: restore it from a backup, with `adjud backup --restore FILE --key-only`\n"
    )


def replaced(club: Adjud) -> str:
    key_of(club).write_text(OTHER)
    return (
        f"the key at {key_of(club)} is not this club's, and with it no seat's address "
        "works: move it away and restore the club's own key from a backup, with `adjud backup "
        "--restore FILE --key-only`\n"
    )


def forget_fingerprints(club: Adjud) -> None:
    """Make the database like one of an older version after its upgrade."""
    with closing(sqlite3.connect(club.file)) as connection, connection:
        connection.execute("UPDATE club SET fingerprints = ''")


@pytest.mark.parametrize("spoil", [lost, replaced])
@pytest.mark.parametrize("upgraded", [False, True])
def test_without_its_own_key_a_club_reads_and_writes_nothing_until_it_is_restored(
    keyed: Adjud, spoil: Callable[[Adjud], str], upgraded: bool
) -> None:
    if upgraded:
        forget_fingerprints(keyed)
    told = spoil(keyed)
    before = keyed.dump()
    for words in ("tick", "mail send", "mail serve", "gm say espionage-1 hello", "site build www"):
        assert keyed(*words.split()) == (1, "", f"adjud: {told}"), words
    answer = keyed("doctor", "--quiet")
    assert answer.code == 1
    assert f"BAD {told}" in answer.out
    assert keyed.dump() == before
    assert waiting(keyed) == 1

    key_of(keyed).unlink(missing_ok=True)
    restored = keyed.does("backup", "--restore", "b.tar.gz", "--key-only")
    assert restored == f"{key_of(keyed)}: the key is restored\n"
    assert key_of(keyed).stat().st_mode & 0o777 == 0o600
    keyed.does("tick")
    assert waiting(keyed) == 0
    assert "no orders yet from black" in keyed.does("status", "--gm")


@pytest.mark.parametrize("upgraded", [False, True])
def test_init_makes_no_other_key_for_a_club_that_has_one(keyed: Adjud, upgraded: bool) -> None:
    if upgraded:
        forget_fingerprints(keyed)
    told = lost(keyed)
    answer = keyed("init")
    assert (answer.code, answer.err) == (1, f"adjud: {told}")
    assert not key_of(keyed).exists()


def test_a_key_that_is_lost_for_good_is_followed_by_another_one(keyed: Adjud) -> None:
    lost(keyed)
    told = keyed.does("init", "--new-key")
    assert f"{key_of(keyed)}: made" in told
    assert told.endswith("1 matches: all seats get a notice of their new addresses\n")
    shutil.rmtree(keyed.folder / "out")
    keyed.does("tick")
    emails = [path.read_text() for path in (keyed.folder / "out").iterdir()]
    (anna,) = [one for one in emails if "anna@example.org" in one and "key that signs" in one]
    post = MailDomain(domain="play.example.org", keys=read_keys(key_of(keyed)))
    assert f"Reply-To: {seat_address(post, 'espionage-1', 'white', 1)}\n" in anna
    keyed.came("white", *SHEET)
    keyed.does("tick")
    assert "no orders yet from black" in keyed.does("status", "--gm")
    answer = keyed("init", "--new-key")
    assert (answer.code, answer.err) == (
        1,
        f"adjud: the key at {key_of(keyed)} is this club's; no key is lost\n",
    )


def test_another_key_that_is_there_is_taken_only_if_that_is_said(keyed: Adjud) -> None:
    replaced(keyed)
    assert "1 matches: all seats get a notice" in keyed.does("init", "--new-key")
    assert key_of(keyed).read_text() == OTHER
    assert keyed("tick").err == ""


def test_a_key_is_changed_by_a_line_above_the_old_one(keyed: Adjud) -> None:
    old = key_of(keyed).read_text()
    key_of(keyed).write_text(OTHER.replace("k1", "k2") + old)
    keyed.does("tick")
    assert waiting(keyed) == 0
    assert "no orders yet from black" in keyed.does("status", "--gm")
    key_of(keyed).write_text(OTHER.replace("k1", "k2"))
    keyed.does("tick")
    key_of(keyed).write_text(old)
    assert "is not this club's" in keyed("tick").err


def test_the_key_of_another_club_is_not_restored(keyed: Adjud) -> None:
    keyed.env["ADJUD_DATABASE"] = f"sqlite:///{keyed.folder}/other.db"
    key_of(keyed).unlink()
    keyed.does("init")
    key_of(keyed).unlink()
    answer = keyed("backup", "--restore", "b.tar.gz", "--key-only")
    assert answer == (1, "", "adjud: the key in b.tar.gz is not this club's\n")
    assert not key_of(keyed).exists()


def test_over_another_key_none_is_restored(keyed: Adjud) -> None:
    replaced(keyed)
    answer = keyed("backup", "--restore", "b.tar.gz", "--key-only")
    away = f"adjud: there is a different key at {key_of(keyed)}; move it away first\n"
    assert answer == (1, "", away)
    assert keyed("backup", "b.tar.gz", "--key-only").code == 2


def test_a_club_by_files_needs_no_key(adjud: Adjud) -> None:
    adjud.club()
    adjud.match("espionage-1", "--seed", SEED)
    key_of(adjud).unlink()
    adjud.does("tick")
    assert f"BAD {lost_of(adjud)}" in adjud("doctor").out


def lost_of(club: Adjud) -> str:
    key_of(club).touch()
    return lost(club)


def test_a_report_shows_no_address_by_a_key_that_is_not_the_clubs(keyed: Adjud) -> None:
    page = keyed.does("report", "espionage-1", "white", "--format", "html")
    assert "mailto:adjud+espionage-1.white." in page
    replaced(keyed)
    page = keyed.does("report", "espionage-1", "white", "--format", "html")
    assert "mailto:adjud" not in page


def test_an_empty_database_beside_an_older_key_is_no_club_that_was_here(keyed: Adjud) -> None:
    for path in keyed.folder.rglob("adjud.db*"):
        path.unlink()
    answer = keyed("init")
    assert answer.code == 0
    assert answer.err == (
        f"next: {key_of(keyed)} is older than that empty database: if a club was here, move "
        f"sqlite:///{keyed.file} away before a tick reads its emails, and "
        "`adjud backup --restore FILE` brings its own back\n"
    )
    assert not keyed("init").err
