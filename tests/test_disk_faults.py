"""Let the disk fail at each call in turn, and see that nothing is lost and nothing half done.

`strace` makes one call of a command fail, as a full disk (ENOSPC) or a broken one (EIO) would: the
second `write`, the fifth `fsync`, and so on, once or from there on. Whatever the command then says,
it shows no traceback; once it is run again on a sound disk, all is as if nothing had failed.
"""

import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from email import message_from_bytes
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.nightly import mostly_nightly
from tests.scale import SCALE

pytestmark = [pytest.mark.real, pytest.mark.slow]

STRACE = Path("/usr/bin/strace")
WRITING = (
    *("write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate"),
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"),
    *("mkdir", "mkdirat", "rmdir", "chmod", "fchmod", "fchmodat"),
)
ERRORS = ("ENOSPC", "EIO")
FEW = 2  # places that are tried of each command; `ADJUD_TEST_SCALE` takes more, up to all


class Fault(NamedTuple):
    """The n-th call of that name fails, alone or with all that follow."""

    call: str
    n: int
    error: str
    lasts: bool

    @property
    def option(self) -> str:
        return f"inject={self.call}:error={self.error}:when={self.n}{'+' if self.lasts else ''}"


class Done(NamedTuple):
    """Tell what a command did."""

    code: int
    out: bytes
    err: str


class Place:
    """A club on a disk, made once and laid anew before each fault."""

    def __init__(self, folder: Path) -> None:
        self.club, self._made, self._log = folder / "club", folder / "made", folder / "calls"
        self._fresh = self._made / "nothing"
        self._fresh.mkdir(mode=0o700, parents=True)
        (self._fresh / "adjud.toml").write_text(CONFIGURATION.format(folder=self.club))
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ADJUD_CONFIG": str(self.club / "adjud.toml"),
        }

    def begin(self, how: "Callable[[Place], None]") -> None:
        """Bring a club of which there is nothing but its configuration to where each fault begins:
        once, and then from a copy."""
        made = self._made / how.__name__
        if not made.exists():
            self._fresh = self._made / "nothing"
            self.renew()
            how(self)
            shutil.copytree(self.club, made)
        self._fresh = made
        self.renew()

    def renew(self) -> None:
        if self.club.exists():
            shutil.rmtree(self.club)
        shutil.copytree(self._fresh, self.club)

    def run(self, *words: str, stdin: bytes = b"", fault: Fault | None = None) -> Done:
        traced = ["-e", f"trace={','.join(WRITING)}", *(["-e", fault.option] if fault else [])]
        program = [sys.executable, "-m", "adjudicator", *words]
        done = subprocess.run(
            [STRACE, "-f", "-qq", "--seccomp-bpf", "-o", self._log, *traced, *program],
            input=stdin,
            capture_output=True,
            env=self.environment,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr.decode())

    def later(self, *words: str, stdin: bytes = b"") -> Done:
        """Run a command on a sound disk two hours later, when what could not go is tried again."""
        done = subprocess.run(
            ["faketime", "-f", "+2h", sys.executable, "-m", "adjudicator", *words],
            input=stdin,
            capture_output=True,
            env=self.environment,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr.decode())

    def calls(self) -> Counter[str]:
        """Count the calls of the last command by name."""
        return Counter(re.findall(r"(?m)^\d+\s+(\w+)\(", self._log.read_text()))

    def failed(self) -> bool:
        """Return whether the fault was met; a command that takes another way may not come to it."""
        return "(INJECTED)" in self._log.read_text()

    def rows(self, question: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.club / "adjud.db")) as connection:
            return connection.execute(question).fetchall()


CONFIGURATION = """
database = "sqlite:///{folder}/adjud.db"
operator = "gm@example.org"
[mail]
domain = "play.example.org"
key = "{folder}/key"
spool = "{folder}/spool"
out = "folder:{folder}/out"
"""


class Command(NamedTuple):
    """A command, what the club is before it, and what must hold after it."""

    words: tuple[str, ...]
    begins: Callable[[Place], None]
    stdin: Callable[[Place], bytes]
    safe_at_once: Callable[[Place, Done], None]  # whatever happened
    safe_in_the_end: Callable[[Place], None]  # after it has run once more, undisturbed
    codes: frozenset[int] = frozenset({0, 1})


