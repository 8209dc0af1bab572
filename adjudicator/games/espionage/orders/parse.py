"""Text to orders (rules section 7): a set-up (7.3), or steps, a line or several (7.2). Sees no
match, so it only says "not understood"."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING

from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    MOST_ORDERS,
    Line,
    Problem,
    Sheet,
    WrittenOrder,
    cleaned,
    folded,
    nearest,
    problem,
    shown,
)
from adjudicator.games.espionage.orders.complaints import complaint
from adjudicator.games.espionage.orders.refusals import (
    UNFILLED,
    because,
    strange_signs,
    unfilled_squares,
)
from adjudicator.games.espionage.orders.values import (
    AutoSetUp,
    Move,
    Order,
    Places,
    RandomSetUp,
    Rows,
)
from adjudicator.games.espionage.orders.words import (
    BY_NAME,
    MOVE_WORDS,
    SHIFTS,
    core,
    find_rank,
    square,
    strip_signs,
)
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import ARMIES, BY_LETTER, LETTERS, Rank

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

_SET_UP = re.compile(r"(?:set-?\s?up|oppstilling|uppstallning)(?![a-z0-9])\s*:?\s*")


def parse(lines: Sequence[Line]) -> Sheet[Order]:
    """Read the orders of a sheet's body. It never raises, whatever the text."""
    body = list(cleaned(lines))
    for i, (line, text) in enumerate(body):
        if found := _SET_UP.match(folded(text)):
            marching = _march(body[:i])
            inline = text[found.end() :]
            rest = [(line, inline), *body[i + 1 :]] if inline else body[i + 1 :]
            setting_up = _set_up(line, rest)
            return Sheet(
                marching.written + setting_up.written, marching.problems + setting_up.problems
            )
    return _march(body)


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


def _set_up(head: Line, body: Sequence[tuple[Line, str]]) -> Sheet[Order]:
    # Whoever asks for a drawn army need not take the template's rows of dots away.
    said = strip_signs(" ".join(text for _, text in body if text.strip(". ")))
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
    if _drawn(strip_signs(first)):
        return nearest(first, _DRAWN_WORDS)
    return nearest(said, _DRAWN_WORDS) if len(said) < 12 else None


def _parts(text: str) -> list[str]:
    """Return the places on a line, as they would stand on lines of their own."""
    if len(text) > LONGEST_LIST:
        return [text]
    return [part for part in map(str.strip, re.split("[,;]", text)) if strip_signs(part)]


def _is_place(text: str) -> bool:
    """Return whether a text was meant to be a piece, or several, and its square. Two letters may be
    a row's: `SP`."""
    words = map(folded, re.findall(r"(?<!\w)[^\W\d_]{3,}(?!\w)", text[:LONGEST_LIST]))
    return _place(text) is not None or any(
        name.startswith(word) or word.startswith(name) for word in words for name in BY_NAME
    )


def _place(text: str) -> re.Match[str] | None:
    plain = folded(strip_signs(text))
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


# Steps.

# A step of the template in which a square, or both, are dots still; cleaning leaves no ellipsis.
_OPEN_SQUARE = r"(?:[a-z]\d{1,3}|\.{2,})"
_UNFILLED_STEP = re.compile(rf"{_OPEN_SQUARE}\s*[-> ]\s*{_OPEN_SQUARE}")
LONGEST_LINE = 200  # characters; an order fits many times into it
_MOST_KEPT = 1024  # lines: those of a letter are asked for more than once
# A line with one step, folded, as nearly all are written. What these forms read, the grammar reads
# alike; to build that would take a fifth of a short run.
_ONE_STEP = re.compile(
    rf"(?:(?:move|flytta?)\s+)?(?:(?P<rank>{'|'.join(BY_NAME)})\s+)?(?P<start>[a-z][0-9]{{1,3}})"
    r"\s*(?:[-=~]*>+|-+|[x:](?=\s*[a-z][0-9])|(?:to|till?)(?![a-z0-9]))?\s*"
    rf"(?P<goal>[a-z][0-9]{{1,3}}|{'|'.join(SHIFTS)})"
)


def _march(body: Iterable[tuple[Line, str]]) -> Sheet[Order]:
    written: list[WrittenOrder[Order]] = []
    problems: list[Problem] = []
    for line, text in body:
        if len(written) + len(problems) > MOST_ORDERS:
            break  # what is more is not read, and the sheet refused
        if _is_unfilled(text):
            number = len(written) + len(problems) + 1
            problems.append(problem(line, because(UNFILLED, n=number)))
            continue
        for found in _steps(text) if len(text) <= LONGEST_LINE else (_too_long(len(text)),):
            if isinstance(found, Message):
                problems.append(problem(line, found))
            else:
                written.append(WrittenOrder(found, line))
    return Sheet(tuple(written), tuple(problems))


def _is_unfilled(text: str) -> bool:
    if ".." not in text or len(text) > LONGEST_LINE:
        return False
    return _UNFILLED_STEP.fullmatch(folded(text)) is not None


@lru_cache(_MOST_KEPT)
def _steps(text: str) -> Sequence[Move | Message]:
    """Return the steps on a line, and what is wrong with it or with each of them."""
    source = core(text)
    if found := _ONE_STEP.fullmatch(folded(source)):
        claimed = BY_NAME[found["rank"]] if found["rank"] else None
        return (_move(found["start"], found["goal"], source[slice(*found.span("goal"))], claimed),)
    from lark import LarkError, Tree

    try:
        tree = _grammar().parse(folded(source))
    except LarkError as trouble:
        return (complaint(text, trouble),)
    return tuple(_step(source, step) for step in tree.children if isinstance(step, Tree))


def _too_long(n: int) -> Message:
    return say("this line has {n} characters; write one step per line, as in d3-d4", n=n)


def _step(source: str, step: "Tree[Token]") -> Move | Message:
    parts: dict[str, Token] = {
        part.data: part.children[0]  # type: ignore[misc]  # the grammar has no deeper ones
        for part in step.find_pred(lambda t: t.data != "step")
    }
    start = next(str(part) for part in step.children if not hasattr(part, "data"))
    named = parts.get("rank")
    claimed = _claimed(source[named.start_pos : named.end_pos]) if named else None
    if isinstance(claimed, Message):
        return claimed
    goal = parts["goal"]
    return _move(start, str(goal), source[goal.start_pos : goal.end_pos], claimed)


def _move(start: str, goal: str, written: str, claimed: Rank | None) -> Move | Message:
    """Return the step to a square or in a direction, which was `written` so."""
    if goal in SHIFTS:
        files_on, ranks_on = SHIFTS[goal]
        file, rank = ord(start[0]) + files_on, int(start[1:]) + ranks_on
        if not ord("a") <= file <= ord("z") or rank < 1:
            return say("{square} {direction} is off the board", square=start, direction=written)
        goal = f"{chr(file)}{rank}"
    return Move(square(start), square(goal), claimed)


def _claimed(word: str) -> Rank | Message:
    """Return the piece that stands before a step; the word may also be a misspelt MOVE."""
    rank = find_rank(word)
    if isinstance(rank, Rank):
        return rank
    close = nearest(word, (*MOVE_WORDS, *BY_NAME))
    if close not in MOVE_WORDS:
        return rank
    return say(
        "'{word}' is not a piece; did you mean {meant}?", word=shown(word), meant=close.upper()
    )


@cache
def _grammar() -> "Lark":
    from lark import Lark

    source = files("adjudicator.games.espionage.orders").joinpath("orders.lark").read_text("utf-8")
    return Lark(source, parser="lalr")
