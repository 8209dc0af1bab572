"""Every case file of the email dialog is played, and every section of its book has a case."""

from pathlib import Path

import pytest

from tests.database import Store
from tests.games.casefiles import Case, CaseFault, each, read, read_folder
from tests.service.playing import play
from tests.test_books import numbers

CASES = [one for case in read_folder(Path(__file__).parent / "cases") for one in each(case)]
SECTIONS = {number for number in numbers("emails") if "." in number}
# What no email from a player can show, and which tests do.
ELSEWHERE = {
    "1.1": "mail/test_kill.py",
    "4.1": "mail/test_email.py",
    "4.9": "service/test_restored.py",
    "5.4": "service/test_kill.py",
    "6.2": "service/test_delivery.py",
    "7.4": "service/test_valve.py",
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_holds(case: Case, store: Store, tmp_path: Path) -> None:
    play(case, store, tmp_path / "spool")


@pytest.mark.parametrize("section", sorted(SECTIONS))
def test_every_section_has_a_case_or_is_tested_elsewhere(section: str) -> None:
    shown = any(section in case.rules for case in CASES)
    assert shown != (section in ELSEWHERE)
    assert shown or (Path(__file__).parents[1] / ELSEWHERE[section]).exists()


def test_no_case_cites_a_section_that_the_book_has_not() -> None:
    assert {section for case in CASES for section in case.rules} <= SECTIONS


def test_no_two_cases_have_the_same_title() -> None:
    titles = [case.title for case in CASES]
    assert len(titles) == len(set(titles))


PLAIN = """\
CASE 1.3 a sheet
LETTER white
  SETUP RANDOM
{expected}
END
"""


def _play(expected: str, store: Store, folder: Path) -> None:
    (case,) = read(PLAIN.format(expected=expected))
    play(case, store, folder)


RECEIPT = "ANSWER receipt to Anna"
IN_FORCE = "IN FORCE white revision 1"


@pytest.mark.parametrize(
    "expected",
    [
        f"{RECEIPT}\n{IN_FORCE}",
        f"{IN_FORCE}\n  SETUP RANDOM\n{RECEIPT}\n  accepted\n  Your current orders",
        f"{RECEIPT}\n  begins m, white\n  once accepted\nLETTERS accepted 1\n{IN_FORCE}",
        f"{RECEIPT}\n{IN_FORCE}\nMATCH m is playing\nSEAT white Anna\nPLAYER Anna\n  zone: UTC",
    ],
)
def test_what_comes_of_an_email_is_found_as_expected(
    expected: str, store: Store, tmp_path: Path
) -> None:
    _play(expected, store, tmp_path / "spool")


@pytest.mark.parametrize(
    "expected",
    [
        IN_FORCE,  # an email that no ANSWER tells of
        RECEIPT,  # a sheet that no IN FORCE tells of
        f"ANSWER nobody\n{IN_FORCE}",
        f"ANSWER refusal to Anna\n{IN_FORCE}",
        f"ANSWER receipt to Bob\n{IN_FORCE}",
        f"{RECEIPT}, 2 times\n{IN_FORCE}",
        f"{RECEIPT}\n  Subject: [m]\n{IN_FORCE}",
        f"{RECEIPT}\n  not version 1\n{IN_FORCE}",
        f"{RECEIPT}\n  Your current orders\n  accepted\n{IN_FORCE}",
        f"{RECEIPT}\n  3 times version\n{IN_FORCE}",
        f"{RECEIPT}\n  begins accepted\n{IN_FORCE}",
        f"{RECEIPT}\n  ends Your current orders: version 1.\n{IN_FORCE}",
        f"{RECEIPT}, in full\n  accepted, version 1\n{IN_FORCE}",
        f"{RECEIPT}\n  shorter than 20 signs\n{IN_FORCE}",
        f"{RECEIPT}\n{IN_FORCE}\n  SETUP",
        f"{RECEIPT}\nIN FORCE white revision 2",
        f"{RECEIPT}\nIN FORCE white nothing",
        f"{RECEIPT}\n{IN_FORCE}\nLETTERS accepted 2",
        f"{RECEIPT}\n{IN_FORCE}\nMATCH m is held",
        f"{RECEIPT}\n{IN_FORCE}\nSEAT white Bob",
        f"{RECEIPT}\n{IN_FORCE}\nPLAYER Anna\n  zone: Europe/Oslo",
        f"{RECEIPT}\n{IN_FORCE}\nGM cancel m\nANSWER report to Anna\nANSWER report to Bob",
        f"{RECEIPT}\n{IN_FORCE}\nLETTER white\n  DRAW\n{RECEIPT}\nANSWER notice to Bob",
    ],
)
@pytest.mark.slow
def test_a_case_that_does_not_hold_fails(expected: str, store: Store, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        _play(expected, store, tmp_path / "spool")


@pytest.mark.parametrize(
    "expected",
    ["ANSWR receipt to Anna", "ANSWER receipt", "LETTER WHITE", f"{RECEIPT}\nPLAYER Anna\n  zone"],
)
def test_a_case_that_makes_no_sense_is_told_so(expected: str, store: Store, tmp_path: Path) -> None:
    with pytest.raises(CaseFault):
        _play(expected, store, tmp_path / "spool")
