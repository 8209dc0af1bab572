"""Workers at one PostgreSQL server: what a second one brings.

The server runs on the same machine. What one worker does and what two do is measured in turns, each
time with the same matches, by the clock.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from datetime import datetime
from functools import cache, partial
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Self, TypeAlias

from adjudicator.mail.address import Key, MailDomain, seat_address
from tests import postgresql
from tests.bench.many_matches import many
from tests.bench.matches import MATCH, OPENED, sheets
from tests.bench.measuring import MISSING, Row, peer, per_second, scaled
from tests.club import Club, Context, Store, load
from tests.database import match_names, open_store
from tests.inside import inbox, schema

WORKERS = (1, 2)
LEAST = 1.5  # times as much in the same time
WHOLE = "workers on PostgreSQL"
LIMIT = 120  # seconds


class Nowhere:
    """A way out that takes every email at once."""

    def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


MEANS = Context(
    sends_mail=True,
    post=MailDomain(domain="play.example.org", keys=(Key(id="k1", secret=b"k" * 32),)),
    open_transport=Nowhere,
    pictures=False,
)


def read(store: Store, now: datetime) -> None:
    Club(store, MEANS).read_all(now=now)


def turns(store: Store, now: datetime) -> None:
    Club(store, MEANS).run_due(now=now)


def emails(store: Store, now: datetime) -> None:
    Club(store, MEANS).deliver(now=now)


Work: TypeAlias = Callable[[Store, datetime], None]
WORK: Sequence[tuple[str, Work]] = (
    ("letters read", read),
    ("turns", turns),
    ("letters", emails),
)


def rows(scale: float) -> Iterator[Row]:
    number = scaled(96, scale, least=8)
    if peer("psycopg") is None:
        yield Row(name=WHOLE, ours="-", theirs=MISSING, least=LEAST)
        return
    with TemporaryDirectory() as made, postgresql.server() as server:
        if server is None:
            yield Row(name=WHOLE, ours="-", theirs="no server", least=LEAST)
            return
        with postgresql.database(server) as url:
            store = open_store(many(Path(made), number))
            schema.copy(store, postgresql.as_text(url))
            store.close()
            found = _measured(postgresql.as_text(url), scaled(4, scale))
    for what, _ in WORK:
        one, two = ([spent[what, n] for spent in found] for n in WORKERS)
        yield Row(
            name=f"{what} on PostgreSQL, 2 workers (1 worker)",
            ours=per_second(number, median(two), what.split()[0]),
            theirs=per_second(number, median(one), what.split()[0]),
            ratio=median(a / b for a, b in zip(one, two, strict=True)),
            least=LEAST,
        )


def _measured(url: str, rounds: int) -> list[dict[tuple[str, int], float]]:
    """Let all matches wait for a turn, and workers play it, as often as there are numbers of
    workers in each round; the first round is not counted."""
    context = get_context("spawn")
    barriers = {n: context.Barrier(n) for n in WORKERS}
    found = []
    with (
        closing(open_store(url)) as store,
        ProcessPoolExecutor(
            max(WORKERS), mp_context=context, initializer=_begin, initargs=(barriers,)
        ) as team,
    ):
        for _ in range(rounds + 1):
            spent = {}
            for n in reversed(WORKERS):  # both begin with the first round
                _write(store)
                for what, work in WORK:
                    times = team.map(partial(_work, work, url, n), [OPENED] * n)
                    began, ended = zip(*times, strict=True)
                    spent[what, n] = max(ended) - min(began)
                    _drop_receipts(store)
            found.append(spent)
    return found[1:]


def _write(store: Store) -> None:
    """Let an email with the same orders lie there for each of the matches, which all stand alike,
    and no email to go out."""
    with store.reading() as tx:
        loaded = load(tx, MATCH)
        names = match_names(tx)
    (seat,) = loaded.awaited
    sheet, player = sheets(store), str(loaded.holders[seat].player_name).lower()
    with store.transaction() as tx:
        tx.exec_driver_sql("UPDATE outbox SET status = 'sent' WHERE status = 'waiting'")
        inbox.insert(
            tx,
            [
                _row(name, seat, player, loaded.match.ply, sheet.replace(MATCH, name))
                for name in names
            ],
        )


def _row(name: str, seat: str, player: str, ply: int, sheet: str) -> Mapping[str, Any]:
    assert MEANS.post is not None
    raw = "\n".join(
        [
            f"From: {player}@example.org",
            f"To: {seat_address(MEANS.post, name, seat, 1)}",
            "Subject: my orders",
            f"Message-ID: <{name}.{ply}@example.org>",
            "",
            sheet,
        ]
    ).encode()
    return {
        "spool_name": f"{name}.{ply}",
        "sha256": "",
        "received_at": OPENED,
        "sender": f"{player}@example.org",
        "recipient": seat_address(MEANS.post, name, seat, 1),
        "channel": "bench",
        "length": len(raw),
        "raw": raw,
    }


def _drop_receipts(store: Store) -> None:
    with store.transaction() as tx:
        tx.exec_driver_sql("UPDATE outbox SET status = 'sent' WHERE kind = 'receipt'")


_BARRIERS: dict[int, Barrier] = {}


def _begin(barriers: dict[int, Barrier]) -> None:
    _BARRIERS.update(barriers)


@cache
def _store(url: str) -> Store:
    return open_store(url)


def _work(work: Work, url: str, workers: int, now: datetime) -> tuple[float, float]:
    """Work beside others; return when it began and ended."""
    store = _store(url)
    _BARRIERS[workers].wait(LIMIT)
    began = perf_counter()
    work(store, now)
    return began, perf_counter()
