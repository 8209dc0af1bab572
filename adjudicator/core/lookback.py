"""A match looked back upon in a page: the rows that `templates/shared/history.html.j2` prints, as
many of the last ones as there is room for."""

from collections.abc import Iterator, Sequence
from html import escape

from msgspec import Struct

_MARKUP = len('<li id="moment-999" class="white" data-changes=""><b></b></li>\n')
_STEP = len(' <code class="lost"></code> ')
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


def first_shown(rows: Sequence[Shown], most: int, whole: int) -> int:
    """From where on there is room for the rest in `most` bytes, with all turning points; the last
    row is always shown. The first row tells a whole position, which takes `whole` of them."""
    links = (_LINK + _bytes(label + point) for _, label, point in points(rows, 0))
    room = most - whole - sum(links)
    for number in range(len(rows) - 1, 0, -1):
        room -= _size(rows[number])
        if room < 0:
            return min(number + 1, len(rows) - 1)
    return 0


def _size(row: Shown) -> int:
    told = "".join(step + said for step, _, said in row.steps)
    return _MARKUP + _STEP * len(row.steps) + len(row.changes) + _bytes(row.label + told)


def _bytes(text: str) -> int:
    return len(escape(text).encode())
