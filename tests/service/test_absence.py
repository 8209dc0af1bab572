"""Silence has steps (emails, section 7): excused misses, default orders, forfeit.

A match waits for players who said that they would be away.
"""

from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec import structs

from adjudicator.games import GAMES
from tests.club import MONDAY, Club, OpenClub, Refusal, announce_absence, find_player
from tests.database import update_match, update_player
from tests.games.changed import with_part

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MOVED = ["m: the deadline has passed; it was extended as agreed"]


@pytest.fixture
def club(store):
    return Club(store)


def missed(club, seat):
    return club.loaded().holders[seat].missed


def without_reminders(told):
    return [line for line in told if "reminders" not in line]


def test_an_excused_miss_moves_the_deadline_on_by_one_period_and_is_told_to_all(club):
    club.begin("deadline=every 3 days", "absence=forfeit", "excused=1")
    club.tick(MONDAY + 2.5 * DAY)
    assert club.tick(MONDAY + 3 * DAY) == MOVED
    assert club.loaded().match.deadline_at == MONDAY + 6 * DAY
    assert (missed(club, "white"), missed(club, "black")) == (1, 0)
    assert club.letters("notice") == ["m/1/white/notice/1", "m/1/black/notice/1"]
    assert club.report("black")["notices"][0]["text"] == (
        "The deadline has passed without orders from White. This is excused, and the deadline is "
        "now Sun 29 Nov 2026, 12:00 UTC."
    )


def test_when_nothing_is_left_to_excuse_the_matchs_policy_follows(club):
    club.begin("deadline=every 3 days", "absence=forfeit", "excused=1", "grace=6 hours")
    assert without_reminders(club.tick(MONDAY + 3 * DAY)) == []
    assert without_reminders(club.tick(MONDAY + 3 * DAY + 6 * HOUR)) == MOVED
    # Grace is given after the deadline, not added to the next one.
    assert club.loaded().match.deadline_at == MONDAY + 6 * DAY
    assert without_reminders(club.tick(MONDAY + 6 * DAY)) == []
    assert club.tick(MONDAY + 6 * DAY + 6 * HOUR) == ["m: adjudicated; the match is over"]


def test_under_gm_an_excused_miss_comes_before_the_alert(club):
    club.begin("deadline=every 3 days", "excused=1")
    assert without_reminders(club.tick(MONDAY + 4 * DAY)) == MOVED
    late = MONDAY + 6 * DAY
    assert without_reminders(club.tick(late)) == [
        "m: the deadline has passed; the match waits for you"
    ]
    assert club.tick(late + 9 * DAY) == ["m: the match still waits for you"]


def test_a_seat_is_reminded_again_of_a_deadline_that_was_moved_on(club):
    club.begin("deadline=every 5 days", "excused=1")
    club.tick(MONDAY + 4 * DAY)
    club.tick(MONDAY + 5 * DAY)
    club.tick(MONDAY + 9 * DAY)
    assert club.letters("reminder") == ["m/2/white/reminder", "m/2/white/reminder/2"]


def test_after_a_long_pause_the_new_deadline_lies_ahead(club):
    club.begin("deadline=every 3 days", "excused=1")
    club.tick(MONDAY + 30 * DAY)
    assert club.loaded().match.deadline_at == MONDAY + 33 * DAY


def test_nobody_is_charged_for_a_turn_on_which_he_had_nothing_to_order(club):
    club.begin("deadline=every 3 days", "excused=3")
    for days in (3, 6):
        club.tick(MONDAY + days * DAY)
    assert (missed(club, "white"), missed(club, "black")) == (2, 0)


def test_who_has_sent_is_not_charged_for_the_others_silence(club):
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "excused=2")
    club.send("black", "SETUP RANDOM")
    club.tick(MONDAY + 3 * DAY)
    assert (missed(club, "white"), missed(club, "black")) == (1, 0)


