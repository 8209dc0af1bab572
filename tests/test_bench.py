"""The benchmarks work; how fast anything is is never a test."""

import pytest

from tests.bench.__main__ import BENCHMARKS, measured, table
from tests.bench.measuring import Row


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_measures(name: str) -> None:
    rows = list(measured([name], scale=0.0001))
    assert rows
    for row in rows:
        assert row.ours
        assert row.ratio is not None or row.verdict == "-"
    head, *lines = table(rows)
    assert "ours" in head
    assert len(lines) == len(rows)


def test_the_verdict_is_by_the_wished_bound() -> None:
    def row(ratio: float | None, *, least: float | None = None, most: float | None = None) -> Row:
        return Row(name="", ours="", ratio=ratio, least=least, most=most)

    assert row(1.0, least=1).verdict == "ok"
    assert row(0.9, least=1).verdict == "NOT"
    assert row(0.1, most=0.1).verdict == "ok"
    assert row(0.2, most=0.1).verdict == "NOT"
    assert row(None, most=0.1).verdict == "-"
    assert row(5.0).verdict == "-"
