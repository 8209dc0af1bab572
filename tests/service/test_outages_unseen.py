"""What all are told of an outage, or of a clock that was set back, is the same whoever wrote to the
club before it, and when."""

from datetime import timedelta

import pytest
from msgspec import structs

from adjudicator.core.acts import ClockSetBack, Outage
from tests.club import MONDAY
from tests.database import rulings_since
from tests.service.mailclub import MailClub

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LAST = 2 * HOUR  # of Monday: a tick that is noted


@pytest.fixture(params=["nobody", "soon", "late", "in it"])
def wrote(request):
    """When Bob's orders come; in an outage it is a command that takes them."""
    times = {"soon": LAST + 7 * MINUTE, "late": LAST + 55 * MINUTE, "in it": LAST + 7.5 * HOUR}
    return times.get(request.param)


@pytest.fixture
def club(store, tmp_path, wrote):
    club = MailClub(store, tmp_path / "spool")
    club.context = structs.replace(club.context, max_gap=2 * DAY)
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "absence=forfeit", "reminders=off")
    for hours in range(3):
        club.run_tick(MONDAY + hours * HOUR)
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