def test_a_seat_without_an_excuse_left_loses_against_one_that_has_one(club, store):
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "excused=1", "absence=forfeit")
    club.send("black", "SETUP RANDOM")
    club.tick(MONDAY + 3 * DAY)
    club.send("black", "CLEAR", now=MONDAY + 4 * DAY)
    club.tick(MONDAY + 6 * DAY)
    assert club.report("black")["result"]["winner"] == "black"
    assert missed(club, "black") == 0


def test_the_last_report_says_who_was_silent(club):
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "absence=forfeit")
    club.tick(MONDAY + 3 * DAY)
    last = club.report("white")
    assert last["result"]["reason"] == "cancelled"
    assert [one["text"] for one in last["notices"]] == ["White, Black sent no orders in time."]


def test_without_a_period_there_is_nothing_to_move_on_by(club):
    """An older adjud gave such a deadline to a match that has none of its own."""
    club.begin("excused=5")
    with club.store.transaction() as tx:
        match = club.loaded().match
        update_match(tx, match.id, deadline_at=MONDAY + DAY, wake_at=MONDAY + DAY)
    told = without_reminders(club.tick(MONDAY + 2 * DAY))
    assert told == ["m: the deadline has passed; the match waits for you"]


@pytest.mark.parametrize("given", ["excused=-1", "excused=many", "excused=100"])
def test_how_often_is_excused_is_a_small_number(club, given):
    club.add("Anna", "Bob")
    with pytest.raises(Refusal, match="excused must be a whole number from 0 to 99"):
        club.new(given)


# A game that has orders for silent seats.


@pytest.fixture
def providing(club, monkeypatch):
    """Return an Espionage whose rules would order something for a silent seat."""
    game = GAMES["espionage"]
    monkeypatch.setitem(
        GAMES,
        "espionage",
        with_part(
            game,
            "rules",
            default=lambda state, seat, stream: game.computers["computer:random"](
                game.sight.observe(state, seat), stream
            ),
        ),
    )
    return club


def test_espionage_has_no_default_orders():
    assert GAMES["espionage"].rules.default is None


def test_the_games_default_orders_come_before_a_forfeit(providing):
    providing.begin("deadline=every 3 days", "absence=forfeit")
    told = without_reminders(providing.tick(MONDAY + 3 * DAY))
    assert told == [
        "m: the deadline has passed; default orders were given",
        "m: adjudicated; turn 1 is waiting for black",
    ]
    assert providing.loaded().match.status == "playing"
    assert (
        "The default orders in the rules are used"
        in (providing.report("white")["notices"][0]["text"])
    )


def test_default_orders_come_after_the_excuse_and_never_where_the_game_master_decides(providing):
    providing.begin("deadline=every 3 days", "absence=forfeit", "excused=1")
    assert without_reminders(providing.tick(MONDAY + 3 * DAY)) == MOVED
    assert "default orders" in without_reminders(providing.tick(MONDAY + 6 * DAY))[0]
    providing.new("deadline=every 3 days", name="other", now=MONDAY + 6 * DAY)
    told = without_reminders(providing.tick(MONDAY + 9 * DAY))
    assert "other: the deadline has passed; the match waits for you" in told


def test_where_a_game_has_no_default_for_a_state_the_next_rung_follows(club, monkeypatch):
    game = with_part(GAMES["espionage"], "rules", default=lambda state, seat, stream: None)
    monkeypatch.setitem(GAMES, "espionage", game)
    club.begin("deadline=every 3 days", "absence=forfeit")
    assert club.tick(MONDAY + 3 * DAY)[-1] == "m: adjudicated; the match is over"


# Planned absence. MONDAY is 23 November 2026.


def away(club, name, first, last, now=MONDAY, budget=30):
    days = date.fromisoformat(first), date.fromisoformat(last)
    context = structs.replace(club.context, absence_days=budget)
    with OpenClub(club.store, now, context).session() as s:
        player_id = find_player(s.tx, name).id
        told = announce_absence(s, player_id, *days)
    return str(told)


