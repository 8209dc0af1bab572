"""What is nightly is left out where nobody asks for it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.nightly import each_once, mostly_nightly

ROOT = Path(__file__).parents[1]
FILE = "tests/service/test_messages_of_ours.py"
TEST = "test_of_many_quotes_nothing_goes_out_and_nothing_is_an_order"


def kept(params: list[Any]) -> list[Any]:
    """Return what is tried every day."""
    return [one for one in params if not getattr(one, "marks", ())]


def test_each_value_is_tried_every_day() -> None:
    params = each_once(["espionage", "spion"], ["en", "nb", "sv"])
    assert len(params) == 6
    assert [one.values for one in kept(params)] == [
        ("espionage", "en"),
        ("espionage", "sv"),
        ("spion", "nb"),
    ]
    assert kept(mostly_nightly([1, 2, 3], every_day=[2])) == [2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "night", "every_day", "nightly"),
    [
        (["-m", "", FILE], "", True, False),
        (["-m", "", FILE], "1", True, True),
        (["-m", "nightly", FILE], "", False, True),
        ([f"{FILE}::{TEST}"], "", True, True),
    ],
)
def test_nightly_tests_run_when_they_are_asked_for(
    words: list[str], night: str, every_day: bool, nightly: bool
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", *words],
        cwd=ROOT,
        env={**os.environ, "NIGHTLY": night},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (f"{TEST}[espionage-en]" in done.stdout) == every_day
    assert (f"{TEST}[espionage-nb]" in done.stdout) == nightly
