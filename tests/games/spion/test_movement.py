"""Test where a spy may go: the cases T1 to T14 and what was counted on our board (rules section 7).

Blue moves alone on the board unless other pieces are named.
"""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from adjudicator.games.spion.orders.values import Goal
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.board_file import Params
from adjudicator.games.spion.rules.movement import (
    Ends,
    ambushes,
    ends,
    first_legal_way,
    nearest,
    stuck,
)
from adjudicator.games.spion.rules.position import Position, blockers
from adjudicator.games.spion.rules.variants import standard

ORIGINAL, QUICK = standard("original"), standard("quick")
WEIGHTS = {count: 6 - abs(7 - count) for count in range(2, 13)}  # of 36 throws of two dice


def alone(board: Board, spy: str, spies: str = "", guards: str = "") -> Position:
    """Put Blue's spy on a place; others' pieces are given as `red b3`, and stand on their starts
    and homes if not named."""
    seats = board.seating[max(board.seating)]

    def told(text: str) -> dict[str, str]:
        words = text.split()
        return dict(zip(words[::2], words[1::2], strict=True))

    return Position(
        board=board,
        seats=seats,
        types=board.types,
        spies={**board.starts, "blue": spy, **told(spies)},
        bodyguards={**board.homes, **told(guards)},
        out=tuple(board.embassies),
        filled=dict.fromkeys(seats, ()),
    )


def found(spy: str, count: int, spies: str = "", guards: str = "") -> Ends:
    return ends(alone(ORIGINAL, spy, spies, guards), "blue", count)


def sorted_places(text: str) -> list[str]:
    return sorted(text.split())


@pytest.mark.parametrize(
    ("case", "spy", "count", "expected"),
    [
        ("T1", "b2", 2, "b4 d2"),
        ("T1", "b2", 3, "b5 e2"),
        ("T1", "b2", 4, "b6 c5 f2"),
        ("T2", "b2", 5, "BRI b7 d5 e4 g2"),
        ("T3", "b2", 6, "BRI b8 b9 c5 h2 i14 n7"),
        ("T4, A46", "BRI", 3, "c5 d2"),
        ("T4, A46", "BRI", 4, "b5 c2 e2 e6"),
        ("T4, A46", "HOL", 2, "e7 f8"),
        ("T5", "NOR", 3, "b9 f2 h2 i14 n7"),
        ("T6, A2", "g2", 1, "b9 f2 h2 i14 n7"),
        ("T7, A3", "g2", 2, "NOR b10 b8 e2 h14 i2 j14 n6 n8"),
    ],
)
def test_the_ends_are_those_of_the_rule_book(case: str, spy: str, count: int, expected: str):
    assert sorted(found(spy, count).paths) == sorted_places(expected), case
    assert found(spy, count).met == ()


@pytest.mark.parametrize(
    ("case", "spy", "count", "spies", "guards", "expected", "met"),
    [
        ("T8, A1", "b2", 6, "red g2", "", "BRI b8 c5", "g2"),
        ("T8, A49", "b2", 6, "", "red g2", "BRI b8 c5", "g2"),
        ("T9, A1", "b2", 6, "red n7", "", "BRI b8 b9 c5 h2 i14", "n7"),
        ("T10", "b2", 6, "red b3", "green c2", "", "b3 c2"),
        ("T11, A10", "b2", 6, "red b3", "blue c2", "BRI b9 c5 h2 i14 n7", "b3"),
        ("T12, A48", "b2", 5, "red b3", "blue g2", "BRI d5 e4", "b3"),
        ("T13, A4", "b2", 6, "red b3", "blue g2", "BRI b9 c5 h2 i14 n7", "b3"),
        ("T14", "BRI", 7, "red d5", "green d2 red e4", "", "d2 d5 e4"),
    ],
)
def test_pieces_hinder_as_in_the_rule_book(
    case: str, spy: str, count: int, spies: str, guards: str, expected: str, met: str
):
    seen = found(spy, count, spies, guards)
    assert (sorted(seen.paths), list(seen.met)) == (sorted_places(expected), met.split()), case


def test_t10_only_a_bodyguard_that_blocks_may_be_swapped():
    position = alone(ORIGINAL, "b2", "red b3", "green c2")
    assert blockers(position, "blue", ends(position, "blue", 6).met) == ("green",)


