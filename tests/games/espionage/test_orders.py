"""Test how orders may be written (rules 7.1-7.3, interface section 2), and what is said of those
that were not understood or are not allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.orders import Line, Sheet, cleaned, split_lines
from adjudicator.games.espionage.orders.check import check
from adjudicator.games.espionage.orders.parse import parse
from adjudicator.games.espionage.orders.values import (
    AutoSetUp,
    Move,
    Order,
    Places,
    RandomSetUp,
    Rows,
    canonical,
)
from adjudicator.games.espionage.rules.board import BOARDS, Square
from adjudicator.games.espionage.rules.pieces import BLACK, WHITE, Piece, Rank
from adjudicator.games.espionage.rules.state import Settings, State, Step
from adjudicator.games.espionage.sight.observe import observe
from tests.scale import examples


def read(text: str) -> Sheet[Order]:
    return parse(split_lines(text))


def step(start: str, target: str, claimed: Rank | None = None) -> Move:
    return Move(Square(start), Square(target), claimed)


# What is understood: steps (7.2).


@pytest.mark.parametrize(
    "text",
    [
        "d3-d4",
        "d3 d4",
        "d3d4",
        "D3 – D4",
        "d3>d4",
        "d3xd4",
        "MOVE d3 TO d4",
        "d3 north",
        "d3 nord",
        "d3 norr",
        # The same, untidy.
        "D3-D4",
        "D3D4",
        "D3XD4",
        "d3 x d4",
        "d3 - d4",
        "d3->d4",
        "d3 --> d4",
        "d3=>d4",
        "d3--d4",
        "d3 → d4",
        "d3—d4",
        "d3−d4",
        "d3‑d4",
        "d03-d04",
        "move d3-d4",
        "Move d3 d4",
        "d3 to d4",
        "flytt d3 til d4",
        "flytta d3 till d4",
        "MOVE D3 NORTH",
        "d3 NORR",
        "d3-nord",
        "move d3 to north",
        "1. d3-d4",
        "1) d3-d4",
        "1.d3-d4",
        "- d3-d4",
        "* d3-d4",
        "• d3-d4",
        "– d3-d4",
        "d3-d4.",
        "d3-d4,",
        "d3-d4;",
        '"d3-d4"',
        "“d3-d4”",
        "  d3-d4  ",
        "\td3\td4",
        "d3-d4 # a comment",
        "d3-d4 // a comment",
        "ｄ３－ｄ４",
        "Ｄ３　Ｄ４",
        "d3\u00a0d4",
        "d3\u202f-\u202fd4",
        "\ufeffd3-d4",
        "d3\u200b-\u200bd4",
        "\u2066d3-d4\u2069",
    ],
)
def test_a_step_may_be_written_in_many_ways(text: str):
    assert read(text).orders == (step("d3", "d4"),)
    assert read(text).problems == ()


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (("north", "nord", "norr"), "d4"),
        (("south", "sør", "sor", "syd", "söder"), "d2"),
        (("east", "øst", "ost", "öst", "öster"), "e3"),
        (("west", "vest", "väst", "väster"), "c3"),
    ],
)
def test_directions_are_absolute_in_three_languages(words: tuple[str, ...], target: str):
    for word in words:
        for written in (word, word.upper(), word.capitalize()):
            assert read(f"d3 {written}").orders == (step("d3", target),), written


@pytest.mark.parametrize(
    "text",
    [
        "d3-d4\nf3-f4",
        "d3-d4\r\nf3-f4\r\n",
        "\n\nd3-d4\n\n# then\nf3-f4\n",
        "d3-d4, f3-f4",
        "d3-d4,f3-f4",
        "d3-d4; f3-f4",
        "d3-d4 f3-f4",
        "d3 d4 f3 f4",
        "d3d4f3f4",
        "d3 north, f3 north",
        "d3 north f3 north",
        "move d3 to d4; move f3 to f4",
        "1. d3-d4\n2. f3-f4",
        "1) d3-d4\n2) f3-f4",
        "- d3-d4\n- f3-f4",
        "d3-d4,\nf3-f4.",
    ],
)
def test_both_steps_may_stand_on_one_line_or_on_two(text: str):
    sheet = read(text)
    assert sheet.problems == ()
    assert sheet.orders == (step("d3", "d4"), step("f3", "f4"))


NAMES = {
    Rank.CORPORAL: ("1", "corporal", "korporal", "korpral", "cor", "kor"),
    Rank.LIEUTENANT: ("2", "lieutenant", "løytnant", "löjtnant", "loytnant", "LÖJTNANT", "l"),
    Rank.CAPTAIN: ("3", "captain", "kaptein", "kapten", "cap", "kap"),
    Rank.COLONEL: ("4", "colonel", "oberst", "överste", "overste", "col", "ö", "ob", "o"),
    Rank.GENERAL: ("5", "general", "gen", "g"),
    Rank.SPY: ("S", "s", "spy", "spion", "sp"),
    Rank.SAPPER: ("P", "p", "sapper", "minerydder", "minröjare", "sa", "miner", "minr"),
    Rank.MINE: ("M", "m", "mine", "mina", "MINE"),
    Rank.HEADQUARTERS: (
        *("H", "h", "headquarters", "hovedkvarter", "högkvarter", "he", "ho", "hog", "hög"),
    ),
}


@pytest.mark.parametrize(
    ("rank", "name"), [(rank, name) for rank, names in NAMES.items() for name in names]
)
def test_the_piece_may_be_named_in_three_languages_and_by_its_beginning(rank: Rank, name: str):
    if name in ("miner", "minr"):  # minerydder, minröjare: the Mine begins otherwise
        assert "mine".startswith(name) is False
    for written in (f"{name} d3-d4", f"{name} d3 north", f"move {name} d3 to d4"):
        assert read(written).orders == (step("d3", "d4", rank),), written
    assert read(f"{name} d3-d4, {name} f3-f4").orders == (
        step("d3", "d4", rank),
        step("f3", "f4", rank),
    )


def test_a_bare_digit_before_a_step_is_a_rank_and_a_list_number_is_none():
    assert read("1 d3-d4").orders == (step("d3", "d4", Rank.CORPORAL),)
    assert read("1. d3-d4").orders == (step("d3", "d4"),)
    assert read("1. 2 d3-d4").orders == (step("d3", "d4", Rank.LIEUTENANT),)


# What is understood: set-ups (7.3).

LARGE = ("1S25MP31S4", "1122SP3SMP", "M1H3S5M24P")
SMALL = ("11S2P3M4", "1SS25P3M", "1H2S45PM")


@pytest.mark.parametrize(
    "text",
    [
        "SETUP\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24P",
        "setup\n1s25mp31s4\n1122sp3smp\nm1h3s5m24p",
        "SETUP:\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24P",
        "SET-UP\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24P",
        "Set up\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24P",
        "OPPSTILLING\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24P",
        "UPPSTÄLLNING\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24P",
        "uppstallning\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24P",
        "SETUP\n1 S 2 5 M P 3 1 S 4\n1 1 2 2 S P 3 S M P\nM 1 H 3 S 5 M 2 4 P",
        "SETUP\n1S25MP31S41122SP3SMPM1H3S5M24P",
        "SETUP 1S25MP31S4 1122SP3SMP M1H3S5M24P",
        "SETUP\n1S25M\nP31S4\n1122S\nP3SMP\nM1H3S\n5M24P",
        "SETUP\n1S25MP31S4 # front\n\n1122SP3SMP // middle\nM1H3S5M24P",
        "SETUP\n1. 1S25MP31S4\n2. 1122SP3SMP\n3. M1H3S5M24P",
        "ＳＥＴＵＰ\n１Ｓ２５ＭＰ３１Ｓ４\n1122SP3SMP\nM1H3S5M24P",
        "SETUP\n1S25MP31S4\u00a0\n\u200b1122SP3SMP\n\ufeffM1H3S5M24P",
        "SETUP\n1S25MP31S411\n22SP3SMP\nM1H3S5M24P",
    ],
)
def test_a_set_up_may_be_written_in_rows_however_the_lines_are_broken(text: str):
    sheet = read(text)
    assert sheet.problems == ()
    assert sheet.orders == (Rows(LARGE),)


def test_the_small_board_has_rows_of_eight():
    assert read("SETUP\n" + "".join(SMALL)).orders == (Rows(SMALL),)


@pytest.mark.parametrize(
    "text",
    [
        *("SETUP RANDOM", "setup random", "SETUP: random", "SETUP\nRANDOM", "Set-up Random"),
        *("OPPSTILLING TILFELDIG", "UPPSTÄLLNING SLUMP", "uppställning slumpad", "SETUP random."),
    ],
)
def test_a_set_up_may_be_drawn_by_lot(text: str):
    assert read(text).problems == ()
    assert read(text).orders == (RandomSetUp(),)


@pytest.mark.parametrize(
    "text",
    [
        *("SETUP AUTO", "setup auto.", "SETUP: Auto", "SETUP\nAUTO", "SETUP automatic"),
        *("OPPSTILLING AUTO", "UPPSTÄLLNING AUTO", "uppställning automatiskt"),
        "SETUP AUTO\n........\n........\n........",
        "SETUP\nAUTO\n. . . . . . . .",
    ],
)
def test_a_set_up_may_be_left_to_adjud(text: str):
    assert read(text).problems == ()
    assert read(text).orders == (AutoSetUp(),)


@pytest.mark.parametrize(
    "text",
    [
        "SETUP\nGeneral a2\nSpy j3",
        "SETUP\n5 a2\nS j3",
        "SETUP\ngeneral A2\nspion J3",
        "SETUP\nGeneral at a2\nSpy on j3",
        "SETUP\nGeneral på a2\nSpion på j3",
        "SETUP General a2\nSpy j3",
        "SETUP\n1. General a2\n2. Spy j3.",
        "SETUP\ngen a2,\nsp j3;",
        "SETUP\nGeneral: a2\nSpy: j3",
        "SETUP\nGeneral = a2\nSpy=j3",
        "SETUP\nGeneral-a2\nSpy – j3",
        "SETUP\nGeneral -> a2\nSpy → j3",
        "SETUP\n5: a2\nS: j3",
        "SETUP\na2 General\nj3 Spy",
        "SETUP\na2: General\nj3=S",
        "SETUP\n- General a2\n- Spy j3",
        "SETUP General a2, Spy j3",
        "SETUP\nGeneral: a2; Spy: j3;",
    ],
)
def test_a_set_up_may_be_written_by_square(text: str):
    sheet = read(text)
    assert sheet.problems == ()
    assert sheet.orders == (Places(((Rank.GENERAL, Square("a2")), (Rank.SPY, Square("j3")))),)


# Back to text.

SQUARES = st.sampled_from(BOARDS[10].squares)
RANKS = st.sampled_from(list(Rank))
ORDERS = st.one_of(
    st.builds(Move, SQUARES, SQUARES),
    st.builds(Places, st.lists(st.tuples(RANKS, SQUARES), min_size=1, max_size=30).map(tuple)),
    st.permutations("".join(LARGE)).map(
        lambda p: Rows(tuple("".join(p[i : i + 10]) for i in (0, 10, 20)))
    ),
    st.permutations("".join(SMALL)).map(
        lambda p: Rows(tuple("".join(p[i : i + 8]) for i in (0, 8, 16)))
    ),
    st.just(RandomSetUp()),
    st.just(AutoSetUp()),
)


@given(ORDERS)
@examples(300)
@pytest.mark.slow
def test_an_order_is_read_again_from_our_own_way_of_writing_it(order: Order):
    assert read(canonical(order)).problems == ()
    assert read(canonical(order)).orders == (order,)


def test_an_order_is_written_in_no_language():
    assert canonical(step("d3", "d4")) == "d3-d4"
    assert canonical(step("d3", "d4", Rank.SPY)) == "d3-d4"
    assert canonical(Rows(LARGE)) == "SETUP\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24P"
    assert canonical(Places(((Rank.GENERAL, Square("a2")),))) == "SETUP\n5 a2"
    assert canonical(RandomSetUp()) == "SETUP RANDOM"
    assert canonical(AutoSetUp()) == "SETUP AUTO"


PARTS = [
    *("d3", "d4", "k12", "a0", "-", "–", ">", "x", "to", "till", ",", ";", " ", "\n", "\r\n"),
    *("#", "//", "north", "söder", "move", "spy", "min", "1", "1.", "12)", "SETUP", "RANDOM"),
    *("1S25MP31S4", "General a2", "\ufeff", "\u00a0", "ß", "İ", "{x}", "%s", "\x00", "٣"),
]
LIKELY = st.lists(st.sampled_from(PARTS), max_size=12).map(" ".join) | st.text()


@pytest.mark.slow
@given(LIKELY)
@examples(500)
def test_whatever_is_written_is_read_or_answered(text: str):
    lines = split_lines(text)
    sheet = parse(lines)
    assert {p.line for p in sheet.problems} <= {line.number for line in lines}
    for entry in sheet.problems:
        assert entry.text == lines[entry.line - 1].text
        assert str(entry.message)
    for view in (observe(PLAY, WHITE), observe(State(Settings(), ()), BLACK)):
        for entry in check(view, sheet):
            assert str(entry.message)


@given(LIKELY)
@examples(500)
@pytest.mark.slow
def test_a_line_that_says_something_is_never_passed_over_in_silence(text: str):
    sheet = read(text)
    if list(cleaned(split_lines(text))):
        assert sheet.problems or sheet.written


# What is not understood.


def complaints(text: str) -> list[str]:
    return [f"{p.line}: {p.message}" for p in read(text).problems]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("d3", "'d3' does not say where d3 goes; write a step like d3-d4"),
        ("d3-", "'d3-' does not say where d3 goes; write a step like d3-d4"),
        ("Spy d3", "'Spy d3' does not say where d3 goes; write a step like d3-d4"),
        ("d3-d4, f3", "'d3-d4, f3' does not say where f3 goes; write a step like d3-d4"),
        ("d3-d4-d5", "I do not understand '-d5' in 'd3-d4-d5'; write a step like d3-d4"),
        ("Spy", "'Spy' does not name two squares; write a step like d3-d4"),
        ("MOVE", "'MOVE' does not name two squares; write a step like d3-d4"),
        ("d3 norht", "'norht' is not a direction; did you mean north?"),
        ("d3 Suth", "'Suth' is not a direction; did you mean south?"),
        (
            "d3 est",  # west or east?
            "'est' is not a direction; write north, south, east or west, or a square as in d3-d4",
        ),
        (
            "d3 moves to d4",
            "'moves' is not a direction; write north, south, east or west, or a square as in d3-d4",
        ),
        (
            "d3 forward",
            "'forward' is not a direction; write north, south, east or west, or a square as in "
            "d3-d4",
        ),
        ("a1 west", "a1 west is off the board"),
        ("c1 south", "c1 south is off the board"),
        ("a3 Väst", "a3 Väst is off the board"),
        ("Genral d3-d4", "'Genral' is not a piece; did you mean General?"),
        ("löjtnnt d3-d4", "'löjtnnt' is not a piece; did you mean Lieutenant?"),
        ("mvoe d3-d4", "'mvoe' is not a piece; did you mean MOVE?"),
        ("attack d3-d4", "'attack' is not a piece; write a letter (1-5, S, P, M, H) or a name"),
        ("7 d3-d4", "'7' is not a piece; write a letter (1-5, S, P, M, H) or a name"),
        ("12 d3-d4", "'12' is not a piece; write a letter (1-5, S, P, M, H) or a name"),
        ("C d3-d4", "'C' could mean Corporal, Captain, Colonel; write more of the name"),
        ("k d3-d4", "'k' could mean Corporal, Captain; write more of the name"),
        ("co d3-d4", "'co' could mean Corporal, Colonel; write more of the name"),
        (
            "min d3-d4",
            "'min' could mean Sapper, Mine; write more of the name",
        ),
        ("SETPU", "I do not understand 'SETPU'; did you mean 'SETUP'?"),
        ("Genral", "I do not understand 'Genral'; did you mean 'General'?"),
        ("d3-44", "I do not understand '44' in 'd3-44'; write a step like d3-d4"),
        ("d3-d1000", "I do not understand 'd1000' in 'd3-d1000'; write a step like d3-d4"),
        ("d3-d4 please", "I do not understand 'please' in 'd3-d4 please'; write a step like d3-d4"),
        ("d3-d4!", "I do not understand '!' in 'd3-d4!'; write a step like d3-d4"),
        ("hello there", "I do not understand 'hello there'; write a step like d3-d4"),
        ("..-..", "step 1 is not filled in"),
        (". . - .", "I do not understand '. . - .'; write a step like d3-d4"),
        ("?", "I do not understand '?'; write a step like d3-d4"),
        (
            "this is a very long line that nobody wants to read again in full",
            "I do not understand 'this is a very long line that nobody wa…'; write a step like "
            "d3-d4",
        ),
    ],
)
def test_what_is_not_understood_is_said_and_what_would_be_right(text: str, said: str):
    assert complaints(text) == [f"1: {said}"]
    assert read(text).orders == () or "," in text or text.startswith("d3-d4")


@pytest.mark.parametrize(
    "left", ["..-..", "…-…", "d3-..", ".. - d4", "2. ..-..", "- ..–..", ".. .."]
)
def test_a_step_that_is_left_open_is_named_by_its_number(left: str):
    assert complaints(f"a3-a4\n{left}") == ["2: step 2 is not filled in"]
    assert complaints(f"{left}\na3-a4\n{left}\nDRAW")[:2] == [
        "1: step 1 is not filled in",
        "3: step 3 is not filled in",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "SETUP\n1S25MP31S4\n1122SX3S.P\nM1H3S5M24P",
            [
                "3: row 2: 1 square is not filled in",
                "3: row 2: 'X' is not a piece; the letters are 1 2 3 4 5 S P M H",
            ],
        ),
        (
            "SETUP\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24ß",
            ["4: row 3: 'ß' is not a piece; the letters are 1 2 3 4 5 S P M H"],
        ),
        (
            "SETUP\n..........\n..........\n..........",
            [f"{n + 1}: row {n} is not filled in" for n in (1, 2, 3)],
        ),
        (
            "SETUP\n1S25MP31S4\n11........\nM1H3S5M24P",
            ["3: row 2: 8 squares are not filled in"],
        ),
        ("SETUP RANDM", ["1: I do not understand 'RANDM'; did you mean 'SETUP RANDOM'?"]),
        ("SETUP ATUO", ["1: I do not understand 'ATUO'; did you mean 'SETUP AUTO'?"]),
        ("SETUP\nrandon", ["2: I do not understand 'randon'; did you mean 'SETUP RANDOM'?"]),
        (
            "SETUP random please",
            ["1: I do not understand 'random please'; did you mean 'SETUP RANDOM'?"],
        ),
        (
            "OPPSTILLING\nTilfeldig\ntakk!",
            ["2: I do not understand 'Tilfeldig takk!'; did you mean 'SETUP TILFELDIG'?"],
        ),
        (
            "SETUP\nCorporal (a3)\n5 Korporaler: b3 c3\nMine in d3",
            [
                f"{n}: I do not understand '{seen}'; write a piece and its square, like General a2"
                for n, seen in ((2, "Corporal (a3)"), (3, "5 Korporaler: b3 c3"), (4, "Mine in d3"))
            ],
        ),
        (
            "SETUP\nGeneral a2, Genral b2, Spy c2, hello",
            [
                "2: 'Genral' is not a piece; did you mean General?",
                "2: I do not understand 'hello'; write a piece and its square, like General a2",
            ],
        ),
        (
            "SETUP\n1,S,2,5,M,P,3,1,S,4\n1122SP3SMP\nM1H3S5M24P",
            ["2: row 1: ',' is not a piece; the letters are 1 2 3 4 5 S P M H"],
        ),
        (
            "SETUP\nGenral a2\nSpy a3\nc b2\nMine d1\nSpy b3\nMine\nSpy c3",
            [
                "2: 'Genral' is not a piece; did you mean General?",
                "4: 'c' could mean Corporal, Captain, Colonel; write more of the name",
                "7: I do not understand 'Mine'; write a piece and its square, like General a2",
            ],
        ),
    ],
)
def test_what_is_not_understood_in_a_set_up_is_told_by_row_or_line(text: str, said: list[str]):
    assert complaints(text) == said


# What is not allowed, as far as the sender can know.


def standing(pieces: dict[str, tuple[str, Rank]], variant: str = "standard") -> State:
    sides = {"w": WHITE, "b": BLACK}
    placed = {Square(at): Piece(sides[side], rank) for at, (side, rank) in pieces.items()}
    barred = {WHITE: (Step(Square("g7"), Square("g6")),)}
    return State(Settings(variant), (Square("c5"),), placed, 5, WHITE, barred=barred)


PLAY = standing(
    {
        "d3": ("w", Rank.SPY),
        "f3": ("w", Rank.CAPTAIN),
        "c4": ("w", Rank.GENERAL),
        "d4": ("b", Rank.MINE),
        "a1": ("w", Rank.MINE),
        "a2": ("w", Rank.HEADQUARTERS),
        "g7": ("w", Rank.SAPPER),
        "j10": ("b", Rank.CORPORAL),
    }
)


def refusals(text: str, state: State = PLAY, seat: str = "white") -> list[str]:
    sheet = read(text)
    problems = (*sheet.problems, *check(observe(state, WHITE if seat == "white" else BLACK), sheet))
    return [f"{p.line}: {p.message}" for p in sorted(problems, key=lambda p: p.line)]


def test_a_sheet_without_fault_is_answered_by_no_complaint():
    assert refusals("d3-e3\nSapper g7-g8") == []
    assert refusals("d3-d4, c4-b4") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("e5-e6", "you have no piece on e5"),
        ("j10-j9", "the piece on j10 is not yours"),
        ("a1-b1", "your Mine on a1 cannot move"),
        ("a2-b2", "your Headquarters on a2 cannot move"),
        ("d3-e4", "d3 to e4 is not straight; a piece steps north, south, east or west"),
        ("d3-f5", "d3 to f5 is not straight; a piece steps north, south, east or west"),
        ("d3-d5", "d3 to d5 is too far; a piece steps one square"),
        ("d3-a3", "d3 to a3 is too far; a piece steps one square"),
        ("d3-d3", "d3 to itself is not a step"),
        ("c4-c5", "c5 is a volcano"),
        ("g7-g6", "a piece may not go straight back: g7 to g6 is not allowed this turn"),
        ("d3-d11", "there is no square d11; the board goes from a1 to j10"),
        ("k3-j3", "there is no square k3; the board goes from a1 to j10"),
        ("d3-d0", "there is no square d0; the board goes from a1 to j10"),
        ("j10 north", "there is no square j11; the board goes from a1 to j10"),
        ("Captain d3-e3", "the piece on d3 is your Spy, not a Captain"),
        ("Mine d3-e3", "the piece on d3 is your Spy, not a Mine"),
    ],
)
def test_a_step_that_is_not_allowed_is_told_why(text: str, said: str):
    assert refusals(f"{text}\nf3-f4") == [f"1: {said}"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("d3-e3\ne3-e4", "e3: two different pieces must move"),
        ("d3-e3\nd3-c3", "d3: two different pieces must move"),
        ("f3-e3\nd3-e3", "your first step already goes to e3"),
        ("d3-d4\nc4-d4", "your first step already goes to d4"),
    ],
)
def test_a_second_step_is_judged_as_if_the_first_were_made(text: str, said: str):
    assert refusals(text) == [f"2: {said}"]


def column(*ranks: Rank, variant: str = "standard") -> State:
    """Put White's pieces on d3, d4, … and two more that can move."""
    pieces = {f"d{n}": ("w", rank) for n, rank in enumerate(ranks, start=3)}
    more = {"g7": ("w", Rank.SAPPER), "h2": ("w", Rank.SPY), "j10": ("b", Rank.CORPORAL)}
    return standing(pieces | more, variant)


