"""Copy a club from one database to another, SQLite or PostgreSQL, and read it back.

Theory of operation. One transaction of the target makes the tables by the migrations, copies all
rows, and reads them back before it is committed. So a copy that was killed, or that does not agree,
leaves an empty database, into which one can copy again. The source is read as it was at one moment.
Rows are read, written and read back some at a time.

A backup copies and leaves the source alone. A club that moves must not go on in both databases, for
a turn would be adjudicated twice, and what is written into the source after it was read would be
lost. So to move is one transaction of the source, too, in which nobody else writes there; its last
act is to mark the source as moved, and every transaction that comes after it sees that first
(`database.Store`), those of ticks that had begun before as well. The source is committed before the
target: if the program is killed between the two, nothing goes on anywhere until somebody reopens
the source.

Values go over as the databases keep them: what is compressed stays so. The digest of a table is the
sum of its rows' digests, because the two databases may list rows in different orders. Rows are told
apart by their primary keys, so no two of them could make up for each other.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, msgpack
from sqlalchemy.exc import DataError, IntegrityError

from adjudicator.core.message import Message, say
from adjudicator.store import clubs, schema, upkeep
from adjudicator.store.database import (
    MOVED,
    Store,
    StoreTrouble,
    Tx,
    open_any,
    refuse_moved,
    revision,
    sentences,
)

SOME = 100  # rows at a time; each may hold a letter of 256 KiB
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
            for table in _tables(tx)
        )


def copy(source: Store, url: str, *, progress: Callable[[int], object] = lambda _: None) -> int:
    """Copy all rows into an empty database at a URL; return how many there are.

    `progress` is called with the number of rows that were copied or read back since. Raises
    StoreTrouble if there is a club already, or if what was read back is not what was copied.
    """
    with (
        _target(source, url) as target,
        source.reading() as here,
        schema.unreferenced(target) as there,
    ):
        return _all_copied(here, there, progress)


def move(source: Store, url: str, *, progress: Callable[[int], object] = lambda _: None) -> int:
    """Copy all rows as `copy` does, and let nothing be written into the source any more."""
    refuse_a_club(url)
    moved = False
    with _target(source, url) as target:
        try:
            with schema.unreferenced(target) as there:
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
    target = schema.open_new(url)
    try:
        if not schema.is_there(target):
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
        raise StoreTrouble(say("the database to be copied: {fault}", fault=found[0]))
    target = schema.open_new(url)
    try:
        if schema.is_there(target):
            with target.reading() as tx:
                _refuse_closed(tx)
        yield target
    finally:
        target.close()


def _all_copied(here: Tx, there: Tx, progress: Callable[[int], object]) -> int:
    version = str(revision(here))
    refuse_moved(here.engine.url, version)  # a backup may have begun before
    schema.make_tables(there, version)
    tables = _tables(there)
    _refuse_a_club(there, tables)
    _refuse_newer_tables(there, version)
    for table in reversed(tables):
        there.execute(sa.delete(table))
    copied = {table.name: _copied(here, there, table, progress) for table in tables}
    for table in tables:
        if _read_back(there, table, progress) != copied[table.name]:
            raise StoreTrouble(
                say(
                    "the rows of {table} that were read back are not those that were "
                    "copied; nothing was kept",
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
    target = schema.open_new(url)
    try:
        if schema.is_there(target):
            with target.reading() as tx:
                _refuse_a_club(tx, _tables(tx))
    finally:
        target.close()


def _tables(tx: Tx) -> Sequence[sa.TableClause]:
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
            raise StoreTrouble(_taken(tx))


def _refuse_newer_tables(tx: Tx, version: str) -> None:
    """Refuse tables that were made already, and not for an older club."""
    if (found := str(revision(tx))) != version:
        raise StoreTrouble(
            say(
                "the tables in {url} are of version {found}, and the club to be copied is of "
                "version {version}; name a database without tables",
                url=tx.engine.url.render_as_string(hide_password=True),
                found=found,
                version=version,
            )
        )


def _refuse_closed(tx: Tx) -> None:
    """Refuse a database that `move` has closed, even if nobody had played there."""
    if str(revision(tx)).endswith(MOVED):
        raise StoreTrouble(_taken(tx))


def _taken(tx: Tx) -> Message:
    return say(
        "there is a club in {url} already; name an empty database",
        url=tx.engine.url.render_as_string(hide_password=True),
    )


def _rows(tx: Tx, table: sa.TableClause) -> Iterator[Sequence[Sequence[Any]]]:
    """Yield the rows of a table, some at a time."""
    with sentences(tx.engine.url):
        found = tx.execute(sa.select(table), execution_options={"yield_per": SOME})
        yield from found.partitions()


def _copied(here: Tx, there: Tx, table: sa.TableClause, progress: Callable[[int], object]) -> Count:
    names, insert, count = [column.name for column in table.c], sa.insert(table), Count()
    for rows in _rows(here, table):
        try:
            there.execute(insert, [dict(zip(names, row, strict=True)) for row in rows])
        except (DataError, IntegrityError) as trouble:
            said = str(trouble.orig).strip().split("\n")[0]
            raise StoreTrouble(
                say("rows of {table} cannot be copied: {said}", table=table.name, said=said)
            ) from None
        count = _counted(count, rows)
        progress(len(rows))
    return count


def _read_back(tx: Tx, table: sa.TableClause, progress: Callable[[int], object]) -> Count:
    count = Count()
    for rows in _rows(tx, table):
        count = _counted(count, rows)
        progress(len(rows))
    return count


def _counted(count: Count, rows: Sequence[Sequence[Any]]) -> Count:
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
            last = sa.select(
                sa.func.setval(
                    sa.func.pg_get_serial_sequence(name, "id"),
                    sa.func.coalesce(sa.func.max(table.c.id), 1),
                    sa.func.max(table.c.id).is_not(None),
                )
            )
            tx.execute(last)
