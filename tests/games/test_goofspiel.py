"""The example package Goofspiel: its own tests, its size, and what it imports."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.games.examples import FOLDER

PACKAGE = FOLDER / "goofspiel"
ROOT = Path(__file__).parents[2]
MODULE = PACKAGE / "adjud_goofspiel.py"


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


def test_it_is_one_short_file_that_imports_the_core_alone() -> None:
    text = MODULE.read_text("utf-8")
    assert len(text.splitlines()) <= 250
    named = {node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert {one for one in named if one and one.startswith("adjudicator")} == {
        "adjudicator.core.simple"
    }


@pytest.mark.slow
def test_its_types_are_checked() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(MODULE)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
