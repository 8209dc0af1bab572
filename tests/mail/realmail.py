"""A club on real mail servers: Postfix and Dovecot on the loopback, adjud installed as an
administrator would install it, players with mutt or over IMAP.

Everything lies in a folder of its own under /tmp that other users may search, since Postfix
starts our program as somebody who is neither root nor itself. `running()` needs root.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import adjudicator
from adjudicator.mail.transport import spool
from tests.club import Store, computer_orders, load
from tests.database import open_store
from tests.mail.mtas import Postfix, lines
from tests.mail.person import PLAYERS, PYTHON, Person
from tests.mail.servers import DOVECOT, USER, certificate, dovecot, free_port

CHECKOUT = Path(adjudicator.__file__).parents[1]
NOT_OURS = shutil.ignore_patterns(".*", "*.mo", "__pycache__", "dist")
NEEDED = (DOVECOT, *map(Path, ("/usr/sbin/postfix", "/usr/lib/dovecot/lmtp")))
NEEDED += (Path("/usr/lib/dovecot/modules/lib90_sieve_plugin.so"),)
NEEDED += tuple(
    Path("/usr/bin") / name
    for name in ("mutt", "msmtp", "swaks", "faketime", "procmail", "maildrop")
)
PACKAGES = (
    "postfix dovecot-core dovecot-imapd dovecot-lmtpd dovecot-sieve mutt msmtp swaks faketime "
    "procmail maildrop python3-venv"
)


def missing() -> str | None:
    """Return why there can be no real mail here."""
    if os.geteuid() != 0:
        return "Postfix is started by root only"
    absent = [path.name for path in NEEDED if not path.exists()]
    if absent:
        return f"no {', '.join(absent)}: apt-get install --no-install-recommends {PACKAGES}"
    return None


class Spool:
    """Hold what an MTA's pipe needs of a club: a program, a configuration and a place for emails.

    The program is a script that runs ours by the club's clock.
    """

    def __init__(self, program: Path, folder: Path, domain: str) -> None:
        self.program, self.folder, self.domain = program, folder, domain
        folder.mkdir(mode=0o700)
        self.later = 0
        self.surroundings: dict[str, str] = {}  # of its commands, beside the usual
        script = CLOCKED.format(program=program, folder=folder)
        self.clocked.write_text(script)
        self.clocked.chmod(0o755)
        self.configure()
        shutil.chown(folder, USER, USER)

    def configure(self, **mail: str) -> None:
        """Set settings of the section [mail], beside those that were set before."""
        self._mail = {**getattr(self, "_mail", {}), **mail}
        settings = [f'{name} = "{value}"' for name, value in self._mail.items()]
        text = CONFIGURATION.format(folder=self.folder, domain=self.domain, players=PLAYERS)
        self.config.write_text("\n".join([text, *settings]))

    @property
    def config(self) -> Path:
        return config_in(self.folder)

    @property
    def clocked(self) -> Path:
        return clocked_in(self.folder)

    @property
    def later(self) -> int:
        """Return by how many minutes the club's clock is ahead of ours."""
        return int((self.folder / "later").read_text())

    @later.setter
    def later(self, minutes: int) -> None:
        (self.folder / "later").write_text(str(minutes))

    def __call__(self, *words: str) -> str:
        """Run a command as its own user at the club's time; return what it printed."""
        done = self.run(self.clocked, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            user=USER,
            group=USER,
            extra_groups=[],
            cwd="/",
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
            "ADJUD_CONFIG": str(self.config),
            **self.surroundings,
        }

    def waiting(self) -> list[spool.Spooled]:
        folder = self.folder / "spool"
        found = (spool.read(folder, name) for name in spool.names(folder))
        return [email for email in found if email]

    def in_spool(self) -> int:
        return spool.count(self.folder / "spool")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let no email be stored, as when a disk is full."""
        folders = [self.folder / "spool" / name for name in ("new", "tmp")]
        for folder in (folders[0].parent, *folders):
            folder.mkdir(mode=0o700, exist_ok=True)
            shutil.chown(folder, USER, USER)
        for folder in folders:
            folder.chmod(0o500)
        yield
        for folder in folders:
            folder.chmod(0o700)


def config_in(folder: Path) -> Path:
    return folder / "adjud.toml"


def clocked_in(folder: Path) -> Path:
    return folder / "adjud"


CLOCKED = """#!/bin/sh
exec /usr/bin/faketime -f "+$(/bin/cat {folder}/later)m" {program} "$@"
"""

CONFIGURATION = """
database = "sqlite:///{folder}/adjud.db"
operator = "gm@{players}"
[mail]
domain = "{domain}"
key = "{folder}/key"
spool = "{folder}/spool"
"""


class Installed(Spool):
    """An installed adjud with the configuration, database, key and spool of one club."""

    def __init__(self, program: Path, folder: Path, domain: str, smtp: int) -> None:
        super().__init__(program, folder, domain)
        self.configure(out=f"smtp://127.0.0.1:{smtp}")
        self("init")

    @contextmanager
    def staying(self, *words: str) -> Iterator[Path]:
        """Run a command that stays until it is stopped, which must end it well; yield its
        output."""
        output = self.folder / f"{words[1]}.out"
        with output.open("wb") as log:
            process = subprocess.Popen(
                [self.program, *words],
                user=USER,
                group=USER,
                extra_groups=[],
                cwd="/",
                env={**self.environment, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            yield output
        finally:
            process.terminate()
            try:
                code = process.wait(20)
            finally:
                process.kill()
                process.wait()
        assert code == 0, output.read_text()

    def status(self, match: str) -> str:
        return self("status", match, "--gm")

    @contextmanager
    def copied(self) -> Iterator[Store]:
        """Open a copy of the database in this process, to look at it without starting a program:
        the club's user could not use what root has opened."""
        with tempfile.TemporaryDirectory() as folder:
            for file in self.folder.glob("adjud.db*"):
                shutil.copy(file, folder)
            with closing(open_store(f"sqlite:///{folder}/adjud.db")) as store:
                yield store

    def orders(self, match: str, seat: str) -> list[str]:
        """Return what the built-in player would order in that seat; empty if it is not awaited."""
        with self.copied() as store, store.reading() as tx:
            loaded = load(tx, match)
        if seat not in loaded.awaited:
            return []
        strong = "computer:strong"
        level = strong if strong in loaded.game.computers else "computer"
        return "\n".join(computer_orders(loaded, seat, level)).splitlines()

    def sent(self, name: str) -> int:
        """Return how many emails the program has handed over for a player."""
        count = (
            "SELECT count(*) FROM outbox JOIN player ON player.id = outbox.player_id"
            " WHERE outbox.status = 'sent' AND player.name = ?"
        )
        with self.copied() as store, store.reading() as tx:
            return int(tx.exec_driver_sql(count, (name,)).scalar_one())


