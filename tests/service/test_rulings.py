"""The game master's tools: each is logged, told to the players, and mends what it should."""

from datetime import timedelta

import pytest

from adjudicator.service import creation, rulings, verification
from adjudicator.service.refusal import Refusal
from tests.service.club import MONDAY, Club

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def club(store):
    return Club(store)


def rule(club, use, *args, now=MONDAY, **more):
    return str(use(club.store, "m", *args, now=now, means=club.means, **more))


def test_a_held_match_takes_sheets_but_adjudicates_nothing(club):
    club.begin("deadline=every 3 days")
    rule(club, rulings.hold, reason="The mail is down.")
    assert club.order("white").accepted
    assert club.tick(MONDAY + 9 * DAY) == []
    assert club.report("black")["notices"][0]["text"] == (
        "The game master holds the match. The mail is down."
    )


def test_a_resumed_match_has_the_time_that_was_left(club):
    club.begin("deadline=every 3 days")
    rule(club, rulings.hold, now=MONDAY + DAY, reason="x")
    rule(club, rulings.resume, now=MONDAY + 5 * DAY, reason="y", extend=HOUR)
    assert club.loaded().match.deadline_at == MONDAY + 7 * DAY + HOUR


def test_a_match_whose_deadline_has_passed_is_open_again_after_extend(club):
    club.begin("deadline=every 3 days")
    late = MONDAY + 4 * DAY
    club.tick(late)
    rule(club, rulings.extend, 2 * DAY, now=late, reason="")
    loaded = club.loaded()
    assert loaded.match.deadline_at == late + 2 * DAY
    assert loaded.match.trouble is None
    assert club.tick(late + 3 * DAY) == ["m: the deadline has passed; the match waits for you"]


def test_a_match_without_a_deadline_gets_none_from_extend(club):
    """Else `absence=forfeit` would end a match that nobody thought was in a hurry."""
    club.begin("absence=forfeit")
    with pytest.raises(Refusal, match="m has no deadline; there is nothing to extend"):
        rule(club, rulings.extend, DAY, reason="")
    assert club.loaded().match.deadline_at is None


def test_a_replaced_player_gets_the_present_report_and_the_old_one_is_told_nothing_more(club):
    club.begin()
    club.add("Carl")
    rule(club, rulings.replace, "white", "carl", reason="moved away")
    assert "m/1/white/report/2" in club.letters("report")
    assert club.loaded().holders["white"].player_name == "Carl"
    assert club.loaded().holders["white"].tenure == 2


def test_a_computer_may_take_over(club):
    club.begin()
    rule(club, rulings.replace, "white", "computer:random", reason="")
    assert club.tick() == ["m: adjudicated; turn 1 awaits black"]
    assert club.loaded().awaited == ("black",)


def test_forfeit_and_cancel_end_the_match_and_it_stays_ended(club):
    club.begin()
    rule(club, rulings.forfeit, "white", reason="no answer for a month")
    assert club.report("black")["result"]["reason"] == "forfeit"
    assert "no answer for a month" in club.report("white")["notices"][0]["text"]
    with pytest.raises(Refusal, match="m is over and stays so"):
        rule(club, rulings.cancel, reason="x")
    assert verification.verify(club.store, "m") == []


def test_adjudicate_does_nothing_at_another_turn_or_with_orders_missing(club):
    club.begin("settle=2 days")
    club.tick(MONDAY + 2 * DAY)
    with pytest.raises(Refusal, match="m stands at turn 1, not 2"):
        rule(club, rulings.adjudicate, expect=2, reason="")
    with pytest.raises(Refusal, match="not every awaited seat has orders in force"):
        rule(club, rulings.adjudicate, expect=1, reason="")


def test_adjudicate_does_not_wait_for_settle_or_ready(club):
    club.begin("settle=2 days")
    assert rule(club, rulings.adjudicate, expect=0, reason="") == (
        "m: adjudicated; turn 1 awaits white"
    )
    assert club.loaded().match.ply == 1


def leave_black_open(club):
    club.add("Anna", "Bob")
    wanted = creation.Wanted(
        game="espionage",
        variant="small",
        name="m",
        seats=["white=Anna"],
        options=["deadline=every 3 days"],
        seed=None,
        fresh_seed=bytes(32),
        leave_open=True,
    )
    creation.create(club.store, wanted, now=MONDAY, means=club.means)


def test_nobody_wins_a_match_that_has_not_begun(club):
    leave_black_open(club)
    with pytest.raises(Refusal, match="m has not begun; `adjud gm cancel` ends it"):
        rule(club, rulings.forfeit, "white", reason="x")
    assert rule(club, rulings.cancel, reason="nobody came") == "m is cancelled"


def test_an_open_seat_is_filled_and_only_then_the_time_counts(club):
    leave_black_open(club)
    assert club.loaded().match.deadline_at is None
    assert club.tick(MONDAY + 9 * DAY) == []
    rule(club, rulings.replace, "black", "Bob", now=MONDAY + DAY, reason="")
    loaded = club.loaded()
    assert (loaded.match.status, loaded.match.deadline_at) == ("playing", MONDAY + 4 * DAY)
    assert loaded.holders["black"].tenure == 1


def test_adjudicate_leaves_a_resignation_that_nobody_was_told_of_to_the_next_tick(club):
    club.begin()
    club.order("white")
    club.send("black", "RESIGN")
    rule(club, rulings.adjudicate, expect=1, reason="")
    club.tick()
    assert club.report("white")["result"]["reason"] == "resignation"