def test_a_file_advanced_from_behind_is_told_in_which_order_it_can():
    two = column(Rank.SPY, Rank.CAPTAIN)
    assert refusals("d3-d4\nd4-d5", two) == [
        "1: your own piece is on d4",
        "2: write d4-d5 first; then d3-d4 can follow",
    ]
    assert refusals("d4-d5\nd3-d4", two) == []


def test_the_other_order_is_not_advised_where_it_would_be_refused_too():
    two, three = column(Rank.SPY, Rank.CAPTAIN), column(Rank.SPY, Rank.CAPTAIN, Rank.SPY)
    for state, text, said in (
        (three, "d4-d5", "2: your own piece is on d5"),
        (two, "d4-d3", "2: your own piece is on d3"),
        (two, "Spy d4-d5", "2: the piece on d4 is your Captain, not a Spy"),
        (column(Rank.SPY, Rank.MINE), "d4-d5", "2: your Mine on d4 cannot move"),
    ):
        assert refusals(f"d3-d4\n{text}", state) == ["1: your own piece is on d4", said]


def test_the_other_order_is_not_advised_where_the_step_behind_could_not_follow():
    behind = {"g7": ("w", Rank.SAPPER), "g6": ("w", Rank.SPY), "j10": ("b", Rank.CORPORAL)}
    assert refusals("g7-g6\ng6-g5", standing(behind)) == [
        "1: a piece may not go straight back: g7 to g6 is not allowed this turn"
    ]
    fast = column(Rank.SPY, Rank.CAPTAIN, variant="fast")
    assert refusals("d3-d4\nd4-d5", fast) == [
        "1: your own piece is on d4",
        "2: too many steps: you must make exactly 1 step this turn",
    ]


