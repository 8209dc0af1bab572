"""Run benchmarks and print one table: `python -m tests.bench [NAME...] [--scale X]`."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping

from tests.bench import (
    administrator,
    audits,
    cold_start,
    crowd,
    email_road,
    idle_tick,
    intake,
    pages,
    workers,
)
from tests.bench.measuring import Row

BENCHMARKS: Mapping[str, Callable[[float], Iterator[Row]]] = {
    "cold": cold_start.rows,
    "workers": workers.rows,
    "tick": idle_tick.rows,
    "crowd": crowd.rows,
    "intake": intake.rows,
    "road": email_road.rows,
    "pages": pages.rows,
    "administrator": administrator.rows,
    "audit": audits.rows,
}
PEERS = "pip install '.[bench,postgres]', and a PostgreSQL server"
HEAD = ("benchmark (theirs)", "ours", "theirs", "ratio", "wished", "")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument(
        "--scale", type=float, default=1, help="0.1: a tenth of the rounds, matches and games"
    )
    given = parser.parse_args()
    if unknown := set(given.names) - set(BENCHMARKS):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there is {', '.join(BENCHMARKS)}")
    for line in table(measured(given.names or BENCHMARKS, given.scale)):
        print(line, flush=True)


def measured(names: Iterable[str], scale: float) -> Iterator[Row]:
    for name in names:
        yield from BENCHMARKS[name](scale)


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines as the rows come, and at the end what was left out; columns are as wide as
    these benchmarks need."""
    yield _line(HEAD)
    left_out = []
    for row in rows:
        if row.is_left_out:
            left_out.append(row.name.strip())
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        yield _line((row.name, row.ours, row.theirs, ratio, row.wished, row.verdict))
    if left_out:
        yield f"left out, for want of a peer ({PEERS}): {'; '.join(left_out)}"


def _line(cells: Iterable[str]) -> str:
    name, ours, theirs, ratio, wished, verdict = cells
    return f"{name:<66} {ours:>16} {theirs:>16} {ratio:>7} {wished:>7} {verdict}".rstrip()


if __name__ == "__main__":
    main()
