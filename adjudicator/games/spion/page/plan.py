"""Lay out the places of a board in its drawing."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.board_file import COLUMNS, spot
from adjudicator.games.spion.rules.state import Place

CELL = 44
EDGE = 30  # outside the streets: coordinates, and the homes in the corners

_DIGIT = 8  # from one digit of a number to the next
_BASE = 5  # from the middle of a sign down to the line on which it stands

Point = tuple[float, float]
Label = tuple[str, str, str]  # where each of its signs stands across and down, and the signs


def inner(board: Board) -> tuple[range, range]:
    """Return rows and columns of the squares that are drawn in full size, counted from 0."""
    ring = int(_ringed(board))
    return range(ring, board.rows - ring), range(ring, board.cols - ring)


@lru_cache
def _ringed(board: Board) -> bool:
    return all(_bare(board, cell) for cell in board.kinds)


class Plan:
    """Units of a drawing. A ring of squares that is empty but for its corners is drawn thin and
    carries the coordinates; other boards get a margin for them."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._ring = int(_ringed(board))
        self.width, self.height = self._extent(board.cols), self._extent(board.rows)
        self.home = EDGE - 4 if self._ring else CELL - 4

    def at(self, place: Place) -> tuple[int, int]:
        """Return the centre of a square or of an embassy."""
        known = self._board.embassies.get(place)
        row, col = spot(known.cell if known else place)
        return self._centre(col, self._board.cols), self._centre(row, self._board.rows)

    def labels(self) -> Iterator[Label]:
        """Yield the letters of the columns above and below, and the numbers of the rows on both
        sides."""
        cols, rows, ring = self._board.cols, self._board.rows, self._ring
        letters = [(self._centre(col, cols), COLUMNS[col]) for col in range(ring, cols - ring)]
        for y in (EDGE // 2, self.height - EDGE // 2):
            yield _label([(x, y, letter) for x, letter in letters])
        numbers = [(self._centre(row, rows), str(row + 1)) for row in range(ring, rows - ring)]
        for x in (EDGE // 2, self.width - EDGE // 2):
            yield _label(
                [
                    (x + _DIGIT * i - _DIGIT * (len(number) - 1) // 2, y, digit)
                    for y, number in numbers
                    for i, digit in enumerate(number)
                ]
            )

    def _extent(self, many: int) -> int:
        return 2 * EDGE + CELL * (many - 2 * self._ring)

    def _centre(self, index: int, many: int) -> int:
        if self._ring and index == 0:
            return EDGE // 2
        if self._ring and index == many - 1:
            return self._extent(many) - EDGE // 2
        return EDGE + CELL * (index - self._ring) + CELL // 2


def _label(signs: Sequence[tuple[int, int, str]]) -> Label:
    """Return signs that are written in one go."""
    across, down, text = zip(*signs, strict=True)
    heights = dict.fromkeys(down) if len(set(down)) == 1 else down
    return (
        " ".join(map(str, across)),
        " ".join(str(y + _BASE) for y in heights),
        "".join(text),
    )


def _bare(board: Board, cell: Place) -> bool:
    """Return whether a square is inside, in a corner, or no part of the board."""
    row, col = spot(cell)
    sides = (col in (0, board.cols - 1)) + (row in (0, board.rows - 1))
    return sides != 1 or board.kinds[cell] == "void"
