"""A real PostgreSQL server: the one that ADJUD_TEST_POSTGRES names, or Debian's, started for us.

Ours is in a folder of its own, listens on the loopback only, and is gone afterwards.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL

from tests.database import make_engine, parse_url

NAMED = "ADJUD_TEST_POSTGRES"
SERVER_USER = "postgres"
MISSING = f"no PostgreSQL: set {NAMED} to a server's URL, or apt-get install postgresql"


def programs() -> Path | None:
    """Return the folder of Debian's newest server."""
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((path.parent for path in found), key=lambda p: float(p.parent.name), default=None)


@contextmanager
def server() -> Iterator[URL | None]:
    """Start a server on which we may create databases; yield None if there is none."""
    binaries = programs()
    if named := os.environ.get(NAMED):
        yield parse_url(named)
    elif binaries:
        with _started(binaries) as url:
            yield url
    else:
        yield None


@contextmanager
def _started(binaries: Path) -> Iterator[URL]:
    with cluster(binaries) as started:
        yield started.url


class Cluster:
    """A server of our own that can be stopped hard and started again."""

    def __init__(self, binaries: Path, folder: Path, trust: str = "trust") -> None:
        self._trust = trust
        port = _free_port()
        self.environment = {"PATH": os.environ["PATH"], "PGHOST": str(folder), "PGPORT": str(port)}
        self.url = parse_url(f"postgresql://{SERVER_USER}@127.0.0.1:{port}/postgres")
        self._binaries, self._files = binaries, folder / "cluster"
        self._options = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off"
        self._control = [binaries / "pg_ctl", "-D", self._files, "-w", "-l", folder / "log"]

    def make(self) -> None:
        how = ["-U", SERVER_USER, "-A", self._trust, "-E", "UTF8"]
        _run([self._binaries / "initdb", "-D", self._files, *how])

    def start(self) -> None:
        _run([*self._control, "-o", self._options, "start"])

    def stop_hard(self) -> None:
        """Stop without a checkpoint, as a crash does; all connections break."""
        _run([*self._control, "-m", "immediate", "stop"])


@contextmanager
def cluster(binaries: Path, trust: str = "trust") -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="adjud-pg-", dir="/tmp"))
    if os.geteuid() == 0:  # the server refuses to run as root
        shutil.chown(folder, SERVER_USER)
    made = Cluster(binaries, folder, trust)
    try:
        made.make()
        made.start()
        try:
            yield made
        finally:
            made.stop_hard()
    finally:
        shutil.rmtree(folder)


def _run(command: Sequence[str | Path]) -> None:
    """Run a command, as the server's own user if we are root.

    There are no pipes, because the server would keep them open.
    """
    prefix = ["runuser", "-u", SERVER_USER, "--"] if os.geteuid() == 0 else []
    quiet = subprocess.DEVNULL
    subprocess.run(
        [*prefix, *map(str, command)], check=True, cwd="/", stdin=quiet, stdout=quiet, stderr=quiet
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def database(server: URL, template: URL | None = None) -> Iterator[URL]:
    """Make a new database, a copy of `template` if one is given; it is dropped afterwards."""
    name = f"adjud_test_{uuid.uuid4().hex}"
    copied = f" TEMPLATE {template.database}" if template else ""
    _say(server, f"CREATE DATABASE {name}{copied}")
    try:
        yield server.set(database=name)
    finally:
        _say(server, f"DROP DATABASE {name} WITH (FORCE)")


def _say(server: URL, sentence: str) -> None:
    engine = make_engine(server)
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text(sentence))
    finally:
        engine.dispose()


def as_text(url: URL) -> str:
    """Return the URL as an operator writes it."""
    return url.render_as_string(hide_password=False)
