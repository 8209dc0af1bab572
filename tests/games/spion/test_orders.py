"""Orders as players write them (rules 5.2), in three languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.orders import Line, split_lines
from adjudicator.games.spion.orders.parse import parse
from adjudicator.games.spion.orders.values import (
    ANY,
    Ambush,
    Answer,
    At,
    Challenge,
    Fifth,
    Goal,
    Keep,
    Move,
    Out,
    Pass,
    Phrase,
    Put,
    Refuse,
    Swap,
    canonical,
)
from tests.scale import examples

READ = {
    "MOVE NOR IF CARD, e2, NEAR HOL": Move(
        (Goal("NOR", if_card=True), Goal("e2"), Goal("HOL", near=True))
    ),
    "FLYTTA Norge OM KORT, E5, NÄRA Holland": Move(
        (Goal("NOR", if_card=True), Goal("e5"), Goal("HOL", near=True))
    ),
    "flytt Nederland hvis kort; nær Østerrike": Move(
        (Goal("HOL", if_card=True), Goal("OST", near=True))
    ),
    "move great britain": Move((Goal("BRI"),)),
    "MOVE e5 PATH b2 c2": Move((Goal("e5", path=("b2", "c2")),)),
    "CHALLENGE red 3 ATOM": Challenge("red", 3, "ATOM"),
    "UTMANA röd 3 fysik": Challenge("red", 3, "FYSIK"),
    "utfordre grønn 1 kjemi": Challenge("green", 1, "KEMI"),
    "AMBUSH red 2 KEMI VIA f2": Ambush("red", 2, "KEMI", "f2"),
    "SMYG blå 2 RYMD": Ambush("blue", 2, "RYMD"),
    "SWAP green": Swap("green"),
    "BYT gul": Swap("yellow"),
    "PASS": Pass(),
    "PLATS 2": Put(2),
    "FIFTH ATOM: OUT KEMI TO POR, DAN": Fifth("ATOM", Out("KEMI", ("POR", "DAN"))),
    "FEMTE atom UT 3 TILL por": Fifth("ATOM", Out(3, ("POR",))),
    "FIFTH *: REFUSE TO DAN": Fifth(ANY, Refuse(("DAN",))),
    "FEMTE *: AVSTÅ": Fifth(ANY, Refuse()),
    "ANSWER red: TAKE 3,1": Answer("red", (3, 1)),
    "SVAR * SLUTGILTIGT: TA 2 1 3 4": Answer(ANY, (2, 1, 3, 4), final=True),
    "ANSWER red FINAL: TAKE 1": Answer("red", (1,), final=True),
    "KEEP ATOM: PLACE 4": Keep("ATOM", At(4)),
    "BEHÅLL ATOM: UT 2 TILL Polen": Keep("ATOM", Out(2, ("POL",))),
    "KEEP *: REFUSE TO ITA": Keep(ANY, Refuse(("ITA",))),
    "PHRASE blå: hej": Phrase("blå: hej"),
    "Fras: grön: tjena": Phrase("grön: tjena"),
    "PHRASE": Phrase(""),
}


def read(text):
    return parse(split_lines(text))


@pytest.mark.parametrize("text", READ)
def test_a_line_is_understood(text):
    sheet = read(text)
    assert (sheet.orders, sheet.problems) == ((READ[text],), ())


LISTS = {
    "SWAP green, red": (Swap("green"), Swap("red")),
    "PLACE 2,3": (Put(2), Put(3)),
    "KEEP ATOM: PLACE 4,3": (Keep("ATOM", At(4)), Keep("ATOM", At(3))),
    "AMBUSH red 2 KEMI VIA f2, g2": (
        Ambush("red", 2, "KEMI", "f2"),
        Ambush("red", 2, "KEMI", "g2"),
    ),
}


@pytest.mark.parametrize("text", LISTS)
def test_a_list_of_values_is_as_many_lines(text):
    assert read(text).orders == LISTS[text]


@pytest.mark.parametrize("order", READ.values(), ids=str)
def test_an_order_is_read_again_from_its_canonical_text(order):
    assert read(canonical(order)).orders == (order,)


REFUSED = {
    "CHALENGE red 3 ATOM": "did you mean CHALLENGE red 3 ATOM?",
    "MOVE": "write it like MOVE NOR IF CARD, e2, NEAR DAN",
    "CHALLENGE red ATOM": "write it like CHALLENGE red 3 ATOM",
    "ANSWER red: TAKE": "write it like ANSWER red: TAKE 3,1",
    "MOVE ...": "'MOVE ...' is not filled in; write it like MOVE NOR IF CARD, e2, NEAR DAN",
    "CHALLENGE red ... …": "is not filled in; write it like CHALLENGE red 3 ATOM",
    "ANSWER red: TAKE ...": "is not filled in; write it like ANSWER red: TAKE 3,1",
    "go home": "a line begins with MOVE, CHALLENGE",
    "PHRASE ...": "replace the dots",
    "PHRASE " + "x" * 300: "this phrase has 300 characters",
    "MOVE " + "NOR, " * 200 + "NOR": "this line has",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_line_that_is_not_understood_is_answered_with_what_would_be_right(text):
    sheet = read(text)
    assert sheet.orders == ()
    assert REFUSED[text] in str(sheet.problems[0].message)


def test_the_whole_letter_of_the_rule_books_example_is_understood():
    sheet = read(
        """CHALLENGE red 3 ATOM
        CHALLENGE green 1 KEMI
        MOVE NOR IF CARD, e2
        FIFTH ATOM: OUT KEMI TO POR, DAN
        FIFTH *: REFUSE TO POR, DAN
        ANSWER *: TAKE 2,1,3,4
        KEEP ATOM: OUT KEMI TO ITA
        KEEP *: REFUSE TO ITA"""
    )
    assert (len(sheet.orders), sheet.problems) == (8, ())


WORDS = st.sampled_from(
    [
        *("MOVE", "NOR", "IF", "CARD", ",", "NEAR", "PATH", "b2", "c2", "great", "britain", "zz9"),
        *("CHALLENGE", "AMBUSH", "red", "3", "ATOM", "VIA", "SWAP", "PASS", "PLACE", "0", "999"),
        *("FIFTH", "KEEP", "*", ":", "OUT", "REFUSE", "TO", "ANSWER", "FINAL", "TAKE", "PHRASE"),
        "ø",
    ]
)


@pytest.mark.slow
@given(words=st.lists(WORDS, max_size=12))
@examples(300)
def test_whatever_is_understood_is_understood_again_as_it_is_written_down(words):
    for order in parse([Line(1, " ".join(words))]).orders:
        assert read(canonical(order)).orders == (order,)


@pytest.mark.parametrize(
    "text", ["PASS", "place 2", "CHALLENGE yellow 1 ATOM", "KEEP ATOM: PLACE 4"]
)
def test_a_full_stop_that_a_telephone_writes_at_the_end_of_a_line_does_no_harm(text: str) -> None:
    dotted = parse([Line(1, f"{text}.")])
    assert dotted.orders == parse([Line(1, text)]).orders
    assert dotted.problems == ()
    (phrase,) = parse([Line(1, "PHRASE the cat sat.")]).orders
    assert phrase == Phrase("the cat sat.")
    assert parse([Line(1, "MOVE ..")]).problems
