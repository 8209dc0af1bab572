"""Emails to a player and to no seat are numbered for him, daily ones included."""

from datetime import UTC, datetime, timedelta

import pytest

from adjudicator.mail.transport.errors import Temporary
from adjudicator.service.audit import emailed
from adjudicator.service.audit.verdicts import AuditVerdict
from tests import values
from tests.audits import Document, ValuePaper
from tests.club import MONDAY, Changes
from tests.service.mailclub import MailClub, value_in
from tests.service.test_restored import Lost
from tests.service.test_who_leaves import erase

HOUR = timedelta(hours=1)
SEVEN = datetime(2026, 11, 24, 7, tzinfo=UTC)  # the first 07:00 after MONDAY
WEEK = "deadline=every 7 days"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.change("Anna", Changes(letters="daily"), now=MONDAY, sends_mail=True)
    return club


def to_player(club, name="anna"):
    """Return the values of the emails to a player and to no seat."""
    raws = [raw for _, to, raw in club.way.letters if to == f"{name}@example.org"]
    told = [values.read(value_in(raw)) for raw in raws if value_in(raw)]
    return [one for one in told if not one.to.match]


def test_answers_and_daily_emails_are_one_chain_of_their_player(club):
    club.new(WEEK)
    club.say("Anna", "PREFS TIPS OFF")
    club.run_tick(MONDAY)
    club.run_tick(SEVEN)
    club.say("Bob", "STATUS", at=SEVEN + HOUR)
    club.say("Anna", "STATUS", at=SEVEN + HOUR)
    club.run_tick(SEVEN + HOUR)
    told = to_player(club)
    assert "daily" in [one.kind for one in told]
    assert [one.n for one in told] == [*range(1, len(told) + 1)]
    fingerprints = [None, *map(values.digest_of, told)]
    assert [one.before for one in told] == fingerprints[:-1]
    assert len({one.to.epoch for one in told}) == 1
    assert [one.n for one in to_player(club, "bob")] == [1]  # whatever Anna was sent


def test_each_player_is_named_by_the_number_in_the_club(club, store):
    """Emails of two players in one folder are two chains."""
    club.say("Anna", "STATUS")
    club.say("Bob", "STATUS")
    club.run_tick(MONDAY)
    (anna,), (bob,) = to_player(club), to_player(club, "bob")
    assert (anna.n, bob.n) == (1, 1)
    assert None is not anna.to.player != bob.to.player is not None


def test_what_was_thrown_away_unsent_leaves_its_number_to_the_next(club):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    club.run_tick()
    club.way.trouble = Temporary("451 later")
    club.run_tick(SEVEN)
    club.add("Carl")
    club.replace("one", "white", "Carl", reason="he asked", now=SEVEN + timedelta(minutes=1))
    club.way.trouble = None
    club.run_tick(SEVEN + timedelta(minutes=6))
    (daily,) = [one for one in to_player(club) if one.kind == "daily"]
    assert daily.n is not None
    assert daily.skipped == (daily.n - 1,)


def test_the_numbers_of_a_player_who_is_erased_go_with_him(club):
    club.say("Bob", "STATUS")
    club.say("Anna", "STATUS")
    club.run_tick(MONDAY)
    count = "SELECT count(*) FROM personal_number"
    with club.store.reading() as tx:
        before = tx.exec_driver_sql(count).scalar_one()
    erase(club, "Bob")
    with club.store.reading() as tx:
        assert 0 < tx.exec_driver_sql(count).scalar_one() < before


def test_after_a_restore_numbers_go_on_from_the_backup_in_a_new_epoch(store, tmp_path):
    """An audit of all these emails finds nothing to say."""
    lost = Lost(store, tmp_path).begun()

    def ask():
        lost.say("Anna", "STATUS", at=lost.now)
        lost.go()

    ask()
    archive = lost.saved()
    ask()
    lost.restored(archive)
    ask()
    ask()
    first, undone, after, last = to_player(lost)[-4:]
    assert first.to.epoch == undone.to.epoch != after.to.epoch == last.to.epoch
    assert (undone.n, after.n, last.n) == (first.n + 1, first.n + 1, first.n + 2)
    assert after.before == undone.before == values.digest_of(first)
    told = [first, undone, after, last]
    papers = [
        Document(name=str(n), match="", value=ValuePaper(one, None), is_personal=True)
        for n, one in enumerate(told)
    ]
    found = [one for one in emailed.personal(papers) if one.verdict is not AuditVerdict.REMARK]
    assert found == []
    lost.store.close()
