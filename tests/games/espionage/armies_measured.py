"""Say of many drawn armies where their Headquarters stand, how they are guarded and differ."""

from collections import Counter
from collections.abc import Iterator

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.rules.armies import sensible_army

ARMIES_DRAWN = 400


class Placed:
    """An army by row (0 is the front) and file, with what can be said of it."""

    def __init__(self, rows: tuple[str, ...]) -> None:
        self.at = {(r, f): letter for r, row in enumerate(rows) for f, letter in enumerate(row)}
        self.front = "".join(sorted(rows[0]))
        self.home = next(cell for cell, letter in self.at.items() if letter == "H")
        self.mines = [cell for cell, letter in self.at.items() if letter == "M"]

    @property
    def is_in_back_row(self) -> bool:
        return self.home[0] == 2

    @property
    def is_walled(self) -> bool:
        """Return whether Mines stand on all squares from which it can be entered."""
        row, file = self.home
        near = ((row - 1, file), (row + 1, file), (row, file - 1), (row, file + 1))
        return all(self.at[cell] == "M" for cell in near if cell in self.at)

    @property
    def decoys(self) -> int:
        """Count the Mines of which no neighbour touches the Headquarters."""
        row, file = self.home
        return sum(max(abs(r - row), abs(f - file)) > 2 for r, f in self.mines)


def armies(size: int, number: int = ARMIES_DRAWN) -> list[Placed]:
    return [Placed(sensible_army(size, Stream(b"armies", f"{size} {n}"))) for n in range(number)]


def measured(size: int, number: int = ARMIES_DRAWN) -> Iterator[tuple[str, str, str]]:
    """Yield what is measured, what came out, and what was wished."""
    drawn = armies(size, number)

    def share(found: int) -> str:
        return f"{100 * found / number:.0f} %"

    fronts = Counter(army.front for army in drawn)
    yield "Headquarters in the back row", share(sum(a.is_in_back_row for a in drawn)), "<= 85 %"
    yield "Headquarters walled by Mines", share(sum(a.is_walled for a in drawn)), "<= 50 %"
    yield "with a decoy Mine", share(sum(a.decoys > 0 for a in drawn)), ">= 30 %"
    yield "with two decoy Mines or more", share(sum(a.decoys > 1 for a in drawn)), ""
    yield "different fronts", str(len(fronts)), ">= 40"
    yield "the most frequent front", share(max(fronts.values())), ""
