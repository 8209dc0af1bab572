"""The schema's history: one line, up and down, and old databases that still open."""

import ast
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy.engine import URL

from adjudicator import SCHEMA, __version__
from adjudicator.resources import folder
from adjudicator.store import database, schema
from tests import postgresql
from tests.database import (
    Store,
    StoreTrouble,
    create,
    head,
    make_engine,
    metadata,
    oldest,
    open_store,
    parse_url,
)
from tests.processes import at_once

MIGRATIONS = folder("migrations")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.real)])
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Make a database without anything in it."""
    if request.param == "sqlite":
        yield from opened(parse_url(f"sqlite:///{tmp_path / 'bare.db'}"))
        return
    server: URL = request.getfixturevalue("postgres_server")
    with postgresql.database(server) as url:
        yield from opened(url)


def opened(url: URL) -> Iterator[Store]:
    store = Store(make_engine(url))
    yield store
    store.close()


def tables_of(store: Store) -> set[str]:
    return set(sa.inspect(store.engine).get_table_names())


def script() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return ScriptDirectory.from_config(config)


def test_the_history_has_one_head() -> None:
    assert len(script().get_heads()) == 1


def test_the_head_by_file_names_is_alembics_head() -> None:
    assert head() == script().get_current_head()


def test_the_program_names_the_newest_schema_which_no_version_is_ahead_of() -> None:
    assert head() == SCHEMA
    assert int(__version__.rpartition(".")[2]) <= int(head())


def test_migrations_are_numbered_in_their_order() -> None:
    line = [revision.revision for revision in script().walk_revisions()]
    assert line == sorted(line, reverse=True)
    assert all(re.fullmatch(r"\d{4}", number) for number in line)


def test_migrations_never_import_todays_program() -> None:
    for path in (MIGRATIONS / "versions").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not any(name.startswith("adjudicator") for name in names), path.name


def test_a_database_is_made_from_nothing(bare: Store) -> None:
    schema.upgrade(bare)
    assert tables_of(bare) == {*metadata.tables, "alembic_version"}


def test_tables_and_migrations_do_not_differ(bare: Store) -> None:
    schema.upgrade(bare)
    schema.check(bare)  # raises where they do


def test_a_drift_would_be_found(bare: Store) -> None:
    schema.upgrade(bare)
    with bare.transaction() as tx:
        tx.exec_driver_sql("ALTER TABLE player ADD COLUMN shoe_size INTEGER")
    with pytest.raises(Exception, match="shoe_size"):
        schema.check(bare)


@pytest.mark.slow
def test_the_way_down_leads_to_nothing_and_up_again(bare: Store) -> None:
    schema.upgrade(bare)
    schema.downgrade(bare, "base")
    assert tables_of(bare) == {"alembic_version"}
    schema.upgrade(bare)
    schema.check(bare)


@pytest.mark.slow
def test_every_step_down_can_be_taken_up_again(bare: Store) -> None:
    schema.upgrade(bare)
    for _ in script().walk_revisions():
        schema.downgrade(bare, "-1")
    schema.upgrade(bare)
    schema.check(bare)


def test_on_sqlite_every_table_is_strict(sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    with store.reading() as tx:
        listed = tx.exec_driver_sql("SELECT name, strict FROM pragma_table_list").all()
    store.close()
    strict = {name: bool(is_strict) for name, is_strict in listed}
    assert all(strict[name] for name in metadata.tables)


def test_a_broken_migration_leaves_the_database_as_it_was(
    bare: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(config: Config, to: str) -> None:
        command.upgrade(config, to)
        raise RuntimeError("power")

    with pytest.raises(RuntimeError, match="power"):
        schema._migrate(bare, "head", break_off)
    assert tables_of(bare) == set()


def with_child_rows(store: Store) -> None:
    with store.transaction() as tx:
        tx.exec_driver_sql("CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT)")
        tx.exec_driver_sql(
            "CREATE TABLE child (id INTEGER PRIMARY KEY,"
            " parent_id INTEGER REFERENCES parent (id) ON DELETE CASCADE)"
        )
        tx.exec_driver_sql("INSERT INTO parent VALUES (1, 'Anna')")
        tx.exec_driver_sql("INSERT INTO child VALUES (1, 1)")


def rebuild_parent(config: Config, to: str) -> None:
    """Do what a batch migration does on SQLite: make a new table, copy the rows, drop the old
    one."""
    context = MigrationContext.configure(config.attributes["connection"])
    with Operations(context).batch_alter_table("parent", recreate="always") as batch:
        batch.alter_column("name", nullable=False, existing_type=sa.Text())


def test_a_batch_migration_keeps_the_rows_that_refer_to_its_table(sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    with_child_rows(store)
    schema._migrate(store, "head", rebuild_parent)
    with store.reading() as tx:
        assert tx.exec_driver_sql("SELECT count(*) FROM child").scalar() == 1
    store.close()


def test_a_migration_that_breaks_a_reference_is_undone(sqlite_url: str) -> None:
    def lose_parents(config: Config, to: str) -> None:
        config.attributes["connection"].exec_driver_sql("DELETE FROM parent")

    store = open_store(sqlite_url)
    with_child_rows(store)
    with pytest.raises(RuntimeError, match="foreign key"):
        schema._migrate(store, "head", lose_parents)
    with store.reading() as tx:
        assert tx.exec_driver_sql("SELECT count(*) FROM parent").scalar() == 1
    store.close()


def test_upgrades_at_once_are_one_upgrade(bare: Store) -> None:
    schema.upgrade(bare, oldest())
    url = postgresql.as_text(bare.engine.url)
    bare.close()
    at_once(4, lambda _: schema.bring_up_to_date(url))
    schema.check(bare)


def test_a_database_that_is_made_by_several_at_once_is_made_once(bare: Store) -> None:
    url = postgresql.as_text(bare.engine.url)
    bare.close()
    at_once(4, lambda _: create(url))
    schema.check(bare)


def without_a_column(store: Store, version: str) -> str:
    """Make a database as an adjud did that had another form of a migration for some hours."""
    schema.upgrade(store, version)
    with store.transaction() as tx:
        tx.exec_driver_sql("ALTER TABLE match DROP COLUMN hurried_ply")
    return postgresql.as_text(store.engine.url)


@pytest.mark.parametrize("version", [oldest(), head()])
def test_an_upgrade_that_would_leave_a_column_out_is_refused_and_changes_nothing(
    bare: Store, version: str
) -> None:
    url = without_a_column(bare, version)
    with pytest.raises(StoreTrouble, match=r"lacks, match\.hurried_ply: .* Nothing was changed"):
        schema.bring_up_to_date(url)
    with bare.reading() as tx:
        assert database.revision(tx) == version


def test_a_database_from_before_the_first_migration_is_left_alone(bare: Store) -> None:
    schema.upgrade(bare)
    with bare.transaction() as tx:
        tx.exec_driver_sql("UPDATE alembic_version SET version_num = '0027'")
    for use in (open_store, schema.bring_up_to_date):
        with pytest.raises(StoreTrouble, match=r"upgrade it with adjud 0\.2\.28 first"):
            use(postgresql.as_text(bare.engine.url))
    with bare.reading() as tx:
        assert database.revision(tx) == "0027"


def test_a_newer_database_is_left_alone(sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    with store.transaction() as tx:
        tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    store.close()
    for use in (open_store, schema.bring_up_to_date):
        with pytest.raises(StoreTrouble, match="newer"):
            use(sqlite_url)


def test_a_database_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "adjud.db"
    assert create(f"sqlite:///{path}")
    assert not create(f"sqlite:///{path}")
    assert path.stat().st_mode & 0o777 == 0o600


def test_making_a_database_goes_on_where_it_was_killed(migrated_file: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch(mode=0o600)
    assert create(f"sqlite:///{empty}")
    whole = tmp_path / "whole.db"
    shutil.copyfile(migrated_file, whole)
    assert not create(f"sqlite:///{whole}")


def test_init_leaves_the_database_of_another_program_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE recipe (name TEXT)")
        other.commit()
    with pytest.raises(StoreTrouble, match=r"tables of another program \(recipe\)"):
        create(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("recipe",)]
