"""A club is copied to another database: every row goes over, or none, and the source stays."""

import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adjudicator.service.ops import backup
from adjudicator.store import clubs, schema, upkeep
from adjudicator.store.database import Moved
from adjudicator.store.rows import Packed
from tests import postgresql
from tests.club import MONDAY, Club, Context, Store
from tests.database import StoreTrouble, Tx, count_unsigned, create, metadata, open_store
from tests.nightly import NIGHT
from tests.rows import rows_of
from tests.service import due

REAL = pytest.mark.real


def pair(old: str, new: str, *marks: pytest.MarkDecorator) -> Any:
    """Return what keeps the club, and what shall keep it."""
    return pytest.param((old, new), id=f"{old}-{new}", marks=marks)


TO_A_FILE = pair("sqlite", "sqlite")
TO_A_SERVER = pair("sqlite", "postgresql", REAL)
BETWEEN_SERVERS = pair("postgresql", "postgresql", REAL, NIGHT)
# Rows of a server are read and closed by day, too, where that is what a test is about.
each_way = pytest.mark.parametrize(
    "engines",
    [TO_A_FILE, TO_A_SERVER, pair("postgresql", "sqlite", REAL), BETWEEN_SERVERS],
    indirect=True,
)


@pytest.fixture(
    params=[TO_A_FILE, TO_A_SERVER, pair("postgresql", "sqlite", REAL, NIGHT), BETWEEN_SERVERS]
)
def engines(request: pytest.FixtureRequest) -> tuple[str, str]:
    of: tuple[str, str] = request.param
    return of


@pytest.fixture
def database(engines: tuple[str, str], request: pytest.FixtureRequest) -> str:
    kept: str = request.getfixturevalue("sqlite_url" if engines[0] == "sqlite" else "postgres_url")
    return kept


