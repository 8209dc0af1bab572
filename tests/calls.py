"""Note which statements of the program each test reaches, for `tests/mutants.py`, which writes
files that note it (`-p tests.calls`).

What a test sets up may be shared by all of its file, and counts for all of them.
"""

import json
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from time import perf_counter

import pytest

NOTED = "ADJUD_TEST_CALLS"  # the file into which they are written
REACHED: set[str] = set()  # since it was emptied last

_REACHED: dict[str, set[str]] = {}  # by test, and by file what its tests set up
_SECONDS: dict[str, float] = {}


def _noted(named: str) -> Iterator[None]:
    began = perf_counter()
    REACHED.clear()
    try:
        yield
    finally:
        _SECONDS[named] = _SECONDS.get(named, 0) + perf_counter() - began
        _REACHED.setdefault(named, set()).update(REACHED)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    yield from _noted(item.nodeid.partition("::")[0])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    yield from _noted(item.nodeid)


def pytest_sessionfinish() -> None:
    tests = {
        test: (_SECONDS[test], sorted(reached | _REACHED[test.partition("::")[0]]))
        for test, reached in _REACHED.items()
        if "::" in test
    }
    Path(os.environ[NOTED]).write_text(json.dumps(tests), "utf-8")