class Real:
    """The servers that run: domains whose emails reach clubs and spools in as many ways."""

    # The manual's own domain is in its lines; nobody looks for it outside.
    PIPE, LMTP, MAILBOX = "play.example.org", "lmtp.test.invalid", "mailbox.test.invalid"
    PROCMAIL, MAILDROP = "procmail.test.invalid", "maildrop.test.invalid"
    SIEVE = "sieve.test.invalid"

    def __init__(self, base: Path, imap: int, ports: "Ports") -> None:
        self.base, self.imap, self.imaps = base, imap, ports.imaps
        self.serving = free_port()
        self.program = _install(base / "venv")
        mailboxes = f"lmtp:inet:127.0.0.1:{ports.lmtp}"
        transports = {
            self.LMTP: f"lmtp:inet:127.0.0.1:{self.serving}",
            self.PROCMAIL: "procmail:",
            self.MAILDROP: "maildrop:",
            self.SIEVE: mailboxes,
            self.MAILBOX: mailboxes,
            PLAYERS: mailboxes,
        }
        main, master = (
            self.lines(f"Postfix, `{name}.cf`", self.PIPE) for name in ("main", "master")
        )
        self.postfix = Postfix(base / "postfix", transports, main, master, ports.passwords)
        for name in ("cert.pem", "key.pem"):
            shutil.copy(base / name, base / "postfix")
        for name, domain in (("procmail", self.PROCMAIL), ("maildrop", self.MAILDROP)):
            file = base / "postfix" / "etc" / f"{name}rc"
            file.write_text(self.lines(name, domain))
            shutil.chown(file, USER, USER)
            file.chmod(0o600)

    def lines(self, whose: str, domain: str) -> str:
        """Return the manual's lines for a server, which reach the club of that domain."""
        folder = self.base / domain
        return lines(whose, clocked_in(folder), config_in(folder))

    def club(self, domain: str) -> Installed:
        return Installed(self.program, self.base / domain, domain, self.postfix.port)

    def person(self, name: str) -> Person:
        return Person(name, self.base, self.postfix.port, self.imap)


