"""A hold gives back all the time that it took, whatever the clock said when it began.

A clock may have been ahead or behind when the match was held. And what an outage took of a turn's
time is given back, so that nobody is forfeited by the first tick after `gm resume`.
"""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.resources import Incomplete
from tests.club import MONDAY, Club
from tests.inside import adjudication

MINUTES, HOUR, DAY = timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)
DUE = MONDAY + 3 * DAY
AHEAD = {"a day": DAY, "a month": 30 * DAY, "four years": 1461 * DAY}
NOT = timedelta()

ahead = pytest.mark.parametrize("leap", AHEAD.values(), ids=AHEAD)


@pytest.fixture
def club(store):
    club = Club(store)
    club.context = structs.replace(club.context, max_gap=2 * DAY, max_silent=5)
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.tick(MONDAY)
    return club


def failing(*_words):
    raise Incomplete(Path("a template"))


def due(club):
    return club.loaded().match.deadline_at


@ahead
def test_a_match_held_by_a_clock_that_ran_ahead_keeps_its_deadline(club, leap):
    club.hold("m", now=MONDAY + leap, reason="x")
    club.resume("m", now=MONDAY + MINUTES, reason="x", extend=NOT)
    assert due(club) == DUE
    assert club.tick(MONDAY + 2 * MINUTES) == []
    assert club.loaded().match.status == "playing"


@ahead
def test_a_tick_that_held_a_match_by_a_wrong_clock_took_nothing(club, leap):
    club.tick(MONDAY + 4 * DAY + leap)
    assert club.loaded().match.status == "held"
    club.tick(MONDAY + MINUTES)
    club.resume("m", now=MONDAY + MINUTES, reason="x", extend=NOT)
    assert due(club) == DUE
    club.tick(MONDAY + 2 * MINUTES)
    assert club.loaded().match.status == "playing"


@ahead
def test_more_time_in_such_a_hold_is_added_to_the_deadline(club, leap):
    club.hold("m", now=MONDAY + leap, reason="x")
    club.extend("m", DAY, now=MONDAY + MINUTES, reason="x")
    assert due(club) == DUE + DAY
    club.resume("m", now=MONDAY + HOUR, reason="x", extend=NOT)
    assert due(club) == DUE + DAY + HOUR - MINUTES


@ahead
def test_an_announced_forfeit_and_a_new_holder_keep_their_time_too(club, leap):
    by = 2 * DAY
    club.announce_forfeit("m", "white", by, reason="x", sure=True)
    club.add("Cleo", now=MONDAY)
    club.hold("m", now=MONDAY + leap, reason="x")
    club.set_deadline("m", "2026-11-28 12:00", now=MONDAY + MINUTES, reason="x")
    assert club.loaded().holders["white"].forfeit_at == MONDAY + 5 * DAY
    club.replace("m", "black", "Cleo", now=MONDAY + MINUTES, reason="x")
    assert due(club) == MONDAY + 5 * DAY


@ahead
def test_options_may_change_in_a_match_held_by_a_wrong_clock(club, leap):
    club.new("deadline=every 3 days", "absence=gm", name="other")
    club.hold("other", now=MONDAY + leap, reason="x")
    told = club.change_options("other", ["absence=forfeit"], now=MONDAY + MINUTES, reason="x")
    assert str(told) == "other: absence is now forfeit"


def test_a_hold_by_a_clock_years_behind_gives_no_years(club):
    club.hold("m", now=MONDAY - 2000 * DAY, reason="x")
    club.resume("m", now=MONDAY + DAY, reason="x", extend=NOT)
    assert due(club) == DUE + DAY


OUTAGES = {"past the deadline": 4 * DAY, "a month": 30 * DAY, "two years": 730 * DAY}


@pytest.mark.parametrize("outage", OUTAGES.values(), ids=OUTAGES)
@pytest.mark.parametrize(
    ("option", "least"),
    [
        ("deadline=every 3 days", 3 * DAY),
        ("deadline=every 1 day", DAY),
        ("deadline=every 6 hours", 6 * HOUR),
        ("deadline=Fri 12:30", 3.5 * DAY),
    ],
)
def test_resume_after_an_outage_gives_the_turn_its_time_again(store, outage, option, least):
    club = Club(store)
    club.context = structs.replace(club.context, max_gap=2 * DAY)
    club.begin(option, "absence=forfeit")
    club.tick(MONDAY)
    back = MONDAY + outage + 4 * DAY
    club.tick(back)
    assert club.loaded().match.status == "held"
    club.resume("m", now=back + HOUR, reason="x", extend=NOT)
    assert due(club) >= back + HOUR + least
    club.tick(back + HOUR + MINUTES)
    assert club.loaded().match.status == "playing"
    club.tick(due(club) - MINUTES)
    assert club.loaded().match.status == "playing"


def test_what_the_game_master_gives_after_an_outage_is_what_the_players_get(club):
    back = MONDAY + 5 * DAY
    club.tick(back)
    club.resume("m", now=back, reason="x", extend=2 * HOUR)
    assert due(club) == back + 2 * HOUR


def test_an_announced_forfeit_whose_time_an_outage_took_is_given_back(store):
    club = Club(store)
    club.context = structs.replace(club.context, max_gap=2 * DAY)
    club.begin("deadline=none")
    club.announce_forfeit("m", "white", DAY, reason="x", sure=True)
    back = MONDAY + 9 * DAY
    club.tick(back)
    assert club.loaded().match.status == "held"
    club.resume("m", now=back, reason="x", extend=NOT)
    club.tick(back + HOUR)
    assert club.loaded().match.status == "playing"
    assert club.loaded().holders["white"].forfeit_at >= back + DAY


@pytest.mark.parametrize(("first", "then", "is_held"), [(2 * DAY, None, True), (None, DAY, False)])
def test_a_match_keeps_the_max_gap_with_which_it_began(store, first, then, is_held):
    """Its players were told that one, in the first line of the log."""
    club = Club(store)
    club.context = structs.replace(club.context, max_gap=first)
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.tick(MONDAY)
    club.context = structs.replace(club.context, max_gap=then)
    club.tick(MONDAY + 6 * DAY)
    assert (club.loaded().match.status == "held") is is_held


@pytest.mark.parametrize(("came", "is_held"), [(2 * DAY, False), (9 * DAY, True)])
def test_orders_that_a_fault_kept_from_being_used_are_used_when_it_is_mended(
    club, monkeypatch, came, is_held
):
    """The game master first looks at those that came long after the time was up, though ticks ran
    as usual; nobody loses anything by it."""
    with monkeypatch.context() as broken:
        broken.setattr(adjudication, "next_step", failing)
        for day in range(1, 10):
            if came == day * DAY:
                club.order("white", now=MONDAY + came)
            club.tick(MONDAY + day * DAY)
    mended = MONDAY + 9 * DAY + MINUTES
    told = club.tick(mended)
    if is_held:
        assert told == [
            "m: the deadline has passed, but its time was up long ago, and no outage explains that "
            "it was not played; the match is on hold"
        ]
        club.resume("m", now=mended, reason="x", extend=NOT)
        told = club.tick(mended)
    assert told == ["m: adjudicated; turn 1 is waiting for black"]
    assert club.loaded().match.status == "playing"
