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
from tests.bench.measuring import Row, adjud, beside, environment, milliseconds, process, scaled

FEW, MANY = 10, 5_000


def rows(scale: float) -> Iterator[Row]:
    many_ = scaled(MANY, scale, least=20)
    with TemporaryDirectory() as few, TemporaryDirectory() as made:
        here, there = (
            environment(Path(folder), many(Path(folder), number))
            for folder, number in ((made, many_), (few, FEW))
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
            f"adjud metrics, {many_:,} matches (adjud status)",
            beside(lambda: run(large, "metrics"), rounds, lambda: run(large, "status")),
            0.6,
        )
        yield _row(
            f"adjud backup, {many_:,} matches ({FEW})",
            beside(lambda: saved(large, made), rounds, lambda: saved(small, few)),
        )
        yield _row(
            f"adjud player add and erase, {many_:,} matches ({FEW})",
            beside(lambda: erased(large), rounds, lambda: erased(small)),
        )

        def yesterday() -> None:
            last = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%dT%H:%M:%S.%fZ}"
            for folder in (made, few):
                with closing(sqlite3.connect(Path(folder) / "adjud.db")) as raw, raw:
                    raw.execute("UPDATE clock SET last_tick_at = ?", (last,))

        yield _row(
            f"the first adjud tick of a day, {many_:,} matches ({FEW})",
            beside(lambda: run(large, "tick"), rounds, lambda: run(small, "tick"), yesterday),
        )


def _row(name: str, measured: tuple[float, float, float], most: float | None = None) -> Row:
    own, other, ratio = measured
    return Row(
        name=name, ours=milliseconds(own), theirs=milliseconds(other), ratio=ratio, most=most
    )
