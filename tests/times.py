"""Note the processor time that each file of tests takes, for tests/times.txt.

    python -m pytest -n 2 -m "" --times        # all files
    python -m pytest -m "" --times tests/core  # only their lines

Programs that tests have started are included, those that still run too. What is made once a session
is charged to the first file that uses it. `collection` is what one process takes before its first
test. No run fails for being slow: tests/test_times.py judges the table. It is written when all have
passed; a run of some tests of a file writes nothing.
"""

import os
import resource
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests" / "times.txt"
COLLECTION = "collection"
TICKS = os.sysconf("SC_CLK_TCK")  # of Linux's clock in a second


def used() -> float:
    """Return the processor time in seconds of this process and of all that it has started."""
    both = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own = sum(one.ru_utime + one.ru_stime for one in both)
    return own + sum(map(used_by, running(os.getpid())))


def running(process: int) -> Iterator[int]:
    """Return the processes that one has started and that still run, and theirs."""
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, text_of(listed).split()):
            yield from chain([child], running(child))


def used_by(process: int) -> float:
    """Return the processor time of a running process and of those it has waited for."""
    fields = text_of(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def text_of(told: Path) -> str:
    """Return what /proc tells of a process or thread, nothing if it has just ended."""
    try:
        return told.read_text()
    except OSError:
        return ""


def file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def read() -> dict[str, float]:
    """Return the committed table."""
    rows = (line.rsplit(maxsplit=1) for line in TABLE.read_text().splitlines())
    return {name: float(seconds) for name, seconds in rows}


def merge(old: Mapping[str, float], new: Mapping[str, float]) -> dict[str, float]:
    """Return the old table with the new figures in it and without the files that are gone."""
    rows = {**old, **new}
    return {name: rows[name] for name in rows if name == COLLECTION or (ROOT / name).is_file()}


def as_text(rows: Mapping[str, float]) -> str:
    """Return the table with the dearest file first."""
    width = max(map(len, rows))
    dearest = sorted(rows.items(), key=lambda row: (-round(row[1], 1), row[0]))
    return "".join(f"{name:<{width}} {seconds:7.1f}\n" for name, seconds in dearest)


class Times:
    """Counts in each process; the one that started the others writes."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}
        self.file = COLLECTION
        self.since = 0.0

    def turn_to(self, file: str) -> None:
        """Charge what was used since the last time to the file before this one."""
        now = used()
        self.taken[self.file] = self.taken.get(self.file, 0) + max(0, now - self.since)
        self.file, self.since = file, now

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        file = file_of(item)
        if file != self.file:
            self.turn_to(file)

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        worker = getattr(session.config, "workeroutput", None)
        if worker is not None:
            self.turn_to("")
            worker["times"] = self.taken
            return
        if not session.config.getoption("numprocesses", None):
            self.turn_to("")
        if self.taken and not exitstatus:
            old = read() if TABLE.exists() else {}
            TABLE.write_text(as_text(merge(old, self.taken)))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told: Mapping[str, float] = getattr(node, "workeroutput", {}).get("times", {})
        for name, seconds in told.items():
            self.taken[name] = max(seconds, self.taken.get(name, 0))
