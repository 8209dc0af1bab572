"""Make and migrate the schema with Alembic; nothing else changes it."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from msgspec import Struct, msgpack
from sqlalchemy.exc import DataError, IntegrityError

from adjudicator.core.message import Message, count, say
from adjudicator.resources import folder
from adjudicator.store import clubs, matches, upkeep
from adjudicator.store.database import (
    BUSY_TIMEOUT,
    MOVED,
    Store,
    StoreTrouble,
    Tx,
    close_if_refused,
    head,
    make_engine,
    open_any,
    parse_url,
    refuse_moved,
    refuse_other_files,
    revision,
    sentences,
    sqlite_path,
)

if TYPE_CHECKING:
    from alembic.config import Config

# On a server whoever makes or changes tables holds this advisory lock until his transaction ends.
# Those of emails that are read (`readers`) have two numbers, so this one is none of them.
_ONE_AT_A_TIME = sa.text("SELECT pg_advisory_xact_lock(CAST(:key AS bigint))")
_TABLES = 0xAD70D


def _config(tx: Tx) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder("migrations")).replace("%", "%%"))
    config.attributes["connection"] = tx
    return config


def _migrate(store: Store, to: str, how: "Callable[[Config, str], None]") -> None:
    with without_foreign_keys(store) as tx:
        how(_config(tx), to)


@contextmanager
def without_foreign_keys(store: Store) -> Iterator[Tx]:
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
    from alembic import command  # takes long to import, and few commands need it

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


# Bytes of a page of a new SQLite file. Most reports take two kilobytes, of which a page of four has
# room for one. Pages of sixteen make a large file smaller still, and each turn slower.
PAGE_SIZE = 8192


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
        # The size is no more than a wish where there are tables already.
        with close_if_refused(store), store.raw() as connection:
            connection.cursor().execute(f"PRAGMA page_size={PAGE_SIZE}")
            _switch_log_on(connection)
    return store


def is_there(store: Store) -> bool:
    """Return whether adjud's tables are there; raise StoreTrouble if only another program's are."""
    with store.reading() as tx:
        there = revision(tx) is not None
    foreign = [] if there else _tables(store)
    if foreign:
        others = ", ".join(sorted(foreign)[:3])
        raise StoreTrouble(
            say("that database has tables of another program ({names})", names=others)
        )
    return there


def _tables(store: Store) -> list[str]:
    # This is a transaction of its own, because PostgreSQL ends one in which a table was not found.
    with store.reading() as tx:
        return sa.inspect(tx).get_table_names()


def keep_a_log(store: Store) -> None:
    """Switch on SQLite's write-ahead log for good, so that readers never wait for a writer."""
    with store.raw() as connection:
        _switch_log_on(connection)


def _switch_log_on(connection: Any) -> None:
    """Here SQLite does not wait by itself for another program that does the same."""
    until = monotonic() + BUSY_TIMEOUT / 1000
    while True:
        try:
            connection.cursor().execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as trouble:
            if "locked" not in str(trouble) or monotonic() > until:
                raise
            sleep(0.05)
        else:
            return


def upgrade(store: Store, to: str = "head") -> None:
    """Bring the database to a migration; this makes every table in an empty database."""
    from alembic import command  # takes long to import, and few commands need it

    _migrate(store, to, command.upgrade)


def bring_up_to_date(url: str, finish: Callable[[Tx], object] = lambda _: None) -> tuple[str, str]:
    """Migrate an adjud database; return the revisions before and after.

    `finish` does what a migration cannot, because it needs the games; it is part of the same
    transaction, so that the next try does whatever was killed. Raises StoreTrouble if there is
    none, if a newer program made it, if it would not have all columns that the program needs, or if
    this program cannot play one of its matches; then it is left as it was.
    """
    from alembic.util import CommandError

    store = open_any(url)
    try:
        with store.reading() as tx:
            before = str(revision(tx))
            if before == head():
                _refuse_gaps(tx)
                _refuse_older_matches(tx)
        if before < head():
            try:
                _migrate(store, "head", partial(_upgrade_whole, finish))
            except CommandError:
                unknown = say("no adjud has ever made a database of version {seen}", seen=before)
                raise StoreTrouble(unknown) from None
        return before, head()
    finally:
        store.close()


def _upgrade_whole(finish: Callable[[Tx], object], config: "Config", to: str) -> None:
    from alembic import command  # takes long to import, and few commands need it

    command.upgrade(config, to)
    _refuse_gaps(config.attributes["connection"])
    _refuse_older_matches(config.attributes["connection"])
    finish(config.attributes["connection"])


def _refuse_gaps(tx: Tx) -> None:
    if missing := upkeep.lacking_columns(tx):
        raise StoreTrouble(
            say(
                "no upgrade adds what this database lacks, {missing}: it was made by an adjud "
                "between two versions, or changed by hand. Nothing was changed; you can go on "
                "with the adjud that was used before",
                missing=missing,
            )
        )


