"""Real mail servers, started once for all tests that need them."""

from collections.abc import Iterator

import pytest

from tests.mail.realmail import Real, missing, running


@pytest.fixture(scope="package")
def real() -> Iterator[Real]:
    """Start the servers. Where they cannot run their tests are skipped."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    with running() as real:
        yield real
