"""A club on a server: which configuration counts, another computer, a newer program, the doctor."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from adjudicator import places
from tests import postgresql
from tests.database import Store, make_engine, oldest, parse_url
from tests.inside import base_files as files
from tests.inside import schema
from tests.older_club import database_of_0_2_28
from tests.processes import at_once
from tests.program import SEED, Adjud, rows_in

SHEET = "ORDERS espionage-1 white\nSETUP RANDOM\nEND\n"


def bad(answer: str) -> list[str]:
    return [line.removeprefix("BAD ") for line in answer.splitlines() if line.startswith("BAD ")]


# --- which configuration ---------------------------------------------------------------------


@pytest.fixture
def machine(adjud: Adjud, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the place of the machine's own configuration; nothing says where another one is."""
    path = adjud.folder / "etc" / "adjud.toml"
    path.parent.mkdir()
    monkeypatch.setattr(places, "MACHINE", path)
    adjud.env |= {"ADJUD_CONFIG": None, "ADJUD_DATABASE": None}
    return path


def test_the_machines_configuration_is_looked_for_last(adjud: Adjud, machine: Path) -> None:
    own = adjud.folder / "config/adjud/adjud.toml"
    own.parent.mkdir(parents=True)
    for path in (machine, own, adjud.folder / "adjud.toml"):
        path.write_text(f'database = "sqlite:///{path}.db"\n')
        adjud.does("init")
        assert Path(f"{path}.db").is_file(), path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_it_is_found_from_a_folder_that_the_user_may_not_enter(tmp_path: Path) -> None:
    shut = tmp_path / "shut"
    shut.mkdir()
    shut.chmod(0o700)

    def look() -> None:
        os.chdir(shut)
        os.setuid(12345)
        assert places.config_file(None) in (None, places.MACHINE)

    at_once(1, lambda _: look())


OF_ANOTHER_USER = {
    "in a folder": 'folder = "/dev/null/club"',
    "a file": 'database = "sqlite:////dev/null/club/adjud.db"',
    "a file of which only the key is another's": (
        'database = "sqlite:///adjud.db"\n[mail]\nkey = "/dev/null/club/adjud.key"'
    ),
    "on a server": 'database = "postgresql://adjud@localhost/adjud"',
}


@pytest.mark.parametrize("club", OF_ANOTHER_USER)
def test_init_makes_ones_own_club_beside_the_machines_of_another_user(
    adjud: Adjud, machine: Path, club: str
) -> None:
    machine.write_text(OF_ANOTHER_USER[club])
    made = adjud.does("init").splitlines()
    assert made[0] == f"{machine}: the settings of another user's club, left alone"
    assert machine.read_text() == OF_ANOTHER_USER[club]
    assert (adjud.folder / "data/adjud/adjud.db").is_file()
    assert (adjud.folder / "data/adjud/adjud.key").is_file()
    adjud.does("player", "add", "Anna", "anna@example.org", "--confirmed")
    assert f"{adjud.folder}/config/adjud/adjud.toml: there already" in adjud.does("init")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_settings_of_another_user_that_cannot_be_read_stop_nobody(
    adjud: Adjud, machine: Path
) -> None:
    machine.write_text("no toml")
    assert f"{machine}, line 1: Expected" in adjud("init").err
    os.chown(machine, 12345, 12345)
    adjud.does("init")
    assert (adjud.folder / "data/adjud/adjud.db").is_file()


def test_a_pipe_finds_the_spool_of_the_machines_configuration(adjud: Adjud, machine: Path) -> None:
    machine.write_text(f'\ufeff[mail]\nspool = "{adjud.folder}/letters"\n')
    assert places.spool(None) == adjud.folder / "letters"


