"""What an administrator or his timers call: its processor time, with many matches beside few, or
beside a command that everybody knows."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.many_matches import many
from tests.bench.measuring import (
    Row,
    adjud,
    beside,
    environment,
    milliseconds,
    process,
    scaled,
    whole,
)

FEW = 10
CROWDS = ((5_000, 0), (500, 20))  # matches, and the plies of each


def rows(scale: float) -> Iterator[Row]:
    for number, plies in CROWDS:
        yield from _rows(scaled(number, scale, least=20), plies, scale)


def _rows(number: int, plies: int, scale: float) -> Iterator[Row]:
    crowd = f"{number:,} matches" + (f" of {plies} plies" if plies else "")
    with TemporaryDirectory() as few, TemporaryDirectory() as made:
        here, there = (
            environment(Path(folder), many(Path(folder), count_, plies))
            for folder, count_ in ((made, number), (few, FEW))
        )
        rounds, numbers = scaled(7, scale), count()

        def run(env: dict[str, str], *words: str) -> None:
            process([*adjud(), *words], env)()

        def erased(env: dict[str, str]) -> None:
            name = f"Zoe{next(numbers)}"
            run(env, "player", "add", name, f"{name.lower()}@example.org")
            run(env, "player", "erase", name, "--confirm")

        def saved(env: dict[str, str], folder: str) -> None:
            run(env, "backup", str(Path(folder) / f"saved{next(numbers)}.tar.gz"))

        small, large = dict(there), dict(here)
        for env in (small, large):  # a first time compiles, and does not count
            for words in (("metrics",), ("status",), ("tick",)):
                run(env, *words)
            erased(env)
        saved(large, made)
        saved(small, few)
        yield _row(
            f"adjud metrics, {crowd} (adjud status)",
            beside(lambda: run(large, "metrics"), rounds, lambda: run(large, "status")),
            whole(0.6, scale),
        )
        yield _row(
            f"adjud backup, {crowd} ({FEW})",
            beside(lambda: saved(large, made), rounds, lambda: saved(small, few)),
        )
        yield _row(
            f"adjud player add and erase, {crowd} ({FEW})",
            beside(lambda: erased(large), rounds, lambda: erased(small)),
        )

        def yesterday() -> None:
            last = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%dT%H:%M:%S.%fZ}"
            for folder in (made, few):
                with closing(sqlite3.connect(Path(folder) / "adjud.db")) as raw, raw:
                    raw.execute("UPDATE clock SET last_tick_at = ?", (last,))

        yield _row(
            f"the first adjud tick of a day, {crowd} ({FEW})",
            beside(lambda: run(large, "tick"), rounds, lambda: run(small, "tick"), yesterday),
        )


def _row(name: str, measured: tuple[float, float, float], most: float | None = None) -> Row:
    own, other, ratio = measured
    return Row(
        name=name, ours=milliseconds(own), theirs=milliseconds(other), ratio=ratio, most=most
    )
