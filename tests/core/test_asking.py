"""A question may name squares and pieces; what is nearly an order is no question."""

import pytest

from adjudicator.core.asking import is_question
from adjudicator.core.conditions import reads_as_orders
from adjudicator.core.orders import clean, numbered
from adjudicator.games import GAMES

QUESTIONS = {
    "espionage": (
        "Can my spy on c3 go to c4?",
        "Is c3-c4 allowed?",
        "Why was c3-c4 refused?",
        "Should I play c3-c4 or g3-g4?",
        "c3-c4 was refused, why?",
        "Hvorfor ble brikken min på c3 tatt?",
        "Kan c3 slå c4?",
        "Gjelder c3-c4 fortsatt?",
        "Varför slogs min pjäs på c3 av d4?",
        "Får jag flytta c3 till c4 om det står en mina där?",
        "Hi,\n\nmy General on c3 was captured by the piece on c4.\nHow can that be?\n\nAnna",
        "If I move c3-c4, can the piece on d4 capture it?",
        "Hello! Can a Mine move? And what about the Headquarters on a1?",
        "Can my general, which stands beside the headquarters of Bob, attack the\nspy on c4?",
        "Is it still my turn, or did c3-c4 count?",
    ),
    "spion": (
        "Can I challenge red with KEMI?",
        "Why did my challenge to blue fail?",
        "Does the path a12 to b12 count as one step?",
        "Får jag utmana röd två gånger?",
    ),
    "spies": (
        "Can G3 go to Berlin?",
        "Hvorfor kan ikke R2 reise til Roma?",
        "What is P-3 worth?",
        "Kan R2 ta pengarna i Berlin?",
    ),
}
NEARLY = {
    "espionage": (
        "c3-c44\n\nWhen is the deadline?",
        "c3-c44\nIs that right?",
        "c3-c4 ok?",
        "c3-c4, right?",
        "move c3 to c4?",
        "Please move c3 to c4?",
        "I go c3 to c4?",
        "c3 til c4?",
        "c3>c44 (allowed?)",
        "d3-d44 when is the deadline?",
        "Setup\n1S25PS14\n1122SP3S\nMHMX543P\nIs this right?",
    ),
    "spion": ("CHALLENGE red KEMMI?", "move k5?"),
    "spies": ("G3 Berlin?", "kill R2?", "TAKE G3?"),
}


def asks(game, text):
    lines = [line for line in numbered(text.split("\n")) if clean(line.text)]
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
    lines = numbered([above, "move c3 up now?"])
    assert is_question(GAMES["espionage"].orders.likeness(), lines) is is_one
