"""Squares and how they lie to each other; volcanoes (rules 1.3, 1.5)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from sys import intern
from typing import NewType

from msgspec import Struct

from adjudicator.core.dice import Stream

Square = NewType("Square", str)

FILES = "abcdefghij"
# Every square of the largest board, by file and then by rank as a number.
_ORDER = {f"{file}{rank}": n for n, (file, rank) in enumerate(product(FILES, range(1, 11)))}


def file_of(square: str) -> int:
    """Return the number of a square's file: 0 for file a."""
    return FILES.index(square[0])


def rank_of(square: str) -> int:
    """Return the number behind the file's letter: 1 is White's back row."""
    return int(square[1:])


def steps_between(one: Square, other: Square) -> int:
    """Count the steps from one square to another where nothing stands in the way."""
    return abs(file_of(one) - file_of(other)) + abs(rank_of(one) - rank_of(other))


def in_order(squares: Iterable[Square]) -> tuple[Square, ...]:
    """Sort squares as reports list them: by file, then by rank as a number."""
    return tuple(sorted(squares, key=_ORDER.__getitem__))


class Board(Struct, frozen=True):
    """The tables of one board size. `beside` has the four squares that a step may reach,
    `around` the eight that a Spy sees."""

    size: int
    squares: tuple[Square, ...]
    beside: Mapping[Square, tuple[Square, ...]]
    around: Mapping[Square, tuple[Square, ...]]

    def home_rows(self, side: str) -> tuple[int, int, int]:
        """Return the side's three rows, the front row first (rule 1.3)."""
        n = self.size
        return (3, 2, 1) if side == "white" else (n - 2, n - 1, n)

    def middle_rows(self) -> tuple[int, int]:
        """Return the two rows in which volcanoes lie (rule 1.5)."""
        return self.size // 2, self.size // 2 + 1

    def opposite(self, square: Square) -> Square:
        """Return the square where this one lies after a half turn of the board."""
        n = self.size
        return at(n - 1 - file_of(square), n + 1 - rank_of(square))


def at(file: int, rank: int) -> Square:
    """Return a square by its numbers; always the same text, which is found again more quickly."""
    return Square(intern(f"{FILES[file]}{rank}"))


def _board(size: int) -> Board:
    squares = tuple(at(f, r) for f in range(size) for r in range(1, size + 1))

    def near(square: Square, shifts: Sequence[tuple[int, int]]) -> tuple[Square, ...]:
        f, r = file_of(square), rank_of(square)
        return tuple(
            at(f + df, r + dr) for df, dr in shifts if 0 <= f + df < size and 1 <= r + dr <= size
        )

    straight = ((-1, 0), (0, -1), (0, 1), (1, 0))
    eight = tuple((df, dr) for df in (-1, 0, 1) for dr in (-1, 0, 1) if df or dr)
    return Board(
        size=size,
        squares=squares,
        beside={square: near(square, straight) for square in squares},
        around={square: near(square, eight) for square in squares},
    )


BOARDS: Mapping[int, Board] = {size: _board(size) for size in (8, 10)}


def volcano_count(board: Board) -> int:
    return 4 if board.size == 10 else 2


def draw_volcanoes(board: Board, chance: Stream) -> tuple[Square, ...]:
    """Draw volcanoes in pairs symmetric under a half turn, every such placement equally likely.

    Each pair has one square in either middle row, so drawing the lower row's is enough. The
    squares beyond both rows stay free: with fewer pairs than files no volcano can divide the
    board.
    """
    lower, _ = board.middle_rows()
    files = list(range(board.size))
    chance.shuffle(files)
    drawn = [at(f, lower) for f in files[: volcano_count(board) // 2]]
    return in_order([*drawn, *(board.opposite(square) for square in drawn)])
