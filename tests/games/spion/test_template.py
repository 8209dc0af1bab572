"""The sheet at the end of a report: a line for each thing that the dice ask for (rules R2)."""

import pytest
from msgspec.structs import replace

from adjudicator.core.orders import split_lines
from adjudicator.games.spion.orders.check import check
from adjudicator.games.spion.orders.parse import parse
from adjudicator.games.spion.orders.template import example, template
from adjudicator.games.spion.rules.state import Roll
from adjudicator.games.spion.rules.turns import set_up
from adjudicator.games.spion.sight.observe import observe
from tests.games.spion.matches import chance_of, setting

FULL = ("ATOM", "KEMI", "FYSIK", "RYMD")


def sheet(dice, mode="rounds", **changes):
    """Return what Blue is asked; Green's spy stands on the same street, and can be challenged."""
    state = set_up(setting(players=4, mode=mode), chance_of(bytes(32)))
    state = replace(
        state,
        turn=1,
        round=1,
        first="blue",
        to_move="blue" if mode == "turns" else None,
        embassies={"NOR": "ATOM"},
        holders={**state.holders, "blue": FULL, "green": FULL},
        spies={**state.spies, "blue": "c2", "green": "f2"},
        rolls={"blue": Roll(2, dice, "00" * 32)},
    )
    return observe(replace(state, **changes), "blue")


def test_a_certain_challenge_is_all_that_a_double_asks_for():
    """With a MOVE line to leave as it stands the sheet would be refused."""
    view = sheet((3, 3), mode="turns")
    assert template(view) == ("CHALLENGE green ... ...",)
    filled = parse(split_lines("CHALLENGE green 1 ATOM"))
    assert (filled.problems, list(check(view, filled))) == ((), [])


def test_a_double_that_may_come_to_nothing_asks_for_a_goal_too():
    assert template(sheet((3, 3))) == ("CHALLENGE green ... ...", "MOVE ...")
    home = {"blue": "c2", "green": "n2", "yellow": "n14", "red": "b14"}
    nobody = sheet((3, 3), mode="turns", spies=home)
    assert template(nobody) == ("MOVE ...",)
    assert example(nobody) == ("MOVE NOR",)
    assert example(sheet((3, 3), mode="turns")) == ()


@pytest.mark.parametrize(
    ("dice", "lines"),
    [
        ((1, 3), ("AMBUSH green ... ...", "MOVE ...")),
        ((2, 2), ("CHALLENGE green ... ...", "MOVE ...")),
    ],
)
def test_an_ambush_is_asked_for_where_it_is_possible_and_never_on_a_double(dice, lines):
    view = sheet(dice, embassies={})
    assert template(view) == lines
    assert bool(view.ambushes) == (dice == (1, 3))
