"""A tournament on both databases, with two workers at once and after kills."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.club import MONDAY
from tests.database import open_store
from tests.inside import rounds
from tests.service.cups import Cup
from tests.service.due import do
from tests.service.mailclub import MailClub


@pytest.fixture(params=["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


@pytest.fixture
def club(url: str, tmp_path: Path) -> Iterator[MailClub]:
    with closing(open_store(url)) as store:
        yield MailClub(store, tmp_path / "spool")


def test_a_swiss_is_played_to_its_end(club: MailClub) -> None:
    cup = Cup(club, 5, "swiss", rounds=2)
    cup.start()
    for n in (1, 2):
        cup.win_all(n)

    assert cup.shown()["status"] == "over"
    assert sum(points for _, _, points in cup.table()) == 24 * 6
    assert len(club.letters("notice")) == 10  # on entering, and with the last table


def test_two_workers_make_each_board_once(club: MailClub, url: str) -> None:
    cup = Cup(club, 6, "round-robin")
    club.start_tournament("cup")

    def work(_: int) -> int:
        with closing(open_store(url)) as store:
            return len(do(store, "tournaments", "pairings", now=MONDAY, context=club.context))

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(work, range(2)))
    cup.tick()

    boards = [match for n in range(1, 6) for match in cup.boards(n)]
    assert len(boards) == len(set(boards)) == 15
    assert None not in boards
    assert len(club.letters("report")) == 30


def test_a_kill_between_pairing_and_matches_makes_no_board_twice(club: MailClub) -> None:
    cup = Cup(club, 4, "round-robin")
    made: list[str] = []

    def stop(*_: object) -> object:
        made.append("killed")
        raise KeyboardInterrupt

    with patch.object(rounds, "make_match", stop), pytest.raises(KeyboardInterrupt):
        cup.start()
    assert made == ["killed"]
    assert [one["match"] for one in cup.shown()["pairings"]] == [None] * 6
    paired = [one["entries"] for one in cup.shown()["pairings"]]

    cup.tick()

    assert [one["entries"] for one in cup.shown()["pairings"]] == paired
    assert len({one["match"] for one in cup.shown()["pairings"]} - {None}) == 6


def test_who_leaves_before_a_match_is_made_loses_it(club: MailClub) -> None:
    cup = Cup(club, 4, "knockout")

    with patch.object(rounds, "make_match", lambda *_: None):
        cup.start()
    gone, other = next(
        tuple(one["entries"]) for one in cup.shown()["pairings"] if one["board"] == 1
    )
    who = {one["number"]: one["player"] for one in cup.shown()["entries"]}
    cup.withdraw(who[gone])
    cup.tick()
    cup.win_all(1)

    assert list(cup.boards(1)) == [None, "cup-1-2"]
    assert who[other] in {one for pair in cup.boards(2).values() for one in pair}
