"""The end of an answer: what is in force and until when it may be replaced, or why nothing is
awaited.

And what STATUS tells.
"""

from datetime import timedelta

import pytest

from adjudicator.core.game import Seat
from adjudicator.service.match import creation, game_master
from adjudicator.service.match.advance import orders_of
from tests.service.club import MONDAY, SEED
from tests.service.mailclub import MailClub
from tests.service.spionclub import SpionClub

DAY = timedelta(days=1)
SHEET = ("ORDERS m white", "SETUP RANDOM", "END")
TEMPLATE = "ORDERS m white turn 1 ..-.. ..-.. END"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    club.night()
    return club


@pytest.fixture
def playing(club):
    """Play a match to White's first turn."""
    return play(club)


def play(club):
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.night()
    return club


def said(letter):
    """Return the text of a letter as one line."""
    return " ".join(letter.get_body(("plain",)).get_content().split())


def ask(club, *lines, seat="white", now=MONDAY, **more):
    """Return the answer to a letter of that seat."""
    name = {"white": "Anna", "black": "Bob"}[seat]
    club.write(seat, *lines, at=now, **more)
    answer, *_ = [one for one in club.night(now) if one["To"].startswith(name)]
    return answer


def orders(club):
    loaded = club.loaded()
    seat = loaded.awaited[0]
    return [f"ORDERS m {seat}", *orders_of(loaded, seat, "computer:random"), "END"]


# What is in force, and how long it may be replaced.


def test_under_an_accepted_sheet_no_orders_are_called_awaited(club):
    told = said(ask(club, *SHEET))
    assert told == (
        "m, white, turn 0: accepted, revision 1 SETUP RANDOM "
        "In force: revision 1. You may replace these orders until Thu 26 Nov 2026, 12:00 UTC, or "
        "until everybody's orders are in."
    )


def test_orders_that_the_turn_waited_for_are_adjudicated_and_not_called_replaceable(playing):
    told = said(ask(playing, *orders(playing)))
    assert told.endswith("In force: revision 1. The turn is adjudicated with these orders now.")


