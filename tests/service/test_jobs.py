"""A fault in one job of a tick, or in one thing that is due, stops nothing else: turns are played,
emails go, and the operator reads one sentence that tells no secret."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from sqlalchemy.exc import DBAPIError

from adjudicator.core.message import say
from adjudicator.service.base.jobs import (
    DueItem,
    Job,
    Tick,
    Told,
    Work,
    raise_what_stops_all,
)
from adjudicator.service.club.offers import substitutes
from adjudicator.service.matches import outage
from adjudicator.service.ops import jobs
from adjudicator.store import upkeep
from tests.club import MONDAY, Context, Paths, Session, Store, examine
from tests.database import Clash, StoreTrouble, Tx, player_named, update_player
from tests.service.mailclub import MailClub, text_of
from tests.service.test_substitutes import DUE, OPTIONS, made, offers_in, rows

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SECRET = "what only a seat may know"
# Nothing of a search for a substitute, which the operator may not know of (club, 6.3).
UNTOLD = ("substitut", "search", "offer", "white", "black", "silent", SECRET)
TABLE = [
    (part, number, job)
    for part in ("FIRST", "BEFORE", "AFTER")
    for number, job in enumerate(getattr(jobs, part))
]
EACH_JOB = pytest.mark.parametrize("row", TABLE, ids=lambda row: row[2].name.replace(" ", "-"))
Row = tuple[str, int, Job]


def to_operator(emails: Sequence[EmailMessage]) -> list[str]:
    return [" ".join(text_of(one).split()) for one in emails if "gm@" in one["To"]]


def without_debug(club: MailClub) -> MailClub:
    club.context = structs.replace(club.context, raise_faults=False)
    return club


def replace(monkeypatch: pytest.MonkeyPatch, row: Row, work: Callable[[], Work]) -> None:
    """Let a job of the table do other work, at each tick."""
    part, number, job = row
    table = list[Job](getattr(jobs, part))
    table[number] = structs.replace(job, asks=lambda *_: True, work=work, repeats=False)
    monkeypatch.setattr(jobs, part, table)


def played(club: MailClub) -> list[EmailMessage]:
    """Let both players send their first orders, and tick three times; return what went out."""
    club.write("white", "SETUP RANDOM")
    club.write("black", "SETUP RANDOM")
    emails = [*club.run_tick(), *club.run_tick(MONDAY + HOUR), *club.run_tick(MONDAY + 2 * HOUR)]
    assert {"Anna <anna@example.org>", "Bob <bob@example.org>"} <= {one["To"] for one in emails}
    return emails


def told_of_fault(emails: Sequence[EmailMessage]) -> str:
    """Return what the operator is told of a fault, each thing once."""
    found = to_operator(emails)
    assert len(set(found)) == len(found) > 0
    assert all("(LookupError)" in one for one in found)
    told = " ".join(found)
    assert not [word for word in UNTOLD if word in told.lower()]
    return told


@EACH_JOB
def test_a_fault_in_a_job_stops_neither_the_others_nor_the_emails(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: Row
) -> None:
    club = without_debug(MailClub(store, tmp_path / "spool").opened())
    replace(monkeypatch, row, lambda: Work(failing_at_once, failing_at_once))
    told = told_of_fault(played(club))
    assert "an error inside adjud (LookupError) stopped a part of its work" in told
    assert club.loaded().match.ply == (0 if row[2].name == "matches" else 1)


@EACH_JOB
@pytest.mark.parametrize("name", ["m", ""], ids=["told", "secret"])
def test_a_fault_in_one_thing_stops_no_other_and_leaves_nothing_half_done(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: Row, name: str
) -> None:
    """Of three things that are due the second fails, when it has written something."""
    club = without_debug(MailClub(store, tmp_path / "spool").opened())
    own = row[2].work()
    with store.transaction() as tx:
        tx.exec_driver_sql("CREATE TABLE written (key INTEGER)")

    def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
        with pytest.raises((StoreTrouble, DBAPIError), match="read"):
            tx.exec_driver_sql("INSERT INTO written VALUES (0)")
        return [DueItem(key, name) for key in (1, 2, 3)]

    def step(s: Session, key: int) -> Told:
        s.tx.exec_driver_sql(f"INSERT INTO written VALUES ({key})")
        done.append(key)
        return failing_at_once() if key == 2 else ()

    done: list[int] = []
    replace(monkeypatch, row, lambda: structs.replace(own, due=due, step=step, prepare=None))
    told = told_of_fault(played(club))
    assert (" m " in told or "[m]" in told) == bool(name)
    assert done[:6] == [1, 2, 3] * 2
    assert rows(club, "SELECT key FROM written") == [(key,) for key in done if key != 2]


def test_the_jobs_are_done_in_their_order() -> None:
    """What is restored is told first, an offer ends before the match moves on, and the tick is
    noted when all else is done."""
    names = [job.name for _, _, job in TABLE]
    assert names[:3] == ["clock set back", "deadlines of a wrong clock", "clock"]
    assert names[3:5] == ["orders of a wrong clock", "restored"]
    assert names.index("offers") < names.index("numbers") < names.index("matches")
    assert names.index("matches") < names.index("substitutes") < names.index("tournaments")
    assert names.index("tournaments") < names.index("pairings") < names.index("noting")
    assert names.index("long ended") < names.index("first of the day")
    assert len(set(names)) == len(names)


def test_a_database_that_fails_a_job_keeps_no_email_back(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when another program holds a lock for too long."""

    def locked(*_: object) -> Sequence[DueItem]:
        raise StoreTrouble(say("it is locked"))

    club = MailClub(store, tmp_path / "spool").opened()
    replace(monkeypatch, TABLE[0], lambda: Work(locked, failing_at_once))
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
        broken.setattr(substitutes, "_ask", failing_at_once)
        emails = [*club.run_tick(DUE), *club.run_tick(DUE + HOUR)]
    assert club.loaded("n").match.ply == 1
    assert "[n] Turn 1: your move" in {one["Subject"] for one in emails}
    (told,) = to_operator(emails)
    assert "(LookupError) stopped a part of its work" in told
    assert not [word for word in UNTOLD if word in told.lower()]
    assert not offers_in(club.run_tick(DUE + 2 * HOUR))  # it is tried once a day
    assert len(offers_in(club.run_tick(DUE + DAY))) == 3


