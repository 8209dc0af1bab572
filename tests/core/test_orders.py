"""Every line of orders is cleaned before a game reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.message import say
from adjudicator.core.orders import (
    Line,
    Problem,
    Sheet,
    WrittenOrder,
    clean,
    cleaned,
    folded,
    nearest,
    problem,
    shown,
    split_lines,
    unstopped,
)
from tests.scale import examples


@pytest.mark.parametrize(
    "written",
    [
        "d3-d4",
        "  d3-d4\t",
        "d3\u2010d4",  # hyphen
        "d3\u2011d4",  # non-breaking hyphen
        "d3\u2012d4",  # figure dash
        "d3\u2013d4",  # en dash
        "d3\u2014d4",  # em dash
        "d3\u2015d4",  # horizontal bar
        "d3\u2212d4",  # minus
        "d3\ufe63d4",  # small hyphen
        "d3\uff0dd4",  # full-width hyphen
        "\uff44\uff13\uff0d\uff44\uff14",  # all of it full-width
        "\ufeffd3-d4",  # byte-order mark
        "d3\u200b-\u200dd4",  # zero-width space and joiner
        "\u202ad3-d4\u202c",  # direction marks
        "\u2066d3-d4\u2069",
        "d\u00ad3-d4",  # soft hyphen
        "d3-d4\ufe0f",  # a sign that chooses a form of the one before
        "\ufffcd3-d4",  # where a picture stood
        "\u061cd3\u034f-d4\u180e",
        "\u00a0d3-d4\u202f",  # no-break spaces
        "1. d3-d4",
        "2) d3-d4",
        "12.\u00a0d3-d4",
        "1.d3-d4",
        "- d3-d4",
        "– d3-d4",
        "* d3-d4",
        "\u2022\td3-d4",  # bullet
        "  \u2022\u00a0d3-d4",
        "- 1. d3-d4",
        "d3-d4 # forward",
        "d3-d4// forward",
        "d3-d4 #// forward",
        "**d3-d4**",
        "_d3-d4_",
        "`d3`-`d4`",
        "1. **d3-d4**",
        "·\u00a0\u00a0 d3-d4",
        "o\td3-d4",
        "\uf0a7  d3-d4",
        "✅ d3-d4",
        "- [x] d3-d4",
        "d3\\-d4",
        "&bull; d3-d4",
    ],
)
def test_signs_that_mail_programs_and_phones_put_in_do_no_harm(written: str):
    assert clean(written) == "d3-d4"


def test_no_break_spaces_become_spaces():
    assert clean("d3\u00a0to\u202fd4\u3000x") == "d3 to d4 x"


@pytest.mark.parametrize("arrow", [*"→➔➜➡⇒⟶►›»àèÞ®\uf0e0\uf0e8\uf0ae", "➡\ufe0f", "&gt;"])
def test_arrows_become_the_plain_sign(arrow: str):
    assert clean(f"d3{arrow}d4") == "d3>d4"


@pytest.mark.parametrize("cross", "×✕✖\uf0b4")
def test_a_cross_between_squares_becomes_an_x(cross: str):
    assert clean(f"d3 {cross} d4") == "d3 x d4"
    assert clean(f"3 {cross} 4") == f"3 {cross} 4"


@pytest.mark.parametrize("fence", ["```", "```text", "~~~"])
def test_the_fence_of_a_block_says_nothing(fence: str):
    assert clean(fence) == ""


@pytest.mark.parametrize(
    "kept",
    [
        "o d3-d4",
        "❌ d3-d4",
        "~~d3-d4~~",
        "│ d3-d4",
        "d4 ← d3",
        "ANSWER *: TAKE 1",
        "5: a2",
        "à",
        "·",
    ],
)
def test_what_may_say_something_stays(kept: str):
    assert clean(kept) == kept


def test_the_stars_of_a_line_do_not_take_the_star_in_it():
    assert clean("**ANSWER *: TAKE 1**") == "ANSWER *: TAKE 1"
    assert clean("*ANSWER* *: TAKE 1") == "ANSWER *: TAKE 1"


def test_pictures_at_the_end_say_nothing():
    assert unstopped("d3-d4 👍") == "d3-d4"
    assert unstopped("d3-d4. 🙂✅") == "d3-d4"
    assert unstopped("d3 →") == "d3 →"


def test_quotes_become_plain():
    assert clean("“d3-d4” ‘x’ «y»") == '"d3-d4" \'x\' "y"'


@pytest.mark.parametrize("kept", ["1 d3-d4", "1S25MP31S4", "3.5", "10:30", "a. b"])
def test_a_number_that_is_no_list_number_stays(kept: str):
    assert clean(kept) == kept


@pytest.mark.parametrize(
    "kept", ["--", "-- Anna", "-d3", "*", "*d3", "d3*d4", "d3 - d4", "----- x"]
)
def test_a_dash_or_star_that_is_no_bullet_stays(kept: str):
    assert clean(kept) == kept


@pytest.mark.parametrize("nothing", ["", "   ", "# remark", "// too", "3.", "\ufeff", "\u200b"])
def test_a_line_may_say_nothing(nothing: str):
    assert clean(nothing) == ""
    assert list(cleaned([Line(1, nothing)])) == []


@given(st.text())
@examples(200)
def test_any_text_can_be_cleaned_folded_and_shown(text: str):
    assert clean(text) == clean(text).strip()
    folded(text)
    assert shown(text).isprintable()
    assert len(shown(text)) <= 40


@given(st.text())
@examples(200)
def test_what_was_cleaned_and_has_no_list_number_is_clean(text: str):
    """Only one list number is dropped, and `1. 2. d3-d4` has two; bullets likewise."""
    once = clean(f"d {text}")
    assert clean(once) == once


def test_lines_end_at_each_kind_of_line_end_and_are_numbered_from_1():
    assert split_lines("a\nb\r\nc\rd") == (Line(1, "a"), Line(2, "b"), Line(3, "c"), Line(4, "d"))


def test_nothing_else_ends_a_line():
    """If form feeds, line separators and the like did, lines would have other numbers than in an
    editor."""
    odd = "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g"
    assert split_lines(odd) == (Line(1, odd),)


def test_empty_lines_count():
    assert [line.number for line, _ in cleaned(split_lines("\n\nd3-d4\n# no\nf3-f4\n"))] == [3, 5]


@given(st.text())
@examples(200)
def test_no_character_is_lost_between_the_lines(text: str):
    lines = split_lines(text)
    assert "\n".join(line.text for line in lines) == text.replace("\r\n", "\n").replace("\r", "\n")
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("LØYTNANT", "loytnant"),
        ("Löjtnant", "lojtnant"),
        ("o\u0308verste", "overste"),  # written with a combining mark
        ("Överste", "overste"),
        ("Sør", "sor"),
        ("minröjare", "minrojare"),
        ("UPPSTÄLLNING", "uppstallning"),
        ("Æ", "ae"),
        ("OMGÅNG", "omgang"),
    ],
)
def test_a_word_is_looked_up_without_case_and_accents(word: str, plain: str):
    assert folded(word) == plain


def test_what_a_player_wrote_is_quoted_on_one_line_and_not_too_long():
    assert shown("  d3-d4 ") == "d3-d4"
    assert shown("d3\x00\x1b[31m\nd4") == "d3��[31m�d4"
    assert shown("x" * 40) == "x" * 40
    assert shown("x" * 41) == "x" * 39 + "…"
    assert shown("abcdef", limit=4) == "abc…"


def test_direction_marks_are_not_quoted_back():
    """They could turn the text of a letter round."""
    assert "\u202e" not in shown("a\u202eb")


def test_the_nearest_known_word_is_found_over_case_and_accents():
    assert nearest("loitnant", ("løytnant", "spy")) == "løytnant"
    assert nearest("SPYY", ("løytnant", "spy")) == "spy"
    assert nearest("zebra", ("løytnant", "spy")) is None
    assert nearest("", ("spy",)) is None


def test_a_problem_keeps_its_line_as_it_was_written():
    made = problem(Line(7, "  d3 – "), say("no"))
    assert made == Problem(7, "  d3 – ", say("no"))


def test_a_sheet_gives_its_orders_in_the_order_of_writing():
    sheet = Sheet((WrittenOrder("b", Line(1, "b")), WrittenOrder("a", Line(2, "a"))), ())
    assert sheet.orders == ("b", "a")
