"""Real mail servers, started once for all tests that need them."""

import os
from collections.abc import Iterator

import pytest

from tests.mail.realmail import Real, missing, running


@pytest.fixture(scope="package")
def real() -> Iterator[Real]:
    """The servers. Where they cannot run their tests are skipped, but never where CI runs."""
    reason = missing()
    if reason and os.environ.get("CI") == "true":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    with running() as real:
        yield real
