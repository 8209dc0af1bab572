"""If two take one name at the same moment, one gets it, the other an ordinary sentence."""

from unittest.mock import patch

import pytest

from tests.club import Changes, Club, Refusal
from tests.database import player_named
from tests.inside import database, matches, players, rows


@pytest.fixture
def club(store):
    club = Club(store)
    club.add("Anna", "Bob")
    return club


def blind_once(module):
    """Let the first look for a name find nothing, as if somebody took the name right afterwards."""
    look, looks = module.find, iter([None])
    return patch.object(module, "find", lambda tx, name: next(looks, look(tx, name)))


@pytest.fixture
def unseen():
    """Let no name be seen that another could be taken for, as before somebody took it."""
    with patch.object(players, "names", lambda tx: []):
        yield


def test_a_match_of_a_name_that_was_taken_meanwhile(club):
    club.new(name="m")
    with blind_once(matches), pytest.raises(Refusal, match="there is already a match m"):
        club.new(name="m")


def test_a_match_without_a_name_of_its_own_takes_the_next_one(club):
    assert club.new(name=None) == "espionage-1"
    with patch.object(matches, "count_of", side_effect=[0, 1]), blind_once(matches):
        assert club.new(name=None) == "espionage-2"


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("name", ["Anna", "ANNA"])
def test_a_player_of_a_name_that_was_taken_meanwhile(club, name):
    with blind_once(players), pytest.raises(Refusal, match="there is already a player Anna"):
        club.add(name)


@pytest.mark.usefixtures("unseen")
def test_a_player_is_renamed_to_what_was_taken_meanwhile(club):
    look = player_named

    def blind(tx, name):
        return (
            None
            if name == "Anna" and not asked.append(name) and len(asked) == 1
            else look(tx, name)
        )

    asked: list[str] = []
    wanted = Changes(name="Anna")
    with (
        patch.object(players, "find", blind),
        pytest.raises(Refusal, match="there is already a player Anna"),
    ):
        club.change("Bob", wanted, sends_mail=False)


def test_another_clash_is_not_called_a_name(club):
    clash = database.Twice("x", None, Exception("y"))
    with patch.object(rows, "add", side_effect=clash), pytest.raises(database.Twice):
        club.add("Carl")
