"""Draw a sensible army (rule 1.6), for `SETUP AUTO` and for built-in players.

The Headquarters has guards and no fixed place, some Mines draw the enemy elsewhere, and the front
row can fight. Each part is drawn, so that no square tells for certain what is there; the rest of
the army fills what is left. `adjud audit` draws the armies of `SETUP AUTO` again, so what is drawn
from a stream stays the same for ever.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from typing import TypeAlias

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.rules.pieces import ARMIES, LETTERS, Rank

_Cell: TypeAlias = tuple[int, int]  # a row as the player sees it, and a number from his left

_FRONT, _MIDDLE, _BACK = range(3)
_MINE, _SPY, _SAPPER = (LETTERS[rank] for rank in (Rank.MINE, Rank.SPY, Rank.SAPPER))
_STRONG, _WEAK, _GUARDING = "45", "123", "345"

# Each is drawn from such a row; what stands there twice is drawn twice as often.
_HEADQUARTERS_ROW = (_BACK, _BACK, _BACK, _BACK, _MIDDLE)
_GUARDS = ("mines",) * 4 + ("some mines",) * 3 + ("soldiers",)
_DECOYS = ("cluster", "cluster", "cluster", "scattered")
_FRONT_MINES = (0, 0, 0, 1)
_FRONT_SPIES = (1, 2, 2, 2, 3)
_FRONT_SAPPERS = (0, 0, 1)
_FRONT_STRONG = (1, 1, 2, 2, 3)


def sensible_army(size: int, chance: Stream) -> tuple[str, ...]:
    """Return the rows of an army as its player writes them (rule 7.3)."""
    army = Counter({LETTERS[rank]: n for rank, n in ARMIES[size].items()})
    placed: dict[_Cell, str] = {}
    home = _home(size, chance)
    _put(placed, army, home, LETTERS[Rank.HEADQUARTERS])
    _guard(placed, army, home, size, chance)
    _deceive(placed, army, home, size, chance)
    _draw_front(placed, army, size, chance)
    _stand_beside(placed, army, home, size, chance)
    free = [cell for cell in product(range(3), range(size)) if cell not in placed]
    placed.update(zip(free, chance.shuffled(army.elements()), strict=True))
    return tuple("".join(placed[row, file] for file in range(size)) for row in range(3))


def _put(placed: dict[_Cell, str], army: Counter[str], cell: _Cell, letter: str) -> None:
    placed[cell] = letter
    army[letter] -= 1


def _home(size: int, chance: Stream) -> _Cell:
    """Draw a place for the Headquarters. In the back row a corner is drawn twice as often, for two
    Mines close it; in the middle row it is not at the edge."""
    row = chance.choice(_HEADQUARTERS_ROW)
    if row == _MIDDLE:
        return row, 1 + chance.below(size - 2)
    return row, chance.choice((0, *range(size), size - 1))


def _beside(cell: _Cell, size: int) -> Iterator[_Cell]:
    row, file = cell
    for near in ((row - 1, file), (row + 1, file), (row, file - 1), (row, file + 1)):
        if near[0] in range(3) and near[1] in range(size):
            yield near


def _guard(
    placed: dict[_Cell, str], army: Counter[str], home: _Cell, size: int, chance: Stream
) -> None:
    """Put Mines on all, some or none of the squares from which the Headquarters can be entered;
    all of them would take the whole army's Mines where there are four."""
    sides = chance.shuffled(cell for cell in _beside(home, size) if cell[0] != _FRONT)
    mined = {"mines": len(sides), "some mines": 1 + chance.below(2), "soldiers": 0}
    for cell in sides[: mined[chance.choice(_GUARDS)]]:
        _put(placed, army, cell, _MINE)


def _deceive(
    placed: dict[_Cell, str], army: Counter[str], home: _Cell, size: int, chance: Stream
) -> None:
    """Place the Mines that are left: around a Corporal far from the Headquarters, as if he were it,
    or here and there."""
    if chance.choice(_FRONT_MINES) and army[_MINE] > 1:
        _put(placed, army, (_FRONT, chance.below(size)), _MINE)
    if chance.choice(_DECOYS) == "cluster" and army[_MINE] > 1:
        far = [file for file in range(size) if abs(file - home[1]) > 2]
        decoy = _BACK, chance.choice(far)
        _put(placed, army, decoy, LETTERS[Rank.CORPORAL])
        _mine(placed, army, chance.shuffled(_beside(decoy, size)))
    behind = product((_MIDDLE, _BACK), range(size))
    _mine(placed, army, chance.shuffled(cell for cell in behind if cell not in _beside(home, size)))


def _mine(placed: dict[_Cell, str], army: Counter[str], cells: Iterable[_Cell]) -> None:
    free = [cell for cell in cells if cell not in placed]
    for cell in free[: army[_MINE]]:
        _put(placed, army, cell, _MINE)


def _draw_front(placed: dict[_Cell, str], army: Counter[str], size: int, chance: Stream) -> None:
    free = [(_FRONT, file) for file in range(size) if (_FRONT, file) not in placed]
    spies = min(chance.choice(_FRONT_SPIES), size // 3)
    letters = _SPY * spies + _SAPPER * chance.choice(_FRONT_SAPPERS)
    letters += _some(army, _STRONG, chance.choice(_FRONT_STRONG), chance)
    letters += _some(army, _WEAK, len(free) - len(letters), chance)
    for cell, letter in zip(free, chance.shuffled(letters), strict=True):
        _put(placed, army, cell, letter)


def _some(army: Counter[str], among: str, most: int, chance: Stream) -> str:
    """Draw so many of these letters from the army, as long as it has any."""
    there = [letter for letter in among for _ in range(army[letter])]
    return "".join(chance.shuffled(there)[:most])


def _stand_beside(
    placed: dict[_Cell, str], army: Counter[str], home: _Cell, size: int, chance: Stream
) -> None:
    """Put soldiers who can win fights on the sides of the Headquarters that have no Mine, as long
    as the front row has left any."""
    for cell in _beside(home, size):
        if cell not in placed:
            for letter in _some(army, _GUARDING, 1, chance):
                _put(placed, army, cell, letter)
