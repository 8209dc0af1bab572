"""How reliable players are (club, 6.1): what is counted, in which ply, and what is shown of it."""

from datetime import date, datetime, timedelta

import pytest
from msgspec import structs

from adjudicator.service.base.reliability import reliability
from adjudicator.store import results
from adjudicator.store.results import Counted
from tests.club import (
    MONDAY,
    Club,
    MatchTemplate,
    NewLadder,
    NewMatch,
    Refusal,
    Store,
    announce_absence,
)
from tests.database import player_named, update_match
from tests.service.mailclub import MailClub
from tests.service.test_site import files

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TODAY = MONDAY.date()
OPTIONS = ("deadline=every 1 day", "reminders=off")


@pytest.fixture
def club(store: Store) -> Club:
    return Club(store)


def figures(club: Club, name: str, now: datetime = MONDAY) -> tuple[int, int, int, int]:
    """Return turns on time, turns, matches left and tenures that ended."""
    with club.store.reading() as tx:
        player = player_named(tx, name)
        found = reliability(tx, now, [player.id]).get(player.id)
        every = reliability(tx, now).get(player.id)
    assert found == every
    return (0, 0, 0, 0) if found is None else structs.astuple(found)


def to(emails, name):
    return [one for one in emails if f"{name}@" in one["To"]]


def told(club: Club, name: str, now: datetime = MONDAY) -> str:
    with club.store.reading() as tx:
        return str(reliability(tx, now)[player_named(tx, name).id].told)


def add(club: Club, name: str, kind: str, n: int, *, day: date = TODAY) -> None:
    """Let so many turns have been counted, each on a day of its own."""
    with club.store.transaction() as tx:
        number = player_named(tx, name).id
        match = club.loaded().match.id
        made = [
            Counted(
                match_id=match,
                seat=name,
                ply=-1000 - k,
                kind=kind,
                player_id=number,
                day=str(day - k * DAY),
            )
            for k in range(n)
        ]
        results.count_conduct(tx, made)


def test_orders_by_the_deadline_are_on_time_and_later_ones_are_missed(club):
    club.begin(*OPTIONS, "grace=5 hours", "absence=forfeit")
    assert figures(club, "Anna") == figures(club, "Bob") == (1, 1, 0, 0)
    club.tick(MONDAY + DAY)
    club.order("white", now=MONDAY + DAY)
    club.tick(MONDAY + DAY)
    assert figures(club, "Anna") == (2, 2, 0, 0)
    late = MONDAY + 2 * DAY + HOUR
    club.tick(late)
    club.order("black", now=late)
    assert figures(club, "Bob") == (1, 1, 0, 0)  # nothing before the ply
    club.tick(late)
    assert figures(club, "Bob") == (1, 2, 0, 0)
    assert figures(club, "Anna") == (2, 2, 0, 0)
    club.undo("m", reason="x", now=late)
    assert figures(club, "Bob") == (1, 1, 0, 0)


def test_a_drawn_bank_is_no_fault_and_a_given_day_is(club):
    club.begin(*OPTIONS, "bank=3 days", "leave=auto", "absence=forfeit")
    late = MONDAY + 3 * DAY
    club.tick(late)
    club.order("white", now=late)
    club.tick(late)
    assert figures(club, "Anna") == (2, 2, 0, 0)
    late += DAY + 3 * DAY + HOUR  # an hour after Black's own time
    club.tick(late)
    club.order("black", now=late)
    club.tick(late)
    assert figures(club, "Bob") == (1, 2, 0, 0)


def test_a_turn_on_hold_and_one_without_a_deadline_count_nothing(club):
    club.begin(*OPTIONS)
    club.hold("m", reason="x")
    resumed = {"reason": "x", "extend": DAY, "now": MONDAY + DAY}
    club.resume("m", **resumed)
    club.order("white", now=MONDAY + DAY)
    club.tick(MONDAY + DAY)
    assert figures(club, "Anna") == (1, 1, 0, 0)
    assert figures(club, "Bob") == (1, 1, 0, 0)
    club.new(name="n")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="n")
    club.tick()
    assert figures(club, "Anna") == (1, 1, 0, 0)


