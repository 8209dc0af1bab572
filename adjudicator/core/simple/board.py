"""What a simple game's page shows above the bar: a table of values, a board of squares or a map."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, to_builtins

from adjudicator.core.message import Words
from adjudicator.core.simple.state import Seen
from adjudicator.core.visible import Squares

_OF_ALL = frozenset(Seen.__struct_fields__)


class ValueTable(Struct, frozen=True):
    """Values in rows and columns, in its reader's words. `told` are sentences above it."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    told: Sequence[str] = ()


class Map(Struct, frozen=True):
    """Places at x and y, from 0 to 100 from the upper left corner, with the ways between them and
    what is there (`things`)."""

    places: Mapping[str, tuple[int, int]]
    ways: Sequence[tuple[str, str]] = ()
    things: Mapping[str, str] = {}


Board: TypeAlias = ValueTable | Squares | Map


def fields(view: Seen, words: Words) -> Board:
    """Return the table of a view's own fields, which is the default."""
    told = ((name, getattr(view, name)) for name in view.__struct_fields__ if name not in _OF_ALL)
    return ValueTable((), [(name, _plain(value)) for name, value in told])


def _plain(value: object) -> str:
    match to_builtins(value):
        case None:
            return "-"
        case dict() as items:
            return ", ".join(f"{key}: {_plain(item)}" for key, item in items.items())
        case list() | tuple() as parts:
            return " ".join(map(_plain, parts))
        case other:
            return str(other)


def text(board: Board) -> list[str]:
    """Draw a board for monospace."""
    match board:
        case ValueTable():
            return list(_table(board))
        case Map():
            return [_place(board, name) for name in board.places]
    return list(_squares(board))


def _place(board: Map, name: str) -> str:
    """Tell what is at a place and, in brackets, where ways lead from there."""
    near = [other for way in board.ways if name in way for other in way if other != name]
    ways = f" ({', '.join(dict.fromkeys(near))})" if near else ""
    return f"{name}: {board.things.get(name) or '-'}{ways}"


def _table(table: ValueTable) -> Iterator[str]:
    yield from table.told
    rows = [*([table.columns] if table.columns else []), *table.rows]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(n) for cell, n in zip(row, wide, strict=True)).rstrip()


def _squares(squares: Squares) -> Iterator[str]:
    head = max(len(head) for head, _ in squares.rows)
    cells = [
        ["".join(thing.sign for thing in one.things) or "." for one in row]
        for _, row in squares.rows
    ]
    wide = max((len(cell) for row in cells for cell in row), default=1)
    for (name, _), row in zip(squares.rows, cells, strict=True):
        yield f"{name.rjust(head)}  " + " ".join(cell.ljust(wide) for cell in row).rstrip()
    yield ""
    yield " " * (head + 2) + " ".join(name.ljust(wide) for name in squares.columns).rstrip()
