"""Emails that wait for a way out, that nobody takes, or that are made once more from their row."""

from datetime import timedelta

import pytest
from msgspec import structs

from adjudicator.mail.transport.errors import Permanent, Temporary
from tests.club import MONDAY, Session
from tests.inside import outgoing, rendering
from tests.service.mailclub import MailClub

HOUR = timedelta(hours=1)
SHEET = ("ORDERS m white", "SETUP RANDOM", "END")


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")


def test_an_email_waits_longer_each_time_the_server_is_down_and_arrives_once(club):
    club.write("white", *SHEET)
    club.way.trouble = Temporary("connection refused")
    assert club.run_tick() == []
    assert club.told == []  # it would tell that an email of White came
    club.way.trouble = None
    assert club.run_tick(MONDAY + timedelta(minutes=4)) == []
    assert len(club.run_tick(MONDAY + timedelta(minutes=5))) == 1
    assert club.run_tick(MONDAY + HOUR) == []


def test_an_email_that_nobody_takes_is_stuck_and_told(club):
    club.write("white", *SHEET)
    club.way.trouble = Permanent("no such mailbox")
    club.run_tick()
    assert club.told[-1].startswith("email out-")
    assert club.told[-1].endswith(" is stuck: no such mailbox")


def test_a_fault_before_any_email_was_claimed_is_told_as_it_is(club, monkeypatch):
    """It is no email's, so none is put aside for it."""

    def stumble(*_, **__):
        raise ZeroDivisionError

    club.context = structs.replace(club.context, raise_faults=False)
    club.write("white", *SHEET)
    with monkeypatch.context() as patch:
        patch.setattr(outgoing, "claim", stumble)
        with pytest.raises(ZeroDivisionError):
            club.run_tick()
    assert len(club.run_tick()) == 1


def test_that_a_report_waits_is_told(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    club.way.trouble = Temporary("connection refused")
    club.run_tick()
    assert len(club.told) == 2
    assert all(line.endswith(" is waiting: connection refused") for line in club.told)


def test_the_same_row_makes_the_same_bytes(club):
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE outbox SET status = 'waiting', next_at = created_at")
        tx.exec_driver_sql("DELETE FROM email_number")  # else they were the next one's
        email = outgoing.take(tx, [1], MONDAY)[1]
        s = Session(tx, email.created_at, club.context)
        made = [rendering.write(s, email, "anna@example.org").raw for _ in range(2)]
    assert made[0] == made[1] == club.way.letters[0][2]
