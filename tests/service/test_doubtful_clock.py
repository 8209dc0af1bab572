"""A clock in doubt does nothing for good (the table in docs/server.md, "When the clock leaps").

Each job has one thing in the club that its time will bring about. The clock leaps over that time,
ticks run there, and nothing of it happens; the clock is set right, and each happens in its time.
"""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec import Struct, structs

from adjudicator.core.message import tell
from adjudicator.service.matches import doubt
from adjudicator.store.clubs import ClubClock, Doubt
from tests.audits import audits_of
from tests.club import (
    MONDAY,
    Club,
    Keep,
    NewLadder,
    NewMatch,
    NewTournament,
    Store,
    computer_orders,
)
from tests.database import open_store
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
    means = {"reason": "x", "now": MONDAY, "sure": True}
    club.announce_forfeit(name, "white", 4 * DAY, **means)


def offer(club: MailClub, name: str) -> None:
    invited(club, "white=Cleo", "black=Dan")


def friend(club: MailClub, name: str) -> None:
    club.say("Anna", "INVITE FRIEND TO espionage")
    club.run_tick()


def tournament(club: MailClub, name: str) -> None:
    starts = f"{MONDAY + 9 * DAY:%Y-%m-%d %H:%M}"
    people = ("Anna", "Bob", "Cleo")
    wanted = NewTournament(
        name=name, game="espionage", kind="round-robin", variant="small", starts=starts,
        entrants=people,
    )  # fmt: skip
    club.create_tournament(wanted)


def ended(club: MailClub, name: str) -> None:
    club.new(name=name)
    club.cancel(name, reason="x")


def email(club: MailClub, name: str) -> None:
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
    "friend": Job(friend, 14 * DAY, "SELECT count(*) FROM guest WHERE status = 'expired'"),
    "cup": Job(tournament, 9 * DAY, "SELECT count(*) FROM pairing"),
    "archived": Job(ended, 20 * DAY, OF_MATCH + "archived_at > ''"),
    "letters": Job(email, 61 * DAY, "SELECT count(*) FROM letter WHERE length(raw) = 0"),
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

    club.brought("every job", lambda: begin(club))
    return club


def begin(club: MailClub) -> None:
    club.add("Anna", "Bob", "Cleo", "Dan")
    for name, job in JOBS.items():
        job.begin(club, name)
    club.run_tick()
    club.run_tick(LEFT)


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
        means = {
            "reason": "x",
            "extend": NOT,
        }
        club.resume(name, now=now, **means)


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
    assert done(club) == {"offer", "friend", "cup", "archived", "letters", "thinking", "settle"}
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


# What was done by a clock that ran ahead, and what is left of it when that is right again.


def turn_played(store: Store, folder: Path, *options: str, by: datetime) -> MailClub:
    """Return a club whose match went on to the next turn at a wrong time, in which Anna wrote."""
    club = MailClub(store, folder / "spool")
    codes = (f"CDE{n}" for n in range(200, 999))
    club.context = structs.replace(club.context, max_gap=2 * DAY, coder=lambda: next(codes))
    club.add("Anna", "Bob", "Cleo", "Dan")
    club.new("deadline=every 3 days", *SILENT, *options)
    club.run_tick(LEFT)
    for seat in ("white", "black"):
        club.write(seat, f"ORDERS m {seat}", "SETUP RANDOM", "END", at=by)
    club.run_tick(by)
    return club


YEARS = LEFT + 1500 * DAY
BACK = LEFT + 20 * MINUTES


def test_the_operator_is_told_and_the_deadline_is_moved_back_once(store, tmp_path):
    club = turn_played(store, tmp_path, by=YEARS)
    assert club.loaded().match.deadline_at == YEARS + 3 * DAY
    told = club.run_tick(BACK)
    assert club.told[:2] == [
        "m: the clock was wrong; the deadline is now 2026-11-26 14:40 UTC",
        "the clock is behind the last tick, 2031-01-01 13:00 UTC. If it is right now, this was "
        "done at a wrong time: turns played in m. Deadlines that followed from it are moved back",
    ]
    assert sum(one["To"] == "gm@example.org" for one in told) == 1
    news = "The club's clock was wrong. The deadline is now Thu 26 Nov 2026, 14:40 UTC."
    assert club.report("black")["notices"][-1]["text"] == news
    for after in (MINUTES, 3 * MINUTES, HOUR):
        club.run_tick(BACK + after)
        assert club.loaded().match.deadline_at == BACK + 3 * DAY
    assert [str(one) for one in Club(store).verify("m")] == []
    ordinary(club, BACK + HOUR, BACK + 4 * DAY)
    assert club.loaded().match.status == "over"


