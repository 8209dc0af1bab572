"""What a reader must know to follow an email with orders does not grow unseen."""

import re
import subprocess
import sys

import pytest

from tests.traced import ONLY_PASSES

# The figures of 2026-11-30 and a little room; whoever brings one down brings its limit down.
LIMITS = {
    "files until the email is read": 52,
    "values until the email is read": 39,
    "of them of service": 14,
    "files until the reports are sent": 96,
    "values until the reports are sent": 91,
    "of these of service": 34,
    "lines that only pass tx, now, context": 60,
}


@pytest.fixture(scope="module")
def figures() -> dict[str, int]:
    """Run the tracer as a program: it changes msgspec before the program is imported."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.traced"], capture_output=True, text=True, check=True
    )
    told = made.stdout.splitlines()[-3:]
    assert [line.partition(":")[0] for line in told] == [
        "while the email is read",
        "until the emails that follow are sent",
        "lines that only pass tx, now, context",
    ]
    found = [int(figure) for line in told for figure in re.findall(r"\d+", line)]
    return dict(zip(LIMITS, found, strict=True))


@pytest.mark.parametrize("what", LIMITS)
def test_what_an_email_with_orders_meets_stays_within_its_limit(
    figures: dict[str, int], what: str
) -> None:
    assert 0 < figures[what] <= LIMITS[what]


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("    tx,", True),
        ("    now: datetime,", True),
        ("    tx: Tx, now: datetime, context: Context", True),
        ("    context=context,", True),
        ("    return _queue(tx, match, now=now, context=context)", True),
        ("    told = say(s.tx, name)", False),
        ("    now = later", False),
        ("def read(s: Session) -> None:", False),
    ],
)
def test_a_line_that_only_passes_is_told_from_one_that_does_something(
    line: str, passes: bool
) -> None:
    assert bool(ONLY_PASSES.search(line)) == passes
