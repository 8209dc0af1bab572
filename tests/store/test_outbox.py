"""The queue of emails: each key once, and what becomes of an email."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from adjudicator.store import listings, outbox, turns
from adjudicator.store.outbox import OutgoingEmail
from tests.club import Club, Store
from tests.database import EMAILS_OUT, Tx, open_store, tables
from tests.rows import count


def put(store: Store, now: datetime, *emails: OutgoingEmail, sends_mail: bool = True) -> None:
    with store.transaction() as tx:
        outbox.put(tx, emails, now, sends_mail=sends_mail)


def queued(store: Store, statuses: Sequence[str] = ()) -> list[tuple[str, str]]:
    return [(email.key, email.status) for email in Club(store).emails_out(statuses)]


def test_a_key_is_queued_once(store: Store, now: datetime) -> None:
    put(store, now, OutgoingEmail(key="m/1/white/report", kind="report"))
    with pytest.raises(IntegrityError):
        put(store, now, OutgoingEmail(key="m/1/white/report", kind="report"))
    assert queued(store) == [("m/1/white/report", "waiting")]


def test_emails_are_queued_together_or_not_at_all(store: Store, now: datetime) -> None:
    put(store, now, OutgoingEmail(key="b", kind="report"))
    with pytest.raises(IntegrityError):
        put(
            store,
            now,
            OutgoingEmail(key="a", kind="report"),
            OutgoingEmail(key="b", kind="report"),
        )
    assert queued(store) == [("b", "waiting")]


def test_nothing_to_queue_is_nothing(store: Store, now: datetime) -> None:
    put(store, now)
    assert count(store, "outbox") == 0


def test_without_a_way_out_an_email_is_kept_and_never_waits(store: Store, now: datetime) -> None:
    put(store, now, OutgoingEmail(key="a", kind="report"), sends_mail=False)
    (kept,) = Club(store).emails_out()
    assert (kept.status, kept.next_at, kept.sent_at, kept.tries) == ("kept", None, None, 0)


def test_to_an_unconfirmed_address_an_email_does_not_wait(store: Store, now: datetime) -> None:
    put(store, now, OutgoingEmail(key="a", kind="report", confirmed=False))
    assert queued(store, ["waiting"]) == []
    assert queued(store, ["unconfirmed"]) == [("a", "unconfirmed")]


def test_emails_are_counted_by_the_beginning_of_their_key_email_by_email(
    store: Store, now: datetime
) -> None:
    keys = ("m_1/3/white/notice/1", "mx1/3/white/notice/1", "m_1/30/white/notice/1")
    put(store, now, *(OutgoingEmail(key=key, kind="notice") for key in keys))
    with store.reading() as tx:
        assert outbox.count(tx, "m_1/3/white/notice/") == 1
        assert outbox.count(tx, "m_1/3") == 2


def test_the_queue_is_listed_oldest_first_and_counted_by_status(
    store: Store, now: datetime
) -> None:
    put(store, now, OutgoingEmail(key="z", kind="report"), OutgoingEmail(key="a", kind="alert"))
    with store.transaction() as tx:
        first, _ = EMAILS_OUT.emails(tx)
        outbox.update(tx, first.id, status="stuck")
    assert queued(store) == [("z", "stuck"), ("a", "waiting")]
    with store.reading() as tx:
        assert listings.outgoing_counts(tx) == {"stuck": 1}


def test_an_email_says_what_it_was_given(store: Store, now: datetime) -> None:
    put(store, now, OutgoingEmail(key="a", kind="notice", body={"told": "blåbærsyltetøy"}))
    with store.reading() as tx:
        (email,) = EMAILS_OUT.emails(tx)
        assert outbox.body(tx, email.id) == '{"told":"blåbærsyltetøy"}'


def test_of_a_key_there_is_one_however_often_it_is_queued(store: Store, now: datetime) -> None:
    email = OutgoingEmail(key="operator/alert/spool/2026-11-21", kind="alert")
    for expected in (True, False):
        with store.transaction() as tx:
            assert outbox.put_once(tx, email, now, sends_mail=True) is expected
    assert queued(store) == [("operator/alert/spool/2026-11-21", "waiting")]


# Signs that a language sorts otherwise than a machine: by the case of their neighbours, or not at
# all.
ODD = ("m/1/", "m/1/white/notice/2", "M/1/white", "m-1/1", "m/1", "m/10", "m/2", "m1", "ma", "m/1ø")


def test_keys_that_begin_so_are_found_whatever_language_the_server_speaks(
    store: Store, now: datetime
) -> None:
    put(store, now, *(OutgoingEmail(key=key, kind="notice") for key in ODD))
    with store.reading() as tx:
        for prefix in ("m", "m/", "m/1", "m/1/", "m/1/white/notice/", "ø"):
            wanted = sum(key.startswith(prefix) for key in ODD)
            assert outbox.count(tx, prefix) == wanted, prefix


def test_on_a_server_keys_sort_by_their_signs_whatever_it_sorts_by_else(postgres_url: str) -> None:
    store = open_store(postgres_url)
    wanted = "SELECT collation_name FROM information_schema.columns WHERE table_name = 'outbox'"
    with store.reading() as tx:
        assert tx.exec_driver_sql(f"{wanted} AND column_name = 'key'").scalar() == "C"
    store.close()


def plan(tx: Tx, statement: sa.Select[Any]) -> str:
    """Return the database's plan for a query; a server is kept from scanning tables."""
    made = statement.compile(tx.engine, compile_kwargs={"literal_binds": True})
    if tx.dialect.name == "sqlite":
        return str(tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {made}").all())
    tx.exec_driver_sql("SET enable_seqscan = off")
    return str(tx.exec_driver_sql(f"EXPLAIN {made}".replace("%", "%%")).all())


def test_no_email_is_looked_for_among_all(store: Store, now: datetime) -> None:
    put(store, now, *(OutgoingEmail(key=f"m/{n}/white/report", kind="report") for n in range(200)))
    wanted = {
        "uq_outbox_key": outbox.begins("m/1/white/"),
        "ix_outbox_match_id_seat_ply": turns._telling(1, 3),
        "ix_outbox_created_at": tables.outbox.c.created_at > now,
    }
    with store.transaction() as tx:
        for index, condition in wanted.items():
            told = plan(tx, sa.select(tables.outbox.c.id).where(condition))
            named = "sqlite_autoindex_outbox_1" if tx.dialect.name == "sqlite" else index
            assert (named if index == "uq_outbox_key" else index) in told