@pytest.fixture
def target(
    engines: tuple[str, str], request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[str]:
    """Return the URL of a database in which nothing is; the file is not even there."""
    if engines[1] == "sqlite":
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


@each_way
def test_every_row_goes_over_and_the_match_goes_on_there(playing: Store, target: str) -> None:
    before = raw(playing)
    seen: list[int] = []
    rows = schema.copy(playing, target, progress=seen.append)
    assert rows == schema.number_of_rows(playing) == sum(seen) / 2
    assert raw(playing) == before
    there = open_store(target)
    assert raw(there) == before
    ours = Club(there)
    ours.add("Carl")  # rows get new numbers
    ours.new(name="next", black="Carl")
    assert ours.send("black", "RESIGN").accepted
    ours.tick()
    assert ours.verify("m") == ours.verify("next") == []
    assert ours.loaded("m").match.status == "over"
    there.close()


@each_way
@pytest.mark.slow
def test_everything_that_a_club_can_hold_comes_back_as_it_was(
    store: Store, target: str, tmp_path: Path
) -> None:
    due.everything(store, MONDAY)
    context = Context(committer=lambda: "5a" * 32, sends_mail=True)
    assert Club(store, context).run_due()
    schema.copy(store, target)
    there = open_store(target)
    schema.copy(there, f"sqlite:///{tmp_path}/back.db")
    there.close()
    back = open_store(f"sqlite:///{tmp_path}/back.db")
    assert raw(back) == raw(store)
    back.close()


def filled(store: Store) -> None:
    """Put a row into each table that has none, with a value in each column."""
    with store.transaction() as tx:
        for table in metadata.sorted_tables:
            count = sa.select(sa.func.count()).select_from(table)
            if tx.execute(count).scalar_one() == 0:
                tx.execute(sa.insert(table).values(_values(tx, table)))


def _values(tx: Tx, table: sa.Table) -> dict[str, object]:
    values: dict[str, object] = {}
    for column in table.c:
        of_type = {sa.Integer: 1, sa.LargeBinary: b"\x00\xff", sa.Text: "{}"}
        values[column.name] = of_type.get(type(column.type), MONDAY)
        if isinstance(column.type, Packed):
            values[column.name] = "{}"
    for constraint in table.foreign_key_constraints:
        # Together they refer to one row.
        there = [one.column for one in constraint.elements]
        found = tx.execute(sa.select(*there).limit(1)).one()
        values.update(zip(constraint.column_keys, found, strict=True))
    return values


@each_way
def test_every_column_of_every_table_goes_over(playing: Store, target: str) -> None:
    filled(playing)
    assert not [name for name, rows in raw(playing).items() if not rows]
    schema.copy(playing, target)
    there = open_store(target)
    assert raw(there) == raw(playing)
    there.close()


def test_a_database_that_holds_a_club_is_left_alone(playing: Store, target: str) -> None:
    create(target)
    there = open_store(target)
    Club(there).add("Carl")
    before = rows_of(there)
    for refused in (schema.copy, lambda _, url: schema.refuse_a_club(url)):
        with pytest.raises(StoreTrouble, match=r"there is already a club in .*; name an empty"):
            refused(playing, target)
    assert rows_of(there) == before
    there.close()


def test_a_database_that_was_only_made_becomes_the_club(playing: Store, target: str) -> None:
    create(target)
    schema.refuse_a_club(target)
    schema.copy(playing, target)
    there = open_store(target)
    assert raw(there) == raw(playing)
    with there.reading() as tx, playing.reading() as here:
        assert clubs.mark(tx) == clubs.mark(here)
    there.close()


def test_an_older_club_is_not_copied_between_newer_tables(playing: Store, target: str) -> None:
    create(target)
    schema.downgrade(playing, "0028")
    with pytest.raises(StoreTrouble, match=r"have version \d+, but the club to copy has"):
        schema.copy(playing, target)


def test_what_another_program_keeps_is_left_alone(playing: Store, new_sqlite, tmp_path) -> None:
    other = sa.create_engine(f"sqlite:///{tmp_path}/other.db")
    with other.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipe (name TEXT)")
    with pytest.raises(StoreTrouble, match=r"tables of another program \(recipe\)"):
        schema.copy(playing, f"sqlite:///{tmp_path}/other.db")
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
    with pytest.raises(StoreTrouble, match="the rows of player read back differ from those copied"):
        schema.copy(playing, url)
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
    with pytest.raises(StoreTrouble, match=r"to copy: a row of .* refers to nothing"):
        schema.copy(store, f"sqlite:///{tmp_path}/new.db")
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

        schema.copy(open_store(database), target, progress=kill)

    process = multiprocessing.get_context("fork").Process(target=copy)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    with pytest.raises(StoreTrouble, match="has no adjud database"):
        open_store(target)
    again, before = open_store(database), raw(playing)
    schema.copy(again, target)
    again.close()
    there = open_store(target)
    assert raw(there) == before
    there.close()


@each_way
def test_who_had_opened_the_database_cannot_write_into_it_after_the_move(
    playing: Store, database: str, target: str
) -> None:
    """A tick that has begun would adjudicate here what is adjudicated there, too."""
    begun, before = open_store(database), raw(playing)
    schema.move(playing, target)
    with pytest.raises(Moved, match="the club was moved out of"):
        Club(begun).add("Carl")
    assert raw(begun) == before
    with pytest.raises(Moved):  # as a backup of a server would
        schema.copy(begun, f"{target}.again" if target.startswith("sqlite") else target)
    begun.close()
    with pytest.raises(Moved):
        open_store(database)
    there = open_store(target)
    assert raw(there) == before
    Club(there).add("Carl")
    there.close()


@each_way
def test_what_is_written_while_a_club_moves_is_in_the_copy_or_refused(
    playing: Store, database: str, target: str
) -> None:
    """A transaction that has begun is waited for; those that come later wait, and find a closed
    database."""
    started, refused = threading.Event(), threading.Event()

    def work() -> None:
        ours = open_store(database)
        try:
            for number in itertools.count(1):
                with ours.transaction() as tx:
                    count_unsigned(tx)
                written.append(number)
                started.set()
        except Moved:
            refused.set()
        finally:
            ours.close()

    written: list[int] = []
    writer = threading.Thread(target=work, daemon=True)  # if nothing moves, it never ends
    writer.start()
    assert started.wait(30)
    schema.move(playing, target)
    writer.join(60)
    assert refused.is_set()
    there = open_store(target)
    with there.reading() as tx:
        assert clubs.number_of_unsigned(tx) == written[-1]
    assert raw(there) == raw(playing)
    there.close()


@each_way
def test_a_closed_database_is_reopened(playing: Store, database: str, target: str) -> None:
    assert not schema.reopen(database)
    schema.move(playing, target)
    assert schema.reopen(database)
    assert not schema.reopen(database)
    Club(playing).add("Carl")


@each_way
def test_a_move_that_is_killed_lets_the_club_go_on_in_one_database_at_most(
    playing: Store, database: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst moment: the old database is committed, and the new one is not."""
    before = raw(playing)
    playing.close()

    def move() -> None:
        unreferenced = schema.without_foreign_keys

        @contextmanager
        def killed(store: Store) -> Iterator[Tx]:
            with unreferenced(store) as tx:
                yield tx
                os.kill(os.getpid(), signal.SIGKILL)

        monkeypatch.setattr(schema, "without_foreign_keys", killed)
        schema.move(open_store(database), target)

    process = multiprocessing.get_context("fork").Process(target=move)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    with pytest.raises(Moved):
        open_store(database)
    with pytest.raises(StoreTrouble, match="has no adjud database"):
        open_store(target)
    assert schema.reopen(database)
    again = open_store(database)
    schema.move(again, target)
    again.close()
    there = open_store(target)
    assert raw(there) == before
    there.close()


def test_a_new_database_that_cannot_be_committed_leaves_the_old_one_open(
    playing: Store, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    unreferenced = schema.without_foreign_keys

    @contextmanager
    def failing(store: Store) -> Iterator[Tx]:
        with unreferenced(store) as tx:
            yield tx
            raise OSError("full")

    monkeypatch.setattr(schema, "without_foreign_keys", failing)
    with pytest.raises(OSError, match="full"):
        schema.move(playing, target)
    Club(playing).add("Carl")


def test_a_new_database_that_was_committed_and_then_lost_keeps_the_old_one_closed(
    playing: Store, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may fall silent after it has committed; the club must not go on in both."""
    unreferenced = schema.without_foreign_keys

    @contextmanager
    def lost(store: Store) -> Iterator[Tx]:
        with unreferenced(store) as tx:
            yield tx
        raise OSError("the server is silent")

    monkeypatch.setattr(schema, "without_foreign_keys", lost)
    with pytest.raises(OSError, match="the server is silent"):
        schema.move(playing, target)
    with pytest.raises(Moved):
        Club(playing).add("Carl")
    there = open_store(target)
    assert raw(there) == raw(playing)
    there.close()


def test_a_closed_database_is_no_place_for_a_club_even_if_it_was_empty(
    store: Store, database: str, target: str, tmp_path: Path
) -> None:
    schema.move(store, target)
    there = open_store(target)
    with pytest.raises(StoreTrouble, match=r"there is already a club in .*; name an empty"):
        schema.move(there, database)
    Club(there).add("Carl")
    there.close()


def test_a_file_that_was_closed_meanwhile_is_not_backed_up(
    new_sqlite: Callable[[str], str], tmp_path: Path
) -> None:
    """Nobody could restore it."""
    begun = open_store(new_sqlite("begun"))
    play(begun)
    schema.move(begun, f"sqlite:///{tmp_path}/new.db")
    with pytest.raises(Moved):
        upkeep.copy_to(begun, tmp_path / "copy.db")
    begun.close()


def test_a_move_to_where_a_club_is_leaves_the_old_database_open(
    playing: Store, target: str
) -> None:
    schema.copy(playing, target)
    with pytest.raises(StoreTrouble, match="there is already a club in"):
        schema.move(playing, target)
    Club(playing).add("Carl")


def test_what_was_found_at_the_new_place_is_told(playing: Store, target: str) -> None:
    said = list(backup.copy_club(playing, target))
    assert [agrees for agrees, _ in said] == [True, True, True]
    rows, closed, replayed = (str(told) for _, told in said)
    assert ": closed; " in closed
    assert rows.endswith(f": {schema.number_of_rows(playing)} rows were copied and read back")
    assert replayed == "the newest match was replayed there and agrees"


def test_a_match_that_does_not_agree_is_told(playing: Store, tmp_path: Path) -> None:
    with playing.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET turn = 7")
    _, _, (agrees, told) = backup.copy_club(playing, f"sqlite:///{tmp_path}/new.db")
    assert (agrees, str(told)) == (False, "m: the match is not where its log ends")
