"""The news of a page in whole sentences, with an arrow as the reader sees the step."""

from typing import Any

from adjudicator.core.message import tell
from adjudicator.games.espionage.page.news import tales
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import BLACK, WHITE, Rank
from adjudicator.games.espionage.sight.observe import SeenStep


def step(side: str, start: str, target: str, **how: Any) -> SeenStep:
    told = {"turn": 3, "step": 1, "outcome": "moved", "attacker": None, "defender": None}
    values: dict[str, Any] = {**told, "revealed": (), **how}
    return SeenStep(side=side, start=Square(start), target=Square(target), **values)


NEWS = [
    step(WHITE, "d3", "d4"),
    step(WHITE, "c9", "c10", outcome="won", attacker=Rank.COLONEL, step=2),
    step(BLACK, "e7", "d7"),
    step(
        BLACK,
        "d5",
        "d4",
        outcome="lost",
        attacker=Rank.SPY,
        defender=Rank.MINE,
        revealed=(Square("c10"),),
        step=2,
    ),
]


def test_an_order_is_told_in_sentences() -> None:
    told = tales(NEWS, [], WHITE, WHITE, tell)
    assert [(label, place) for label, place, _ in told] == [
        ("Turn 3, White", "turn-3-white"),
        ("Turn 3, Black", "turn-3-black"),
    ]
    assert [each for _, _, steps in told for each in steps] == [
        ("↑", "moved", "White's piece goes from d3 to d4."),
        ("↑", "won", "White's Colonel from c9 takes Black's piece on c10."),
        ("←", "moved", "Black's piece goes from e7 to d7."),
        (
            "↓",
            "lost",
            "Black's Spy from d5 attacks White's Mine on d4 and is removed. "
            "Now known: the piece on c10.",
        ),
    ]


def test_arrows_are_those_of_the_board_as_it_lies_before_black() -> None:
    told = tales(NEWS, [], BLACK, BLACK, tell)
    assert [arrow for _, _, steps in told for arrow, *_ in steps] == ["↓", "↓", "→", "↑"]
