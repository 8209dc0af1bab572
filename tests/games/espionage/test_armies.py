"""The armies that are drawn for `SETUP AUTO` and for built-in players."""

from collections import Counter

import pytest

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.rules.armies import sensible_army
from adjudicator.games.espionage.rules.pieces import ARMIES, LETTERS
from tests.games.espionage.armies_measured import armies

SIZES = pytest.mark.parametrize("size", ARMIES)


@SIZES
def test_every_drawn_army_is_the_whole_army(size: int):
    wanted = {LETTERS[rank]: n for rank, n in ARMIES[size].items()}
    for army in armies(size):
        assert Counter(army.at.values()) == wanted


@SIZES
def test_the_headquarters_has_no_fixed_place(size: int):
    drawn = armies(size)
    in_back = sum(army.is_in_back_row for army in drawn) / len(drawn)
    assert 0.6 < in_back <= 0.85
    assert {army.home[1] for army in drawn if army.is_in_back_row} == set(range(size))
    assert all(army.home[0] != 0 for army in drawn)


@SIZES
def test_its_guards_differ(size: int):
    drawn = armies(size)
    walled = sum(army.is_walled for army in drawn) / len(drawn)
    assert 0.1 < walled <= 0.5


@SIZES
def test_mines_draw_the_enemy_elsewhere(size: int):
    drawn = armies(size)
    assert sum(army.decoys > 0 for army in drawn) / len(drawn) >= 0.3


@SIZES
def test_fronts_differ_and_can_fight(size: int):
    drawn = armies(size)
    assert len({army.front for army in drawn}) >= 40
    for army in drawn:
        assert sum(letter in "12345" for letter in army.front) >= size // 2
        assert 1 <= army.front.count("S") <= 3
        assert army.front.count("M") <= 1
        assert set(army.front) & set("45")


def test_the_same_stream_gives_the_same_army():
    assert sensible_army(10, Stream(b"a", "1")) == sensible_army(10, Stream(b"a", "1"))
    assert sensible_army(10, Stream(b"a", "1")) != sensible_army(10, Stream(b"a", "2"))


@pytest.mark.parametrize(
    ("size", "army"),
    [(10, "P5121S3322/PMP4SS4121/M1MSPMH53S"), (8, "352S32S1/MPSS125P/1MP41MH4")],
)
def test_what_was_drawn_once_is_drawn_for_ever(size: int, army: str):
    """`adjud audit` draws the army of a match with SETUP AUTO again."""
    assert "/".join(sensible_army(size, Stream(b"army", "1"))) == army