def test_an_own_piece_is_in_the_way():
    spy = ("w", Rank.SPY)
    state = standing({"d3": spy, "d4": ("w", Rank.MINE), "f3": spy})
    assert refusals("d3-d4\nf3-f4", state) == ["1: your own piece is on d4"]


def test_a_square_beyond_the_small_board_is_none():
    state = standing({"d3": ("w", Rank.SPY), "f3": ("w", Rank.SPY)}, "small")
    assert refusals("d3-d4\nf9-f10", state) == [
        "2: there is no square f9; the board goes from a1 to h8",
        "2: there is no square f10; the board goes from a1 to h8",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["0: 0 of 2 steps given; write each like d3-d4"]),
        ("d3-e3", ["0: 1 of 2 steps given; write each like d3-d4"]),
        (
            "d3-e3\nf3-f4\ng7-g8",
            ["3: too many steps: you must make exactly 2 steps, by different pieces"],
        ),
        (
            "d3-e3 f3-f4 g7-g8 c4-b4",
            ["1: too many steps: you must make exactly 2 steps, by different pieces"],
        ),
        ("SETUP RANDOM", ["1: the armies are already placed; write steps, as in d3-d4"]),
        ("d3-e3\nSETUP RANDOM", ["2: the armies are already placed; write steps, as in d3-d4"]),
    ],
)
def test_an_order_has_as_many_steps_as_the_rules_demand(text: str, said: list[str]):
    assert refusals(text) == said


