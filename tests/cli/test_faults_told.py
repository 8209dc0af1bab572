"""What is wrong with a disk, a key, a backup or a path is told rightly, with a way out."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.inside import doctor_files as files
from tests.nightly import NIGHTLY, mostly_nightly
from tests.program import Adjud


def doctors(adjud: Adjud, mark: str = "BAD") -> list[str]:
    """Return what the doctor says behind a mark."""
    found = adjud("doctor").out.splitlines()
    return [line[4:] for line in found if line.startswith(f"{mark} ")]


# --- a disk that can only be read -----------------------------------------------------------------

MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'


CHANGE = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("UPDATE player SET name = 'Anna the Second' WHERE name = 'Anna'")
database.commit()
os._exit(0)
"""


def on_read_only_disk(
    adjud: Adjud, *words: str, mounted: str = MOUNTED
) -> "subprocess.CompletedProcess[str]":
    """Run a command where the club's folder is mounted so that nobody can write there."""
    program = ("sh", "-c", mounted, "sh", str(adjud.folder), sys.executable, "-m", "adjudicator")
    return subprocess.run(
        ["unshare", "--mount", *program, *words],
        env={key: value for key, value in adjud.env.items() if value is not None},
        cwd="/",
        capture_output=True,
        text=True,
    )


@pytest.fixture
def stuck(by_mail: Adjud) -> Adjud:
    """Return a club by mail, if this user may mount."""
    if shutil.which("unshare") is None or on_read_only_disk(by_mail, "--version").returncode:
        pytest.skip("this user may not mount")
    return by_mail


@pytest.mark.real
@pytest.mark.parametrize("log", mostly_nightly(["none", "left behind"], every_day=["left behind"]))
def test_a_club_on_a_read_only_disk_is_saved_elsewhere(
    stuck: Adjud, tmp_path_factory: pytest.TempPathFactory, log: str
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    if log == "left behind":  # as by a machine that went down
        subprocess.run([sys.executable, "-c", CHANGE, stuck.file], check=True)
        assert (stuck.folder / "adjud.db-wal").stat().st_size
    told = f"the file system of {stuck.file} is read-only, as Linux leaves one after a fault of "
    refused = on_read_only_disk(stuck, "player", "add", "Eve", "eve@example.org")
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"adjud: {told}")
    assert f"BAD {told}" in on_read_only_disk(stuck, "doctor").stdout
    archive = elsewhere / "rescue.tar.gz"
    saved = on_read_only_disk(stuck, "backup", str(archive))
    assert (saved.returncode, saved.stderr.count("\n")) == (0, 1)
    assert saved.stderr.startswith(f"next: touch {stuck.folder}/data/adjud/adjud.key.saved once ")
    assert {path.name for path in elsewhere.iterdir()} == {"rescue.tar.gz"}
    rescued = Adjud(elsewhere)
    rescued.does("backup", "--restore", str(archive))
    rescued.settle()
    stuck.settle()
    assert ("Anna the Second" in rescued.does("status")) is (log == "left behind")
    assert rescued.does("status") == stuck.does("status")
    assert rescued.does("verify") == "espionage-1: the log, its snapshots and proofs agree\n"


# --- a disk that is full --------------------------------------------------------------------------

FULL = (
    'cp -a "$1" "$1.copy" && mount -t tmpfs -o size=8m none "$1" && cp -a "$1.copy/." "$1" && '
    'rm -rf "$1.copy" "$1/adjud.db-shm" && '
    '{ dd if=/dev/zero of="$1/fill" bs=4k 2>/dev/null; shift; exec "$@"; }'
)


