"""Open the database and its transactions, and turn each database fault into one clear sentence."""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
)

from adjudicator.core.message import Message, say
from adjudicator.resources import Incomplete, folder

Tx = sa.Connection
FAULTS = (DBAPIError, sqlite3.Error)  # of a database, inside a transaction
Twice = IntegrityError  # raised when a row is inserted a second time, such as a name that is taken
# The options of a statement whose rows are fetched some at a time, as they are wanted.
IN_PARTS: Mapping[str, Any] = {"yield_per": 500}
BUSY_TIMEOUT = 15_000  # milliseconds that SQLite waits for another program's transaction
# Milliseconds that PostgreSQL waits for a lock of another worker. He holds emails that he reads,
# and a match that he adjudicates, for seconds at most, however busy the machine is.
LOCK_TIMEOUT = 60_000
# Behind the number of its migration: the club was moved out of this database. An adjud that does
# not know the word takes the database for a newer one's, and leaves it alone, too.
MOVED = "-moved"


class StoreTrouble(Exception):
    """The database cannot do what was asked. The message says why and what to do."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class DiskTrouble(StoreTrouble):
    """The disk of an SQLite file is full or broken, or can only be read."""


class Moved(StoreTrouble):
    """The club was moved out of this database, and nothing may be written here any more."""


class Clash(StoreTrouble):
    """Another worker changed the same rows, and only one could go on. Trying again will do."""


_LOG_SIZE = 1 << 16  # bytes; the index of SQLite's write-ahead log, and a page of the log

# The options of a transaction that only reads: it sees one state, however long it takes.
_LOOKING: Mapping[str, Mapping[str, Any]] = {
    "sqlite": {"begin": "DEFERRED"},
    "postgresql": {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
}


class Store:
    """An open database. Every use of it is one transaction.

    With `may_move` each transaction that writes looks first whether the club is still here, for
    `schema.move` may have taken it away since the database was opened.
    """

    def __init__(self, engine: sa.Engine, *, may_move: bool = False) -> None:
        self.engine = engine
        self._may_move = may_move

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """Open a transaction that reads and writes; it is committed as a whole or not at all."""
        with sentences(self.engine.url), self.engine.begin() as tx:
            if self._may_move:
                refuse_moved(self.engine.url, _revision_at_once(tx))
            yield tx

    @contextmanager
    def reading(self) -> Iterator[Tx]:
        """Open a transaction that cannot write. It sees one consistent state and never waits for a
        writer."""
        with sentences(self.engine.url), self.engine.connect() as connection:
            options = _LOOKING[self.engine.dialect.name]
            with _query_only(connection):
                yield connection.execution_options(**options)

    @contextmanager
    def raw(self) -> Iterator[Any]:
        """Open SQLite's own connection, for what cannot be done inside a transaction."""
        with sentences(self.engine.url), closing(self.engine.raw_connection()) as connection:
            yield connection

    def close(self) -> None:
        self.engine.dispose()


@contextmanager
def _query_only(connection: Tx) -> Iterator[None]:
    """Let SQLite refuse to write; PostgreSQL does so in a transaction that is `READ ONLY`."""
    if connection.dialect.name != "sqlite":
        yield
        return
    own: Any = connection.connection.driver_connection
    own.execute("PRAGMA query_only=1")
    try:
        yield
    finally:
        own.execute("PRAGMA query_only=0")


def is_of_database(fault: Exception) -> bool:
    """Return whether a fault inside a transaction is the database's, and not of one row."""
    return isinstance(fault, (StoreTrouble, *FAULTS)) and not isinstance(
        fault, IntegrityError | DataError
    )