# --- the club's domain -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "tick", "tick --match espionage-1", "mail send", "mail serve", "submit - --tick",
        "new espionage --seat white=Anna --seat black=Bob", "gm hold espionage-1 --reason x",
        "gm say espionage-1 hello", "player add Eve eve@example.org",
    ],
)  # fmt: skip
def test_who_ticks_with_another_configuration_is_told_of_the_clubs_own(
    by_mail: Adjud, words: str
) -> None:
    by_mail.write("other.toml", "")
    before = by_mail.dump()
    answer = by_mail("--config", str(by_mail.folder / "other.toml"), *words.split(), stdin=SHEET)
    assert answer == (
        1,
        "",
        "adjud: this club's email is sent from play.example.org, which this configuration does "
        "not know; use the club's own configuration, with --config\n",
    )
    assert by_mail.dump() == before


def test_the_doctor_sees_that_the_configuration_is_not_the_clubs(by_mail: Adjud) -> None:
    by_mail.write("adjud.toml", "")
    answer = by_mail("doctor", "--quiet")
    assert answer.code == 1
    assert "BAD this club's email is sent from play.example.org, which this" in answer.out


def test_init_remembers_the_domain_before_any_email_is_made(adjud: Adjud) -> None:
    config = adjud.write("adjud.toml", '[mail]\ndomain = "play.example.org"\n')
    adjud.does("init")
    Path(config).write_text("")
    assert (
        "email is sent from play.example.org" in adjud("player", "add", "Anna", "a@example.org").err
    )


def test_what_makes_no_emails_may_be_asked_with_any_configuration(by_mail: Adjud) -> None:
    by_mail.write("adjud.toml", "")
    for words in ("status", "verify", "report espionage-1 white", "mail queue list"):
        assert by_mail(*words.split()).code == 0
    assert by_mail("check", "-", stdin=SHEET).code == 0


def test_a_sheet_whose_receipt_goes_by_email_needs_the_clubs_configuration(by_mail: Adjud) -> None:
    by_mail.write("adjud.toml", "")
    answer = by_mail("submit", "-", stdin=SHEET)
    assert (answer.code, answer.out) == (1, "")
    assert "use the club's own configuration, with --config" in answer.err


def test_a_club_that_moves_to_another_domain_is_told_so_once(by_mail: Adjud) -> None:
    config = by_mail.folder / "adjud.toml"
    config.write_text(config.read_text().replace("play.example.org", "play.example.net"))
    answer = by_mail("tick")
    moved = "this club's email is now sent from play.example.net, no longer from play.example.org"
    assert (answer.code, answer.err) == (0, f"adjud: {moved}\n")
    assert by_mail("tick").err == ""


def test_emails_are_not_fetched_into_a_spool_that_nobody_reads(playing: Adjud) -> None:
    answer = playing("mail", "fetch", "mbox:/var/mail/adjud")
    told = "adjud: there is no address for incoming email; set mail.domain\n"
    assert answer == (1, "", told)


def test_a_match_by_files_never_hears_of_domains(playing: Adjud) -> None:
    for words in ("tick", "gm say espionage-1 hello", "mail send", "doctor"):
        assert playing(*words.split()).err == ""


# --- another computer, and a newer program -----------------------------------------------------


def there(config: Path, home: Path, *, mail: str = "") -> None:
    config.write_text(
        f'database = "sqlite:///{home}/adjud.db"\n'
        f'[mail]\nkey = "{home}/adjud.key"\nspool = "{home}/spool"\n{mail}'
    )


@pytest.fixture
def moved(adjud: Adjud) -> tuple[Adjud, Path, Path, str]:
    """Lose a club's computer: keep only the program, the places of its files, and a backup."""
    config, home = adjud.folder / "etc.toml", adjud.folder / "var"
    adjud.env |= {"ADJUD_CONFIG": None, "ADJUD_DATABASE": None}
    home.mkdir(mode=0o700)
    there(config, home, mail='domain = "play.example.org"\nout = "folder:/nowhere"\n')
    at = ("--config", str(config))
    adjud.does(*at, "init")
    for _ in range(2):
        email = [sys.executable, "-m", "adjudicator", *at, "mail", "receive"]
        subprocess.run(email, input=b"Subject: x\r\n\r\nhello\r\n", check=True)
    backup = str(adjud.folder / "b.tar.gz")
    adjud.does(*at, "backup", backup)
    config.unlink()
    shutil.rmtree(home)
    home.mkdir(mode=0o700)
    return adjud, config, home, backup


