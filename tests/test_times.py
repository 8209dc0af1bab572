"""What the whole suite takes: whoever changes a line waits for it.

The table is written by a command (tests/times.py), so that no run fails for being slow.
"""

import subprocess
import sys

from tests import times

LONGEST = 20  # seconds of processor time

# Files that may take longer. None is added.
DEAR = frozenset(
    f"tests/{name}.py"
    for name in (
        *("browser/test_pages", "browser/test_check"),
        *("service/test_cases", "service/cheats/test_table"),
    )
)
# What two cores do in 12 minutes, with three workers.
ALL = 1300  # seconds


def test_no_file_takes_long() -> None:
    dear = {name for name, seconds in times.read().items() if seconds > LONGEST}
    assert dear - DEAR == set()


def test_whoever_changes_a_line_does_not_wait_longer_than_now() -> None:
    assert sum(times.read().values()) <= ALL


def test_most_files_have_been_measured() -> None:
    """A new one need not be at once."""
    files = (times.ROOT / "tests").rglob("test_*.py")
    named = {path.relative_to(times.ROOT).as_posix() for path in files}
    assert len(named - times.read().keys()) <= len(named) / 8


def test_the_table_keeps_old_figures_and_forgets_files_that_are_gone() -> None:
    old = {"tests/test_times.py": 1.0, "tests/times.py": 2.0, "tests/test_gone.py": 90.0}
    new = times.merge(old, {"tests/times.py": 3.04, times.COLLECTION: 0.5})
    assert new == {"tests/test_times.py": 1.0, "tests/times.py": 3.04, "collection": 0.5}
    assert times.as_text(new).splitlines() == [
        "tests/times.py          3.0",
        "tests/test_times.py     1.0",
        "collection              0.5",
    ]


def test_programs_that_were_started_are_counted() -> None:
    """Those that have ended, and those that still run."""
    busy = "import time\nwhile time.process_time() < 0.1: pass\nprint('ready', flush=True)\n"
    before = times.used()
    subprocess.run([sys.executable, "-c", busy], check=True)
    ended = times.used()
    assert ended - before >= 0.1
    waits = [sys.executable, "-c", f"{busy}input()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout
        assert started.stdout.readline()
        runs = times.used()
        started.communicate(b"\n")
    assert runs - ended >= 0.09  # the system counts in hundredths
    assert times.used() >= runs - 0.02
