"""What all tables are made of, and their rows to values and back: the one mapper of the store.

Theory of operation. A value of the store is a frozen Struct whose fields are columns of one table;
`@of(table)` ties the two when the program starts, and fails there if they differ. A field's type
says how its column is read: a bool is an integer there, and what is no text, number, time or bytes
is JSON. SQLAlchemy's own mapper cannot be used: it writes into the values that it makes.

A question of equality is asked where it is needed, by keywords: `find(tx, Offer, player_id=7)`. One
with a meaning, such as which email goes next, is a function of its own module, with conditions of
SQLAlchemy beside the keywords or a statement of its own; `columns` and `read` are for those.

The types of columns give back exactly what they were given. A column of text or bytes, and one that
names a player, has a `Whose` in its `info`; so has any other that the export of a person's data
shows. What is exported, cleaned, emptied and deleted, and who is remembered, follows from these and
from no other list (docs/security.md, "A person's data").
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints
from zlib import compress, decompress

import sqlalchemy as sa
from msgspec import UNSET, Struct
from msgspec.json import Decoder, encode
from sqlalchemy import Column, ColumnElement, Dialect, MetaData, Table, Text, type_coerce
from sqlalchemy.types import TypeDecorator

from adjudicator.store.database import Tx

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


def columns_that(tables: Iterable[Table] | None = None, /, **how: Any) -> Sequence[Column[Any]]:
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
    return columns_that([table], export=True)


def empty_values(table: Table) -> dict[str, Any]:
    """Return what a row has in its columns once nobody is to read any more what it said."""
    return {
        one.name: of_it.empty
        for one in table.c
        if (of_it := whose(one)) and of_it.empty is not UNSET
    }


T = TypeVar("T", bound=Struct)
Where = sa.ColumnElement[bool]
_PLAIN = (str, int, float, bytes, datetime)
_HOW = {"order", "most", "lock", "skip_locked"}  # keywords of `find`, so no columns


class Tie(Struct, frozen=True):
    """What is known of a kind of values: `readers` are those of the fields that are not as their
    columns; `spoilt` has the fields of a row whose JSON cannot be read, if it is read all the
    same."""

    table: sa.Table
    columns: Sequence[sa.Column[Any]]
    every: sa.Select[Any]  # of the columns, made once
    readers: Mapping[str, Callable[[Any], Any]]
    spoilt: Mapping[str, Any]


TIES: dict[type[Struct], Tie] = {}


def of(table: sa.Table, *, spoilt: Mapping[str, Any] | None = None) -> Callable[[type[T]], type[T]]:
    """Tie a Struct to its table. Fields that are no columns must be among the `spoilt` ones."""

    def tie(kind: type[T]) -> type[T]:
        hints = {name: hint for name, hint in get_type_hints(kind).items() if name in table.c}
        strange = set(kind.__struct_fields__) - set(hints) - set(spoilt or ()) | _HOW & set(hints)
        strange |= {one for one, hint in hints.items() if table.c[one].nullable != _is_null(hint)}
        assert not strange, f"{kind.__name__} and its table differ: {sorted(strange)}"
        readers = {name: reader for name, hint in hints.items() if (reader := _reader(hint))}
        columns = [table.c[name] for name in kind.__struct_fields__ if name in hints]
        TIES[kind] = Tie(table, columns, sa.select(*columns), readers, spoilt or {})
        return kind

    return tie


def _is_null(hint: Any) -> bool:
    return NoneType in get_args(hint)


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    """Return how a field of that type is read; None if its column has what it wants."""
    only, *more = (
        [one for one in get_args(hint) if one is not NoneType] if _is_null(hint) else [hint]
    )
    kind = getattr(only, "__supertype__", only)  # of a NewType
    if kind is bool:
        return bool
    return None if kind in _PLAIN and not more else Decoder(hint).decode


def columns(kind: type[Struct]) -> Sequence[sa.Column[Any]]:
    return TIES[kind].columns


def read(kind: type[T], row: Mapping[Any, Any]) -> T:
    """Return the value of a row of `columns(kind)`. Raises ValueError if its JSON cannot be
    read."""
    tie = TIES[kind]
    if not tie.readers:
        return kind(**row)
    values = {**row}
    try:
        for name, reader in tie.readers.items():
            if values[name] is not None:
                values[name] = reader(values[name])
    except ValueError:
        if not tie.spoilt:
            raise
        values |= tie.spoilt
    return kind(**values)


def find(
    tx: Tx,
    kind: type[T],
    /,
    *where: Where,
    order: sa.ColumnElement[Any] | None = None,
    most: int | None = None,
    lock: bool = False,
    skip_locked: bool = False,
    **equal: Any,
) -> list[T]:
    """Return the rows that fit, by their primary key unless another `order` is wanted. With `lock`
    they are locked until the transaction ends; with `skip_locked` too, but for those that another
    worker has."""
    how = (most, lock, skip_locked)
    if where or order is not None:
        made, given = _statement(kind, where, order, equal, *how), {}
    else:
        given = {name: value for name, value in equal.items() if value is not None}
        made = _by_equality(kind, tuple(given), tuple(equal.keys() - given), *how)
    return [read(kind, row) for row in tx.execute(made, given).mappings()]


def _statement(
    kind: type[Struct],
    where: Sequence[Where],
    order: sa.ColumnElement[Any] | None,
    equal: Mapping[str, Any],
    most: int | None,
    lock: bool,
    skip_locked: bool,
) -> sa.Select[Any]:
    tie = TIES[kind]
    wanted = tie.every.where(*where).filter_by(**equal).limit(most)
    wanted = wanted.order_by(*(tie.table.primary_key if order is None else (order,)))
    return wanted.with_for_update(skip_locked=skip_locked) if lock or skip_locked else wanted


@lru_cache(1000)
def _by_equality(
    kind: type[Struct], given: Sequence[str], null: Sequence[str], *how: Any
) -> sa.Select[Any]:
    """Return the statement that asks for rows in which some columns have values that are given, and
    others none. It is made once: to make it takes as long as to execute it."""
    equal: dict[str, Any] = {name: sa.bindparam(name) for name in given}
    return _statement(kind, (), None, equal | dict.fromkeys(null), *how)


def first(tx: Tx, kind: type[T], /, *where: Where, **how: Any) -> T | None:
    """Return the first of the rows that `find` finds."""
    return next(iter(find(tx, kind, *where, most=1, **how)), None)


def one(tx: Tx, kind: type[T], key: Any, /, **how: Any) -> T:
    """Return the row with that primary key, which must be there."""
    (found,) = find(tx, kind, **_key(kind, key), **how)
    return found


def has(tx: Tx, kind: type[Struct], /, *where: Where, **equal: Any) -> bool:
    """Return whether a row fits."""
    wanted = sa.select(*TIES[kind].table.primary_key).where(*where).filter_by(**equal)
    return tx.execute(wanted.limit(1)).first() is not None


def is_so(tx: Tx, question: sa.Select[Any], **values: Any) -> bool:
    """Return the answer to a question that its module has ready: whether anything is due."""
    return bool(tx.execute(question, values).scalar_one())


def add(tx: Tx, kind: type[T], /, **values: Any) -> T:
    """Insert a row, and return it as it is then."""
    made = sa.insert(TIES[kind].table).values(_as_columns(kind, values)).returning(*columns(kind))
    return read(kind, tx.execute(made).mappings().one())


def change(tx: Tx, kind: type[Struct], key: Any, /, **values: Any) -> None:
    """Change the row with that primary key."""
    changed = sa.update(TIES[kind].table).filter_by(**_key(kind, key))
    tx.execute(changed.values(_as_columns(kind, values)))


def drop(tx: Tx, kind: type[Struct], /, *where: Where, **equal: Any) -> None:
    """Delete the rows that fit."""
    tx.execute(sa.delete(TIES[kind].table).where(*where).filter_by(**equal))


def _key(kind: type[Struct], key: Any) -> dict[str, Any]:
    keys = key if isinstance(key, tuple) else (key,)
    return {own.name: one for own, one in zip(TIES[kind].table.primary_key, keys, strict=True)}


def _as_columns(kind: type[Struct], values: Mapping[str, Any]) -> dict[str, Any]:
    readers = TIES[kind].readers
    return {name: _column(readers.get(name), value) for name, value in values.items()}


def _column(reader: Callable[[Any], Any] | None, value: Any) -> Any:
    if reader is None or value is None or isinstance(value, sa.ClauseElement):
        return value
    return int(value) if reader is bool else encode(value).decode()
