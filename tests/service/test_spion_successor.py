"""A seat of Spion changes hands.

The standing orders of its holder end with him, in the game, in its log and in its record.
"""

import json
from datetime import timedelta

import pytest
from msgspec.json import decode

from tests.club import MONDAY, replay_lines, show
from tests.database import events_since
from tests.service.spionclub import SpionClub

HOUR = timedelta(hours=1)
NONE_STAND = "Yellow has a new player and no standing orders"
STANDING = ("ANSWER * FINAL: TAKE 4,1", "KEEP *: REFUSE", "FIFTH ATOM: REFUSE")


@pytest.fixture
def club(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin("deadline=every 2 days", "max_rounds=3", "mode=rounds")
    club.add("Dora")
    return club


def arrange(club, *lines, seat="yellow", now=MONDAY):
    """Play a turn in which the seat sends these lines."""
    assert club.send(seat, *lines, now=now).accepted
    club.all_send(now, but=[seat])
    club.tick(now)


def replace(club, player="Dora", now=MONDAY):
    club.replace("m", "yellow", player, now=now)


def sound(club):
    return club.verify("m") == []


def test_a_successor_has_no_standing_orders_and_reads_so_first(club):
    arrange(club, *STANDING)
    assert len(club.state.standing["yellow"]) == 3
    blue = club.state.standing["blue"]
    club.run_tick()
    replace(club)
    assert "yellow" not in club.state.standing
    assert club.state.standing["blue"] == blue
    club.run_tick()
    (email,) = club.to("red", "report")  # Dora
    assert NONE_STAND in " ".join(email.split())
    assert not any(line in email for line in STANDING)
    report = club.report("yellow")
    assert report["standing"] == []
    assert "Replaced" not in json.dumps(club.report("blue"))
    assert sound(club)


def test_whether_there_were_any_is_not_told(club):
    arrange(club, "MOVE NEAR NOR")
    assert "yellow" not in club.state.standing
    club.run_tick()
    replace(club)
    club.run_tick()
    (email,) = club.to("red", "report")
    assert NONE_STAND in " ".join(email.split())


def test_the_others_are_told_of_it_by_the_game_master_alone(club):
    arrange(club, *STANDING)
    club.run_tick()
    before = club.report("blue")
    replace(club)
    assert club.report("blue")["news"] == before["news"]
    club.run_tick()
    club.all_send(MONDAY + HOUR)
    club.tick(MONDAY + HOUR)
    assert "replaced" not in str(club.report("blue")["news"])


def test_they_stay_dropped_when_the_ply_is_taken_back_in_which_they_were(club):
    arrange(club, *STANDING)
    club.run_tick()
    arrange(club, "MOVE NEAR NOR", now=MONDAY + HOUR)
    ply = club.loaded().match.ply
    replace(club, now=MONDAY + HOUR)
    club.undo("m", now=MONDAY + HOUR)
    assert club.loaded().match.ply == ply - 1
    assert "yellow" not in club.state.standing
    assert sound(club)


def test_one_who_played_before_the_ply_that_is_taken_back_keeps_his_own(club):
    replace(club)
    club.run_tick()
    arrange(club, *STANDING)
    club.run_tick()
    arrange(club, "MOVE NEAR NOR", now=MONDAY + HOUR)
    club.undo("m", now=MONDAY + HOUR)
    assert len(club.state.standing["yellow"]) == 3
    assert sound(club)


def test_before_the_cards_are_dealt_a_seat_can_change_hands_too(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.open(older=True)
    club.add("Dora")
    replace(club)
    assert sound(club)
    club.all_send()
    club.run_tick()
    assert club.turn == 1
    assert sound(club)


@pytest.mark.slow
def test_a_match_goes_on_and_its_record_is_played_to_the_same_end(club):
    arrange(club, *STANDING)
    club.run_tick()
    replace(club, "computer")
    replace(club, now=MONDAY + HOUR)
    for hour in range(2, 9):
        now = MONDAY + hour * HOUR
        if club.loaded().match.status == "over":
            break
        club.all_send(now)
        club.run_tick(now)
    assert club.loaded().match.status == "over"
    assert sound(club)
    record = club.export("m")
    assert record.count("replaced yellow\n") == 2
    (played,) = replay_lines(record.splitlines())
    data = json.loads(json.dumps(played.data))
    state = club.state
    assert data["holders"] == {seat: list(holder) for seat, holder in state.holders.items()}
    assert data["spies"] == state.spies
    newest = next(one for one in club.newest_reports("m", now=now) if one.report.seat == "blue")
    assert NONE_STAND in " ".join(show(newest, "html").split())


def test_the_log_tells_it_behind_the_ply_after_which_it_was(club):
    arrange(club, *STANDING)
    club.run_tick()
    ply = club.loaded().match.ply
    replace(club)
    with club.store.reading() as tx:
        *_, (last, body) = events_since(tx, club.loaded().match.id, 0)
    assert (last, decode(body)) == (ply, {"type": "Replaced", "seat": "yellow"})