def test_who_is_forfeited_by_silence_has_missed_and_left_and_who_resigns_has_not(club):
    club.begin(*OPTIONS, "absence=forfeit")
    club.tick(MONDAY + DAY)
    assert figures(club, "Anna") == (1, 2, 1, 1)
    assert figures(club, "Bob") == (1, 1, 0, 1)
    club.new(*OPTIONS, name="n")
    club.send("white", "RESIGN", match="n")
    club.tick()
    assert figures(club, "Anna") == (1, 2, 1, 2)
    with club.store.reading() as tx:  # of an ended match only the days are kept
        assert tx.exec_driver_sql("SELECT count(*) FROM conduct").scalar() == 0
        assert tx.exec_driver_sql("SELECT count(*) FROM conduct_day").scalar() > 0


def test_nothing_is_shown_of_a_match_with_hidden_names_before_it_has_ended(club):
    club.begin(*OPTIONS, "absence=forfeit")
    with club.store.transaction() as tx:
        match = club.loaded().match
        update_match(tx, match.id, options='{"names":"hidden","deadline":"every 1 day"}')
    club.order("white")
    club.tick()
    assert figures(club, "Anna") == (1, 1, 0, 0)
    cancelled = {"reason": "x", "now": MONDAY}
    club.cancel("m", **cancelled)
    assert figures(club, "Anna") == (2, 2, 0, 1)


