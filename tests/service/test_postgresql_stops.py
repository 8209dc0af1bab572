"""PostgreSQL is stopped hard in the middle of ticks: nothing is lost, and no turn is made twice."""

import multiprocessing
import os
import time
from collections.abc import Iterator
from datetime import datetime
from random import Random

import pytest

from tests import postgresql
from tests.club import Club, Context
from tests.conftest import name_epoch
from tests.database import StoreTrouble, create, open_store
from tests.postgresql import Cluster
from tests.rows import Rows, rows_of
from tests.scale import scaled
from tests.service import due

pytestmark = [pytest.mark.slow, pytest.mark.real]

MATCHES = 12
WORKERS = 2


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    binaries = postgresql.programs()
    if binaries is None:
        pytest.skip(postgresql.MISSING)
    with postgresql.cluster(binaries) as started:
        yield started


def work(url: str, now: datetime, context: Context) -> None:
    """Tick until the server is gone, and say so as the program does."""
    try:
        store = open_store(url)
        Club(store, context).run_due(now=now)
        store.close()
    except StoreTrouble:
        os._exit(3)
    except BaseException:
        os._exit(4)
    os._exit(0)


def alone(url: str, now: datetime, context: Context) -> tuple[Rows, float]:
    """Return the rows of the same matches, ticked by one worker on SQLite, and how long it took."""
    store = open_store(url)
    due.many(store, now, MATCHES)
    began = time.monotonic()
    Club(store, context).run_due(now=now)
    lasted = time.monotonic() - began
    rows = rows_of(store, numbered=False)
    store.close()
    return rows, lasted


@pytest.mark.timeout(3600)
def test_a_server_that_is_stopped_in_the_middle_of_ticks_loses_and_doubles_nothing(
    server: Cluster, sqlite_url: str, now: datetime, context: Context
) -> None:
    expected, lasts = alone(sqlite_url, now, context)
    broken, rng = 0, Random(3)
    for _ in range(scaled(2)):
        with postgresql.database(server.url) as url:
            name = postgresql.as_text(url)
            create(name)
            name_epoch(name)
            store = open_store(name)
            due.many(store, now, MATCHES)
            store.close()
            broken += stopped_while_working(server, name, now, context, rng.uniform(0.1, lasts))
            store = open_store(name)
            for _ in range(2):  # the second does what the first left to a worker that is gone
                Club(store, context).run_due(now=now)
            assert rows_of(store, numbered=False) == expected
            assert all(Club(store).verify(one) == [] for one in Club(store).match_names())
            store.close()
    assert broken


def stopped_while_working(
    server: Cluster, url: str, now: datetime, context: Context, after: float
) -> int:
    """Stop the server some time after workers began; return how many of them met that."""
    forked = multiprocessing.get_context("fork")
    workers = [forked.Process(target=work, args=(url, now, context)) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    time.sleep(after)
    server.stop_hard()
    for worker in workers:
        worker.join(60)
    server.start()
    codes = [worker.exitcode for worker in workers]
    assert set(codes) <= {0, 3}, codes
    return codes.count(3)
