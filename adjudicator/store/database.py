"""Opening the database and its transactions; database faults become one clear sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from adjudicator.core.message import Message, say
from adjudicator.resources import folder

Tx = sa.Connection


class StoreTrouble(Exception):
    """The database cannot do what was asked; says why and what to do."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class Store:
    """An open database. Every use of it is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """Read and write; committed whole at the end or not at all."""
        with _sentences(self.engine.url), self.engine.begin() as tx:
            yield tx

    @contextmanager
    def reading(self) -> Iterator[Tx]:
        """One consistent look that never waits for a writer."""
        with _sentences(self.engine.url), self.engine.connect() as connection:
            yield connection.execution_options(begin="DEFERRED")

    def close(self) -> None:
        self.engine.dispose()


def open_store(url: str) -> Store:
    """The store at a URL; raises StoreTrouble if it is missing, old, newer, or none."""
    store = open_any(url)
    with store.reading() as tx:
        found = str(revision(tx))
    if found < head():
        raise StoreTrouble(
            say("the database is of an older adjud; `adjud db upgrade` brings it up to date")
        )
    return store


def open_any(url: str) -> Store:
    """An adjud database of this or an older program."""
    parsed = parse_url(url)
    path = sqlite_path(parsed)
    if path is not None and not path.exists():
        raise StoreTrouble(
            say("there is no database at {path}; `adjud init` makes one", path=str(path))
        )
    store = Store(make_engine(parsed))
    with store.reading() as tx:
        found = revision(tx)
    if found is None:
        shown = parsed.render_as_string(hide_password=True)
        raise StoreTrouble(say("{url} holds no adjud database; `adjud init` makes one", url=shown))
    if found > head():
        raise StoreTrouble(
            say("the database is of a newer adjud than this one; install that one instead")
        )
    return store


def parse_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreTrouble(
            say("'{url}' is no database URL; write one as sqlite:////path/adjud.db", url=url)
        ) from None
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise StoreTrouble(
            say(
                "adjud keeps its data in SQLite or PostgreSQL, not in '{name}'",
                name=parsed.get_backend_name(),
            )
        )
    if parsed.drivername == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    return parsed


def sqlite_path(url: URL) -> Path | None:
    """The file of an SQLite database; None for a server or a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def make_engine(url: URL, *, foreign_keys: bool = True) -> sa.Engine:
    """An engine that opens every transaction itself; `foreign_keys=False` is for migrations."""
    try:
        engine = sa.create_engine(url)
    except (NoSuchModuleError, ModuleNotFoundError):
        raise StoreTrouble(
            say("this database needs the extra: pip install 'adjudicator[postgres]'")
        ) from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", partial(_prepare_sqlite, foreign_keys))
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(foreign_keys: bool, connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    for pragma in (f"foreign_keys={foreign_keys:d}", "busy_timeout=15000", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Tx) -> None:
    """IMMEDIATE, so that a transaction that reads first and writes then cannot fail half-way
    because another one wrote in between."""
    how = connection.get_execution_options().get("begin", "IMMEDIATE")
    connection.exec_driver_sql(f"BEGIN {how}")


def head() -> str:
    """The newest migration, by the numbers that begin their file names; Alembic is not needed
    to compare."""
    return max(path.name[:4] for path in (folder("migrations") / "versions").glob("[0-9]*.py"))


def revision(connection: Tx) -> str | None:
    """The migration that the database stands at; None where there is no adjud database."""
    try:
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    except DBAPIError as trouble:
        if "alembic_version" in str(trouble.orig):
            return None
        raise
    return None if found is None else str(found)


# What SQLite's own words mean to an operator.
_MEANINGS = {
    "database is locked": say("the database is locked by another program; try again later"),
    "readonly database": say("the database may not be written: it is read-only for this user"),
    "unable to open database": say("the database cannot be opened; check its folder's rights"),
    "file is not a database": say("the file is not a database of adjud, or it is damaged"),
    "disk image is malformed": say("the database is damaged; restore the last backup"),
    "disk is full": say("the disk is full; nothing was stored"),
    "disk I/O error": say("the disk cannot be read or written; nothing was stored"),
}


@contextmanager
def _sentences(url: URL) -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise  # our mistake, or a second time of something that happens once
    except DBAPIError as trouble:
        said = str(trouble.orig)
        for words, message in _MEANINGS.items():
            if words in said:
                raise StoreTrouble(message) from trouble
        if url.get_backend_name() == "sqlite" and isinstance(trouble, sa.exc.DatabaseError):
            raise StoreTrouble(say("the database says: {said}", said=said)) from trouble
        raise StoreTrouble(
            say("the database server says: {said}", said=said.strip().split("\n")[0])
        ) from trouble
