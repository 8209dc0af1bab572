"""Values and rows: each kind is written and read with extreme values."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy.exc import InvalidRequestError

from adjudicator import store as package
from adjudicator.store import rows
from adjudicator.store.rows import UtcDateTime
from tests.database import make_engine, parse_url

for module in pkgutil.iter_modules(package.__path__, "adjudicator.store."):
    importlib.import_module(module.name)
KINDS = sorted(rows.TIES, key=lambda kind: kind.__name__)

TEXTS = ("", "Åse «♜ 🎲» ' \" \\ %s :x\r\n\t{n}")
NUMBERS = (-(2**31), 2**31 - 1)
MOMENTS = (
    datetime(1000, 1, 1, tzinfo=UTC),
    datetime(2026, 11, 21, 23, 59, 59, 999999, tzinfo=timezone(timedelta(hours=-11))),
)
PLAIN: Mapping[Any, Sequence[Any]] = {
    str: TEXTS,
    int: NUMBERS,
    float: (-0.1, 1e300),
    bool: (False, True),
    bytes: (b"", bytes(range(256))),
    datetime: MOMENTS,
    Any: ({}, [*TEXTS, *NUMBERS, None, {"": [[]]}]),
}


class Loose(Struct, frozen=True, kw_only=True):
    """A value with a field of each type, and columns with the names of parameters."""

    id: int
    kind: str
    where: int | None
    tx: bool
    raw: bytes
    at: datetime | None
    moments: tuple[datetime, ...]
    how: Mapping[str, Any] | None
    is_spoilt: bool = False


metadata = sa.MetaData()
loose = sa.Table(
    "loose",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("where", sa.Integer),
    sa.Column("tx", sa.Integer, nullable=False),
    sa.Column("raw", sa.LargeBinary, nullable=False),
    sa.Column("at", UtcDateTime),
    sa.Column("moments", sa.Text, nullable=False),
    sa.Column("how", sa.Text),
)
rows.of(loose, spoilt={"how": None, "moments": (), "is_spoilt": True})(Loose)


def extremes(hint: Any) -> tuple[Any, Any]:
    """Return the least and the most that a field of a type can be."""
    hint = getattr(hint, "__supertype__", hint)
    if hint in PLAIN:
        least, most = PLAIN[hint]
        return least, most
    if NoneType in get_args(hint):
        return None, extremes(next(one for one in get_args(hint) if one is not NoneType))[1]
    if isinstance(hint, type) and issubclass(hint, Struct):
        hints = get_type_hints(hint)
        fields = {one: extremes(hints[one]) for one in hint.__struct_fields__}
        both = [hint(**{one: given[most] for one, given in fields.items()}) for most in (0, 1)]
        return both[0], both[1]
    if get_origin(hint) is tuple:
        return (), extremes(get_args(hint)[0])
    if isinstance(get_origin(hint), type) and issubclass(get_origin(hint), Mapping):
        return {}, {TEXTS[1]: extremes(get_args(hint)[1])[1]}
    return extremes(get_args(hint)[0])  # of several types


@pytest.fixture(scope="module")
def tx() -> Iterator[sa.Connection]:
    """Open a database of tables alone, without what ties their rows to each other."""
    engine = make_engine(parse_url("sqlite://"), foreign_keys=False)
    with engine.connect() as connection:
        for one in {tie.table.metadata for tie in rows.TIES.values()}:
            one.create_all(connection)
        yield connection
    engine.dispose()


@pytest.mark.parametrize("kind", [*KINDS, Loose], ids=lambda kind: kind.__name__)
def test_a_value_is_read_as_it_was_written(tx: sa.Connection, kind: type[Struct]) -> None:
    tie = rows.TIES[kind]
    hints = {column.name: get_type_hints(kind)[column.name] for column in tie.columns}
    for most in (0, 1):
        values = {name: extremes(hint)[most] for name, hint in hints.items()}
        missing = [one for one in tie.table.c if not one.nullable and one.name not in values]
        others = {one.name: extremes(type_of(one))[most] for one in missing}
        made = rows.add(tx, kind, **values, **others)
        assert {name: getattr(made, name) for name in values} == values
        key = tuple({**values, **others}[column.name] for column in tie.table.primary_key)
        assert rows.one(tx, kind, key) == made
        rows.change(tx, kind, key, **{one: extremes(hints[one])[1 - most] for one in free(tie)})
        changed = rows.find(tx, kind)[0]
        assert [getattr(changed, one) for one in free(tie)] == [
            extremes(hints[one])[1 - most] for one in free(tie)
        ]
        plain = {one: getattr(changed, one) for one in values if one not in tie.readers}
        assert rows.find(tx, kind, **plain) == [changed]
        rows.drop(tx, kind, **plain)
        assert not rows.has(tx, kind)


def type_of(column: sa.Column[Any]) -> type:
    return datetime if isinstance(column.type, UtcDateTime) else column.type.python_type


def free(tie: rows.Tie) -> list[str]:
    """Return the fields that are no part of the primary key."""
    return [column.name for column in tie.columns if not column.primary_key]


def test_none_is_asked_for_as_any_other_value(tx: sa.Connection) -> None:
    values = {"kind": "a", "tx": True, "raw": b"", "moments": MOMENTS}
    for number in (1, 2, 3):
        rows.add(tx, Loose, id=number, where=None if number == 2 else number, **values)
    assert [one.id for one in rows.find(tx, Loose, tx=True)] == [1, 2, 3]
    assert [one.id for one in rows.find(tx, Loose, loose.c.id < 3, kind="a")] == [1, 2]
    newest = rows.first(tx, Loose, order=loose.c.id.desc())
    assert newest is not None
    assert (newest.id, newest.where) == (3, 3)
    rows.change(tx, Loose, 2, at=MOMENTS[1], how={"x": 1})
    assert asdict(rows.one(tx, Loose, 2)) == {
        **{"id": 2, "where": None, "at": MOMENTS[1], "how": {"x": 1}, "is_spoilt": False},
        **values,
    }
    with pytest.raises(ValueError, match="not enough"):
        rows.one(tx, Loose, 9)
    with pytest.raises(InvalidRequestError):
        rows.find(tx, Loose, sort="a")
    rows.drop(tx, Loose, kind="a")


def test_a_row_whose_json_cannot_be_read_is_told_apart(tx: sa.Connection) -> None:
    sound = {"id": 1, "kind": "a", "tx": 0, "raw": b"", "moments": "[]", "how": "{}"}
    tx.execute(sa.insert(loose), [sound, {**sound, "id": 2, "how": '["x"]'}])
    assert [one.is_spoilt for one in rows.find(tx, Loose)] == [False, True]
    rows.drop(tx, Loose, kind="a")


def test_a_struct_that_differs_from_its_table_is_refused() -> None:
    class Strange(Struct):
        id: int
        colour: str

    class Empty(Struct):
        id: int
        kind: str | None

    class Full(Struct):
        id: int
        where: int

    for kind, name in ((Strange, "colour"), (Empty, "kind"), (Full, "where")):
        with pytest.raises(AssertionError, match=name):
            rows.of(loose)(kind)
