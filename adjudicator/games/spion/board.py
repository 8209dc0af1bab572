"""Boards are data: read from JSON, checked, and made into tables (rules sections 2 and 7)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from heapq import heappop, heappush
from importlib.resources import files
from itertools import chain as joined

import msgspec
from msgspec import Struct

from adjudicator.core.game import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line
from adjudicator.games.spion.orders import Challenge, Goal, Move, Order, parse
from adjudicator.games.spion.state import SEATS, Card, Place, Settings

VARIANTS = ("original", "quick")
COPIES = 4  # of each type, and places of a holder; four of a type win (R9)

_COLUMNS = "abcdefghijklmnopqrstuvwxyz"
_ARROWS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}


class Params(Struct, frozen=True):
    """What rulings A2 and A5 leave to the board, and how a count is used up (R3.2, R3.3)."""

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


class Board(Struct, frozen=True, eq=False):
    """The tables of one board. `kinds` are in order (column, then row); `walk` are the places one
    ordinary step leads to, `tunnels` those a well leads to; `order` sorts any places."""

    id: str
    title: Mapping[str, str]
    rows: int
    cols: int
    params: Params
    grid: tuple[str, ...]
    kinds: Mapping[Place, str]
    embassies: Mapping[Place, EmbassyEntry]
    wells: tuple[Place, ...]
    starts: Mapping[Seat, Place]
    homes: Mapping[Seat, Place]
    seating: Mapping[int, tuple[Seat, ...]]
    types: tuple[Card, ...]
    removed: Card | None
    walk: Mapping[Place, tuple[Place, ...]]
    tunnels: Mapping[Place, tuple[Place, ...]]
    order: Mapping[Place, int]

    def open_ground(self, place: Place) -> bool:
        """Where a spy or bodyguard can stand in the way: a street or a well."""
        return self.kinds.get(place) in ("street", "well")

    def types_in_play(self, players: int) -> tuple[Card, ...]:
        """All, but with three players one type is out (R1.1, A33)."""
        return tuple(t for t in self.types if players != 3 or t != self.removed)

    def dealt_to(self, players: int) -> tuple[Place, ...]:
        """The embassies that get a card at the start, one for each card in play (R1.1)."""
        cards = COPIES * len(self.types_in_play(players))
        return _dealt(self.embassies, players)[:cards]

    def in_order(self, places: Iterable[Place]) -> tuple[Place, ...]:
        return tuple(sorted(places, key=self.order.__getitem__))


def _dealt(embassies: Mapping[Place, EmbassyEntry], players: int) -> tuple[Place, ...]:
    return tuple(
        code
        for code, embassy in embassies.items()
        if players != 3 or not embassy.empty_at_start_with_3_players
    )


def square(row: int, col: int) -> Place:
    """Counted from 0, as in the grid."""
    return f"{_COLUMNS[col]}{row + 1}"


def board_of(settings: Settings) -> Board:
    return standard(settings.variant) if not settings.own_board else _own(settings.own_board)


def seating(variant: str, own: str) -> Mapping[int, tuple[Seat, ...]]:
    """Which seats two, three or four players take on a board."""
    return board_of(Settings(variant, own)).seating


@cache
def standard(variant: str) -> Board:
    """A board that comes with the game."""
    source = files("adjudicator.games.spion").joinpath("boards", f"{variant}.json")
    return _own(source.read_text("utf-8"))


@lru_cache(maxsize=32)
def _own(text: str) -> Board:
    """A text that was read before."""
    board = read(text)
    if isinstance(board, Message):
        raise ValueError(str(board))
    return board


def written(text: str) -> str | Message:
    """A board as a match stores it, or what is wrong with it."""
    board = read(text)
    if isinstance(board, Message):
        return board
    if fault := next(_unspeakable(board), None):
        return fault
    return msgspec.json.encode(msgspec.json.decode(text, type=BoardFile)).decode()


def _unspeakable(board: Board) -> Iterator[Message]:
    """Names that no sheet could say: orders are read before it is known for which board, so a
    name must mean itself, and nothing of the boards that come with the game."""
    for card in board.types:
        if _read_as(f"CHALLENGE red 1 {card}") != Challenge("red", 1, card):
            yield say("a sheet cannot name the type {card}; write another, in A to Z", card=card)
    for code in board.embassies:
        if _read_as(f"MOVE {code}") != Move((Goal(code),)):
            yield say("on a sheet {code} means another embassy; choose another code", code=code)


def _read_as(text: str) -> Order | None:
    return next(iter(parse([Line(1, text)]).orders), None)


def read(text: str) -> Board | Message:
    """The board, or the first thing that is wrong with the file."""
    try:
        told = msgspec.json.decode(text, type=BoardFile)
    except (msgspec.DecodeError, RecursionError) as trouble:  # they say where and what
        return say("this is no board: {reason}", reason=str(trouble))
    first = next(joined(_grid_faults(told), _entry_faults(told), _table_faults(told)), None)
    if first:
        return first
    board = _made(told)
    return next(_ways_faults(board), None) or board


def _cells(told: BoardFile) -> dict[Place, str]:
    """What is drawn on each square, by column and then by row."""
    return {
        square(row, col): told.grid[row][col]
        for col in range(told.size.cols)
        for row in range(told.size.rows)
    }


def _grid_faults(told: BoardFile) -> Iterator[Message]:
    rows, cols = told.size.rows, told.size.cols
    if not (1 <= rows <= 99 and 1 <= cols <= len(_COLUMNS)):
        yield say("a board has 1 to 99 rows and 1 to 26 columns")
        return
    if len(told.grid) != rows or any(len(line) != cols for line in told.grid):
        yield say("the grid is not {rows} lines of {cols} signs", rows=rows, cols=cols)
        return
    letters = "".join(embassy.letter for embassy in told.embassies)
    known = f" .:#@12345678{letters}"
    for cell, sign in _cells(told).items():
        if sign not in known:
            yield say("'{sign}' on {square} means nothing", sign=sign, square=cell)


def _entry_faults(told: BoardFile) -> Iterator[Message]:
    """Whether the lists say what the grid shows."""
    cells = _cells(told)
    listed: dict[Place, str] = {}
    for cell, sign in _listed(told):
        if cells.get(cell) != sign:
            yield say("the grid has no '{sign}' on {square}", sign=sign, square=cell)
        if cell in listed:
            yield say("{square} is listed twice", square=cell)
        listed[cell] = sign
    for cell, sign in cells.items():
        if sign not in " .:#" and cell not in listed:
            yield say("'{sign}' on {square} is not listed", sign=sign, square=cell)
    for embassy in told.embassies:
        yield from _door_faults(embassy, cells)


def _listed(told: BoardFile) -> Iterator[tuple[Place, str]]:
    for embassy in told.embassies:
        yield embassy.cell, embassy.letter
    for well in told.wells:
        yield well.cell, "@"
    for entry in told.seats:
        yield entry.spy_start, str(entry.seat)
        yield entry.bodyguard_home, str(entry.seat + 4)


def _door_faults(embassy: EmbassyEntry, cells: Mapping[Place, str]) -> Iterator[Message]:
    if not re.fullmatch(r"[A-Z]", embassy.letter):
        yield say("an embassy's letter is one of A to Z, not '{seen}'", seen=embassy.letter)
    if not re.fullmatch(r"[A-Z]{2,5}", embassy.code):
        yield say(
            "an embassy's code is two to five letters A to Z, not '{seen}'", seen=embassy.code
        )
    if "en" not in embassy.name:
        yield say("{code} has no English name ('en')", code=embassy.code)
    beside = dict(_beside(embassy.cell)) if embassy.cell in cells else {}
    if beside.get(embassy.arrow) != embassy.door or cells.get(embassy.door) != ":":
        yield say(
            "the door of {code} must be the forbidden square (':') to which its arrow points",
            code=embassy.code,
        )


def _beside(cell: Place) -> Iterator[tuple[str, Place]]:
    """The four neighbours, some of which may lie off the board, by arrow."""
    row, col = int(cell[1:]) - 1, _COLUMNS.index(cell[0])
    for arrow, (down, right) in _ARROWS.items():
        if row + down >= 0 and 0 <= col + right < len(_COLUMNS):
            yield arrow, square(row + down, col + right)


def _table_faults(told: BoardFile) -> Iterator[Message]:
    codes = [embassy.code for embassy in told.embassies]
    names = (*codes, *told.cards.types, *(str(entry.seat) for entry in told.seats))
    for name in names:
        if names.count(name) > 1:
            yield say("the name '{name}' is given twice", name=name)
    if not all(re.fullmatch(r"[^\W\d_]{1,12}", name) for name in told.cards.types):
        yield say("a card's type is one word of at most 12 letters")
    if not all(1 <= entry.seat <= len(SEATS) for entry in told.seats):
        yield say("seats have the numbers 1 to 4")
    if told.cards.copies_each != COPIES:
        yield say("there are four cards of each type")
    if told.params.tunnel_cost not in (0, 1) or not 0 <= told.params.tunnels_per_move <= 1:
        yield say("'tunnel_cost' and 'tunnels_per_move' are 0 or 1")
    if not told.seats_used:
        yield say("'seats_used' says which seats two, three or four players take")
    for number, used in told.seats_used.items():
        yield from _seating_faults(told, number, used)


def _seating_faults(told: BoardFile, number: str, used: tuple[int, ...]) -> Iterator[Message]:
    known = {entry.seat for entry in told.seats}
    if number not in ("2", "3", "4") or len(used) != int(number) or list(used) != sorted(set(used)):
        yield say("'seats_used' for {n} players must name as many seats, in order", n=number)
        return
    if not known.issuperset(used):
        yield say("'seats_used' for {n} players names a seat that is not listed", n=number)
    removed = told.cards.removed_with_3_players
    if number == "3" and removed is not None and removed not in told.cards.types:
        yield say("'removed_with_3_players' is none of the types")
        return
    types = len(told.cards.types) - (number == "3" and removed is not None)
    room = len(_dealt({e.code: e for e in told.embassies}, int(number)))
    # With fewer types an ambush need not put a card back (I3); with fewer embassies a fifth card
    # might find none vacant (I2).
    if not int(number) <= types or COPIES * types > room:
        yield say("{n} players need at least {n} types and an embassy for each card", n=number)


def _made(told: BoardFile) -> Board:
    kinds = {cell: _kind(sign) for cell, sign in _cells(told).items()}
    embassies = {embassy.code: embassy for embassy in told.embassies}
    wells = tuple(cell for cell, kind in kinds.items() if kind == "well")
    numbered = sorted(told.seats, key=lambda entry: entry.seat)
    return Board(
        id=told.id,
        title=told.title,
        rows=told.size.rows,
        cols=told.size.cols,
        params=told.params,
        grid=told.grid,
        kinds=kinds,
        embassies=embassies,
        wells=wells,
        starts={SEATS[entry.seat - 1]: entry.spy_start for entry in numbered},
        homes={SEATS[entry.seat - 1]: entry.bodyguard_home for entry in numbered},
        seating={
            int(number): tuple(SEATS[seat - 1] for seat in used)
            for number, used in sorted(told.seats_used.items())
        },
        types=told.cards.types,
        removed=told.cards.removed_with_3_players,
        walk=_walk(kinds, embassies),
        tunnels={
            well: tuple(other for other in wells if other != well)
            for well in (wells if told.params.tunnels_per_move else ())
        },
        order={place: n for n, place in enumerate((*embassies, *kinds))},
    )


def _kind(sign: str) -> str:
    known = {" ": "void", ".": "street", ":": "forbidden", "#": "wire", "@": "well"}
    if sign in "1234":
        return "start"
    return "home" if sign in "5678" else known.get(sign, "embassy")


def _walk(
    kinds: Mapping[Place, str], embassies: Mapping[Place, EmbassyEntry]
) -> dict[Place, tuple[Place, ...]]:
    """One step from each place (R3.1): embassies only by their door, starts only outward."""
    walkable = ("street", "well", "forbidden")
    walk: dict[Place, tuple[Place, ...]] = {}
    for cell, kind in kinds.items():
        if kind in (*walkable, "start"):
            inside = (code for code, embassy in embassies.items() if embassy.door == cell)
            near = (n for _, n in _beside(cell) if kinds.get(n) in walkable)
            walk[cell] = (*(inside if kind != "start" else ()), *near)
    return walk | {code: (embassy.door,) for code, embassy in embassies.items()}


def _ways_faults(board: Board) -> Iterator[Message]:
    for code in board.embassies:
        steps = steps_to(board, code)
        for start in board.starts.values():
            if start not in steps:
                yield say("no way leads from {start} to {code}", start=start, code=code)


@lru_cache(maxsize=512)
def steps_to(board: Board, goal: Place) -> Mapping[Place, int]:
    """How far each place from which `goal` can be reached is from it on the empty board, tunnels
    included."""
    backward: dict[Place, list[tuple[Place, int]]] = {}
    for cost, ways in ((1, board.walk), (board.params.tunnel_cost, board.tunnels)):
        for start, nears in ways.items():
            for near in nears:
                backward.setdefault(near, []).append((start, cost))
    found: dict[Place, int] = {}
    heap = [(0, goal)]
    while heap:
        steps, place = heappop(heap)
        if place in found:
            continue
        found[place] = steps
        if place == goal or place not in board.embassies:  # nobody walks through an embassy
            for start, cost in backward.get(place, ()):
                heappush(heap, (steps + cost, start))
    return found
