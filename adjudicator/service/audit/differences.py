"""Compare two prints of a report, and say where they differ first."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, TypeAlias

from msgspec import UNSET, Struct
from msgspec.json import encode

from adjudicator.service.audit.prints import Piece, Section


class Difference(Struct, frozen=True):
    """What a report shows, in which of its sections, and what it must be by the log."""

    section: str
    shown: str
    known: str


# Each comparison returns how alike two prints are and the first difference, or None if there is
# none.

Compared: TypeAlias = tuple[float, Difference] | None

_AROUND, _MOST = 3, 12  # words of a difference that are shown, and around it


def json_difference(shown: Mapping[str, Any], known: Mapping[str, Any]) -> Compared:
    keys = [*known, *(key for key in shown if key not in known)]
    wrong = [key for key in keys if shown.get(key, UNSET) != known.get(key, UNSET)]
    if not wrong:
        return None
    key = wrong[0]
    section, one, other = _within(key, shown.get(key), known.get(key))
    return 1 - len(wrong) / len(keys), Difference(section, _short(one), _short(other))


def _within(where: str, shown: Any, known: Any) -> tuple[str, Any, Any]:
    """Return the innermost place at which two values differ, and what is there."""
    if isinstance(shown, dict) and isinstance(known, dict):
        for key in (*known, *shown):
            if shown.get(key, UNSET) != known.get(key, UNSET):
                return _within(f"{where}.{key}", shown.get(key), known.get(key))
    if isinstance(shown, list) and isinstance(known, list) and len(shown) == len(known):
        for number, (one, other) in enumerate(zip(shown, known, strict=True)):
            if one != other:
                return _within(f"{where}[{number}]", one, other)
    return where, shown, known


def _short(value: Any) -> str:
    text = encode(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_LONGEST = 200  # characters of a value that are shown


def text_difference(shown: Sequence[Section], known: Sequence[Section]) -> Compared:
    pairs = list(zip_longest(shown, known, fillvalue=Section("", ())))
    wrong = [(one, other) for one, other in pairs if not _alike(one, other)]
    if not wrong:
        return None
    one, other = wrong[0]
    section = (other.title or one.title) or next(iter(other.lines), "")
    if one.title != other.title:
        found = Difference(section, one.title, other.title)
    else:
        found = Difference(section, *_first_difference(_words(one), _words(other)))
    return 1 - len(wrong) / len(pairs), found


def _alike(one: Section, other: Section) -> bool:
    """Return whether two sections say the same, however their lines are broken; lines in columns
    must stand as they do."""
    if one == other:
        return True
    columns, others = (
        "\n".join(line for line in each.lines if _IN_COLUMNS.search(line)) for each in (one, other)
    )
    return (
        reads_as(one.title, other.title)
        and reads_as(" ".join(_words(one)), " ".join(_words(other)))
        and reads_as(columns, others)
    )


def reads_as(shown: str, known: str) -> bool:
    """Return whether a text is another one, where programs on its way may have put `?` for a sign
    that their encoding lacked."""
    if shown == known:
        return True
    return len(shown) == len(known) and all(
        one == other or (one == "?" and ord(other) > _LATIN)
        for one, other in zip(shown, known, strict=True)
    )


_LATIN = 0xFF  # the last sign that the poorest of the usual encodings has


_IN_COLUMNS = re.compile(r"\S  +\S")


def _words(section: Section) -> Sequence[str]:
    return " ".join(section.lines).split()


def _first_difference(shown: Sequence[str], known: Sequence[str]) -> tuple[str, str]:
    """Return the first words that differ, with those around them."""
    changes = SequenceMatcher(None, shown, known, autojunk=False).get_opcodes()
    differing = (change for change in changes if change[0] != "equal")
    _, a, b, c, d = next(differing, ("", 0, len(shown), 0, len(known)))
    return _around(shown, a, b), _around(known, c, d)


def _around(said: Sequence[str], first: int, last: int) -> str:
    return " ".join(said[max(0, first - _AROUND) : min(last, first + _MOST) + _AROUND])


def values_difference(shown: Mapping[str, Any], known: Mapping[str, Any]) -> Compared:
    wrong = [key for key in {**known, **shown} if shown.get(key) != known.get(key)]
    if not wrong:
        return None
    key = wrong[0]
    return 0.9, Difference(*map(_as_text, _within(key, shown.get(key), known.get(key))))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else _short(value)


def html_difference(shown: Sequence[Piece], known: Sequence[Piece]) -> Compared:
    one, other = ([piece.said for piece in pieces] for pieces in (shown, known))
    alike = [reads_as(said, right) for said, right in zip(one, other, strict=False)]
    if all(alike) and len(one) == len(other):
        return None
    first = alike.index(False) if False in alike else len(alike)
    piece = (known[first:] or shown[first:])[0]
    found = Difference(
        piece.title, " ".join(one[first : first + 3]), " ".join(other[first : first + 3])
    )
    return first / max(len(one), len(other)) / 2, found