def _refuse_older_matches(tx: Tx) -> None:
    going = {*matches.names_going(tx)}
    if names := [name for name in matches.older(tx) if name in going]:
        raise StoreTrouble(
            count(
                "a match that began before adjud 0.2.22 is still being played: {names}. Nothing "
                "was changed; end it with adjud 0.2.28 first",
                "{n} matches that began before adjud 0.2.22 are still being played: {names}. "
                "Nothing was changed; end them with adjud 0.2.28 first",
                len(names),
                names=", ".join(names),
            )
        )


def downgrade(store: Store, to: str) -> None:
    """Go back to an older migration, for developers and tests."""
    from alembic import command  # takes long to import, and few commands need it

    _migrate(store, to, command.downgrade)


def check(store: Store) -> None:
    """Raise Alembic's CommandError if tables and migrations differ."""
    from alembic import command  # takes long to import, and few commands need it

    with store.transaction() as tx:
        command.check(_config(tx))


# Copy a club from one database to another, SQLite or PostgreSQL, and read it back.
#
# Theory of operation. One transaction of the target makes the tables by the migrations, copies all
# rows, and reads them back before it is committed. So a copy that was killed, or that does not
# agree, leaves an empty database, into which one can copy again. The source is read as it was at
# one moment. Rows are read, written and read back some at a time.
#
# A backup copies and leaves the source alone. A club that moves must not go on in both databases,
# for a turn would be adjudicated twice, and what is written into the source after it was read would
# be lost. So to move is one transaction of the source, too, in which nobody else writes there; its
# last act is to mark the source as moved, and every transaction that comes after it sees that first
# (`database.Store`), those of ticks that had begun before as well. The source is committed before
# the target: if the program is killed between the two, nothing goes on anywhere until somebody
# reopens the source.
#
# Values go over as the databases keep them: what is compressed stays so. The digest of a table is
# the sum of its rows' digests, because the two databases may list rows in different orders. Rows
# are told apart by their primary keys, so no two of them could make up for each other.


SOME = 100  # rows at a time; each may hold an email of 256 KiB
_VERSION = "alembic_version"  # the migrations write it
_FRESH = {_VERSION, "clock", "club"}  # these have a row in a new database
_VERSIONS = sa.table(_VERSION, sa.column("version_num", sa.String))
_MODULUS = 1 << 256


class Count(Struct, frozen=True):
    """Compare tables by this: how many rows there are, and the sum of their digests."""

    rows: int = 0
    digest: int = 0


