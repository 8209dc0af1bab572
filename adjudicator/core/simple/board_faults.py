"""What keeps a board from being drawn, in sentences for its author."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from adjudicator.core.simple.board import Board, Map, ValueTable
from adjudicator.core.visible import Square, Squares, Thing

# What the templates of `default/` know; a thing may have several styles, as words.
GROUNDS = ("", "water", "dark", "marked")
STYLES = ("mine", "theirs", "plain")


class BoardFault(ValueError):
    """What a function of `Look` returned cannot be shown. The message is for the author."""


def faults(board: object) -> Iterator[str]:
    """Yield what is wrong with a board, whatever templates draw it."""
    match board:
        case ValueTable():
            yield from _of_table(board)
        case Squares():
            yield from _of_squares(board)
        case Map():
            yield from _of_map(board)
        case _:
            yield f"the board is {_kind(board)}; return a ValueTable, Squares or a Map"


def unknown_looks(board: Board) -> Iterator[str]:
    """Yield the grounds and styles of a board of squares that the templates of `default/` do not
    know."""
    if not isinstance(board, Squares):
        return
    squares = [square for _, row in board.rows for square in row]
    grounds = dict.fromkeys(square.ground for square in squares)
    styles = dict.fromkeys(thing.style for square in squares for thing in square.things)
    for ground in grounds:
        if ground not in GROUNDS:
            yield f"a square has the ground {ground!r}; there are {_listed(GROUNDS)}"
    for style in styles:
        if not {*style.split()} <= {*STYLES}:
            yield f"a thing has the style {style!r}; there are {_listed(STYLES)}"


def text_fault(value: object, what: str) -> Iterator[str]:
    """Yield why a value is not a line of text that can be shown."""
    if not isinstance(value, str):
        yield f"{what} is {_kind(value)}; give a text, as `words(say(…))` or `str(…)` makes it"
    elif "\n" in value or "\r" in value:
        yield f"{what} has more than one line: {value!r}"


def _name_fault(value: object, what: str) -> Iterator[str]:
    yield from text_fault(value, what)
    if isinstance(value, str) and not value.strip():
        yield f"{what} is empty"


def _of_table(table: ValueTable) -> Iterator[str]:
    for sentence in table.told:
        yield from text_fault(sentence, "a sentence above the table")
    for head in table.columns:
        yield from text_fault(head, "the head of a column")
    if not (table.told or table.columns or table.rows):
        yield "the table has no row and no sentence"
    wide = len(table.columns or next(iter(table.rows), ()))
    for number, row in enumerate(table.rows, 1):
        if isinstance(row, str):
            yield f"row {number} of the table is one text; give a sequence of cells"
        elif len(row) != wide or not row:
            yield f"row {number} of the table has {len(row)} cells, and others have {wide}"
        for cell in row:
            yield from text_fault(cell, f"a cell in row {number} of the table")


def _of_squares(board: Squares) -> Iterator[str]:
    if not board.rows or not board.columns:
        yield "the board has no squares"
    heads = [head for head, _ in board.rows]
    for what, names in (("column", board.columns), ("row", heads)):
        for name in names:
            yield from _name_fault(name, f"the head of a {what}")
        yield from _twice(names, f"the head of a {what}")
    for head, row in board.rows:
        if len(row) != len(board.columns):
            yield f"row {head!r} has {len(row)} squares, and the board {len(board.columns)} columns"
        for square in row:
            yield from _of_square(square, head)


def _of_square(square: object, head: object) -> Iterator[str]:
    if not isinstance(square, Square):
        yield f"row {head!r} has {_kind(square)} in it; give a Square"
        return
    yield from text_fault(square.ground, "the ground of a square")
    for thing in square.things:
        if not isinstance(thing, Thing):
            yield f"row {head!r} has {_kind(thing)} on a square; give a Thing"
            continue
        for name in ("sign", "style", "told"):
            yield from text_fault(getattr(thing, name), f"`{name}` of a thing in row {head!r}")


def _of_map(board: Map) -> Iterator[str]:
    if not board.places:
        yield "the map has no places"
    for name, at in board.places.items():
        yield from _name_fault(name, "the name of a place")
        if not _is_on_map(at):
            yield f"the place {name!r} is at {at!r}; x and y are whole numbers from 0 to 100"
    yield from _twice(map(str, board.places.values()), "a spot on the map")
    for way in board.ways:
        if lacking := [name for name in way if name not in board.places]:
            yield f"a way leads to {_listed(lacking)}, which is not a place on the map"
    for name, thing in board.things.items():
        if name not in board.places:
            yield f"there is something at {name!r}, which is not a place on the map"
        yield from text_fault(thing, f"what is at {name!r}")


def _is_on_map(at: object) -> bool:
    match at:
        case (int(x), int(y)):
            return 0 <= x <= 100 and 0 <= y <= 100
    return False


def _twice(names: Iterable[object], what: str) -> Iterator[str]:
    for name, times in Counter(str(name).casefold() for name in names).items():
        if times > 1:
            yield f"{what} is there twice: {name}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"
