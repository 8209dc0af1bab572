"""Read a set-up: rows, pieces with their squares, AUTO or RANDOM (rules 1.4, 1.6, 7.3)."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    MOST_ORDERS,
    Line,
    Problem,
    Sheet,
    WrittenOrder,
    folded,
    nearest,
    problem,
    shown,
)
from adjudicator.games.espionage.orders.refusals import strange_signs, unfilled_squares
from adjudicator.games.espionage.orders.values import (
    AutoSetUp,
    Order,
    Places,
    RandomSetUp,
    Rows,
)
from adjudicator.games.espionage.orders.words import BY_NAME, bared, core, find_rank, square
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import ARMIES, BY_LETTER, LETTERS, Rank

_DRAWN: Sequence[tuple[re.Pattern[str], Order]] = (
    (re.compile(r"auto(?:mati(?:c(?:ally)?|sk|skt))?"), AutoSetUp()),
    (re.compile(r"random|tilfeldig|slump(?:ad|vis)?"), RandomSetUp()),
)
_DRAWN_WORDS: Mapping[str, Order] = {
    "AUTO": AutoSetUp(),
    **dict.fromkeys(("RANDOM", "TILFELDIG", "SLUMP"), RandomSetUp()),
}
_RANK, _SQUARE = r"(?P<rank>[a-z]+|\d+)", r"(?P<square>[a-z]\d{1,3})"
_BETWEEN = r"(?:\s*[:=>-]+\s*|\s+(?:(?:at|on|pa)\s+)?)"
_PLACES = re.compile(_RANK + _BETWEEN + _SQUARE), re.compile(_SQUARE + _BETWEEN + _RANK)
LONGEST_LIST = 1000  # characters; an army by square fits into it


def set_up(head: Line, body: Sequence[tuple[Line, str]]) -> Sheet[Order]:
    # Whoever asks for a drawn army need not take the template's rows of dots away.
    said = bared(" ".join(text for _, text in body if text.strip(". ")))
    if drawn := _drawn(said):
        return Sheet((WrittenOrder(drawn, head),), ())
    if meant := _nearly_drawn(said):
        unclear = say(
            "I do not understand '{seen}'; did you mean 'SETUP {meant}'?",
            seen=shown(said),
            meant=meant,
        )
        return Sheet((WrittenOrder(_DRAWN_WORDS[meant], head),), (problem(body[0][0], unclear),))
    each = ((line, part) for line, text in body for part in _parts(text))
    parts = list(islice(each, MOST_ORDERS + 1))  # more than any army
    if 2 * sum(_is_place(part) for _, part in parts) > len(parts):
        return _by_square(head, parts)
    return _by_rows(head, body)


def _drawn(said: str) -> Order | None:
    return next((order for known, order in _DRAWN if known.fullmatch(folded(said))), None)


def _nearly_drawn(said: str) -> str | None:
    first = said.partition(" ")[0]
    if _drawn(bared(first)):
        return nearest(first, _DRAWN_WORDS)
    return nearest(said, _DRAWN_WORDS) if len(said) < 12 else None


def _parts(text: str) -> list[str]:
    """Return the places on a line, as they would stand on lines of their own."""
    if len(text) > LONGEST_LIST:
        return [text]
    return [part for part in map(str.strip, re.split("[,;]", text)) if bared(part)]


def _is_place(text: str) -> bool:
    """Return whether a text was meant to be a piece, or several, and its square. Two letters may be
    a row's: `SP`."""
    words = map(folded, re.findall(r"(?<!\w)[^\W\d_]{3,}(?!\w)", text[:LONGEST_LIST]))
    return _place(text) is not None or any(
        name.startswith(word) or word.startswith(name) for word in words for name in BY_NAME
    )


def _place(text: str) -> re.Match[str] | None:
    plain = folded(bared(text))
    return next((found for order in _PLACES if (found := order.fullmatch(plain))), None)


def _by_square(head: Line, parts: Sequence[tuple[Line, str]]) -> Sheet[Order]:
    places: list[tuple[Rank, Square]] = []
    problems: list[Problem] = []
    for line, text in parts:
        found = _place(text)
        rank = find_rank(core(text)[slice(*found.span("rank"))]) if found else _no_place(text)
        if isinstance(rank, Message):
            problems.append(problem(line, rank))
        elif found:
            places.append((rank, square(found["square"])))
    return Sheet((WrittenOrder(Places(tuple(places)), head),), tuple(problems))


def _no_place(text: str) -> Message:
    return say(
        "I do not understand '{seen}'; write a piece and its square, like General a2",
        seen=shown(text),
    )


def _by_rows(head: Line, body: Sequence[tuple[Line, str]]) -> Sheet[Order]:
    rows: list[str] = []
    problems: list[Problem] = []
    for number, (line, text) in enumerate(body, start=1):
        row = "".join(c.upper() if c.isascii() else c for c in text if not c.isspace())
        rows.append("".join(letter for letter in row if letter in BY_LETTER))
        if "." in row:
            problems.append(problem(line, unfilled_squares(number, row)))
        if strange := [sign for sign in dict.fromkeys(row) if sign not in {*BY_LETTER, "."}]:
            problems.append(problem(line, strange_signs(number, strange)))
    return Sheet((WrittenOrder(Rows(_drawn_up(rows)), head),), tuple(problems))


def _drawn_up(rows: Sequence[str]) -> tuple[str, ...]:
    """Return three rows of the board, wherever the lines were broken (7.3), when the letters make
    up an army; otherwise the rows as they were written."""
    letters = "".join(rows)
    for size, army in ARMIES.items():
        if Counter(letters) == {LETTERS[rank]: n for rank, n in army.items()}:
            return tuple(letters[i : i + size] for i in range(0, len(letters), size))
    return tuple(row for row in rows if row)
