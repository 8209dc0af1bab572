"""Make and migrate the schema with Alembic; nothing else changes it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util import CommandError

from adjudicator.core.message import say
from adjudicator.resources import folder
from adjudicator.store import shape
from adjudicator.store.database import (
    Store,
    StoreTrouble,
    Tx,
    head,
    make_engine,
    open_any,
    parse_url,
    refuse_other_files,
    revision,
    sqlite_path,
)

# On a server whoever makes or changes tables holds this advisory lock until his transaction ends.
# Those of letters that are read (`readers`) have two numbers, so this one is none of them.
_ONE_AT_A_TIME = sa.text("SELECT pg_advisory_xact_lock(CAST(:key AS bigint))")
_TABLES = 0xAD70D


def _config(tx: Tx) -> Config:
    config = Config()
    config.set_main_option("script_location", str(folder("migrations")).replace("%", "%%"))
    config.attributes["connection"] = tx
    return config


def _migrate(store: Store, to: str, how: Callable[[Config, str], None]) -> None:
    with unreferenced(store) as tx:
        how(_config(tx), to)


@contextmanager
def unreferenced(store: Store) -> Iterator[Tx]:
    """Open a transaction with SQLite's foreign keys switched off; they are checked at its end.

    A batch migration drops and makes tables anew, and ON DELETE would delete the rows of others
    with them. Who comes while another one is at it waits, on a server, too, and then finds the
    tables as that one left them.
    """
    resting = Store(make_engine(store.engine.url, foreign_keys=False))
    try:
        with resting.transaction() as tx:
            if tx.dialect.name != "sqlite":
                tx.execute(_ONE_AT_A_TIME, {"key": _TABLES})
            yield tx
            if tx.dialect.name == "sqlite" and (
                broken := tx.exec_driver_sql("PRAGMA foreign_key_check").first()
            ):
                raise RuntimeError(f"a foreign key of {broken[0]} is broken")
    finally:
        resting.close()


def make_tables(tx: Tx, to: str) -> None:
    """Make every table of a migration inside a transaction, where they are not yet."""
    command.upgrade(_config(tx), to)


def create(url: str) -> bool:
    """Make the database if there is none; return False if there was one already.

    Raises StoreTrouble if another program keeps its tables there.
    """
    store = open_new(url)
    try:
        there = is_there(store)
        if not there:
            upgrade(store)
    finally:
        store.close()
    return not there


def open_new(url: str) -> Store:
    """Open a database that is to be made, with the file in which it will be."""
    parsed = parse_url(url)
    path = sqlite_path(parsed)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        refuse_other_files(path)
        if not path.exists():
            path.touch(mode=0o600)  # it holds every secret of every match
    store = Store(make_engine(parsed))
    if path is not None:
        keep_a_log(store)
    return store


def is_there(store: Store) -> bool:
    """Return whether adjud's tables are there; raise StoreTrouble if only another program's are."""
    with store.reading() as tx:
        there = revision(tx) is not None
    foreign = [] if there else _tables(store)
    if foreign:
        others = ", ".join(sorted(foreign)[:3])
        raise StoreTrouble(
            say("that database holds tables of another program ({names})", names=others)
        )
    return there


def _tables(store: Store) -> list[str]:
    # This is a transaction of its own, because PostgreSQL ends one in which a table was not found.
    with store.reading() as tx:
        return sa.inspect(tx).get_table_names()


def keep_a_log(store: Store) -> None:
    """Switch on SQLite's write-ahead log for good, so that readers never wait for a writer."""
    with store.raw() as connection:
        connection.cursor().execute("PRAGMA journal_mode=WAL")


def upgrade(store: Store, to: str = "head") -> None:
    """Bring the database to a migration; this makes every table in an empty database."""
    _migrate(store, to, command.upgrade)


def bring_up_to_date(url: str) -> tuple[str, str]:
    """Migrate an adjud database; return the revisions before and after.

    Raises StoreTrouble if there is none, if a newer program made it, or if it would not have all
    columns that the program needs; then it is left as it was.
    """
    store = open_any(url)
    try:
        with store.reading() as tx:
            before = str(revision(tx))
            if before == head():
                _refuse_gaps(tx)
        if before < head():
            try:
                _migrate(store, "head", _upgrade_whole)
            except CommandError:
                unknown = say("no adjud ever made a database of version {seen}", seen=before)
                raise StoreTrouble(unknown) from None
        return before, head()
    finally:
        store.close()


def _upgrade_whole(config: Config, to: str) -> None:
    command.upgrade(config, to)
    _refuse_gaps(config.attributes["connection"])


def _refuse_gaps(tx: Tx) -> None:
    if missing := shape.lacking(tx):
        raise StoreTrouble(
            say(
                "no upgrade brings what this database lacks, {missing}: an adjud between two "
                "versions made it, or somebody changed it by hand. Nothing was changed; the adjud "
                "that was used with it can go on",
                missing=missing,
            )
        )


def downgrade(store: Store, to: str) -> None:
    """Go back to an older migration, for developers and tests."""
    _migrate(store, to, command.downgrade)


def check(store: Store) -> None:
    """Raise Alembic's CommandError if tables and migrations differ."""
    with store.transaction() as tx:
        command.check(_config(tx))
