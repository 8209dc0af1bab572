"""The example package Battleships: its own tests, what it imports, and the numbers of its rules."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Setting
from tests.games.examples import BATTLESHIPS, FOLDER
from tests.games.standing import standing
from tests.printed import report_of, show

from adjud_battleships.rules import BLUE, RED, SEATS, Fleet, between, completed  # isort: skip

pytestmark = pytest.mark.usefixtures("skeleton")
CHANCE = Chance(bytes(32), "m", LABEL)
PACKAGE = FOLDER / "battleships"
ROOT = Path(__file__).parents[2]
MODULES = sorted((PACKAGE / "adjud_battleships").glob("*.py"))


@pytest.mark.slow
def test_its_own_tests_pass() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "tests"],
        cwd=PACKAGE,
        env={**os.environ, "PYTHONPATH": f"{PACKAGE}:{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_its_types_are_checked() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *map(str, MODULES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_it_imports_the_core_alone() -> None:
    named = {
        str(node.module)
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
    }
    ours = {name for name in named if name.startswith("adjudicator")}
    assert ours
    assert all(name.startswith("adjudicator.core") for name in ours)


def test_the_rules_that_it_cites_are_in_its_book() -> None:
    book = set(re.findall(r"^(\d\.\d) ", (PACKAGE / "RULES.md").read_text("utf-8"), re.MULTILINE))
    texts = [*MODULES, PACKAGE / "tests/test_battleships.py"]
    cited = {
        number
        for path in texts
        for line in re.findall(r'(?:#|"""|\().*', path.read_text("utf-8"))
        for number in re.findall(r"(?<![\d.])\d\.\d(?![\d.])", line)
    }
    assert cited == book


@pytest.mark.parametrize("called", ["hit", "ship"])
@pytest.mark.parametrize("form", ["text", "html", "letter", "json", "svg"])
def test_no_report_says_where_the_other_fleet_lies(called: str, form: str) -> None:
    """The reports of two matches are the same, byte for byte, if they differ in squares that were
    not shot at, and in which ship was hit where that is not called out."""
    setting = Setting.of(BATTLESHIPS.options, "standard", {"called": called}, SEATS)
    start = BATTLESHIPS.rules.set_up(setting, CHANCE)
    shots = {BLUE: {"a1": "carrier" if called == "ship" else "hit", "j10": "miss"}}
    own = completed({}, CHANCE.private(BLUE, "fleet"))
    across, down = between("a1", "e1"), between("a1", "a5")
    one, other = (
        replace(start, turn=2, shots=shots, fleets={BLUE: own, RED: _fleet(carrier, salt)})
        for carrier, salt in ((across, "one"), (down, "other"))
    )
    assert one.fleets[RED] != other.fleets[RED]
    printed = []
    for state in (one, other):
        report = report_of(standing(BATTLESHIPS, state, setting.options), BLUE)
        printed.append(show(report, form))
    assert printed[0] == printed[1]
    assert printed[0]


def _fleet(carrier: tuple[str, ...], salt: str) -> Fleet:
    """Return a fleet with this carrier, and with nothing in j10."""
    for number in range(20):
        fleet = completed({"carrier": carrier}, CHANCE.private(RED, f"{salt} {number}"))
        if all("j10" not in squares for squares in fleet.values()):
            return fleet
    raise AssertionError("each of them has a ship in j10")
