"""Substitutes on both databases: two workers at once, and after kills."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from sqlalchemy import URL

from tests import postgresql
from tests.club import Club, OpenClub, Store
from tests.database import Clash, all_players, offers_open_to, open_store, player_of_id
from tests.inside import answering, making, schema
from tests.processes import at_once
from tests.service.due import do
from tests.service.mailclub import MailClub
from tests.service.test_substitutes import DUE, HELPERS, OPTIONS, made, offers_in, rows


@pytest.fixture(params=["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.real)])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


@pytest.fixture
def club(url: str, tmp_path: Path) -> Iterator[MailClub]:
    """A set-up that is due, in which Black is silent."""
    with closing(open_store(url)) as store, patch.object(MailClub, "brought", by_itself):
        found = made(store, tmp_path / "spool", *OPTIONS)
        found.write("white", "SETUP RANDOM")
        found.run_tick()
        yield found


def by_itself(club: MailClub, key: str, by: Any) -> Any:
    """Take the steps to a club's beginning also where it cannot be copied from another one."""
    return by()


def given_of(store: Store) -> dict[int, str]:
    """Return the code of each player who is asked."""
    with store.reading() as tx:
        ids = [one.id for one in all_players(tx) if one.name in HELPERS]
        return {one: found[0].code for one in ids if (found := offers_open_to(tx, one))}


def accepts(url: str, player_id: int, code: str, club: MailClub) -> None:
    with closing(open_store(url)) as own:
        for _ in range(20):
            try:
                with OpenClub(own, DUE, club.context).session() as s:
                    answering.accept(s, player_id, code)
                return
            except Clash:
                continue
    raise AssertionError("it never came to an end")


def test_of_two_who_accept_at_once_one_gets_the_seat(club: MailClub, url: str) -> None:
    club.run_tick(DUE)
    given = [*given_of(club.store).items()]
    assert len(given) == 3
    club.store.close()
    at_once(3, lambda n: accepts(url, *given[n], club))
    with closing(open_store(url)) as club.store:
        status = sorted(str(row[0]) for row in rows(club, "SELECT status FROM offer"))
        assert status == ["accepted", "withdrawn", "withdrawn"]
        assert club.loaded().holders["black"].tenure == 2


def test_an_acceptance_and_the_game_master_at_once_do_not_stop_each_other(
    club: MailClub, url: str
) -> None:
    club.run_tick(DUE)
    given = [*given_of(club.store).items()]
    club.add("Zoe")
    club.store.close()

    def work(number: int) -> None:
        if number:
            accepts(url, *given[0], club)
            return
        with closing(open_store(url)) as own:
            for _ in range(20):
                try:
                    Club(own, club.context).replace("m", "black", "Zoe", reason="x", now=DUE)
                    return
                except Clash:
                    continue

    at_once(2, work)
    with closing(open_store(url)) as club.store:
        club.run_due(now=DUE)
        assert club.loaded().holders["black"].player_name in ("Zoe", *HELPERS)
        assert rows(club, "SELECT count(*) FROM offer WHERE status = 'open'") == [(0,)]


def test_two_ticks_at_once_ask_three_players(club: MailClub, url: str) -> None:
    club.store.close()

    def work(_: int) -> None:
        with closing(open_store(url)) as own:
            Club(own, club.context).run_due(now=DUE)
            do(own, "substitutes", now=DUE, context=club.context)

    at_once(2, work)
    with closing(open_store(url)) as club.store:
        club.run_due(now=DUE)
        assert rows(club, "SELECT count(*) FROM offer") == [(3,)]
        assert rows(club, "SELECT count(*) FROM substitute_search") == [(1,)]
        told = "SELECT count(*) FROM ruling WHERE action = 'substitute'"
        assert rows(club, told) == [(1,)]


@pytest.mark.parametrize("after", range(3))
def test_a_tick_that_was_killed_while_it_asked_is_done_again(club: MailClub, after: int) -> None:
    left = iter(range(after))

    def stop(*words: Any, **more: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return make(*words, **more)

    make = making.make
    with patch.object(making, "make", stop), pytest.raises(KeyboardInterrupt):
        club.run_tick(DUE)
    assert rows(club, "SELECT count(*) FROM offer") == [(0,)]
    assert len(offers_in(club.run_tick(DUE))) == 3
    assert not club.run_tick(DUE)


SEEN = (
    "SELECT seat, tenure, status, cause FROM substitute_search",
    "SELECT player_id, status FROM offer ORDER BY player_id",
    "SELECT action FROM ruling ORDER BY id",
    # What was leased goes out later, and the numbers of these offers are drawn.
    "SELECT key FROM outbox WHERE kind != 'substitute' ORDER BY key",
    "SELECT player_id, kind FROM outbox WHERE kind = 'substitute' ORDER BY player_id",
    "SELECT name, tenure, player_id FROM seat ORDER BY name",
    "SELECT kind, count(*) FROM conduct GROUP BY kind ORDER BY kind",
)


def killed_at(club: MailClub, commit: int | None) -> bool:
    """Run a tick that is killed before it commits for that time; return whether it was."""
    left = iter(range(10_000 if commit is None else commit))

    def stop(_: object) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    sa.event.listen(club.store.engine, "commit", stop)
    try:
        club.run_tick(DUE)
    except KeyboardInterrupt:
        return True
    finally:
        sa.event.remove(club.store.engine, "commit", stop)
    return False


def played(store: Store, spool: Path, *, asking: int | None, accepting: int | None) -> list[object]:
    """Let Black be silent, and one who is asked accept; the two ticks are killed at some commits.
    Return which were, and what is there then."""
    club = made(store, spool, *OPTIONS)
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    killed = [killed_at(club, asking)]
    club.run_tick(DUE)
    codes = given_of(store)
    with store.reading() as tx:
        name = player_of_id(tx, min(codes)).name
    club.say(name, f"ACCEPT {codes[min(codes)]}", at=DUE)
    killed.append(killed_at(club, accepting))
    club.run_tick(DUE)
    assert club.loaded().holders["black"].player_name == name
    return [killed, *(rows(club, statement) for statement in SEEN)]


@pytest.mark.slow
@pytest.mark.parametrize("tick_of", ["asking", "accepting"])
def test_whatever_commit_a_tick_is_killed_at_the_next_one_does_the_rest(
    new_sqlite: Callable[[str], str], tmp_path: Path, tick_of: str
) -> None:
    found, number = [], 0
    while not found or found[-1][0] != [False, False]:
        with closing(open_store(new_sqlite(f"killed{number}.db"))) as store:
            kills = {"asking": None, "accepting": None, tick_of: number}
            found.append(played(store, tmp_path / f"spool{number}", **kills))
        number += 1
    assert len(found) > 4
    for one in found:
        assert one[1:] == found[-1][1:]


@pytest.mark.real
def test_a_club_that_is_copied_counts_its_offers_on(
    store: Store, postgres_server: URL, tmp_path: Path
) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS)
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    assert len(offers_in(club.run_tick(DUE))) == 3
    with postgresql.database(postgres_server) as empty:
        url = postgresql.as_text(empty)
        schema.copy(store, url)
        with closing(open_store(url)) as club.store:
            assert rows(club, "SELECT count(*) FROM substitute_search") == [(1,)]
            club.say("Cleo", "INVITE Dag TO espionage", at=DUE)
            club.run_tick(DUE)
            assert rows(club, "SELECT id FROM offer WHERE kind = 'invite'") == [(1,)]
