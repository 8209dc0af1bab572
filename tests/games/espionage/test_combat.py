"""Rule 3.2: the whole table, typed as the rule book has it."""

from itertools import product

import pytest

from adjudicator.games.espionage.rules.pieces import IMMOBILE, TAKES, Rank, wins
from tests.games.casefiles import read
from tests.games.espionage.playing import play

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
    """Return whether the attacker takes the square, by attacker and defender."""
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


@pytest.mark.parametrize(("attacker", "defender"), list(product(RANKS, RANKS)))
def test_every_pair_meets_on_a_board_as_the_rule_book_says(attacker: str, defender: str):
    (case,) = read(meeting(attacker, defender))
    play(case)


def meeting(attacker: str, defender: str) -> str:
    """Return the case of a fight: the corporals in the corners are there so that both sides can
    move (rule 6.2), and what stands beside an enemy Spy is known to its owner (rule 4.1)."""
    seen = " known" if defender == "spy" else "", " known" if attacker == "spy" else ""
    white, black = attacker + seen[0], defender + seen[1]
    return f"""\
CASE 3.2 {attacker} against {defender}
VARIANT fast
BEFORE
  white d4 {white}
  white a1 corporal
  black d5 {black}
  black j10 corporal
ORDERS white
  d4-d5
{what_follows(attacker, defender, black)}
END
"""


def what_follows(attacker: str, defender: str, black: str) -> str:
    if attacker not in RANKS[:7]:
        return f"REFUSED\n  1: your {attacker.capitalize()} on d4 cannot move\nAFTER same"
    corners = "  white a1 corporal\n  black j10 corporal"
    if not fights()[attacker, defender]:
        lost = f"EVENTS\n  white d4-d5 lost, {attacker} falls to {defender}"
        return f"{lost}\nAFTER\n  black d5 {black}\n{corners}"
    moved = f"{attacker} moved" + (" known" if defender == "spy" else "")
    won = f"EVENTS\n  white d4-d5 won, {attacker} takes {defender}"
    end = "\nRESULT white headquarters" if defender == "headquarters" else ""
    return f"{won}\nAFTER\n  white d5 {moved}\n{corners}{end}"
