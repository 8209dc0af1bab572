"""A `tick` with nothing due, with many matches against few: its cost must not grow with their
number."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.matches import MATCH, OPENED, open_club, open_match
from tests.bench.measuring import Row, adjud, environment, in_turns, milliseconds, process, scaled
from tests.club import Club, Context

FEW, MANY = 1_000, 100_000

# The columns that differ in the copy of a row `t` for the match `copy.id`. An empty text lets the
# database choose the number.
COPIED: Mapping[str, Mapping[str, str]] = {
    "match": {
        "id": "copy.id",
        "name": "'espionage-' || copy.id",
        "wake_at": "strftime('%Y-%m-%dT%H:%M:%f000Z', t.wake_at, copy.id || ' seconds')",
    },
    "seat": {"match_id": "copy.id"},
    "turn": {"match_id": "copy.id"},
    "event": {"match_id": "copy.id"},
    "report": {"match_id": "copy.id"},
    "commitment": {"match_id": "copy.id"},
    "outbox": {
        "id": "",
        "match_id": "copy.id",
        "key": f"replace(t.key, '{MATCH}/', 'espionage-' || copy.id || '/')",
    },
}


def rows(scale: float) -> Iterator[Row]:
    few, many = scaled(FEW, scale, least=2), scaled(MANY, scale, least=20)
    now = OPENED + timedelta(hours=1)
    with ExitStack() as stack:
        warm, cold = [], []
        for number in (many, few):
            folder = Path(stack.enter_context(TemporaryDirectory()))
            url, store = open_club(folder)
            stack.enter_context(closing(store))
            # With a deadline every match has its entry in the index that `tick` asks.
            open_match(store, options=["deadline=every 3 days"])
            fill(folder / "adjud.db", number)
            env = environment(folder, url)
            warm.append(lambda store=store: Club(store, Context()).run_due(now=now))
            cold.append(process([*adjud(), "tick"], env))
        inside = in_turns(scaled(500, scale, least=2), *warm)
        outside = in_turns(scaled(20, scale, least=1), *cold)
    yield row(f"tick, nothing due, {many:,} matches ({few:,})", inside)
    yield row("  adjud tick as a command", outside)


def row(name: str, medians: Sequence[float]) -> Row:
    own, other = medians
    return Row(
        name=name,
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=own / other,
        most=1.2,
    )


def fill(database: Path, number: int) -> None:
    """Copy match 1 with all its rows up to `number` matches; their times to wake are spread over
    some days."""
    with closing(sqlite3.connect(database)) as raw, raw:
        raw.execute("PRAGMA synchronous=OFF")
        raw.execute("CREATE TEMP TABLE copy (id INTEGER PRIMARY KEY)")
        raw.executemany("INSERT INTO copy VALUES (?)", ((n,) for n in range(2, number + 1)))
        for table, changed in COPIED.items():
            names = [name for _, name, *_ in raw.execute(f"PRAGMA table_info({table})")]
            values = {name: changed.get(name, f"t.{name}") for name in names}
            kept = {name: value for name, value in values.items() if value}
            mine = "t.id" if table == "match" else "t.match_id"
            raw.execute(
                f"INSERT INTO {table} ({', '.join(kept)})"
                f" SELECT {', '.join(kept.values())} FROM copy, {table} t WHERE {mine} = 1"
            )
        assert not raw.execute("PRAGMA foreign_key_check").fetchall()