@pytest.mark.parametrize("text", ["Can I pass?", "Draft: d3-e3"])
def test_a_line_that_says_no_step_is_not_counted_as_one(text: str):
    assert refusals(text)[:1] == ["0: steps needed this turn: 2; write each like d3-d4"]


def test_in_a_fast_variant_the_order_is_one_step():
    fast = standing({"d3": ("w", Rank.SPY), "f3": ("w", Rank.SPY)}, "fast")
    assert refusals("d3-d4", fast) == []
    assert refusals("", fast) == ["0: 0 of 1 steps given; write each like d3-d4"]
    assert refusals("d3-d4\nf3-f4", fast) == [
        "2: too many steps: you must make exactly 1 step this turn"
    ]


def test_a_line_that_was_not_understood_counts_as_the_step_that_it_was_meant_to_be():
    assert refusals("d3-e3\nf3") == [
        "2: 'f3' does not say where f3 goes; write a step like d3-d4",
    ]


def test_all_problems_are_told_at_once_each_with_its_line():
    text = "# my order\n\nd3\nSpy f3-f4\n   hello   # greeting"
    assert refusals(text) == [
        "3: 'd3' does not say where d3 goes; write a step like d3-d4",
        "4: the piece on f3 is your Captain, not a Spy",
        "5: I do not understand 'hello'; write a step like d3-d4",
    ]
    assert read(text).problems[1].text == "   hello   # greeting"


