"""Every case file is played, and every rule of the rule book has a case."""

from pathlib import Path

import pytest

from tests.games.casefiles import Case, CaseFault, each, read, read_folder
from tests.games.espionage.playing import play

CASES = [one for case in read_folder(Path(__file__).parent / "cases") for one in each(case)]

# All numbers of the rule book.
RULES = [
    *("1.1", "1.2", "1.3", "1.4", "1.5", "1.6"),
    *("2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7"),
    *("3.1", "3.2", "3.3", "3.4"),
    *("4.1", "4.2", "4.3", "4.4"),
    *("5.1", "5.2", "5.3", "5.4", "5.5"),
    *("6.1", "6.2", "6.3", "6.4"),
    *("7.1", "7.2", "7.3"),
    *("8.2", "8.4", "8.5", "8.6"),
    *("9.4", "9.5"),
]
# 8.1, 8.3, 8.7 and 8.8 are about the program around the game: tests/service/test_in_advance.py; so
# are 9.1 to 9.3: tests/service/espionage.


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_holds(case: Case):
    play(case)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_case(rule: str):
    assert any(rule in case.rules for case in CASES)


def test_no_case_cites_a_rule_that_the_book_has_not():
    assert {rule for case in CASES for rule in case.rules} <= set(RULES)


def test_no_two_cases_have_the_same_rule_and_title():
    names = [(case.rules, case.title) for case in CASES]
    assert len(names) == len(set(names))


PLAIN = """\
CASE 2.2 a step
VARIANT fast
BEFORE
  white d3 corporal
  black j10 corporal
ORDERS white
  d3-d4
{expected}
END
"""


def _play(expected: str) -> None:
    (case,) = read(PLAIN.format(expected=expected))
    play(case)


@pytest.mark.parametrize(
    "expected",
    [
        "AFTER\n  white d4 corporal moved\n  black j10 corporal",
        "AFTER among others\n  white d4 corporal moved",
        "EVENTS\n  white d3-d4 moved",
        "NEXT turn 1 black to move\nORDERS black\n  j10-j9\nNEXT turn 2 white to move",
    ],
)
def test_what_happens_is_found_as_expected(expected: str):
    _play(expected)


@pytest.mark.parametrize(
    "expected",
    [
        "AFTER\n  white d4 corporal\n  black j10 corporal",
        "AFTER\n  white d4 corporal moved",
        "AFTER same",
        "EVENTS\n  white d3-d4 won, corporal takes spy",
        "NEWS black\n  white d3-d4 moved; learned: d4",
        "SEES black\n  white d4 corporal moved\n  black j10 corporal",
        "RESULT white headquarters",
        "REFUSED\n  1: you have no piece on d3",
        "ORDERS black\n  j10-j8\nNEXT turn 2 white to move",
        "ORDERS black\n  j10-j8",
    ],
)
def test_a_case_that_does_not_hold_fails(expected: str):
    with pytest.raises(AssertionError):
        _play(expected)


@pytest.mark.parametrize("expected", ["", "AFTR\n  white d4 corporal", "ORDERS white\n  d4-d5"])
def test_a_case_that_makes_no_sense_is_told_so(expected: str):
    with pytest.raises(CaseFault):
        _play(expected)
