"""Matches by real mail: Postfix and Dovecot on the loopback, mutt, swaks, our installed program.

The servers see nothing of the outside, and nothing listens when the tests are over. `--bless`
writes the transcript of the match that mutt plays.
"""

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.mail.person import kind_of, parsed, until
from tests.mail.realmail import Real
from tests.mail.transcript import Transcript, steps

pytestmark = pytest.mark.real

# With this seed White, who follows the built-in player's advice, wins after some twenty turns.
SEED = "e1156323672108d86a7a4bb39f4d485d53c1ad26848ed00ecef167946927b6d9"
MATCH = "m102"
SHOWN = Path(__file__).parents[2] / "examples" / "espionage" / "mail"
PREFACE = """
# A match by mail

Anna plays White with mutt and msmtp against the built-in player. Between them stand a real Postfix,
which hands emails to `adjud mail receive` by the lines of docs/server.md, and a real Dovecot,
from which mutt reads. This is the record of one run of `tests/mail/test_real_mail.py`: times, ids
and addresses are as they were, but the clocks of the club and of Anna were put forward. Long texts
are cut, where it says so; the club's folder is written as `/var/lib/adjud`. One of the reports as
it arrived, with its head and all its parts: [report.eml](report.eml).
"""


class Play(NamedTuple):
    """A match: what is played, and which seat is Anna's; built-in players hold the others."""

    game: str
    variant: str
    match: str
    seat: str
    others: tuple[str, ...]


ESPIONAGE = Play("espionage", "small-fast", MATCH, "white", ("black",))
# An email that a mail server had put off in an earlier test comes to the club of a later one.
OF_ANOTHER_CLUB = "[adjud] Your orders were NOT read"
SPION = Play("spion", "original", "s7", "blue", ("green", "yellow", "red"))


