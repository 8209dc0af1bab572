"""Spion in the whole program: phrases, turns and rounds, second emails, seats that leave,
silence."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from adjudicator.games.spion.orders.values import ANY, Answer, Keep, Refuse
from adjudicator.games.spion.rules.variants import standard
from tests.club import MONDAY
from tests.service.spionclub import SpionClub, duel, holding, with_dice

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
WRONG = "CHALLENGE yellow 1 ATOM"


@pytest.fixture
def club(store, tmp_path):
    return SpionClub(store, tmp_path / "spool")


def messages(receipt):
    return [str(problem.message) for problem in receipt.problems]


def lying(club):
    return club.state.embassies


def events(club, seat, kind):
    return [entry for entry in club.report(seat)["news"] if entry["event"] == kind]


# Phrases.


def test_in_an_older_match_phrases_come_as_a_sheet_or_as_a_bare_line_by_mail(club):
    club.open(players=3, older=True)
    club.run_tick()
    club.send("blue", "PHRASE a word of mine")
    club.send("green", "PHRASE tjena")
    answer, *_ = club.answered("yellow", "PHRASE god dag", "", "-- ", "Carl")
    assert "accepted, version 1" in answer
    assert dict(club.state.phrases) == {
        "blue": "a word of mine",
        "green": "tjena",
        "yellow": "god dag",
    }
    told = [entry["text"] for entry in events(club, "green", "phrased")]
    assert told == ["a word of mine", "tjena", "god dag"]


def test_no_phrase_is_told_before_all_are_in(club):
    club.open(older=True)
    club.send("blue", "PHRASE canary")
    club.run_tick()
    assert "canary" not in str(club.report("yellow"))
    assert all("canary" not in text for text in club.to("yellow"))
    assert club.turn == 0


@pytest.mark.parametrize("absence", ["gm", "forfeit"])
def test_a_phrase_that_misses_the_deadline_is_empty_whatever_was_agreed(club, absence):
    club.open("deadline=every 2 days", f"absence={absence}", "excused=3", older=True)
    club.send("blue", "PHRASE one")
    club.run_tick(MONDAY + 2 * DAY)
    assert dict(club.state.phrases) == {"blue": "one", "yellow": ""}
    assert club.turn == 1


# Turns and rounds.


def test_two_players_order_one_after_the_other_and_see_each_others_dice(club):
    club.begin()
    state = club.state
    (mover,) = club.loaded().awaited
    other = next(seat for seat in state.seats if seat != mover)
    assert [roll["seat"] for roll in club.report(other)["dice"]] == [mover]
    told = f"it's not your turn: turn 1 is waiting for {mover.capitalize()}"
    assert messages(club.send(other, "PASS")) == [told]
    club.order(mover)
    club.tick()
    assert club.loaded().awaited == (other,)
    assert club.turn == 2


def test_four_players_order_at_once_and_see_only_their_own_dice(club):
    club.begin(players=4)
    assert len(club.loaded().awaited) == 4
    for seat in club.state.seats:
        assert [roll["seat"] for roll in club.report(seat)["dice"]] == [seat]
    club.all_send(but=["green"])
    assert club.tick() == []
    club.order("green")
    club.tick()
    assert club.turn == 2
    opened = events(club, "red", "turn-opened")
    assert {entry["seat"] for entry in opened} == set(club.state.seats)


# The second email (5.3).


def test_a_wrong_guess_asks_the_defender_with_half_the_deadline(club):
    duel(club, "deadline=every 2 days")
    club.send("blue", WRONG)
    club.run_tick(MONDAY + HOUR)
    loaded = club.loaded()
    assert loaded.awaited == ("yellow",)
    assert loaded.match.deadline_at == MONDAY + HOUR + DAY
    assert "ANSWER blue: TAKE" in club.to("yellow", "report")[-1]
    assert club.loaded().state.rolls.keys() == {"blue"}  # the next dice wait for the answer
    club.send("yellow", "ANSWER blue: TAKE 1", "KEEP ATOM: PLACE 4")
    club.run_tick(MONDAY + HOUR)
    assert club.state.holders["yellow"] == ("KEMI", "RYMD", None, "ATOM")
    assert club.loaded().awaited == ("yellow",)  # now it is Yellow's turn
    assert club.loaded().match.deadline_at == MONDAY + HOUR + 2 * DAY


def test_a_standing_answer_marked_final_waives_the_second_email(club):
    duel(club)
    state = club.state
    club.lay(replace(state, standing={"yellow": (Answer(ANY, (1,), final=True),)}))
    club.send("blue", WRONG)
    club.tick()
    assert club.state.pending is None
    assert club.state.holders["yellow"] == ("KEMI", "RYMD", "ATOM", None)


@pytest.mark.parametrize("absence", ["gm", "forfeit"])
def test_silence_is_answered_by_the_standing_answer_and_then_by_the_default(club, absence):
    duel(club, "deadline=every 2 days", f"absence={absence}")
    vacant = next(code for code in standard("original").embassies if code not in lying(club))
    standing = (Answer(ANY, (1,)), Keep(ANY, Refuse((vacant,))))
    club.lay(replace(club.state, standing={"yellow": standing}))
    club.send("blue", WRONG)
    club.tick(MONDAY)
    assert club.state.pending
    club.tick(MONDAY + DAY)
    assert lying(club)[vacant] == "ATOM"
    assert club.state.holders["yellow"] == ("KEMI", "RYMD", None, None)
    assert club.state.holders["blue"] == (None, None, None, None)


def test_silence_without_standing_answer_draws_by_the_chain_x(club):
    duel(club, "deadline=every 2 days")
    club.send("blue", WRONG)
    club.tick(MONDAY)
    club.tick(MONDAY + DAY)
    assert events(club, "blue", "drew")
    assert club.state.holders["blue"] == (None, None, None, None)


def test_an_undone_answer_has_its_half_deadline_again(club):
    duel(club, "deadline=every 2 days")
    club.send("blue", WRONG)
    club.tick(MONDAY)
    club.send("yellow", "ANSWER blue: TAKE 1")
    club.tick(MONDAY)
    club.undo("m")
    assert club.loaded().match.deadline_at == MONDAY + DAY


# Seats that leave.


def resign(club, seat, now=MONDAY):
    club.send(seat, "RESIGN", now=now)
    return club.tick(now)


def test_a_seat_that_resigned_goes_on_by_the_defaults_and_sends_nothing(club):
    club.begin(players=4)
    resign(club, "red")
    assert set(club.loaded().awaited) == {"blue", "green", "yellow"}
    assert messages(club.send("red", "PASS")) == ["Red has left this match"]
    club.all_send()
    club.tick()
    assert club.turn == 2
    opened = [entry["seat"] for entry in events(club, "blue", "turn-opened")]
    assert "red" in opened


def test_the_last_seat_left_wins(club):
    club.begin(players=3)
    resign(club, "blue")
    assert club.loaded().match.status == "playing"
    resign(club, "yellow")
    result = club.report("green")["result"]
    assert (result["winner"], result["reason"]) == ("green", "resignation")


def test_orders_that_are_in_stay_in_force_when_another_seat_leaves(club):
    club.begin("deadline=every 2 days", players=4)
    sent = club.order("blue").orders
    club.send("green", "NOTREADY")
    resign(club, "red", MONDAY + HOUR)
    loaded = club.loaded()
    assert list(loaded.sheets["blue"].lines) == list(sent)
    assert club.report("blue")["orders"]["lines"] == list(sent)
    assert loaded.match.deadline_at == MONDAY + 2 * DAY  # nobody gets more time by it
    club.order("green")
    club.order("yellow")
    assert club.tick(MONDAY + HOUR) == []  # Green still thinks
    club.send("green", "READY")
    club.tick(MONDAY + HOUR)
    assert club.turn == 2
    with club.store.reading() as tx:
        used = tx.exec_driver_sql("SELECT count(*) FROM submission WHERE status = 'used'").scalar()
    assert used == 4 + 3  # the phrases, and this round


@pytest.mark.slow
def test_nobody_is_reminded_twice_because_another_seat_leaves(club):
    club.begin("deadline=every 5 days", players=4)
    club.run_tick(MONDAY + 4 * DAY)
    resign(club, "red", MONDAY + 4 * DAY + HOUR)
    club.run_tick(MONDAY + 4 * DAY + 2 * HOUR)
    assert club.loaded().match.deadline_at == MONDAY + 5 * DAY
    for seat in ("blue", "green", "yellow"):
        assert len(club.to(seat, "reminder")) == 1
    club.all_send(MONDAY + 4 * DAY + 3 * HOUR)
    club.run_tick(MONDAY + 4 * DAY + 3 * HOUR)
    club.run_tick(MONDAY + 8 * DAY + 3 * HOUR)  # of the next turn they are reminded as of each
    assert len(club.to("blue", "reminder")) == 2


def test_orders_stay_in_force_when_a_resignation_is_undone(club):
    club.begin(players=4)
    club.order("blue")
    resign(club, "red")
    later = club.send("blue", "PASS")
    club.order("green")
    club.undo("m")
    loaded = club.loaded()
    assert list(loaded.sheets["blue"].lines) == list(later.orders)
    assert {"blue", "green"} == set(loaded.sheets)
    assert [d.kind for d in loaded.declarations] == ["RESIGN"]
    club.tick()
    assert "red" in club.state.left
    assert {"blue", "green"} == set(club.loaded().sheets)


def test_a_seat_that_leaves_in_its_own_turn_does_not_stop_the_match(club):
    club.begin("mode=turns", players=3)
    (mover,) = club.loaded().awaited
    resign(club, mover)
    assert club.turn == 2
    assert mover not in club.loaded().awaited


def test_a_seat_that_leaves_while_its_answer_is_awaited_does_not_stop_the_match(club):
    club.begin("mode=turns", players=3)
    state = replace(
        club.state,
        to_move="blue",
        rolls={"blue": next(iter(club.state.rolls.values()))},
        spies={**club.state.spies, "blue": "b4", "green": "e2"},
    )
    club.lay(holding(with_dice(state, blue=(2, 2)), blue="ATOM - - -", green="KEMI - - -"))
    club.send("blue", "CHALLENGE green 1 ATOM")
    club.tick()
    assert club.loaded().awaited == ("green",)
    resign(club, "green")
    assert club.state.pending is None
    assert club.loaded().awaited == ("yellow",)


@pytest.mark.slow
def test_a_draw_needs_all_seats_that_are_left(club):
    club.begin(players=4)
    for seat in ("blue", "green"):
        club.send(seat, "DRAW")
    club.tick()
    resign(club, "red")
    assert club.loaded().match.status == "playing"
    club.send("yellow", "DRAW")
    club.tick()
    assert club.report("red")["result"]["reason"] == "agreement"


def test_the_others_offers_are_an_agreement_when_who_declined_leaves(club):
    club.begin(players=3)
    for seat in ("blue", "green"):
        club.send(seat, "DRAW")
    club.tick()
    resign(club, "yellow")
    assert club.report("blue")["result"]["reason"] == "agreement"


# Silence (5.4).


def misses(club, seat, number):
    """Let the others order at once and `seat` miss the deadlines."""
    for _ in range(number):
        at = club.loaded().since
        club.all_send(at, but=[seat])
        club.run_tick(at)
        club.run_tick(at + 2 * DAY)


def test_a_phrase_that_was_not_sent_is_no_missed_deadline(club):
    """A phrase may be empty (6.2)."""
    club.open("deadline=every 2 days", players=3, older=True)
    club.send("blue", "PHRASE one")
    club.run_tick(MONDAY + 2 * DAY)
    assert club.turn == 1
    assert {holder.silent for holder in club.loaded().holders.values()} == {0}


@pytest.mark.slow
def test_after_three_silent_deadlines_a_seat_is_not_waited_for(club):
    club.begin("deadline=every 2 days", "absence=forfeit", players=3)
    misses(club, "yellow", 3)
    told = (" ".join(text.replace("|", " ").split()) for text in club.to("yellow", "report"))
    assert any("missed two deadlines in a row" in text for text in told)
    at = club.loaded().since
    club.all_send(at, but=["yellow"])
    before = club.turn
    club.run_tick(at)
    assert club.turn == before + 1


@pytest.mark.slow
def test_who_was_silent_is_waited_for_again_when_he_sends(club):
    club.begin("deadline=every 2 days", "absence=forfeit", players=3)
    misses(club, "yellow", 3)
    at = club.loaded().since
    assert club.order("yellow", at).accepted
    club.tick(at)
    before = club.turn
    club.all_send(at)
    club.tick(at)
    club.all_send(at, but=["yellow"])
    club.tick(at)
    assert club.turn == before + 1


@pytest.mark.slow
@pytest.mark.parametrize("word", ["STATUS", "MOVE NOR", "HELP"])
def test_any_email_of_his_wakes_who_is_never_awaited_while_he_sleeps(club, word):
    """In mode `turns` his turns pass at once, so that no sheet of his could be in time."""
    club.begin("deadline=every 2 days", "absence=forfeit", "mode=turns", players=3)
    for _ in range(20):
        if club.loaded().holders["yellow"].silent == 3:
            break
        at = club.loaded().since
        club.all_send(at, but=["yellow"])
        club.run_tick(at)
        if club.loaded().awaited == ("yellow",):
            club.run_tick(at + 2 * DAY)
    assert club.loaded().holders["yellow"].silent == 3
    at = club.loaded().since
    assert "yellow" not in club.loaded().awaited
    assert club.answered("yellow", word, now=at)
    assert club.loaded().holders["yellow"].silent == 0


@pytest.mark.slow
def test_a_sheet_that_is_refused_wakes_its_seat_too(club):
    club.begin("deadline=every 2 days", "absence=forfeit", players=3)
    misses(club, "yellow", 2)
    assert not club.send("yellow", "MOVE ATLANTIS", now=club.loaded().since).accepted
    assert club.loaded().holders["yellow"].silent == 0


# What the game master does.


def test_a_ply_is_taken_back_and_comes_out_the_same(club):
    club.begin(players=3)
    club.all_send()
    club.tick()
    before = club.state
    club.undo("m")
    assert club.turn == 1
    club.tick()
    assert club.state == before
    assert club.verify("m") == []


def test_a_match_is_held_and_goes_on(club):
    club.begin("deadline=every 2 days", players=3)
    club.hold("m", reason="Easter")
    club.all_send()
    assert club.tick(MONDAY + 3 * DAY) == ["m: the match still waits for you"]
    club.resume("m", extend=0 * DAY, now=MONDAY + 3 * DAY)
    club.tick(MONDAY + 3 * DAY)
    assert club.turn == 2
