"""Tournaments from their entrants to the last table (club, 7 and checks 1 to 6 of 18)."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec import structs

from adjudicator.core.pairing import history
from tests.club import MONDAY, NewTournament, Refusal, Selection, Store
from tests.database import tables_club
from tests.inside import overview
from tests.service.cups import SEED, Cup
from tests.service.mailclub import MailClub
from tests.service.test_site import files


@pytest.fixture
def mailclub(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def test_a_round_robin_of_four_makes_six_matches_and_no_other_emails(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "round-robin")
    assert len(mailclub.letters()) == 4

    cup.start()

    names = [f"cup-{n}-{board}" for n in (1, 2, 3) for board in (1, 2)]
    assert [name for n in (1, 2, 3) for name in cup.boards(n)] == names
    numbers = {one["player"]: one["number"] for one in cup.shown()["entries"]}
    by_lot = history.by_lot(SEED, "number", ["1", "2", "3", "4"])
    entries = [str(1 + cup.names.index(name)) for name in sorted(numbers, key=numbers.__getitem__)]
    assert entries == by_lot
    berger = [[(1, 4), (2, 3)], [(4, 3), (1, 2)], [(2, 4), (3, 1)]]
    for n, pairs in enumerate(berger, 1):
        met = [tuple(numbers[one] for one in pair) for pair in cup.boards(n).values()]
        assert met == pairs
    assert len(mailclub.letters()) == 4 + 12
    assert cup.tick() == []


def test_a_round_robin_of_five_gives_each_the_first_seat_twice(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 5, "round-robin")
    cup.start()

    boards = [players for n in range(1, 6) for players in cup.boards(n).values()]

    assert len(boards) == 10
    assert set(Counter(first for first, _ in boards).values()) == {2}
    assert len({frozenset(players) for players in boards}) == 10


def test_rounds_of_a_round_robin_can_wait_for_each_other(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "round-robin", at_once=1)
    cup.start()
    assert cup.boards(2) == {}

    cup.win_all(1)

    assert list(cup.boards(2)) == ["cup-2-1", "cup-2-2"]
    assert cup.boards(3) == {}


def test_a_swiss_of_eight_goes_to_its_end_and_nobody_meets_anybody_twice(
    mailclub: MailClub,
) -> None:
    cup = Cup(mailclub, 8, "swiss")
    cup.start()
    for n in (1, 2, 3):
        assert len(cup.boards(n)) == 4
        cup.win_all(n)

    met = [frozenset(pair) for n in (1, 2, 3) for pair in cup.boards(n).values()]
    assert len(set(met)) == 12
    shown = cup.shown()
    assert shown["status"] == "over"
    assert shown["seed"] == SEED.hex()
    assert history.commitment(SEED) == shown["seed_sha256"]
    assert sum(points for _, _, points in cup.table()) == 24 * 12
    assert cup.table()[0] == (1, "Anna", 72)
    assert len([key for key in mailclub.letters() if key.endswith("/table")]) == 8
    assert cup.tick() == []


def test_two_who_withdraw_leave_five_and_one_bye(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 7, "swiss")
    cup.start()
    cup.win_all(1)
    going = list(cup.boards(2).values())
    first, second = (max(pair) for pair in going[:2])

    for player in (first, second):
        cup.withdraw(player)
        cup.tick()
    cup.win_all(2)

    assert len(cup.boards(3)) == 2
    (free,) = cup.without_match(3)
    assert free not in cup.without_match(1) + cup.without_match(2)
    assert not {first, second} & {one for pair in cup.boards(3).values() for one in pair}
    cup.win_all(3)
    assert cup.shown()["status"] == "over"
    byes = len(cup.without_match(1) + cup.without_match(2) + cup.without_match(3))
    played = sum(len(cup.boards(n)) for n in (1, 2, 3))
    assert sum(points for _, _, points in cup.table()) == 24 * (played + byes)
    assert "by withdrawal" in cup.text()


def test_more_rounds_than_nobody_need_meet_twice_in_are_refused(mailclub: MailClub) -> None:
    with pytest.raises(Refusal, match="6 entrants: at most 3 rounds, or --kind round-robin"):
        Cup(mailclub, 6, "swiss", rounds=5)
    with pytest.raises(Refusal, match="there is no tournament cup"):
        mailclub.start_tournament("cup")


def test_pods_of_four_and_three_share_their_points_by_places(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 7, "swiss", game="spion", seats="3-4", rounds=1)
    cup.start()
    four, three = cup.boards(1)
    assert [len(players) for players in cup.boards(1).values()] == [4, 3]

    for seat in mailclub.loaded(three).seats[:2]:
        mailclub.forfeit(three, seat, reason="x")
    cup.decide(four, mailclub.loaded(four).seats[0])
    cup.tick()

    points = {one["match"]: sorted(one["points"]) for one in cup.shown()["pairings"]}
    assert points == {four: [8, 8, 8, 24], three: [0, 12, 24]}
    assert cup.shown()["status"] == "over"


@pytest.mark.parametrize(("leave", "status"), [(1, "playing"), (2, "over")])
def test_a_swiss_goes_on_with_as_many_as_a_match_needs_and_ends_with_fewer(
    mailclub: MailClub, leave: int, status: str
) -> None:
    cup = Cup(mailclub, 4, "swiss", game="spion", seats="3-4", rounds=2)
    cup.start()
    (match,) = cup.boards(1)
    for player in cup.names[:leave]:
        cup.withdraw(player)
    cup.decide(match, mailclub.loaded(match).seats[-1])
    cup.tick()

    assert cup.shown()["status"] == status
    assert [len(players) for players in cup.boards(2).values()] == [3] * (leave == 1)


@pytest.mark.parametrize(
    ("entrants", "wanted", "why"),
    [
        (4, {"kind": "swis"}, "'swis' is not a kind of tournament; did you mean swiss"),
        (4, {"kind": "swiss", "twice": True}, "a Swiss has no option --twice"),
        (4, {"kind": "round-robin", "seats": "2"}, "a round robin has no option --seats"),
        (4, {"kind": "knockout", "rounds": 2}, "a knock-out has no option --rounds"),
        (4, {"kind": "swiss", "rounds": 0}, "--rounds must be from 1 to 99, not 0"),
        (4, {"kind": "swiss", "seats": "3-9"}, "for 2 players"),
        (4, {"kind": "swiss", "size": 3}, "a Swiss is for 4 to 128 entrants, not 3"),
        (4, {"kind": "swiss", "options": ["bank=10"]}, "'10' is not a bank"),
        (4, {"kind": "swiss", "starts": "2020-01-01 12:00"}, "is in the past"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_stored(
    mailclub: MailClub, entrants: int, wanted: dict, why: str
) -> None:
    with pytest.raises(Refusal) as refusal:
        Cup(mailclub, entrants, **wanted)

    assert why in str(refusal.value.messages[0])
    assert mailclub.letters() == []


def test_two_of_one_address_could_not_meet(mailclub: MailClub) -> None:
    mailclub.add("Anna", "Bob", address="home@example.org")

    with pytest.raises(Refusal, match="Anna and Bob have one address and could not meet"):
        Cup(mailclub, 4, "round-robin")
    cup = Cup(mailclub, 4, "swiss")
    cup.start()
    assert {"Anna", "Bob"} not in [set(pair) for pair in cup.boards(1).values()]


def test_it_starts_when_it_is_full_or_at_its_time_and_tells_once_of_too_few(
    mailclub: MailClub,
) -> None:
    cup = Cup(mailclub, 2, "swiss", size=4, starts="2026-11-24 12:00")
    assert cup.tick() == []

    assert cup.tick(MONDAY + timedelta(days=1)) == []
    assert cup.tick(MONDAY + timedelta(days=2)) == []
    alerts = mailclub.letters("alert")
    assert len(alerts) == 1
    mailclub.add("Cleo", "Dag")
    for name in ("Cleo", "Dag"):
        mailclub.enter_tournament("cup", name)
    cup.tick(MONDAY + timedelta(days=2))
    assert cup.shown()["status"] == "playing"
    with pytest.raises(Refusal, match="cup has begun; nobody can enter any more"):
        mailclub.enter_tournament("cup", "Anna")


def test_a_knock_out_gives_byes_to_the_first_and_replays_a_draw_once(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 5, "knockout")
    cup.start()
    assert len(cup.without_match(1)) == 3
    (match,) = cup.boards(1)

    cup.decide(match, "draw")
    cup.tick()
    assert list(cup.boards(1)) == [match, f"{match}b"]
    assert cup.boards(1)[f"{match}b"] == cup.boards(1)[match][::-1]
    cup.decide(f"{match}b", "draw")
    cup.tick()

    numbers = {one["player"]: one["number"] for one in cup.shown()["entries"]}
    lower = min(cup.boards(1)[match], key=lambda name: numbers[name])
    assert lower in {one for pair in cup.boards(2).values() for one in pair}
    cup.win_all(2)
    cup.win_all(3)
    assert cup.shown()["status"] == "over"
    table = cup.shown()["table"]
    assert [line["rounds_won"] for line in table] == [3, 2, 1, 1, 0]
    assert [line["place"] for line in table] == [1, 2, 3, 3, 5]


def test_a_cancelled_match_waits_for_the_game_masters_result(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "swiss", rounds=1)
    cup.start()
    match, other = cup.boards(1)
    mailclub.cancel(match, reason="x")
    cup.win_all(1)
    assert cup.shown()["status"] == "playing"
    assert len(mailclub.letters("alert")) == 1

    assert cup.decide(match, "void") == (
        f"cup: {match} gives points to nobody, and its players have not met."
    )
    cup.tick()

    assert cup.shown()["status"] == "over"
    assert sorted(points for _, _, points in cup.table()) == [0, 0, 0, 24]
    with pytest.raises(Refusal, match="cup is over"):
        cup.decide(other, "draw")


def test_a_result_ends_a_match_that_goes_on_and_wrong_ones_are_named(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "swiss", rounds=2)
    cup.start()
    match = next(iter(cup.boards(1)))

    with pytest.raises(Refusal, match="a result is a seat, draw or void, not 'grey'"):
        cup.decide(match, "grey")
    with pytest.raises(Refusal, match="cup has no match m7"):
        cup.decide("m7", "draw")
    assert cup.decide(match, "White") == f"cup: White wins {match}."

    assert mailclub.loaded(match).match.status == "over"
    assert "by the game master's decision" in cup.text()


def test_names_of_matches_and_tournaments_are_one_list(mailclub: MailClub) -> None:
    Cup(mailclub, 4, "swiss")

    for name in ("cup", "cup-1-1"):
        with pytest.raises(Refusal, match="is a name of the tournament cup"):
            mailclub.new(name=name)
    mailclub.new(name="spring-1-1")
    wanted = NewTournament(name="spring", kind="swiss", game="espionage")
    with pytest.raises(Refusal, match="there is a match spring-1-1"):
        mailclub.create_tournament(wanted)


def test_one_who_is_silent_is_left_out_until_an_email_comes_and_twice_is_out(
    mailclub: MailClub,
) -> None:
    cup = Cup(
        mailclub,
        6,
        "swiss",
        rounds=3,
        options=["deadline=every 1 day", "bank=none", "leave=announced"],
    )
    cup.start()
    match, (first, second) = next(iter(cup.boards(1).items()))
    mailclub.send("white", "SETUP RANDOM", match=match)
    late = MONDAY + timedelta(days=1, hours=1)
    for other, players in cup.boards(1).items():
        if other != match:
            cup.resign(other, max(players))
    cup.tick(MONDAY)
    cup.tick(late)

    assert cup.without_match(2, "left_out") == [second]
    points = {player: given for _, player, given in cup.table()}
    assert (points[first], points[second]) == (24, 0)
    assert "silent" not in str(cup.shown())
    told = [one for one in mailclub.run_tick(late) if "News of the tournament" in one["Subject"]]
    assert [str(one["To"]) for one in told] == [f"{second.lower()}@example.org"]
    assert "Send any email to this address to be paired again." in " ".join(
        told[0].get_content().split()
    )

    later = late + timedelta(hours=1)
    mailclub.say(second, "STATUS", at=later)
    mailclub.run_tick(later)
    cup.win_all(2, later)
    assert second not in cup.without_match(3, "left_out")
    assert not any(one["withdrawn"] for one in cup.shown()["entries"])
    (again,) = (other for other, players in cup.boards(3).items() if second in players)
    for seat, one in mailclub.loaded(again).holders.items():
        if one.player_name != second:
            mailclub.send(seat, "SETUP RANDOM", match=again, now=later)
    cup.tick(later + timedelta(days=1, hours=1))
    assert [one["player"] for one in cup.shown()["entries"] if one["withdrawn"]] == [second]


def test_cancelling_tells_everybody_at_once(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "swiss")
    cup.start()

    mailclub.cancel_tournament("cup", reason="the hall burnt down")

    sent = mailclub.run_tick(MONDAY + timedelta(days=1))
    news = [one for one in sent if "News of the tournament" in str(one["Subject"])]
    assert len(news) == 4
    assert "late" not in news[0].get_content()  # it answers nobody
    assert "the hall burnt down" in " ".join(news[0].get_content().split())
    assert cup.tick() == []


def test_the_game_masters_tools_take_a_tournament(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "round-robin")
    cup.start()
    mailclub.new()

    assert overview.select(mailclub.store, Selection(tournament="cup"), "hold") == [
        f"cup-{n}-{board}" for n in (1, 2, 3) for board in (1, 2)
    ]
    with pytest.raises(Refusal, match="there is no tournament cap; did you mean cup"):
        overview.select(mailclub.store, Selection(tournament="cap"), "hold")
    later = MONDAY + timedelta(days=30)
    found = mailclub.late(timedelta(), now=later)
    assert {one.get("tournament") for one in found if one["match"] != "m"} == {"cup"}


def test_a_tournament_asks_for_reliable_players(mailclub: MailClub) -> None:
    mailclub.add("Anna")
    with mailclub.store.transaction() as tx:
        for day in range(1, 21):
            row = {"player_id": 1, "day": f"2026-10-{day:02d}", "left": 0, "ended": 0}
            counted = {"on_time": int(day > 4), "missed": int(day <= 4)}
            tx.execute(sa.insert(tables_club.conduct_day), {**row, **counted})

    with pytest.raises(Refusal, match="asks for 90 % of turns on time; yours: 80 % of 20"):
        Cup(mailclub, 4, "swiss", options=["reliable=90"])
    Cup(mailclub, 4, "swiss", options=["reliable=80"])
    (email,) = [one for one in mailclub.run_tick() if "anna@" in str(one["To"])]
    assert "Anna (80 % of 20 turns on time)" in email.get_content()


def test_no_time_is_up_while_the_clock_is_doubted(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "swiss", starts="2026-11-24 12:00")
    mailclub.context = structs.replace(mailclub.context, max_gap=timedelta(days=1))
    mailclub.new()
    cup.tick()

    back = MONDAY + timedelta(days=3)
    for minutes in (0, 5, 10, 600):
        cup.tick(back + timedelta(minutes=minutes))
        assert cup.shown()["status"] == "open"
    cup.tick(back + timedelta(days=1))
    assert cup.shown()["status"] == "playing"


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        ("UPDATE match SET result = '{' WHERE name = 'cup-1-1'", "an error inside adjud"),
        ("UPDATE tournament SET game = 'chess' WHERE name = 'cup'", "'chess' is not here any more"),
    ],
)
def test_a_fault_in_one_tournament_stops_no_other_and_is_told_once(
    mailclub: MailClub, spoilt: str, why: str
) -> None:
    cup = Cup(mailclub, 4, "round-robin", is_public=True)
    cup.start()
    cup.resign("cup-1-1", cup.boards(1)["cup-1-1"][0])
    mailclub.tick()
    with mailclub.store.transaction() as tx:
        tx.execute(sa.text("UPDATE pairing SET done_at = NULL"))
        tx.execute(sa.text(spoilt))
    other = NewTournament(name="other", game="espionage", kind="swiss", entrants=cup.names, size=4)
    mailclub.context = structs.replace(mailclub.context, raise_faults=False)
    mailclub.create_tournament(other)

    told = mailclub.tick()
    assert sum(why in one for one in told) == 1
    assert sum("round 1 was paired" in one for one in told) == 1
    assert not any(why in one for one in mailclub.tick())
    assert len(mailclub.letters("alert")) == 1
    mailclub.say("Anna", "GAMES")
    mailclub.run_tick()
    files(mailclub)
