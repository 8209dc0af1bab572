"""Ask of the shell what a game may ask beyond what Espionage does.

Each test uses an Espionage whose value was changed in one place.
"""

from dataclasses import replace
from datetime import timedelta

import pytest
from msgspec import structs

from adjudicator.core.message import say
from adjudicator.core.orders import Problem
from adjudicator.games import GAMES
from tests.club import MONDAY, Club, NewMatch, Refusal
from tests.games.changed import with_part

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def club(store):
    return Club(store)


@pytest.fixture
def change(monkeypatch):
    def changed(part=None, **fields):
        game = GAMES["espionage"]
        other = with_part(game, part, **fields) if part else replace(game, **fields)
        monkeypatch.setitem(GAMES, "espionage", other)

    return changed


def random_order(state, seat, stream):
    game = GAMES["espionage"]
    return game.computers["computer:random"](game.sight.observe(state, seat), stream)


def told(club, now):
    return [line for line in club.tick(now) if "reminders" not in line]


def notices(club, seat):
    return [notice["text"] for notice in club.report(seat)["notices"]]


# Silence in a row.


@pytest.fixture
def sleepy(club, change):
    """Play a small match to White's first turn, in a game with orders for silent seats."""
    change("rules", default=random_order)
    club.begin("deadline=every 3 days", "absence=forfeit")
    return club


def miss(club, number):
    """Let White order at once and Black miss the deadline of that number."""
    at = MONDAY + (number - 1) * 3 * DAY
    club.order("white", now=at)
    club.tick(at)
    return told(club, at + 3 * DAY)


def test_who_misses_two_deadlines_in_a_row_is_warned_with_the_second(sleepy):
    miss(sleepy, 1)
    assert not any("in a row" in text for text in notices(sleepy, "black"))
    miss(sleepy, 2)
    assert any("Black missed two deadlines in a row" in text for text in notices(sleepy, "white"))


def test_after_three_missed_deadlines_nobody_waits_for_a_seat(sleepy):
    for number in (1, 2, 3):
        miss(sleepy, number)
    at = MONDAY + 9 * DAY
    sleepy.order("white", now=at)
    assert told(sleepy, at) == [
        "m: adjudicated; turn 4 is waiting for black",
        "m: players who are away got default orders",
        "m: adjudicated; turn 5 is waiting for white",
    ]


def test_who_sends_again_is_waited_for_again(sleepy):
    for number in (1, 2):
        miss(sleepy, number)
    at = MONDAY + 6 * DAY
    sleepy.order("white", now=at)
    sleepy.tick(at)
    assert sleepy.loaded().holders["black"].silent == 2
    assert sleepy.order("black", now=at).accepted
    assert sleepy.loaded().holders["black"].silent == 0


def test_a_match_without_anybody_awake_keeps_its_time(club, change):
    change("rules", default=random_order)
    club.begin("deadline=every 3 days", "absence=forfeit")
    for number in range(1, 9):
        before = club.loaded().match.ply
        club.tick(MONDAY + 3 * number * DAY)
        assert club.loaded().match.ply == before + 1


def test_a_new_holder_is_waited_for(sleepy):
    for number in (1, 2, 3):
        miss(sleepy, number)
    sleepy.add("Carl")
    sleepy.replace("m", "black", "Carl")
    assert sleepy.loaded().holders["black"].silent == 0


def test_what_the_rules_provide_for_is_not_left_to_the_game_master(club, change):
    change("rules", default=random_order, provides=lambda state: state.turn == 1)
    club.begin("deadline=every 3 days", "excused=5")
    assert told(club, MONDAY + 3 * DAY)[0] == (
        "m: the deadline has passed; default orders were given"
    )


def test_a_hurried_turn_has_a_share_of_the_time(club, change):
    change("rules", pace=lambda state: 0.5)
    club.begin("deadline=every 3 days")
    assert club.loaded().match.deadline_at == MONDAY + 1.5 * DAY


