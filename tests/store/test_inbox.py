"""Which email is read next, and what it costs to find that out."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

from adjudicator.store import inbox
from tests.database import Store, Tx, open_store, update_email_in

MONDAY = datetime(2026, 11, 23, 12, tzinfo=UTC)


def put(tx: Tx, first: int, number: int) -> None:
    rows = [
        {
            "spool_name": f"{n}",
            "sha256": "",
            "received_at": MONDAY + timedelta(seconds=n),
            "sender": "anna@example.org",
            "recipient": f"Seat{n // 2}@example.org" if n % 2 else f"seat{n // 2}@example.org",
            "channel": "pipe",
            "length": 1,
            "raw": b"x",
        }
        for n in range(first, first + number)
    ]
    inbox.insert(tx, rows)


def test_an_email_waits_for_the_earlier_one_to_its_address(store: Store) -> None:
    now = MONDAY + timedelta(hours=1)
    with store.transaction() as tx:
        put(tx, 0, 4)
        first = inbox.next_unread(tx, now, [])
        assert first is not None
        other = inbox.next_unread(tx, now, [first.id])
        assert other is not None
        assert other.id == first.id + 2
        assert not inbox.is_any_unread(tx, now, [first.id, other.id])
        update_email_in(tx, first.id, status="accepted")
        second = inbox.next_unread(tx, now, [])
        assert second is not None
        assert second.id == first.id + 1


def work(tx: Tx, now: datetime) -> int:
    """Return how many hundreds of steps SQLite takes to find the next email."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    raw = tx.connection.dbapi_connection
    assert raw is not None
    raw.set_progress_handler(count, 100)
    assert inbox.next_unread(tx, now, []) is not None
    raw.set_progress_handler(None, 0)
    return steps


def test_to_find_the_next_of_four_times_as_many_takes_four_times_as_long(sqlite_url: str) -> None:
    """An email that is compared with all others would make it sixteen times."""
    now = MONDAY + timedelta(hours=1)
    with closing(open_store(sqlite_url)) as store, store.transaction() as tx:
        put(tx, 0, 200)
        few = work(tx, now)
        put(tx, 200, 600)
        assert work(tx, now) < 6 * few
