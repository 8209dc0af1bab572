"""A Scheveningen: two teams, each of one plays each of the other (club, 7.4 and 7.5.5)."""

from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from tests.club import MONDAY, Refusal, Store
from tests.service.cups import Cup
from tests.service.mailclub import MailClub, text_of
from tests.service.test_site import files

KIND = "scheveningen"


@pytest.fixture
def mailclub(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def got(club: MailClub, name: str) -> list[str]:
    """Return the texts of the emails that a player got, with folded blanks."""
    club.run_tick()
    return [
        " ".join(text_of(message_from_bytes(raw, policy=default)).split())
        for _, to, raw in club.way.letters
        if to == f"{name}@example.org"
    ]


def test_the_first_half_of_the_entrants_plays_the_second(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 5, KIND)  # Anna, Bob, Cleo against Dag, Eva
    told = "The first half of the entrants is one team, the second half the other."
    assert told in cup.text()
    assert any(told in text for text in got(mailclub, "anna"))
    cup.start()

    met = {frozenset(players) for n in (1, 2, 3) for players in cup.boards(n).values()}
    assert met == {
        frozenset((one, other)) for one in ("Anna", "Bob", "Cleo") for other in ("Dag", "Eva")
    }
    assert {one["player"]: one["team"] for one in cup.shown()["entries"]} == {
        "Anna": 1,
        "Bob": 1,
        "Cleo": 1,
        "Dag": 2,
        "Eva": 2,
    }


def test_the_table_has_the_points_of_each_team(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, KIND)  # Anna, Bob against Cleo, Dag
    cup.start()
    (first,) = (match for match, players in cup.boards(1).items() if "Cleo" in players)
    (winner,) = (one for one in cup.boards(1)[first] if one != "Cleo")
    cup.resign(first, "Cleo")
    cup.tick()
    assert cup.table()[0] == (1, winner, 24)
    assert "Team 1 (Anna, Bob): 1" in cup.text()
    assert "Team 2 (Cleo, Dag): 0" in cup.text()
    assert "Team 2 (Cleo, Dag): 0" in files(mailclub)["tournaments/cup.html"].decode()

    for n in (1, 2):
        cup.win_all(n)  # the first by name: Anna and Bob
    assert cup.shown()["status"] == "over"
    assert [line["compared"] for line in cup.shown()["table"]] == ["96", "96", "0", "0"]
    assert any("Team 1 (Anna, Bob): 4" in text for text in got(mailclub, "dag"))


def test_a_team_has_nothing_of_a_member_who_left_too_early(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 6, KIND)  # Anna, Bob, Cleo against Dag, Eva, Finn
    cup.start()
    won = next(match for match, players in cup.boards(1).items() if "Anna" in players)
    cup.resign(won, next(one for one in cup.boards(1)[won] if one != "Anna"))
    cup.tick()
    assert "Team 1 (Anna, Bob, Cleo): 1" in cup.text()

    cup.withdraw("Anna")  # who has played one match of three
    cup.tick()
    assert "Team 1 (Anna, Bob, Cleo): 0" in cup.text()
    assert "Anna: withdrawn; not counted" in cup.text()


def test_who_plays_whom_in_a_round_stays_hidden_where_names_are(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, KIND, at_once=1, options=["names=hidden"])
    cup.start()
    shown = cup.shown()
    assert {one["number"] for one in shown["entries"]} == {None}
    assert {one["players"] for one in shown["pairings"]} == {None}
    numbers = [one.number for one in cup.now.entries]
    assert sorted(numbers) == [1, 2, 3, 4]
    assert {*numbers[:2]} == {1, 2}  # drawn within the team
    assert cup.now.row.started_at == MONDAY


def test_three_are_too_few(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 3, KIND)
    with pytest.raises(Refusal, match="cup has 3 entrants and needs at least 4"):
        cup.start()