def test_a_deadline_that_is_set_stays_and_a_later_one_waits_for_who_is_away(club):
    club.begin("deadline=every 3 days")
    told = away(club, "Bob", "2026-11-25", "2026-11-28")
    assert told == (
        "Noted: you are away from 2026-11-25 to 2026-11-28. Deadlines already set stay; later "
        "ones do not fall on these days. Days of absence left: 26 (2026)."
    )
    assert club.loaded().match.deadline_at == MONDAY + 3 * DAY
    club.order("white")
    club.tick()
    assert club.loaded().awaited == ("black",)
    assert club.loaded().match.deadline_at == datetime(2026, 11, 29, 12, tzinfo=UTC)


def test_nobody_waits_for_the_absence_of_who_has_nothing_to_order(club):
    club.begin("deadline=every 3 days")
    away(club, "Anna", "2026-11-25", "2026-11-28")
    club.order("white")
    club.tick()
    assert club.loaded().match.deadline_at == MONDAY + 3 * DAY


def test_a_new_match_waits_for_all_who_are_away(club):
    club.add("Anna", "Bob")
    away(club, "Anna", "2026-11-26", "2026-11-26")
    away(club, "Bob", "2026-11-27", "2026-11-27")
    club.new("deadline=every 3 days", "skip=Sat,Sun")
    assert club.loaded().match.deadline_at == datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_days_of_absence_are_those_where_the_player_lives(club):
    club.add("Anna", "Bob")
    with club.store.transaction() as tx:
        update_player(tx, find_player(tx, "Anna").id, zone="Pacific/Auckland")
    away(club, "Anna", "2026-11-27", "2026-11-27")
    club.new("deadline=every 3 days")  # 12:00 UTC is 01:00 of the next day in Auckland
    assert club.loaded().match.deadline_at == MONDAY + 4 * DAY


def test_a_resumed_match_waits_for_who_is_away_too(club):
    club.begin("deadline=every 3 days")
    club.hold("m", reason="x")
    away(club, "Anna", "2026-11-27", "2026-11-30")
    later = MONDAY + DAY
    club.resume("m", reason="x", extend=0 * DAY, now=later)
    assert club.loaded().match.deadline_at == datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("2026-12-02", "2026-12-01", "this absence ends on 2026-12-01, before it begins"),
        (
            "2026-11-22",
            "2026-12-01",
            "can start today, 2026-11-23, or later, but not on 2026-11-22",
        ),
        ("2027-11-01", "2027-12-01", "for the coming year only"),
        ("2026-11-24", "2026-12-30", "37 days of absence in 2026 are too many: 30 of 30 are left"),
    ],
)
def test_an_absence_that_cannot_be_is_refused_with_a_sentence(club, first, last, said):
    club.add("Anna")
    with pytest.raises(Refusal, match=said):
        away(club, "Anna", first, last)


def test_each_year_has_its_days_and_a_day_is_counted_once(club):
    club.add("Anna")
    assert "25 (2026), 28 (2027)" in away(club, "Anna", "2026-12-27", "2027-01-02")
    assert "20 (2026)" in away(club, "Anna", "2026-12-22", "2026-12-31")
    with pytest.raises(Refusal, match="already marked as an absence"):
        away(club, "Anna", "2026-12-22", "2027-01-01")
    with pytest.raises(Refusal, match="21 days of absence in 2026 are too many: 20 of 30"):
        away(club, "Anna", "2026-12-01", "2026-12-21")


def test_who_is_removed_leaves_no_absence_behind(club):
    club.add("Anna")
    away(club, "Anna", "2026-12-22", "2026-12-31")
    assert club.remove("Anna") == "Anna"


def test_a_game_master_may_give_time_to_any_moment(club):
    club.begin("deadline=every 3 days", "skip=Sat,Sun")
    club.extend("m", 2 * DAY)
    assert club.loaded().match.deadline_at == MONDAY + 5 * DAY
