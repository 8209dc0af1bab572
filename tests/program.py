"""Run `adjud` as a user does: arguments in, exit code and two streams out, at a time that
the test says."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from adjudicator.cli import main
from adjudicator.mail.address import MailDomain, seat_address
from adjudicator.mail.transport import spool
from tests.clock import clock_at
from tests.club import read_keys
from tests.compiled import share_compiled

NOON = "2026-11-21 12:00:00"
EPOCH = "bcdfg"  # of a club that was never restored
SEED = "5e" * 32

WHITE_ARMY = "1S25MP31S4\n1122SP3SMP\nM1H3S5M24P"
BLACK_ARMY = "21S41P31S5\n1PMS232P1S\nMHM45P2S3M"


class Answer(NamedTuple):
    """Tell what a command did. `out` is standard output, `err` standard error."""

    code: int
    out: str
    err: str


class Adjud:
    """The program with a database of its own in a folder."""

    def __init__(self, folder: Path) -> None:
        share_compiled()
        self.folder = folder
        self.file = folder / "adjud.db"
        self.env: dict[str, str | None] = {
            "ADJUD_DATABASE": f"sqlite:///{self.file}",
            "ADJUD_CONFIG": str(folder / "adjud.toml"),
            "ADJUD_DEBUG": None,
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "COLUMNS": "100",
        }

    def __call__(self, *words: str, stdin: str | bytes = "", at: str = NOON) -> Answer:
        """Run a command."""
        with clock_at(at):
            done = CliRunner().invoke(main, words, input=stdin, env=self.env)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise AssertionError(f"a traceback would be shown: {words}") from done.exception
        assert "Traceback" not in done.output
        return Answer(done.exit_code, done.stdout, done.stderr)

    def does(self, *words: str, stdin: str | bytes = "", at: str = NOON) -> str:
        """Run a command that must succeed, and return what it prints.

        On standard error it may only say what may be done next.
        """
        answer = self(*words, stdin=stdin, at=at)
        assert answer.code == 0, answer
        assert [line for line in answer.err.splitlines() if not line.startswith("next: ")] == []
        return answer.out

    def write(self, name: str, text: str | bytes) -> str:
        """Write a file in the folder; return its path."""
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    def club(self) -> None:
        """Make a database with Anna, who lives in Oslo, and Bob."""
        self.write("adjud.toml", "")
        self.does("init")
        with closing(sqlite3.connect(self.file)) as connection:  # its name is drawn by lot
            connection.execute("UPDATE club SET epoch = ?", [EPOCH])
            connection.commit()
        zone = ("--timezone", "Europe/Oslo")
        self.does("player", "add", "Anna", "anna@example.org", "--confirmed", *zone)
        self.does("player", "add", "Bob", "bob@example.org", "--confirmed")

    def match(self, name: str = "espionage-1", *words: str, at: str = NOON) -> None:
        """Open a match of Anna, who is White, against Bob."""
        seats = ("--seat", "white=Anna", "--seat", "black=Bob")
        self.does("new", "espionage", "--match", name, *seats, "--seed", SEED, *words, at=at)

    def armies(self, name: str = "espionage-1", at: str = NOON) -> None:
        """Hand in both set-ups and adjudicate them: White is to order turn 1."""
        for seat, army in (("white", WHITE_ARMY), ("black", BLACK_ARMY)):
            sheet = f"ORDERS {name} {seat} turn 0\nSETUP\n{army}\nEND\n"
            self.does("submit", "-", stdin=sheet, at=at)
        self.does("tick", at=at)

    def came(self, seat: str, *lines: str, match: str = "espionage-1", **headers: str) -> None:
        """Put an email to that seat into the spool; it came at the test's present time."""

        post = MailDomain(
            domain="play.example.org", keys=read_keys(self.folder / "data/adjud/adjud.key")
        )
        to = seat_address(post, match, seat, 1)
        head = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        sender = "anna" if seat in ("white", "blue") else "bob"
        email = "\r\n".join((f"From: {sender}@example.org", f"To: {to}", *head, "", *lines, ""))
        folder = self.folder / "data/adjud/spool"
        spool.put(folder, BytesIO(email.encode()), sender="", recipient=to, channel="pipe")

    def settle(self) -> None:
        """Forget that a backup was restored, so that rows can be compared."""
        with closing(sqlite3.connect(self.file)) as connection:
            restored = "SELECT restored_at FROM club"
            connection.execute(f"UPDATE report SET shown_at = NULL WHERE shown_at = ({restored})")
            epoch = "SELECT epoch FROM past_epoch ORDER BY ended_at LIMIT 1"
            connection.execute(
                "UPDATE club SET saved_at = NULL, restored_at = NULL, above = 0, "
                f"epoch = coalesce(({epoch}), epoch)"
            )
            connection.execute("UPDATE seat SET above = 0")
            connection.execute("DELETE FROM past_epoch")
            connection.commit()

    def dump(self) -> list[str]:
        """Return every row of every table, to see that nothing was touched."""
        if not self.file.exists():
            return []
        with closing(sqlite3.connect(self.file)) as connection:
            return list(_rows(connection))


def _rows(connection: sqlite3.Connection) -> Iterator[str]:
    tables = connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    for table, sql in tables:
        yield f"{table}: {sql}"
        if sql and sql.upper().startswith("CREATE TABLE"):
            rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()
            yield from sorted(f"{table}: {row}" for row in rows)


def rows_in(dump: Sequence[str]) -> list[str]:
    """Leave out the words by which SQLite made the tables: they need not be the same twice."""
    return [line for line in dump if not re.match(r"\S+: (CREATE|None)", line)]
