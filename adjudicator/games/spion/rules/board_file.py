"""A board as it is written in JSON, and what may be wrong with it (rules section 7)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain as joined
from typing import Any

import msgspec
from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import nearest, shown
from adjudicator.games.spion.rules.state import SEATS, Card, Place

COPIES = 4  # of each type, and places of a holder; four of a type win (R9)

COLUMNS = "abcdefghijklmnopqrstuvwxyz"
_ARROWS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}


class Params(Struct, frozen=True):
    """The choices that rulings A2 and A5 leave to the board, and how a count is used up (R3.2,
    R3.3)."""

    tunnel_cost: int = 1
    tunnels_per_move: int = 1
    revisit_square_in_move: bool = False
    exact_count_needed_on_street: bool = True
    exact_count_needed_into_embassy: bool = False


class Size(Struct, frozen=True):
    rows: int
    cols: int


class EmbassyEntry(Struct, frozen=True):
    letter: str
    code: str
    name: Mapping[str, str]
    cell: Place
    door: Place
    arrow: str
    empty_at_start_with_3_players: bool = False


class WellEntry(Struct, frozen=True):
    cell: Place


class SeatEntry(Struct, frozen=True):
    seat: int
    spy_start: Place
    bodyguard_home: Place


class Cards(Struct, frozen=True):
    types: tuple[Card, ...]
    copies_each: int = COPIES
    removed_with_3_players: Card | None = None


class BoardFile(Struct, frozen=True):
    """A board as it is written. What else stands in the file is for people."""

    id: str
    title: Mapping[str, str]
    size: Size
    grid: tuple[str, ...]
    embassies: tuple[EmbassyEntry, ...]
    wells: tuple[WellEntry, ...]
    seats: tuple[SeatEntry, ...]
    seats_used: Mapping[str, tuple[int, ...]]
    cards: Cards
    params: Params = Params()


# What of a board is an object or a list of them, and the words in these that are for people.
_PARTS: Mapping[str, type[Struct]] = {
    "size": Size,
    "embassies": EmbassyEntry,
    "wells": WellEntry,
    "seats": SeatEntry,
    "cards": Cards,
    "params": Params,
}
_FOR_PEOPLE: Mapping[type[Struct], tuple[str, ...]] = {
    BoardFile: ("comment", "version", "note", "coordinates", "legend", "adjacency", "stats"),
    EmbassyEntry: ("rc", "door_rc", "orbit"),
    WellEntry: ("id", "rc"),
    SeatEntry: ("colour", "spy_rc", "bodyguard_rc"),
    Cards: ("note", "places"),
}


def square(row: int, col: int) -> Place:
    """Name a square by row and column, counted from 0 as in the grid."""
    return f"{COLUMNS[col]}{row + 1}"


def spot(cell: Place) -> tuple[int, int]:
    """Return row and column of a square."""
    return int(cell[1:]) - 1, COLUMNS.index(cell[0])


def read_file(text: str) -> BoardFile | Message:
    """Return what the file says, or the first thing that is wrong with it."""
    try:
        plain = msgspec.json.decode(text)
        if strange := next(_strange(plain), None):
            return strange
        told = msgspec.convert(plain, BoardFile)
    except (msgspec.DecodeError, RecursionError) as trouble:  # they say where and what
        return say("this is not a board: {reason}", reason=str(trouble))
    faults = joined(_grid_faults(told), _entry_faults(told), _table_faults(told))
    return next(faults, None) or told


def _strange(plain: Any) -> Iterator[Message]:
    """Complain of words that no board has. Passed over they might leave a parameter as it is by
    default."""
    for where, kind, told in _objects(plain):
        known = (*kind.__struct_fields__, *_FOR_PEOPLE.get(kind, ()))
        for word in told:
            if word not in known:
                yield _unknown(where, word, known)


def _objects(plain: Any) -> Iterator[tuple[str, type[Struct], Mapping[str, Any]]]:
    """Yield each object of the file, with what stands before its words."""
    if not isinstance(plain, dict):
        return
    yield "", BoardFile, plain
    for name, kind in _PARTS.items():
        told = plain.get(name)
        if isinstance(told, dict):
            yield f"{name}.", kind, told
        elif isinstance(told, list):
            listed = ((f"{name}[{n}].", entry) for n, entry in enumerate(told))
            yield from ((at, kind, entry) for at, entry in listed if isinstance(entry, dict))


def _unknown(where: str, word: str, known: Iterable[str]) -> Message:
    seen = f"{where}{shown(word)}"
    if meant := nearest(word, known):
        return say(
            "'{seen}' is not known in a board file; did you mean '{meant}'?",
            seen=seen,
            meant=f"{where}{meant}",
        )
    return say(
        "'{seen}' is not known in a board file; choose from {known}",
        seen=seen,
        known=", ".join(known),
    )


def cells(told: BoardFile) -> dict[Place, str]:
    """Return what is drawn on each square, by column and then by row."""
    return {
        square(row, col): told.grid[row][col]
        for col in range(told.size.cols)
        for row in range(told.size.rows)
    }


def _grid_faults(told: BoardFile) -> Iterator[Message]:
    rows, cols = told.size.rows, told.size.cols
    if not (1 <= rows <= 99 and 1 <= cols <= len(COLUMNS)):
        yield say("a board must have 1 to 99 rows and 1 to 26 columns")
        return
    if len(told.grid) != rows or any(len(line) != cols for line in told.grid):
        yield say("the grid is not {rows} lines of {cols} signs", rows=rows, cols=cols)
        return
    letters = "".join(embassy.letter for embassy in told.embassies)
    known = f" .:#@12345678{letters}"
    for cell, sign in cells(told).items():
        if sign not in known:
            yield say("'{sign}' on {square} has no meaning", sign=sign, square=cell)


def _entry_faults(told: BoardFile) -> Iterator[Message]:
    """Compare the lists with the grid."""
    drawn = cells(told)
    listed: dict[Place, str] = {}
    for cell, sign in _listed(told):
        if drawn.get(cell) != sign:
            yield say("the grid has no '{sign}' on {square}", sign=sign, square=cell)
        if cell in listed:
            yield say("{square} is listed twice", square=cell)
        listed[cell] = sign
    for cell, sign in drawn.items():
        if sign not in " .:#" and cell not in listed:
            yield say("'{sign}' on {square} is not listed", sign=sign, square=cell)
    for embassy in told.embassies:
        yield from _door_faults(embassy, drawn)


def _listed(told: BoardFile) -> Iterator[tuple[Place, str]]:
    for embassy in told.embassies:
        yield embassy.cell, embassy.letter
    for well in told.wells:
        yield well.cell, "@"
    for entry in told.seats:
        yield entry.spy_start, str(entry.seat)
        yield entry.bodyguard_home, str(entry.seat + 4)


def _door_faults(embassy: EmbassyEntry, drawn: Mapping[Place, str]) -> Iterator[Message]:
    if not re.fullmatch(r"[A-Z]", embassy.letter):
        yield say("an embassy's letter must be one of A to Z, not '{seen}'", seen=embassy.letter)
    if not re.fullmatch(r"[A-Z]{2,5}", embassy.code):
        yield say(
            "an embassy's code must be two to five letters A to Z, not '{seen}'", seen=embassy.code
        )
    if "en" not in embassy.name:
        yield say("{code} has no English name ('en')", code=embassy.code)
    near = dict(beside(embassy.cell)) if embassy.cell in drawn else {}
    if near.get(embassy.arrow) != embassy.door or drawn.get(embassy.door) != ":":
        yield say(
            "the door of {code} must be the forbidden square (':') to which its arrow points",
            code=embassy.code,
        )


def beside(cell: Place) -> Iterator[tuple[str, Place]]:
    """Yield the four neighbours by arrow; some of them may lie off the board."""
    row, col = spot(cell)
    for arrow, (down, right) in _ARROWS.items():
        if row + down >= 0 and 0 <= col + right < len(COLUMNS):
            yield arrow, square(row + down, col + right)


def _table_faults(told: BoardFile) -> Iterator[Message]:
    if "en" not in told.title:
        yield say("the board has no English title ('en')")
    codes = [embassy.code for embassy in told.embassies]
    names = (*codes, *told.cards.types, *(str(entry.seat) for entry in told.seats))
    for name in names:
        if names.count(name) > 1:
            yield say("the name '{name}' is given twice", name=name)
    if not all(re.fullmatch(r"[^\W\d_]{1,12}", name) for name in told.cards.types):
        yield say("a card's type must be one word of at most 12 letters")
    if not all(1 <= entry.seat <= len(SEATS) for entry in told.seats):
        yield say("seats must have the numbers 1 to 4")
    if told.cards.copies_each != COPIES:
        yield say("there must be four cards of each type")
    if told.params.tunnel_cost not in (0, 1) or not 0 <= told.params.tunnels_per_move <= 1:
        yield say("'tunnel_cost' and 'tunnels_per_move' must be 0 or 1")
    if not told.seats_used:
        yield say("'seats_used' must say which seats two, three or four players take")
    for number, used in told.seats_used.items():
        yield from _seating_faults(told, number, used)


def _seating_faults(told: BoardFile, number: str, used: tuple[int, ...]) -> Iterator[Message]:
    known = {entry.seat for entry in told.seats}
    if number not in ("2", "3", "4") or len(used) != int(number) or list(used) != sorted(set(used)):
        yield say(
            "'seats_used' for {n} players must name exactly that many seats, in order", n=number
        )
        return
    if not known.issuperset(used):
        yield say("'seats_used' for {n} players names a seat that is not listed", n=number)
    removed = told.cards.removed_with_3_players
    if number == "3" and removed is not None and removed not in told.cards.types:
        yield say("'removed_with_3_players' is not one of the types")
        return
    types = len(told.cards.types) - (number == "3" and removed is not None)
    room = len(embassies_to_deal({e.code: e for e in told.embassies}, int(number)))
    # With fewer types an ambush need not put a card back (I3); with fewer embassies a fifth card
    # might find none vacant (I2).
    if not int(number) <= types or COPIES * types > room:
        yield say("{n} players need at least {n} types and an embassy for each card", n=number)


def embassies_to_deal(embassies: Mapping[Place, EmbassyEntry], players: int) -> tuple[Place, ...]:
    """Return the embassies that may get a card (R1.1)."""
    return tuple(
        code
        for code, embassy in embassies.items()
        if players != 3 or not embassy.empty_at_start_with_3_players
    )