def test_a_backup_alone_brings_a_club_back(moved: tuple[Adjud, Path, Path, str]) -> None:
    """Database, key and emails go where the configuration in the backup wants them."""
    adjud, config, home, backup = moved
    at = ("--config", str(config))
    assert adjud.does(*at, "backup", "--restore", backup) == (
        f"{home}/adjud.db: the database is restored\n"
        f"{config}: the configuration is restored\n"
        f"{home}/adjud.key: the key is restored\n"
        f"{home}/spool: 2 emails are restored\n"
    )
    assert config.stat().st_mode & 0o777 == 0o600
    assert len(list((home / "spool/new").iterdir())) == 2
    answer = adjud(*at, "doctor")
    assert "ok  key: backed up\n" in answer.out
    assert adjud(*at, "tick").code == 0
    assert list((home / "spool/new").iterdir()) == []


def test_a_configuration_in_the_archive_that_cannot_be_used_is_named(adjud: Adjud) -> None:
    adjud.does("init")
    adjud.write("adjud.toml", "zzz = 1")
    with tarfile.open(adjud.folder / "b.tar.gz", "w:gz") as tar:
        for name in ("adjud.db", "adjud.toml"):
            tar.add(adjud.folder / name, name)
    for name in ("adjud.db", "adjud.toml"):
        (adjud.folder / name).unlink()
    answer = adjud("backup", "--restore", str(adjud.folder / "b.tar.gz"))
    assert answer.code == 1
    assert f"{adjud.folder}/b.tar.gz/adjud.toml, line 1: there is no setting 'zzz'" in answer.err
    assert not adjud.file.exists()


def test_without_a_name_the_configuration_is_restored_for_this_user(
    moved: tuple[Adjud, Path, Path, str],
) -> None:
    adjud, _, home, backup = moved
    own = adjud.folder / "config/adjud/adjud.toml"
    told = adjud.does("backup", "--restore", backup)
    assert f"{own}: the configuration is restored\n" in told
    assert (home / "adjud.db").is_file()


def test_a_configuration_that_is_there_counts_and_is_named(
    moved: tuple[Adjud, Path, Path, str],
) -> None:
    adjud, config, _, backup = moved
    elsewhere = adjud.folder / "elsewhere"
    there(config, elsewhere)
    before = config.read_text()
    told = adjud.does("--config", str(config), "backup", "--restore", backup)
    assert told.splitlines()[:2] == [
        f"{elsewhere}/adjud.db: the database is restored",
        f"{config}: this configuration is used; the one in the archive is different",
    ]
    assert config.read_text() == before


@pytest.mark.parametrize("folder", ["new", "tmp"])
def test_what_a_killed_restore_left_of_an_email_does_not_stop_the_next_one(
    moved: tuple[Adjud, Path, Path, str], folder: str
) -> None:
    adjud, config, home, backup = moved
    left = home / "spool" / folder / ".1.letter.adjud-7"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half of a let")
    told = adjud.does("--config", str(config), "backup", "--restore", backup)
    assert f"{home}/spool: 2 emails are restored\n" in told


