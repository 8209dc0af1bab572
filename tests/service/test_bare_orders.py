"""Bare orders between a greeting, a name and a banner, for each game: which lines are orders, which
are none, and which may be mistyped ones (emails, section 4)."""

import pytest

from adjudicator.core.orders import split_lines
from adjudicator.games import GAMES
from tests.games.samples import EXAMPLES, of_games
from tests.inside import parsed_email


def tidy(game: str) -> tuple[str, ...]:
    """Return the order lines of the game's first example."""
    first = EXAMPLES / game / "tidy.txt"
    return tuple(first.read_text("utf-8").splitlines()[1:-1])


ORDERS = {**{game: tidy(game) for game in GAMES}, **of_games("lines", "ORDERS")}
AROUND = [
    (("Hi,", ""), ()),
    (("Hei!",), ("Mvh Anna",)),
    (("Dear club,",), ("", "Best regards,", "Anna")),
    (("Hello Anna, here are my moves:", ""), ("", "Thanks! /A")),
    (
        ("Hej alla!", "Här kommer mina drag:"),
        ("Med vänliga hälsningar", "Anna Björk", "070-123 45 67"),
    ),
    (
        ("Hei, her er trekkene mine.",),
        ("Ha en fin dag!", "Vennlig hilsen", "Anna", "Tlf. 22 33 44 55"),
    ),
    (("CAUTION: This letter came from outside of the organisation.", ""), ()),
    (("[EXTERNAL]",), ()),
    (
        ("EXTERNAL EMAIL: Do not click links or open attachments unless you know the sender.", ""),
        (
            "",
            "This email and any files transmitted with it are confidential and intended solely for",
            "the use of the individual to whom they are addressed. If it has reached you in error,",
            "please tell the sender, take no copies and keep nothing of it.",
        ),
    ),
    (("Turn 1, take two: sorry for the delay!",), ("Take care,", "Anna")),
    (("Nice move! I did not see that coming.",), ("/A",)),
    (("Bob, well played.",), ("Keep well", "Anna", "Sent by me")),
    (("Moves:",), ("A.",)),
    (("Good evening", "", "I hope all is well with you and yours."), ("Love", "Anna", "Oslo")),
    ((), ("", "Cheers", "Anna", "--- ", "www.example.org", "+47 22 33 44 55")),
]  # fmt: skip


def found(game, *lines):
    return parsed_email.find_bare_orders(GAMES[game], split_lines("\n".join(lines)))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("above", "below"), AROUND)
def test_what_people_write_around_their_orders_is_no_order(game, above, below):
    bare = found(game, *above, *ORDERS[game], *below)
    assert [line.text for line in bare.orders] == [line for line in ORDERS[game] if line]
    assert bare.read
    assert [line.text for line in bare.others] == [line for line in (*above, *below) if line]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("above", "below"), AROUND)
def test_without_orders_none_of_it_is_meant_as_one(game, above, below):
    assert not found(game, *above, *below).orders


MISTYPED = of_games("lines", "MISTYPED")


@pytest.mark.parametrize("line", [(game, line) for game in MISTYPED for line in MISTYPED[game]])
@pytest.mark.parametrize("place", ["above", "below", "between", "below the name"])
def test_a_mistyped_order_is_never_passed_over(line, place):
    game, mistyped = line
    first, *others = ORDERS[game]
    lines = {
        "above": ("Hi,", mistyped, first, *others, "Anna"),
        "below": ("Hi,", first, *others, mistyped, "Anna"),
        "between": (first, mistyped, *others),
        "below the name": (first, *others, "Anna", mistyped),
    }[place]
    bare = found(game, *lines)
    assert mistyped in [line.text for line in bare.orders]
    assert bare.certain


@pytest.mark.parametrize("game", [game for game in GAMES if len(ORDERS[game]) > 1])
@pytest.mark.parametrize("prose", ["and", "Second, if I may:", "Anna", "I wonder what Bob does"])
def test_orders_in_two_places_are_refused_with_what_stands_between(game, prose):
    first, *others = (line for line in ORDERS[game] if line)
    bare = found(game, "Hi", first, "", prose, "", *others, "Anna")
    assert not bare.read
    assert prose in [line.text for line in bare.orders]


def test_rows_of_a_set_up_stand_with_their_head():
    rows = ("SETUP", "S5M12P34", "11223344", "HMMP2211")
    bare = found("espionage", "Hello!", *rows, "", "Best regards,", "Anna", "12 34 56 78")
    assert [line.text for line in bare.orders] == list(rows)
    assert bare.read
    wrong = found("espionage", *rows[:3], "HMMX2211", "Anna")
    assert [line.text for line in wrong.orders][-1] == "HMMX2211"
    assert not wrong.read


@pytest.mark.parametrize(
    ("game", "question"),
    [
        ("espionage", "Hello, how do I move two pieces?"),
        ("espionage", "General question: what does a Spy do?"),
        ("espionage", "If I lose my General, is the match over?"),
        ("spion", "How do I challenge somebody?"),
        ("spies", "May two spies stand in one city?"),
        ("spies", "Hva skjer hvis jeg ikke sender noe?"),
        ("spion", "Vad händer om jag passar?"),
        ("espionage", "Wie ziehe ich?"),
    ],
)
def test_a_question_is_no_order(game, question):
    assert not found(game, question, "Anna").orders
