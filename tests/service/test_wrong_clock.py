"""The club's clock is wrong for a while: an hour behind, or a year ahead.

Nothing is lost, no turn is adjudicated twice, nobody is taken for silent, and once the clock is set
right all emails go that it kept back.
"""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core.message import tell
from adjudicator.mail.transport.errors import Temporary
from tests.audits import audited
from tests.club import MONDAY, Club, Store, computer_orders
from tests.database import EMAILS_IN, update_email_in
from tests.service.mailclub import MailClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
STEP = timedelta(minutes=20)
JUMPS = {"an hour behind": -HOUR, "a year ahead": timedelta(days=365)}
WRONG = range(3, 5)  # the rounds in which the clock is wrong
ROUNDS = 8

jumps = pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)


def opened(store: Store, folder: Path, *options: str) -> MailClub:
    club = MailClub(store, folder / "spool")
    club.context = structs.replace(club.context, max_gap=2 * DAY)  # as the settings have it
    club.add("Anna", "Bob")
    club.new("fights=both", *options)
    club.run_tick()
    return club


def order(club: MailClub, now) -> None:
    for seat in club.loaded().awaited:
        lines = computer_orders(club.loaded(), seat, "computer")
        club.write(seat, f"ORDERS m {seat}", *lines, "END", at=now)


def unsent(club: MailClub) -> list[str]:
    return [one.key for one in club.emails_out() if one.status not in ("sent", "dropped")]


def wrong(club: MailClub) -> list[str]:
    return [str(message) for message in club.verify("m")]


@pytest.mark.slow
@jumps
@pytest.mark.parametrize(
    "options",
    [(), ("deadline=every 2 days",), ("deadline=every 2 days", "absence=forfeit")],
    ids=["no deadline", "deadline", "forfeit"],
)
def test_a_match_goes_on_turn_by_turn(store, tmp_path, jump, options):
    club = opened(store, tmp_path, *options)
    reports = [club.report("white")]
    for number in range(ROUNDS):
        now = MONDAY + number * STEP + (jump if number in WRONG else timedelta())
        order(club, now)
        club.run_tick(now)
        assert club.loaded().match.ply == number + 1
        assert club.loaded().match.status == "playing"
        reports.append(club.report("white"))
    club.cancel("m", reason="x", now=now)
    club.run_tick(now + STEP)
    assert unsent(club) == []
    assert wrong(club) == []
    for number, report in enumerate([*reports, club.report("white")]):
        (tmp_path / f"{number}.json").write_text(json.dumps(report))
    found = audited(*sorted(tmp_path.glob("*.json")))
    assert [tell(one) for one in found.wrong] == []
    assert any("clock was set back" in tell(one) for one in found.notes)


@jumps
def test_a_silent_seat_is_not_ruled_out_by_a_clock_that_jumps(store, tmp_path, jump):
    club = opened(store, tmp_path, "deadline=every 2 days", "absence=forfeit")
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END")
    club.run_tick(MONDAY + HOUR)
    club.run_tick(MONDAY + HOUR + jump)
    assert club.loaded().match.status != "over"
    if club.loaded().match.status == "held":
        right = MONDAY + HOUR
        club.resume("m", extend=DAY, reason="x", now=right)
    now = MONDAY + 2 * HOUR
    club.write("black", "ORDERS m black", "SETUP RANDOM", "END", at=now)
    club.run_tick(now)
    assert club.loaded().match.ply == 1
    assert wrong(club) == []


@jumps
def test_emails_that_could_not_go_by_the_wrong_clock_go_when_it_is_right(store, tmp_path, jump):
    club = opened(store, tmp_path)
    order(club, MONDAY)
    club.way.trouble = Temporary("the server is down")
    club.run_tick(MONDAY + jump)
    assert unsent(club)
    club.way.trouble = None
    club.run_tick(MONDAY + STEP)
    club.run_tick(MONDAY + STEP + HOUR)
    assert unsent(club) == []


def test_an_email_that_was_put_off_by_a_clock_a_year_ahead_is_read_when_it_is_right(
    store, tmp_path
):
    club = opened(store, tmp_path)
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END")
    assert not [*club.collect(club.folder)]
    with store.transaction() as tx:
        (email,) = EMAILS_IN.emails(tx)
        ahead = MONDAY + timedelta(days=365)
        update_email_in(tx, email.id, again_at=ahead + HOUR)
    club.run_tick(MONDAY + STEP)
    (email,) = Club(store).emails_in()
    assert email.status == "accepted"


@pytest.mark.parametrize(
    "options", [("deadline=none",), ("deadline=every 3 days", "bank=2 days")], ids=["plain", "bank"]
)
def test_orders_that_were_typed_while_the_clock_was_ahead_hold_no_match_up(
    store: Store, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """No tick ran in that time, so nobody knows of it."""
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("settle=0 minutes", *options)
    club.run_tick()
    club.send("white", "SETUP RANDOM", now=MONDAY + 40 * DAY)
    club.send("black", "SETUP RANDOM", now=MONDAY + HOUR)
    for minutes in (60, 65):
        club.run_tick(MONDAY + timedelta(minutes=minutes))
    assert club.loaded().match.ply == 1
    assert wrong(club) == []
