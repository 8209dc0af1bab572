"""Level token+auth behind a real Postfix with real milters, by the manual's lines.

What the milters write is believed, and what a sender has written himself is taken out.
"""

import re
import shutil
import smtplib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from adjudicator.mail.address import MailDomain, seat_address
from tests.club import read_keys
from tests.mail import milters
from tests.mail.mtas import Postfix
from tests.mail.person import PLAYERS, until
from tests.mail.realmail import Installed, Real

pytestmark = pytest.mark.real

NAME, HOST = "mx.example.org", "mx.test.invalid"  # as the milters are told, and Postfix's own
HERE, OUTSIDE = "127.0.0.1", "127.0.0.2"  # no milter takes the second for this machine
MATCH, ANNA = "m1", f"anna@{milters.SIGNED}"
SHEET = f"ORDERS {MATCH} white\r\nSETUP RANDOM\r\nEND\r\n"
FORGED = f"Authentication-Results: {NAME}; dmarc=pass header.from={milters.SIGNED}\r\n"
TAKEN_OUT = "ok  token+auth: the server removes a forged Authentication-Results from an email\n"
THROUGH = f"BAD token+auth: a forged Authentication-Results of {HOST} gets through"

Milter = Callable[[Path], AbstractContextManager[int]]


@pytest.fixture(autouse=True)
def there() -> None:
    reason = milters.missing()
    if reason:
        pytest.skip(reason)


class Guarded:
    """A club whose emails go out and come home by a Postfix of its own.

    Anna plays White in a match that believes the server's word.
    """

    def __init__(self, club: Installed, postfix: Postfix) -> None:
        self.club, self.postfix = club, postfix
        club("player", "add", "Anna", ANNA, "--confirmed")
        seats = ("--seat", "white=Anna", "--seat", "black=computer")
        club("new", "espionage", "--match", MATCH, *seats, "--option", "level=token+auth")
        post = MailDomain(domain=club.domain, keys=read_keys(club.folder / "key"))
        self.home = seat_address(post, MATCH, "white", 1)

    def tries(self) -> str:
        """Return what the doctor says when the emails of `mail test` are home."""
        self.club("mail", "test")
        until(lambda: self.club.in_spool() == 2, said=lambda: self.postfix.log)
        self.club("tick")
        return self.club.run(self.club.clocked, "doctor").stdout

    def email(self, *, top: str = "", source: str = OUTSIDE) -> bytes:
        """Return Anna's orders, sent from there, as they reach the spool."""
        head = f"{top}From: {ANNA}\r\nTo: {self.home}\r\nSubject: orders\r\n"
        head += "Date: Sat, 21 Nov 2026 12:00:00 +0000\r\nMessage-ID: <1@players.test.invalid>\r\n"
        self.hands_over(f"{head}\r\n{SHEET}".encode(), source)
        (found,) = self.club.waiting()
        return found.raw

    def hands_over(self, email: bytes, source: str) -> None:
        with smtplib.SMTP(HERE, self.postfix.port, source_address=(source, 0)) as server:
            server.sendmail(ANNA, [self.home], email)
        until(self.club.in_spool, said=lambda: self.postfix.log)

    def takes_back(self) -> None:
        """Take the email out of the spool, so that it is never read."""
        (found,) = self.club.waiting()
        (self.club.folder / "spool" / "new" / found.name).unlink()

    def has_ordered(self) -> bool:
        """Run a tick; return whether the email in the spool was believed, or else waits for a
        code."""
        self.club("tick")
        listed = self.club("mail", "queue", "list", "--gm", "--status", "accepted")
        parked = self.club("mail", "queue", "list", "--gm", "--status", "parked")
        assert bool(listed) != bool(parked)
        return bool(listed)


