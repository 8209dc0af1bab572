"""Matches by real mail: Postfix and Dovecot on the loopback, mutt, swaks, our installed program.

The servers see nothing of the outside, and nothing listens when the tests are over.
"""

import os
from collections.abc import Iterator

import pytest

from tests.mail.realmail import Person, Real, missing, running, until

pytestmark = pytest.mark.slow

# With this seed White, who is played by the built-in player's advice, wins after some ten turns.
SEED = "37834f2f25762f23e1f74a531cbe445db73d6765ebe60878a7dfbecd7d4af6e1"
MATCH = "m102"


@pytest.fixture(scope="module")
def real() -> Iterator[Real]:
    """The servers. Where they cannot run these tests are skipped, but never where CI runs."""
    reason = missing()
    if reason and os.environ.get("CI") == "true":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    with running() as real:
        yield real


class Table:
    """Anna plays White by mail against the computer."""

    def __init__(self, real: Real, domain: str, *options: str) -> None:
        self.real, self.adjud = real, real.club(domain)
        self.anna, self.master = Person("Anna", real), Person("GM", real)
        self.anna.new_letters()
        self.adjud("player", "add", "Anna", self.anna.address, "--confirmed")
        seats = ("--seat", "white=Anna", "--seat", "black=computer:random")
        chosen = [word for option in options for word in ("--option", option)]
        variant = ("--variant", "small-fast", "--match", MATCH, "--seed", SEED)
        self.adjud("new", "espionage", *variant, *seats, *chosen)
        self.tick()
        (report,) = self.anna.gets("report")
        self.home = str(report["Reply-To"])
        self.turn = 0

    def tick(self) -> str:
        return self.adjud("tick")

    def sheet(self) -> list[str]:
        """What Anna orders next."""
        return self.frame(*self.adjud.orders(MATCH, "white"))

    def frame(self, *orders: str) -> list[str]:
        return [f"ORDERS {MATCH} white turn {self.turn}", *orders, "END"]

    def arrives(self, letters: int = 1) -> None:
        until(lambda: self.adjud.in_spool() == letters)

    def goes_on(self) -> None:
        """The letter that has arrived is adjudicated, and the answers come by mail."""
        self.arrives()
        self.tick()
        until(self.has_report)
        self.turn += 1

    def has_report(self) -> bool:
        got = self.anna.new_letters()
        assert not any("NOT accepted" in letter["Subject"] for letter in got)
        return any(letter["X-Adjud"] == "report" for letter in got)

    def is_over(self) -> bool:
        return not self.adjud.orders(MATCH, "white")


def test_a_whole_match_is_played_by_mail(real: Real) -> None:
    table = Table(real, real.PIPE)
    anna, home = table.anna, table.home
    anna.swaks(home, *table.sheet())
    table.goes_on()
    anna.replies("Turn 1, White", table.sheet())
    table.goes_on()
    anna.replies("Turn 2, White", table.sheet(), inside=True)
    table.goes_on()

    anna.writes(home, *table.frame("a1-h8"))  # refused
    table.turn -= 1
    anna.writes(home, *table.frame("a2-a3"))  # too late
    table.turn += 1
    table.arrives(2)
    table.tick()
    for refusal in anna.gets("refusal", "refusal"):
        assert "NOT accepted" in refusal["Subject"]

    spool = table.adjud.folder / "spool"
    for name in ("new", "tmp"):
        (spool / name).chmod(0o500)
    anna.writes(home, *table.sheet())
    until(lambda: "not stored: Permission denied" in real.postfix.log)
    assert table.adjud.in_spool() == 0
    for name in ("new", "tmp"):
        (spool / name).chmod(0o700)
    table.goes_on()

    anna.writes(home, *table.sheet())
    table.arrives()
    real.postfix.stop()
    assert "refused" in table.tick()
    real.postfix.start()
    table.adjud.later += 6
    table.tick()
    until(table.has_report)
    table.turn += 1

    for _ in range(60):
        if table.is_over():
            break
        anna.writes(home, *table.sheet())
        table.goes_on()
    assert table.is_over()
    assert "agree" in table.adjud("verify", MATCH)


def test_letters_come_over_imap(real: Real) -> None:
    table = Table(real, real.MAILBOX)
    source = f"imap://adjud:hemmelig@127.0.0.1:{real.imap}/INBOX"
    with table.adjud.staying("mail", "fetch", source, "--watch"):
        table.anna.writes(table.home, *table.sheet())
        table.goes_on()
    table.adjud.configure(fetch=source)
    table.anna.writes(table.home, *table.sheet())
    until(lambda: "adjudicated" in table.tick())
    until(table.has_report)


def test_letters_come_by_lmtp_and_strangers_are_refused(real: Real) -> None:
    table = Table(real, real.LMTP)
    port = str(real.serving)
    with table.adjud.staying("mail", "serve", "--port", port) as output:
        until(lambda: "taking letters" in output.read_text())
        table.anna.writes(table.home, *table.sheet())
        table.goes_on()
        forged = table.home.replace("white", "black")
        table.master.writes(forged, *table.frame("a2-a3"))
        until(lambda: "550 5.1.1 there is no such address" in real.postfix.log)
    assert table.adjud.in_spool() == 0
