"""Place a built-in player's army: of several drawn, one that guards its Headquarters best."""

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.rules.armies import sensible_army

_DRAWN = 6
# How well a piece closes a square beside the Headquarters, until it goes or is beaten.
_CLOSES = {"M": 10, "5": 7, "4": 6, "3": 4, "S": 2, "2": 2, "1": 1, "P": 0}


def guarded_army(size: int, chance: Stream) -> tuple[str, ...]:
    """Return the rows of an army as its player writes them (rule 7.3).

    Where the Headquarters stands and whether Mines close it stay as they were drawn first: these
    must not be foreseen.
    """
    drawn = [sensible_army(size, chance) for _ in range(_DRAWN)]
    like = [rows for rows in drawn if _kind(rows) == _kind(drawn[0])]
    return max(like, key=lambda rows: -_open(rows))


def _kind(rows: tuple[str, ...]) -> tuple[int, bool]:
    row, _ = _home(rows)
    return row, set(_sides(rows)) == {"M"}


def _open(rows: tuple[str, ...]) -> int:
    """Return how open the Headquarters stands."""
    return sum(10 - _CLOSES[letter] for letter in _sides(rows))


def _home(rows: tuple[str, ...]) -> tuple[int, int]:
    return next((n, row.index("H")) for n, row in enumerate(rows) if "H" in row)


def _sides(rows: tuple[str, ...]) -> list[str]:
    row, file = _home(rows)
    near = ((row - 1, file), (row + 1, file), (row, file - 1), (row, file + 1))
    return [rows[r][f] for r, f in near if r in range(3) and f in range(len(rows[0]))]
