"""Worlds that a view allows: every enemy piece has a rank, drawn from what is believed of it.

They are lists by the number of a square, and not values, for steps are tried out in them by the
hundred.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.computers.beliefs import VALUES, Belief
from adjudicator.games.espionage.rules.board import BOARDS, Square
from adjudicator.games.espionage.rules.combat import TAKES
from adjudicator.games.espionage.rules.pieces import IMMOBILE, Rank
from adjudicator.games.espionage.sight.memory import unaccounted
from adjudicator.games.espionage.sight.observe import SeenPiece, View

RANKS = tuple(Rank)
NUMBER = {rank: n for n, rank in enumerate(RANKS)}
SPY = NUMBER[Rank.SPY]
CAN_MOVE = [rank not in IMMOBILE for rank in RANKS]
WORTH = [VALUES[rank] for rank in RANKS]
WINS = [[defender in TAKES.get(attacker, ()) for defender in RANKS] for attacker in RANKS]

MINE, THEIRS = 1, -1


class Ground(Struct, frozen=True):
    """The squares of a board as numbers: `near` has those of a step, `around` those that a Spy
    sees."""

    numbers: Mapping[Square, int]
    near: Sequence[Sequence[int]]
    around: Sequence[Sequence[int]]


@cache
def ground_of(size: int, volcanoes: tuple[Square, ...]) -> Ground:
    board = BOARDS[size]
    numbers = {square: n for n, square in enumerate(board.squares)}
    return Ground(
        numbers=numbers,
        near=[[numbers[s] for s in board.beside[at] if s not in volcanoes] for at in board.squares],
        around=[[numbers[s] for s in board.around[at]] for at in board.squares],
    )


class World:
    """Who stands where (0 is nobody), what he is, and whether his enemy knows it and saw him
    move."""

    __slots__ = ("known", "moved", "rank", "side")

    def __init__(
        self, side: list[int], rank: list[int], known: list[bool], moved: list[bool]
    ) -> None:
        self.side, self.rank, self.known, self.moved = side, rank, known, moved

    def copy(self) -> "World":
        return World(self.side[:], self.rank[:], self.known[:], self.moved[:])

    def step(self, start: int, target: int, around: Sequence[Sequence[int]]) -> float:
        """Make a step (rules 3.1, 4.1); return what it brings its side."""
        side, rank, known = self.side, self.rank, self.known
        mover, won = rank[start], 0.0
        owner, side[start] = side[start], 0
        if side[target]:
            if not WINS[mover][rank[target]]:
                return -WORTH[mover]
            won = WORTH[rank[target]]
        side[target], rank[target], self.moved[target] = owner, mover, True
        known[target] = known[start]
        for near in around[target]:
            if side[near] == -owner:
                known[near] = known[near] or mover == SPY
                known[target] = known[target] or rank[near] == SPY
        return won


def draw_world(view: View, foes: Mapping[Square, Belief], chance: Stream) -> World:
    ground = ground_of(view.board.size, view.board.volcanoes)
    n = view.board.size**2
    world = World([0] * n, [0] * n, [False] * n, [False] * n)
    hidden: list[tuple[int, int, SeenPiece]] = []
    for piece in view.pieces:
        at = ground.numbers[piece.square]
        own = piece.side == view.seat
        world.side[at], world.moved[at] = MINE if own else THEIRS, piece.moved
        if piece.rank:
            world.rank[at], world.known[at] = NUMBER[piece.rank], not own
        else:
            choices = sum(p > 0 for p in foes[piece.square].chances.values())
            hidden.append((choices, chance.below(256), piece))
    left = {**unaccounted(view)}
    for *_, piece in sorted(hidden, key=lambda one: one[:2]):  # who can be least is drawn first
        rank = _drawn(foes[piece.square].chances, left, chance)
        left[rank] -= 1
        world.rank[ground.numbers[piece.square]] = NUMBER[rank]
    return world


def _drawn(chances: Mapping[Rank, float], left: Mapping[Rank, int], chance: Stream) -> Rank:
    """Draw a rank by its chance among those that are left, or, if none is, among all that it may
    have."""
    weights = [(rank, p * left[rank]) for rank, p in chances.items() if p > 0 and left[rank] > 0]
    weights = weights or [(rank, p) for rank, p in chances.items() if p > 0]
    point = sum(weight for _, weight in weights)
    point *= (chance.below(256) * 256 + chance.below(256)) / 65536
    for rank, weight in weights:
        point -= weight
        if point < 0:
            return rank
    return weights[-1][0]
