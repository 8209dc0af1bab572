"""Try the lines of docs/server.md with each mail server.

An email reaches the spool as it was sent, and no command line shows who wrote it; if it cannot be
stored, the server keeps it and brings it later.
"""

import re
import shutil
import smtplib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest
from msgspec import Struct

from adjudicator.mail.read.email import read
from adjudicator.mail.transport.spool import Spooled
from tests.mail import mtas
from tests.mail.person import until
from tests.mail.realmail import Real, Spool
from tests.mail.servers import USER

pytestmark = pytest.mark.real

SENDER = "anna@players.test.invalid"
EMAIL = (
    b"From: Anna <anna@players.test.invalid>\r\n"
    b"To: %s\r\n"
    b"Subject: =?utf-8?q?Tur=C3=BCr?=\r\n"
    b"Date: Sat, 21 Nov 2026 12:00:00 +0000\r\n"
    b"Message-ID: <1@players.test.invalid>\r\n"
    b"X-Folded: one\r\n\t two\r\n"
    b"Content-Transfer-Encoding: 8bit\r\n"
    b"\r\n"
    b"ORDERS m102 white turn 1\r\n"
    b".\r\n..\r\nFrom here to there  \r\n\r\n\xc3\xa5\xff\r\n"
    b"END\r\n"
)


class Door(Struct):
    """A server that takes emails for us, and how its log says that one waits."""

    port: int
    spool: Spool
    log: Callable[[], str]
    waits: str = "status=deferred"

    @property
    def address(self) -> str:
        return f"adjud+m102.white.k3f5qw2mzt4x7c6d@{self.spool.domain}"

    @property
    def email(self) -> bytes:
        return EMAIL % self.address.encode()

    def is_handed_email(self, sender: str = SENDER) -> None:
        with smtplib.SMTP("127.0.0.1", self.port) as server:
            server.sendmail(sender, [self.address], self.email, ["body=8bitmime"])

    def lets_in(self) -> Spooled:
        """Return the email that has reached the spool, and take it out of it."""
        until(self.spool.in_spool, said=self.log)
        (found,) = self.spool.waiting()
        (self.spool.folder / "spool" / "new" / found.name).unlink()
        return found

    def check(self, found: Spooled, sender: str = SENDER, *, envelope: bool = True) -> None:
        """Check that the email is as it was sent, below what the server wrote above it.

        Sender and recipient come with it, or the server wrote the recipient into the email.
        """
        assert found.raw.replace(b"\r\n", b"\n").endswith(self.email.replace(b"\r\n", b"\n"))
        if envelope:
            assert found.envelope.sender == sender
            assert found.envelope.recipient == self.address
        else:
            assert read(found.raw).addressed[0] == self.address
        assert found.envelope.channel == "pipe"


@contextmanager
def spool(real: Real, name: str, domain: str) -> Iterator[Spool]:
    """Make a spool that is gone afterwards."""
    made = Spool(real.program, real.base / name, domain)
    try:
        yield made
    finally:
        shutil.rmtree(made.folder)


@contextmanager
def of_postfix(real: Real, domain: str) -> Iterator[Door]:
    start = len(real.postfix.log)

    def deliveries() -> str:
        """Return the log's lines without emails of other tests, which may come late."""
        said = real.postfix.log[start:].splitlines()
        return "\n".join(line for line in said if f"@{domain}>" in line)

    with spool(real, domain, domain) as made:
        yield Door(real.postfix.port, made, deliveries)


Server = Callable[[Path, str], AbstractContextManager[tuple[int, Path]]]


@contextmanager
def of(server: Server, real: Real, name: str, waits: str) -> Iterator[Door]:
    base = Path(mkdtemp(prefix=f"{name}-", dir=real.base))
    shutil.chown(base, USER, USER)
    with (
        spool(real, name, real.PIPE) as made,
        server(base, mtas.lines(name, made.clocked, made.config)) as (port, log),
    ):
        yield Door(port, made, lambda: log.read_text("utf-8", "replace"), waits)


def needs(name: str) -> None:
    """Skip the test on a machine without that server."""
    reason = mtas.cannot_run(name)
    if reason:
        pytest.skip(reason)


