"""The benchmarks work; how fast anything is is never a test."""

import pytest

from tests.bench.__main__ import BENCHMARKS, measured, table
from tests.bench.measuring import Row, whole
from tests.nightly import mostly_nightly

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", mostly_nightly(BENCHMARKS, every_day=("tick", "pages")))
def test_a_benchmark_measures(name: str) -> None:
    rows = list(measured([name], scale=0.0001))
    assert rows
    for row in rows:
        assert row.ours
        assert row.ratio is not None or row.verdict == "-"
    head, *lines = table(rows)
    assert "ours" in head
    assert len(lines) == len(rows) + any(row.is_left_out for row in rows)


def test_what_has_no_peer_here_is_named_at_the_end() -> None:
    measured = Row(name="walk", ours="1 s", theirs="2 s", ratio=0.5, most=1)
    alone = Row(name="swim", ours="1 s")
    missing = Row(name="  fly", ours="1 s", theirs="not installed", least=2)
    *_, last = table([measured, missing, alone])
    assert last.startswith("left out")
    assert last.endswith(": fly")
    assert len(list(table([measured, alone]))) == 3


def test_the_verdict_is_by_the_wished_bound() -> None:
    def row(ratio: float | None, *, least: float | None = None, most: float | None = None) -> Row:
        return Row(name="", ours="", ratio=ratio, least=least, most=most)

    assert row(1.0, least=1).verdict == "ok"
    assert row(0.9, least=1).verdict == "NOT"
    assert row(0.1, most=0.1).verdict == "ok"
    assert row(0.2, most=0.1).verdict == "NOT"
    assert row(None, most=0.1).verdict == "-"
    assert row(5.0).verdict == "-"


def test_a_part_of_the_work_is_held_to_no_bound_of_the_whole() -> None:
    assert whole(60, 1) == 60
    assert whole(60, 0.5) is None