# On the empty board: fewest, mean and most ends, and mean embassies among them, on the empty board.
START, EMBASSY, STREET = "from start", "from embassy", "from street or well"
TABLE = {
    2: ((2, 2.0, 2, 0), (1, 1.8, 2, 0), (1, 3.2, 9, 0.3)),
    3: ((2, 2.0, 2, 0), (2, 3.5, 5, 0), (1, 5.5, 13, 1.0)),
    4: ((3, 3.0, 3, 0), (4, 6.2, 9, 0.5), (1, 7.9, 16, 1.8)),
    5: ((5, 5.0, 5, 1), (6, 10.5, 15, 1.8), (1, 11.9, 21, 2.9)),
    6: ((7, 7.0, 7, 1), (7, 12.0, 18, 1.8), (4, 15.8, 21, 3.9)),
    7: ((14, 14.0, 14, 2), (12, 16.8, 19, 2.3), (9, 21.0, 27, 5.3)),
    8: ((24, 24.0, 24, 6), (18, 22.0, 26, 4.0), (15, 26.2, 34, 7.0)),
    9: ((30, 30.0, 30, 6), (24, 27.2, 29, 5.5), (21, 31.3, 38, 8.4)),
    10: ((33, 33.0, 33, 7), (23, 29.8, 34, 7.0), (24, 37.6, 51, 9.6)),
    11: ((38, 38.0, 38, 7), (37, 40.8, 46, 9.5), (29, 45.2, 58, 11.2)),
    12: ((49, 49.0, 49, 10), (42, 46.2, 52, 10.8), (39, 53.8, 67, 13.0)),
}


def origins(board: Board) -> dict[str, tuple[str, ...]]:
    return {
        START: (board.starts["blue"],),
        EMBASSY: tuple(board.embassies),
        STREET: tuple(place for place in board.kinds if board.open_ground(place)),
    }


def numbers(board: Board, places: Sequence[str], count: int) -> tuple[int, float, int, float]:
    paths = [ends(alone(board, place), "blue", count).paths for place in places]
    many = [len(found) for found in paths]
    embassies = [sum(end in board.embassies for end in found) for found in paths]
    return min(many), sum(many) / len(many), max(many), sum(embassies) / len(many)


@pytest.mark.parametrize("count", TABLE)
def test_the_table_of_section_7_holds(count: int):
    for places, expected in zip(origins(ORIGINAL).values(), TABLE[count], strict=True):
        least, mean, most, embassies = numbers(ORIGINAL, places, count)
        assert (least, most) == (expected[0], expected[2])
        assert (mean, embassies) == (
            pytest.approx(expected[1], abs=0.051),
            pytest.approx(expected[3], abs=0.051),
        )


@pytest.mark.parametrize(
    ("board", "origin", "mean", "embassies"),
    [
        (ORIGINAL, START, 17.2, 3.3),
        (ORIGINAL, EMBASSY, 18.5, 3.4),
        (ORIGINAL, STREET, 22.3, 5.6),
        (QUICK, START, 15.2, 3.8),
        (QUICK, EMBASSY, 12.5, 2.7),
        (QUICK, STREET, 18.0, 4.9),
    ],
)
def test_two_dice_give_this_much_choice(board: Board, origin: str, mean: float, embassies: float):
    seen = {count: numbers(board, origins(board)[origin], count) for count in WEIGHTS}
    assert min(least for least, *_ in seen.values()) >= 1  # no roll is without a legal move
    ways = sum(WEIGHTS[count] * seen[count][1] for count in WEIGHTS) / 36
    doors = sum(WEIGHTS[count] * seen[count][3] for count in WEIGHTS) / 36
    assert (round(ways, 1), round(doors, 1)) == (mean, embassies)


@pytest.mark.slow
def test_the_loose_reading_of_a5_gives_more_ends():
    """24.4 instead of 21.7 per roll (A5): the mean over all places but forbidden ones."""
    loose = replace(ORIGINAL, params=Params(revisit_square_in_move=True))
    free = replace(ORIGINAL, params=Params(tunnel_cost=0))
    everywhere = [*origins(ORIGINAL)[STREET], *origins(ORIGINAL)[EMBASSY]]
    strict, loosely, freely = (
        sum(WEIGHTS[n] * numbers(board, everywhere, n)[1] for n in WEIGHTS) / 36
        for board in (ORIGINAL, loose, free)
    )
    assert round(strict, 1) == 21.7
    assert round(loosely, 1) == 24.4
    assert round(freely, 1) == 22.2


