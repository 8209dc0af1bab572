"""A daily email goes once, whatever is killed and however many workers there are (club, 4.4)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Self
from uuid import uuid4

import pytest
from msgspec.structs import replace

from tests.club import Changes, Club, OpenClub, Store
from tests.database import emails_due, open_store
from tests.inside import delivery
from tests.inside import outbound_daily as daily
from tests.processes import at_once
from tests.service.mailclub import MailClub
from tests.service.test_kill import disks, url, use

SEVEN = datetime(2026, 11, 24, 7, tzinfo=UTC)
LATER = timedelta(minutes=20)  # by then the lease of a worker that was killed has run out


def begun(store: Store, folder: Path, *matches: str) -> MailClub:
    """Return a club in which the first reports of some matches wait for the coming 07:00."""
    club = MailClub(store, folder / "spool")
    club.add("Anna", "Bob")
    for name in ("Anna", "Bob"):
        wish = Changes(letters="daily")
        club.change(name, wish, sends_mail=True)
    for name in matches:
        club.new("deadline=every 9 days", name=name)
    club.run_tick()
    return club


def state(path: Path) -> list[tuple[object, ...]]:
    store = open_store(url(path))
    with store.reading() as tx:
        found = tx.exec_driver_sql(
            "SELECT a.key, a.status, b.key, a.tries, a.raw FROM outbox a "
            "LEFT JOIN outbox b ON b.id = a.carrier_id ORDER BY a.key"
        )
        rows = [tuple(row) for row in found]
    store.close()
    return rows


@pytest.mark.slow
def test_a_delivery_killed_at_any_statement_and_run_again_sends_the_same_emails(
    sqlite_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "adjud.db"
    begun(open_store(sqlite_url), tmp_path, "one", "two").store.close()

    def work_at(now: datetime, taken: list[tuple[str, bytes]]) -> Callable[[Store], None]:
        def work(store: Store) -> None:
            club = MailClub(store, tmp_path / "spool")
            club.deliver(now=now)
            taken.extend((to, raw) for _, to, raw in club.way.letters)

        return work

    first: list[tuple[str, bytes]] = []
    _, killed = disks(path, work_at(SEVEN, first))
    assert len(killed) == 5  # as it was, and after each of four transactions
    expected = state(killed[-1])
    assert [row[1] for row in expected] == ["sent"] * 6
    for disk in killed:
        again: list[tuple[str, bytes]] = []
        use(disk, work_at(SEVEN + LATER, again))
        use(disk, work_at(SEVEN + 2 * LATER, again))
        assert state(disk) == expected, disk.name
        names = [to for to, _ in again]
        assert len(names) == len(set(names))
        ids = {
            (to, message_from_bytes(raw, policy=policy.default)["Message-ID"])
            for to, raw in [*first, *again]
        }
        assert len(ids) == 2  # whatever arrives twice is known by its Message-ID


def test_workers_at_once_send_one_email_to_each_player(postgres_url: str, tmp_path: Path) -> None:
    names = [f"m{number}" for number in range(6)]
    store = open_store(postgres_url)
    club = begun(store, tmp_path, *names)
    store.close()
    taken = tmp_path / "taken"
    taken.mkdir()

    class Way:
        def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
            (taken / uuid4().hex).write_bytes(raw)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    def work(_: int) -> None:
        own = open_store(postgres_url)
        context = replace(club.context, open_transport=Way)
        Club(own, context).deliver(now=SEVEN)
        own.close()

    at_once(4, work)
    sent = [
        message_from_bytes(path.read_bytes(), policy=policy.default) for path in taken.iterdir()
    ]
    assert len({str(email["To"]) for email in sent}) == len(sent) == 2
    for email in sent:
        body = email.get_body(("plain",))
        assert body is not None
        assert all(f"Espionage {name}, " in body.get_content() for name in names)


def test_a_match_that_is_locked_holds_its_daily_email_back_and_loses_nothing(
    postgres_url: str, tmp_path: Path
) -> None:
    store = open_store(postgres_url)
    club = begun(store, tmp_path, "one", "two")
    club.tick(SEVEN)
    daily.gather(OpenClub(store, SEVEN, club.context), [1, 2])
    other = open_store(postgres_url)
    with other.transaction() as tx:
        tx.exec_driver_sql("SELECT id FROM match WHERE name = 'two' FOR UPDATE").all()
        with store.reading() as seen:
            ready = delivery.Batch(emails_due(seen, SEVEN))
        delivery.make_ready(OpenClub(store, SEVEN, club.context), ready, 16)
        assert ready.finished == []
    assert len(club.run_tick(SEVEN + LATER)) == 2
    other.close()
    store.close()
