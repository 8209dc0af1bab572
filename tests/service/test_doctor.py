"""Let the doctor look at key, spool and emails."""

import os
import time
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from adjudicator.mail.transport import spool
from tests.club import MONDAY, Club, Paths, examine, saved_mark
from tests.database import open_store
from tests.inside import backup, schema
from tests.inside import doctor_table as table
from tests.service.installed import installed, put


@pytest.fixture
def at(tmp_path):
    return installed(tmp_path, operator="games@example.org", out=f"folder:{tmp_path}/out")


@pytest.fixture
def found(store, tmp_path, monkeypatch):
    """Return all that the doctor finds, as (well, text), but for the program's own files: to read
    all templates and catalogues takes longer than all else."""
    others = [(name, look) for name, look in table.CHECKS if name != "program"]
    monkeypatch.setattr(table, "CHECKS", others)

    def look(at, now=None):
        findings = examine(f"sqlite:///{tmp_path}/adjud.db", at, now=now or datetime.now(UTC))
        return [(finding.state == "ok", str(finding.text)) for finding in findings]

    return look


@pytest.fixture
def bad(found):
    return lambda at, **more: [text for well, text in found(at, **more) if not well]


def test_a_well_kept_house_is_well(at, bad):
    put(at)
    assert bad(at) == []


