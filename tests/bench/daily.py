"""A daily letter of twelve matches (club, 4.3), beside a letter for each of twelve matches."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from adjudicator.service.base.context import Context
from adjudicator.service.club import people
from adjudicator.service.outbound import delivery
from adjudicator.store.database import Store
from tests.bench.letters import POST
from tests.bench.matches import open_club, open_match
from tests.bench.measuring import Row, beside, milliseconds, scaled

MATCHES = 12
# What waits again as it did before it was delivered.
ANEW = (
    "DELETE FROM outbox WHERE kind = 'daily'",
    "UPDATE outbox SET status = 'waiting', sent_at = NULL, carrier_id = NULL, raw = NULL, "
    "next_at = created_at WHERE kind = 'report' AND seat = 'white'",
)


class _Way:
    """A way out that counts the letters and their bytes."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
        self.sizes.append(len(raw))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def rows(scale: float) -> Iterator[Row]:
    with TemporaryDirectory() as daily, TemporaryDirectory() as each:
        ours, sizes = _club(Path(daily), "daily")
        theirs, _ = _club(Path(each), "each")
        with closing(ours[0]), closing(theirs[0]):
            own, other, ratio = beside(ours[1], scaled(15, scale, least=2), theirs[1])
    assert len(sizes) == 1
    yield Row(
        name="a daily letter of 12 matches (12 letters without a page)",
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=ratio,
        most=1.5,
    )


def _club(folder: Path, letters: str) -> tuple[tuple[Store, Callable[[], None]], list[int]]:
    """Return a club whose reports wait, and what delivers them once more."""
    _, store = open_club(folder)
    way = _Way()
    for number in range(MATCHES):
        open_match(store, f"m{number}")
    now = datetime.now(UTC)
    context = Context(post=POST, sends_mail=True, open_transport=lambda: way)
    for name in ("Anna", "Bob"):
        wish = people.Changes(letters=letters)
        people.change(store, name, wish, now=now, sends_mail=True)
    with store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET page = 'none'")
    later = now + timedelta(days=2)

    def deliver() -> None:
        with store.transaction() as tx:
            for statement in ANEW:
                tx.exec_driver_sql(statement)
        way.sizes.clear()
        list(delivery.deliver(store, now=later, context=context))

    return (store, deliver), way.sizes
