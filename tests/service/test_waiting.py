"""When a turn is adjudicated, and what silence leads to (interface, section 2; emails, section
7)."""

from datetime import timedelta

import pytest

from tests.club import MONDAY, Club

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def club(store):
    return Club(store)


def test_a_turn_is_adjudicated_when_all_awaited_sheets_are_in(club):
    club.add("Anna", "Bob")
    club.new()
    club.send("white", "SETUP RANDOM")
    assert club.tick() == []
    club.send("black", "SETUP RANDOM")
    assert club.tick() == ["m: adjudicated; turn 1 is waiting for white"]
    assert club.tick() == []


def test_settle_leaves_time_to_think_again(club):
    club.begin("settle=2 hours")
    # The set-ups were not settled yet; they are two hours later.
    assert club.loaded().match.ply == 0
    club.tick(MONDAY + 2 * HOUR)
    assert club.loaded().match.ply == 1


def test_a_later_sheet_starts_the_settling_anew(club):
    club.begin("settle=2 hours")
    club.send("white", "SETUP RANDOM", now=MONDAY + HOUR)
    assert club.tick(MONDAY + 2 * HOUR) == []
    assert club.tick(MONDAY + 3 * HOUR) != []


def test_not_ready_keeps_a_turn_open_until_ready_or_the_deadline(club):
    club.begin("deadline=every 3 days")
    club.order("white")
    club.send("white", "NOTREADY")
    assert club.tick(MONDAY + HOUR) == []
    club.send("white", "READY", now=MONDAY + 2 * HOUR)
    assert club.tick(MONDAY + 2 * HOUR) == ["m: adjudicated; turn 1 is waiting for black"]


def test_not_ready_ends_at_the_deadline(club):
    club.begin("deadline=every 3 days")
    club.order("white")
    club.send("white", "NOTREADY")
    assert club.tick(MONDAY + 3 * DAY) == ["m: adjudicated; turn 1 is waiting for black"]


def test_silence_under_gm_makes_the_match_wait_and_the_operator_told_once(club):
    club.begin("deadline=every 3 days")
    club.tick(MONDAY + 2.5 * DAY)
    late = MONDAY + 3 * DAY + HOUR
    assert club.tick(late) == ["m: the deadline has passed; the match waits for you"]
    assert club.tick(late + DAY / 2) == []
    assert club.letters("alert") == ["m/2/operator/alert/1"]
    assert club.loaded().match.status == "playing"


def test_a_late_sheet_counts_for_a_seat_that_had_none(club):
    club.begin("deadline=every 3 days")
    late = MONDAY + 4 * DAY
    club.tick(late)
    assert club.order("white", now=late).accepted
    assert club.tick(late) == ["m: adjudicated; turn 1 is waiting for black"]
    assert club.loaded().match.trouble is None


def test_after_the_deadline_a_sheet_in_force_can_no_longer_change(club):
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    club.send("white", "SETUP RANDOM")
    late = MONDAY + 4 * DAY
    refused = club.send("white", "SETUP RANDOM", now=late)
    assert [str(problem.message) for problem in refused.problems] == [
        "the deadline has passed; your current orders stay"
    ]
    assert refused.in_force == 1
    assert not club.send("white", "CLEAR", now=late).accepted
    assert club.send("black", "SETUP RANDOM", now=late).accepted


def test_silence_under_forfeit_costs_the_match_after_the_grace(club):
    club.begin("deadline=every 3 days", "absence=forfeit", "grace=6 hours")
    due = MONDAY + 3 * DAY
    club.tick(MONDAY + 2.5 * DAY)
    assert club.tick(due) == []
    assert club.tick(due + 6 * HOUR) == ["m: adjudicated; the match is over"]
    assert club.report("black")["result"] == {
        "winner": "black",
        "winners": ["black"],
        "reason": "forfeit",
    }


def test_a_sheet_within_the_grace_saves_the_match(club):
    club.begin("deadline=every 3 days", "absence=forfeit", "grace=6 hours")
    club.order("white", now=MONDAY + 3 * DAY + HOUR)
    club.tick(MONDAY + 3 * DAY + 7 * HOUR)
    assert club.loaded().match.status == "playing"


def test_two_seats_without_set_up_cancel_the_match_and_reveal_nothing(club):
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "absence=forfeit")
    club.tick(MONDAY + 3 * DAY)
    report = club.report("white")
    assert report["result"] == {"winner": None, "winners": [], "reason": "cancelled"}
    assert report["pieces"] == []
    assert report["setups"] is None


def test_one_seat_without_set_up_is_forfeited(club):
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "absence=forfeit")
    club.send("white", "SETUP RANDOM")
    club.tick(MONDAY + 3 * DAY)
    assert club.report("black")["result"]["winner"] == "white"