def test_a_spool_that_is_not_there_is_made_by_the_first_email(at, found):
    assert (True, f"spool: {at.spool}, created by the first email") in found(at)
    put(at)
    for folder in (at.spool, at.spool / "new", at.spool / "tmp"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_spool_that_others_can_read_is_told(at, bad):
    put(at)
    (at.spool / "new").chmod(0o755)
    assert bad(at) == [f"{at.spool / 'new'}: mode 0755, others can read emails; chmod 700"]


def test_emails_that_nobody_fetches_from_the_spool_are_told(at, bad):
    put(at)
    assert bad(at, now=datetime.now(UTC) + timedelta(minutes=50)) == []
    (text,) = bad(at, now=datetime.now(UTC) + timedelta(minutes=70))
    assert text.startswith("spool: an email has waited for more than an hour")


def test_what_was_put_aside_is_told_until_somebody_has_looked_at_it(at, bad):
    name = put(at)
    spool.put_aside(at.spool, name)
    (text,) = bad(at)
    assert text == (
        f"spool: 1 in {at.spool}/bad could not be read as email; "
        f"move any that are back to {at.spool}/new"
    )
    (at.spool / "bad" / name).rename(at.spool / "new" / name)
    assert bad(at) == []


def test_a_key_that_was_never_backed_up_is_told(at, store, tmp_path, bad):
    saved_mark(at.key).unlink()
    (text,) = bad(at)
    assert text.startswith("key: it was never backed up")
    archive = tmp_path / "b.tar.gz"
    Club(store).back_up(archive, at)
    assert bad(at) == [
        f"key: backed up in {archive}, on its own disk only, as far as this can be seen; copy that "
        "to another one"
    ]
    archive.unlink()  # it was moved elsewhere
    assert bad(at) == []


def test_a_key_that_is_newer_than_its_backup_is_told(at, bad):
    later = time.time() + 60
    os.utime(at.key, (later, later))
    (text,) = bad(at)
    assert text.startswith("key: it was never backed up")


def test_a_key_that_others_can_read_or_that_is_none_is_told(at, bad):
    at.key.chmod(0o640)
    assert bad(at) == [f"{at.key}: mode 0640, others can read the secret; chmod 600"]
    at.key.unlink()
    (text,) = bad(at)
    assert text.startswith(f"there is no key at {at.key}, and without the club's own key no seat's")
    assert "init" not in text


def test_without_a_domain_people_play_without_emails_and_nothing_is_wrong(
    tmp_path, store, found, now
):
    at = Paths(config=None, key=tmp_path / "key", spool=tmp_path / "spool")
    told = (True, "mail: no domain is set, so nobody can play by email")
    assert told not in found(at)
    Club(store).begin()
    assert told in found(at, now=now)


def test_who_can_write_but_gets_no_answer_is_told(at, store, bad, now):
    silent = msgspec.structs.replace(at, out="none")
    assert bad(silent) == []
    Club(store).begin()
    told = "mail: players can write to the club but get no reply; set mail.out"
    assert told in bad(silent, now=now)


@pytest.mark.slow
def test_a_password_file_that_is_missing_or_open_to_all_is_told(at, tmp_path, bad):
    path = tmp_path / "password"
    with_password = msgspec.structs.replace(at, password_file=path)
    assert bad(with_password) == [f"{path}: this file does not exist or cannot be reached"]
    path.write_text("secret")
    path.chmod(0o644)
    assert bad(with_password) == [f"{path}: mode 0644, others can read the secret; chmod 600"]
    path.chmod(0o600)
    assert bad(with_password) == []


def test_emails_that_wait_too_long_to_go_out_are_told(at, store, bad, now):
    with store.transaction() as tx:
        tx.exec_driver_sql(
            "INSERT INTO outbox (name, key, kind, body, created_at, status, tries, next_at) VALUES "
            "('n', 'k', 'alert', '{}', '2026-11-21T12:00:00.000000Z', 'waiting', 0, "
            "'2026-11-21T16:59:00.000000Z')"
        )

    def told(moment):
        return [text for text in bad(at, now=moment) if text.startswith("emails")]

    assert told(now - timedelta(minutes=10)) == []
    assert told(now) == [
        "emails: some have been due for more than an hour; does cron call `adjud tick`?"
    ]


# --- after a restore ---------------------------------------------------------------------------


@pytest.fixture(params=[None, "0028"], ids=str)
def restored(request, at, store, tmp_path):
    """Restore a backup of a club, some hours after it was made; its match went on meanwhile.

    An older adjud made the backup of some, before a new version came or on a computer that is lost.
    """
    club = Club(store)
    club.add("Anna", "Bob")
    opened = MONDAY - timedelta(days=9)
    club.new(name="m", now=opened)
    club.new(name="n", white="computer:random", black="computer:random", now=opened)
    archive, when = tmp_path / "b.tar.gz", datetime.now(UTC)
    if request.param is not None:
        schema.downgrade(store, request.param)
    club.back_up(archive, at)
    schema.upgrade(store)
    club.tick()  # n ends, and its players are told so
    store.close()
    (tmp_path / "adjud.db").unlink()

    def restore(after):
        url = f"sqlite:///{tmp_path}/adjud.db"
        backup.restore(archive, url, at, now=when + after)
        schema.bring_up_to_date(url)
        backup.note_restored_before(url, at.key)
        return when + after

    return restore


def warned(found, at, now):
    return [text for well, text in found(at, now=now) if not well and text.startswith("restore: ")]


@pytest.mark.slow
def test_it_warns_of_plies_that_were_told_and_are_gone_until_the_players_know_it(
    at, tmp_path, restored, found
):
    now = restored(timedelta(hours=9))
    (told,) = warned(found, at, now)
    assert told.endswith(" the next tick informs those of m, n")
    club = Club(open_store(f"sqlite:///{tmp_path}/adjud.db"))
    told = club.tick(now + timedelta(hours=1))
    assert told[:2] == [
        f"{match}: its players are informed that the club was restored" for match in "mn"
    ]
    assert warned(found, at, now + timedelta(hours=2)) == []
    assert not [line for line in club.tick(now + timedelta(hours=2)) if "restored" in line]
    club.store.close()


def test_a_club_that_was_moved_has_most_likely_told_nothing_since_its_backup(
    at, restored, found, tmp_path
):
    now = restored(timedelta(minutes=20))
    url = f"sqlite:///{tmp_path}/adjud.db"
    states = {told.check: told.state for told in examine(url, at, now=now)}
    assert states["restore"] == "unknown"


def test_a_club_that_was_never_restored_is_not_warned(at, found):
    assert not [text for _, text in found(at) if text.startswith("restore: ")]