def _install(environment: Path) -> Path:
    """Install our program from a copy of the checkout, in an environment that everybody may
    read."""
    source = environment.with_name("source")
    shutil.copytree(CHECKOUT, source, ignore=NOT_OURS)
    with environment.with_name("install.log").open("wb") as log:
        for command in (
            [PYTHON, "-m", "venv", environment],
            [environment / "bin" / "pip", "install", "-q", f"{source}[imap,lmtp,png]"],
        ):
            subprocess.run(command, check=True, stdout=log, stderr=log)
    return environment / "bin" / "adjud"


class Ports(NamedTuple):
    """The ports of Dovecot, beside that of IMAP."""

    lmtp: int
    imaps: int
    passwords: int


DOVECOT_MORE = """
ssl = yes
ssl_cert = <{base}/cert.pem
ssl_key = <{base}/key.pem
service imap-login {{
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service auth {{
  inet_listener {{
    address = 127.0.0.1
    port = {passwords}
  }}
}}
{written}
plugin {{
  sieve = {base}/scripts/%d.sieve
}}
hostname = mx.test.invalid
postmaster_address = postmaster@test.invalid
"""


def _sieve(base: Path) -> str:
    """Return Dovecot's configuration from docs/server.md, after making the scripts that it
    needs."""
    folder = base / Real.SIEVE
    program, config = clocked_in(folder), config_in(folder)
    for name in ("scripts", "pipe"):
        (base / name).mkdir()
        (base / name).chmod(0o755)
    script = base / "scripts" / f"{Real.SIEVE}.sieve"
    script.write_text(lines("Sieve", program, config))
    receive = base / "pipe" / "adjud-receive"
    receive.write_text(f"#!/bin/sh\nexec {program} --config {config} mail receive\n")
    receive.chmod(0o755)
    shutil.chown(base / "scripts", USER, USER)  # the compiled script is kept beside it
    return lines("Dovecot", program, config).replace("/etc/dovecot/pipe", str(base / "pipe"))


@contextmanager
def running() -> Iterator[Real]:
    base = Path(tempfile.mkdtemp(prefix="adjud-mail-", dir="/tmp"))
    base.chmod(0o755)
    ports = Ports(free_port(), free_port(), free_port())
    certificate(base)
    more = DOVECOT_MORE.format(base=base, written=_sieve(base), **ports._asdict())
    try:
        with dovecot(lmtp=ports.lmtp, more=more) as imap:
            real = Real(base, imap, ports)
            try:
                real.postfix.start()
                yield real
            finally:
                with suppress(subprocess.CalledProcessError):  # one that is not running
                    real.postfix.stop()
    finally:
        shutil.rmtree(base)
