"""An email came when our mail server took it, however often its pipe to us had to be tried."""

from datetime import timedelta
from io import BytesIO

import pytest
from freezegun import freeze_time

from adjudicator.mail.transport import spool
from tests.club import MONDAY
from tests.service.mailclub import MailClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SHEET = ("ORDERS m white", "SETUP RANDOM", "END")
IN_TIME, LATE = "accepted, version 2", "the deadline has passed"


@pytest.fixture
def club(store, tmp_path):
    """Make a match in which White has orders in force already, so that after the deadline no others
    count."""
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    club.send("white", "SETUP RANDOM")
    club.run_tick()
    return club


def received(moment):
    return f"Received: from x by our.example; {moment:%a, %d %b %Y %H:%M:%S +0000}\n".encode()


@pytest.mark.parametrize("channel", ["pipe", "lmtp"])
@pytest.mark.parametrize(
    ("hours", "answered"),
    [
        ([-1], IN_TIME),
        ([1], LATE),
        ([1, -1], LATE),  # what stands below is the sender's own word
        ([-1, 1], IN_TIME),
        ([-6 * 24], LATE),  # no mail server keeps an email so long
        ([3], LATE),
        ([], LATE),
    ],
)
def test_an_email_is_in_time_if_our_mail_server_took_it_before_the_deadline(
    club, channel, hours, answered
):
    deadline = club.loaded().match.deadline_at
    head = b"".join(received(deadline + number * HOUR) for number in hours)
    club.write("white", *SHEET, at=MONDAY)
    for name in spool.names(club.folder):
        spool.remove(club.folder, name)
    late = deadline + 2 * HOUR
    with freeze_time(late):
        spool.put(
            club.folder,
            BytesIO(b"Return-Path: <anna@example.org>\n" + head + club.raws[-1]),
            sender="anna@example.org",
            recipient=club.address("white"),
            channel=channel,
        )
    emails = club.run_tick(late)
    answer = next(email for email in emails if email["X-Adjud"] in ("receipt", "refusal"))
    assert answered in " ".join(answer.get_body(("plain",)).get_content().split())
