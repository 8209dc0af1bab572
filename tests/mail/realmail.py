"""A club on real mail servers: Postfix and Dovecot on the loopback, adjud installed as an
administrator would install it, players with mutt or over IMAP.

Everything lies in a folder of its own under /tmp that other users may search, since Postfix
starts our program as somebody who is neither root nor itself. `running()` needs root.
"""

import fcntl
import os
import pty
import select
import shlex
import shutil
import smtplib
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import TypeVar

from imapclient import IMAPClient

import adjudicator
from tests.mail.servers import DOVECOT, dovecot, free_port, wait_for

CHECKOUT = Path(adjudicator.__file__).parents[1]
NOT_OURS = shutil.ignore_patterns(".*", "*.mo", "__pycache__", "dist")
PYTHON = Path("/usr/bin/python3")  # one that everybody may run
NEEDED = (DOVECOT, *map(Path, ("/usr/sbin/postfix", "/usr/lib/dovecot/lmtp", "/usr/bin/mutt")))
NEEDED += tuple(Path("/usr/bin") / name for name in ("msmtp", "swaks", "faketime"))
PACKAGES = "postfix dovecot-core dovecot-imapd dovecot-lmtpd mutt msmtp swaks faketime python3-venv"
USER = "games"  # an account that every Debian has; the pipe and the tick run as one user
PLAYERS = "players.test.invalid"
LIMIT = 30.0  # seconds that a letter may take

T = TypeVar("T")


def missing() -> str | None:
    """Why there can be no real mail here."""
    if os.geteuid() != 0:
        return "Postfix is started by root only"
    absent = [path.name for path in NEEDED if not path.exists()]
    if absent:
        return f"no {', '.join(absent)}: apt-get install --no-install-recommends {PACKAGES}"
    return None


def until(look: Callable[[], T], limit: float = LIMIT) -> T:
    """What `look` finds as soon as it finds anything."""
    end = time.monotonic() + limit
    while not (found := look()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)
    return found


MAIN = """
compatibility_level = 3.6
queue_directory = {base}/spool
data_directory = {base}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = {base}/log/mail.log
maillog_file_prefixes = /tmp
inet_interfaces = loopback-only
inet_protocols = ipv4
myhostname = mx.test.invalid
mydestination =
alias_maps =
alias_database =
mynetworks = 127.0.0.0/8
relay_domains = {domains}
transport_maps = inline:{{ {transports} }}
default_transport = error:no outside mail
recipient_delimiter = +
adjud_destination_recipient_limit = 1
smtpd_recipient_restrictions = permit_mynetworks, reject_unauth_destination
minimal_backoff_time = 1s
maximal_backoff_time = 2s
queue_run_delay = 1s
# A server of one that could not be reached is tried again at once, not after a while.
destination_concurrency_failed_cohort_limit = 0
"""

MASTER = """
127.0.0.1:{port} inet n - n - - smtpd
pickup  unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr    unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce  unix - - n - 0 bounce
defer   unix - - n - 0 bounce
trace   unix - - n - 0 bounce
verify  unix - - n - 1 verify
flush   unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
showq   unix n - n - - showq
error   unix - - n - - error
retry   unix - - n - - error
lmtp    unix - - n - - lmtp
anvil   unix - - n - 1 anvil
scache  unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
adjud   unix - n n - 2 pipe flags=RX user={user} null_sender= argv={pipe}
"""


class Postfix:
    """A Postfix with queue, log and configuration in a folder of its own."""

    def __init__(self, base: Path, transports: dict[str, str], pipe: str) -> None:
        self.base, self.port = base, free_port()
        for name in ("etc", "spool", "data", "log"):
            (base / name).mkdir(parents=True, mode=0o755)
        shutil.chown(base / "data", "postfix")
        routes = ", ".join(f"{{ {domain} = {way} }}" for domain, way in transports.items())
        main = MAIN.format(base=base, domains=", ".join(transports), transports=routes)
        (base / "etc" / "main.cf").write_text(main)
        (base / "etc" / "master.cf").write_text(MASTER.format(port=self.port, user=USER, pipe=pipe))

    def start(self) -> None:
        self.control("start")
        wait_for(self.port)

    def stop(self) -> None:
        self.control("stop")

    def control(self, word: str) -> None:
        """The daemons keep the output that they were started with: it is a file."""
        with (self.base / "start.log").open("ab") as log:
            command = ["postfix", "-c", self.base / "etc", word]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def log(self) -> str:
        path = self.base / "log" / "mail.log"
        return path.read_text("utf-8", "replace") if path.exists() else ""


