"""Rule 3.2: the whole table, typed as the rule book has it."""

from pathlib import Path

import pytest

from adjudicator.games.espionage.rules.combat import TAKES, wins
from adjudicator.games.espionage.rules.pieces import IMMOBILE, Rank
from tests.games.casefiles import read

TABLE = """
| | 1 | 2 | 3 | 4 | 5 | Spy | Sapper | Mine | HQ |
|---|---|---|---|---|---|---|---|---|---|
| 1 Corporal | ● | ✗ | ✗ | ✗ | ✗ | ● | ● | ✗ | ● |
| 2 Lieutenant | ● | ● | ✗ | ✗ | ✗ | ● | ● | ✗ | ● |
| 3 Captain | ● | ● | ● | ✗ | ✗ | ● | ● | ✗ | ● |
| 4 Colonel | ● | ● | ● | ● | ✗ | ● | ● | ✗ | ● |
| 5 General | ● | ● | ● | ● | ● | ● | ● | ✗ | ● |
| Spy | ✗ | ✗ | ✗ | ✗ | ✗ | ● | ● | ✗ | ● |
| Sapper | ✗ | ✗ | ✗ | ✗ | ● | ● | ● | ● | ● |
"""
RANKS = (
    *("corporal", "lieutenant", "captain", "colonel", "general"),
    *("spy", "sapper", "mine", "headquarters"),
)


def fights() -> dict[tuple[str, str], bool]:
    """Whether the attacker takes the square, by attacker and defender."""
    rows = [line.strip("|").split("|") for line in TABLE.strip().splitlines()[2:]]
    return {
        (attacker, defender): mark.strip() == "●"
        for attacker, (_, *marks) in zip(RANKS[:7], rows, strict=True)
        for defender, mark in zip(RANKS, marks, strict=True)
    }


def test_the_table_has_a_fight_of_every_mobile_rank_with_every_rank():
    assert len(fights()) == 63
    assert list(Rank) == list(RANKS)


@pytest.mark.parametrize(("attacker", "defender"), fights())
def test_a_fight_ends_as_the_rule_book_says(attacker: str, defender: str):
    assert wins(Rank(attacker), Rank(defender)) == fights()[attacker, defender]


def test_mines_and_headquarters_attack_nobody():
    assert set(TAKES) == set(Rank) - IMMOBILE


def test_the_case_file_has_all_81_pairs_and_agrees_with_the_table():
    text = (Path(__file__).parent / "cases" / "3-table.txt").read_text("utf-8")
    found = {}
    for case in read(text):
        attacker, _, defender = case.title.split()
        assert (attacker, defender) not in found
        found[attacker, defender] = case
    assert len(found) == 81
    for (attacker, defender), case in found.items():
        told = {section.word: section.texts for section in case.sections}
        if attacker in ("mine", "headquarters"):
            assert told["REFUSED"] == (f"1: your {attacker.capitalize()} on d4 cannot move",)
        elif fights()[attacker, defender]:
            assert told["EVENTS"] == (f"white d4-d5 won, {attacker} takes {defender}",)
        else:
            assert told["EVENTS"] == (f"white d4-d5 lost, {attacker} falls to {defender}",)
