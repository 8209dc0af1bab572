"""Every case file is played, and every rule is named by a case or a test."""

import re
from pathlib import Path

import pytest

from tests.games.casefiles import Case, CaseFault, each, read, read_folder
from tests.games.spies.playing import Table

HERE = Path(__file__).parent
CASES = [one for case in read_folder(HERE / "cases") for one in each(case)]
SOURCES = "\n".join(
    path.read_text("utf-8") for path in HERE.glob("test_*.py") if path != Path(__file__)
)
RULES = [
    *("1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7"),
    *("2.8", "3.1", "3.2", "3.3", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "5.1", "5.2"),
    *("5.3", "5.4", "5.5", "5.6", "5.7", "5.8", "5.9", "5.10", "6.1", "6.2", "6.3", "6.4", "6.5"),
    *("6.6", "6.7", "7.1", "7.2", "7.3", "7.4", "8.1", "8.2", "8.3", "9.1", "9.2", "9.3", "9.4"),
    *("9.5", "9.6", "9.7", "10.1", "10.2", "10.3"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_holds(case: Case):
    Table.play(case)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_named_by_a_case_or_a_test(rule: str):
    cited = any(rule in case.rules for case in CASES)
    assert cited or re.search(rf"(?<![\d.]){re.escape(rule)}(?![\d.]*\d)", SOURCES)


def test_no_two_cases_have_the_same_rule_and_title():
    names = [(case.rules, case.title) for case in CASES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("number", range(1, 13))
def test_the_cases_of_the_book_are_played(number: int):
    """Section 11; case 13 is the twins'."""
    assert any(case.title.startswith(f"case {number}:") for case in CASES)


PLAIN = """\
CASE 4.3 a secret is found and carried
BEFORE
  G-A 3 at PRA
  N-4 value 3
  germany 40 £ discovery 1
ORDERS germany
  SPY A: DISCOVER N-4
{expected}
END
"""


@pytest.mark.parametrize(
    "expected",
    [
        "EVENTS\n  G-A discovers N-4 in PRA: found",
        "NEWS germany\n  G-A discovers N-4 in PRA: found (value 3)",
        "NEWS italy\n  G-A discovers N-4 in PRA: found",
        "AFTER\n  G-A 3 at PRA carries N-4\n  germany 30 £ discovery 0",
        "SEES italy\n  N-4 value ? by G-A",
        "NEXT all",
        "REFUSED germany\n  GIVE germany 10\nBECAUSE\n  Germany is your own power",
    ],
)
def test_what_happens_is_found_as_expected(expected: str):
    (case,) = read(PLAIN.format(expected=expected))
    Table.play(case)


@pytest.mark.parametrize(
    "expected",
    [
        "EVENTS",
        "EVENTS\n  G-A discovers N-4 in PRA: covered",
        "NEWS italy\n  G-A discovers N-4 in PRA: found (value 3)",
        "AFTER\n  G-A 3 at PRA carries -",
        "SEES italy\n  N-4 value 3",
        "NEXT germany",
        "RESULT germany points",
        "POINTS germany 3",
        "REFUSED germany\n  GIVE italy 10\nBECAUSE\n  Germany is your own power",
        "REFUSED germany\n  GIVE germany 10\nBECAUSE",
    ],
)
def test_a_case_that_does_not_hold_fails(expected: str):
    (case,) = read(PLAIN.format(expected=expected))
    with pytest.raises(AssertionError):
        Table.play(case)


@pytest.mark.parametrize("expected", ["", "AFTR\n  G-A 3", "ORDERS italy\n  GO BER"])
def test_a_case_that_makes_no_sense_is_told_so(expected: str):
    (case,) = read(PLAIN.format(expected=expected))
    with pytest.raises(CaseFault):
        Table.play(case)
