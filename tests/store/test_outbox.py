"""The queue of letters: each key once, and what becomes of a letter."""

from collections.abc import Sequence
from datetime import datetime

import pytest
from sqlalchemy.exc import IntegrityError

from adjudicator.store import outbox
from adjudicator.store.database import Store
from adjudicator.store.outbox import Letter
from tests.rows import count


def put(store: Store, now: datetime, *letters: Letter, way_out: bool = True) -> None:
    with store.transaction() as tx:
        outbox.put(tx, letters, now, way_out=way_out)


def queued(store: Store, statuses: Sequence[str] = ()) -> list[tuple[str, str]]:
    with store.reading() as tx:
        return [(letter.key, letter.status) for letter in outbox.listed(tx, statuses)]


def test_a_key_is_queued_once(store: Store, now: datetime) -> None:
    put(store, now, Letter(key="m/1/white/report", kind="report"))
    with pytest.raises(IntegrityError):
        put(store, now, Letter(key="m/1/white/report", kind="report"))
    assert queued(store) == [("m/1/white/report", "waiting")]


def test_letters_are_queued_together_or_not_at_all(store: Store, now: datetime) -> None:
    put(store, now, Letter(key="b", kind="report"))
    with pytest.raises(IntegrityError):
        put(store, now, Letter(key="a", kind="report"), Letter(key="b", kind="report"))
    assert queued(store) == [("b", "waiting")]


def test_nothing_to_queue_is_nothing(store: Store, now: datetime) -> None:
    put(store, now)
    assert count(store, "outbox") == 0


def test_without_a_way_out_a_letter_is_kept_and_never_waits(store: Store, now: datetime) -> None:
    put(store, now, Letter(key="a", kind="report"), way_out=False)
    with store.reading() as tx:
        (kept,) = outbox.listed(tx)
    assert (kept.status, kept.next_at, kept.sent_at, kept.tries) == ("kept", None, None, 0)


def test_to_an_unconfirmed_address_a_letter_does_not_wait(store: Store, now: datetime) -> None:
    put(store, now, Letter(key="a", kind="report", confirmed=False))
    assert queued(store, ["waiting"]) == []
    assert queued(store, ["unconfirmed"]) == [("a", "unconfirmed")]


def test_letters_are_counted_by_the_beginning_of_their_key_letter_by_letter(
    store: Store, now: datetime
) -> None:
    keys = ("m_1/3/white/notice/1", "mx1/3/white/notice/1", "m_1/30/white/notice/1")
    put(store, now, *(Letter(key=key, kind="notice") for key in keys))
    with store.reading() as tx:
        assert outbox.count(tx, "m_1/3/white/notice/") == 1
        assert outbox.count(tx, "m_1/3") == 2


def test_the_queue_is_listed_oldest_first_and_counted_by_status(
    store: Store, now: datetime
) -> None:
    put(store, now, Letter(key="z", kind="report"), Letter(key="a", kind="alert"))
    with store.transaction() as tx:
        first, _ = outbox.listed(tx)
        outbox.update(tx, first.id, status="stuck")
    assert queued(store) == [("z", "stuck"), ("a", "waiting")]
    with store.reading() as tx:
        assert outbox.counts(tx) == {"stuck": 1, "waiting": 1}


def test_a_letter_says_what_it_was_given(store: Store, now: datetime) -> None:
    put(store, now, Letter(key="a", kind="notice", body={"told": "blåbærsyltetøy"}))
    with store.reading() as tx:
        (letter,) = outbox.listed(tx)
        assert outbox.body(tx, letter.id) == '{"told":"blåbærsyltetøy"}'