def insert_once(tx: Tx, table: sa.Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless there is one like it.

    Return False if there was one, even if several workers insert it at the same time.
    """
    return tx.execute(_once(tx.dialect.name, table), row).rowcount == 1


def insert_new(tx: Tx, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert those of the rows that are not there yet."""
    tx.execute(_once(tx.dialect.name, table), rows)


@cache
def _once(dialect: str, table: sa.Table) -> Any:
    # Each dialect has its own INSERT; the module of the one in use is imported already.
    insert = import_module(f"sqlalchemy.dialects.{dialect}").insert(table)
    once = insert.on_conflict_do_nothing().inline()  # without an id to return it counts rows
    return once.execution_options(preserve_rowcount=True)


def is_reading(tx: Tx) -> bool:
    """Return whether this transaction only reads (`Store.reading`)."""
    options = tx.get_execution_options()
    return all(options.get(key) == value for key, value in _LOOKING[tx.dialect.name].items())


def open_store(url: str) -> Store:
    """Open the database at a URL.

    Raises StoreTrouble if it is missing, older or newer than the program, or not adjud's.
    """
    store = open_any(url)
    with close_if_refused(store):
        with store.reading() as tx:
            found = str(revision(tx))
        if found < head():
            raise StoreTrouble(
                say("the database is from an older adjud; `adjud db upgrade` brings it up to date")
            )
    return store


def open_any(url: str, *, moved_too: bool = False) -> Store:
    """Open an adjud database that this program made, or an older one since 0.2.28.

    Raises Moved, unless `moved_too`, if the club was moved out of it.
    """
    parsed = parse_url(url)
    path = sqlite_path(parsed)
    if path is not None and not path.exists():
        if not path.is_absolute():
            raise StoreTrouble(
                say(
                    "there is no database at {path}: the URL {url} begins in the folder that you "
                    "are in; write it with the whole path, such as sqlite:////path/adjud.db",
                    path=str(path.absolute()),
                    url=parsed.render_as_string(hide_password=True),
                )
            )
        raise StoreTrouble(
            say(
                "there is no database at {path}; `adjud init` makes an empty one, `adjud backup "
                "--restore FILE` restores a club's",
                path=str(path),
            )
        )
    refuse_other_files(path)
    store = Store(make_engine(parsed), may_move=True)
    with close_if_refused(store):
        _recognise(store, moved_too)
    return store


@contextmanager
def close_if_refused(store: Store) -> Iterator[None]:
    """Close a store that nobody gets, because a fault inside says so."""
    try:
        yield
    except BaseException:
        store.close()
        raise


def _recognise(store: Store, moved_too: bool) -> None:
    with store.reading() as tx:
        found = revision(tx)
    if found is None:
        shown = store.engine.url.render_as_string(hide_password=True)
        raise StoreTrouble(
            say(
                "{url} has no adjud database; `adjud init` makes an empty one, `adjud backup "
                "--restore FILE` restores a club's",
                url=shown,
            )
        )
    version = found.removesuffix(MOVED)
    if version < oldest():
        raise StoreTrouble(
            say("the database is from an adjud before 0.2.28; upgrade it with adjud 0.2.28 first")
        )
    if version > head():
        raise StoreTrouble(
            say(
                "the database is from a newer adjud than this one; install that one instead, or "
                "restore the backup from before `adjud db upgrade`"
            )
        )
    if not moved_too:
        refuse_moved(store.engine.url, found)


def refuse_moved(url: URL, found: str) -> None:
    """Raise Moved if a database of this version has been closed by `schema.move`."""
    if found.endswith(MOVED):
        raise Moved(
            say(
                "the club was moved out of {url} by `adjud db copy`, so this database is closed: "
                "name the other one in the configuration. Only if nothing was done in the other "
                "one yet, you can reopen this one with `adjud db reopen`",
                url=url.render_as_string(hide_password=True),
            )
        )


def parse_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # The URL itself is not shown: it may hold a password.
        raise StoreTrouble(
            say("that is not a database URL; write it like sqlite:////path/adjud.db")
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
    """Return the file of an SQLite database; None for a server or a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    name = str(url.database)
    return Path(name.removeprefix("file:") if "uri" in url.query else name)


def is_read_only(path: Path) -> bool:
    """Return whether nothing can be written on the disk of a file, whoever tries."""
    try:
        return bool(os.statvfs(path.parent).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _is_full(path: Path) -> bool:
    """Return whether there is no room for the log of a file, of which SQLite only says `I/O
    error`."""
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _LOG_SIZE


def refuse_other_files(path: Path | None) -> None:
    """Refuse a file that is no database; SQLite takes any very short file for a new one and
    overwrites it."""
    if path is not None and path.is_file():
        try:
            with path.open("rb") as file:
                begins = file.read(16)
        except OSError:
            return  # the attempt to open it will say what is wrong
        if begins and begins != b"SQLite format 3\0":
            raise StoreTrouble(
                say("{path} is not an adjud database, or it is damaged", path=str(path))
            )


def make_engine(url: URL, *, foreign_keys: bool = True) -> sa.Engine:
    """Make an engine that begins every transaction itself; `foreign_keys=False` is for
    migrations."""
    try:
        # A traceback must not show what players wrote.
        engine = sa.create_engine(url, hide_parameters=True)
    except (NoSuchModuleError, ModuleNotFoundError):
        if url.get_backend_name() == "sqlite":
            unknown = say("adjud opens SQLite as sqlite:///, not as {name}", name=url.drivername)
            raise StoreTrouble(unknown) from None
        raise StoreTrouble(
            say("this database needs an extra: pip install '.[postgres]' in adjud's checkout")
        ) from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", partial(_prepare_sqlite, foreign_keys))
        event.listen(engine, "begin", _begin_sqlite)
    else:
        event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _prepare_sqlite(foreign_keys: bool, connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    # Else one spoilt text would keep all rows from being read that are read together with it.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    pragmas = (f"foreign_keys={foreign_keys:d}", f"busy_timeout={BUSY_TIMEOUT}", "synchronous=FULL")
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")


def _prepare_postgresql(connection: Any, _record: object) -> None:
    """Wait for no lock for ever: a worker that was stopped, not ended, keeps what it holds."""
    connection.execute(f"SET lock_timeout = {LOCK_TIMEOUT}")
    connection.commit()


def _begin_sqlite(connection: Tx) -> None:
    """Begin with IMMEDIATE, so that a transaction that reads first cannot fail when it writes.

    Otherwise it would fail half-way if another one had written in between. SQLite is told so past
    SQLAlchemy, in a tenth of the time.
    """
    how = connection.get_execution_options().get("begin", "IMMEDIATE")
    own: Any = connection.connection.driver_connection
    own.execute(f"BEGIN {how}")


def head() -> str:
    """Return the number of the newest migration, as its file name begins; this needs no Alembic."""
    return max(_migrations())


def oldest() -> str:
    """Return the number of the first migration. No migration leads here from what is older."""
    return min(_migrations())


def _migrations() -> list[str]:
    versions = folder("migrations") / "versions"
    found = [path.name[:4] for path in versions.glob("[0-9]*.py")]
    if not found:
        raise Incomplete(versions)
    return found


_REVISION = "SELECT version_num FROM alembic_version"


def revision(connection: Tx) -> str | None:
    """Return the migration at which the database stands; None if it is no adjud database."""
    try:
        found = connection.exec_driver_sql(_REVISION).scalar()
    except DBAPIError as trouble:
        if "alembic_version" in str(trouble.orig):
            return None
        raise
    return None if found is None else str(found)


def _revision_at_once(tx: Tx) -> str:
    """Return the same for an adjud database. Every transaction that writes asks for it, so SQLite
    is asked past SQLAlchemy, in a tenth of the time."""
    if tx.dialect.name != "sqlite":
        return str(revision(tx))
    connection: Any = tx.connection.driver_connection
    (found,) = connection.execute(_REVISION).fetchone()
    return str(found)


# PostgreSQL's errors for one of two transactions that waited for each other, or that changed the
# same rows (40P01 deadlock_detected, 40001 serialization_failure).
_CLASHES = ("40001", "40P01")
_WAITED = "55P03"  # lock_not_available

# SQLite's own messages, and what they mean to an operator.
_MEANINGS = {
    "database is locked": say("the database is locked by another program; try again later"),
    "readonly database": say("the database cannot be written: it is read-only for this user"),
    "unable to open database": say("the database cannot be opened; check its folder's permissions"),
    "file is not a database": say("the file is not an adjud database, or it is damaged"),
    "disk image is malformed": say("the database is damaged; restore the last backup"),
}


@contextmanager
def sentences(url: URL) -> Iterator[None]:
    """Turn a fault of the database inside the block into a StoreTrouble.

    IntegrityError and DataError pass through, because they are mistakes of our own.
    """
    try:
        yield
    except (IntegrityError, DataError):
        raise  # the caller's mistake, such as a row that is there already
    except (DBAPIError, sqlite3.Error) as trouble:
        said = str(trouble.orig if isinstance(trouble, DBAPIError) else trouble)
        path = sqlite_path(url)
        if path is not None and "disk" not in said and is_read_only(path):
            raise DiskTrouble(_on_read_only_disk(path)) from trouble
        if path is not None and ("disk is full" in said or "disk I/O error" in said):
            is_full = "disk is full" in said or _is_full(path)
            raise DiskTrouble(_on_bad_disk(path, is_full=is_full)) from trouble
        for words, message in _MEANINGS.items():
            if words in said:
                raise StoreTrouble(message) from trouble
        if url.get_backend_name() == "sqlite":
            raise StoreTrouble(say("the database says: {said}", said=said)) from trouble
        code = getattr(trouble.orig, "sqlstate", None) if isinstance(trouble, DBAPIError) else None
        if code == _WAITED:
            raise StoreTrouble(_held_by_another()) from trouble
        kind = Clash if code in _CLASHES else StoreTrouble
        raise kind(
            say("the database server says: {said}", said=said.strip().split("\n")[0])
        ) from trouble


def _on_read_only_disk(path: Path) -> Message:
    return say(
        "the file system of {path} is read-only, as Linux leaves one after a fault of the disk "
        "(`dmesg` shows it); `adjud backup FILE`, with FILE on another disk, still saves the club",
        path=str(path),
    )


def _on_bad_disk(path: Path, *, is_full: bool) -> Message:
    if is_full:
        return say(
            "{path}: the disk is full; nothing was stored. `adjud backup FILE`, with FILE on "
            "another disk, still saves the club",
            path=str(path),
        )
    return say(
        "{path}: the disk cannot be read or written, or is full; nothing was stored. `adjud "
        "backup FILE`, with FILE on another disk, may still save the club",
        path=str(path),
    )


@contextmanager
def of_copy(target: Path) -> Iterator[None]:
    """Name the disk to which a database is copied, if that one is full."""
    try:
        yield
    except sqlite3.OperationalError as trouble:
        if "disk is full" in str(trouble):
            raise DiskTrouble(say("{path}: the disk is full", path=str(target))) from trouble
        raise


def _held_by_another() -> Message:
    return say(
        "another process has held a lock needed here for {n} seconds; if it hangs, end it "
        "(`SELECT * FROM pg_stat_activity` shows its session), then try again",
        n=LOCK_TIMEOUT // 1000,
    )
