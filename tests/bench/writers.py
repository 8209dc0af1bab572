"""Eight programs that write into one SQLite file at once: how long the unluckiest of them waits.

Waiting takes no processor time, so this is measured by the clock, ours and SQLite's own way in
turns.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import sleep

from adjudicator.store import clubs
from adjudicator.store.database import Store, open_store
from tests.bench.matches import open_club
from tests.bench.measuring import Row, milliseconds, scaled, timed

WRITERS = 8
WORK = 0.002  # seconds that each transaction takes, beside the disk


def rows(scale: float) -> Iterator[Row]:
    with TemporaryDirectory() as made:
        url, store = open_club(Path(made))
        store.close()
        begin = get_context("spawn")
        with ProcessPoolExecutor(WRITERS, mp_context=begin) as writers:
            pairs = []
            for _ in range(scaled(5, scale) + 1):  # the first starts the processes
                worst = [
                    max(writers.map(partial(write, url, start, scaled(40, scale)), range(WRITERS)))
                    for start in (_with_queue, _by_sqlite)
                ]
                pairs.append(worst)
    pairs = pairs[1:]
    own, other = (median(times) for times in zip(*pairs, strict=True))
    yield Row(
        name=f"the longest of {WRITERS} writers' transactions (BEGIN IMMEDIATE alone)",
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=median(ours / theirs for ours, theirs in pairs),
        most=0.2,
    )


def write(url: str, once: Callable[[Store], None], number: int, _writer: int) -> float:
    """Write so many times; return the longest that it took, in seconds."""
    with closing(open_store(url)) as store:
        return max(timed(lambda: once(store)) for _ in range(number))


def _with_queue(store: Store) -> None:
    with store.transaction() as tx:
        clubs.count_unsigned(tx)
        sleep(WORK)


def _by_sqlite(store: Store) -> None:
    with store.engine.begin() as tx:
        clubs.count_unsigned(tx)
        sleep(WORK)
