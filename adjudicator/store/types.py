"""What all tables are made of: their metadata, column types that give back exactly what they were
given, and what becomes of what a column holds of people, said where its table is made.

A column of text or bytes, and one that names a player, has a `Whose` in its `info`; so has any
other that the export of a person's data shows. What is exported, cleaned, emptied and deleted, and
who is remembered, follows from these and from no other list (docs/security.md, "A person's data").
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any
from zlib import compress, decompress

from msgspec import UNSET, Struct
from sqlalchemy import Column, ColumnElement, Dialect, MetaData, Table, Text, type_coerce
from sqlalchemy.types import TypeDecorator

_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"
_PACKED = "z:"  # begins text that is compressed
_LEVEL = 6


class UtcDateTime(TypeDecorator[datetime]):
    """A moment, kept as RFC 3339 text of fixed width, so that text order is time order.

    It refuses naive values: SQLite's own DateTime drops a zone without converting.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no zone")
        return value.astimezone(UTC).strftime(_FORMAT)

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value)


class LastTime(UtcDateTime):
    """The moment at which something was done the last time: long ago, if it cannot be read. Then
    whoever asks whether it was done lately doubts it, and writes it anew."""

    cache_ok = True

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        try:
            return super().process_result_value(value, dialect)
        except ValueError:
            return datetime(1970, 1, 1, tzinfo=UTC)


def as_text(columns: Iterable[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
    """Select columns as texts that the database holds: nothing that is kept there fails to be
    read."""
    return [
        type_coerce(column, Text).label(column.key)
        if isinstance(column.type, UtcDateTime | Packed)
        else column
        for column in columns
    ]


class Packed(TypeDecorator[str]):
    """Text that is kept compressed: reports and states, of which there is one for each turn.

    Text that an older program kept as it is, JSON that begins with a brace, is read too.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        return _PACKED + b64encode(compress(value.encode(), _LEVEL)).decode("ascii")

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else unpack(value)


def unpack(text: str) -> str:
    if not text.startswith(_PACKED):
        return text
    return decompress(b64decode(text[len(_PACKED) :])).decode()


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Whose(Struct, frozen=True, kw_only=True):
    """What becomes of a column. Without any of these it has words and numbers of the program."""

    export: bool = False  # the export of a person's data shows it, if it is his
    clean: str = ""  # text, json, bytes: whoever is erased is taken out of what others wrote
    of_match: str = ""  # cleaned, hashed: the same, match by match; what is hashed is only told
    is_hashed: bool = False  # or a match is verified by it: it stays
    goes: bool = False  # with its row, or it is replaced, when its person is erased
    empty: Any = UNSET  # its value once its person is erased, or `[keep]` keeps it no longer
    is_choice: bool = False  # of a player's, which an export names as the column is called
    row: str = ""  # deleted, emptied, stays: the row of a player who is erased


def words(**how: Any) -> dict[str, Whose]:
    """Return the `info` of a column that may hold words of people."""
    return {"whose": Whose(**how)}


def person(row: str) -> dict[str, Whose]:
    """Return the `info` of a column that names a player: what becomes of the row if he is
    erased. A player whom a row that stays names cannot be removed without that."""
    return {"whose": Whose(row=row)}


OURS = words()  # words of the program: seats, states, keys, codes, addresses of the club
SHOWN = words(export=True)  # the same, and times and numbers, that an export shows
HASHED = words(is_hashed=True)
GOES = words(goes=True)


def whose(column: Column[Any]) -> Whose | None:
    found: Whose | None = column.info.get("whose")
    return found


def columns(tables: Iterable[Table] | None = None, /, **how: Any) -> Sequence[Column[Any]]:
    """Return the columns that say this of themselves, in the order of their tables."""
    every = metadata.tables.values() if tables is None else tables
    return [
        column
        for table in every
        for column in table.c
        if (found := whose(column)) and all(getattr(found, name) == how[name] for name in how)
    ]


def export_columns(table: Table) -> Sequence[Column[Any]]:
    """Return what an export of somebody's data shows of his rows."""
    return columns([table], export=True)


def empty_values(table: Table) -> dict[str, Any]:
    """Return what a row has in its columns once nobody is to read any more what it said."""
    return {
        one.name: of_it.empty
        for one in table.c
        if (of_it := whose(one)) and of_it.empty is not UNSET
    }