def test_no_square_is_used_twice():
    """A5: from b2 no way of 4 steps leads to b2's neighbours but round the block."""
    assert "b4" not in found("b2", 4).paths
    for count in WEIGHTS:
        for place, path in found("f2", count).paths.items():
            walked = ("f2", *path)
            assert len(set(walked)) == len(walked), place


def test_no_start_square_is_entered():
    """A8: neither the own one nor another's."""
    for count in WEIGHTS:
        for place in ("c2", "b3", "m2", "n3"):
            for path in found(place, count).paths.values():
                assert not {"b2", "n2", "n14", "b14"} & set(path)


def test_forbidden_ground_is_crossed_and_never_the_end():
    """A9"""
    seen = found("e4", 6)
    assert any(ORIGINAL.kinds.get(p) == "forbidden" for path in seen.paths.values() for p in path)
    assert not any(ORIGINAL.kinds.get(end) == "forbidden" for end in seen.paths)


def test_spies_in_embassies_hinder_nobody():
    """A37: any number may stand in one."""
    assert "BRI" in found("b2", 5, "red BRI green BRI").paths


def test_on_streets_the_count_is_exact():
    """A47; in the way to an embassy the rest may be lost (R3.3)."""
    seen = found("b2", 6)
    assert len(seen.paths["BRI"]) == 5
    assert {len(path) for end, path in seen.paths.items() if end != "BRI"} == {6}


def test_the_way_told_is_legal_and_the_same_each_time():
    assert found("b2", 5).paths["e4"] == found("b2", 5).paths["e4"]
    assert found("g2", 1).paths["n7"] == ("n7",)


def pick(count: int, *goals: Goal, spy: str = "b2", out: tuple[str, ...] | None = None):
    position = alone(ORIGINAL, spy)
    position = position if out is None else replace(position, out=out)
    return first_legal_way(position, "blue", count, ends(position, "blue", count), goals)


def test_the_first_legal_goal_counts():
    assert pick(5, Goal("NOR"), Goal("e5"), Goal("d5"), Goal("g2"))[-1] == "d5"
    assert pick(5, Goal("NOR"), Goal("nowhere")) is None


def test_if_card_asks_whether_a_card_still_lies_there():
    goals = (Goal("BRI", if_card=True), Goal("g2"))
    assert pick(5, *goals)[-1] == "BRI"
    assert pick(5, *goals, out=("NOR",))[-1] == "g2"


def test_near_takes_the_end_with_the_fewest_steps_left():
    assert pick(4, Goal("NOR", near=True))[-1] == "f2"
    assert pick(5, Goal("BRI", near=True))[-1] == "BRI"


def test_a_forced_path_is_walked_if_it_is_legal():
    by_b = ("b3", "b4", "b5", "b6", "b7", "b8")
    assert pick(6, Goal("b8", path=by_b)) == by_b
    assert pick(6, Goal("b8", path=("b2", *by_b[:-1]))) == by_b
    assert pick(6, Goal("b8", path=("c2", *by_b[1:]))) is None
    assert pick(6, Goal("b8", path=("b3", "b8"))) is None


def test_nearest_is_counted_on_the_empty_board():
    assert nearest(ORIGINAL, ("b4", "d2"), "NOR") == ("d2",)


def test_a_spy_with_no_way_out_is_stuck():
    """A26, in the reading of summary 13."""
    assert stuck(alone(ORIGINAL, "b2", "red b3", "green c2"), "blue")
    assert not stuck(alone(ORIGINAL, "b2", "red b3"), "blue")


def test_an_ambush_is_laid_with_any_part_of_the_count():
    """A25: none of it where the spy stands there already; a tunnel is not next to."""
    spots = ambushes(alone(ORIGINAL, "f2", "red h2"), "blue", "red", 4)
    assert spots["g2"] == ("g2",)
    assert ambushes(alone(ORIGINAL, "g2", "red h2"), "blue", "red", 2)["g2"] == ()
    assert "g2" not in ambushes(alone(ORIGINAL, "f2", "red n7"), "blue", "red", 2)
    assert ambushes(alone(ORIGINAL, "b2", "red b3"), "blue", "red", 2) == {}
