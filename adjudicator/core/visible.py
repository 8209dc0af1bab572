"""Everything that a player may be shown is declared `Visible`; nothing else leaves the core."""

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any

from msgspec import NODEFAULT, UNSET, Struct
from msgspec.structs import fields


class Visible(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of every value that may appear in a report. Nothing else may."""


_PLAIN = frozenset({str, int, bool, type(None)})  # most of a view, so asked for first


def plain(value: object, *, lean: bool = False) -> Any:
    """Return a visible value as dicts, lists and strings; a tagged one with its tag. A `lean` one
    has no key that says what it says without that.

    Raises TypeError for anything that is neither plain nor declared `Visible`: a forgotten
    declaration shows nothing.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Visible):
        config = value.__struct_config__
        made = {} if config.tag is None else {config.tag_field: config.tag}
        names = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
        usual = _defaults(type(value)) if lean else {}
        for name, told_as in names:
            item = getattr(value, name)
            if item is not UNSET and (name not in usual or item != usual[name]):
                made[told_as] = plain(item, lean=lean)
        return made
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [plain(item, lean=lean) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item, lean=lean) for key, item in value.items()}
    raise TypeError(f"{type(value).__name__} is not visible to players")


@cache
def _defaults(cls: type[Visible]) -> Mapping[str, Any]:
    """Return what the fields of a value say where nothing is said, by their names."""
    factories = {one.name: one.default_factory for one in fields(cls)}
    made = {name: make() for name, make in factories.items() if make is not NODEFAULT}
    return made | {one.name: one.default for one in fields(cls) if one.default is not NODEFAULT}


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
