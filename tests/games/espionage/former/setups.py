"""Place the computer's army: the Headquarters behind Mines, a mixed front row."""

from collections.abc import Mapping

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.orders.values import Rows
from adjudicator.games.espionage.rules.pieces import ARMIES, LETTERS, Rank
from adjudicator.games.espionage.sight.observe import View

# Letters of the front row by board size: someone of every kind, so that no piece tells its rank
# by where it starts; the rest of the army stands behind.
_FRONT: Mapping[int, str] = {10: "1122345SSP", 8: "1123455S"}

_FRONT_ROW, _MIDDLE_ROW, _BACK_ROW = range(3)


def place(view: View, chance: Stream) -> Rows:
    """Return a set-up as the player writes it (rule 7.3)."""
    size = view.board.size
    rows = [[""] * size for _ in range(3)]
    army = _emails(size)
    _guard(rows, army, chance)
    _scatter_mines(rows, army, chance)
    for letter in _FRONT[size]:
        army.remove(letter)
    rest = iter([*chance.shuffled(_FRONT[size]), *chance.shuffled(army)])
    return Rows(tuple("".join(letter or next(rest) for letter in row) for row in rows))


def _emails(size: int) -> list[str]:
    return [LETTERS[rank] for rank, n in ARMIES[size].items() for _ in range(n)]


def _guard(rows: list[list[str]], army: list[str], chance: Stream) -> None:
    """Put the Headquarters on the back row, with a Mine on each side from which it can be
    entered."""
    size = len(rows[_BACK_ROW])
    file = chance.below(size)
    rows[_BACK_ROW][file] = _take(army, Rank.HEADQUARTERS)
    rows[_MIDDLE_ROW][file] = _take(army, Rank.MINE)
    for beside in (file - 1, file + 1):
        if 0 <= beside < size:
            rows[_BACK_ROW][beside] = _take(army, Rank.MINE)


def _scatter_mines(rows: list[list[str]], army: list[str], chance: Stream) -> None:
    """Mines left over draw the enemy elsewhere; none stands in the front row's way."""
    free = chance.shuffled(
        (row, file)
        for row in (_MIDDLE_ROW, _BACK_ROW)
        for file, letter in enumerate(rows[row])
        if not letter
    )
    for row, file in free[: army.count(LETTERS[Rank.MINE])]:
        rows[row][file] = _take(army, Rank.MINE)


def _take(army: list[str], rank: Rank) -> str:
    letter = LETTERS[rank]
    army.remove(letter)
    return letter
