"""Column types that give back exactly what they were given."""

from base64 import b64decode, b64encode
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from zlib import compress, decompress

from sqlalchemy import ColumnElement, Dialect, Text, type_coerce
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


def as_kept(columns: Iterable[ColumnElement[Any]]) -> list[ColumnElement[Any]]:
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
        return None if value is None else unpacked(value)


def unpacked(text: str) -> str:
    if not text.startswith(_PACKED):
        return text
    return decompress(b64decode(text[len(_PACKED) :])).decode()
