"""A club is copied to another database: every row goes over, or none, and the source stays."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from adjudicator.service.base.environment import Means
from adjudicator.service.machine import moving, tick
from adjudicator.service.match import verification
from adjudicator.store import clubs, copying, schema
from adjudicator.store.database import Store, StoreTrouble, open_store
from adjudicator.store.tables import metadata
from tests import postgresql
from tests.rows import rows_of
from tests.service import due
from tests.service.club import MONDAY, Club


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.real)])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the URL of a database in which nothing is; the file is not even there."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/new/adjud.db"
        return
    with postgresql.database(request.getfixturevalue("postgres_server")) as url:
        yield postgresql.as_text(url)


@pytest.fixture
def playing(store: Store) -> Store:
    """Return a club with a match that goes on."""
    play(store)
    return store


def play(store: Store) -> None:
    ours = Club(store)
    ours.add("Anna", "Bob")
    ours.new(white="computer")
    ours.send("black", "SETUP RANDOM")
    ours.tick()


def raw(store: Store) -> dict[str, list[str]]:
    """Return all rows as the database keeps them."""
    plain = {
        name: sa.table(name, *(sa.column(one.name) for one in table.c))
        for name, table in metadata.tables.items()
    }
    with store.reading() as tx:
        return {
            name: sorted(str(tuple(row)) for row in tx.execute(sa.select(table)))
            for name, table in plain.items()
        }


def test_every_row_goes_over_and_the_match_goes_on_there(playing: Store, target: str) -> None:
    before = raw(playing)
    seen: list[int] = []
    rows = copying.copy(playing, target, progress=seen.append)
    assert rows == copying.number_of_rows(playing) == sum(seen) / 2
    assert raw(playing) == before
    there = open_store(target)
    assert raw(there) == before
    ours = Club(there)
    ours.add("Carl")  # rows get new numbers
    ours.new(name="next", black="Carl")
    assert ours.send("black", "RESIGN").accepted
    ours.tick()
    assert verification.verify(there, "m") == verification.verify(there, "next") == []
    assert ours.loaded("m").match.status == "over"
    there.close()


@pytest.mark.slow
def test_everything_that_a_club_can_hold_comes_back_as_it_was(
    store: Store, target: str, tmp_path: Path
) -> None:
    due.everything(store, MONDAY)
    means = Means(committer=lambda: "5a" * 32, way_out=True)
    assert list(tick.tick(store, now=MONDAY, means=means))
    copying.copy(store, target)
    there = open_store(target)
    copying.copy(there, f"sqlite:///{tmp_path}/back.db")
    there.close()
    back = open_store(f"sqlite:///{tmp_path}/back.db")
    assert raw(back) == raw(store)
    back.close()


def test_a_database_that_holds_a_club_is_left_alone(playing: Store, target: str) -> None:
    schema.create(target)
    there = open_store(target)
    Club(there).add("Carl")
    before = rows_of(there)
    for refused in (copying.copy, lambda _, url: copying.refuse_a_club(url)):
        with pytest.raises(StoreTrouble, match=r"there is a club in .* already; name an empty"):
            refused(playing, target)
    assert rows_of(there) == before
    there.close()


def test_a_database_that_was_only_made_becomes_the_club(playing: Store, target: str) -> None:
    schema.create(target)
    copying.refuse_a_club(target)
    copying.copy(playing, target)
    there = open_store(target)
    assert raw(there) == raw(playing)
    with there.reading() as tx, playing.reading() as here:
        assert clubs.mark(tx) == clubs.mark(here)
    there.close()


def test_what_another_program_keeps_is_left_alone(playing: Store, new_sqlite, tmp_path) -> None:
    other = sa.create_engine(f"sqlite:///{tmp_path}/other.db")
    with other.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipe (name TEXT)")
    with pytest.raises(StoreTrouble, match=r"tables of another program \(recipe\)"):
        copying.copy(playing, f"sqlite:///{tmp_path}/other.db")
    assert sa.inspect(other).get_table_names() == ["recipe"]
    other.dispose()


def test_rows_that_come_back_otherwise_are_not_kept(
    playing: Store, new_sqlite, tmp_path: Path
) -> None:
    url = new_sqlite("other")
    there = open_store(url)
    with there.transaction() as tx:
        tx.exec_driver_sql(
            "CREATE TRIGGER other AFTER INSERT ON player WHEN new.name = 'Bob' BEGIN"
            " UPDATE player SET name = 'bob' WHERE id = new.id; END"
        )
    with pytest.raises(StoreTrouble, match="the rows of player that were read back are not those"):
        copying.copy(playing, url)
    assert raw(there)["player"] == []
    there.close()


def test_a_damaged_file_is_not_copied(new_sqlite: Callable[[str], str], tmp_path: Path) -> None:
    """A server would not let rows refer to nothing."""
    store = open_store(new_sqlite("damaged"))
    play(store)
    with store.raw() as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("DELETE FROM player")
        connection.execute("PRAGMA foreign_keys=ON")
    with pytest.raises(StoreTrouble, match=r"to be copied: a row of .* refers to nothing"):
        copying.copy(store, f"sqlite:///{tmp_path}/new.db")
    store.close()


@pytest.mark.parametrize("moment", [1, 18])
def test_a_copy_that_is_killed_leaves_an_empty_database_and_is_begun_again(
    playing: Store, database: str, target: str, moment: int
) -> None:
    playing.close()

    def copy() -> None:
        calls = iter(range(1, moment + 1))

        def kill(_: int) -> None:
            if next(calls) == moment:
                os.kill(os.getpid(), signal.SIGKILL)

        copying.copy(open_store(database), target, progress=kill)

    process = multiprocessing.get_context("fork").Process(target=copy)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    with pytest.raises(StoreTrouble, match="holds no adjud database"):
        open_store(target)
    again, before = open_store(database), raw(playing)
    copying.copy(again, target)
    again.close()
    there = open_store(target)
    assert raw(there) == before
    there.close()


def test_what_was_found_at_the_new_place_is_told(playing: Store, target: str) -> None:
    said = list(moving.copy(playing, target))
    assert [agrees for agrees, _ in said] == [True, True]
    rows, replayed = (str(told) for _, told in said)
    assert rows.endswith(f": {copying.number_of_rows(playing)} rows were copied and read back")
    assert replayed == "the newest match was replayed there and agrees"


def test_a_match_that_does_not_agree_is_told(playing: Store, tmp_path: Path) -> None:
    with playing.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET turn = 7")
    _, (agrees, told) = moving.copy(playing, f"sqlite:///{tmp_path}/new.db")
    assert (agrees, str(told)) == (False, "m: the match does not stand where its log ends")
