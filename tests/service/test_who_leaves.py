"""What is left when a player leaves a tournament, or is erased (club, 7.7 and 7.8)."""

from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec.json import encode

from tests.club import MONDAY, Paths, Refusal, Store
from tests.database import tables_club
from tests.inside import creating
from tests.service.cups import Cup
from tests.service.mailclub import MailClub
from tests.service.test_site import files

DAY = timedelta(days=1)


@pytest.fixture
def mailclub(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def erase(club: MailClub, name: str) -> None:
    at = Paths(key=club.folder.parent / "key", spool=club.folder, config=None)
    club.erase(name, at=at)


def boards(cup: Cup, name: str) -> list[str]:
    """Return the matches of a player in all rounds."""
    found = (cup.boards(n + 1) for n in range(cup.now.row.round))
    return [match for one in found for match, players in one.items() if name in players]


def test_an_entry_that_left_too_early_does_not_count_and_stands_last(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 3, "round-robin")
    cup.start()
    cup.withdraw("Bob")
    cup.tick()

    assert "Bob (withdrawn)" in cup.text()
    assert "Bob: withdrawn; not counted" in cup.text()
    assert cup.text().count("withdrawn; not counted") == 3  # Bob's note and two boards
    assert "by withdrawal" not in cup.text()
    assert sorted(cup.table()) == [(1, "Anna", 0), (1, "Cleo", 0), (3, "Bob", 0)]
    counted = {one["player"]: (one["withdrawn"], one["counted"]) for one in cup.shown()["entries"]}
    assert counted == {"Anna": (False, True), "Bob": (True, False), "Cleo": (False, True)}
    assert [one["counted"] for one in cup.shown()["pairings"]].count(False) == 2
    page = files(mailclub)["tournaments/cup.html"].decode()
    assert "Bob (withdrawn)" in page
    assert page.count("withdrawn; not counted") == 3


def test_of_an_entry_that_left_late_the_others_win(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "round-robin", at_once=1)
    cup.start()
    for n in (1, 2):
        cup.win_all(n)
    cup.withdraw("Anna")  # who has won two matches of three
    cup.tick()

    (last,) = (
        one for one in cup.shown()["pairings"] if "Anna" in one["players"][:2] and one["round"] == 3
    )
    points = dict(zip(last["players"], last["points"], strict=True))
    other = next(name for name in points if name != "Anna")
    assert points == {"Anna": 0, other: 24}
    assert "Anna (withdrawn)" in cup.text()
    assert "not counted" not in cup.text()
    assert {player: place for place, player, _ in cup.table()}["Anna"] < 4


def test_a_swiss_and_a_knock_out_count_whole_rounds(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 5, "swiss", rounds=2)
    cup.start()
    (free,) = cup.without_match(1)
    first, _ = cup.boards(1)
    winner, loser = sorted(cup.boards(1)[first])
    cup.resign(first, loser)
    cup.tick()
    assert {points for _, _, points in cup.table()} == {0}
    assert "The table includes a round when all its matches are over." in cup.text()

    cup.win_all(1)
    assert {name: points for _, name, points in cup.table()}[winner] == 24
    before = cup.table()
    (again,) = cup.without_match(2)
    assert again != free
    assert cup.table() == before
    cup.win_all(2)
    assert "The table includes" not in cup.text()
    assert sum(points for _, _, points in cup.table()) == 2 * 3 * 24


def test_a_bye_of_a_knock_out_is_no_round_won_before_the_others_have_played(
    mailclub: MailClub,
) -> None:
    cup = Cup(mailclub, 3, "knockout")
    cup.start()
    assert {line["rounds_won"] for line in cup.shown()["table"]} == {0}
    assert {line["place"] for line in cup.shown()["table"]} == {1}
    cup.win_all(1)
    assert sorted(line["rounds_won"] for line in cup.shown()["table"]) == [0, 1, 1]


@pytest.mark.parametrize("kind", ["round-robin", "swiss"])
def test_an_open_seat_of_an_entry_that_withdraws_is_lost(mailclub: MailClub, kind: str) -> None:
    cup = Cup(mailclub, 4, kind, **({"rounds": 2} if kind == "swiss" else {}))
    cup.start()
    match = boards(cup, "Bob")[0]
    seat = next(
        seat for seat, one in mailclub.loaded(match).holders.items() if one.player_name == "Bob"
    )
    mailclub.open_seat(match, seat)
    assert mailclub.loaded(match).match.status == "open"

    cup.withdraw("Bob")

    assert mailclub.loaded(match).match.status == "over"


def test_a_match_that_a_substitute_plays_keeps_no_tournament_open_that_does_not_count_it(
    mailclub: MailClub,
) -> None:
    cup = Cup(mailclub, 4, "round-robin", options=["substitutes=on"])
    cup.start()
    mailclub.add("Sam")
    match = boards(cup, "Bob")[0]
    seat = next(
        seat for seat, one in mailclub.loaded(match).holders.items() if one.player_name == "Bob"
    )
    mailclub.replace(match, seat, "Sam", sure=True)
    cup.withdraw("Bob")
    for n in (1, 2, 3):
        for other, players in cup.boards(n).items():
            if other != match and mailclub.loaded(other).match.status != "over":
                cup.resign(other, max(players))
    cup.tick()

    assert mailclub.loaded(match).match.status == "playing"
    assert cup.shown()["status"] == "over"
    assert len([key for key in mailclub.letters() if key.endswith("/table")]) == 4


# Erased (security, A person's data).


def test_who_is_knocked_out_can_be_erased_and_who_goes_on_is_told_how(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "knockout")
    cup.start()
    first, other = cup.boards(1)
    loser = max(cup.boards(1)[first])
    winner = min(cup.boards(1)[first])
    with pytest.raises(Refusal, match=f"{loser} plays in {first}; end that first"):
        erase(mailclub, loser)
    cup.resign(first, loser)
    cup.tick()

    erase(mailclub, loser)
    assert loser not in cup.text()
    assert "Former player" in cup.text()
    with pytest.raises(Refusal, match=f"{winner} takes part in cup; .*`adjud tournament withdraw"):
        erase(mailclub, winner)
    cup.withdraw(winner)
    erase(mailclub, winner)

    cup.resign(other, max(cup.boards(1)[other]))
    cup.tick()
    cup.tick()
    assert cup.shown()["status"] == "over"


def test_who_has_left_a_match_of_several_can_be_erased_and_the_others_play_on(
    mailclub: MailClub,
) -> None:
    cup = Cup(mailclub, 4, "swiss", game="spion", seats="4", rounds=1)
    cup.start()
    (match,) = cup.boards(1)
    cup.withdraw("Bob")
    cup.tick()
    assert mailclub.loaded(match).match.status == "playing"

    erase(mailclub, "Bob")

    for name in ("Anna", "Cleo"):
        cup.resign(match, name)
        cup.tick()
    assert mailclub.loaded(match).match.status == "over"
    emails = mailclub.run_tick(MONDAY + DAY)
    assert not [one for one in emails if "bob" in str(one["To"])]
    assert cup.shown()["status"] == "over"


def test_an_entry_whose_last_match_is_over_can_be_erased(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 3, "round-robin")
    cup.start()
    for match in boards(cup, "Bob"):
        cup.resign(match, "Bob")
    cup.tick()
    assert cup.shown()["status"] == "playing"
    erase(mailclub, "Bob")
    assert "Bob" not in cup.text()


# Silent (club, 5.3): how long a round can be held up.


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "for 13 days"),
        (("leave_days=none",), "for 38 days"),
        (("leave=announced", "bank=none", "deadline=every 2 days"), "for 2 days"),
        (("substitutes=on",), "for 16 days"),
        (("absence=gm",), "until you decide"),
        (("deadline=none",), "until you decide"),
    ],
)
def test_a_new_tournament_says_how_long_silence_holds_up_a_round(
    mailclub: MailClub, options: tuple[str, ...], told: str
) -> None:
    Cup(mailclub, 4, "swiss", options=options)
    context = mailclub.context
    assert told in str(creating.longest_silence(mailclub.store, "cup", context=context))