def test_orders_may_be_replaced_until_they_have_settled(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("settle=2 hours")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.night(MONDAY)
    told = said(ask(club, "STATUS"))
    assert told.endswith(
        "SETUP RANDOM You may replace these orders until everybody's orders are in."
    )
    later = MONDAY + timedelta(hours=2)
    club.night(later)
    told = said(ask(club, *orders(club), now=later))
    assert told.endswith("You may replace these orders until Mon 23 Nov 2026, 16:00 UTC.")


def test_who_is_not_ready_may_replace_his_orders_until_the_deadline_or_ready(playing):
    sheet = orders(playing)
    told = said(ask(playing, *sheet[:-1], "NOTREADY", "END"))
    until = "You may replace these orders until Thu 26 Nov 2026, 12:00 UTC, or until you say READY."
    assert told.endswith(until)


def test_after_the_deadline_orders_in_force_stay_and_late_ones_still_count(playing):
    late = MONDAY + timedelta(days=3, minutes=1)
    told = said(ask(playing, "STATUS", now=late))
    assert told.endswith(
        "No orders of yours are in force. Your orders for turn 1 are awaited. The deadline, Thu "
        "26 Nov 2026, 12:00 UTC, has passed; orders count until the turn is adjudicated."
    )


def test_while_a_match_is_held_no_time_is_told(playing):
    game_master.hold(playing.store, "m", reason="Easter", now=MONDAY, means=playing.means)
    playing.night()
    told = said(ask(playing, "PING"))
    assert told.endswith("Your orders for turn 1 are awaited. The game master holds the match.")


# Answers when nothing is awaited.


def test_who_is_not_to_order_reads_whom_the_turn_waits_for_and_gets_no_template(playing):
    answer = ask(playing, "ORDERS m black turn 1", "a6-a5", "b6-b5", "END", seat="black")
    assert answer["Subject"] == "[m] Turn 1: orders NOT accepted"
    assert said(answer) == (
        "m, black, turn 1: NOT accepted; nothing of this sheet was stored "
        "line 1: ORDERS m black turn 1: turn 1 waits for the orders of White now, not for yours "
        "No orders of yours are awaited now."
    )


def test_who_has_played_the_turn_is_not_told_that_it_is_to_be_ordered(playing):
    ask(playing, *orders(playing))
    for head in ("ORDERS m white turn 1", "ORDERS m white turn 2", "ORDERS m white"):
        told = said(ask(playing, head, "a3-a4", "b3-b4", "END"))
        assert "turn 1 waits for the orders of Black now, not for yours" in told
        assert "to be ordered" not in told
        assert "in force" not in told


def test_who_has_resigned_is_not_asked_for_orders(playing):
    asked = said(ask(playing, "RESIGN"))
    code = asked.split("CONFIRM ")[1].split()[0]
    told = said(ask(playing, f"CONFIRM {code}"))
    assert told.endswith("You have resigned; no orders of yours are awaited.")
    assert playing.loaded().match.status == "over"
    told = said(ask(playing, "PING"))
    assert told == "Your letter has arrived. m is over."


def test_orders_for_a_match_that_is_over_are_refused_without_a_word_on_orders_in_force(playing):
    game_master.cancel(playing.store, "m", reason="", now=MONDAY, means=playing.means)
    playing.night()
    answer = ask(playing, "ORDERS m white", "a3-a4", "b3-b4", "END")
    assert answer["Subject"] == "[m] Turn 1: orders NOT accepted"
    assert "in force" not in said(answer)
    assert "ORDERS m white turn" not in said(answer)


# A refusal comes with the sheet to be filled in.


@pytest.mark.parametrize(
    "lines",
    [
        ("ORDERS m white turn 1", "d3-d9", "f3-f4", "END"),
        ("ORDERS m white turn 7", "d3-d4", "f3-f4", "END"),
        ("Hello,", "how are you?"),
        ("ORDERS m white turn 1", "d3-d9", "END", "ORDERS m white turn 1", "f3-f4", "END"),
    ],
)
def test_a_refusal_carries_the_template(playing, lines):
    answer = ask(playing, *lines)
    assert answer["X-Adjud"] == "refusal"
    assert said(answer).count(TEMPLATE) == 1


def test_a_refusal_beside_a_template_that_was_asked_for_has_it_once(playing):
    told = said(ask(playing, "TEMPLATE", "ORDERS m white", "d3-d9", "f3-f4", "END"))
    assert told.count(TEMPLATE) == 1


def test_a_letter_of_which_nothing_is_read_is_answered_with_the_template(playing):
    assert TEMPLATE in said(ask(playing, "x" * 300_000))


def test_no_template_comes_where_it_could_not_be_used(playing):
    for seat in ("white", "black"):
        ask(playing, *orders(playing), seat=seat)
    loaded = playing.loaded()
    sheet = orders(playing)
    ask(playing, *sheet[:-1], "NOTREADY", "END")
    late = loaded.match.deadline_at
    told = said(ask(playing, *sheet, now=late))
    assert "the deadline has passed; the orders that you have in force stay" in told
    assert "..-.." not in told


# Commands that were not understood.


def test_a_letter_of_a_slip_alone_is_not_called_orders(club):
    answer = ask(club, "LANGUAGE")
    assert answer["X-Adjud"] == "refusal"
    assert answer["Subject"] == "[m] Your letter was NOT understood"
    assert "LANGUAGE is written: LANGUAGE nb" in said(answer)
    assert "ORDERS m" not in said(answer)


@pytest.mark.parametrize("line", ["PREFS", "VALG", "Val."])
def test_prefs_alone_tells_what_is_wished_and_how_it_is_changed(club, line):
    answer = ask(club, line)
    assert answer["Subject"] == "[m] What you asked for"
    told = said(answer)
    assert "You are reminded before each deadline." in told
    assert "PREFS REMINDERS OFF" in told


# Lines that were ignored.


def test_ignored_lines_are_quoted(club):
    told = ask(club, "Hello dear club,", *SHEET, "See you").get_content()
    assert "ignored line 1: Hello dear club," in told
    assert "ignored line 5: See you" in told


def test_of_many_ignored_lines_some_are_quoted(club):
    told = said(ask(club, *(f"word {n}" for n in range(30)), *SHEET))
    assert told.count("ignored line ") == 10
    assert "and 20 more ignored lines" in told


# STATUS.


def status(club, **more):
    return said(ask(club, "STATUS", **more))


def test_status_names_match_turn_players_and_who_is_awaited(playing):
    assert status(playing).startswith(
        "Espionage m, Turn 1 White: Anna (you) Black: Bob Waiting for orders: White."
    )
    assert status(playing, seat="black") == (
        "Espionage m, Turn 1 White: Anna Black: Bob (you) Waiting for orders: White. "
        "Deadline: Thu 26 Nov 2026, 12:00 UTC. No orders of yours are awaited now."
    )


def test_status_tells_all_awaited_seats_whoever_has_sent(club):
    before = status(club)
    assert before.startswith(
        "Espionage m, Set-up, turn 0 White: Anna (you) Black: Bob Waiting for orders: White, Black."
    )
    club.send("black", "SETUP RANDOM")
    assert status(club) == before


def test_status_of_a_match_that_is_held_or_open_says_so(playing):
    game_master.hold(playing.store, "m", reason="", now=MONDAY, means=playing.means)
    playing.night()
    assert "Paused." in status(playing)
    wanted = creation.Wanted(
        game="espionage",
        variant="small",
        name="n",
        seats=["white=Anna"],
        options=[],
        seed=None,
        fresh_seed=bytes.fromhex(SEED),
        leave_open=True,
    )
    creation.create(playing.store, wanted, now=MONDAY, means=playing.means)
    playing.night()
    told = status(playing, to=playing.address("white", "n"))
    assert "White: Anna (you) Black: open seat Waiting for players." in told


# Offers of a draw.


def test_an_offer_says_how_it_is_accepted_and_until_when(playing):
    playing.write("white", "DRAW")
    receipt, notice = playing.night()
    assert (
        "your offer of a draw stands until the next orders of the others are adjudicated, or "
        "until you send CLEAR"
    ) in said(receipt)
    offer = (
        "White offers a draw. Send DRAW to accept; the offer stands until your next orders are "
        "adjudicated, or until it is withdrawn."
    )
    assert said(notice) == offer
    assert offer in status(playing, seat="black")
    assert "Your offer of a draw stands until the next orders" in status(playing)


def test_reports_tell_of_an_offer_until_the_match_has_ended(playing):
    playing.write("white", "DRAW")
    playing.night()
    playing.write("white", *orders(playing))
    letters = playing.night()
    own, other = [said(one) for one in letters if one["X-Adjud"] == "report"]
    assert "Your offer of a draw stands until the next orders of the others" in own
    assert "White offers a draw. Send DRAW to accept; the offer stands until your next" in other
    playing.write("black", "DRAW")
    receipt, *reports = playing.night()
    assert "you accept the draw; the match ends at the next tick" in said(receipt)
    assert [one["X-Adjud"] for one in reports] == ["report", "report"]
    for report in reports:
        assert "offer" not in said(report)
        assert "offers a draw" not in report.get_body(("html",)).get_content()


def test_an_offer_among_several_says_that_all_must_accept(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin(players=3)
    first, second, third = club.loaded().seats
    club.answered(first, "DRAW")
    (told,) = club.to(second, "notice")
    assert " ".join(told.split()) == (
        "Blue offers a draw. Send DRAW to accept; the match is drawn when all have. The offer "
        "stands until the next orders of another seat are adjudicated, or until it is withdrawn."
    )
    answer, *_ = club.answered(second, "DRAW")
    assert "your offer of a draw stands" in " ".join(answer.split())
    (told,) = club.answered(third, "STATUS")
    title = club.loaded().game.seat_titles[Seat(second)]
    assert "Blue offers a draw." in told
    assert f"{title} offers a draw." in told


# A sheet whose first word is misspelt.


@pytest.mark.parametrize("quote", ["", "> "])
def test_a_misspelt_sheet_is_refused_as_one_and_not_line_by_line(playing, quote):
    lines = ("ORDRS m white turn 1", "d3-d4", "f3-f4", "END")
    told = said(ask(playing, "Hello", *(f"{quote}{line}" for line in lines)))
    assert "line 2: ORDRS m white turn 1: 'ORDRS'? did you mean ORDERS?" in told
    assert "I do not understand" not in told
    assert playing.loaded().sheets == {}
