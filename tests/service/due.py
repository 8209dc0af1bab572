"""Make matches in which everything that `tick` can do is due at once."""

from datetime import datetime, timedelta

from tests.club import Club, Context, Progress, Store
from tests.inside import base_jobs
from tests.inside import ops_jobs as jobs

DAY = timedelta(days=1)


def everything(store: Store, now: datetime) -> None:
    """Make one match for each thing that a tick does; all were opened nine days before `now`."""
    club, opened = Club(store), now - 9 * DAY
    club.add("Anna", "Bob", now=opened)
    club.new(name="setups", now=opened)
    _set_up(club, "setups", opened)
    club.new("no_progress=1", name="ending", white="computer", black="computer:random", now=opened)
    club.new(name="computer", white="computer", now=opened)
    club.send("black", "SETUP RANDOM", match="computer", now=opened)
    club.new(name="offer", now=opened)
    club.send("white", "DRAW", match="offer", now=opened)
    club.new(name="agreement", now=opened)
    for seat in ("white", "black"):
        club.send(seat, "DRAW", match="agreement", now=opened)
    club.new(name="resignation", now=opened)
    club.send("black", "RESIGN", match="resignation", now=opened)
    club.new("deadline=every 10 days", name="reminder", now=opened)
    club.send("black", "SETUP RANDOM", match="reminder", now=opened)
    club.new("deadline=every 2 days", "absence=forfeit", "grace=1 day", name="forfeit", now=opened)
    club.new("deadline=every 2 days", name="alert", now=opened)
    club.new("settle=1 hour", "deadline=every 7 days", name="settled", now=opened)
    _set_up(club, "settled", opened)
    club.new(name="nothing", now=opened)


def do(store: Store, *names: str, now: datetime, context: Context) -> list[Progress]:
    """Do some jobs of a tick, and no others."""
    table = {job.name: job for job in (*jobs.FIRST, *jobs.BEFORE, *jobs.AFTER)}
    return list(jobs.run(store, [table[name] for name in names], base_jobs.Tick(now, context)))


def many(store: Store, now: datetime, matches: int) -> None:
    """Make several matches of every kind that is ended by one tick."""
    club = Club(store)
    club.add("Anna", "Bob", now=now)
    for number in range(matches):
        name = f"m-{number}"
        if number % 4 == 0:
            club.new("no_progress=2", name=name, white="computer", black="computer:random", now=now)
        else:
            club.new(name=name, now=now)
            _set_up(club, name, now)


def in_advance(store: Store, now: datetime) -> None:
    """Make a match in which one tick uses three sheets in advance, drops one and keeps one."""
    club = Club(store)
    club.add("Anna", "Bob", now=now)
    club.new(now=now)
    for seat in ("white", "black"):
        club.send(seat, "SETUP", "1S25PS14", "1122SP3S", "MHMM543P", now=now)
    club.tick(now)
    text = """
        ORDERS m black turn 1\nIF FIGHT: b6-b5, c6-c5\nELSE: c6-c5, b6-b5\nEND
        ORDERS m white turn 2\nd3-d4\ne3-e4\nEND
        ORDERS m black turn 2\nIF d3-d4: d6-d5, e6-e5\nEND
        ORDERS m white turn 3\nIF LOST e4: f3-f4, g3-g4\nEND
        ORDERS m white turn 4\nf3-f4\ng3-g4\nEND
        ORDERS m white turn 1\nb3-b4\nc3-c4\nEND"""
    for receipt in club.submit(text, now=now):
        assert receipt.accepted, receipt.problems


def _set_up(club: Club, match: str, now: datetime) -> None:
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match=match, now=now)
