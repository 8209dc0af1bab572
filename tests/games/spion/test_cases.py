"""Every case file is played, and every rule and ruling that can be tested is named by a test."""

import re
from pathlib import Path

import pytest

from tests.games.casefiles import Case, CaseFault, each, read, read_folder
from tests.games.spion.playing import Table

HERE = Path(__file__).parent
CASES = [one for case in read_folder(HERE / "cases") for one in each(case)]
SOURCES = "\n".join(
    path.read_text("utf-8") for path in HERE.glob("test_*.py") if path != Path(__file__)
)

# A27 and A36 say how to read the seed, A44 is decoration, and there is no order that A39 forbids.
RULINGS = [f"A{n}" for n in range(1, 51) if n not in (27, 36, 39, 44)]
PARTS = ["R5.1", "R5.2", "R5.3", "R6.1", "R6.2", "R6.3", "R7.1", "R7.2", "R8.2", "R8.3", "R9"]
DECISIONS = ["5.1", "5.2", "5.3", "5.4"]
CHOICES = [f"9.{n}" for n in range(1, 15)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_holds(case: Case):
    Table.play(case)


@pytest.mark.parametrize("rule", [*RULINGS, *PARTS, *DECISIONS, *CHOICES])
def test_every_ruling_is_named_by_a_case_or_a_test(rule: str):
    cited = any(rule in case.rules for case in CASES)
    assert cited or re.search(rf"\b{re.escape(rule)}\b", SOURCES)


def test_no_two_cases_have_the_same_rule_and_title():
    names = [(case.rules, case.title) for case in CASES]
    assert len(names) == len(set(names))


PLAIN = """\
CASE R5.1 a card is taken
DICE blue 2 3
ORDERS blue
  MOVE BRI
{expected}
END
"""


@pytest.mark.parametrize(
    "expected",
    [
        "EVENTS\n  blue 2+3\n  blue b2-BRI in 5\n  blue takes ATOM from BRI to 1",
        "AFTER\n  blue spy BRI guard home holds ATOM - - -\n  vacant BRI\n  lies SVE ATOM",
        "NEXT green to move",
    ],
)
def test_what_happens_is_found_as_expected(expected: str):
    (case,) = read(PLAIN.format(expected=expected))
    Table.play(case)


@pytest.mark.parametrize(
    "expected",
    [
        "EVENTS\n  blue 2+3",
        "AFTER\n  blue spy b2",
        "AFTER\n  blue holds - ATOM - -",
        "AFTER\n  vacant SVE",
        "AFTER\n  lies SVE KEMI",
        "NEXT blue to move",
        "RESULT blue set",
    ],
)
def test_a_case_that_does_not_hold_fails(expected: str):
    (case,) = read(PLAIN.format(expected=expected))
    with pytest.raises(AssertionError):
        Table.play(case)


@pytest.mark.parametrize("expected", ["", "AFTR\n  blue spy b2", "ORDERS green\n  MOVE"])
def test_a_case_that_makes_no_sense_is_told_so(expected: str):
    (case,) = read(PLAIN.format(expected=expected))
    with pytest.raises(CaseFault):
        Table.play(case)
