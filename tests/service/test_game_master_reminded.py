"""A match that waits for the game master reminds him after 1, 3 and 7 days, then every week, and
its players are told once."""

from datetime import datetime, timedelta

import pytest
from msgspec import structs

from tests.club import MONDAY
from tests.database import update_match
from tests.inside import adjudication, outage
from tests.service.mailclub import MailClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
GM = "gm@example.org"


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool")


def days_on_which_he_hears(club, since: datetime, days: int = 30) -> list[int]:
    """Tick every six hours; return the days, from `since` on, on which an email went to him."""
    heard = []
    for quarter in range(1, 4 * days + 1):
        at = since + quarter * DAY / 4
        if any(email["To"] == GM for email in club.run_tick(at)):
            heard.append(quarter / 4)
    return heard


def waits_at_its_deadline(club) -> datetime:
    club.opened("deadline=every 3 days")
    club.run_tick(MONDAY + 2.5 * DAY)
    club.run_tick(MONDAY + 3 * DAY)
    return MONDAY + 3 * DAY


def is_held(club) -> datetime:
    club.opened("deadline=every 3 days")
    club.hold("m", reason="x", now=MONDAY + HOUR)
    club.run_tick(MONDAY + HOUR)
    return MONDAY + HOUR


def is_held_by_the_valve(club) -> datetime:
    usual, club.context = club.context, structs.replace(club.context, max_gap=2 * DAY)
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")  # it keeps the gap with which it began
    club.run_tick()
    club.run_tick(MONDAY + 10 * DAY)
    club.context = usual
    assert club.loaded().match.status == "held"
    return MONDAY + 10 * DAY


def is_held_by_a_fault(club) -> datetime:
    club.opened("deadline=every 3 days")
    club.context = structs.replace(club.context, raise_faults=False)
    club.run_tick(MONDAY + 2 * DAY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adjudication, "_due", lambda *_: 1 / 0)
        club.run_tick(MONDAY + 3 * DAY)
    assert club.loaded().match.status == "held"
    return MONDAY + 3 * DAY


WAITS = [waits_at_its_deadline, is_held, is_held_by_the_valve, is_held_by_a_fault]


@pytest.mark.parametrize("waits", WAITS)
def test_he_hears_after_1_3_and_7_days_and_then_every_week(club, waits):
    since = waits(club)
    assert days_on_which_he_hears(club, since) == [1, 3, 7, 14, 21, 28]


@pytest.mark.parametrize("waits", WAITS)
def test_the_players_are_told_once(club, waits):
    since = waits(club)
    before = {
        seat: [one for _, to, one in club.way.letters if to == f"{seat}@example.org"]
        for seat in ("anna", "bob")
    }
    for emails in before.values():
        told = [raw for raw in emails if b"waits for the game=" in raw or b"held" in raw]
        told += [raw for raw in emails if b"waits for the game" in raw]
        assert told
    days_on_which_he_hears(club, since, days=8)
    for seat, emails in before.items():
        assert emails == [raw for _, to, raw in club.way.letters if to == f"{seat}@example.org"]


@pytest.mark.parametrize("waits", WAITS)
def test_two_ticks_at_once_and_a_killed_one_remind_once(club, waits):
    since = waits(club)
    at = since + DAY
    match = club.loaded().match

    def killed() -> None:
        with club.opened_at(at).session() as s:
            assert outage.remind_game_master(s, match, since)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        killed()
    with club.opened_at(at).session() as s:
        assert outage.remind_game_master(s, match, since)
        assert outage.remind_game_master(s, match, since) is None
    assert [email["To"] for email in club.run_tick(at)] == [GM]
    assert club.run_tick(at) == []


def test_ticks_that_did_not_run_for_long_remind_once(club):
    since = is_held(club)
    assert [email["To"] for email in club.run_tick(since + 40 * DAY)] == [GM]
    assert club.run_tick(since + 40 * DAY + HOUR) == []


@pytest.mark.parametrize("writes", ["white", "black", ""])
def test_a_reminder_is_the_same_whoever_has_sent_since(club, writes):
    since = waits_at_its_deadline(club)
    if writes:
        club.write(writes, "SETUP RANDOM", at=since + HOUR)
    club.run_tick(since + HOUR)
    (email,) = club.run_tick(since + DAY)
    text = email.get_body(("plain",)).get_content()
    assert "White" not in text
    assert "Black" not in text
    assert "The match has waited for you since" in text
    assert "Thu 26 Nov 2026" in text


def test_orders_that_came_late_end_the_reminders(club):
    since = waits_at_its_deadline(club)
    for seat in ("white", "black"):
        club.write(seat, "ORDERS m", "SETUP RANDOM", "END", at=since + HOUR)
    club.run_tick(since + HOUR)
    assert club.loaded().match.ply == 1
    assert [one for one in club.run_tick(since + DAY) if one["To"] == GM] == []


def test_going_on_ends_the_reminders(club):
    since = is_held(club)
    club.run_tick(since + DAY)
    club.resume("m", reason="y", extend=30 * DAY, now=since + 2 * DAY)
    club.run_tick(since + 2 * DAY)
    assert days_on_which_he_hears(club, since + 2 * DAY, 10) == []


def test_an_email_of_a_seat_does_not_swallow_a_reminder(club):
    since = is_held(club)
    club.write("white", "STATUS", at=since + DAY + HOUR)
    sent = club.run_tick(since + DAY + HOUR)
    assert GM in [email["To"] for email in sent]


def test_more_time_begins_the_days_anew(club):
    since = waits_at_its_deadline(club)
    club.run_tick(since + DAY)
    club.extend("m", DAY, now=since + 2 * DAY)
    club.run_tick(since + 2 * DAY)
    due = since + 3 * DAY
    assert days_on_which_he_hears(club, since + 2 * DAY, 10) == [1, 2, 4, 8]
    assert club.loaded().match.deadline_at == due


def test_a_match_that_waited_before_this_version_is_reminded_of(club, store):
    """As the migration leaves it: it wakes at once."""
    since = is_held(club)
    with store.transaction() as tx:
        update_match(tx, 1, wake_at=since)
    assert club.run_tick(since + HOUR) == []
    assert [email["To"] for email in club.run_tick(since + DAY)] == [GM]