def number_of_rows(store: Store) -> int:
    with store.reading() as tx:
        return sum(
            int(tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
            for table in _tables_to_copy(tx)
        )


def copy(source: Store, url: str, *, progress: Callable[[int], object] = lambda _: None) -> int:
    """Copy all rows into an empty database at a URL; return how many there are.

    `progress` is called with the number of rows that were copied or read back since. Raises
    StoreTrouble if there is a club already, or if what was read back is not what was copied.
    """
    with (
        _target(source, url) as target,
        source.reading() as here,
        without_foreign_keys(target) as there,
    ):
        return _all_copied(here, there, progress)


def move(source: Store, url: str, *, progress: Callable[[int], object] = lambda _: None) -> int:
    """Copy all rows as `copy` does, and let nothing be written into the source any more."""
    refuse_a_club(url)
    moved = False
    with _target(source, url) as target:
        try:
            with without_foreign_keys(target) as there:
                with source.transaction() as here:
                    _keep_others_out(here)
                    rows = _all_copied(here, there, progress)
                    _mark(here, f"{revision(here)}{MOVED}")
                moved = True
        except BaseException:
            if moved and not _has_come(source, url):
                _reopen(source)
            raise
    return rows


def _has_come(source: Store, url: str) -> bool:
    """Return whether the club is at its new place, although its commit seemed to fail.

    A server may have committed before it was lost. Who cannot be asked raises StoreTrouble, and the
    source stays closed: better nowhere than in both.
    """
    target = open_new(url)
    try:
        if not is_there(target):
            return False
        with target.reading() as there, source.reading() as here:
            return clubs.mark(there) == clubs.mark(here)
    finally:
        target.close()


def reopen(url: str) -> bool:
    """Let a club that was moved out of a database go on in it; return False if it never was."""
    store = open_any(url, moved_too=True)
    try:
        return _reopen(store)
    finally:
        store.close()


def _reopen(moved: Store) -> bool:
    with Store(moved.engine).transaction() as tx:
        version = str(revision(tx))
        _mark(tx, version.removesuffix(MOVED))
    return version.endswith(MOVED)


@contextmanager
def _target(source: Store, url: str) -> Iterator[Store]:
    if found := upkeep.faults(source):
        raise StoreTrouble(say("the database to copy: {fault}", fault=found[0]))
    target = open_new(url)
    try:
        if is_there(target):
            with target.reading() as tx:
                _refuse_closed(tx)
        yield target
    finally:
        target.close()


def _all_copied(here: Tx, there: Tx, progress: Callable[[int], object]) -> int:
    version = str(revision(here))
    refuse_moved(here.engine.url, version)  # a backup may have begun before
    make_tables(there, version)
    tables = _tables_to_copy(there)
    _refuse_a_club(there, tables)
    _refuse_newer_tables(there, version)
    for table in reversed(tables):
        there.execute(sa.delete(table))
    copied = {table.name: _copy_rows(here, there, table, progress) for table in tables}
    for table in tables:
        if _read_back(there, table, progress) != copied[table.name]:
            raise StoreTrouble(
                say(
                    "the rows of {table} read back differ from those copied; nothing was saved",
                    table=table.name,
                )
            )
    _go_on_counting(there, tables)
    return sum(count.rows for count in copied.values())


def _keep_others_out(here: Tx) -> None:
    """Wait until no transaction writes; then none begins before this one has ended.

    SQLite lets only one write at a time. On a server all of them read this table first, and hold
    it.
    """
    if here.dialect.name != "sqlite":
        here.exec_driver_sql(f"LOCK TABLE {_VERSION} IN ACCESS EXCLUSIVE MODE")


def _mark(here: Tx, version: str) -> None:
    here.execute(sa.update(_VERSIONS), {"version_num": version})


def refuse_a_club(url: str) -> None:
    """Raise StoreTrouble if no club can be copied to that URL, because there is one."""
    target = open_new(url)
    try:
        if is_there(target):
            with target.reading() as tx:
                _refuse_a_club(tx, _tables_to_copy(tx))
    finally:
        target.close()


def _tables_to_copy(tx: Tx) -> Sequence[sa.TableClause]:
    """Return the tables as this database has them, those that others refer to first.

    They have no types, so values come as they are kept; and their columns have one order in all
    databases.
    """
    found = sa.MetaData()
    found.reflect(tx)
    return [
        sa.table(table.name, *(sa.column(name) for name in sorted(table.c.keys())))
        for table in found.sorted_tables
        if table.name != _VERSION
    ]


def _refuse_a_club(tx: Tx, tables: Sequence[sa.TableClause]) -> None:
    _refuse_closed(tx)
    for table in tables:
        if table.name in _FRESH:
            continue
        if tx.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
            raise StoreTrouble(_message_of_taken(tx))


def _refuse_newer_tables(tx: Tx, version: str) -> None:
    """Refuse tables that were made already, and not for an older club."""
    if (found := str(revision(tx))) != version:
        raise StoreTrouble(
            say(
                "the tables in {url} have version {found}, but the club to copy has version "
                "{version}; name a database without tables",
                url=tx.engine.url.render_as_string(hide_password=True),
                found=found,
                version=version,
            )
        )


def _refuse_closed(tx: Tx) -> None:
    """Refuse a database that `move` has closed, even if nobody had played there."""
    if str(revision(tx)).endswith(MOVED):
        raise StoreTrouble(_message_of_taken(tx))


def _message_of_taken(tx: Tx) -> Message:
    return say(
        "there is already a club in {url}; name an empty database",
        url=tx.engine.url.render_as_string(hide_password=True),
    )


def _rows(tx: Tx, table: sa.TableClause) -> Iterator[Sequence[Sequence[Any]]]:
    """Yield the rows of a table, some at a time."""
    with sentences(tx.engine.url):
        found = tx.execute(sa.select(table), execution_options={"yield_per": SOME})
        yield from found.partitions()


def _copy_rows(
    here: Tx, there: Tx, table: sa.TableClause, progress: Callable[[int], object]
) -> Count:
    names, insert, count = [column.name for column in table.c], sa.insert(table), Count()
    for rows in _rows(here, table):
        try:
            there.execute(insert, [dict(zip(names, row, strict=True)) for row in rows])
        except (DataError, IntegrityError) as trouble:
            said = str(trouble.orig).strip().split("\n")[0]
            raise StoreTrouble(
                say("rows of {table} cannot be copied: {said}", table=table.name, said=said)
            ) from None
        count = _count_rows(count, rows)
        progress(len(rows))
    return count


def _read_back(tx: Tx, table: sa.TableClause, progress: Callable[[int], object]) -> Count:
    count = Count()
    for rows in _rows(tx, table):
        count = _count_rows(count, rows)
        progress(len(rows))
    return count


def _count_rows(count: Count, rows: Sequence[Sequence[Any]]) -> Count:
    digests = (sha256(msgpack.encode(tuple(row))).digest() for row in rows)
    added = sum(int.from_bytes(digest) for digest in digests)
    return Count(count.rows + len(rows), (count.digest + added) % _MODULUS)


def _go_on_counting(tx: Tx, tables: Sequence[sa.TableClause]) -> None:
    """Let a server number new rows from the last of those that were copied; SQLite does it by
    itself."""
    if tx.dialect.name == "sqlite":
        return
    for table in tables:
        if "id" in table.c:
            name = tx.dialect.identifier_preparer.format_table(table)
            highest = sa.func.max(sa.case((table.c.id > 0, table.c.id)))  # others are drawn
            last = sa.select(
                sa.func.setval(
                    sa.func.pg_get_serial_sequence(name, "id"),
                    sa.func.coalesce(highest, 1),
                    highest.is_not(None),
                )
            )
            tx.execute(last)
