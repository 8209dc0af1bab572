"""Kill commands with `kill -9` at random moments, and run them again.

What a killed command leaves is whole or not there; once it has run again, all is as if it had never
been killed. The commands are forked from a program that has imported everything, so that a kill
hits their work. `ADJUD_TEST_SCALE` kills more often.
"""

import os
import random
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from contextlib import closing
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import adjudicator
from adjudicator.__main__ import main
from tests.database import head, oldest, tables
from tests.older_club import database_of_0_2_28
from tests.scale import scaled
from tests.test_disk_faults import (
    COMMANDS,
    Command,
    Done,
    Fault,
    Place,
    awaited,
    nothing,
    the_club_is_back,
)
from tests.tokens import DRAWN

pytestmark = pytest.mark.slow

TIMES = 1  # kills of each command, at scale 1
REFUSED_WHERE_DONE = ("backup", "restore", "copy")  # they write over nothing
KILLED = -signal.SIGKILL


class Forked(Place):
    """A club whose commands are forked; `kill_after` seconds the next one is killed."""

    kill_after: float | None = None

    def run(self, *words: str, stdin: bytes = b"", fault: Fault | None = None) -> Done:
        given, out, err = (self.club.parent / name for name in ("stdin", "stdout", "stderr"))
        given.write_bytes(stdin)
        child = os.fork()
        if child == 0:
            self._work(words, given, out, err)
        if self.kill_after is not None:
            time.sleep(self.kill_after)
            os.kill(child, signal.SIGKILL)
            self.kill_after = None
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return Done(code, out.read_bytes(), err.read_text("utf-8"))

    def _work(self, words: tuple[str, ...], given: Path, out: Path, err: Path) -> None:
        """Be the command, in a process of its own, and end."""
        code = 1
        try:
            for number, path in enumerate((given, out, err)):
                flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                os.dup2(os.open(path, flags, 0o600), number)
            sys.stdin, sys.stdout, sys.stderr = (
                os.fdopen(number, mode, closefd=False) for number, mode in enumerate("rww")
            )
            os.environ.clear()
            os.environ.update(self.environment)
            sys.argv = ["adjud", *words]
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def later(self, *words: str, stdin: bytes = b"") -> Done:
        """Run a command when what a killed one held is free again."""
        if (self.club / "adjud.db").exists() and words[0] == "tick":
            with closing(sqlite3.connect(self.club / "adjud.db")) as connection, connection:
                connection.execute(
                    "UPDATE outbox SET next_at = created_at WHERE status = 'waiting'"
                )
                connection.execute("UPDATE letter SET again_at = NULL WHERE status = 'received'")
        return self.run(*words, stdin=stdin)


def old(place: Place) -> None:
    """Let a club be there that the oldest version made that can be upgraded."""
    database_of_0_2_28(place.club / "adjud.db")


def one_of_the_versions(place: Place, done: Done) -> None:
    ((found,),) = place.rows("SELECT version_num FROM alembic_version")
    assert oldest() <= str(found) <= head()
    assert place.rows("PRAGMA integrity_check") == [("ok",)]


def the_newest_version(place: Place) -> None:
    ((found,),) = place.rows("SELECT version_num FROM alembic_version")
    assert found == head()
    assert place.run("verify").code == 0


def an_archive_or_none(place: Place, done: Done) -> None:
    """Only a folder that nobody else reads may be left."""
    left = [*place.club.glob(".adjud-*")]
    assert all(folder.stat().st_mode & 0o777 == 0o700 for folder in left)
    for folder in left:
        shutil.rmtree(folder)
    COMMANDS["backup"].safe_at_once(place, done)


COPY = ("db", "copy", "sqlite:///{club}/new.db")


def opens(place: Place, name: str) -> bool:
    return place.run("--database", f"sqlite:///{place.club / name}", "verify").code == 0


def at_most_one_club(place: Place, done: Done) -> None:
    old, new = opens(place, "adjud.db"), opens(place, "new.db")
    assert not (old and new), "two clubs would adjudicate the same turns"
    assert new or done.code, "it said that the club was moved"


def the_club_is_in_its_new_place(place: Place) -> None:
    if not opens(place, "new.db"):  # it was killed after the old one was closed
        assert place.run("db", "reopen").code == 0
        assert place.run(*(word.format(club=place.club) for word in COPY)).code == 0
    at_most_one_club(place, Done(0, b"", ""))
    for left in place.club.glob("adjud.db*"):
        left.unlink()
    for moved in place.club.glob("new.db*"):
        moved.rename(place.club / moved.name.replace("new", "adjud"))
    the_club_is_back(place)


@pytest.fixture(autouse=True)
def drawn_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let players' tokens be drawn: each command is a copy of this process, and known ones would
    be given twice."""
    monkeypatch.setattr(tables, "fresh_token", DRAWN)


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    for module in walk_packages(adjudicator.__path__, "adjudicator."):
        import_module(module.name)


ALL = {
    **COMMANDS,
    "backup": COMMANDS["backup"]._replace(safe_at_once=an_archive_or_none),
    "copy": Command(COPY, awaited, nothing, at_most_one_club, the_club_is_in_its_new_place),
    "upgrade": Command(("db", "upgrade"), old, nothing, one_of_the_versions, the_newest_version),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Forked:
    return Forked(tmp_path_factory.mktemp("place"))


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ALL)
def test_a_command_that_is_killed_and_run_again_has_done_its_work_once(
    name: str, place: Forked
) -> None:
    command = ALL[name]
    place.begin(command.begins)
    words = [word.format(club=place.club) for word in command.words]
    began = time.monotonic()
    done = place.run(*words, stdin=command.stdin(place))
    lasts = time.monotonic() - began
    assert done.code == 0, done
    command.safe_in_the_end(place)
    rng, killed, wanted = random.Random(name), 0, scaled(TIMES)
    for _ in range(20 * wanted):
        place.renew()
        stdin = command.stdin(place)
        place.kill_after = rng.uniform(0, lasts)
        done = place.run(*words, stdin=stdin)
        command.safe_at_once(place, done)
        if done.code == KILLED:
            killed += 1
        else:
            lasts *= 0.8  # the machine has become quicker
        done = place.later(*words, stdin=stdin)
        assert done.code == 0 or name in REFUSED_WHERE_DONE, done
        command.safe_in_the_end(place)
        if killed == wanted:
            return
    pytest.fail("it was too quick to be killed")
