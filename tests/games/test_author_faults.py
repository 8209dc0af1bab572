"""What an author of a simple game gives and cannot be used is refused in one sentence: when the
game is made, or by the check that draws its boards."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.simple import (
    Look,
    Map,
    Option,
    SimpleOrders,
    Square,
    Squares,
    Thing,
    ValueTable,
    say,
)
from adjudicator.games import GAMES
from adjudicator.service.game_check import pages, table
from adjudicator.service.game_check.sample import Sample
from tests.games import small_games as small
from tests.games.standing import standing
from tests.printed import public_report, show


class Two(Struct, frozen=True):
    place: str


def orders(**given: Any) -> SimpleOrders[Any, Any]:
    own: dict[str, Any] = {
        "words": {"CLAIM": small.Claim},
        "examples": ("CLAIM b2",),
        "legal": small.legal,
        "many": lambda view: 2,
    }
    return SimpleOrders(**{**own, **given})


GIVEN: dict[str, tuple[dict[str, Any], str]] = {
    "a title of two lines": ({"title": "A\nB"}, "`title` is 'A\\nB'; give a text of one line"),
    "a title that is a sentence": ({"title": say("A")}, "`title` is Message"),
    "a gist that is a text": ({"gist": "A game."}, "`gist` is a str; give a sentence, as `say(…)`"),
    "a seat with a capital": ({"seats": {"North": say("North")}}, "the seat 'North' is not one wo"),
    "a seat of two lines": ({"seats": {"a\nb": say("North")}}, "the seat 'a\\nb' is not one word"),
    "a seat's title": ({"seats": {"north": "North"}}, "the title of seat north is a str; give a"),
    "a variant's name": ({"variants": {"small board": say("x")}}, "the variant 'small board' is n"),
    "a variant's title": ({"variants": {"small": "x"}}, "the title of variant small is a str"),
    "an option's name": ({"options": {"Rounds": Option(("2",))}}, "the option 'Rounds' is not a w"),
    "an option of numbers": ({"options": {"rounds": Option((2, 3))}}, "has values (2, 3); each is"),
    "an option's value of two words": ({"options": {"rounds": Option(("a b",))}}, "has values ('a"),
    "an option that is a text": ({"options": {"rounds": "2"}}, "the option rounds is a str; give "),
    "no words": ({"orders": orders(words={})}, "`orders.words` has no word with which an order be"),
    "a word of two words": ({"orders": orders(words={"MY CLAIM": small.Claim})}, "the word 'MY CL"),
    "words that fold to one": (
        {"orders": orders(words={"CLAIM": small.Claim, "Claim": Two})},
        "the words CLAIM and Claim of orders are read as the same",
    ),
    "a word for a value": (
        {"orders": orders(words={"CLAIM": small.Claim("a1")})},
        "give a type of",
    ),
    "a type under two words": (
        {"orders": orders(words={"CLAIM": small.Claim, "TAKE": small.Claim})},
        "a type of orders is under two words",
    ),
    "another word of none": ({"orders": orders(also={"krev": "KREV"})}, "reads 'krev' as 'KREV'"),
    "another word in capitals": ({"orders": orders(also={"KREV": "CLAIM"})}, "write 'krev'"),
    "no example": ({"orders": orders(examples=())}, "`orders.examples` are (); give at least one"),
    "an example that is a text": ({"orders": orders(examples="CLAIM")}, "in a tuple"),
    "how to order": ({"look": Look(how=["Write."])}, "`look.how` 1 is a str; give a sentence, as"),
    "rules": ({"look": Look(rules=[say("A."), "B."])}, "`look.rules` 2 is a str"),
    "reasons": ({"look": Look(reasons={"enough": "x"})}, "`look.reasons` 'enough' is a str"),
}


@pytest.mark.parametrize("case", GIVEN)
def test_what_needs_no_match_is_refused_when_the_game_is_made(case: str) -> None:
    given, said = GIVEN[case]
    with pytest.raises(TypeError) as refused:
        small.game("squares", **{"look": Look(), **given})
    assert str(refused.value).startswith("squares: ")
    assert said in str(refused.value)


def squares(**changes: Any) -> Callable[..., Squares]:
    return lambda view, words: replace(small.squares(view, words), **changes)


def one(square: object) -> Callable[..., Squares]:
    """Return what makes a board of one square."""
    return lambda view, words: Squares(["a"], [("1", [square])])  # type: ignore[list-item]


def town(**changes: Any) -> Callable[..., Map]:
    return lambda view, words: replace(small.towns(view, words), **changes)


def values(*parts: Any) -> Callable[..., ValueTable]:
    return lambda view, words: ValueTable(*parts)


LOOKS: dict[str, tuple[Look[Any, Any, Any], str]] = {
    "no board": (Look(board=lambda view, words: "a board"), "the board is a str; return a Value"),
    "an unknown style": (
        Look(board=one(Square("", [Thing("X", "ours", "x")]))),
        "a thing has the style 'ours'; there are 'mine', 'theirs', 'plain'",
    ),
    "an unknown ground": (
        Look(board=one(Square("lava"))),
        "a square has the ground 'lava'; there are '', 'water', 'dark', 'marked'",
    ),
    "a sign of two lines": (Look(board=one(Square("", [Thing("X\n", "mine", "x")]))), "more than "),
    "a thing that is said": (
        Look(board=one(Square("", [Thing("X", "mine", say("x"))]))),  # type: ignore[arg-type]
        "`told` of a thing in row '1' is a Message; give a text, as `words(say(…))`",
    ),
    "a text for a square": (Look(board=one("X")), "row '1' has a str in it; give a Square"),
    "a text for a thing": (Look(board=one(Square("", ["X"]))), "on a square; give a Thing"),  # type: ignore[list-item]
    "no squares": (Look(board=squares(rows=[])), "the board has no squares"),
    "a short row": (
        Look(board=squares(columns=[*"abcde"])),
        "row '3' has 4 squares, and the board",
    ),
    "two columns of one name": (Look(board=squares(columns=[*"abbA"])), "of a column is there twi"),
    "a column without a name": (Look(board=squares(columns=["", *"bcd"])), "of a column is empty"),
    "no places": (Look(board=town(places={}, ways=(), things={})), "the map has no places"),
    "a place outside": (
        Look(board=town(places={"a1": (101, 3)}, ways=(), things={})),
        "the place 'a1' is at (101, 3); x and y are whole numbers from 0 to 100",
    ),
    "a place at a fraction": (Look(board=town(places={"a1": (0.5, 3)}, ways=())), "whole numbers"),
    "two places on one spot": (
        Look(board=town(places={"a1": (3, 3), "a2": (3, 3)}, ways=(), things={})),
        "a spot on the map is there twice: (3, 3)",
    ),
    "a way to nowhere": (Look(board=town(ways=[("a1", "x9")])), "a way leads to 'x9', which is no"),
    "a thing nowhere": (Look(board=town(things={"x9": "X"})), "there is something at 'x9', which "),
    "a number on the map": (Look(board=town(things={"a1": 3})), "what is at 'a1' is a int; give a"),
    "a name of two lines": (
        Look(board=town(places={"a\n1": (3, 3)}, ways=(), things={})),
        "the name of a place has more than one line",
    ),
    "an empty table": (Look(board=values((), ())), "the table has no row and no sentence"),
    "a ragged table": (Look(board=values((), [("a", "b"), ("c",)])), "row 2 of the table has 1 ce"),
    "a head too few": (
        Look(board=values(("a",), [("a", "b")])),
        "row 1 of the table has 2 cells, ",
    ),
    "a number in a table": (
        Look(board=values((), [("a", 2)])),
        "a cell in row 1 of the table is a",
    ),
    "a row that is a text": (Look(board=values((), ["ab"])), "row 1 of the table is one text"),
    "a sentence that is not told": (Look(board=values((), (), [say("x")])), "above the table is a"),
    "an order beside the board": (
        Look(board=small.squares, square=lambda claim: "z9"),
        "CLAIM a3 is tapped on 'z9', which is not on the board",
    ),
    "an order beside the map": (
        Look(board=small.towns, square=lambda claim: claim.place),
        "CLAIM d3 is tapped on 'd3', which is not on the board",
    ),
    "an order tapped on a table": (
        Look(square=lambda claim: claim.place),
        "CLAIM a3 is tapped on 'a3', which is not on the board",
    ),
    "all on one square": (Look(board=small.squares, square=lambda claim: "a1"), "same square, a1"),
    "a square that is None": (
        Look(board=small.squares, square=lambda claim: None),  # type: ignore[arg-type, return-value]
        "`look.square` of CLAIM a3 is None; return a text, empty for a button",
    ),
    "a label that is not told": (
        Look(label=lambda claim, words: say("x")),  # type: ignore[arg-type, return-value]
        "`look.label` of CLAIM a3 is a Message; give a text",
    ),
    "an empty label": (Look(label=lambda claim, words: " "), "`look.label` of CLAIM a3 is empty"),
}


def checked(game: Any, monkeypatch: pytest.MonkeyPatch) -> Sample:
    monkeypatch.setitem(GAMES, game.slug, game)
    return Sample(game, "1", 1, "", 200)


@pytest.mark.parametrize("case", LOOKS)
def test_what_a_board_shows_is_found_by_the_check(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, said = LOOKS[case]
    sample = checked(small.game("squares", look), monkeypatch)
    found = [fault.told for fault in pages.drawings(sample)]
    assert any(said in one for one in found), found
    assert len(found) == len({*found})


def test_orders_that_are_there_twice_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = orders(legal=lambda view: small.legal(view) * 2)
    sample = checked(small.game("squares", Look(), orders=twice), monkeypatch)
    assert "CLAIM a3 is 2 times among the legal orders" in [
        fault.told for fault in pages.drawings(sample)
    ]


def test_news_that_is_not_said_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    look: Look[Any, Any, Any] = Look(news=lambda news: "x")  # type: ignore[arg-type, return-value]
    sample = checked(small.game("squares", look), monkeypatch)
    results = {one.check: one for one in table.run(sample)}
    assert results["pages"].state == "wrong"
    assert "`look.news` returns 'x'; return a sentence" in results["pages"].found[0].told


def test_an_example_that_is_no_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    given = orders(examples=("CLAIM b2", "TAKE b3"))
    sample = checked(small.game("squares", Look(), orders=given), monkeypatch)
    (fault,) = pages.examples(sample)
    assert fault.told == "the example 'TAKE b3' is not read as an order"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"contract": 7}, "it is written for the contract 7, and this adjud has 1"),
        ({"slug": "My Game"}, "slug 'My Game' is not one word of 2 to 20 letters from a to z"),
        (
            {"options": {"deadline": Option(("2",)), "rounds": Option(("2",))}},
            "option deadline is one of every match; give it another name",
        ),
    ],
)
def test_what_a_game_says_of_itself_is_found(given: dict[str, Any], said: str) -> None:
    game = small.game(**{"slug": "squares", "look": Look(), **given})
    assert said in [fault.told for fault in table.names(Sample(game, "1", 1, ""))]


@pytest.mark.parametrize("game", small.SMALL.values(), ids=[*small.SMALL])
def test_small_games_have_no_such_fault(game: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = checked(game, monkeypatch)
    assert [*pages.drawings(sample)] == []
    assert [*pages.examples(sample)] == []


def test_signs_of_html_in_names_are_shown_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a map, on squares and in a table: nothing of it becomes a tag."""
    name = "<b>&\"'"
    looks: list[Look[Any, Any, Any]] = [
        Look(board=town(places={name: (3, 3)}, ways=(), things={name: name})),
        Look(board=one(Square("", [Thing(name, "mine", name)]))),
        Look(board=values((name,), [(name,)], [name])),
    ]
    for look in looks:
        game = small.game("squares", look)
        monkeypatch.setitem(GAMES, "squares", game)
        state = next(iter(Sample(game, "1", 1, "").played)).plies[0].before
        report = public_report(standing(game, state).loaded, game.seats[0])
        for form in ("html", "letter", "svg"):
            shown = show(report, form)
            assert "<b>&" not in shown
            assert "&lt;b&gt;&amp;" in shown


def test_the_templates_know_all_grounds_and_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudicator.core.simple.board_faults import GROUNDS, STYLES

    row = [Square(ground, [Thing("X", style, "x")]) for ground in GROUNDS for style in STYLES]
    board = Squares([*map(str, range(len(row)))], [("a", row)])
    game = small.game("squares", Look(board=lambda view, words: board))
    monkeypatch.setitem(GAMES, "squares", game)
    state = next(iter(Sample(game, "1", 1, "").played)).plies[0].before
    report = public_report(standing(game, state).loaded, game.seats[0])
    for form in ("html", "letter", "svg"):
        assert "X" in show(report, form)