class Table:
    """Anna plays by mail against the computer."""

    def __init__(self, real: Real, domain: str, *options: str, play: Play = ESPIONAGE) -> None:
        self.play = play
        self.real, self.adjud = real, real.club(domain)
        self.anna, self.master = real.person("Anna"), real.person("GM")
        self.anna.new_emails()
        self.master.new_emails()
        self.adjud("player", "add", "Anna", self.anna.address, "--confirmed")
        self.told = Transcript(PREFACE, self.adjud.folder)
        self.told.step("The club opens a match")
        held = (f"{play.seat}=Anna", *(f"{seat}=computer:random" for seat in play.others))
        seats = [word for seat in held for word in ("--seat", seat)]
        chosen = [word for option in options for word in ("--option", option)]
        variant = ("--variant", play.variant, "--match", play.match, "--seed", SEED)
        self.operator("new", play.game, *variant, *seats, *chosen)
        self.inbox: list[bytes] = []
        self.turn = 1 if play is SPION else 0  # nothing is set up in Spion
        self.tick()
        assert self.comes() == ["report"]
        self.home = str(parsed(self.inbox[0])["Reply-To"])

    def operator(self, *words: str) -> str:
        """Run what the operator types, and keep what he sees."""
        done = self.adjud.run(self.adjud.clocked, *words)
        self.told.screen(["adjud", *words], done.stdout + done.stderr)
        return done.stdout + done.stderr

    def tick(self) -> str:
        return self.operator("tick")

    def later(self, hours: int) -> None:
        """Let time pass, with ticks so often that none doubts the clock."""
        self.told.says(f"{hours} hours later:")
        *steps, last = [12] * (hours // 12) + [hours % 12] * bool(hours % 12)
        for step in steps:
            self.adjud.later += 60 * step
            self.adjud("tick")
        self.adjud.later += 60 * last
        self.tick()

    def sheet(self) -> list[str]:
        """Return what Anna orders next."""
        return self.frame(*self.adjud.orders(self.play.match, self.play.seat))

    def frame(self, *orders: str) -> list[str]:
        return [f"ORDERS {self.play.match} {self.play.seat} turn {self.turn}", *orders, "END"]

    def replies(
        self, lines: list[str], *, inside: bool = False, cut_after: int | None = None
    ) -> None:
        """Let Anna answer her newest report."""
        self.anna.later = self.adjud.later
        subject = f"Turn {self.turn}: your"
        self.anna.replies(subject, lines, inside=inside, cut_after=cut_after)

    def arrives(self, emails: int = 1) -> None:
        """Wait until what Anna has sent is in the spool, as it came."""
        until(lambda: self.adjud.in_spool() == emails)
        for email in self.adjud.waiting():
            self.told.email("Anna writes", email.raw)
            self.asked = str(parsed(email.raw)["Message-ID"])

    def comes(self) -> list[str]:
        """Return the kinds of the emails that Anna gets: all that were sent, each of them once."""
        sent = self.adjud.sent("Anna")
        new: list[bytes] = []

        def all_came() -> bool:
            came = self.anna.new_sources()
            new.extend(raw for raw in came if parsed(raw)["Subject"] != OF_ANOTHER_CLUB)
            return len(self.inbox) + len(new) >= sent

        until(all_came)
        self.inbox += new
        ids = [message_from_bytes(raw)["Message-ID"] for raw in self.inbox]
        assert len(set(ids)) == len(ids) == sent
        for raw in new:
            self.told.email("Anna gets", raw)
        return [kind_of(parsed(raw)) for raw in new]

    def goes_on(self, *, says_more: bool = False) -> list[str]:
        """Adjudicate with the email that has arrived, and wait for the answers by mail."""
        self.arrives()
        self.tick()
        return self.answered(says_more=says_more)

    def answered(self, *, says_more: bool = False) -> list[str]:
        """Check that one order was stored and every email about it has come; return their
        kinds.

        The report is the answer to the email, unless that `says_more` than orders.
        """
        before = len(self.inbox)
        kinds = self.comes()
        assert {"report"} <= set(kinds) <= {"receipt", "report", "aside"}
        assert (kinds.count("report"), kinds.count("receipt")) == (1, says_more)
        answer = parsed(self.inbox[before + kinds.index("receipt" if says_more else "report")])
        assert answer["In-Reply-To"] == self.asked
        told = " ".join(str(answer.get_body(("plain",)).get_content()).split())
        assert "Version 1 of your orders was carried out." in told
        if says_more:
            subject = (
                f"[{self.play.match}] Turn {self.turn}: your orders were carried out, version 1"
            )
            assert answer["Subject"] == subject
        self.turn += 1
        return kinds

    def is_over(self) -> bool:
        return not self.adjud.orders(self.play.match, self.play.seat)


@pytest.fixture
def table(real: Real) -> Iterator[Table]:
    table = Table(real, real.PIPE, "deadline=every 3 days", "excused=1")
    yield table
    shutil.rmtree(table.adjud.folder)  # other tests come by that door


def test_whatever_happens_to_the_mail_a_match_goes_on(table: Table) -> None:
    """The match that the next test plays to its end, as far as the mail is in trouble."""
    report = begins(table)
    shown = steps((SHOWN / "transcript.md").read_text("utf-8"))
    told = steps(table.told.text)
    assert told
    assert shown[: len(told)] == told
    assert shape((SHOWN / "report.eml").read_bytes()) == shape(report)


def begins(table: Table) -> bytes:
    """Play the first turns, in which much goes wrong; return an early report."""
    places_her_army(table)
    edits_the_template(table)
    report = next(raw for raw in reversed(table.inbox) if kind_of(parsed(raw)) == "report")
    makes_mistakes(table)
    loses_the_connection(table)
    finds_the_disk_full(table)
    finds_the_server_down(table)
    return report


@pytest.mark.nightly
def test_a_whole_match_is_played_by_mail(
    real: Real, table: Table, request: pytest.FixtureRequest
) -> None:
    report = begins(table)
    is_absent(table)
    goes_on_a_journey(table)
    wins(table)
    if request.config.getoption("--bless"):
        SHOWN.mkdir(exist_ok=True)
        (SHOWN / "transcript.md").write_text(table.told.text, "utf-8")
        (SHOWN / "report.eml").write_bytes(report.replace(b"\r\n", b"\n"))
    assert steps((SHOWN / "transcript.md").read_text("utf-8")) == steps(table.told.text)
    assert shape((SHOWN / "report.eml").read_bytes()) == shape(report)


def shape(raw: bytes) -> list[object]:
    """Return what is the same in every report."""
    email = parsed(raw)
    return [email["Subject"].partition(":")[0], *(p.get_content_type() for p in email.walk())]


def places_her_army(table: Table) -> None:
    table.told.step("She places her army above the quoted report")
    table.replies(table.sheet())
    table.goes_on()


def edits_the_template(table: Table) -> None:
    table.told.step("She edits the order template inside the quotation")
    table.replies(table.sheet(), inside=True)
    assert "> Espionage m102, Turn 1" in table.anna.written
    assert "<" not in table.anna.written.replace(f"<{table.anna.address}>", "")  # of a page
    table.goes_on()


def makes_mistakes(table: Table) -> None:
    table.told.step("A sheet is refused", "The step is too far, and a word is no order.")
    table.replies(table.frame("a1-h8", "charge"))
    table.arrives()
    table.tick()
    assert table.comes() == ["refusal"]

    table.told.step("An email is late", "It is for a turn that was adjudicated meanwhile.")
    table.turn -= 1
    table.replies(table.frame("a2-a3"))
    table.turn += 1
    table.arrives()
    table.tick()
    assert table.comes() == ["refusal"]


def loses_the_connection(table: Table) -> None:
    table.told.step("A connection is lost in the middle of an email")
    before = len(table.real.postfix.log)
    table.replies(table.sheet(), cut_after=2000)
    log = table.real.postfix.log[before:].splitlines()
    lost = [line for line in log if "lost connection after DATA" in line]
    assert len(lost) == 1
    table.told.says(
        f"mutt says “{table.anna.complaint}”, and Postfix the following. Nothing has arrived. Anna "
        "presses `y` once more, and one email arrives."
    )
    table.told.log(lost)
    table.goes_on()


def finds_the_disk_full(table: Table) -> None:
    table.told.step(
        "An email cannot be stored",
        "The spool is out of reach; `adjud mail receive` ends with 75 and Postfix keeps the "
        "email. What the operator sees:",
    )
    before = len(table.real.postfix.log)
    with table.adjud.locked():
        table.replies(table.sheet())
        until(lambda: ": Permission denied" in table.real.postfix.log[before:])
        assert "this user cannot write there" in table.operator("doctor")
        assert table.adjud.in_spool() == 0
    log = table.real.postfix.log[before:].splitlines()
    table.told.log([line for line in log if "not stored" in line][:1])
    table.told.says("The permissions are mended, and Postfix brings the email.")
    table.goes_on()


def finds_the_server_down(table: Table) -> None:
    table.told.step(
        "The mail server is down",
        "Anna's orders have arrived, but no answer can go out. What the operator sees:",
    )
    table.replies(table.sheet())
    table.arrives()
    table.real.postfix.stop()
    assert "refused" in table.tick()
    assert "waiting" in table.operator("mail", "queue", "list", "--status", "waiting")
    table.operator("status")
    assert table.comes() == []
    table.real.postfix.start()
    table.told.says("Postfix runs again; six minutes later:")
    table.adjud.later += 6
    table.tick()
    table.answered()


def is_absent(table: Table) -> None:
    table.told.step(
        "Anna is absent",
        "The deadline is every three days, `excused=1`, `absence=gm`: one miss is excused, then "
        "the game master decides.",
    )
    table.later(24)
    table.later(36)
    assert table.comes() == ["reminder"]
    table.later(14)
    assert table.comes() == ["notice"]
    table.later(40)
    table.later(32)
    (alert,) = table.master.gets("alert")
    table.told.email("The game master gets", alert.as_bytes())
    assert f"turn {table.turn} is waiting for white" in table.operator("status")
    table.comes()

    table.told.step(
        "She comes back",
        "Nobody has decided against her yet, and a seat without orders may still send them.",
    )
    table.replies(table.sheet())
    table.goes_on()


def goes_on_a_journey(table: Table) -> None:
    table.told.step(
        "She goes on a journey",
        "She says so below her orders. The next deadline falls after it, and she is not reminded "
        "meanwhile.",
    )
    today = (datetime.now(UTC) + timedelta(minutes=table.adjud.later)).date()
    first, last = today + timedelta(days=1), today + timedelta(days=8)
    before = len(table.inbox)
    table.replies([*table.sheet(), f"ABSENCE {first} TO {last}"])
    table.goes_on(says_more=True)
    receipts = [raw for raw in table.inbox[before:] if kind_of(parsed(raw)) == "receipt"]
    assert f"Noted: you are away from {first} to {last}." in str(parsed(receipts[0]).get_body())
    table.later(5 * 24)
    assert f"turn {table.turn} is waiting for white" in table.operator("status")
    assert table.comes() == []


def wins(table: Table) -> None:
    table.told.step("The rest of the match", "Of each email its subject.")
    table.told.brief = True
    for _ in range(60):
        if table.is_over():
            break
        table.adjud.later += 60 * 12  # beyond the limit of a day, one answer stands for several
        table.replies(table.sheet())
        table.goes_on()
    assert table.is_over()
    table.told.brief = False
    table.told.step("The last report")
    table.told.email("Anna has got", table.inbox[-1])
    assert "agree" in table.operator("verify", MATCH)


@pytest.mark.nightly
def test_spion_is_played_by_mail(real: Real) -> None:
    """Four players in rounds; types are told once, in emails of their own."""
    table = Table(real, real.PIPE, "max_rounds=3", "memory=once", play=SPION)
    asides = 0
    while orders := table.adjud.orders(SPION.match, SPION.seat):
        table.replies(table.frame(*orders))  # above the report, or above what was told once
        asides += table.goes_on().count("aside")
    subjects = [parsed(raw)["Subject"] for raw in table.inbox]
    assert {"[s7] You win, in 3 turns", "[s7] The match is over, after 3 turns"} & {*subjects}
    assert asides
    assert "agree" in table.operator("verify", table.play.match)
    listed = table.adjud("mail", "queue", "list", "--gm", "--format", "json").splitlines()
    once = [email["id"] for email in map(json.loads, listed) if "/aside" in email.get("key", "")]
    assert len(once) == asides
    for email in once:
        shown = table.adjud("mail", "queue", "show", email, "--gm")
        assert "card" not in shown  # its bytes are gone
    shutil.rmtree(table.adjud.folder)  # other tests come by that door


def test_emails_come_over_imap(real: Real) -> None:
    table = Table(real, real.MAILBOX)
    source = f"imap://adjud:hemmelig@127.0.0.1:{real.imap}/INBOX"
    with table.adjud.staying("mail", "fetch", source, "--watch"):
        table.anna.swaks(table.home, *table.sheet())
        table.goes_on()
    table.adjud.configure(fetch=source)
    table.anna.writes(table.home, *table.sheet())
    until(lambda: "adjudicated" in table.tick())
    assert "report" in table.comes()


def test_emails_come_by_lmtp_and_strangers_are_refused(real: Real) -> None:
    table = Table(real, real.LMTP)
    port = str(real.serving)
    with table.adjud.staying("mail", "serve", "--port", port) as output:
        until(lambda: "taking emails" in output.read_text())
        table.anna.writes(table.home, *table.sheet())
        table.goes_on()
        forged = table.home.replace("white", "black")
        table.master.writes(forged, *table.frame("a2-a3"))
        until(lambda: "550 5.1.1 there is no such address" in real.postfix.log)
    assert table.adjud.in_spool() == 0