def test_a_secret_fault_is_counted_and_told_when_its_match_is_over(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = without_debug(made(store, tmp_path / "spool", *OPTIONS))
    with monkeypatch.context() as broken:
        broken.setattr(substitutes, "_ask", failing_at_once)
        emails = [*club.run_tick(DUE), *club.run_tick(DUE + DAY)]
    assert rows(club, "SELECT job, kind, times, told_at IS NULL FROM job_fault") == [
        ("substitutes", "LookupError", 2, 1)
    ]
    assert not [one for one in to_operator(emails) if "substitutes" in one]
    (told,) = doctor_on_faults(club, DUE + DAY)
    assert "faults: 1 kind of error inside adjud stopped a part of its work in the last 7" in told
    with club.store.transaction() as tx:  # of a second search
        upkeep.note_job_fault(
            tx, "substitutes", "99", "LookupError", match_id=None, is_told=False, now=DUE
        )
    assert doctor_on_faults(club, DUE + DAY) == [told]
    with club.store.transaction() as tx:
        tx.exec_driver_sql("DELETE FROM job_fault WHERE key = '99'")
    assert not [word for word in UNTOLD if word in told.lower()]
    club.cancel("m", now=DUE + DAY)
    over = [*club.run_tick(DUE + 2 * DAY), *club.run_tick(DUE + 3 * DAY)]
    (last,) = [one for one in to_operator(over) if "LookupError" in one]
    assert (
        "an error inside adjud (LookupError) stopped the job 'substitutes' of m, first at" in last
    )
    assert "first at 2026-11-24 12:00 UTC and last at 2026-11-25 12:00 UTC" in last
    assert SECRET not in last


def test_a_named_fault_is_counted_once_and_forgotten_after_some_months(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = without_debug(MailClub(store, tmp_path / "spool").opened())
    row = next(one for one in TABLE if one[2].name == "ladders")
    with monkeypatch.context() as broken:
        work = Work(lambda tx, tick: [DueItem(("a", 1), "a ladder")], failing_at_once)
        replace(broken, row, lambda: work)
        played(club)
    kept = "SELECT job, key, kind, told_at IS NULL FROM job_fault"
    assert rows(club, kept) == [("ladders", "a ladder", "LookupError", 0)]
    (told,) = doctor_on_faults(club, MONDAY + DAY)
    assert "faults: 1 kind of error" in told
    assert "ladder" not in told
    (told,) = doctor_on_faults(club, MONDAY + 8 * DAY)
    assert told == "faults: none has stopped a part of the work in the last 7 days"
    for days in (89, 90, 91):
        assert rows(club, "SELECT id FROM job_fault")
        club.run_tick(MONDAY + days * DAY)
    assert not rows(club, "SELECT id FROM job_fault")


def doctor_on_faults(club: MailClub, now: datetime) -> list[str]:
    url = club.store.engine.url.render_as_string(hide_password=False)
    at = Paths(config=None, key=Path("key"), spool=Path("spool"))
    found = examine(url, at, now=now, only={"faults"}, debug=True)
    return [str(one.text) for one in found]


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
    emails = [*club.run_tick(later), *club.run_tick(later + HOUR)]
    assert club.loaded("n").match.ply == 1
    (told,) = [one for one in to_operator(emails) if "stopped a part of its work" in one]
    assert not [word for word in UNTOLD if word in told.lower()]
    assert club.loaded().match.status == "over"  # so it may be told by now what they were of
    assert len([one for one in to_operator(emails) if "stopped the job 'offers' of m" in one]) == 1
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
            player = player_named(tx, name)
            assert player is not None
            asked = {"confirmed_at": None, "asked_at": MONDAY, "remind_at": MONDAY + 2 * DAY}
            update_player(tx, player.id, **asked)
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
        emails = club.run_tick(MONDAY + 8 * DAY - HOUR)
    told = [one for one in to_operator(emails) if "LookupError" in one]
    assert len(told) == 2
    assert [name for name in ("one", "two") for one in told if f"keeps {name} from" in one]
    assert SECRET not in " ".join(told)
    club.run_tick(MONDAY + 8 * DAY + HOUR)
    assert "`adjud tick` had not run since 2026-11-23 12:00 UTC" in str(club.told)
    assert [club.loaded(name).match.status for name in ("one", "two")] == ["held", "held"]
    assert (
        club.loaded("later").match.status == "playing"
    )  # it only waits while the clock is doubted


@pytest.mark.parametrize("looked_for", [False, True])
@pytest.mark.parametrize(
    ("fault", "stops_all"),
    [(LookupError(), False), (StoreTrouble(say("locked")), True), (Clash(say("again")), True)],
)
def test_a_fault_of_the_database_stops_all_and_while_faults_are_looked_for_any_other(
    fault: Exception, stops_all: bool, looked_for: bool
) -> None:
    context = Context(raise_faults=looked_for)
    if stops_all or looked_for:
        with pytest.raises(type(fault)):
            raise_what_stops_all(fault, context)
    else:
        raise_what_stops_all(fault, context)


def test_one_place_asks_whether_a_fault_is_raised() -> None:
    """What else catches every fault asks `raise_what_stops_all`."""
    service = Path(jobs.__file__).parents[1]
    asking = {
        path.name for path in service.rglob("*.py") if ".raise_faults" in path.read_text("utf-8")
    }
    assert asking == {"jobs.py"}


def failing_at_once(*_: object, **__: object) -> Any:
    raise LookupError(SECRET)