def test_reminders_are_queued_once_at_four_fifths_of_the_time_whoever_has_sent(club):
    club.add("Anna", "Bob")
    club.new("deadline=every 5 days")
    club.send("white", "SETUP RANDOM")
    assert club.tick(MONDAY + 4 * DAY - HOUR) == []
    assert club.tick(MONDAY + 4 * DAY) == ["m: reminders were queued"]
    assert club.tick(MONDAY + 4 * DAY + HOUR) == []
    # The operator, who may play, reads the queue: it must not tell who has sent.
    assert club.letters("reminder") == ["m/1/white/reminder", "m/1/black/reminder"]


def test_a_new_deadline_counts_from_the_adjudication(club):
    club.begin("deadline=every 3 days")
    club.order("white", now=MONDAY + DAY)
    club.tick(MONDAY + DAY)
    assert club.loaded().match.deadline_at == MONDAY + 4 * DAY


def test_resignations_come_before_draws_and_draws_before_orders(club):
    club.begin()
    club.order("white")
    club.send("black", "DRAW")
    club.send("white", "DRAW")
    club.send("white", "RESIGN")
    assert club.tick() == ["m: adjudicated; the match is over"]
    assert club.report("white")["result"]["reason"] == "resignation"


def test_the_first_resignation_received_counts(club):
    club.begin()
    club.send("black", "RESIGN", now=MONDAY)
    club.send("white", "RESIGN", now=MONDAY + HOUR)
    club.tick(MONDAY + HOUR)
    assert club.report("white")["result"]["winner"] == "white"


def test_an_offer_of_a_draw_is_told_and_accepted_by_an_offer(club):
    club.begin()
    club.send("black", "DRAW")
    assert club.report("white")["draw_offer"] is None
    assert club.tick() == ["m: a draw offer was passed on"]
    assert club.report("white")["draw_offer"] == "black"
    assert club.letters("notice") == ["m/1/white/notice/1"]
    club.send("white", "DRAW")
    club.tick()
    assert club.report("black")["result"] == {"winner": None, "winners": [], "reason": "agreement"}


def test_an_offer_lapses_when_the_others_orders_are_adjudicated(club):
    club.begin()
    club.send("black", "DRAW")
    club.tick()
    club.order("white")
    club.tick()
    assert club.report("white")["draw_offer"] is None
    club.send("white", "DRAW")
    club.tick()
    assert club.loaded().match.status == "playing"


def test_the_offerers_own_orders_leave_his_offer_standing(club):
    club.begin()
    club.order("white")
    club.send("white", "DRAW")
    club.tick()
    assert club.loaded().match.ply == 2
    assert club.report("black")["draw_offer"] == "white"


def test_clear_withdraws_an_offer_and_the_orders(club):
    club.begin()
    club.order("white")
    club.send("white", "DRAW")
    club.send("white", "CLEAR")
    assert club.tick() == []
    assert club.report("white")["draw_offer"] is None
    assert club.report("white")["orders"] is None


def test_computer_seats_play_until_a_person_is_awaited(club):
    club.add("Anna")
    club.new(black="computer:random")
    club.tick()
    club.send("white", "SETUP RANDOM")
    club.tick()
    club.order("white")
    club.tick()
    loaded = club.loaded()
    assert loaded.awaited == ("white",)
    assert loaded.match.turn == 2


@pytest.mark.slow
def test_two_computers_play_to_the_end_in_one_tick(club):
    club.new(white="computer", black="computer:random")
    club.tick()
    assert club.loaded().match.status == "over"
    assert club.letters() == []


def test_the_news_of_a_report_reach_back_to_the_seats_own_last_order(club):
    club.begin()
    club.order("white")
    club.tick()
    assert [step["side"] for step in club.report("black")["news"]] == ["white", "white"]
    club.order("black")
    club.tick()
    sides = [step["side"] for step in club.report("white")["news"]]
    assert sides == ["white", "white", "black", "black"]
    assert [step["side"] for step in club.report("black")["news"]] == ["black", "black"]


@pytest.mark.slow
def test_a_match_that_cannot_be_adjudicated_is_held_and_does_not_stop_the_others(club, monkeypatch):
    from tests.inside import adjudication

    club.new(white="computer:random", black="computer:random", name="broken")
    club.new(white="computer:random", black="computer:random", name="whole")
    real = adjudication.orders_of

    def fail_for_broken(loaded, *given):
        if loaded.match.name == "broken":
            raise ValueError("the Headquarters stands on a1")
        return real(loaded, *given)

    monkeypatch.setattr(adjudication, "orders_of", fail_for_broken)
    told = club.tick()
    assert "an error inside adjud (ValueError) stopped this match" in told[0]
    assert not any("a1" in line for line in told)
    assert club.loaded("broken").match.status == "held"
    assert club.loaded("whole").match.status == "over"
