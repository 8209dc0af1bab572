"""A fault in one job of a tick, or in one thing that is due, stops nothing else: turns are played,
emails go, and the operator reads one sentence that tells no secret."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core.message import say
from adjudicator.service.club.offers import substitutes
from adjudicator.service.matches import outage
from adjudicator.service.ops import jobs
from adjudicator.service.ops.jobs import Job
from adjudicator.store import players
from adjudicator.store.database import Store, StoreTrouble
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub, text_of
from tests.service.test_substitutes import DUE, OPTIONS, made, offers_in, rows

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SECRET = "what only a seat may know"
# Nothing of a search for a substitute, which the operator may not know of (club, 6.3).
UNTOLD = ("substitut", "search", "offer", "white", "black", "silent", SECRET)
JOBS = [*jobs.BEFORE, *jobs.AFTER]
ADVANCE = jobs.BEFORE.index(next(job for job in jobs.BEFORE if job.work is jobs._advance))


def to_operator(letters: Sequence[EmailMessage]) -> list[str]:
    return [" ".join(text_of(one).split()) for one in letters if "gm@" in one["To"]]


def failing(*_: object, **__: object) -> Iterator[object]:
    raise LookupError(SECRET)


def without_debug(club: MailClub) -> MailClub:
    club.context = structs.replace(club.context, raise_faults=False)
    return club


@pytest.mark.parametrize("number", range(len(JOBS)))
def test_a_fault_in_a_job_stops_neither_the_others_nor_the_emails(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    club = without_debug(MailClub(store, tmp_path / "spool").opened())
    table = list[Job](JOBS)
    table[number] = structs.replace(JOBS[number], work=failing, is_due=lambda *_: True)
    monkeypatch.setattr(jobs, "BEFORE", table[: len(jobs.BEFORE)])
    monkeypatch.setattr(jobs, "AFTER", table[len(jobs.BEFORE) :])
    club.write("white", "SETUP RANDOM")
    club.write("black", "SETUP RANDOM")
    letters = [*club.run_tick(), *club.run_tick(MONDAY + HOUR), *club.run_tick(MONDAY + 2 * HOUR)]
    assert {"Anna <anna@example.org>", "Bob <bob@example.org>"} <= {one["To"] for one in letters}
    assert club.loaded().match.ply == (0 if number == ADVANCE else 1)
    (told,) = to_operator(letters)
    assert "an error inside adjud (LookupError) stopped a part of its work" in told
    assert not [word for word in UNTOLD if word in told.lower()]


def test_a_database_that_fails_a_job_keeps_no_email_back(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when another program holds a lock for too long."""

    def locked(*_: object) -> Iterator[object]:
        raise StoreTrouble(say("it is locked"))

    club = MailClub(store, tmp_path / "spool").opened()
    table = (structs.replace(jobs.BEFORE[0], work=locked, is_due=lambda *_: True),)
    monkeypatch.setattr(jobs, "BEFORE", table)
    club.write("white", "SETUP RANDOM")
    with pytest.raises(StoreTrouble, match="it is locked"):
        club.run_tick()
    assert [to for _, to, _ in club.way.letters][-1] == "anna@example.org"


def test_a_search_that_fails_is_not_told_and_goes_on_when_it_is_mended(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = without_debug(made(store, tmp_path / "spool", *OPTIONS))
    club.new(name="n")
    club.write("white", "SETUP RANDOM")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="n", now=DUE)
    with monkeypatch.context() as broken:
        broken.setattr(substitutes, "_ask", failing)
        letters = [*club.run_tick(DUE), *club.run_tick(DUE + HOUR)]
    assert club.loaded("n").match.ply == 1
    assert "[n] Turn 1: your move" in {one["Subject"] for one in letters}
    (told,) = to_operator(letters)
    assert "(LookupError) stopped a part of its work" in told
    assert not [word for word in UNTOLD if word in told.lower()]
    assert len(offers_in(club.run_tick(DUE + 2 * HOUR))) == 3


@pytest.mark.parametrize("damage", ["details = 'garbage'", "details = '[]'", "kind = 'strange'"])
def test_offers_that_cannot_be_read_are_told_once_and_by_no_secret(
    store: Store, tmp_path: Path, damage: str
) -> None:
    club = without_debug(made(store, tmp_path / "spool", *OPTIONS))
    club.write("white", "SETUP RANDOM")
    assert len(offers_in(club.run_tick(DUE))) == 3
    club.new(name="n", now=DUE)
    with club.store.transaction() as tx:
        tx.exec_driver_sql("CREATE TEMP TABLE whole AS SELECT id, details, kind FROM offer")
        tx.exec_driver_sql(f"UPDATE offer SET {damage}")
    later = DUE + 3 * DAY
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="n", now=later)
    letters = [*club.run_tick(later), *club.run_tick(later + HOUR)]
    assert club.loaded("n").match.ply == 1
    (told,) = [one for one in to_operator(letters) if "error inside adjud" in one]
    assert not [word for word in UNTOLD if word in told.lower()]
    with club.store.transaction() as tx:
        for column in ("details", "kind"):
            was = f"SELECT {column} FROM whole WHERE whole.id = offer.id"
            tx.exec_driver_sql(f"UPDATE offer SET {column} = ({was})")
    club.run_tick(later + 2 * HOUR)
    assert {row[0] for row in rows(club, "SELECT status FROM offer")} <= {"expired", "withdrawn"}


def test_one_address_that_fails_keeps_no_other_from_being_told(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = without_debug(MailClub(store, tmp_path / "spool").opened())
    with club.store.transaction() as tx:
        for name in ("Anna", "Bob"):
            player = players.find(tx, name)
            assert player is not None
            asked = {"confirmed_at": None, "asked_at": MONDAY, "remind_at": MONDAY + 2 * DAY}
            players.update(tx, player.id, **asked)
        tx.exec_driver_sql("UPDATE player SET created_at = 'yesterday' WHERE name = 'Anna'")
    told = " ".join(to_operator(club.run_tick(MONDAY + 3 * DAY)))
    assert "The address of Bob has not been confirmed" in told
    assert "(ValueError) stopped a part of its work" in told


def test_the_operator_is_told_of_each_match_that_cannot_be_put_on_hold(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = without_debug(MailClub(store, tmp_path / "spool"))
    club.context = structs.replace(club.context, max_gap=2 * DAY)
    club.add("Anna", "Bob")
    for name in ("one", "two"):
        club.new("deadline=every 3 days", name=name)
    club.new("deadline=every 8 days", name="later")
    club.run_tick()
    with monkeypatch.context() as broken:
        broken.setattr(outage, "_hold", failing_at_once)
        letters = club.run_tick(MONDAY + 8 * DAY - HOUR)
    told = [one for one in to_operator(letters) if "LookupError" in one]
    assert len(told) == 2
    assert [name for name in ("one", "two") for one in told if f"keeps {name} from" in one]
    assert SECRET not in " ".join(told)
    club.run_tick(MONDAY + 8 * DAY + HOUR)
    assert "`adjud tick` had not run since 2026-11-23 12:00 UTC" in str(club.told)
    assert [club.loaded(name).match.status for name in ("one", "two")] == ["held", "held"]
    assert (
        club.loaded("later").match.status == "playing"
    )  # it only waits while the clock is doubted


def failing_at_once(*_: object, **__: object) -> None:
    raise LookupError(SECRET)