@pytest.mark.real
def test_a_club_on_a_full_disk_is_saved_elsewhere(
    stuck: Adjud, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-c", CHANGE, stuck.file], check=True)
    told = f"adjud: {stuck.file}: the disk is full; nothing was stored. `adjud backup FILE`"
    for words in ("status", "report espionage-1 white", "verify", "tick"):
        refused = on_read_only_disk(stuck, *words.split(), mounted=FULL)
        assert (refused.returncode, refused.stdout) == (1, ""), words
        assert refused.stderr.startswith(told), words
    archive = elsewhere / "rescue.tar.gz"
    saved = on_read_only_disk(stuck, "backup", str(archive), mounted=FULL)
    assert saved.returncode == 0, saved
    assert {path.name for path in elsewhere.iterdir()} == {"rescue.tar.gz"}
    rescued = Adjud(elsewhere)
    rescued.does("backup", "--restore", str(archive))
    assert "Anna the Second" in rescued.does("status")
    assert rescued.does("verify") == "espionage-1: the log, its snapshots and proofs agree\n"


# By day what is written in a way of its own: a folder of pages, an archive, a database, an email.
REFUSED = (
    "site build {}/site", "backup {}/b.tar.gz", "db copy sqlite:///{}/x.db",
    "mail receive --spool {}/spool", "report espionage-1 --all --folder {}",
    "metrics --folder {}", "demo --folder {}/demo", "drill b.tar.gz --folder {}",
)  # fmt: skip


@pytest.mark.real
def test_each_file_that_a_full_disk_refuses_is_named(stuck: Adjud, tmp_path: Path) -> None:
    """The database is on another disk."""
    database = tmp_path / "moved.db"
    shutil.copyfile(stuck.file, database)
    stuck.env["ADJUD_DATABASE"] = f"sqlite:///{database}"
    full = tmp_path / "full"
    full.mkdir()
    mounted = FULL.replace('"$1', '"$1/full')
    stuck.does("backup", str(tmp_path / "b.tar.gz"))
    for words in REFUSED if NIGHTLY else REFUSED[:4]:
        given = words.format(full).replace("b.tar.gz --", f"{tmp_path}/b.tar.gz --").split()
        refused = on_read_only_disk(stuck, *given, mounted=mounted)
        assert refused.returncode in (1, 75), (words, refused)
        assert f"{full}/" in refused.stderr, (words, refused)


# --- a spool that is not a folder -----------------------------------------------------------------


@pytest.mark.parametrize("place", ["spool", "spool/new", "spool/tmp"])
@pytest.mark.parametrize("is_link", [False, True])
def test_a_tick_says_that_no_email_can_be_received(
    idle: Adjud, place: str, *, is_link: bool
) -> None:
    path = idle.folder / "data/adjud" / place
    assert idle("tick") == (0, "", "")
    shutil.rmtree(path)
    path.symlink_to("nowhere") if is_link else path.write_text("x")
    told = f"spool: {path} is not a folder, so no email can be received"
    for _ in range(2):
        assert idle("tick") == (1, "", f"adjud: {told}\n")
    assert told in doctors(idle)
    path.unlink()
    assert idle("tick").code == 0


# --- a club without its key -----------------------------------------------------------------------


def test_a_backup_without_the_key_says_so_and_fails(by_mail: Adjud) -> None:
    key = by_mail.folder / "data/adjud/adjud.key"
    secret = key.read_text()
    key.unlink()
    lost = f"there is no key at {key}, and without the club's own key no seat's address works: "
    answer = by_mail("backup", "b.tar.gz")
    assert answer.code == 1
    assert answer.out.startswith("b.tar.gz contains the database, the configuration, no key and")
    assert answer.err.startswith(f"adjud: b.tar.gz lacks the key that the club needs: {lost}")
    with tarfile.open("b.tar.gz") as archive:
        assert "adjud.db" in archive.getnames()
    assert [text for text in doctors(by_mail) if text.startswith(lost)]
    assert not [text for text in doctors(by_mail) if "init" in text]
    key.write_text(f"k1 {'ab' * 32}\n")  # a stranger's
    answer = by_mail("backup", "c.tar.gz")
    assert answer.code == 1
    assert f"the key at {key} is not this club's" in answer.err
    assert not key.with_name("adjud.key.saved").exists()
    key.write_text(secret)
    assert by_mail("backup", "d.tar.gz").code == 0


def test_where_the_database_cannot_be_asked_no_new_key_is_advised_either(by_mail: Adjud) -> None:
    (by_mail.folder / "data/adjud/adjud.key").unlink()
    by_mail.file.write_bytes(b"damaged")
    (told,) = [text for text in doctors(by_mail) if "no key" in text]
    assert "init" not in told


def test_a_backup_on_the_disk_of_the_club_is_no_more_than_that(by_mail: Adjud) -> None:
    answer = by_mail("backup", "b.tar.gz")
    own = "is on the disk of the club itself; copy it to another one, where only you can read it\n"
    assert (answer.code, answer.err) == (0, f"next: b.tar.gz {own}")
    archive = by_mail.folder / "b.tar.gz"
    assert doctors(by_mail, "!!")[0].startswith(f"key: backed up in {archive}, on its own disk")
    archive.unlink()
    assert doctors(by_mail, "!!") == []


# --- a disk of another machine --------------------------------------------------------------------

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 22 0:21 / /srv rw shared:1 - nfs4 server:/srv rw,vers=4.2
24 22 0:22 / /a\\040b rw - fuse.sshfs anna@host:/ rw
25 23 254:1 / /srv/local rw - xfs /dev/vdb rw
damaged
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib/adjud.db", "ext4"),
        ("/srv/adjud.db", "nfs4"),
        ("/srvother/adjud.db", "ext4"),
        ("/srv/local/adjud.db", "xfs"),
        ("/a b/c/adjud.db", "fuse.sshfs"),
    ],
)
def test_the_disk_of_a_file_is_known(path: str, kind: str) -> None:
    assert files.kind_in(MOUNTS, Path(path)) == kind


