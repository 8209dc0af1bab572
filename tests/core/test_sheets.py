"""The frame ORDERS ... END and what stands around it (interface, section 2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.sheets import MOST_SHEETS, Head, read_sheets, without_prefixes
from tests.scale import examples


def only(text):
    (sheet,) = read_sheets(text).sheets
    return sheet


def test_a_head_names_match_seat_turn_revision_and_key():
    sheet = only("ORDERS espionage-17 white turn 12 rev 3 key k3f5qw\nd3-d4\nEND")
    assert sheet.head == Head("espionage-17", "white", 12, 3, "k3f5qw")
    assert [line.text for line in sheet.body] == ["d3-d4"]
    assert sheet.problems == ()


def test_keywords_are_understood_in_three_languages_and_any_case():
    for head, end in (
        ("ordre m hvit runde 2", "slutt"),
        ("Order m vit omgång 2", "Slut"),
        ("ＯＲＤＥＲＳ m white TURN 2", "\u200bEND\u00a0"),
        ("\ufeffORDERS m white turn 2", "END  # done"),
    ):
        sheet = only(f"{head}\nd3-d4\n{end}")
        assert sheet.head is not None
        assert (sheet.head.match, sheet.head.turn) == ("m", 2)


HEADS = [
    "ORDERS: m white turn 1", "ORDERS m, white, turn 1", "ORDERS m white turn 1:",
    "ORDERS m white turn #1", "ORDERS m white turn # 1", "ORDERS m white turn no. 1",
    "ORDERS m white turn nr 1", "ORDERS m white turn № 1", "ORDERS m white turn: #1.",
    "ORDERS m – white – turn 1", "ORDERS (m, white, turn 1)", "[ORDERS] m [white] turn 1",
    "*ORDERS m white turn 1*", "**ORDERS** m white **turn 1**", "“ORDERS m white turn 1”",
    "--- ORDERS m white turn 1 ---", "ORDERS m white turn1", "ORDERS m white turn=1",
    "ORDERS m.white turn 1", "ORDERS m/white/turn 1", "ORDERS; m; white; turn 1;",
    "ORDERS match: m seat: white turn: 1", "ORDERS match=m, seat=white, turn=1",
    "Orders m white turn 1:", "orders, m, white, turn 1", "· ORDERS m white turn 1",
    "ORDERS m white turn 1 👍", "`ORDERS m white turn 1`", "ORDERS m white turn 1 turn 1",
    "ORDERS\u00a0m\u00a0white\u00a0turn\u00a01\u00a0", "＊ORDERS m white turn ＃1＊",
]  # fmt: skip
ENDS = [
    "END.", "END!", "End .", "- END", "END;", "*END*", "END \u00a0", "**END**", "END,", "(END)",
    "_END_", "END…", "--- END ---", "END:", "“END”", "•\tEND", "END 👍", "`END`", "END.\u200b",
    "=END=", "slutt.", "Slut!", "SLUTT ;",
]  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
def test_signs_between_the_words_of_a_head_say_nothing(head):
    sheet = only(f"{head}\nd3-d4\nEND")
    assert sheet.head == Head("m", "white", 1)
    assert sheet.problems == ()


@pytest.mark.parametrize(
    ("written", "head"),
    [
        ("ORDRE: m, hvit, runde nr. 1", Head("m", "hvit", 1)),
        ("ORDER parti: m, plats: vit, omgång: #1", Head("m", "vit", 1)),
        ("ORDRE m, plass: hvit, runde 1, revisjon 2", Head("m", "hvit", 1, 2)),
        (
            "ORDERS a-2-b: white, turn 12 (rev. #3), key: k3f5qw.",
            Head("a-2-b", "white", 12, 3, "k3f5qw"),
        ),
        ("ORDERS turn-1 white turn-2", Head("turn-1", "white", 2)),
        ("ORDERS m white turn 1 #2 of my plans", Head("m", "white", 1)),
    ],
)
def test_so_in_other_languages_and_beside_a_key(written, head):
    sheet = only(f"{written}\nd3-d4\nEND")
    assert (sheet.head, sheet.problems) == (head, ())


@pytest.mark.parametrize("end", ENDS)
def test_signs_around_end_say_nothing(end):
    assert [line.text for line in only(f"ORDERS m white\nd3-d4\n{end}\nAnna").body] == ["d3-d4"]


@pytest.mark.parametrize("line", ["END?", "END game", "the END", "> END", "~~END~~", "E.N.D."])
def test_what_only_looks_like_end_is_none(line):
    assert "have no END" in str(only(f"ORDERS m white\nd3-d4\n{line}").problems[0].message)


@pytest.mark.parametrize(
    ("head", "seen"),
    [
        ("ORDERS m white turn 1, turn 2", "turn 2"),
        ("ORDERS m white turn 1 2", "2"),
        ("ORDERS m white turn 1-2", "turn 1-2"),
        ("ORDERS m white turn 1/2", "2"),
        ("ORDERS m white turn 1.5", "5"),
        ("ORDERS m white turn 1?", "turn 1?"),
        ("ORDERS m white, black turn 1", "black"),
        ("ORDERS m white turn #", "turn"),
        ("ORDERS m white rev 1 rev 2", "rev 2"),
    ],
)
def test_a_head_that_says_two_things_of_a_kind_is_refused(head, seen):
    told = f"I do not understand '{seen}' here; write ORDERS match seat turn 7"
    assert told in [str(one.message) for one in only(f"{head}\nd3-d4\nEND").problems]


@pytest.mark.parametrize(
    "prose",
    [
        "Orders for turn 5:", "Orders for turn 5:\nHi there", "ORDERS: see below", "Order, please.",
        "ORDERS, as promised:", "Orders:", "ORDERS:", "~~ORDERS m white turn 1~~",
    ],
)  # fmt: skip
def test_a_heading_above_a_sheet_is_none(prose):
    reading = read_sheets(f"{prose}\n\nORDERS m white\nd3-d4\nEND")
    assert [(sheet.head, sheet.problems) for sheet in reading.sheets] == [(Head("m", "white"), ())]
    assert [line.text for line in reading.ignored] == prose.split("\n")


def test_a_frame_without_end_is_refused_whatever_follows():
    for text in ("ORDERS m white\nd3-d4", "ORDERS m white\nd3-d4\nORDERS m black\na8-a7\nEND"):
        sheets = read_sheets(text).sheets
        assert "have no END" in str(sheets[0].problems[0].message)


def test_several_sheets_may_stand_in_one_text():
    reading = read_sheets("ORDERS m white\nEND\nsee you\nORDERS n black\nEND\n")
    assert [sheet.head.match for sheet in reading.sheets if sheet.head] == ["m", "n"]
    assert [line.number for line in reading.ignored] == [3]


def test_prose_that_begins_with_order_is_no_sheet():
    reading = read_sheets("Orders below.\nOrder of the day: none\nOrders follow\n\nBye")
    assert reading.sheets == ()
    assert len(reading.ignored) == 4


def test_a_slip_in_a_head_is_told_with_what_was_probably_meant():
    sheet = only("ORDERS m white turm 3\nEND")
    assert [str(problem.message) for problem in sheet.problems] == [
        "'turm': did you mean turn?",
        "I do not understand '3' here; write ORDERS match seat turn 7",
    ]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("ORDRS", "ORDERS"), ("Oders", "ORDERS"), ("ORDEERS", "ORDERS"), ("ODRRE", "ORDRE")],
)
def test_a_misspelt_head_is_told_with_what_was_probably_meant(typed, meant):
    sheet = only(f"Hello\n{typed} m white turn 3\nd3-d4\nEND\nBye")
    assert [str(problem.message) for problem in sheet.problems] == [
        f"'{typed}': did you mean {meant}?"
    ]
    assert (sheet.head.match, sheet.head.turn) == ("m", 3)
    assert [line.text for line in sheet.body] == ["d3-d4"]


def test_prose_that_begins_with_a_word_like_order_is_no_sheet():
    text = "Older people say\nBorder town\nothers\nORDER OF THE DAY\nordered two pizzas"
    assert read_sheets(text).sheets[1:] == ()
    reading = read_sheets("Older people say\nORDERS m white\nEND")
    assert [sheet.problems for sheet in reading.sheets] == [()]
    assert [line.number for line in reading.ignored] == [1]


def test_within_a_sheet_nothing_is_a_misspelt_head():
    sheet = only("ORDERS m white\nORDRS d3-d4\nEND")
    assert [line.text for line in sheet.body] == ["ORDRS d3-d4"]


@pytest.mark.parametrize("prefix", ["> ", ">", ">> ", "| ", "  : ", ">| >"])
def test_a_frame_behind_one_prefix_is_read_without_it(prefix):
    lines = ["ORDERS m white", "d3-d4", "", "f3-f4", "END"]
    text = "\n".join(["Hi", *(f"{prefix}{line}".rstrip() for line in lines), "> Bye"])
    assert without_prefixes(text) == "\n".join(["Hi", *lines, "> Bye"])


@pytest.mark.parametrize(
    "text",
    [
        "> ORDERS m white\n| d3-d4\n> END",
        "> ORDERS m white\nd3-d4\n> END",
        "> ORDERS m white\n> d3-d4",
        "> ORDERS m white\n> ORDERS m white",
        "> Hello\n> END",
        "",
    ],
)
def test_what_is_no_frame_behind_one_prefix_stays(text):
    assert without_prefixes(text) == text


def test_a_frame_behind_a_prefix_may_follow_one_that_is_unfinished():
    text = "> ORDERS m white\n> ORDERS n black\n> END"
    assert without_prefixes(text) == "> ORDERS m white\nORDERS n black\nEND"


def test_what_may_be_said_beside_orders_is_taken_out_of_them():
    sheet = only("ORDERS m white\nGI OPP\nremi\nd3-d4\nNot ready\nEND")
    assert [command.word for command in sheet.commands] == ["RESIGN", "DRAW", "NOTREADY"]
    assert [line.text for line in sheet.body] == ["d3-d4"]


def test_a_number_of_a_head_has_nine_digits_at_most():
    nine, ten = only("ORDERS m white turn 999999999\nEND"), only("ORDERS m turn 1000000000\nEND")
    assert nine.head.turn == 999_999_999
    assert nine.problems == ()
    assert ten.head.turn is None
    assert len(ten.problems) == 1


@pytest.mark.parametrize(("strange", "told"), [(1, 1), (5, 5), (6, 5)])
def test_five_words_of_a_head_that_are_not_understood_are_answered(strange: int, told: int):
    assert len(only(f"ORDERS m white {'12 ' * strange}\nEND").problems) == told


def test_the_heads_of_a_hundred_sheets_are_answered_and_no_more():
    sheets = read_sheets("ORDERS m 12\nEND\n" * (MOST_SHEETS + 1)).sheets
    assert MOST_SHEETS == 100
    assert [len(sheet.problems) for sheet in sheets] == [1] * MOST_SHEETS + [0]


@pytest.mark.parametrize(
    ("text", "sheets"),
    [
        ("Orders follow\nBye", 0),
        ("Orders\nBye", 0),
        ("Orders m white\nd3-d4", 1),
        ("ORDERS m\nd3-d4", 1),
        ("Orders m\nd3-d4\nEND", 1),
        ("Ordrs m white\nd3-d4", 0),
    ],
)
def test_without_an_end_two_words_in_small_letters_are_no_head(text: str, sheets: int):
    reading = read_sheets(text)
    assert len(reading.sheets) == sheets
    assert len(reading.ignored) == (0 if sheets else 2)


@examples(300)
@given(st.text(alphabet=st.sampled_from("ORDESNt \n#1-dé\u200b\r"), max_size=80) | st.text())
def test_reading_never_raises_and_loses_no_line(text):
    reading = read_sheets(text)
    inside = sum(len(sheet.body) + len(sheet.commands) for sheet in reading.sheets)
    assert inside + len(reading.ignored) <= len(text) + 1
