"""An email goes to no address that its player has not confirmed, and then to the right one."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adjudicator.mail.address import bounce_address
from adjudicator.mail.transport.errors import Temporary
from tests.club import MONDAY, Changes, shown_id, which_email
from tests.database import tables
from tests.service.mailclub import POST, MailClub
from tests.service.test_bounces import report_of_mail_system

HOUR = timedelta(hours=1)
TYPO, RIGHT = "anna@tpyo.example", "anna@new.example"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 5 days")
    club.run_tick()
    return club


def move(club, address=None, *, confirmed=False):
    wanted = Changes(address=address, confirmed=confirmed)
    club.change("Anna", wanted, sends_mail=True)


def turn(club):
    """Play a turn, so that reports wait to be sent."""
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.tick()


def status(club, key):
    return next(email.status for email in club.emails_out() if email.key == key)


def bytes_of(club, key):
    with club.store.reading() as tx:
        wanted = sa.select(tables.outbox.c.raw).where(tables.outbox.c.key == key)
        return tx.execute(wanted).scalar_one()


def deliver(club, now=MONDAY):
    """Deliver emails; return who was sent what."""
    before = len(club.way.letters)
    club.deliver(now=now)
    return [
        (to, raw.partition(b"X-Adjud: ")[2].split()[0].decode())
        for _, to, raw in club.way.letters[before:]
    ]


def test_a_report_that_waits_goes_to_no_address_that_nobody_has_confirmed(club):
    turn(club)
    move(club, TYPO)
    assert deliver(club) == [(TYPO, "confirm")]
    assert status(club, "m/1/white/report") == "unconfirmed"
    move(club, RIGHT)
    assert deliver(club) == [(RIGHT, "confirm")]
    move(club, confirmed=True)
    assert deliver(club) == [(RIGHT, "report")]


def test_nor_does_one_that_a_server_would_not_take_at_first(club):
    turn(club)
    club.way.trouble = Temporary("451 later")
    assert deliver(club) == []
    club.way.trouble = None
    move(club, TYPO)
    assert (TYPO, "report") not in deliver(club, MONDAY + HOUR)
    move(club, RIGHT, confirmed=True)
    assert deliver(club, MONDAY + HOUR) == [(RIGHT, "report")]


def test_its_head_names_the_address_that_it_goes_to_and_its_id_stays(club):
    turn(club)
    club.way.trouble = Temporary("451 later")
    deliver(club)
    first = bytes_of(club, "m/1/white/report")
    club.way.trouble = None
    move(club, RIGHT, confirmed=True)
    deliver(club, MONDAY + HOUR)
    (again,) = [raw for _, to, raw in club.way.letters if to == RIGHT]
    assert first.replace(b"anna@example.org", b"anna@new.example") == again
    assert b'\r\nTo: "Anna" <anna@new.example>\r\n' in again


def test_a_report_that_came_back_waits_for_the_new_address_to_be_confirmed(club):
    club.post(report_of_mail_system(), bounce_address(POST, "m/0/white/report"))
    club.run_tick()
    move(club, TYPO)
    assert (TYPO, "report") not in deliver(club, MONDAY + HOUR)
    move(club, RIGHT, confirmed=True)
    assert (RIGHT, "report") in deliver(club, MONDAY + HOUR)


def test_an_answer_that_is_asked_for_again_waits_as_well(club):
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END")
    club.run_tick()
    club.post(b"Received: by way of\n" + club.raws[-1], club.address("white"))
    move(club, TYPO)
    before = len(club.way.letters)
    club.run_tick()
    assert [to for _, to, raw in club.way.letters[before:] if b"X-Adjud: receipt" in raw] == []


def test_the_operator_can_have_none_sent_there_either(club):
    club.announce("m", "Hello.")
    move(club, TYPO)
    (email,) = [one for one in club.queue(["waiting"]) if one.key == "m/0/white/notice/1"]
    club.retry(which_email(shown_id(email)))
    assert (TYPO, "notice") not in deliver(club)


def test_a_code_for_an_address_that_was_changed_again_is_not_sent(club):
    move(club, TYPO)
    move(club, RIGHT)
    assert deliver(club) == [(RIGHT, "confirm")]
    move(club, TYPO)
    move(club, confirmed=True)
    assert deliver(club) == []


@pytest.mark.parametrize("tick", ["at once", "after the turn"])
def test_the_next_emails_wait_with_it_and_all_go_reports_last(club, tick):
    move(club, RIGHT)
    if tick == "at once":
        deliver(club)
    turn(club)
    club.announce("m", "Hello.")
    deliver(club)
    move(club, confirmed=True)
    assert [kind for to, kind in deliver(club) if to == RIGHT] == ["notice", "report"]
