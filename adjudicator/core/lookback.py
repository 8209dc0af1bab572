"""The rows by which a page looks back on a match, as `templates/shared/history.html.j2` prints
them.

If there is no room for all rows, the oldest are left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from msgspec import Struct

_ITEM = len('<li id="" data-changes=""><b></b></li>\n')
_STEP = len(" <code></code> ")
_LINK = len('<li><a href="#turn-999-9"></a>: </li>\n')

Step = tuple[str, str, str]  # what is printed first, how it ended ("moved": no more), and words
Point = tuple[str, str, str]


class Shown(Struct, frozen=True):
    """One moment as a row: links name it by `place`; `changes` are those since the row before.

    A place is the same in every page that shows the moment.
    """

    place: str
    label: str
    changes: str
    steps: Sequence[Step]
    points: Sequence[str]


class History(Struct, frozen=True, kw_only=True):
    """The rows of a page that looks back; a game's own adds what its templates print besides.

    `record` is None where there is none, or where it is too long to stand in the page twice, and a
    script makes the link.
    """

    moments: Sequence[Shown]
    complete: bool
    file: str
    points: Sequence[Point] = ()
    record: str | None = None


def places(names: Iterable[str]) -> Iterator[str]:
    """Yield names by which links find moments: `turn-9`, and `turn-9-2` for another one of it."""
    met: Counter[str] = Counter()
    for name in names:
        met[name] += 1
        yield name if met[name] == 1 else f"{name}-{met[name]}"


def points(rows: Sequence[Shown], first: int) -> Iterator[Point]:
    """Yield each turning point: the place of its row (empty if there was no room for it), the
    moment, and what happened."""
    for number, row in enumerate(rows):
        for point in row.points:
            yield row.place if number >= first else "", row.label, point


def first_shown(rows: Sequence[Shown], most: int | None, whole: int) -> int:
    """Return the number of the first row from which the rest fits into `most` bytes.

    All turning points are counted in. The last row is always shown, and every row if `most` is
    None. The first row shown holds a whole position, which takes `whole` of the bytes.
    """
    if most is None:
        return 0
    links = (_LINK + _bytes(label + point) for _, label, point in points(rows, 0))
    room = most - whole - sum(links)
    for number in range(len(rows) - 1, 0, -1):
        room -= _size(rows[number])
        if room < 0:
            return min(number + 1, len(rows) - 1)
    return 0


def _size(row: Shown) -> int:
    steps = sum(_step_size(*step) for step in row.steps)
    return _ITEM + len(row.place) + len(row.changes) + _bytes(row.label) + steps


def _step_size(printed: str, outcome: str, told: str) -> int:
    ended = len(f' class="{outcome}"') if outcome != "moved" else 0
    return _STEP + ended + _bytes(printed + told)


def _bytes(text: str) -> int:
    return len(escape(text).encode())