def test_a_database_on_another_machine_is_told(
    playing: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = playing.write("mountinfo", "22 1 0:1 / / rw - nfs server:/ rw\n")
    monkeypatch.setattr(files, "MOUNTINFO", Path(table))
    (told,) = doctors(playing)
    assert told.startswith(f"database: {playing.file} is on a network file system (nfs), and SQL")
    monkeypatch.setattr(files, "MOUNTINFO", playing.folder / "nothing")
    assert doctors(playing) == []


# --- paths ----------------------------------------------------------------------------------------


def test_a_relative_path_is_told_before_it_leads_elsewhere(playing: Adjud) -> None:
    playing.env["ADJUD_DATABASE"] = None
    playing.write(
        "adjud.toml",
        'folder = "."\ndatabase = "sqlite:///adjud.db"\n[mail]\npassword_file = "secret"\n',
    )
    why = "depends on the folder in which a command is run; write the whole path, from / on"
    assert doctors(playing, "!!") == [
        f"database: adjud.db {why}",
        f"mail.password_file: secret {why}",
    ]
    (playing.folder / "adjud.db").unlink()
    answer = playing("status")
    assert answer.code == 1
    assert answer.err.startswith(
        f"adjud: there is no database at {playing.file}: the URL sqlite:///adjud.db begins in the "
        "folder that you are in; "
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "{file} cannot be read: No such file or directory"), ("\n", "no password in {file}")],
)
def test_a_password_that_is_not_there_is_told_with_its_setting(
    by_mail: Adjud, content: str | None, why: str
) -> None:
    file = by_mail.folder / "password"
    if content is not None:
        file.write_text(content)
    mail = f'[mail]\ndomain = "play.example.org"\npassword_file = "{file}"\n'
    path = by_mail.write("adjud.toml", f'{mail}out = "smtp://adjud@localhost:25"\n')
    by_mail.came("white", "STATUS")
    answer = by_mail("tick")
    assert answer.code == 1
    assert f"adjud: {path}, line 3: mail.password_file: " in answer.err
    assert why.format(file=file) in answer.err
    by_mail.write("adjud.toml", f'{mail}fetch = "imaps://adjud@localhost/INBOX"\n')
    answer = by_mail("tick")
    assert answer.code == 1
    assert f"emails cannot be fetched: {path}, line 3: mail.password_file: " in answer.err
