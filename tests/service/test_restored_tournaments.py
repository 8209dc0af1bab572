"""A tournament in a club that was restored: rounds that were paired after the
backup are paired again alike, with new matches."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adjudicator.core.contest_log import RestoredLine, ResultLine, RoundLine
from adjudicator.mail.address import seat_address
from tests.club import MONDAY, Club, NewLadder, Store, examine, restore
from tests.database import lines_of_tournament, match_named, open_store
from tests.service.cups import Cup, parse_log, verify_log
from tests.service.installed import installed
from tests.service.mailclub import POST, MailClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
EPOCHS = {"a": "hjkmn", "b": "pqrst"}


class Saved:
    """A Swiss of eight that was saved after its start."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.folder, self.at = folder, installed(folder)
        self.club = MailClub(store, folder / "spool")
        self.cup = Cup(self.club, 8, "swiss")
        self.cup.start()
        self.club.run_tick()
        self.archive = folder / "b.tar.gz"
        Club(store).back_up(self.archive, self.at)

    def restored(self, name: str, now: datetime = MONDAY + HOUR) -> Cup:
        """Return the tournament in a club that is restored from the backup."""
        url = f"sqlite:///{self.folder}/{name}.db"
        restore(self.archive, url, self.at, now=now, drawn=lambda: EPOCHS[name])
        club = MailClub(open_store(url), self.folder / name)
        cup = object.__new__(Cup)
        cup.club, cup.names = club, self.cup.names
        return cup

    def warned(self, name: str, now: datetime) -> list[str]:
        found = examine(f"sqlite:///{self.folder}/{name}.db", self.at, now=now)
        return [str(one.text) for one in found if one.check == "restore"]


@pytest.fixture
def saved(store: Store, tmp_path: Path) -> Saved:
    return Saved(store, tmp_path)


@pytest.fixture
def two(saved: Saved) -> Iterator[tuple[Cup, Cup]]:
    cups = saved.restored("a"), saved.restored("b")
    yield cups
    for cup in cups:
        cup.club.store.close()


def played_to_its_end(cup: Cup) -> list[Mapping[str, Any]]:
    """Play all rounds, an hour each; return what is shown after each, but for the log: it names the
    club's epoch, and the matches' own logs."""
    found = []
    for n in (1, 2, 3):
        cup.win_all(n, MONDAY + DAY + n * HOUR)
        text = re.sub("Log fingerprint .*", "", cup.text())
        found.append(({**cup.shown(), "log": None}, text))
    return found


def test_two_clubs_of_one_backup_show_the_same_to_the_end(two: tuple[Cup, Cup]) -> None:
    one, other = map(played_to_its_end, two)
    assert one == other
    assert one[-1][0]["status"] == "over"
    assert two[0].boards(3) == two[1].boards(3)


def test_a_lost_round_is_paired_again_with_new_matches(saved: Saved) -> None:
    lost = saved.cup
    lost.win_all(1, MONDAY + HOUR)
    saved.club.run_tick(MONDAY + HOUR)
    paired = lost.boards(2)
    with saved.club.store.reading() as tx:
        before = match_named(tx, "cup-2-1")
    assert before is not None

    cup = saved.restored("a", MONDAY + 2 * HOUR)
    cup.win_all(1, MONDAY + 3 * HOUR)
    assert cup.boards(2) == paired
    with cup.club.store.reading() as tx:
        lines = parse_log([one.line for one in lines_of_tournament(tx, cup.now.row.id)])
        assert verify_log(tx, cup.now) == []
    (at,) = (one.n for one in lines if isinstance(one, RestoredLine))
    assert [type(one) for one in lines[at - 2 : at + 1]] == [RoundLine, RestoredLine, ResultLine]
    with cup.club.store.reading() as tx:
        after = match_named(tx, "cup-2-1")
    assert after is not None
    assert after.seed != before.seed
    stale = seat_address(POST, "cup-2-1", "white", 1)  # of the match that is gone
    first = paired["cup-2-1"][0]
    cup.club.write(
        "white", "SETUP RANDOM", sender=f"{first.lower()}@example.org", to=stale, at=MONDAY + DAY
    )
    cup.club.run_tick(MONDAY + DAY)
    assert not cup.club.loaded("cup-2-1").sheets
    cup.club.store.close()


def test_the_doctor_names_tournaments_and_ladders_until_a_tick_has_come(saved: Saved) -> None:
    wanted = NewLadder(name="spring", game="espionage", variant="small")
    saved.club.create_ladder(wanted)
    saved.archive = saved.folder / "c.tar.gz"
    saved.club.back_up(saved.archive, saved.at)
    now = datetime.now(UTC) + 2 * HOUR
    cup = saved.restored("a", now)
    (of_matches, of_cups) = saved.warned("a", now)
    assert "the next tick informs those of cup-1-1, cup-1-2" in of_matches
    assert " in cup, spring is gone: " in of_cups
    assert "pairs rounds that are due again" in of_cups
    cup.club.run_tick(now + HOUR)
    assert saved.warned("a", now + 2 * HOUR) == []
    cup.club.store.close()


def test_a_tournament_without_matches_is_named_as_well(store: Store, tmp_path: Path) -> None:
    at = installed(tmp_path)
    Cup(MailClub(store, tmp_path / "spool"), 4, "swiss")
    Club(store).back_up(tmp_path / "b.tar.gz", at)
    now, url = datetime.now(UTC) + 2 * HOUR, f"sqlite:///{tmp_path}/a.db"
    restore(tmp_path / "b.tar.gz", url, at, now=now)
    told = [str(one.text) for one in examine(url, at, now=now) if one.check == "restore"]
    assert len(told) == 1
    assert " in cup is gone" in told[0]