def test_orders_that_came_at_a_wrong_time_are_played_when_the_others_come(store, tmp_path):
    club = turn_played(store, tmp_path, "settle=2 hours", by=LEFT)
    club.run_tick(LEFT + 3 * HOUR)
    assert club.loaded().match.ply == 1
    (seat,) = club.loaded().awaited
    lines = computer_orders(club.loaded(), seat, "computer")
    club.write(seat, f"ORDERS m {seat}", *lines, "END", at=YEARS)
    club.run_tick(YEARS)
    assert club.loaded().match.ply == 1
    back = LEFT + 4 * HOUR
    for after in (NOT, HOUR, 1.9 * HOUR):
        club.run_tick(back + after)
        assert club.loaded().match.ply == 1
    club.run_tick(back + 2.1 * HOUR)
    assert club.loaded().match.ply == 2
    assert [str(one) for one in Club(store).verify("m")] == []


def test_a_reserve_pays_for_no_time_that_only_the_wrong_clock_knew(store, tmp_path):
    club = turn_played(store, tmp_path, "bank=10 days", by=LEFT)
    (seat,) = club.loaded().awaited
    lines = computer_orders(club.loaded(), seat, "computer")
    club.write(seat, f"ORDERS m {seat}", *lines, "END", at=YEARS)
    club.run_tick(YEARS)
    assert club.loaded().holders[seat].bank == 10 * 86400
    for after in (NOT, MINUTES, 3 * MINUTES):
        club.run_tick(BACK + after)
    assert club.loaded().match.ply == 2
    assert club.loaded().holders[seat].bank == 10 * 86400
    assert [str(one) for one in Club(store).verify("m")] == []


@pytest.mark.parametrize("options", [(), ("bank=10 days", "leave=none")], ids=["plain", "reserve"])
def test_an_audit_blames_no_club_whose_clock_was_wrong_for_a_while(store, tmp_path, options):
    club = turn_played(store, tmp_path, *options, by=YEARS)
    reports = [club.report("white", now=YEARS)]
    for after in (NOT, 3 * MINUTES, DAY):
        club.run_tick(BACK + after)
        reports += [club.report("black", now=BACK + after)]
    now = BACK + 2 * DAY
    for _ in range(3):
        for one in club.loaded().awaited:
            lines = computer_orders(club.loaded(), one, "computer")
            club.write(one, f"ORDERS m {one}", *lines, "END", at=now)
        club.run_tick(now)
        reports += [club.report("white", now=now), club.report("black", now=now)]
        now += HOUR
    club.cancel("m", reason="x", now=now)
    club.run_tick(now)
    assert [str(one) for one in Club(store).verify("m")] == []
    for number, report in enumerate([*reports, club.report("white", now=now)]):
        (tmp_path / f"{number}.json").write_text(json.dumps(report))
    found = audits_of(*sorted(tmp_path.glob("*.json")))
    assert [tell(wrong) for one in found for wrong in one.wrong] == []


def test_what_may_be_sent_in_a_day_is_counted_from_the_right_time(store, tmp_path):
    club = turn_played(store, tmp_path, "press=on", by=YEARS)
    for _ in range(10):
        club.write("white", "PRESS TO black", "Hello!", "ENDPRESS", at=YEARS)
    club.run_tick(YEARS + MINUTES)
    club.run_tick(BACK)
    later = BACK + 26 * HOUR
    club.write("white", "PRESS TO black", "Hello again!", "ENDPRESS", at=later)
    emails = club.run_tick(later)
    assert any("Hello again!" in str(one) for one in emails if "bob@" in str(one["To"]))


def test_an_offer_that_was_made_at_a_wrong_time_is_open_for_seven_days(store, tmp_path):
    club = turn_played(store, tmp_path, by=LEFT)
    wanted = NewMatch(
        game="espionage", variant="small", name="n", seats=[], options=[], seed=None,
        fresh_seed=bytes(32),
    )  # fmt: skip
    asked = ["white=Cleo", "black=Dan"]
    club.ask_for_seats(wanted, asked, muster=False, now=YEARS)
    club.run_tick(YEARS + MINUTES)
    club.run_tick(BACK)
    with store.reading() as tx:
        found = tx.execute(sa.text("SELECT expires_at FROM offer")).scalars().all()
    assert all(BACK + 6.9 * DAY < datetime.fromisoformat(one) < BACK + 7.1 * DAY for one in found)


def test_a_ladder_and_the_figures_of_players_forget_the_wrong_time(store, tmp_path):
    club = turn_played(store, tmp_path, by=YEARS)
    wanted = NewLadder(name="spring", game="espionage", variant="small")
    club.create_ladder(wanted, now=LEFT)
    for name in ("Anna", "Bob"):
        club.enter_ladder("spring", name, now=LEFT)
    club.say("Bob", "INVITE Anna TO spring", at=YEARS)
    club.run_tick(YEARS)
    code = re.search(r"DECLINE.(CDE\d+)", str(club.way.letters))[1]
    club.say("Anna", f"DECLINE {code}", at=YEARS + MINUTES)
    club.run_tick(YEARS + MINUTES)
    club.run_tick(BACK)
    (one,) = club.ladder("spring").results
    assert one.ending == "declined"
    assert one.done_at <= BACK
    with store.reading() as tx:
        days = tx.execute(sa.text("SELECT DISTINCT day FROM conduct")).scalars().all()
    assert days == ["2026-11-23"]


