"""Emails about several matches on both databases, with workers at once (club, 4.2)."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.club import Club, Store
from tests.database import open_store
from tests.inside import inbox
from tests.processes import at_once
from tests.service.mailclub import MailClub

MATCHES = tuple(f"m{n}" for n in range(6))


@pytest.fixture(params=["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


@pytest.fixture
def club(url: str, tmp_path: Path) -> Iterator[MailClub]:
    with closing(open_store(url)) as store:
        club = MailClub(store, tmp_path / "spool")
        club.add("Anna", "Bob")
        for name in MATCHES:
            club.new(name=name)
        club.run_tick()
        sheets = [line for name in MATCHES for line in (f"ORDERS {name}", "SETUP RANDOM", "END")]
        club.say("Anna", *sheets)
        club.say("Bob", *reversed_sheets())
        [*club.collect(club.folder)]
        yield club


def reversed_sheets() -> list[str]:
    """Return the same sheets in the other order: whoever locked them all would wait for ever."""
    names = reversed(MATCHES)
    return [line for name in names for line in (f"ORDERS {name}", "SETUP RANDOM", "END")]


def check(store: Store) -> None:
    with store.reading() as tx:
        sheets = tx.exec_driver_sql("SELECT match_id, seat, revision FROM submission").all()
        answers = tx.exec_driver_sql("SELECT key FROM outbox WHERE kind = 'receipt'").scalars()
        assert sorted(row.revision for row in sheets) == [1] * 12
        assert len({(row.match_id, row.seat) for row in sheets}) == 12
        assert sum(key.startswith("own/") for key in answers) == 2
        emails = tx.exec_driver_sql("SELECT status, faults FROM letter").all()
    assert [tuple(row) for row in emails] == [("accepted", 0)] * 2


def test_four_workers_read_two_emails_about_the_same_matches(club: MailClub, url: str) -> None:
    def work(_: int) -> None:
        with closing(open_store(url)) as store:
            Club(store, club.context).read_all()

    at_once(4, work)
    check(club.store)


def test_a_worker_that_was_killed_between_two_parts_is_followed_by_another(
    club: MailClub, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kills between two parts are no kills of the email: it never waits for hours."""
    note = inbox.note_progress

    for left in range(1, 6):
        parts = left

        def stop(tx: object, letter_id: int) -> None:
            nonlocal parts
            note(tx, letter_id)  # type: ignore[arg-type]
            parts -= 1
            if parts == 0:
                raise KeyboardInterrupt

        monkeypatch.setattr(inbox, "note_progress", stop)
        with closing(open_store(url)) as store, pytest.raises(KeyboardInterrupt):
            Club(store, club.context).read_all()
    monkeypatch.setattr(inbox, "note_progress", note)
    club.read_all()
    check(club.store)
