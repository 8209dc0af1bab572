"""The rows by which a page looks back on a match, as `templates/shared/history.html.j2` prints
them.

If there is no room for all rows, the oldest are left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct, structs

P = TypeVar("P")

# As they are in an email: quoted-printable, so that "=" takes three bytes.
_ITEM = len('<li id=3D""><b></b></li>\r\n')
_CHANGES = len(' data-changes=3D""')
_STEP = len(" <b></b> ")
_LINK = len('<li><a href=3D"#turn-999-9"></a>: </li>\r\n')
_LINE, _SOFT_END = 75, 3  # signs of a line, and the bytes by which it is broken
_LONGER = {"=": 2, "&": 4, "<": 3, ">": 3, "'": 4, '"': 4}  # the bytes that they take more than one

Step = tuple[str, str, str]  # what is printed first, how it ended ("moved": no more), and words
Point = tuple[str, str, str]


class PastMoment(Struct, Generic[P], frozen=True):
    """How things stood when `steps` had been made, and the ways by which pieces went in them.

    `place` is the name by which links find it, the same in every page that shows it; of several
    moments of one name the later ones get numbers. `points` are the sentences for which a reader
    may want to come here. As a row of a page it has the `changes` since the row before.
    """

    place: str
    label: str
    position: P
    ways: Sequence[str] = ()
    steps: Sequence[Step] = ()
    points: Sequence[str] = ()
    changes: str = ""


class History(Struct, frozen=True, kw_only=True):
    """The rows of a page that looks back; a game's own adds what its templates print besides.

    `cut` says that there was no room for more of what was read, `complete` that nothing is missing.
    `record` is None where there is none, or where it is too long to stand in the page twice, and a
    script makes the link.
    """

    moments: Sequence[PastMoment[Any]]
    complete: bool
    cut: bool
    file: str
    points: Sequence[Point] = ()
    record: str | None = None


H = TypeVar("H", bound=History)


def look_back(
    made: Callable[..., H],
    moments: Sequence[PastMoment[P]],
    changes: Callable[[P, PastMoment[P]], str],
    room: int | None,
    *,
    nothing: P,
    whole: bool,
    **own: Any,
) -> H | None:
    """Make the rows of the newest moments that have room; None if there are none.

    `changes` writes how a moment differs from a position, which is `nothing` before the first one.
    `whole` says that nothing came before the first. `own` are further fields of what is `made`.
    """
    if not moments:
        return None
    before = (nothing, *(moment.position for moment in moments))
    named = places(moment.place for moment in moments)
    rows = [
        structs.replace(moment, place=place, changes=changes(was, moment))
        for place, was, moment in zip(named, before, moments, strict=False)
    ]
    shown = newest(rows, room, lambda n: changes(nothing, moments[n]))
    first = len(rows) - len(shown)
    return made(
        moments=shown,
        complete=whole and not first,
        cut=first > 0,
        points=list(points(rows, first)),
        **own,
    )


def places(names: Iterable[str]) -> Iterator[str]:
    """Yield names by which links find moments: `turn-9`, and `turn-9-2` for another one of it."""
    met: Counter[str] = Counter()
    for name in names:
        met[name] += 1
        yield name if met[name] == 1 else f"{name}-{met[name]}"


def points(rows: Sequence[PastMoment[Any]], first: int) -> Iterator[Point]:
    """Yield each turning point: the place of its row (empty if there was no room for it), the
    moment, and what happened."""
    for number, row in enumerate(rows):
        for point in row.points:
            yield row.place if number >= first else "", row.label, point


def newest(
    rows: Sequence[PastMoment[Any]], room: int | None, whole: Callable[[int], str]
) -> Sequence[PastMoment[Any]]:
    """Return the newest rows that fit into so many bytes of an email.

    All turning points are counted in. The last row is always shown, and every row if `room` is
    None. The first row shown holds a whole position in place of its changes; `whole` writes that of
    the row with a number. What is shown weighs no more than the room, so in less room than it
    weighs there are fewer rows.
    """
    first = 0 if room is None else _first(rows, room, whole)
    if not first:
        return rows
    return [structs.replace(rows[first], changes=whole(first)), *rows[first + 1 :]]


def _first(rows: Sequence[PastMoment[Any]], room: int, whole: Callable[[int], str]) -> int:
    left = room - sum(_LINK + _weight(label + point) for _, label, point in points(rows, 0))
    first = len(rows)
    while first and (row := _row_weight(rows[first - 1])) <= left:
        first, left = first - 1, left - row
    while 0 < first < len(rows) and _more(rows[first], whole(first)) > left:
        first, left = first + 1, left + _row_weight(rows[first])
    return min(first, len(rows) - 1)


def _more(row: PastMoment[Any], whole: str) -> int:
    """Return how much heavier a row is with a whole position."""
    return _row_weight(structs.replace(row, changes=whole)) - _row_weight(row)


def weight(rows: Sequence[PastMoment[Any]]) -> int:
    """Return about how many bytes rows have in an email."""
    return sum(map(_row_weight, rows))


def _row_weight(row: PastMoment[Any]) -> int:
    changes = _CHANGES + _weight(row.changes) if row.changes else 0
    steps = sum(_step_weight(*step) for step in row.steps)
    signs = _ITEM + len(row.place) + changes + _weight(row.label) + steps
    return signs + signs // _LINE * _SOFT_END


def _step_weight(printed: str, outcome: str, told: str) -> int:
    ended = len(f' class=3D"{outcome}"') if outcome != "moved" else 0
    return _STEP + ended + _weight(printed + told)


def _weight(text: str) -> int:
    """Return how many bytes a text has in a page, escaped and quoted-printable."""
    raw = text.encode()
    others = len(raw) - len(raw.decode("ascii", "ignore"))
    return len(raw) + 2 * others + sum(n * text.count(sign) for sign, n in _LONGER.items())