def test_a_game_master_is_reminded_of_a_match_that_a_wrong_clock_held(store, tmp_path):
    club = turn_played(store, tmp_path, by=LEFT)
    club.run_tick(YEARS)
    assert held(club) == ["m"]
    club.run_tick(YEARS + HOUR)
    club.run_tick(BACK)
    club.run_tick(BACK + HOUR)
    assert club.told == []
    club.run_tick(BACK + DAY + HOUR)
    assert "m: the match still waits for you" in club.told


def test_a_clock_that_runs_behind_ends_nothing_when_it_is_right_again(store, tmp_path):
    club = made(store, tmp_path)
    for behind in (NOT, MINUTES, HOUR):
        club.run_tick(LEFT - 2000 * DAY + behind)
    assert done(club) == set()
    assert held(club) == []
    for after in (2 * HOUR, 2 * HOUR + MINUTES, 2 * HOUR + 3 * MINUTES):
        club.run_tick(LEFT + after)
    assert done(club) == set()
    assert held(club) == []


@pytest.mark.real
def test_several_workers_on_a_server_do_nothing_for_good_and_take_back_once(
    postgres_url: str, tmp_path: Path
) -> None:
    store = open_store(postgres_url)
    club = MailClub(store, tmp_path / "spool")
    codes = (f"CDE{n}" for n in range(200, 999))
    keep = Keep(ended=20 * DAY)
    club.context = structs.replace(
        club.context, max_gap=2 * DAY, keep=keep, coder=lambda: next(codes)
    )
    begin(club)

    def ticks(now: datetime) -> None:
        stores = [open_store(postgres_url) for _ in range(3)]
        with ThreadPoolExecutor(3) as workers:
            list(workers.map(lambda own: [*Club(own, club.context).run_due(now=now)], stores))
        for own in stores:
            own.close()

    for after in (NOT, MINUTES, 2 * MINUTES):
        ticks(YEARS + after)
        assert done(club) == set()
    club.send("black", "SETUP RANDOM", match="forfeit", now=YEARS + HOUR)
    club.send("white", "SETUP RANDOM", match="forfeit", now=YEARS + HOUR)
    for name in held(club):
        means = {
            "reason": "x",
            "extend": DAY,
        }
        club.resume(name, now=YEARS + HOUR, **means)
    ticks(YEARS + HOUR)
    assert club.loaded("forfeit").match.ply == 1
    for after in (NOT, MINUTES, 3 * MINUTES):
        ticks(BACK + after)
        assert done(club) == set()
        due = club.loaded("forfeit").match.deadline_at
        assert due is not None
        assert abs(due - (BACK + 3 * DAY)) < HOUR
    store.close()


# How a tick judges the clock, as a table.

T = MONDAY
LEAP = ClubClock(T + 9 * DAY, Doubt(T, T + 9 * DAY, 9 * DAY))
JUDGED = {
    "no tick before": (ClubClock(None, None), T, None),
    "as usual": (ClubClock(T, None), T + HOUR, None),
    "a late tick": (ClubClock(T, None), T + 1.5 * HOUR, None),
    "a leap": (ClubClock(T, None), T + 2 * HOUR, Doubt(T, T + 2 * HOUR, 2 * HOUR)),
    "a clock that differs": (ClubClock(T, None), T - 2 * MINUTES, None),
    "set back": (ClubClock(T, None), T - HOUR, Doubt(T, T - HOUR, -HOUR)),
    "still in doubt": (LEAP, T + 9 * DAY + HOUR, LEAP.doubt),
    "in doubt for a day": (LEAP, T + 10 * DAY, Doubt(T + 9 * DAY, T + 10 * DAY, DAY)),
    "in doubt no more": (
        ClubClock(T + 10 * DAY, LEAP.doubt),
        T + 10 * DAY + HOUR,
        Doubt(T, T + 9 * DAY, NOT),
    ),
    "right again after that": (
        ClubClock(T + 12 * DAY, Doubt(T, T + 9 * DAY, NOT)),
        T + 3 * DAY + HOUR,
        Doubt(T + 3 * DAY + HOUR, T + 3 * DAY + HOUR, HOUR - 9 * DAY),
    ),
    "right again": (LEAP, T + HOUR, Doubt(T + HOUR, T + HOUR, HOUR - 9 * DAY)),
    "back, but not so far": (LEAP, T + 5 * DAY, Doubt(T, T + 5 * DAY, 5 * DAY)),
    "a further leap": (LEAP, T + 19 * DAY, Doubt(T, T + 19 * DAY, 19 * DAY)),
}


@pytest.mark.parametrize(("clock", "now", "found"), JUDGED.values(), ids=JUDGED)
def test_a_tick_judges_the_clock(clock, now, found):
    assert doubt.judge(clock, now) == found


def test_a_club_that_ticks_once_a_day_is_in_doubt_for_no_more_than_a_day() -> None:
    """Cron is never on time to the second: a gap of a minute more is no second leap."""
    known, now = ClubClock(LEFT, None), LEFT
    for late in range(10):
        now += DAY + late * timedelta(minutes=1)
        known = ClubClock(now, doubt.judge(known, now))
        assert known.doubt is not None
        assert known.doubt.leap < 2 * DAY  # `max_gap`