@contextmanager
def guarded(
    real: Real, *wanted: Milter, name: str = NAME, but: Callable[[str], str] = str
) -> Iterator[Guarded]:
    """Set a club up by the manual's lines, `but` for a change in them; without a milter nobody
    listens there."""
    base = real.base / "guarded"
    base.mkdir()
    base.chmod(0o755)
    main, master = (real.lines(f"Postfix, `{file}.cf`", real.PIPE) for file in ("main", "master"))
    master += "\ndiscard unix - - n - - discard\n"
    postfix = Postfix(base / "postfix", {PLAYERS: "discard:"}, main, master, 1)
    with ExitStack() as running:
        running.callback(shutil.rmtree, base)
        ports = [running.enter_context(milter(base / milter.__name__)) for milter in wanted]
        postfix.adds(but(milters.postfix_lines(*ports or (1,))))
        running.callback(stop, postfix)
        postfix.start()
        club = Installed(real.program, real.base / real.PIPE, real.PIPE, postfix.port)
        running.callback(shutil.rmtree, club.folder)  # other tests come by that door
        club.configure(authserv_id=name)
        yield Guarded(club, postfix)


def without_checks(lines: str) -> str:
    return re.sub("(?m)^header_checks = .*", "", lines)


def not_waiting_for_milters(lines: str) -> str:
    return lines.replace("tempfail", "accept")


def stop(postfix: Postfix) -> None:
    with suppress(CalledProcessError):  # one that is not running
        postfix.stop()


@pytest.mark.nightly
def test_opendkim_and_opendmarc_by_the_readmes_lines(real: Real) -> None:
    with guarded(real, milters.opendkim, milters.opendmarc) as mx:
        assert TAKEN_OUT in mx.tries()
        raw = mx.email(top=FORGED)
        values = [line for line in raw.splitlines() if line.startswith(b"Authentication-Results")]
        assert [value.split(b"; ")[1][:9] for value in values] == [b"dmarc=non", b"dkim=none"]
        assert not mx.has_ordered()


@pytest.mark.nightly
def test_rspamd_by_the_readmes_lines(real: Real) -> None:
    """rspamd writes its value below Postfix's own Received, and takes forged ones out by itself."""
    with guarded(real, milters.rspamd, name=HOST, but=without_checks) as mx:
        assert TAKEN_OUT in mx.tries()
        raw = mx.email(top=FORGED.replace(NAME, HOST))
        assert raw.count(b"Authentication-Results: mx.test.invalid;") == 1
        assert b"dmarc=pass" not in raw
        assert not mx.has_ordered()


def test_what_opendkim_found_is_believed(real: Real) -> None:
    """The email is signed as at Anna's own server, and then comes from outside."""
    with guarded(real, milters.opendkim) as mx:
        signed = mx.email(source=HERE)
        mx.takes_back()
        begin = signed.index(b"DKIM-Signature:")
        mx.hands_over(signed[begin:], OUTSIDE)
        assert mx.has_ordered()


@pytest.mark.nightly
def test_opendkim_takes_a_forged_verdict_out_by_itself(real: Real) -> None:
    with guarded(real, milters.opendkim, but=without_checks) as mx:
        assert TAKEN_OUT in mx.tries()
        assert b"spf=pass" not in mx.email(top=FORGED.replace("dmarc=pass", "spf=pass"))


@pytest.mark.nightly
def test_while_the_milters_are_down_postfix_alone_takes_a_forged_verdict_out(real: Real) -> None:
    with guarded(real, but=not_waiting_for_milters) as mx:
        assert TAKEN_OUT in mx.tries()
        for spelt in (
            FORGED,
            f"authentication-results:\r\n (x (y))\r\n {NAME.upper()} 1; dmarc=pass\r\n",
            f'Authentication-Results : "{NAME}"; dmarc=pass\r\n',
        ):
            assert b"dmarc=pass" not in mx.email(top=spelt)
            mx.takes_back()


def test_without_any_of_it_the_doctor_says_so(real: Real) -> None:
    with guarded(real, name=HOST, but=lambda lines: "") as mx:
        assert THROUGH in mx.tries()
        mx.email(top=FORGED.replace(NAME, HOST))
        assert mx.has_ordered()  # which is why


def test_a_forged_verdict_below_a_server_that_is_not_known_as_ours_is_not_believed(
    real: Real,
) -> None:
    with guarded(real, but=lambda lines: "") as mx:
        mx.email(top=FORGED)
        assert not mx.has_ordered()
