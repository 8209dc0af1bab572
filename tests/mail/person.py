"""A player at his mail program, mutt with msmtp, or swaks; he reads over IMAP what he was sent."""

import fcntl
import os
import pty
import re
import select
import shlex
import smtplib
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import TypeVar

from imapclient import IMAPClient

from tests.mail.servers import Cable

PYTHON = Path("/usr/bin/python3")  # one that everybody may run
PLAYERS = "players.test.invalid"
LIMIT = 90.0  # seconds that an email may take

T = TypeVar("T")


def until(look: Callable[[], T], limit: float = LIMIT, said: Callable[[], str] = str) -> T:
    """Return what `look` finds, as soon as it finds anything.

    If that takes too long, fail and show what a server `said`.
    """
    end = time.monotonic() + limit
    while not (found := look()):
        assert time.monotonic() < end, f"it did not come\n{said()}"
        time.sleep(0.05)
    return found


class Person:
    """A player with a mailbox. His mail program reaches the server through a `Cable`."""

    def __init__(self, name: str, base: Path, smtp: int, imap: int) -> None:
        self.name, self.address = name, f"{name.lower()}@{PLAYERS}"
        self.smtp, self.imap, self.folder = smtp, imap, base / name
        self.later = 0  # minutes by which his clock is ahead of ours
        self.complaint = ""  # of his mail program
        self._seen = 0

    def new_emails(self) -> list[EmailMessage]:
        """Return what has come since the last look, read by IMAP."""
        return [parsed(raw) for raw in self.new_sources()]

    def new_sources(self) -> list[bytes]:
        """Return what has come since the last look, as bytes."""
        with IMAPClient("127.0.0.1", self.imap, ssl=False) as client:
            client.login(self.name.lower(), "hemmelig")
            client.select_folder("INBOX", readonly=True)
            uids = [uid for uid in client.search() if uid > self._seen]
            found = client.fetch(uids, ["BODY.PEEK[]"]) if uids else {}
        self._seen = max(uids, default=self._seen)
        return [found[uid][b"BODY[]"] for uid in sorted(found)]

    def gets(self, *kinds: str) -> list[EmailMessage]:
        """Return the next emails: exactly those kinds, in whatever order they came."""
        got: list[EmailMessage] = []

        def enough() -> bool:
            got.extend(self.new_emails())
            return len(got) >= len(kinds)

        until(enough)
        by_kind = sorted(got, key=kind_of)
        assert [kind_of(email) for email in by_kind] == sorted(kinds)
        return by_kind

    def writes(self, to: str, *lines: str, **headers: str) -> None:
        """Send an email of plain text."""
        email = EmailMessage()
        email["From"], email["To"] = self.address, to
        email["Message-ID"] = f"<{time.time_ns()}@{PLAYERS}>"
        for name, value in {"Subject": "orders", **headers}.items():
            email[name.replace("_", "-")] = value
        email.set_content("\n".join(lines) + "\n")
        with smtplib.SMTP("127.0.0.1", self.smtp) as server:
            server.send_message(email, self.address, [to])

    def swaks(self, to: str, *lines: str) -> None:
        """Send an email as a shell script would; swaks declares no charset."""
        body = "\n".join(lines)
        command = ["swaks", "--server", f"127.0.0.1:{self.smtp}", "--to", to, "--body", body]
        run([*command, "--from", self.address, "--h-Subject", "orders"])

    def replies(
        self,
        subject: str,
        sheet: Sequence[str],
        *,
        inside: bool = False,
        cut_after: int | None = None,
    ) -> None:
        """Reply with mutt to the newest email whose Subject holds those words.

        The sheet is written above the quoted email, or `inside` it, over the quoted order
        template. The connection may be lost after some octets; mutt says so, and is told to send
        again.
        """
        self.folder.mkdir(exist_ok=True)
        (self.folder / "sheet").write_text("\n".join(sheet) + "\n")
        editor = self._script("editor", EDITOR.format(python=PYTHON, folder=self.folder))
        msmtprc = self.folder / "msmtprc"
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
        again = [("Error sending", "q"), ("y:Send", "y")] if cut_after else []
        keys = [("Mutt: Compose", "y"), *again, ("Mail sent", "q")]
        with Cable(self.smtp, cut_after) as cable:
            msmtprc.write_text(MSMTPRC.format(port=cable.port, address=self.address))
            clock = ["faketime", "-f", f"+{self.later}m"] if self.later else []
            seen = at_keyboard([*clock, "mutt", "-n", "-F", str(muttrc)], keys)
        found = re.search(rb"Error sending [^\x1b]*", seen)
        self.complaint = found.group().decode().strip() if found else ""

    @property
    def written(self) -> str:
        """Return what mutt's editor left of the last reply."""
        return (self.folder / "written").read_text()

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
set hostname="players.test.invalid"
set edit_headers=no reply_to=yes abort_unmodified=no recall=no wait_key=no quit=yes
set sort=mailbox-order mark_old=no read_inc=0 write_inc=0 net_inc=0
set certificate_file="{folder}/certificates" header_cache="" history_file="{folder}/history"
push '<limit>~s "{subject}"<enter><last-entry><reply>'
"""

# mutt calls this editor with the file, which must be newer afterwards.
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
    """Return an environment with nothing of ours in it."""
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


def at_keyboard(command: Sequence[str], keys: Sequence[tuple[str, str]]) -> bytes:
    """Run a program on a terminal and, as soon as each text is on the screen, press its key.

    Return all that was shown.
    """
    shown = b""
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
            shown += screen
            os.write(ours, key.encode())
        shown += _read_until(ours, None)
        assert process.wait(LIMIT) == 0
        return shown
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _read_until(terminal: int, text: bytes | None) -> bytes:
    """Return what was shown until the text came, the program ended, or it took too long."""
    seen, end = b"", time.monotonic() + LIMIT
    while (text is None or text not in seen) and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # Linux says so at the end
                break
    return seen


def parsed(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=policy.default)


def kind_of(email: EmailMessage) -> str:
    return str(email["X-Adjud"] or "other")