def test_an_email_is_never_half_written_where_emails_wait(
    moved: tuple[Adjud, Path, Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill leaves what it leaves in `tmp`, which the tick sweeps."""
    adjud, config, home, backup = moved
    looks: list[list[Path]] = []
    forced = os.fsync

    def look(file: int) -> None:
        looks.append([*home.glob("spool/new/.*")])
        forced(file)

    monkeypatch.setattr(os, "fsync", look)
    adjud.does("--config", str(config), "backup", "--restore", backup)
    assert looks
    assert not any(looks)


def test_what_is_refused_leaves_no_configuration_behind(
    moved: tuple[Adjud, Path, Path, str],
) -> None:
    adjud, config, home, backup = moved
    (home / "adjud.key").write_text("k1 " + "00" * 32)
    answer = adjud("--config", str(config), "backup", "--restore", backup)
    assert (
        answer.err == f"adjud: there is a different key at {home}/adjud.key; move it away first\n"
    )
    assert not config.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_root_restores_belongs_to_the_folders_owner(
    moved: tuple[Adjud, Path, Path, str],
) -> None:
    adjud, config, home, backup = moved
    os.chown(home, 12345, 12346)
    adjud.does("--config", str(config), "backup", "--restore", backup)
    restored = [config, *(path for path in home.rglob("*"))]
    assert len(restored) == 10
    assert {(path.stat().st_uid, path.stat().st_gid) for path in restored} == {(12345, 12346)}


def old_database(path: Path) -> None:
    """Make a database without a club, as 0.2.28 did."""
    path.touch(mode=0o600)
    store = Store(make_engine(parse_url(f"sqlite:///{path}")))
    schema.upgrade(store, oldest())
    store.close()


def test_an_older_database_is_backed_up_before_its_upgrade(adjud: Adjud, tmp_path: Path) -> None:
    old_database(adjud.file)
    adjud.write("adjud.toml", "")
    assert "`adjud db upgrade`" in adjud("tick").err
    assert adjud("backup", str(tmp_path / "b.tar.gz")).code == 0
    assert adjud.does("db", "upgrade").startswith("0028 -> ")
    assert adjud("backup", "--restore", str(tmp_path / "b.tar.gz")).code == 1
    adjud.file.unlink()
    assert adjud("backup", "--restore", str(tmp_path / "b.tar.gz")).code == 0
    assert "`adjud db upgrade`" in adjud("tick").err
    assert adjud.does("db", "upgrade", at="2027-01-08 12:00:00").startswith("0028 -> ")
    (club,) = [row for row in adjud.dump() if row.startswith("club: (")]
    assert "'2026-11-21T12:00:00.000000Z', '" in club  # when it was restored
    assert not list(adjud.folder.rglob("*.restored"))


def test_an_upgrade_fills_in_how_matches_ended_before_that_was_kept(adjud: Adjud) -> None:
    database_of_0_2_28(adjud.file)
    adjud.write("adjud.toml", "")
    kept = "SELECT name, result, ended_at FROM match WHERE status = 'over'"
    with closing(sqlite3.connect(adjud.file)) as connection:
        before = connection.execute(kept).fetchall()
        with connection:
            connection.execute("UPDATE match SET result = NULL, ended_at = NULL")
            connection.execute("UPDATE club SET unfilled_since = 0")
        adjud.does("db", "upgrade")
        assert connection.execute(kept).fetchall() == before != []


def test_an_older_backup_that_is_looked_at_elsewhere_is_no_news_of_the_club(
    adjud: Adjud, tmp_path: Path
) -> None:
    old_database(adjud.file)
    adjud.write("adjud.toml", "")
    adjud.does("backup", str(tmp_path / "b.tar.gz"))
    adjud.does("db", "upgrade")
    before = adjud.dump()
    other = ("--database", f"sqlite:///{tmp_path}/looked at.db")
    adjud.does(*other, "backup", "--restore", str(tmp_path / "b.tar.gz"))
    adjud.does("db", "upgrade")
    assert adjud.dump() == before
    adjud.does(*other, "db", "upgrade")  # there it is
    assert not list(adjud.folder.rglob("*.restored"))


def test_of_two_backups_restored_to_one_place_the_later_one_is_noted_and_elsewhere_its_own(
    adjud: Adjud, tmp_path: Path
) -> None:
    def noted() -> str:
        said = adjud.does("db", "upgrade", at="2027-01-08 12:00:00")
        (club,) = [row for row in adjud.dump() if row.startswith("club: (")]
        return f"{said.partition(' ')[0]} {club.split(', ')[-4]}"

    old, new = str(tmp_path / "old.tar.gz"), str(tmp_path / "new.tar.gz")
    elsewhere = ("--database", f"sqlite:///{tmp_path}/elsewhere.db")
    old_database(adjud.file)
    adjud.write("adjud.toml", "")
    adjud.does("backup", old)
    adjud.does("db", "upgrade")
    adjud.does("backup", new)
    adjud.file.unlink()
    adjud.does("backup", "--restore", old, at="2026-11-22 12:00:00")
    adjud.does(*elsewhere, "backup", "--restore", new, at="2026-11-23 12:00:00")
    assert noted() == "0028 '2026-11-22T12:00:00.000000Z'"
    adjud.file.unlink()
    adjud.does("backup", "--restore", old, at="2026-11-24 12:00:00")
    adjud.file.unlink()
    adjud.does("backup", "--restore", new, at="2026-11-25 12:00:00")
    assert noted() == "the '2026-11-25T12:00:00.000000Z'"
    assert not list(adjud.folder.rglob("*.restored"))


@pytest.mark.parametrize("noted", [b"", b"\xff\xfe", b"yesterday today x", b"2026-11-21 x"])
def test_a_spoiled_note_of_a_restore_is_told_in_a_sentence(adjud: Adjud, noted: bytes) -> None:
    adjud.does("init")
    (key,) = adjud.folder.rglob("*.key")
    spoiled = key.with_name(f"{key.name}.restored")
    spoiled.write_bytes(noted)
    answer = adjud("db", "upgrade")
    assert answer.code == 1
    assert answer.out.startswith("the database is up to date (")
    assert answer.err == (
        f"adjud: {spoiled} does not say which database was saved and restored, and when, as "
        "`adjud backup --restore` writes it; delete it\n"
    )


@pytest.mark.slow
def test_the_rows_of_a_database_server_are_backed_up_and_restored_there_or_as_a_file(
    playing: Adjud, postgres_url: str, postgres_server: URL, tmp_path: Path
) -> None:
    before = playing.dump()
    assert playing("db", "copy", postgres_url).code == 0
    playing.file.unlink()
    playing.env["ADJUD_DATABASE"] = None
    config = playing.write("adjud.toml", f'database = "{postgres_url}"\n')
    key, backup = playing.folder / "data/adjud/adjud.key", str(tmp_path / "b.tar.gz")
    told = "the database, the configuration, the key and 0 emails in the spool"
    assert playing.does("backup", backup) == f"{backup} contains {told}\n"
    refused = f"adjud: there is already a club in {postgres_url}; name an empty database\n"
    assert playing("backup", "--restore", backup) == (1, "", refused)

    key.unlink()
    with postgresql.database(postgres_server) as empty:
        url = postgresql.as_text(empty)
        assert playing.does("--database", url, "backup", "--restore", backup) == (
            f"{url}: the database is restored\n"
            f"{config}: this configuration is used\n"
            f"{key}: the key is restored\n"
        )
        assert playing.does("--database", url, "verify").endswith("agree\n")
        playing.does("--database", url, "player", "add", "Carl", "carl@example.org")

    as_file = f"sqlite:///{playing.file}"
    told = playing.does("--database", as_file, "backup", "--restore", backup)
    assert told.startswith(f"{playing.file}: the database is restored\n")
    playing.settle()
    assert rows_in(playing.dump()) == rows_in(before)


@pytest.mark.slow
def test_an_older_archive_without_rows_brings_back_the_rest_beside_a_server(
    playing: Adjud, postgres_url: str, tmp_path: Path
) -> None:
    key, backup = playing.folder / "data/adjud/adjud.key", tmp_path / "b.tar.gz"
    with tarfile.open(backup, "w:gz") as tar:
        tar.add(key, "adjud.key")
    for path in (playing.file, key):
        path.unlink()
    why = (
        f"there is no database in {backup}; the club's was saved with its database server's own "
        "tools"
    )
    assert playing("backup", "--restore", str(backup)) == (1, "", f"adjud: {why}\n")
    assert not playing.file.exists()
    assert not key.exists()
    told = playing.does("--database", postgres_url, "backup", "--restore", str(backup))
    assert told.endswith(f"{key}: the key is restored\n{why}\n")


# --- what init and the doctor must not overlook --------------------------------------------------


def test_a_second_club_is_not_given_the_first_ones_database_in_silence(
    adjud: Adjud, tmp_path: Path
) -> None:
    adjud.env |= {"ADJUD_CONFIG": None, "ADJUD_DATABASE": None}
    adjud.does("init")
    second = tmp_path / "b.toml"
    answer = adjud("--config", str(second), "init")
    assert answer.code == 0
    assert answer.err == (
        f"adjud: {second} is new and that database is not. If you want another club, set "
        "database, mail.key and mail.spool in it, and run `adjud init` again\n"
    )


def test_a_quiet_doctor_says_only_what_is_wrong(playing: Adjud) -> None:
    assert playing("doctor", "--quiet") == (0, "", "")
    playing.file.chmod(0o644)
    told = f"BAD {playing.file}: mode 0644, others can read every secret; chmod 600\n"
    assert playing("doctor", "--quiet") == (1, told, "")


def test_the_doctor_sees_a_database_that_cannot_be_written(playing: Adjud) -> None:
    url = f"sqlite:///file:{playing.file}?mode=ro&uri=true"
    answer = playing("--database", url, "doctor")
    assert answer.code == 1
    assert bad(answer.out) == ["the database cannot be written: it is read-only for this user"]


def test_the_doctors_try_to_write_changes_nothing(playing: Adjud) -> None:
    before = playing.dump()
    playing.does("doctor")
    assert playing.dump() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_doctor_sees_whose_database_and_spool_are_anothers(by_mail: Adjud) -> None:
    by_mail.came("white", "hello")
    by_mail.does("backup", str(by_mail.folder / "b.tar.gz"))
    spool = by_mail.folder / "data/adjud/spool"
    for path in (by_mail.file, spool):
        os.chown(path, 12345, 12345)
    told = bad(by_mail("doctor").out)
    foreign = "it belongs to another user (number 12345)"
    assert [line for line in told if "belongs" in line] == [
        f"{by_mail.file}: {foreign}",
        f"{spool}: {foreign}",
    ]


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ('out = "sendmail:/no/such"', "mail.out: there is no command /no/such"),
        (
            'fetch = "maildir:/no/such"',
            "mail.fetch: /no/such is not a Maildir; a Maildir has the folders ",
        ),
    ],
)
def test_the_doctor_sees_a_way_that_leads_nowhere(by_mail: Adjud, setting: str, told: str) -> None:
    by_mail.write("adjud.toml", f'[mail]\ndomain = "play.example.org"\n{setting}\n')
    answer = by_mail("doctor")
    assert answer.code == 1
    assert [line for line in bad(answer.out) if line.startswith(told)]


# --- a demo that cannot be ------------------------------------------------------------------------


def test_a_demo_that_cannot_be_played_leaves_no_folder(adjud: Adjud) -> None:
    answer = adjud("demo", "--variant", "foo", "--folder", "here")
    assert answer.code == 1
    assert not (adjud.folder / "here").exists()


def test_a_demo_that_is_stopped_leaves_nothing_that_the_next_would_refuse(
    adjud: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, written = files.write_private, 0

    def until_it_is_full(path: Path, text: str) -> Path:
        nonlocal written
        written += 1
        if written > 5:
            raise OSError(28, "No space left on device")
        return write(path, text)

    monkeypatch.setattr(files, "write_private", until_it_is_full)
    answer = adjud("demo", "--folder", "here", "--seed", SEED)
    assert answer == (1, "", "adjud: No space left on device\n")
    assert not (adjud.folder / "here").exists()