def test_a_turn_of_which_the_report_came_back_counts_nothing(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new(*OPTIONS)
    club.run_tick()
    with store.transaction() as tx:
        tx.exec_driver_sql("UPDATE outbox SET bounces = 1 WHERE kind = 'report' AND seat = 'white'")
    club.run_tick(MONDAY + DAY)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", now=MONDAY + DAY + HOUR)
    club.run_tick(MONDAY + DAY + HOUR)
    assert figures(club, "Anna", MONDAY + DAY) == (0, 0, 0, 0)
    assert figures(club, "Bob", MONDAY + DAY) == (0, 1, 0, 0)


def test_misses_of_one_day_are_one_turn(club):
    club.add("Anna", "Bob")
    for name in ("m", "n"):
        club.new(*OPTIONS, "absence=forfeit", name=name)
        club.send("black", "SETUP RANDOM", match=name)
    club.tick(MONDAY + DAY)
    assert figures(club, "Anna") == (0, 1, 2, 2)
    assert figures(club, "Bob") == (0, 0, 0, 0)  # of ended matches alone nothing is shown


def test_an_excused_turn_is_missed(club):
    club.begin(*OPTIONS, "excused=1")
    club.tick(MONDAY + DAY)
    club.order("white", now=MONDAY + DAY)
    club.tick(MONDAY + DAY)
    assert figures(club, "Anna") == (1, 2, 0, 0)


@pytest.mark.parametrize(("first", "turns"), [(1, 1), (2, 2)])
def test_a_deadline_on_an_announced_absence_counts_nothing(club, first, turns):
    club.begin(*OPTIONS)
    with club.opened_at(MONDAY).session() as s:
        anna, day = player_named(s.tx, "Anna").id, MONDAY.date() + first * DAY
        announce_absence(s, anna, day, day, own=True)
    late = MONDAY + DAY + HOUR
    club.tick(late)
    club.order("white", now=late)
    club.tick(late)
    assert figures(club, "Anna") == (1, turns, 0, 0)


def test_a_seat_that_is_given_away_has_left_only_if_the_game_master_says_so(club):
    club.begin(*OPTIONS)
    club.add("Cleo", "Dag")
    given = {"reason": "x", "now": MONDAY}
    club.replace("m", "white", "Cleo", **given)
    assert figures(club, "Anna") == (1, 1, 0, 1)
    club.replace("m", "white", "Dag", left=True, **given)
    assert figures(club, "Cleo") == (0, 0, 1, 1)
    club.forfeit("m", "white", **given)
    assert figures(club, "Dag") == (0, 0, 1, 1)
    assert figures(club, "Bob") == (1, 1, 0, 1)


def test_fewer_than_twenty_turns_are_new_and_a_year_later_all_are(club):
    club.begin(*OPTIONS)
    add(club, "Anna", "on_time", 18)
    assert told(club, "Anna") == "new, 19 turns"
    add(club, "Anna", "missed", 1)
    assert told(club, "Anna") == "95 % of 20 turns on time"
    add(club, "Anna", "ended", 9)
    add(club, "Anna", "left", 1)
    assert told(club, "Anna") == "95 % of 20 turns on time; left 1 of 9 matches"
    assert told(club, "Anna", MONDAY + 366 * DAY) == "new, 0 turns"
    add(club, "Bob", "on_time", 1, day=TODAY - 365 * DAY)
    assert told(club, "Bob") == "new, 1 turn"


def test_a_match_may_ask_for_players_who_are_reliable(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", "Cleo")
    club.new(name="m")
    with pytest.raises(Refusal, match="reliable must be a whole number from 0 to 100"):
        club.new("reliable=101", name="x")
    club.new("reliable=90", name="n", black="open")
    add(club, "Cleo", "on_time", 14)
    add(club, "Cleo", "missed", 6)
    club.write("black", "JOIN n black", sender="cleo@example.org", to="adjud@play.example.org")
    (code,) = to(club.run_tick(), "cleo")
    word = next(line for line in code.get_content().splitlines() if line.startswith("CONFIRM"))
    club.write("black", word, sender="cleo@example.org", to="adjud@play.example.org")
    (answer,) = to(club.run_tick(), "cleo")
    text = " ".join(answer.get_content().split())
    assert "this match asks for 90 % of turns on time; yours: 70 % of 20" in text
    assert (
        "n: Espionage small, no deadline White: Anna Black: open seat, write JOIN n black" in text
    )
    assert "for players with 90 % of turns on time" in text
    assert club.loaded("m").match.status == "playing"


def test_who_invites_or_challenges_is_asked_for_the_same(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new(name="m")
    club.run_tick()
    wanted = NewLadder(name="spring", game="espionage", variant="small", options=("reliable=90",))
    club.create_ladder(wanted)
    for name in ("Anna", "Bob"):
        club.enter_ladder("spring", name)
    club.run_tick()  # each reads which entry it is
    club.context = structs.replace(
        club.context,
        templates={"strict": MatchTemplate(game="espionage", options=("reliable=90",))},
    )
    add(club, "Bob", "on_time", 14)
    add(club, "Bob", "missed", 6)
    for line in ("INVITE Anna TO spring", "INVITE Anna TO strict"):
        club.say("Bob", line)
        (answer,) = club.run_tick()
        assert "asks for 90 % of turns on time; yours: 70 % of 20" in " ".join(
            answer.get_content().split()
        )
    club.say("Bob", "WITHDRAW spring", "JOIN spring")
    (answer,) = club.run_tick()  # what was refused is in no log, and Anna hears nothing
    assert "asks for 90 %" in " ".join(answer.get_content().split())
    club.say("Anna", "INVITE Bob TO espionage")
    assert len(club.run_tick()) == 2


def test_an_offer_of_a_seat_tells_how_reliable_the_others_are(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", "Cleo")
    club.new(name="m")
    add(club, "Anna", "on_time", 20)
    add(club, "Cleo", "on_time", 3)
    wanted = NewMatch(
        game="espionage",
        variant="small",
        name="n",
        seats=["white=Anna"],
        options=[],
        seed=None,
        fresh_seed=bytes(32),
    )
    invited = {"muster": False, "now": MONDAY}
    club.ask_for_seats(wanted, ["black=Cleo"], **invited)
    (offer,) = to(club.run_tick(), "cleo")
    told = " ".join(offer.get_content().split())
    assert "White: Anna (100 % of 20 turns on time) Black: Cleo " in told
    assert "Cleo (" not in told


def test_games_tells_how_reliable_the_others_are(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new(name="m")
    club.new(name="n", black="open")
    add(club, "Anna", "on_time", 20)
    club.write("black", "GAMES", sender="eva@example.org", to="adjud@play.example.org")
    (answer,) = to(club.run_tick(), "eva")
    assert "White: Anna (100 % of 20 turns on time)" in answer.get_content()


def test_the_standings_on_the_site_tell_it(club):
    club.begin(*OPTIONS)
    add(club, "Anna", "on_time", 19)
    for seat in ("white", "black"):
        club.order(seat)
        club.tick()
    club.send("black", "RESIGN")
    club.tick()
    first = files(club)["index.html"].decode()
    assert "100 % of 21 turns on time; left 0 of 1 match</span>" in first
    assert "new, 2 turns</span>" in first
