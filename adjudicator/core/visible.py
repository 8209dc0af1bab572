"""Everything that a player may be shown is declared `Visible`; nothing else leaves the core."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from msgspec import UNSET, Struct


class Visible(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of every value that may appear in a report. Nothing else may."""


_PLAIN = frozenset({str, int, bool, type(None)})  # most of a view, so asked for first


def plain(value: object) -> Any:
    """Return a visible value as dicts, lists and strings; a tagged one with its tag.

    Raises TypeError for anything that is neither plain nor declared `Visible`: a forgotten
    declaration shows nothing.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Visible):
        config = value.__struct_config__
        made = {} if config.tag is None else {config.tag_field: config.tag}
        names = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
        for name, told_as in names:
            item = getattr(value, name)
            if item is not UNSET:
                made[told_as] = plain(item)
        return made
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    raise TypeError(f"{type(value).__name__} is not visible to players")


# A board as a table, for emails: mail programs keep tables and drop drawings.
#
# Styles are words; the templates have a table that says how each of them looks. `told` is what a
# screen reader says, because signs and colours say nothing to it.


class Thing(Struct, frozen=True):
    """A sign on a square: a piece, or a mark. One that a legend explains is `told` by itself."""

    sign: str
    style: str
    told: str


class Square(Struct, frozen=True):
    """A square with all that stands on it."""

    ground: str
    things: Sequence[Thing] = ()


class Squares(Struct, frozen=True):
    """The board with the heads of its columns, and its rows from above, each behind its head."""

    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Square]]]
