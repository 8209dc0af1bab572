"""Scale how long the slow tests run: `ADJUD_TEST_SCALE=20 python -m pytest -m ""` plays 20 times
more."""

import os
from typing import Any

from hypothesis import HealthCheck, settings

SCALE = float(os.environ.get("ADJUD_TEST_SCALE", "1"))


def scaled(n: int) -> int:
    """Return `n` times the scale, but never less than one."""
    return max(1, round(n * SCALE))


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
