"""Mail servers for tests, on the loopback and high ports."""

import grp
import os
import pwd
import select
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

DOVECOT = Path("/usr/sbin/dovecot")
USER = "games"  # an account that every Debian has: whose all is that is not a server's
MISSING = "no Dovecot: apt-get install --no-install-recommends dovecot-core dovecot-imapd"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Receiver:
    """An SMTP server: what it got, and what it shall answer, by recipient or to the data."""

    def __init__(self) -> None:
        self.port = free_port()
        self.letters: list[tuple[str, list[str], bytes]] = []
        self.connections = 0
        self.refuses: dict[str, str] = {}
        self.answers: list[str] = []  # to the next data; "drop" hangs up
        self.mail = ""
        self.logins: list[tuple[bytes, bytes]] = []

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, name: str, said: list[str]
    ) -> list[str]:
        self.connections += 1
        session.host_name = name
        return said

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        return self.mail or "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if answer := self.refuses.get(address):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer == "drop":
            assert server.transport is not None
            server.transport.close()
            return "421 gone"
        if answer.startswith("250"):
            sent = envelope.original_content or b""
            sender = str(envelope.mail_from).strip("<>")  # aiosmtpd writes nobody as <>
            self.letters.append((sender, list(envelope.rcpt_tos), sent))
        return answer

    def login(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"hemmelig", handled=False)


@contextmanager
def smtp_server(receiver: Receiver, **options: Any) -> Iterator[Controller]:
    controller = Controller(receiver, hostname="127.0.0.1", port=receiver.port, **options)
    controller.start()
    try:
        yield controller
    finally:
        controller.stop()


# For the resolver "127.1" is 127.0.0.1; for our program it is a host that may be anywhere.
ELSEWHERE = "127.1"
HOSTS = f"IP:127.0.0.1,DNS:localhost,DNS:{ELSEWHERE}"


def certificate(folder: Path) -> Path:
    """Make a key and a certificate for the loopback that nobody but us has signed."""
    path = folder / "server.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", f"subjectAltName={HOSTS}"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*made, *names, *files], check=True, capture_output=True)
    path.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return path


def server_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


CONFIGURATION = """
base_dir = {base}/run
state_dir = {base}/run
log_path = {base}/log
listen = 127.0.0.1
protocols = {protocols}
ssl = no
disable_plaintext_auth = no
default_internal_user = {internal}
default_internal_group = {internal_group}
default_login_user = {login}
first_valid_uid = 1
mail_location = maildir:~/Maildir
mailbox_idle_check_interval = 1s
passdb {{
  driver = static
  args = password=hemmelig
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={base}/mail/%n allow_all_users=yes
}}
recipient_delimiter = +
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
namespace inbox {{
  inbox = yes
  prefix = {prefix}
  separator = .
}}
"""

LMTP = """
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
"""


@contextmanager
def dovecot(prefix: str = "", lmtp: int | None = None, more: str = "") -> Iterator[int]:
    """Start a Dovecot in a folder of its own; return its port. Every password is `hemmelig`.

    With a port for LMTP it takes emails for anybody, in any domain. `more` is configuration.
    """
    base, port = Path(tempfile.mkdtemp(prefix="adjud-imap-", dir="/tmp")), free_port()
    (base / "mail").mkdir()
    configuration = base / "dovecot.conf"
    names = {"protocols": "imap lmtp" if lmtp else "imap", **_users(base)}
    text = CONFIGURATION.format(base=base, port=port, prefix=prefix, **names)
    configuration.write_text(text + (LMTP.format(lmtp=lmtp) if lmtp else "") + more)
    # It runs in the foreground, so that it ends with us. It gets no pipe, which it would keep open.
    with (base / "start").open("wb") as log:
        server = subprocess.Popen(
            [DOVECOT, "-F", "-c", configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        for listening in (port, lmtp or port):
            wait_for(listening)
        yield port
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(base)


def _users(base: Path) -> dict[str, str]:
    """Return the users of its processes; all are ourselves if we may not choose."""
    if os.geteuid() == 0:
        base.chmod(0o755)
        shutil.chown(base / "mail", USER, USER)
        names = ("dovecot", "dovecot", "dovenull", USER, USER)
    else:
        user, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
        names = (user, group, user, user, group)
    return dict(zip(("internal", "internal_group", "login", "user", "group"), names, strict=True))


def wait_for(port: int, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return


class Cable:
    """The line between a client and a server of this machine, which may be cut once.

    The first connection is lost when so many octets have gone to the server.
    """

    def __init__(self, server: int, cut_after: int | None = None) -> None:
        self._server, self._cut_after = server, cut_after
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])

    def __enter__(self) -> "Cable":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                self._carry(client)

    def _carry(self, client: socket.socket) -> None:
        left, self._cut_after = self._cut_after, None
        server = socket.create_connection(("127.0.0.1", self._server))
        with client, server, suppress(OSError):
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    sent = ready.recv(512)
                    if not sent:
                        return
                    (server if ready is client else client).sendall(sent)
                    left = left - len(sent) if left is not None and ready is client else left
                    if left is not None and left <= 0:
                        return