def test_an_email_that_cannot_be_stored_waits_at_postfix(real: Real) -> None:
    with of_postfix(real, real.PIPE) as door:
        keeps_and_brings(door)
        assert re.search("not stored: [^ ]+/spool/tmp/[^ ]+: Permission denied", door.log())
        hands_on(door, "")


WATCHED = """#!/bin/sh
for one in /proc/[0-9]*; do tr '\\0' ' ' <"$one/cmdline"; echo; done >>"{seen}" 2>/dev/null
exec "{program}" "$@"
"""


@contextmanager
def watched(door: Door) -> Iterator[Path]:
    """Note the words of all commands that run while the pipe does, as everybody can read them."""
    aside = door.spool.clocked.rename(door.spool.folder / "aside")
    seen = door.spool.folder / "seen"
    door.spool.clocked.write_text(WATCHED.format(seen=seen, program=aside))
    door.spool.clocked.chmod(0o755)
    yield seen
    aside.rename(door.spool.clocked)


def brings_unseen(door: Door, *, envelope: bool = True) -> None:
    """Bring an email; no command line shows who writes, or to which seat."""
    with watched(door) as seen:
        door.is_handed_email()
        door.check(door.lets_in(), envelope=envelope)
        words = seen.read_text("utf-8", "replace")
    assert "mail receive" in words
    assert "players.test.invalid" not in words
    assert door.address.partition("@")[0] not in words


@pytest.mark.parametrize("domain", [Real.PROCMAIL, Real.MAILDROP])
def test_an_email_that_cannot_be_stored_waits_behind_a_filter(real: Real, domain: str) -> None:
    """Filters tell their children little of the envelope, but Postfix writes the recipient above
    the email."""
    with of_postfix(real, domain) as door:
        keeps_and_brings(door, envelope=False)


@pytest.mark.parametrize(("server", "name", "waits"), [
    (mtas.exim, "Exim", " == "), (mtas.opensmtpd, "OpenSMTPD", "result=TempFail"),
])  # fmt: skip
def test_an_email_that_cannot_be_stored_waits_at_another_server(
    real: Real, server: Server, name: str, waits: str
) -> None:
    needs(name)
    with of(server, real, name, waits) as door:
        keeps_and_brings(door)
        hands_on(door, "")
        hands_on(door, f"--spool={door.spool.folder}/x@players.test.invalid")


def test_exim_keeps_an_email_while_the_command_is_missing(real: Real) -> None:
    """Without `temp_errors = *` it would send the email back."""
    needs("Exim")
    with of(mtas.exim, real, "Exim", " == ") as door:
        aside = door.spool.clocked.rename(door.spool.folder / "aside")
        door.is_handed_email()
        until(lambda: door.waits in door.log(), said=door.log)
        assert door.spool.in_spool() == 0
        aside.rename(door.spool.clocked)
        door.check(door.lets_in())


def keeps_and_brings(door: Door, *, envelope: bool = True) -> None:
    brings_unseen(door, envelope=envelope)
    with door.spool.locked():
        door.is_handed_email()
        until(lambda: door.waits in door.log(), said=door.log)
        assert door.spool.in_spool() == 0
    door.check(door.lets_in(), envelope=envelope)


def hands_on(door: Door, sender: str) -> None:
    """Try the empty sender of a bounce, and one that looks like an option of ours."""
    door.is_handed_email(sender)
    door.check(door.lets_in(), sender)


def test_what_sieve_cannot_hand_over_stays_in_the_mailbox_and_is_fetched(real: Real) -> None:
    with of_postfix(real, real.SIEVE) as door:
        brings_unseen(door)
        with door.spool.locked():
            door.is_handed_email()
            until(lambda: door.log().count("status=sent") == 2, said=door.log)
        door.spool("init")
        source = f"imap://adjud:hemmelig@127.0.0.1:{real.imap}/INBOX"
        assert "1 email fetched" in door.spool("mail", "fetch", source)
        found = door.lets_in()
        assert found.envelope.channel == "imap"
        assert read(found.raw).addressed[0] == door.address
        assert found.raw.replace(b"\r\n", b"\n").endswith(door.email.replace(b"\r\n", b"\n"))
