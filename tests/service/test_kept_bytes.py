"""Bytes of emails are kept as long as somebody may need them, and no longer."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adjudicator.mail.transport.errors import Temporary
from tests.club import MONDAY, shown_id, which_email
from tests.database import tables
from tests.service.mailclub import MailClub

HOUR = timedelta(hours=1)


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened()


def raws(club, table):
    with club.store.reading() as tx:
        return list(tx.execute(sa.select(table.c.raw).order_by(table.c.id)).scalars())


def test_the_bytes_of_an_email_are_not_kept_once_it_was_taken(club):
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.way.trouble = Temporary("not now")
    club.run_tick()
    assert [raw for raw in raws(club, tables.outbox) if raw], "they are kept to go again unchanged"
    club.way.trouble = None
    club.run_tick(MONDAY + HOUR)
    assert set(raws(club, tables.outbox)) == {None}


def test_the_bytes_of_emails_that_came_go_after_sixty_days_and_the_rest_stays(club):
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END")
    club.run_tick()
    (before,) = club.queue(["accepted"], gm=True)
    club.run_tick(MONDAY + timedelta(days=59))
    assert all(raws(club, tables.email))
    club.run_tick(MONDAY + timedelta(days=60, hours=1))
    assert set(raws(club, tables.email)) == {b""}
    (after,) = club.queue(["accepted"], gm=True)
    assert after == before
    _, text = club.one_in_queue(which_email(shown_id(after)), gm=True)
    assert text.startswith("from: ")
