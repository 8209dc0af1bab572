"""Two clubs whose configurations name one spool: neither takes the other's emails."""

import shutil
from pathlib import Path

import pytest

from adjudicator.mail.transport import spool
from tests.program import Adjud

SHEET = ("ORDERS espionage-1 white", "SETUP RANDOM", "END")
LATE = "2026-12-01 12:00:00"  # after the deadline, at a clock that ticks


@pytest.fixture
def other(by_mail: Adjud, tmp_path: Path) -> Adjud:
    """Make a second club, which shares nothing with `by_mail` but its spool."""
    folder = tmp_path / "other"
    folder.mkdir()
    other = Adjud(folder)
    other.write(
        "adjud.toml",
        f'[clock]\nmax_gap = "0"\n'
        f'[mail]\ndomain = "play.example.net"\nout = "folder:{folder}/out"\n'
        f'key = "{folder}/key"\nspool = "{shared(by_mail)}"\n',
    )
    other.does("init")
    other.does("player", "add", "Anna", "anna@example.org", "--confirmed")
    other.does("player", "add", "Bob", "bob@example.org", "--confirmed")
    other.match("espionage-1", "--option", "deadline=every 3 days", "--option", "absence=forfeit")
    return other


def shared(club: Adjud) -> Path:
    return club.folder / "data/adjud/spool"


def sentence(club: Adjud) -> str:
    return (
        f"the spool {shared(club)} belongs to another club: nothing in it is touched, and no "
        "deadline is treated as missed. Set mail.spool to a folder of this club's own; if there is "
        f"no other club any more, delete {shared(club)}/club\n"
    )


@pytest.mark.slow
def test_another_clubs_emails_are_left_alone(by_mail: Adjud, other: Adjud) -> None:
    by_mail.came("white", *SHEET)
    by_mail.does("tick")
    by_mail.came("black", *SHEET)
    told = sentence(by_mail)
    assert other("tick") == (1, "", f"adjud: {told}")
    assert other("tick", at=LATE) == (1, "", f"adjud: {told}")  # nobody has forfeited
    # White's orders may be in there, too, where nobody reads them.
    replace = ("gm", "replace", "espionage-1", "white", "computer")
    assert other(*replace) == (1, "", f"adjud: {told}")
    assert spool.count(shared(by_mail)) == 1
    assert f"BAD {told}" in other("doctor").out
    assert other("mail", "fetch", "maildir:box") == (1, "", f"adjud: {told}")
    assert other("mail", "serve") == (1, "", f"adjud: {told}")
    emails = [path.read_text() for path in (other.folder / "out").iterdir()]
    assert all("Something needs you" not in email for email in emails)  # it has no operator
    assert "belongs to another club" not in by_mail("doctor").out
    by_mail.does("tick")
    assert spool.count(shared(by_mail)) == 0


@pytest.mark.slow
def test_a_mailbox_is_not_emptied_into_another_clubs_spool(by_mail: Adjud, other: Adjud) -> None:
    by_mail.came("white", *SHEET)
    by_mail.does("tick")
    box = other.folder / "box"
    (box / "new").mkdir(parents=True)
    (box / "cur").mkdir()
    (box / "tmp").mkdir()
    (box / "new" / "1").write_text("Subject: x\n\nhello\n")
    config = other.folder / "adjud.toml"
    config.write_text(config.read_text() + f'fetch = "maildir:{box}"\n')
    answer = other("tick", at=LATE)
    assert answer.code == 1
    assert "emails cannot be fetched: the spool" in answer.err
    assert list((box / "new").iterdir())


@pytest.mark.slow
def test_a_spool_whose_club_is_no_more_can_be_taken_over(by_mail: Adjud, other: Adjud) -> None:
    by_mail.came("white", *SHEET)
    by_mail.does("tick")
    (shared(by_mail) / "club").unlink()
    assert other.does("tick") == ""
    by_mail.came("white", *SHEET)
    assert by_mail("tick") == (1, "", f"adjud: {sentence(by_mail)}")


@pytest.mark.slow
def test_a_backup_brings_the_mark_with_the_spool(by_mail: Adjud, other: Adjud) -> None:
    by_mail.came("white", *SHEET)
    by_mail.does("tick")
    by_mail.came("black", *SHEET)
    mark = spool.club(shared(by_mail))
    by_mail.does("backup", "b.tar.gz")
    shutil.rmtree(by_mail.folder / "data")
    for path in by_mail.folder.glob("adjud.db*"):
        path.unlink()
    by_mail.does("backup", "--restore", "b.tar.gz")
    assert spool.club(shared(by_mail)) == mark
    assert other("tick") == (1, "", f"adjud: {sentence(by_mail)}")
    by_mail.does("tick")
    assert spool.count(shared(by_mail)) == 0


@pytest.mark.slow
def test_nothing_is_restored_into_another_clubs_spool(by_mail: Adjud, other: Adjud) -> None:
    by_mail.came("white", *SHEET)
    by_mail.does("tick")
    by_mail.does("backup", "b.tar.gz")
    shutil.rmtree(by_mail.folder / "data")
    for path in by_mail.folder.glob("adjud.db*"):
        path.unlink()
    shared(by_mail).mkdir(parents=True)
    other.does("tick")
    answer = by_mail("backup", "--restore", "b.tar.gz")
    assert (answer.code, answer.err) == (1, f"adjud: {sentence(by_mail)}")
    assert not by_mail.file.exists()