@pytest.mark.slow
@pytest.mark.parametrize("older", [False, True])
def test_a_round_with_a_dead_player_ends_when_it_was_said(mailclub: MailClub, older: bool) -> None:
    cup = Cup(mailclub, 4, "swiss", rounds=1)
    if older:  # it was made before days of absence had an end
        with mailclub.store.transaction() as tx:
            row = cup.now.row
            options = {key: text for key, text in row.options.items() if key != "leave_days"}
            update = sa.update(tables_club.tournament).values(options=encode(options).decode())
            tx.execute(update)
    cup.start()
    bobs = boards(cup, "Bob")[0]
    (other,) = {*cup.boards(1)[bobs]} - {"Bob"}
    seats = {one.player_name: seat for seat, one in mailclub.loaded(bobs).holders.items()}
    mailclub.send(seats[other], "SETUP RANDOM", match=bobs)
    for match in cup.boards(1):
        if match != bobs:
            cup.resign(match, max(cup.boards(1)[match]))
    emails = []
    for day in range(1, 15):
        emails += mailclub.run_tick(MONDAY + day * DAY)
        if day == 12:
            assert cup.shown()["status"] == "playing"
    assert cup.shown()["status"] == ("playing" if older else "over")
    assert len([one for one in emails if one["X-Adjud"] == "leave"]) == 1


@pytest.mark.parametrize("kind", ["swiss", "knockout", "round-robin"])
def test_who_leaves_while_a_match_waits_for_its_number_loses_it(
    mailclub: MailClub, kind: str
) -> None:
    # Its own lots are the club's, so that its matches are made before a number is known.
    cup = Cup(mailclub, 4, kind, options=["chance=drand"], chance="seed")
    cup.start()
    match = boards(cup, "Bob")[0]
    assert mailclub.loaded(match).match.status == "waiting"
    (other,) = {*cup.boards(1)[match]} - {"Bob"}

    cup.withdraw("Bob")
    cup.tick()

    assert mailclub.letters("alert") == []
    told = next(one for one in cup.shown()["pairings"] if one["match"] == match)
    assert told["done"]
    if kind != "round-robin":
        assert dict(zip(told["players"], told["points"], strict=True))[other] == 24


def test_a_match_that_was_over_counts_as_it_ended_when_a_player_leaves_before_the_tick(
    mailclub: MailClub,
) -> None:
    cup = Cup(mailclub, 3, "round-robin")
    cup.start()
    first, other = boards(cup, "Bob")
    (foe,) = (name for n in (1, 2, 3) for name in cup.boards(n).get(first, ()) if name != "Bob")
    seat = next(
        seat for seat, one in mailclub.loaded(first).holders.items() if one.player_name == foe
    )
    mailclub.forfeit(first, seat, reason="x")
    cup.withdraw("Bob")  # no tick has counted what he won
    cup.tick()
    endings = {one["match"]: one["ending"] for one in cup.shown()["pairings"]}
    assert (endings[first], endings[other]) == ("forfeit", "withdrawn")
