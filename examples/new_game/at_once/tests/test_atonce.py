"""The contract of all games, as `adjud game check` has it, and the rules, one by one."""

from collections.abc import Sequence
from functools import reduce

from adjud_atonce import BLUE, GAME, RED, SEATS, Dig, State
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.match import Setting
from adjudicator.core.orders import split_lines
from adjudicator.service.game_check.table import faults

CHANCE = Chance(bytes(32), "m", GAME.proof.label)


def opened() -> State:
    state = GAME.rules.set_up(Setting("standard", {}, SEATS), CHANCE)
    return replace(state, hidden=(4, 3, 2, 2, 1, 1, 0, 0, 0))


def dug(state: State, *holes: tuple[int, int]) -> State:
    """Let Blue and Red dig at these holes, a turn each."""
    for blue, red in holes:
        orders = {BLUE: [Dig(blue)], RED: [Dig(red)]}
        events = GAME.rules.adjudicate(state, orders, CHANCE)
        state = reduce(GAME.rules.apply, events, state)
    return state


def refused(state: State, *lines: str) -> Sequence[str]:
    """Return what is said to Blue of its orders."""
    sheet = GAME.orders.parse(split_lines("\n".join(lines)))
    problems = GAME.orders.check(GAME.sight.observe(state, BLUE), sheet)
    return [str(one.message) for one in (*sheet.problems, *problems)]


def test_it_keeps_the_contract() -> None:
    assert faults("adjud_atonce") == []


def test_who_digs_first_takes_the_treasure() -> None:  # 1.2
    state = dug(opened(), (1, 2), (2, 1))
    assert state.dug == {BLUE: {"1": 4, "2": 0}, RED: {"2": 3, "1": 0}}
    assert dug(opened(), (1, 1)).dug == {BLUE: {"1": 4}, RED: {"1": 4}}


def test_a_seat_sees_its_own_holes() -> None:  # 1.3
    assert GAME.sight.observe(dug(opened(), (1, 2)), BLUE).dug == {BLUE: {"1": 4}}


def test_more_points_win_after_five_turns() -> None:  # 1.4
    last = dug(opened(), (1, 7), (2, 8), (3, 9), (4, 5))
    assert GAME.rules.outcome(last) is None
    outcome = GAME.rules.outcome(dug(last, (6, 6)))
    assert outcome is not None
    assert outcome.winners == (BLUE,)


def test_a_hole_is_dug_once() -> None:
    state = dug(opened(), (1, 2))
    assert refused(state, "DIG 2") == []
    (why,) = refused(state, "DIG 1")
    assert why.startswith("you cannot order DIG 1 now; you can order DIG 2, ")
