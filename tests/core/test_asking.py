"""A question may name squares and pieces; what is nearly an order is no question."""

import pytest

from adjudicator.core.asking import is_question
from adjudicator.core.conditions import reads_as_orders
from adjudicator.core.orders import clean, number_lines
from adjudicator.games import GAMES
from tests.games.samples import of_games

QUESTIONS = of_games("lines", "QUESTIONS")
NEARLY = of_games("lines", "NEARLY")


def asks(game, text):
    lines = [line for line in number_lines(text.split("\n")) if clean(line.text)]
    if any(reads_as_orders(GAMES[game], [line]) for line in lines):
        return False
    return is_question(GAMES[game].orders.likeness(), lines)


@pytest.mark.parametrize(
    ("game", "text"), [(g, one) for g, all_ in QUESTIONS.items() for one in all_]
)
def test_a_question_may_name_squares_and_pieces(game, text):
    assert asks(game, text)
    assert not asks(game, text.replace("?", "."))


@pytest.mark.parametrize(("game", "text"), [(g, one) for g, all_ in NEARLY.items() for one in all_])
def test_what_is_nearly_an_order_is_no_question(game, text):
    assert not asks(game, text)


@pytest.mark.parametrize(("letters", "is_one"), [(49, False), (50, True)])
def test_a_line_goes_on_below_one_that_a_program_may_have_broken(letters, is_one):
    """What is nearly an order by itself is part of a question there."""
    above = "Can you please tell me whether I may move it ".ljust(letters, "x")
    lines = number_lines([above, "move c3 up now?"])
    assert is_question(GAMES["espionage"].orders.likeness(), lines) is is_one
