"""A match looked back upon in a page: the rows that `templates/shared/history.html.j2` prints, as
many of the last ones as there is room for."""

from collections.abc import Iterator, Sequence
from html import escape

from msgspec import Struct

_ITEM = len('<li data-changes=""><b></b></li>\n')
_STEP = len(" <code></code> ")
_LINK = len('<li><a href="#moment-999"></a>: </li>\n')

Step = tuple[str, str, str]  # what is printed first, how it ended ("moved": no more), and words
Point = tuple[str, str, str]


class Shown(Struct, frozen=True):
    """A moment as a row: `place` is named in links, `changes` are those since the row before."""

    place: str
    label: str
    changes: str
    side: str
    steps: Sequence[Step]
    points: Sequence[str]


def points(rows: Sequence[Shown], first: int) -> Iterator[Point]:
    """Of each point where it is shown, nowhere if there was no room; when it was; what it was."""
    for number, row in enumerate(rows):
        for point in row.points:
            yield row.place if number >= first else "", row.label, point


def first_shown(rows: Sequence[Shown], most: int | None, whole: int) -> int:
    """From where on there is room for the rest in `most` bytes, with all turning points; the last
    row is always shown, and all of them where there is no limit. The first row tells a whole
    position, which takes `whole` of the bytes."""
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
    place = len(f' id="{row.place}"') if row.points else 0
    side = len(f' class="{row.side}"') if row.side else 0
    steps = sum(_step_size(*step) for step in row.steps)
    return _ITEM + place + side + len(row.changes) + _bytes(row.label) + steps


def _step_size(printed: str, outcome: str, told: str) -> int:
    ended = len(f' class="{outcome}"') if outcome != "moved" else 0
    return _STEP + ended + _bytes(printed + told)


def _bytes(text: str) -> int:
    return len(escape(text).encode())
