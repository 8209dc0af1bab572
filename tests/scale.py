"""Scale how long the slow tests run: `ADJUD_TEST_SCALE=20 python -m pytest -m ""` plays 20 times
more. By night they run ten times as long."""

import os
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.nightly import NIGHTLY

SCALE = float(os.environ.get("ADJUD_TEST_SCALE", "10" if NIGHTLY else "1"))


def scaled(n: int) -> int:
    """Return `n` times the scale, but never less than one."""
    return max(1, round(n * SCALE))


def first_quick(quick: int, values: Iterable[object]) -> list[Any]:
    """Return values for `parametrize` of which all but the first few are marked as slow."""
    return [
        value if number < quick else pytest.param(value, marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]


def examples(n: int) -> Any:
    """Run Hypothesis with `n` examples at scale 1; in `CI` they are the same ones each time."""
    return settings(
        max_examples=scaled(n),
        deadline=None,
        derandomize="CI" in os.environ,
        # One store serves all examples: each of them says what is in it.
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.function_scoped_fixture,
        ],
    )
