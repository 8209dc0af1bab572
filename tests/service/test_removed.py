"""Whoever is removed from the list takes no email along, and leaves nothing to the next player."""

import sqlalchemy as sa

from tests.database import tables
from tests.service.mailclub import MailClub


def test_the_emails_of_a_removed_player_stay_and_are_nobodys(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.say("Bob", "PREFS REMINDERS OFF")
    club.say("Bob", "MATCH m", "d3-d4")
    club.run_tick()
    with store.reading() as tx:
        before = tx.execute(sa.select(sa.func.count()).select_from(tables.email)).scalar_one()
    assert before == 2
    club.remove("Bob")
    club.add("Cleo")
    with store.reading() as tx:
        after = tx.execute(sa.select(tables.email.c.id, tables.email.c.player_id)).all()
        assert [one.player_id for one in after] == [None] * before
