"""Nobody can make a club write without end: neither another club, nor one sender."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from email import message_from_bytes
from pathlib import Path

import pytest
from msgspec.structs import replace

from adjudicator.core.commands import read_commands
from adjudicator.core.orders import split_lines
from adjudicator.mail.address import Key, MailDomain, seat_address
from tests.club import MONDAY, Store
from tests.database import create, open_store
from tests.inside import seat_email
from tests.scale import scaled
from tests.service.mailclub import POST, MailClub
from tests.values import WIDTH, paragraphs

OTHER = MailDomain(domain="club.example.net", keys=(Key(id="k1", secret=bytes(32)),))
TELLING = ("Auto-Submitted", "X-Adjud", "X-Auto-Response-Suppress", "List-Id", "Precedence")


@pytest.fixture
def clubs(store: Store, tmp_path: Path) -> Iterator[list[MailClub]]:
    """Two clubs; the player of a seat in each has the address of the other's seat."""
    url = f"sqlite:///{tmp_path / 'other.db'}"
    create(url)
    other = open_store(url)
    clubs = [MailClub(store, tmp_path / "spool"), MailClub(other, tmp_path / "other")]
    clubs[1].context = replace(clubs[1].context, post=OTHER)
    for club, theirs in zip(clubs, (OTHER, POST), strict=True):
        club.add("Anna", address=seat_address(theirs, "m", "white", 1))
        club.add("Bob")
        club.new()
    yield clubs
    other.close()


def as_it_is(raw: bytes) -> bytes:
    return raw


def stripped(raw: bytes) -> bytes:
    """Take away all that says who wrote the email, as a bad forwarder would."""
    email = message_from_bytes(raw)
    for name in TELLING:
        del email[name]
    return email.as_bytes()


def carry(clubs: list[MailClub], road: Callable[[bytes], bytes], now: datetime) -> int:
    """Bring each club the emails that the other one has sent; return how many came."""
    carried = 0
    for here, there in (clubs, clubs[::-1]):
        for sender, to, raw in here.way.letters:
            if ".white." in to:
                there.post(road(raw), to, sender, at=now)
                carried += 1
        here.way.letters.clear()
    return carried


@pytest.mark.parametrize(("road", "most"), [(as_it_is, 2), (stripped, 2 * (36 + 24))])
def test_two_clubs_that_answer_each_other_are_bounded(
    clubs: list[MailClub],
    road: Callable[[bytes], bytes],
    most: int,
    monkeypatch: pytest.MonkeyPatch,
):
    """An email of a club says that a program wrote it. Where that was taken away, a seat's emails
    of a day are answered one by one, then together at each tick, and at last once an hour."""
    monkeypatch.setattr(seat_email, "MANY_A_DAY", 36)  # 100 would take long
    carried = 0
    for minute in range(0, 24 * 60, 20):
        now = MONDAY + timedelta(minutes=minute)
        for club in clubs:
            club.run_tick(now)
        carried += carry(clubs, road, now)
    assert carried <= most
    assert clubs[0].loaded().match.ply == 0


def test_very_many_emails_of_one_sender_get_few_answers(store: Store, tmp_path: Path):
    """Each of them is read, and the last one's orders count."""
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    club.run_tick()
    club.way.letters.clear()
    emails, ticks = scaled(240), 24
    for number in range(ticks):
        now = MONDAY + timedelta(minutes=5 * number)
        for _ in range(emails // ticks):
            club.write("white", "SETUP RANDOM", at=now)
        club.run_tick(now)
    assert len(club.way.letters) <= seat_email.MANY_A_DAY + 24
    assert club.loaded().sheets["white"].revision == emails // ticks * ticks


@pytest.mark.parametrize(
    "sentence",
    [
        "You can change these orders until {}, or until you send READY.",
        "Du kan erstatte disse ordrene til {}, eller til du sender KLAR.",
        "Your draw offer stays open until {}, or until you send CLEAR.",
        "  Ditt remianbud står kvar till {}, eller tills du skickar RENSA.",
        "Write {}, or say NOTREADY",
        "Write {}, or send CLEAR ADVANCE.",
    ],
)
def test_an_email_that_is_sent_back_without_marks_holds_no_command(sentence: str) -> None:
    for length in range(100):
        text = paragraphs([sentence.format("when " * (length // 5) + "x" * (length % 5))])
        assert max(map(len, text.split("\n"))) <= WIDTH
        assert read_commands(split_lines(text))[0] == ()