# Who plays, on which board, with which phrases.


def wanted(**fields):
    given = {
        "game": "espionage",
        "variant": "small",
        "name": "m",
        "seats": ["white=Anna", "black=Bob"],
        "options": [],
        "seed": None,
        "fresh_seed": bytes(32),
    }
    return NewMatch(**{**given, **fields})


def create(club, **fields):
    return club.create(wanted(**fields))


def test_so_many_players_take_these_seats_and_no_others(club, change):
    change(seating=lambda variant, board: {1: ("white",)}, players=range(1, 3))
    club.add("Anna")
    with pytest.raises(Refusal, match="1 players take the seats white, not black"):
        create(club, seats=["black=Anna"])
    assert create(club, seats=["white=Anna"]) == "m"


def test_a_seat_is_left_to_be_joined_by_itself(club):
    club.add("Anna")
    create(club, seats=["white=Anna", "black=open"])
    assert club.loaded().match.status == "open"


def test_a_board_goes_through_the_game_and_into_the_match(club, change):
    club.add("Anna", "Bob")
    with pytest.raises(Refusal, match="Espionage is always played on its own boards"):
        create(club, board="{}")
    change(board=lambda text: say("no board: {text}", text=text) if text == "?" else text.upper())
    with pytest.raises(Refusal, match=r"no board: \?"):
        create(club, board="?")
    create(club, board="a board")
    assert club.loaded().match.board == club.loaded().setting.board == "A BOARD"


def test_lines_that_cannot_work_now_are_warnings_and_the_sheet_counts(club, change):
    change("orders", warn=lambda view, sheet: [Problem(2, "d3-d4", say("not today"))])
    club.begin()
    receipt = club.order("white")
    assert receipt.accepted
    assert [str(problem.message) for problem in receipt.warnings] == ["not today"]


def test_a_seat_that_left_may_not_order(club, change):
    club.begin()
    change("rules", gone=lambda state: ("white",))
    receipt = club.send("white", "RESIGN")
    assert [str(problem.message) for problem in receipt.problems] == ["White has left this match"]


# News that are told once.


def lasting(report):
    return structs.replace(report, news=() if report.result is None else report.news)


def tells_once(report):
    return bool(report.news)


def test_an_old_report_is_shown_without_what_was_fleeting(club, change):
    change("sight", lasting=lasting)
    club.begin()
    for _ in range(2):
        for seat in ("white", "black"):
            club.order(seat)
            club.tick()
    old = club.sent_report("m", "white", 2).body
    assert (old["turn"], old["news"]) == (2, [])
    assert club.report("white")["news"]


def test_what_is_told_once_is_printed_once_and_not_kept(club, change):
    change("sight", lasting=lasting, tells_once=tells_once)
    club.begin()
    club.order("white")
    club.tick()
    assert club.report("white")["news"]
    assert club.report("white")["news"] == []
    assert club.letters("aside") == ["m/2/white/aside", "m/2/black/aside"]
    assert club.sent_report("m", "black", 1).body["news"] == []


def test_a_new_holder_is_not_told_the_news_of_the_old_one(club, change):
    change("sight", lasting=lasting)
    club.begin()
    club.order("white")
    club.tick()
    club.add("Carl")
    club.replace("m", "black", "Carl")
    assert club.report("black")["news"] == []
    assert club.report("white")["news"]


def test_news_are_told_once_where_a_game_wants_it_so(club, change):
    """By file, what was printed is not told again, and what was not printed yet is."""
    change("sight", retells=False)
    club.begin()
    for seat in ("white", "black"):
        club.order(seat)
        club.tick()
        assert {step["side"] for step in club.report("white")["news"]} == {seat}
        assert {step["side"] for step in club.report("white")["news"]} == {seat}  # until then
    assert {step["side"] for step in club.report("black")["news"]} == {"black"}
