"""The rules, one by one, and what nobody may see: the order of the prizes to come."""

from collections.abc import Sequence
from functools import reduce

import pytest
from adjud_goofspiel import BLUE, GOOFSPIEL, RED, SEATS, Bid, State, value
from msgspec.structs import replace

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.match import Seat, Setting
from adjudicator.core.orders import split_lines

CHANCE = Chance(bytes(32), "m", GOOFSPIEL.proof.label)


def opened(ties: str = "discarded") -> State:
    return GOOFSPIEL.rules.set_up(Setting("standard", {"ties": ties}, SEATS), CHANCE)


def bid(state: State, blue: int, red: int) -> State:
    orders = {BLUE: [Bid(blue)], RED: [Bid(red)]}
    return reduce(GOOFSPIEL.rules.apply, GOOFSPIEL.rules.adjudicate(state, orders, CHANCE), state)


def refused(state: State, *lines: str) -> Sequence[str]:
    """Return what is said to Blue of its orders."""
    sheet = GOOFSPIEL.orders.parse(split_lines("\n".join(lines)))
    problems = GOOFSPIEL.orders.check(GOOFSPIEL.sight.observe(state, BLUE), sheet)
    return [str(one.message) for one in (*sheet.problems, *problems)]


def test_each_prize_comes_once() -> None:
    assert sorted(opened().prizes) == list(range(1, 14))


def test_the_higher_card_wins_the_prize() -> None:
    state = replace(opened(), prizes=(9, 4, 2))
    state = bid(state, 12, 3)
    assert state.points == {BLUE: 9, RED: 0}
    assert 12 not in state.hands[BLUE]
    assert state.prizes == (4, 2)


def test_a_prize_of_a_tie_is_discarded_or_carried_over() -> None:
    start = replace(opened(), prizes=(9, 4, 2))
    assert bid(bid(start, 5, 5), 7, 6).points == {BLUE: 4, RED: 0}
    carried = replace(start, options={"ties": "carried"})
    assert bid(bid(carried, 5, 5), 7, 6).points == {BLUE: 13, RED: 0}


def test_most_points_win_after_the_last_prize() -> None:
    last = replace(opened(), prizes=(9,), points={BLUE: 40, RED: 45})
    assert bid(last, 2, 1).outcome == GOOFSPIEL.rules.outcome(bid(last, 2, 1))
    assert GOOFSPIEL.rules.outcome(bid(last, 2, 1)).winners == (BLUE,)
    assert GOOFSPIEL.rules.outcome(bid(last, 1, 2)).winners == (RED,)
    level = replace(last, points={BLUE: 36, RED: 45})
    assert GOOFSPIEL.rules.outcome(bid(level, 2, 1)).winners == ()


def test_a_card_is_bid_once() -> None:
    state = bid(opened(), 12, 3)
    assert refused(state, "BID 3") == []
    assert refused(state, "bid 12") == [
        "you cannot order BID 12 now; you can order BID 1, BID 2, BID 3, BID 4, BID 5, BID 6, "
        "BID 7, BID 8, BID 9, BID 10, BID 11, BID 13"
    ]
    assert refused(state, "BID 3", "BID 4") == ["one order is enough"]
    assert refused(state, "BID 14") == ["I do not understand 'BID 14'; write BID 7"]
    assert refused(state) == ["your orders are empty; write BID 7"]


@pytest.mark.parametrize("seat", [*SEATS, Seat("")])
def test_nobody_sees_in_what_order_the_prizes_come(seat: Seat) -> None:
    state = opened()
    first, *others = state.prizes
    twin = replace(state, prizes=(first, *reversed(others)))
    assert GOOFSPIEL.sight.observe(state, seat) == GOOFSPIEL.sight.observe(twin, seat)


def match_of(blue: str, red: str, seed: int) -> float:
    """Play a match between two computers; return the lead of Blue at its end."""
    chance = Chance(bytes([seed] * 32), "m", GOOFSPIEL.proof.label)
    state = GOOFSPIEL.rules.set_up(Setting("standard", {"ties": "discarded"}, SEATS), chance)
    while GOOFSPIEL.rules.awaiting(state):
        cards = []
        for seat, player in zip(SEATS, (blue, red), strict=True):
            stream = Stream(bytes([seed] * 32), f"{seat}{state.turn}")
            ((own,),) = [GOOFSPIEL.computers[player](GOOFSPIEL.sight.observe(state, seat), stream)]
            cards.append(own.card)
        state = bid(state, *cards)
    return value(GOOFSPIEL.sight.observe(state, BLUE))


def test_the_computer_beats_chance() -> None:
    leads = [match_of("computer", "computer:random", seed) for seed in range(12)]
    leads += [-match_of("computer:random", "computer", seed) for seed in range(12)]
    assert sum(lead > 0 for lead in leads) >= 18