class Installed:
    """adjud with the configuration, database, key and spool of one club."""

    def __init__(self, program: Path, folder: Path, domain: str, smtp: int) -> None:
        self.program, self.folder, self.domain = program, folder, domain
        self.later = 0  # minutes by which the club's clock is ahead of ours
        folder.mkdir(mode=0o700)
        shutil.chown(folder, USER, USER)
        self.configure(out=f"smtp://127.0.0.1:{smtp}")
        self("init")

    def configure(self, **mail: str) -> None:
        self._mail = {**getattr(self, "_mail", {}), **mail}
        lines = [f'{name} = "{value}"' for name, value in self._mail.items()]
        text = f"""
            database = "sqlite:///{self.folder}/adjud.db"
            operator = "gm@{PLAYERS}"
            [mail]
            domain = "{self.domain}"
            key = "{self.folder}/key"
            spool = "{self.folder}/spool"
        """
        self.config.write_text("\n".join([*map(str.strip, text.splitlines()), *lines]))

    @property
    def config(self) -> Path:
        return self.folder / "adjud.toml"

    def __call__(self, *words: str) -> str:
        """What a command printed, run as its own user at the club's time."""
        done = self.run(self.program, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        shift = ["faketime", "-f", f"+{self.later}m"] if self.later else []
        return subprocess.run(
            [*shift, *command],
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
        }

    @contextmanager
    def staying(self, *words: str) -> Iterator[Path]:
        """A command that runs until it is stopped, which it must be able to do well; its output."""
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

    def in_spool(self) -> int:
        new = self.folder / "spool" / "new"
        return len(list(new.iterdir())) if new.is_dir() else 0

    def status(self, match: str) -> str:
        return self("status", match, "--gm")

    def orders(self, match: str, seat: str) -> list[str]:
        """What the built-in player would order in that seat; empty when it is not awaited."""
        python = self.program.with_name("python")
        done = self.run(python, "-c", ORDERS, f"sqlite:///{self.folder}/adjud.db", match, seat)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()


ORDERS = """
import sys
from adjudicator.service.adjudication import orders_of
from adjudicator.service.loading import load
from adjudicator.store.database import open_store
url, match, seat = sys.argv[1:]
with open_store(url).reading() as tx:
    loaded = load(tx, match)
if seat in loaded.awaited:
    print("\\n".join(orders_of(loaded, seat, "computer")))
"""


class Person:
    """Somebody with a mailbox."""

    def __init__(self, name: str, real: "Real") -> None:
        self.name, self.address = name, f"{name.lower()}@{PLAYERS}"
        self.smtp, self.imap, self.folder = real.postfix.port, real.imap, real.base / name
        self._seen = 0

    def new_letters(self) -> list[EmailMessage]:
        """What came since the last look, read by IMAP."""
        with IMAPClient("127.0.0.1", self.imap, ssl=False) as client:
            client.login(self.name.lower(), "hemmelig")
            client.select_folder("INBOX", readonly=True)
            uids = [uid for uid in client.search() if uid > self._seen]
            found = client.fetch(uids, ["BODY.PEEK[]"]) if uids else {}
        self._seen = max(uids, default=self._seen)
        raws = [found[uid][b"BODY[]"] for uid in sorted(found)]
        return [message_from_bytes(raw, policy=policy.default) for raw in raws]

    def gets(self, *kinds: str) -> list[EmailMessage]:
        """The next letters: exactly those kinds, in whatever order they came."""
        got: list[EmailMessage] = []

        def enough() -> bool:
            got.extend(self.new_letters())
            return len(got) >= len(kinds)

        until(enough)
        by_kind = sorted(got, key=kind_of)
        assert [kind_of(letter) for letter in by_kind] == sorted(kinds)
        return by_kind

    def writes(self, to: str, *lines: str, **headers: str) -> None:
        """A letter of plain text."""
        letter = EmailMessage()
        letter["From"], letter["To"], letter["Subject"] = self.address, to, "orders"
        letter["Message-ID"] = f"<{time.time_ns()}@{PLAYERS}>"
        for name, value in headers.items():
            letter[name.replace("_", "-")] = value
        letter.set_content("\n".join(lines) + "\n")
        with smtplib.SMTP("127.0.0.1", self.smtp) as server:
            server.send_message(letter, self.address, [to])

    def swaks(self, to: str, *lines: str) -> None:
        """As a shell script would write; swaks declares no charset."""
        body = "\n".join(lines)
        command = ["swaks", "--server", f"127.0.0.1:{self.smtp}", "--to", to, "--body", body]
        run([*command, "--from", self.address, "--h-Subject", "orders"])

    def replies(self, subject: str, sheet: Sequence[str], *, inside: bool = False) -> None:
        """Reply with mutt to the newest letter whose Subject holds those words: the sheet is
        written above the quoted letter, or `inside` it, over the quoted order template."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / "sheet").write_text("\n".join(sheet) + "\n")
        editor = self._script("editor", EDITOR.format(python=PYTHON, folder=self.folder))
        msmtprc = self.folder / "msmtprc"
        msmtprc.write_text(MSMTPRC.format(port=self.smtp, address=self.address))
        muttrc = self.folder / "muttrc"
        muttrc.write_text(
            MUTTRC.format(
                folder=self.folder,
                address=self.address,
                name=self.name,
                user=self.name.lower(),
                port=self.imap,
                sender=f"msmtp -C {msmtprc}",
                editor=f"{editor} {'inside' if inside else 'above'}",
                subject=subject,
            )
        )
        at_keyboard(["mutt", "-n", "-F", str(muttrc)], [("Mutt: Compose", "y"), ("Mail sent", "q")])

    def _script(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path


MUTTRC = """
set from="{address}" realname="{name}" use_from=yes envelope_from=yes
set sendmail="{sender}" sendmail_wait=0
set spoolfile="imap://{user}:hemmelig@127.0.0.1:{port}/INBOX" folder="imap://127.0.0.1:{port}"
set ssl_starttls=no ssl_force_tls=no imap_authenticators="login" timeout=5
set copy=no charset=utf-8 send_charset="us-ascii:iso-8859-1:utf-8"
set attribution="Den %d skrev %n:" editor="{editor}" autoedit=yes fast_reply=yes include=yes
set edit_headers=no reply_to=yes abort_unmodified=no recall=no wait_key=no quit=yes
set sort=mailbox-order mark_old=no read_inc=0 write_inc=0 net_inc=0
set certificate_file="{folder}/certificates" header_cache="" history_file="{folder}/history"
push '<limit>~s "{subject}"<enter><last-entry><reply>'
"""

# mutt calls it with the file; it must be newer afterwards.
EDITOR = """#!{python}
import re, sys, time
from pathlib import Path
how, path = sys.argv[1], Path(sys.argv[2])
sheet, quoted = Path("{folder}/sheet").read_text(), path.read_text()
if how == "above":
    text = sheet + "\\n" + quoted
else:
    filled = "".join("> " + line + "\\n" for line in sheet.splitlines())
    text, n = re.subn(r"(?ms)^> ORDERS .*?^> END *\\n", lambda _: filled, quoted, count=1)
    assert n == 1
Path("{folder}/written").write_text(text)
path.write_text(text)
"""

MSMTPRC = """
account default
host 127.0.0.1
port {port}
auth off
tls off
from {address}
"""


def players_environment() -> dict[str, str]:
    """Nothing of ours."""
    return {"PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8", "HOME": "/nonexistent"}


def run(command: Sequence[str]) -> None:
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            command,
            env=players_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=LIMIT,
        )
        output.seek(0)
        assert done.returncode == 0, f"{shlex.join(command)}: {output.read()!r}"


def at_keyboard(command: Sequence[str], keys: Sequence[tuple[str, str]]) -> None:
    """Run a program on a terminal and, as soon as each text is on the screen, press its key."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        command,
        env=players_environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        for text, key in keys:
            screen = _read_until(ours, text.encode())
            assert text.encode() in screen, screen[-2000:]
            os.write(ours, key.encode())
        _read_until(ours, None)
        assert process.wait(LIMIT) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _read_until(terminal: int, text: bytes | None) -> bytes:
    """What was shown until the text came, the program ended, or it took too long."""
    seen, end = b"", time.monotonic() + LIMIT
    while (text is None or text not in seen) and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # Linux says so at the end
                break
    return seen


def kind_of(letter: EmailMessage) -> str:
    return str(letter["X-Adjud"] or "other")


def text_of(letter: EmailMessage) -> str:
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


class Real:
    """What runs: three domains whose letters reach three clubs on three roads."""

    PIPE, LMTP, MAILBOX = "pipe.test.invalid", "lmtp.test.invalid", "mailbox.test.invalid"

    def __init__(self, base: Path, imap: int, lmtp: int) -> None:
        self.base, self.imap = base, imap
        self.serving = free_port()
        self.program = _install(base / "venv")
        mailboxes = f"lmtp:inet:127.0.0.1:{lmtp}"
        transports = {
            self.PIPE: "adjud:",
            self.LMTP: f"lmtp:inet:127.0.0.1:{self.serving}",
            self.MAILBOX: mailboxes,
            PLAYERS: mailboxes,
        }
        config = base / self.PIPE / "adjud.toml"
        pipe = f"{self.program} --config {config} mail receive ${{sender}} ${{original_recipient}}"
        self.postfix = Postfix(base / "postfix", transports, pipe)

    def club(self, domain: str) -> Installed:
        return Installed(self.program, self.base / domain, domain, self.postfix.port)


def _install(environment: Path) -> Path:
    """Our program in an environment that everybody may read, from a copy of the checkout."""
    source = environment.with_name("source")
    shutil.copytree(CHECKOUT, source, ignore=NOT_OURS)
    with environment.with_name("install.log").open("wb") as log:
        for command in (
            [PYTHON, "-m", "venv", environment],
            [environment / "bin" / "pip", "install", "-q", f"{source}[imap,lmtp,png]"],
        ):
            subprocess.run(command, check=True, stdout=log, stderr=log)
    return environment / "bin" / "adjud"


@contextmanager
def running() -> Iterator[Real]:
    base = Path(tempfile.mkdtemp(prefix="adjud-mail-", dir="/tmp"))
    base.chmod(0o755)
    lmtp = free_port()
    try:
        with dovecot(lmtp=lmtp) as imap:
            real = Real(base, imap, lmtp)
            try:
                real.postfix.start()
                yield real
            finally:
                with suppress(subprocess.CalledProcessError):  # one that is not running
                    real.postfix.stop()
    finally:
        shutil.rmtree(base)