# Set-ups that are not allowed.

EMPTY = State(Settings("standard"), (Square("c5"), Square("c6"), Square("h5"), Square("h6")))
ALL_MISSING = [
    *("1: Corporal: 0 placed, the army has 5", "1: Lieutenant: 0 placed, the army has 4"),
    *("1: Captain: 0 placed, the army has 3", "1: Colonel: 0 placed, the army has 2"),
    *("1: General: 0 placed, the army has 2", "1: Spy: 0 placed, the army has 5"),
    *("1: Sapper: 0 placed, the army has 4", "1: Mine: 0 placed, the army has 4"),
    "1: Headquarters: 0 placed, the army has 1",
]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["0: your orders have no set-up; write SETUP and your three home rows"]),
        ("SETUP", ["1: the set-up has 0 pieces; the army has 30", *ALL_MISSING]),
        (
            "SETUP\n1S25MP31S4\n1122SP3SM\nM1H3S5M24P",
            [
                "1: row 2 has 9 letters; it needs 10",
                "1: the set-up has 29 pieces; the army has 30",
                "1: Sapper: 3 placed, the army has 4",
            ],
        ),
        (
            # As many letters as the small board's army has.
            "SETUP\n1S25MP31S4\n1122SP3SMP\nM1H3",
            [
                "1: row 3 has 4 letters; it needs 10",
                "1: the set-up has 24 pieces; the army has 30",
                "1: Lieutenant: 3 placed, the army has 4",
                "1: Colonel: 1 placed, the army has 2",
                "1: General: 1 placed, the army has 2",
                "1: Spy: 4 placed, the army has 5",
                "1: Sapper: 3 placed, the army has 4",
                "1: Mine: 3 placed, the army has 4",
            ],
        ),
        (
            # Where the lines are broken does not matter, so it is not told either.
            "SETUP\n1S25MP31S411\n22SP3SMP\nM1H3S5M24M",
            [
                "1: Sapper: 3 placed, the army has 4",
                "1: Mine: 5 placed, the army has 4",
            ],
        ),
        (
            "SETUP\n1S25MP31S4\n1122SP3SMPP\nM1H3S5M24P",
            [
                "1: row 2 has 11 letters; it needs 10",
                "1: the set-up has 31 pieces; the army has 30",
                "1: Sapper: 5 placed, the army has 4",
            ],
        ),
        (
            "SETUP\n1S25MP31S4\n1122SP3SMH\nM1H3S5M24P",
            [
                "1: Sapper: 3 placed, the army has 4",
                "1: Headquarters: 2 placed, the army has 1",
            ],
        ),
        (
            "SETUP\n1S25MP31S4\n1122SX3SMP\nM1H3S5M24P",
            [
                "1: Sapper: 3 placed, the army has 4",
                "3: row 2: 'X' is not a piece; the letters are 1 2 3 4 5 S P M H",
            ],
        ),
        (
            # A name below the rows: nobody knows which of the four are the army.
            "SETUP\n1S25MP31S4\n1122SP3SMP\nM1H3S5M24P\nCheers",
            ["5: row 4: 'C E R' are not pieces; the letters are 1 2 3 4 5 S P M H"],
        ),
        ("SETUP RANDM", ["1: I do not understand 'RANDM'; did you mean 'SETUP RANDOM'?"]),
        ("SETUP ATUO", ["1: I do not understand 'ATUO'; did you mean 'SETUP AUTO'?"]),
        (
            "d3-d4\nSETUP RANDOM",
            ["1: no piece can move before both armies are placed; send a set-up first"],
        ),
        (
            "1S25MP31S4\n1122SP3SMP",
            [
                "0: your orders have no set-up; write SETUP and your three home rows",
                "1: I do not understand 'MP31S4' in '1S25MP31S4'; write a step like d3-d4",
                "2: I do not understand 'SP3SMP' in '1122SP3SMP'; write a step like d3-d4",
            ],
        ),
    ],
)
def test_a_set_up_is_the_whole_army_and_nothing_else(text: str, said: list[str]):
    assert refusals(text, EMPTY) == said


