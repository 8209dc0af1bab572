"""How long the slow tests run: `ADJUD_TEST_SCALE=20 python -m pytest` plays 20 times more."""

import os
from typing import Any

from hypothesis import HealthCheck, settings

SCALE = float(os.environ.get("ADJUD_TEST_SCALE", "1"))


def scaled(n: int) -> int:
    """`n` at scale 1, never less than one."""
    return max(1, round(n * SCALE))


def examples(n: int) -> Any:
    """Hypothesis with `n` examples at scale 1; the same ones each time where `CI` is set."""
    return settings(
        max_examples=scaled(n),
        deadline=None,
        derandomize="CI" in os.environ,
        # A store made once serves all examples: each of them says what stands in it.
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.function_scoped_fixture,
        ],
    )
