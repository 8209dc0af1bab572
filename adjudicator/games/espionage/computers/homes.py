"""Where Mines and the Headquarters may have been placed, by armies such as `SETUP AUTO` draws.

People place theirs otherwise, but they, too, put Mines around the Headquarters and have decoys. Who
went tells that neither was there, and so where they may be among those who stay.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from msgspec import Struct

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.rules.armies import sensible_army
from adjudicator.games.espionage.rules.board import BOARDS, Square, at
from adjudicator.games.espionage.rules.pieces import ENEMY, LETTERS, WHITE, Rank
from adjudicator.games.espionage.sight.observe import View

_ARMIES = 2000
# How likely is a Mine where none stands any more: a Sapper may have taken it.
_MINE_GONE = 0.15
# How likely is a Headquarters whose guard went, for each of them.
_GUARD_GONE = 0.5
# How likely is an army in spite of a piece that is known to be something else.
_OTHERWISE = 0.1

_MINE, _HEADQUARTERS = LETTERS[Rank.MINE], LETTERS[Rank.HEADQUARTERS]


class _Army(Struct, frozen=True):
    """Each square of the three rows is a bit; `guards` are those beside the Headquarters."""

    home: int
    mines: int
    guards: int
    cells: Sequence[int]


@cache
def _armies(size: int) -> Sequence[_Army]:
    chance = Stream(b"armies to compare with", str(size))
    return [_army("".join(sensible_army(size, chance)), size) for _ in range(_ARMIES)]


def _army(letters: str, size: int) -> _Army:
    cells = [cell for cell, letter in enumerate(letters) if letter == _MINE]
    home = letters.index(_HEADQUARTERS)
    return _Army(home, sum(1 << cell for cell in cells), _guards(home, size), cells)


def _guards(home: int, size: int) -> int:
    file = home % size
    sides = [home - size, home + size, home - 1 if file else -1]
    sides.append(home + 1 if file < size - 1 else -1)
    return sum(1 << cell for cell in sides if 0 <= cell < 3 * size)


@cache
def _cells(size: int, side: str) -> Mapping[Square, int]:
    """Number the squares of a side's rows as its player writes them (rule 7.3)."""
    files = range(size) if side == WHITE else range(size - 1, -1, -1)
    rows = BOARDS[size].home_rows(side)
    squares = [at(file, row) for row in rows for file in files]
    return {square: cell for cell, square in enumerate(squares)}


class _Told(Struct, frozen=True):
    """What a view tells of the enemy's rows: from where a piece went, and who stands there yet."""

    size: int
    gone: int
    mines: int
    others: int
    home: int | None


def home_likelihoods(view: View) -> tuple[Mapping[Square, float], Mapping[Square, float]]:
    """Return how likely each square of the enemy's rows was given a Mine, and how likely the
    Headquarters, where nothing is known of it but who went from where."""
    cells = _cells(view.board.size, ENEMY[view.seat])
    mines, homes = _likely(_told(view, cells))
    return (
        {square: mines[cell] for square, cell in cells.items()},
        {square: homes[cell] for square, cell in cells.items()},
    )


def _told(view: View, cells: Mapping[Square, int]) -> _Told:
    gone, mines, others = (1 << len(cells)) - 1, 0, 0
    home = None
    for piece in view.pieces:
        if piece.side != view.seat and not piece.moved:
            cell = cells[piece.square]
            gone &= ~(1 << cell)
            if piece.rank is Rank.HEADQUARTERS:
                home = cell
            elif piece.rank is Rank.MINE:
                mines |= 1 << cell
            elif piece.rank:
                others |= 1 << cell
    return _Told(view.board.size, gone, mines, others, home)


@lru_cache(maxsize=64)  # most turns tell nothing new
def _likely(told: _Told) -> tuple[Sequence[float], Sequence[float]]:
    """Return the chances of a Mine and of the Headquarters by cell."""
    mines, homes = [0.0] * (3 * told.size), [0.0] * (3 * told.size)
    whole = 0.0
    for army, likely in _weighed(told):
        whole += likely
        homes[army.home] += likely
        for cell in army.cells:
            mines[cell] += likely
    whole = whole or 1.0
    return [mine / whole for mine in mines], [home / whole for home in homes]


def _weighed(told: _Told) -> Iterator[tuple[_Army, float]]:
    """Yield each army that may be the enemy's, with a weight."""
    gone, mines, others = told.gone, told.mines, told.others
    taken = gone | mines | others
    for army in _armies(told.size):
        if taken >> army.home & 1 or told.home not in (None, army.home):
            continue
        likely = _MINE_GONE ** (army.mines & gone).bit_count()
        likely *= _OTHERWISE ** (army.mines & others | mines & ~army.mines).bit_count()
        yield army, likely * _GUARD_GONE ** (army.guards & gone).bit_count()
