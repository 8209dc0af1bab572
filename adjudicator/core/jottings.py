"""Read what a seat writes down for itself alone: marks on pieces, and notes (Espionage rule 9.1).

A mark is `MARK e7 5?`, and `MARK e7` takes it away. `NOTE text` adds a line to the seat's notebook,
`NOTES CLEAR` empties it. What they say is kept as it was written: `#` and `//` begin no remark
here. No match is known here, so nothing is judged.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, folded, without_decoration

MOST_MARK = 12  # characters of a mark
MOST_NOTES = 2000  # characters of a notebook
MOST_JOTTINGS = 200  # marks and notes that are read in one sheet

Kind = Literal["mark", "note", "clear"]


class Jotting(Struct, frozen=True):
    """A line with which a seat writes something down for itself.

    `place` is the word for the place of a mark, as it was written. Without a `text` a mark is taken
    away, and a note says nothing.
    """

    kind: Kind
    place: str
    text: str
    line: Line


# Folded words in English, Norwegian and Swedish.
_WORDS: Mapping[str, Kind] = {
    **dict.fromkeys(("mark", "merk"), "mark"),
    **dict.fromkeys(("note", "notat", "anteckna"), "note"),
}
_CLEAR = frozenset(
    {"notes clear", "notater slett", "anteckningar rensa"}
    | {"clear notes", "slett notater", "rensa anteckningar"}
)
_CLEAR_BEGINS = frozenset(phrase.split()[0] for phrase in _CLEAR)
# What may stand before the word: blanks, bold, a bullet, a list number.
_BEFORE = "".join(
    sign for sign in map(chr, range(128)) if sign.isspace() or sign in "*-.)0123456789"
)
_BEGINNINGS = frozenset(word[:2] for word in (*_WORDS, *_CLEAR_BEGINS))
_LINE = re.compile(r"(?P<word>[^\W\d_]{4,12})(?P<colon> ?:)?(?: +(?P<rest>.*))?")
# The words as a reader writes them, in his own language.
WORDS: Mapping[str, Message] = {
    "MARK": say("MARK"),
    "NOTE": say("NOTE"),
    "NOTES CLEAR": say("NOTES CLEAR"),
}


def split_jottings(
    lines: Sequence[Line], *, outside: bool = False
) -> tuple[tuple[Jotting, ...], tuple[Line, ...]]:
    """Split lines into jottings and the others. `outside` of a sheet they count in capitals only,
    and without a colon: there a line may be prose."""
    found: list[Jotting] = []
    others: list[Line] = []
    for line in lines:
        jotting = jotting_of(line, outside=outside)
        if jotting is None:
            others.append(line)
        else:
            found.append(jotting)
    return tuple(found), tuple(others)


def jotting_of(line: Line, *, outside: bool = False) -> Jotting | None:
    """Read a line as a jotting; None if it is none."""
    text = line.text
    # An email may have tens of thousands of lines that are empty, or begin otherwise.
    if not text or (text.isascii() and text.lstrip(_BEFORE)[:2].lower() not in _BEGINNINGS):
        return None
    said = without_decoration(text)
    read = _LINE.fullmatch(said)
    if read is None:
        return None
    word, rest = read["word"], (read["rest"] or "").strip()
    if outside and (read["colon"] or not word.isupper()):
        return None
    first = folded(word)
    if first in _CLEAR_BEGINS:
        words = " ".join(folded(said).rstrip(".!").split())
        is_clear = words in _CLEAR and (said.isupper() or not outside)
        return Jotting("clear", "", "", line) if is_clear else None
    kind = _WORDS.get(first)
    if kind == "mark":
        place, _, text = rest.partition(" ")
        return Jotting(kind, place.rstrip(":,"), text.strip(), line)
    return None if kind is None else Jotting(kind, "", rest, line)
