"""What all are told of an outage, or of a clock that was set back, is the same whoever wrote to the
club before it, and when."""

from datetime import timedelta

import pytest
from msgspec import structs

from adjudicator.core.acts import ClockSetBack, Outage
from tests.club import MONDAY, Mailbox
from tests.database import rulings_since
from tests.service.mailclub import MailClub

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LAST = 2 * HOUR  # of Monday: a tick that is noted


@pytest.fixture(params=["nobody", "soon", "late", "in it"])
def wrote(request):
    """When Bob's orders come; in an outage it is a command that takes them."""
    times = {"soon": LAST + 7 * MINUTE, "late": LAST + 55 * MINUTE, "in it": LAST + 7.5 * HOUR}
    return times.get(request.param)


def begun(store, folder, every="3 days"):
    club = MailClub(store, folder / "spool")
    club.context = structs.replace(club.context, max_gap=2 * DAY)
    club.add("Anna", "Bob")
    club.new(f"deadline=every {every}", "absence=forfeit", "reminders=off")
    for hours in range(3):
        club.run_tick(MONDAY + hours * HOUR)
    return club


@pytest.fixture
def club(store, tmp_path, wrote):
    club = begun(store, tmp_path)
    if wrote is not None and wrote < LAST + HOUR:
        club.write("black", "SETUP RANDOM", to=club.address("black"), at=MONDAY + wrote)
        club.run_tick(MONDAY + wrote)
    elif wrote is not None:
        club.send("black", "SETUP RANDOM", now=MONDAY + wrote)
    return club


def acts(club: MailClub, kind: type) -> list[tuple[object, object]]:
    with club.store.reading() as tx:
        made = rulings_since(tx, club.loaded().match.id, 0)
    return [structs.astuple(act) for one in made for act in one.acts if isinstance(act, kind)]


def test_an_outage(club, wrote):
    club.run_tick(MONDAY + 9 * DAY)
    assert club.loaded().match.status == "held"
    assert acts(club, Outage) == [(MONDAY + LAST + HOUR, MONDAY + 9 * DAY)]


def answered(club, folder, at):
    """Bob asks for his report while the mailbox cannot be reached; it comes by another way."""
    right = club.context
    club.context = structs.replace(right, mailbox=Mailbox(f"maildir:{folder}/none", lambda: None))
    club.write("black", "REPORT", to=club.address("black"), at=at)
    (answer,) = club.run_tick(at)
    assert "bob@" in answer["To"]
    club.context = right


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        *((LAST + hours * HOUR, 1 / 2) for hours in (7.5, 20, 80)),
        *((LAST + HOUR + days * DAY, 3 / 4) for days in (4.5, 6)),
    ],
)
def test_an_outage_with_an_answer_is_told_from_a_half_or_a_quarter_on(
    store, tmp_path, asked, begins
):
    club = begun(store, tmp_path)
    answered(club, tmp_path, MONDAY + asked)
    first, last = MONDAY + LAST + HOUR, MONDAY + LAST + HOUR + 9 * DAY
    club.run_tick(last)
    assert acts(club, Outage) == [(first + begins * 9 * DAY, last)]


def test_an_outage_that_answers_leave_nothing_of_is_not_told(store, tmp_path):
    club = begun(store, tmp_path)
    last = MONDAY + 9 * DAY
    answered(club, tmp_path, last - 12 * MINUTE)
    club.run_tick(last)
    assert club.loaded().match.status == "held"
    assert acts(club, Outage) == []


def test_orders_that_come_in_an_outage_are_used_though_another_player_was_answered(store, tmp_path):
    club = begun(store, tmp_path, every="1 day")
    club.send("white", "SETUP RANDOM", now=MONDAY + LAST)
    answered(club, tmp_path, MONDAY + 12 * HOUR)
    club.write("black", "SETUP RANDOM", to=club.address("black"), at=MONDAY + 4 * DAY)
    club.run_tick(MONDAY + 4 * DAY + HOUR)
    assert (club.loaded().match.status, club.loaded().match.ply) == ("playing", 1)
    ((since, until),) = acts(club, Outage)
    assert since > MONDAY + 12 * HOUR
    assert until == MONDAY + 4 * DAY + HOUR


def test_a_clock_that_was_set_back(club):
    club.run_tick(MONDAY + HOUR)
    assert acts(club, ClockSetBack) == [(MONDAY + LAST, MONDAY + HOUR)]


def test_a_match_that_has_no_position_yet_is_not_told(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("chance=drand")
    club.run_tick(MONDAY)
    club.run_tick(MONDAY - DAY)
    assert {one.kind for one in club.emails_out()} == {"notice"}  # and no fault
