"""`adjud init FOLDER`: a club in a folder, found from there and below; nobody else's is."""

import os
import shutil
import stat
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from adjudicator import places
from adjudicator.mail.transport import receive
from tests.processes import at_once
from tests.program import Adjud

OTHER = 12345
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


@pytest.fixture
def free(adjud: Adjud) -> Adjud:
    """Return the program where nothing says which club is meant."""
    adjud.env |= {"ADJUD_CONFIG": None, "ADJUD_DATABASE": None}
    return adjud


@pytest.fixture
def inside(free: Adjud, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return it in a folder below that of a club, with a club in the home folder as well."""
    free.does("init")
    free.does("init", "club")
    below = free.folder / "club" / "drafts" / "may"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return free


def names(adjud: Adjud) -> str:
    return adjud.does("player", "list")


def test_all_of_a_club_is_in_its_folder(free: Adjud) -> None:
    club = free.folder / "club"
    assert free("init", "club") == (
        0,
        f"{club}/adjud.toml: made; every setting is in it as a comment\n"
        f"{club}/adjud.key: made; it signs the addresses of seats, keep a copy of it\n"
        f"sqlite:///{club}/adjud.db: made\n",
        "next: `cd club`; commands there and below use this club\n",
    )
    assert stat.S_IMODE(club.stat().st_mode) == 0o700
    assert {path.name for path in club.iterdir()} == {"adjud.toml", "adjud.key", "adjud.db"}
    assert not (free.folder / "data").exists()
    assert not (free.folder / "config").exists()
    again = free.does("init", "club")
    assert again.count("there already, left alone") == 3


def test_commands_in_it_and_below_use_it(inside: Adjud, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.does("player", "add", "Eve", "eve@example.org", "--confirmed")
    assert "Eve" in names(inside)
    monkeypatch.chdir(inside.folder / "club")
    assert "Eve" in names(inside)
    monkeypatch.chdir(inside.folder)
    assert "Eve" not in names(inside)
    assert "Eve" in inside.does("--config", "club/adjud.toml", "player", "list")


def test_a_folder_may_be_moved(inside: Adjud, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.does("player", "add", "Eve", "eve@example.org", "--confirmed")
    moved = inside.folder / "50% of what?"
    monkeypatch.chdir(inside.folder)
    shutil.move("club", moved)
    monkeypatch.chdir(moved)
    assert "Eve" in names(inside)


def test_the_nearest_club_is_taken(inside: Adjud, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.does("init", ".")
    inside.does("player", "add", "Eve", "eve@example.org", "--confirmed")
    monkeypatch.chdir(inside.folder / "club")
    assert "Eve" not in names(inside)


def test_what_is_named_goes_before_the_folder(inside: Adjud) -> None:
    home = str(inside.folder / "config/adjud/adjud.toml")
    assert inside.does("--config", home, "init").startswith(f"{home}: there already")
    inside.env["ADJUD_CONFIG"] = home
    assert inside.does("init").startswith(f"{home}: there already")


def test_init_alone_makes_the_club_of_the_user(free: Adjud) -> None:
    assert f"{free.folder}/data/adjud/adjud.db: made" in free.does("init")


def test_a_backup_is_restored_into_a_folder(inside: Adjud, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.does("player", "add", "Eve", "eve@example.org", "--confirmed")
    inside.does("backup", str(inside.folder / "b.tar.gz"))
    monkeypatch.chdir(inside.folder)
    at = ("--config", "new/adjud.toml")
    told = inside.does(*at, "backup", "--restore", "b.tar.gz")
    new = inside.folder / "new"
    assert f"{new}/adjud.db: the database is restored\n" in told
    assert f"{new}/adjud.key: the key is restored\n" in told
    assert "Eve" in inside.does(*at, "player", "list")


@pytest.mark.parametrize(
    "words", [("--config", "x.toml", "init", "club"), ("--database", "sqlite:///x", "init", "club")]
)
def test_a_folder_and_another_place_are_too_much(free: Adjud, words: tuple[str, ...]) -> None:
    answer = free(*words)
    assert (answer.code, answer.out) == (2, "")
    assert "FOLDER cannot go with --config or --database" in answer.err
    assert not (free.folder / "club").exists()


@pytest.mark.parametrize("name", ["ADJUD_CONFIG", "ADJUD_DATABASE", "ADJUD_SPOOL"])
def test_a_club_that_later_commands_would_not_use_is_not_made(free: Adjud, name: str) -> None:
    free.env[name] = "elsewhere"
    sentence = f"adjud: {name} is set and names another club; unset it first\n"
    assert free("init", "club") == (1, "", sentence)
    assert not (free.folder / "club").exists()


# --- the pipe of a mail server -------------------------------------------------------------------


def piped() -> int:
    return receive.main(["mail", "receive"], {}, BytesIO(b"Subject: x\r\n\r\nhello\r\n"))


def test_a_pipe_puts_emails_where_a_tick_in_the_same_folder_reads_them(inside: Adjud) -> None:
    settings = inside.folder / "club/adjud.toml"
    settings.write_text(settings.read_text().replace("# domain =", "domain ="))
    assert piped() == 0
    assert len(list((inside.folder / "club/spool/new").iterdir())) == 1
    inside.does("tick")
    assert not list((inside.folder / "club/spool/new").iterdir())


# --- what belongs to another user ----------------------------------------------------------------


def give_away(path: Path) -> None:
    os.chown(path, OTHER, OTHER, follow_symlinks=False)


def linked(club: Path) -> None:
    """Let the file be a link of ours to a file of another user."""
    (club / "adjud.toml").rename(club / "theirs.toml")
    give_away(club / "theirs.toml")
    (club / "adjud.toml").symlink_to(club / "theirs.toml")


def linking(club: Path) -> None:
    """Let the file be a link of another user to a file of ours."""
    (club / "adjud.toml").rename(club / "ours.toml")
    (club / "adjud.toml").symlink_to(club / "ours.toml")
    give_away(club / "adjud.toml")


FOREIGN = {
    "the folder": (give_away, ""),
    "the file": (lambda club: give_away(club / "adjud.toml"), "/adjud.toml"),
    "what a link leads to": (linked, "/adjud.toml"),
    "the link": (linking, "/adjud.toml"),
}


@root_only
@pytest.mark.parametrize(("make", "what"), FOREIGN.values(), ids=FOREIGN)
def test_a_club_of_another_user_is_refused_in_a_sentence(
    inside: Adjud, make: Callable[[Path], None], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    club = inside.folder / "club"
    make(club)
    sentence = (
        f"adjud: {club}/adjud.toml is not used, because {club}{what} belongs to {OTHER}, not to "
        f"you; if you trust it, write `adjud --config {club}/adjud.toml …`\n"
    )
    for words in (("tick",), ("status",), ("init",), ("init", str(club)), ("doctor",)):
        assert inside(*words) == (1, "", sentence), words
    assert piped() == 75
    assert (
        "belongs to another user; name the configuration with --config" in capsys.readouterr().err
    )
    assert not (club / "spool").exists()
    assert not (inside.folder / "data/adjud/spool").exists()
    assert inside("--config", str(club / "adjud.toml"), "status").code == 0


@root_only
def test_who_works_below_a_folder_of_all_is_given_no_club_of_another_user() -> None:
    """Anybody can put a file into /tmp."""
    with TemporaryDirectory(dir="/tmp") as folder:  # a user may not enter the folders of tests
        everybodys = Path(folder)
        everybodys.chmod(0o1777)
        mine = everybodys / "mine"
        mine.mkdir()
        give_away(mine)
        planted = everybodys / "adjud.toml"
        planted.write_text('[mail]\nout = "sendmail:/tmp/evil"\n')
        os.chown(planted, OTHER + 1, OTHER + 1)

        def look(_: int) -> None:
            os.chdir(mine)
            os.setuid(OTHER)
            with pytest.raises(places.NotOurs):
                places.config_file(None)

        at_once(1, look)


def test_a_folder_that_was_deleted_has_no_club(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert places.config_file(None) in (None, places.MACHINE)


def test_the_machines_own_configuration_is_not_taken_for_a_clubs(
    free: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An administrator's shell may be in /etc, and the file there is root's."""
    etc = free.folder / "etc"
    etc.mkdir()
    (etc / "adjud.toml").write_text("")
    monkeypatch.setattr(places, "MACHINE", etc / "adjud.toml")
    monkeypatch.chdir(etc)
    assert places.config_file(None) == places.MACHINE
    free.does("init")
    (free.folder / "config/adjud").mkdir(parents=True)
    (free.folder / "config/adjud/adjud.toml").write_text("")
    assert places.config_file(None) == free.folder / "config/adjud/adjud.toml"