def test_a_set_up_by_square_keeps_to_the_own_home_rows_and_one_piece_a_square():
    said = refusals("SETUP\nGeneral a2\nSpy a2\nMine a8\nMine k1", EMPTY)
    assert said[:3] == [
        "1: a2 is given 2 times",
        "1: a8 is not in your home rows, which are a1 to j3",
        "1: k1 is not in your home rows, which are a1 to j3",
    ]
    assert "1: General: 1 placed, the army has 2" in said
    assert refusals("SETUP\nGeneral a2\nSpyy a3\nSpy b3", EMPTY) == [
        "3: 'Spyy' is not a piece; did you mean Spy?"
    ]
    black = refusals("SETUP\nMine a2\nMine a8", EMPTY, "black")
    assert black[0] == "1: a2 is not in your home rows, which are a8 to j10"


def test_whole_set_ups_of_both_sides_are_allowed():
    text = "SETUP\n" + "\n".join(LARGE)
    assert refusals(text, EMPTY) == refusals(text, EMPTY, "black") == []
    assert refusals("SETUP RANDOM", EMPTY) == []
    assert refusals("SETUP AUTO", EMPTY) == []


def test_no_message_speaks_of_errors():
    """A message says what was seen and what would be right, in none of our jargon."""
    everything = [
        *(f"{t}\n" for t in ("d3", "hello", "x y z", "d3 foo", "min d3-d4", "9 d3-d4", "d3-d9")),
        "SETUP RANDM",
        "SETUP\nX",
    ]
    for text in everything:
        for state in (PLAY, EMPTY):
            for message in refusals(text, state):
                assert not {"error", "invalid", "illegal", "none"} & set(message.lower().split())


def test_problems_are_told_of_the_line_as_it_was_written():
    (entry,) = parse([Line(12, "  D3 –  ")]).problems
    assert (entry.line, entry.text) == (12, "  D3 –  ")
