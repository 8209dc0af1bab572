"""The game master's tools on several matches: one that refuses stops no other."""

from pathlib import Path

import pytest

from tests.cli.conftest import Clubs, copied
from tests.program import Adjud


@pytest.fixture(scope="module")
def made(clubs: Clubs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the club once; each test works on a copy."""
    folder = copied(clubs.setting_up, tmp_path_factory.mktemp("many"))
    club = Adjud(folder)
    seats = ("--seat", "white=Anna", "--seat", "black=Bob")
    club.does("new", "espionage", *seats)
    powers = ("--seat", "germany=Anna", "--seat", "russia=Bob")
    club.does("new", "spies", *powers, "--option", "deadline=every 3 days")
    return folder


@pytest.fixture
def several(adjud: Adjud, made: Path) -> Adjud:
    """Return the program with `espionage-1`, `espionage-2` and `spies-1`, the second without
    deadlines."""
    copied(made, adjud.folder)
    return adjud


def test_all_get_more_time_that_have_a_deadline(several: Adjud) -> None:
    lines = several.does("gm", "extend", "--all", "2 days", "--reason", "Easter").splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["espionage-1", "spies-1"]
    assert lines[2:] == ["2 of 2 matches done"]


def test_one_that_refuses_stops_no_other_and_is_named(several: Adjud) -> None:
    several.does("gm", "hold", "espionage-1", "--reason", "x")
    assert several("gm", "hold", "espionage-1", "spies-1", "SPIES-1", "--reason", "x") == (
        1,
        "spies-1 is on hold\n1 of 2 matches done; not done: espionage-1\n",
        "adjud: espionage-1 is already held\n",
    )
    assert several("gm", "resume", "--game", "espionage", "--reason", "y").out == (
        "espionage-1 continues\n1 of 1 matches done\n"
    )


def test_a_doubt_about_one_match_is_not_one_about_all(several: Adjud) -> None:
    several.does("gm", "option", "spies-1", "deadline=every 9 weeks")
    answer = several("gm", "extend", "espionage-1", "spies-1", "40 days")
    assert answer.code == 1
    assert answer.out.endswith("1 of 2 matches done; not done: espionage-1\n")
    assert "more than 10 times the usual time of a turn; give --yes" in answer.err


def test_nothing_is_done_if_one_of_the_names_is_wrong(several: Adjud) -> None:
    before = several.dump()
    assert several("gm", "extend", "espionage-1", "spiez-1", "2 days") == (
        1,
        "",
        "adjud: there is no match 'spiez-1'; did you mean spies-1?\n",
    )
    assert several("gm", "extend", "--game", "spion", "2 days") == (
        1,
        "",
        "adjud: there is no match of spion to which this applies\n",
    )
    for words in (["2 days"], ["espionage-1", "--all", "2 days"]):
        answer = several("gm", "extend", *words)
        assert answer.code == 2
        assert answer.err.endswith(
            "name one MATCH or several, or give --all, --game GAME or --tournament TOURNAMENT\n"
        )
    assert several.dump() == before


def test_options_of_several_matches(several: Adjud) -> None:
    told = several.does("gm", "option", "espionage-2", "spies-1", "settle=2 hours", "press=off")
    assert told == (
        "espionage-2: settle is now 2 hours, press is now off\n"
        "spies-1: settle is now 2 hours, press is now off\n"
        "2 of 2 matches done\n"
    )
    assert several.does("gm", "press", "espionage-2", "on") == "espionage-2: press is now on\n"
    several.does("verify")
    answer = several("gm", "option", "espionage-1", "deadline=every", "5", "days")
    assert answer.code == 2
    assert answer.err.endswith('a value with blanks needs quotes: "deadline=every 5 days"\n')
    assert several("gm", "option", "espionage-1").err.endswith("write an option as KEY=VALUE\n")


def test_all_are_told_the_same(several: Adjud) -> None:
    lines = several.does("gm", "say", "--all", "I am away at Easter.").splitlines()
    assert lines[-1] == "3 of 3 matches done"
    told = "The game master says: I am away at Easter."
    for match, seat in (("espionage-2", "white"), ("spies-1", "russia")):
        assert told in several.does("report", match, seat)
