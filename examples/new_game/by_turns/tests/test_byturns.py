"""The contract of all games, as `adjud game check` has it, and the rules, one by one."""

from collections.abc import Sequence
from functools import reduce

from adjud_byturns import CROSS, GAME, NOUGHT, Mark, State

from adjudicator.core.dice import Chance
from adjudicator.core.match import Setting
from adjudicator.core.orders import split_lines
from adjudicator.service.game_check.table import faults

CHANCE = Chance(bytes(32), "m", GAME.proof.label)


def opened() -> State:
    return GAME.rules.set_up(Setting("standard", {}, GAME.seats), CHANCE)


def marked(state: State, *squares: str) -> State:
    """Let both mark these squares in turn."""
    for square in squares:
        orders = {state.to_move: [Mark(square)]}  # type: ignore[arg-type]
        events = GAME.rules.adjudicate(state, orders, CHANCE)
        state = reduce(GAME.rules.apply, events, state)
    return state


def refused(state: State, *lines: str) -> Sequence[str]:
    sheet = GAME.orders.parse(split_lines("\n".join(lines)))
    problems = GAME.orders.check(GAME.sight.observe(state, state.to_move), sheet)
    return [str(one.message) for one in (*sheet.problems, *problems)]


def test_it_keeps_the_contract() -> None:
    assert faults("adjud_byturns") == []


def test_a_seat_sees_its_own_marks() -> None:  # 1.1
    state = marked(opened(), "b2", "a1")
    assert GAME.sight.observe(state, CROSS).marks == {"b2": CROSS}
    assert GAME.sight.observe(state, NOUGHT).marks == {"a1": NOUGHT}


def test_a_mark_of_the_other_side_is_found() -> None:  # 1.2
    state = marked(opened(), "b2", "b2")
    assert GAME.sight.observe(state, NOUGHT).marks == {"b2": CROSS}
    assert state.to_move == CROSS


def test_three_in_a_row_win() -> None:  # 1.3
    outcome = GAME.rules.outcome(marked(opened(), "a1", "a2", "b1", "b2", "c1"))
    assert outcome is not None
    assert outcome.winners == (CROSS,)


def test_a_full_board_is_a_draw() -> None:  # 1.3
    state = marked(opened(), "a3", "b3", "c3", "b2", "a2", "c2", "b1", "a1")
    assert GAME.rules.outcome(state) is None
    outcome = GAME.rules.outcome(marked(state, "c1"))
    assert outcome is not None
    assert outcome.winners == ()


def test_what_is_no_order_is_refused() -> None:
    assert refused(opened(), "CLAIM b2") == []
    assert refused(opened(), "CLAIM d4") == ["I do not understand 'CLAIM d4'; write CLAIM b2"]
