"""An address that nobody confirms does not starve a seat unseen: the operator hears of it, and
nothing of the open turn."""

from datetime import timedelta

import pytest
from msgspec import structs

from tests.club import MONDAY, Changes, NewMatch
from tests.service.mailclub import MailClub, said
from tests.service.spionclub import SpionClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
GM = "gm@example.org"
TOLD = (
    "The address of Anna has not been confirmed since Mon 23 Nov 2026, 12:00 UTC. Nothing but a "
    "code goes there. If you know that the address is right, `adjud player set NAME --confirmed` "
    "ends this. Anna plays in m and gets no report until then."
)
LISTED = [{"player": "Anna", "since": "2026-11-23T12:00:00Z", "matches": ["m"]}]


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool")


def moves(club, name="Anna", address="anna@new.example", now=MONDAY, **more):
    club.change(name, Changes(address=address, **more), now=now, sends_mail=club.context.sends_mail)


def days_on_which_he_hears(club, days: int = 30, now=MONDAY) -> list[float]:
    heard = []
    for quarter in range(1, 4 * days + 1):
        for email in club.run_tick(now + quarter * DAY / 4):
            if email["To"] == GM and "has not been confirmed" in said(email):
                heard.append(quarter / 4)
    return heard


def test_the_operator_hears_after_2_and_7_days_and_then_every_week(club):
    club.opened("deadline=none")
    moves(club)
    assert days_on_which_he_hears(club) == [2, 7, 14, 21, 28]


def test_he_reads_player_match_and_time_and_nothing_else(club):
    club.opened("deadline=none")
    moves(club)
    club.run_tick(MONDAY)
    (email,) = club.run_tick(MONDAY + 2 * DAY)
    assert said(email) == TOLD
    assert club.unconfirmed_addresses() == LISTED


@pytest.mark.parametrize("writes", [True, False])
def test_it_is_the_same_whether_sheets_came_from_there_or_not(club, writes):
    club.opened("deadline=none")
    moves(club)
    if writes:
        club.write("white", "ORDERS m", "SETUP RANDOM", "END", sender="anna@example.org")
        club.write("white", "ORDERS m", "SETUP RANDOM", "END", sender="anna@new.example")
        club.write("black", "ORDERS m", "SETUP RANDOM", "END")
    club.run_tick(MONDAY)
    emails = [one for one in club.run_tick(MONDAY + 2 * DAY) if one["To"] == GM]
    assert len(emails) == 1
    told = club.unconfirmed_addresses()
    assert (said(emails[0]), told) == (TOLD, LISTED)


def test_two_ticks_and_a_long_silence_tell_once(club):
    club.opened("deadline=none")
    moves(club)
    club.run_tick(MONDAY)
    assert [one["To"] for one in club.run_tick(MONDAY + 40 * DAY)] == [GM]
    assert club.run_tick(MONDAY + 40 * DAY + HOUR) == []


def test_who_confirms_ends_it(club):
    club.opened("deadline=none")
    moves(club)
    club.run_tick(MONDAY + 2 * DAY)
    moves(club, address=None, now=MONDAY + 3 * DAY, confirmed=True)
    assert days_on_which_he_hears(club, now=MONDAY + 3 * DAY) == []
    assert club.unconfirmed_addresses() == []


def test_another_address_begins_anew(club):
    club.opened("deadline=none")
    moves(club)
    moves(club, address="anna@third.example", now=MONDAY + DAY)
    assert days_on_which_he_hears(club, 10, now=MONDAY + DAY) == [2, 7]


def test_of_a_player_without_a_seat_he_hears_twice(club):
    club.opened("deadline=none")
    club.add_player(
        "Carl", "carl@example.org", language="en", zone="UTC", confirmed=False, sends_mail=True
    )
    assert days_on_which_he_hears(club) == [2, 7]
    assert club.unconfirmed_addresses() == []


def test_without_emails_nobody_has_to_confirm(club):
    club.context = structs.replace(club.context, sends_mail=False)
    club.add("Anna", "Bob")
    club.new()
    moves(club)
    assert days_on_which_he_hears(club) == []


def test_a_join_that_is_never_confirmed_is_told_once(club):
    club.opened("deadline=none")
    club.context = structs.replace(club.context, coder=lambda: "7K3Q")

    wanted = NewMatch(
        game="espionage",
        variant="small",
        name="free",
        seats=["white=Anna"],
        options=[],
        seed=None,
        fresh_seed=bytes(32),
        leave_open=True,
    )
    club.create(wanted)
    club.write(
        "white", "JOIN free", sender="eve@example.org", to="adjud@play.example.org", at=MONDAY
    )
    club.run_tick(MONDAY)
    assert days_on_which_he_hears(club, 14) == [2]
    told = [raw for _, to, raw in club.way.letters if to == GM]
    assert b"eve@example.org (free)" in told[0].replace(b"=\n", b"")


def heard_of_seat(club) -> list[str]:
    emails = [raw for _, to, raw in club.way.letters if to == GM]
    return [raw for raw in emails if b"had to be confirmed" in raw.replace(b"=\n", b"")]


@pytest.mark.parametrize("sender", ["anna@elsewhere.example", "anna@example.org"])
def test_emails_that_fail_their_level_again_and_again_are_told_with_a_ply(store, tmp_path, sender):
    """Blue writes each time from an address that is not on file; its orders are the defaults."""
    club = SpionClub(store, tmp_path / "spool")
    club.begin("deadline=every 3 days", "mode=rounds", "absence=forfeit")
    now = MONDAY
    for number in range(1, 5):
        club.write("blue", "ORDERS m", "END", sender=sender, at=now)
        club.all_send(now, but=["blue"])
        club.run_tick(now)
        assert len(heard_of_seat(club)) == (number > 3 and sender != "anna@example.org")
        now += 3 * DAY
        club.run_tick(now)
        assert len(heard_of_seat(club)) == (number >= 3 and sender != "anna@example.org")