def nothing(place: Place) -> bytes:
    return b""


def sheet(seat: str) -> bytes:
    return f"ORDERS garden {seat}\nSETUP RANDOM\nEND\n".encode()


def email(place: Place) -> bytes:
    """Return White's set-up as an email: it answers the first report."""
    reports = [message_from_bytes(file.read_bytes()) for file in (place.club / "out").iterdir()]
    home = next(str(m["Reply-To"]) for m in reports if ".white." in str(m["Reply-To"]))
    head = f"From: white@example.org\r\nTo: {home}\r\nDelivered-To: {home}\r\n"
    return f"{head}Message-ID: <1@example.org>\r\n\r\n".encode() + sheet("white")


def opened(place: Place) -> None:
    """Open a club with a match whose first reports have gone out."""
    assert place.run("init").code == 0
    for name, seat in (("Anna", "white"), ("Bob", "black")):
        done = place.run("player", "add", name, f"{seat}@example.org", "--confirmed")
        assert done.code == 0, done
    seats = ("--seat", "white=Anna", "--seat", "black=Bob")
    assert place.run("new", "espionage", "--match", "garden", *seats).code == 0
    assert place.run("tick").code == 0


def awaited(place: Place) -> None:
    """Let one set-up wait as an email and the other be in force: the next tick adjudicates."""
    place.begin(opened)
    assert place.run("mail", "receive", stdin=email(place)).code == 0
    assert place.run("submit", "-", stdin=sheet("black")).code == 0


def archived(place: Place) -> None:
    """Let nothing be left of a club but its archive and its configuration."""
    place.begin(awaited)
    assert place.run("backup", str(place.club / "archive")).code == 0
    for gone in ("adjud.db", "key", "adjud.db-tick"):
        (place.club / gone).unlink(missing_ok=True)
    shutil.rmtree(place.club / "spool")


def spooled(place: Place) -> list[bytes]:
    folder = place.club / "spool" / "new"
    return [file.read_bytes() for file in folder.iterdir()] if folder.exists() else []


def the_email_is_whole(place: Place, done: Done) -> None:
    whole = [content for content in spooled(place) if content.endswith(email(place))]
    assert whole == spooled(place), "half a letter"
    assert whole or done.code, "it said that the letter was safe"


def the_email_is_there(place: Place) -> None:
    the_email_is_whole(place, Done(0, b"", ""))


def in_force(place: Place) -> int:
    question = "SELECT count(*) FROM submission WHERE status = 'in force'"
    ((found,),) = place.rows(question)
    return int(str(found))


def the_sheet_is_as_was_said(place: Place, done: Done) -> None:
    assert in_force(place) or done.code, "it said that the sheet was taken"


def the_sheet_is_in_force(place: Place) -> None:
    assert in_force(place) == 1


def emails_are_whole(place: Place, done: Done) -> None:
    """Every email went out with one content, and the log still proves itself."""
    assert place.run("verify").code == 0
    assert set(sent(place).values()) == {1}, "two contents under one Message-ID"


def sent(place: Place) -> Counter[str]:
    """Return with how many contents an email of each Message-ID went out."""
    contents = {file.read_bytes() for file in (place.club / "out").glob("*.eml")}
    return Counter(str(message_from_bytes(raw)["Message-ID"]) for raw in contents)


def told(place: Place) -> Counter[tuple[str, str]]:
    """Return how many emails of each kind went to each address. Their Message-IDs are others each
    time that a backup is restored."""
    contents = {file.read_bytes() for file in (place.club / "out").glob("*.eml")}
    heads = map(message_from_bytes, contents)
    return Counter((str(head["To"]), str(head["X-Adjud"])) for head in heads)


def the_turn_is_told(place: Place) -> None:
    assert place.rows("SELECT max(ply) FROM turn") == [(1,)]
    assert [row[0] for row in place.rows("SELECT status FROM letter")] == ["accepted"]
    # A report that goes out with the notice of a restore tells it, too, and a report confirms the
    # orders of which it tells.
    in_report = (
        "(kind = 'notice' OR coalesce(reason, '') LIKE 'it stands in %') AND status = 'dropped'"
    )
    unsent = f"SELECT count(*) FROM outbox WHERE status <> 'sent' AND NOT ({in_report})"
    assert place.rows(unsent) == [(0,)]
    assert spooled(place) == []


