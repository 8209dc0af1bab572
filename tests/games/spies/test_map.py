"""The map agrees with the rules, with itself, and with the book (rules 1, 2, 3.1, 5.9, 11.1)."""

from importlib.resources import files
from typing import Any

import msgspec
import pytest

from adjudicator.games.spies.rules.atlas import POWERS, atlas
from adjudicator.games.spies.rules.map_file import MapFile
from tests.games.spies.map_faults import faults

SOURCE = files("adjudicator.games.spies.rules").joinpath("map.json").read_text("utf-8")


def spoiled(*path: Any, to: Any) -> list[str]:
    """Say what is wrong with the map if one place in its file says something else."""
    plain = msgspec.json.decode(SOURCE)
    inner = plain
    for step in path[:-1]:
        inner = inner[step]
    assert inner[path[-1]] != to
    inner[path[-1]] = to
    return list(faults(msgspec.convert(plain, MapFile)))


def test_the_map_has_no_fault():
    assert list(faults(msgspec.json.decode(SOURCE, type=MapFile))) == []


@pytest.mark.parametrize(
    ("path", "to", "fault"),
    [
        (("cities", 0, "id"), "HAM", "HAM stands there 2 times"),
        (("powers", 0, "turn_order"), 2, "do not stand in turn order"),
        (("powers", 0, "capital"), "HAM", "HAM is not the only capital of G"),
        (("powers", 0, "home_cities"), ["BER"], "the home cities of G"),
        (("cities", 0, "max_police"), 1, "BER has places for 2 police"),
        (("neutral_secret_cities", 0), "MAD", "the cities of the neutral secrets"),
        (("links", 0, "b"), "XXX", "the link LON-XXX joins no two cities"),
        (("sea_zones", 0, "adjacent"), ["ATL"], "NTH and ARC are not neighbours"),
        (("sea_zones", 0, "ports"), [], "the ports of ARC"),
        (("secrets", 0, "value"), None, "S01 must have a value"),
        (("secrets", 0, "kind"), "counterspy", "S01 must have a value"),
        (("event_tiles", 0, "first_year"), 1932, "the years of TG1"),
        (("event_tiles", 0, "owner"), "I", "G has 4 tiles of its own"),
        (("event_tiles", 0, "effects", 0, "cities"), ["XXX"], "TG1 names a city"),
        (("powers", 0, "start_secrets"), 8, "43 secrets cannot be dealt to 44"),
        (("player_setups", "2", "dormant"), [], "with 2 players not every power"),
    ],
)
def test_a_map_that_does_not_agree_with_itself_has_a_fault(path: Any, to: Any, fault: str):
    assert any(told.startswith(fault) or fault in told for told in spoiled(*path, to=to))


def test_a_word_that_no_map_has_is_refused():
    with pytest.raises(msgspec.ValidationError, match="colour"):
        msgspec.json.decode(SOURCE.replace('"capital"', '"colour"', 1), type=MapFile)


def test_there_are_43_faces_93_points_and_8_counterspies():
    """Rule 1.4."""
    real = [face.value for face in atlas().faces.values() if face.value]
    strong = sorted(face.strength for face in atlas().faces.values() if face.strength)
    assert (len(real), sum(real)) == (35, 93)
    assert strong == [2, 2, 3, 3, 4, 4, 5, 5]
    assert len(atlas().faces) == 43


def test_every_power_has_eight_tiles_for_seven_turns():
    """Rule 2.3 (e)."""
    assert len(atlas().tiles) == 40
    assert tuple(atlas().powers) == POWERS
    assert all(power.common_tiles == 3 for power in atlas().powers.values())


@pytest.mark.parametrize(
    ("start", "goal", "spaces"),
    [
        ("LON", "MOS", 4),
        ("LON", "ROM", 6),
        ("LIV", "LIS", 2),
        ("BRU", "HAM", 2),
        ("BAT", "IST", 2),
        ("BAT", "ATH", 3),
        ("BER", "BER", 0),
    ],
)
def test_distances_are_those_of_the_book(start: str, goal: str, spaces: int):
    """Rule 3.1, case 1 of section 11."""
    assert atlas().distance(start, goal) == atlas().distance(goal, start) == spaces


def test_all_cities_are_within_reach_of_each_other():
    assert len(atlas().cities) == 45
    for far in atlas().distances.values():
        assert far.keys() == atlas().cities.keys()
