"""Migrations from code: the only way in which a schema is made (Alembic)."""

from collections.abc import Callable

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import inspect

from adjudicator.core.message import say
from adjudicator.resources import folder
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


def _config(tx: Tx) -> Config:
    config = Config()
    config.set_main_option("script_location", str(folder("migrations")).replace("%", "%%"))
    config.attributes["connection"] = tx
    return config


def _migrate(store: Store, to: str, how: Callable[[Config, str], None]) -> None:
    """In one transaction. SQLite's foreign keys rest meanwhile: a batch migration drops and
    makes tables anew, and ON DELETE would take the rows of others with them."""
    resting = Store(make_engine(store.engine.url, foreign_keys=False))
    try:
        with resting.transaction() as tx:
            how(_config(tx), to)
            if tx.dialect.name == "sqlite" and tx.exec_driver_sql("PRAGMA foreign_key_check").all():
                raise RuntimeError(f"migration to {to} broke a foreign key")
    finally:
        resting.close()


def create(url: str) -> bool:
    """Make the database if there is none; False when one was there already. Raises
    StoreTrouble where another program keeps its tables."""
    parsed = parse_url(url)
    path = sqlite_path(parsed)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        refuse_other_files(path)
        if not path.exists():
            path.touch(mode=0o600)  # it holds every secret of every match
    store = Store(make_engine(parsed))
    try:
        if path is not None:
            keep_a_log(store)
        with store.reading() as tx:
            there = revision(tx) is not None
        foreign = [] if there else _tables(store)
        if foreign:
            others = ", ".join(sorted(foreign)[:3])
            raise StoreTrouble(
                say("that database holds tables of another program ({names})", names=others)
            )
        if not there:
            upgrade(store)
    finally:
        store.close()
    return not there


def _tables(store: Store) -> list[str]:
    # A transaction of its own: PostgreSQL ends one in which a table was not found.
    with store.reading() as tx:
        return inspect(tx).get_table_names()


def keep_a_log(store: Store) -> None:
    """SQLite's write-ahead log, so that readers never wait for a writer; stays for good."""
    with store.raw() as connection:
        connection.cursor().execute("PRAGMA journal_mode=WAL")


def upgrade(store: Store, to: str = "head") -> None:
    """Bring the database to a migration; makes every table in an empty one."""
    _migrate(store, to, command.upgrade)


def bring_up_to_date(url: str) -> tuple[str, str]:
    """Migrate an adjud database; returns the revisions before and after. Raises StoreTrouble
    where there is none, or one of a newer program."""
    store = open_any(url)
    try:
        with store.reading() as tx:
            before = str(revision(tx))
        if before < head():
            try:
                upgrade(store)
            except CommandError:
                unknown = say("no adjud ever made a database of version {seen}", seen=before)
                raise StoreTrouble(unknown) from None
        return before, head()
    finally:
        store.close()


def downgrade(store: Store, to: str) -> None:
    """Back to an older migration, for developers and tests."""
    _migrate(store, to, command.downgrade)


def check(store: Store) -> None:
    """Raises alembic's CommandError when tables and migrations differ."""
    with store.transaction() as tx:
        command.check(_config(tx))
