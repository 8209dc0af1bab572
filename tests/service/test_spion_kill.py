"""Kill every tick of a Spion match at every statement and run it again."""

from datetime import timedelta

import pytest

from tests.club import MONDAY, Club
from tests.database import open_store
from tests.service.spionclub import SpionClub
from tests.service.test_kill import clean_run, contents, disks, ticking, url, use

HOUR = timedelta(hours=1)


@pytest.fixture
def path(sqlite_url, tmp_path):
    return tmp_path / "adjud.db"


def club_on(store, tmp_path, context):
    club = SpionClub(store, tmp_path / "spool")
    club.context = context
    return club


@pytest.mark.slow
def test_every_ply_is_made_once_wherever_the_tick_is_killed(path, tmp_path, context):
    options = ("max_rounds=2", "memory=once", "deadline=every 2 days")
    use(path, lambda store: club_on(store, tmp_path, context).open(*options, players=4))
    plies = 0
    for number in range(1, 9):
        now = MONDAY + number * HOUR
        work = ticking(now, context)
        use(
            path, lambda store, number=number, now=now: _send(store, tmp_path, context, number, now)
        )
        expected = clean_run(path, work)
        _, killed = disks(path, work)
        assert len(killed) > 1
        for disk in killed:
            use(disk, work)
            assert contents(disk) == expected, f"{number}: {disk.name}"
        assert contents(path) == expected
        store = open_store(url(path))
        match = club_on(store, tmp_path, context).loaded().match
        assert Club(store).verify("m") == []
        assert Club(store, context).run_due(now=now) == []
        store.close()
        plies = match.ply
        if match.status == "over":
            break
    assert match.status == "over"
    assert plies == 4  # phrases, a resignation, two rounds


def _send(store, tmp_path, context, number, now):
    """Hand in what is there when the tick comes; in the second hour a seat leaves, too."""
    club = club_on(store, tmp_path, context)
    if number == 2:
        club.all_send(now, but=["green", "red"])
        club.send("red", "RESIGN", now=now)
    else:
        club.all_send(now)