def no_half_archive(place: Place, done: Done) -> None:
    archive = place.club / "archive"
    assert archive.exists() or done.code, "it said that the archive was written"
    if archive.exists():
        assert archive.stat().st_mode & 0o777 == 0o600
    left = {file for file in place.club.iterdir() if file.name not in {*KEPT, "archive"}}
    assert all(folder.name.startswith(".adjud-") for folder in left)  # it could not be removed
    assert all(folder.stat().st_mode & 0o777 == 0o700 for folder in left)
    assert not left or archive.exists()


KEPT = {"adjud.toml", "adjud.db", "adjud.db-wal", "adjud.db-shm", "adjud.db-tick", "key"}
KEPT |= {"spool", "out", "key.saved"}


def the_archive_is_whole(place: Place) -> None:
    for gone in ("adjud.db", "key"):
        (place.club / gone).unlink()
    shutil.rmtree(place.club / "spool")
    assert place.run("backup", "--restore", str(place.club / "archive")).code == 0
    the_club_is_back(place)


def no_half_club(place: Place, done: Done) -> None:
    back = (place.club / "adjud.db").exists()
    assert back or done.code, "it said that the club was restored"
    if back:
        assert place.run("verify").code == 0
        assert len(spooled(place)) == 1


def the_club_is_back(place: Place) -> None:
    assert len(spooled(place)) == 1
    assert place.run("tick").code == 0
    the_turn_is_told(place)


def pages(place: Place) -> list[str]:
    return [file.read_text("utf-8") for file in (place.club / "site").rglob("*.html")]


def no_half_page(place: Place, done: Done) -> None:
    assert pages(place) or done.code, "it said that the site was built"
    for page in pages(place):
        assert page.rstrip().endswith("</html>")


def the_site_is_there(place: Place) -> None:
    no_half_page(place, Done(0, b"", ""))
    assert any("garden" in page for page in pages(place))


COMMANDS = {
    "receive": Command(
        ("mail", "receive"), opened, email, the_email_is_whole, the_email_is_there,
        frozenset({0, 75}),
    ),
    "submit": Command(
        ("submit", "-"), opened, lambda _: sheet("black"), the_sheet_is_as_was_said,
        the_sheet_is_in_force,
    ),
    "tick": Command(("tick",), awaited, nothing, emails_are_whole, the_turn_is_told),
    "backup": Command(
        ("backup", "{club}/archive"), awaited, nothing, no_half_archive, the_archive_is_whole
    ),
    "restore": Command(
        ("backup", "--restore", "{club}/archive"), archived, nothing, no_half_club,
        the_club_is_back,
    ),
    "site": Command(
        ("site", "build", "{club}/site"), awaited, nothing, no_half_page, the_site_is_there
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    if not STRACE.exists():
        pytest.skip(f"there is no {STRACE}")
    return Place(tmp_path_factory.mktemp("place"))


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", mostly_nightly(COMMANDS, every_day=["receive", "tick", "restore"]))
def test_nothing_is_lost_when_the_disk_fails(name: str, place: Place) -> None:
    command = COMMANDS[name]
    place.begin(command.begins)
    words = [word.format(club=place.club) for word in command.words]
    done = place.run(*words, stdin=command.stdin(place))
    assert done.code == 0, done
    calls, met = place.calls(), 0
    command.safe_in_the_end(place)
    emails = told(place)
    for fault in chosen(calls):
        place.renew()
        stdin = command.stdin(place)
        done = place.run(*words, stdin=stdin, fault=fault)
        met += place.failed()
        said = f"{fault}: {done}"
        assert "Traceback" not in done.err + done.out.decode(), said
        assert done.code in command.codes, said
        try:
            command.safe_at_once(place, done)
            place.later(*words, stdin=stdin)
            command.safe_in_the_end(place)
            assert told(place) == emails
        except AssertionError as broken:
            raise AssertionError(said) from broken
    assert met


def chosen(calls: Counter[str]) -> Iterator[Fault]:
    """Choose places of a command that made so many calls of each name."""
    every = [
        Fault(call, n, error, lasts)
        for call, most in sorted(calls.items())
        for n in range(1, most + 1)
        for error in ERRORS
        for lasts in (False, True)
    ]
    rng = random.Random(19)
    yield from rng.sample(every, min(len(every), round(FEW * SCALE)))
