"""What is tried a little every day, and much in a run with NIGHTLY=1.

`.ci/run` passes the variable on. `-m nightly` runs the nightly tests alone.
"""

import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest

NIGHTLY = bool(os.environ.get("NIGHTLY"))
NIGHT = pytest.mark.nightly


def each_once(*lists: Sequence[object]) -> list[Any]:
    """Return all combinations for `parametrize`, nightly but for so few that each value is in one.

    `each_once(["chess", "go"], ["en", "nb"])` tries chess-en and go-nb every day.
    """
    days = {
        tuple(values[number % len(values)] for values in lists)
        for number in range(max(map(len, lists)))
    }
    return [
        pytest.param(*chosen, marks=() if chosen in days else NIGHT) for chosen in product(*lists)
    ]


def mostly_nightly(values: Iterable[object], *, every_day: Iterable[object]) -> list[Any]:
    """Return values for `parametrize`, of which only some are tried every day. A tuple has the
    values of several arguments."""
    tried, kept = list(values), list(every_day)
    assert [value for value in kept if value not in tried] == []
    return [
        value
        if value in kept
        else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=NIGHT)
        for value in tried
    ]
