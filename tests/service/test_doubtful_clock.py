"""A clock in doubt does nothing for good (the table in docs/server.md, "When the clock leaps").

Each job has one thing in the club that its time will bring about. The clock leaps over that time,
ticks run there, and nothing of it happens; the clock is set right, and each happens in its time.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec import Struct, structs

from adjudicator.service.base.context import Keep
from adjudicator.service.competition import creating
from adjudicator.service.competition.creating import NewTournament
from adjudicator.service.matches import game_master
from adjudicator.store.database import Store
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub
from tests.service.test_offers import invited

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MINUTES = timedelta(minutes=5)
LEFT = MONDAY + HOUR  # the last tick before the clock leaps
NOT = timedelta()
SILENT = ("absence=forfeit", "reminders=off")


class Job(Struct, frozen=True):
    """What a tick does for good: what makes it wait in a club, when it is due, whether the rows say
    that it was done, and from which leap on nobody believes that its time has come."""

    begin: Callable[[MailClub, str], None]
    due: timedelta
    done: str
    doubted_from: timedelta = 2 * DAY


def match(*options: str, sent: tuple[str, ...] = (), words: tuple[str, ...] = ()):
    def begin(club: MailClub, name: str) -> None:
        club.new("deadline=every 3 days", *SILENT, *options, name=name)
        for seat in sent:
            club.send(seat, "SETUP RANDOM", *words, match=name)

    return begin


def announced(club: MailClub, name: str) -> None:
    club.new("deadline=none", "reminders=off", name=name)
    means = {"reason": "x", "now": MONDAY, "context": club.context, "sure": True}
    game_master.announce_forfeit(club.store, name, "white", 4 * DAY, **means)


def offer(club: MailClub, name: str) -> None:
    invited(club, "white=Cleo", "black=Dan")


def tournament(club: MailClub, name: str) -> None:
    starts = f"{MONDAY + 9 * DAY:%Y-%m-%d %H:%M}"
    people = ("Anna", "Bob", "Cleo")
    wanted = NewTournament(
        name=name, game="espionage", kind="round-robin", variant="small", starts=starts,
        entrants=people,
    )  # fmt: skip
    creating.create(club.store, wanted, zone="UTC", now=MONDAY, context=club.context)


def ended(club: MailClub, name: str) -> None:
    club.new(name=name)
    game_master.cancel(club.store, name, reason="x", now=MONDAY, context=club.context)


def letter(club: MailClub, name: str) -> None:
    club.new(name=name)
    club.write("white", "HELP", to=club.address("white", name))


OF_MATCH = "SELECT count(*) FROM match WHERE name = '{}' AND "
JOBS: dict[str, Job] = {
    "forfeit": Job(match(), 3 * DAY, OF_MATCH + "status = 'over'"),
    "alert": Job(match("absence=gm"), 3 * DAY, OF_MATCH + "alerted_ply > 0"),
    "excuse": Job(
        match("excused=1"),
        3 * DAY,
        "SELECT count(*) FROM seat JOIN match ON match.id = match_id WHERE match.name = '{}' "
        "AND missed > 0",
    ),
    "short": Job(match("deadline=every 1 day"), DAY, OF_MATCH + "status = 'over'", DAY),
    "hourly": Job(
        match("deadline=every 4 hours"), 4 * HOUR, OF_MATCH + "status = 'over'", 4 * HOUR
    ),
    "reserve": Job(
        match("deadline=every 1 day", "bank=9 days"), DAY, OF_MATCH + "overdue_at > ''", DAY
    ),
    "leave": Job(match("leave=auto"), 3 * DAY, "SELECT count(*) FROM absence WHERE kind = 'auto'"),
    "thinking": Job(
        match(sent=("white", "black"), words=("NOTREADY",)), 3 * DAY, OF_MATCH + "ply > 0"
    ),
    "settle": Job(
        match("settle=60 hours", sent=("white", "black")), 2.5 * DAY, OF_MATCH + "ply > 0"
    ),
    "announced": Job(announced, 4 * DAY, OF_MATCH + "status = 'over'"),
    "substitute": Job(match("substitutes=on"), 3 * DAY, "SELECT count(*) FROM substitute_search"),
    "offer": Job(offer, 7 * DAY, "SELECT count(*) FROM offer WHERE status = 'expired'"),
    "cup": Job(tournament, 9 * DAY, "SELECT count(*) FROM pairing"),
    "archived": Job(ended, 20 * DAY, OF_MATCH + "archived_at > ''"),
    "letters": Job(letter, 61 * DAY, "SELECT count(*) FROM letter WHERE length(raw) = 0"),
}
LEAPS = {
    "minutes": timedelta(minutes=40),
    "hours": 6 * HOUR,
    "more than a day": 30 * HOUR,
    "days": 5 * DAY,
    "weeks": 30 * DAY,
    "years": 1500 * DAY,
}


def made(store: Store, folder: Path) -> MailClub:
    """Return a club in which each job waits."""
    club = MailClub(store, folder / "spool")
    codes = (f"CDE{n}" for n in range(200, 999))
    club.context = structs.replace(
        club.context, max_gap=2 * DAY, keep=Keep(ended=20 * DAY), coder=lambda: next(codes)
    )

    def begin() -> None:
        club.add("Anna", "Bob", "Cleo", "Dan")
        for name, job in JOBS.items():
            job.begin(club, name)
        club.run_tick()
        club.run_tick(LEFT)

    club.brought("every job", begin)
    return club


def done(club: MailClub) -> set[str]:
    """Return the jobs that were done for good."""
    with club.store.reading() as tx:
        return {
            name
            for name, job in JOBS.items()
            if tx.execute(sa.text(job.done.format(name))).scalar_one()
        }


def held(club: MailClub) -> list[str]:
    with club.store.reading() as tx:
        wanted = sa.text("SELECT name FROM match WHERE status = 'held' ORDER BY name")
        return list(tx.execute(wanted).scalars())


def resume(club: MailClub, now: datetime) -> None:
    for name in held(club):
        means = {"reason": "x", "extend": NOT, "context": club.context}
        game_master.resume(club.store, name, now=now, **means)


def due_by(now: datetime) -> set[str]:
    return {name for name, job in JOBS.items() if MONDAY + job.due <= now}


def doubted(leap: timedelta) -> set[str]:
    return {name for name, job in JOBS.items() if leap > job.doubted_from}


def ordinary(club: MailClub, since: datetime, until: datetime) -> None:
    """Run ticks as usual, but for their number."""
    club.run_tick(since)
    while since < until:
        since = min(since + 4 * HOUR, until)
        club.run_tick(since)


@pytest.mark.slow
@pytest.mark.parametrize("leap", LEAPS.values(), ids=LEAPS)
def test_a_clock_that_ran_ahead_has_done_nothing_for_good(store, tmp_path, leap):
    club = made(store, tmp_path)
    wrong = LEFT + leap
    for after in (NOT, MINUTES, 2 * MINUTES, 3 * HOUR):
        club.run_tick(wrong + after)
        assert done(club) <= due_by(wrong + after) - doubted(leap)
    back = LEFT + 4 * HOUR
    before = done(club)
    club.run_tick(back)
    resume(club, back)
    for after in (NOT, MINUTES, 2 * MINUTES):
        club.run_tick(back + after)
        assert done(club) <= before | due_by(back + after)
    resume(club, back + HOUR)
    ordinary(club, back + HOUR, MONDAY + 8 * DAY)
    assert done(club) >= due_by(MONDAY + 7 * DAY)
    assert held(club) == []


@pytest.mark.slow
def test_after_an_outage_all_is_done_when_ticks_have_run_for_a_day(store, tmp_path):
    club = made(store, tmp_path)
    back = LEFT + 70 * DAY
    for after in (NOT, MINUTES, HOUR):
        club.run_tick(back + after)
        assert done(club) == set()
    ordinary(club, back + HOUR, back + 2 * DAY)
    assert done(club) == {"offer", "cup", "archived", "letters", "thinking", "settle"}
    resume(club, back + 2 * DAY)
    ordinary(club, back + 2 * DAY, back + 10 * DAY)
    assert done(club) == set(JOBS)


@pytest.mark.slow
def test_the_operator_says_that_the_clock_is_right(store, tmp_path):
    club = made(store, tmp_path)
    back = LEFT + 70 * DAY
    club.run_tick(back)
    assert any("`adjud tick --sure`" in line for line in club.told)
    club.run_tick(back + MINUTES)
    assert not any("`adjud tick --sure`" in line for line in club.told)
    club.run_tick(back + 2 * MINUTES, sure=True)
    assert done(club) >= {"offer", "cup", "thinking", "settle"}
    club.run_tick(back + DAY)
    assert done(club) >= {"archived", "letters"}
