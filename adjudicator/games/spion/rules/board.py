"""Boards are data: read from a file and made into tables (rules sections 2 and 7)."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from heapq import heappop, heappush

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.games.spion.rules.board_file import (
    COPIES,
    BoardFile,
    EmbassyEntry,
    Params,
    beside,
    cells,
    embassies_to_deal,
    read_file,
)
from adjudicator.games.spion.rules.state import SEATS, Card, Place

# The signs of squares by kind; digits are starts and homes, letters embassies.
SIGNS = {"void": " ", "street": ".", "forbidden": ":", "wire": "#", "well": "@"}
_KINDS = {sign: kind for kind, sign in SIGNS.items()}


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
        """Return whether a spy or bodyguard can stand in the way there: on a street or a well."""
        return self.kinds.get(place) in ("street", "well")

    def types_in_play(self, players: int) -> tuple[Card, ...]:
        """Return all types; with three players one is out (R1.1, A33)."""
        return tuple(t for t in self.types if players != 3 or t != self.removed)

    def embassies_with_cards(self, players: int) -> tuple[Place, ...]:
        """Return the embassies that get a card at the start, one for each card in play (R1.1)."""
        cards = COPIES * len(self.types_in_play(players))
        return embassies_to_deal(self.embassies, players)[:cards]

    def in_order(self, places: Iterable[Place]) -> tuple[Place, ...]:
        return tuple(sorted(places, key=self.order.__getitem__))


def read(text: str) -> Board | Message:
    """Return the board, or the first thing that is wrong with the file."""
    told = read_file(text)
    if isinstance(told, Message):
        return told
    board = _made(told)
    return next(_ways_faults(board), None) or board


def _made(told: BoardFile) -> Board:
    kinds = {cell: _kind(sign) for cell, sign in cells(told).items()}
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
    if sign in "1234":
        return "start"
    return "home" if sign in "5678" else _KINDS.get(sign, "embassy")


def _walk(
    kinds: Mapping[Place, str], embassies: Mapping[Place, EmbassyEntry]
) -> dict[Place, tuple[Place, ...]]:
    """Return one step from each place (R3.1): embassies only by their door, starts only outward."""
    walkable = ("street", "well", "forbidden")
    walk: dict[Place, tuple[Place, ...]] = {}
    for cell, kind in kinds.items():
        if kind in (*walkable, "start"):
            inside = (code for code, embassy in embassies.items() if embassy.door == cell)
            near = (n for _, n in beside(cell) if kinds.get(n) in walkable)
            walk[cell] = (*(inside if kind != "start" else ()), *near)
    return walk | {code: (embassy.door,) for code, embassy in embassies.items()}


def _ways_faults(board: Board) -> Iterator[Message]:
    for code in board.embassies:
        steps = steps_to(board, code)
        for start in board.starts.values():
            if start not in steps:
                yield say("there is no way from {start} to {code}", start=start, code=code)


@lru_cache(maxsize=512)
def steps_to(board: Board, goal: Place) -> Mapping[Place, int]:
    """Return how far each place from which `goal` can be reached is from it on the empty board,
    tunnels included."""
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
