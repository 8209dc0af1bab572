"""Text to orders and back (rules section 7). Sees no match, so it only says "not understood"."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    MOST_ORDERS,
    Line,
    Problem,
    Sheet,
    Written,
    cleaned,
    folded,
    nearest,
    problem,
    shown,
)
from adjudicator.games.espionage.orders.refusals import (
    UNFILLED,
    because,
    strange_signs,
    unfilled_squares,
)
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import ARMIES, BY_LETTER, LETTERS, Rank

if TYPE_CHECKING:
    from lark import Lark, Token, Tree


class Move(Struct, frozen=True):
    """One step of an order; `claimed` is the rank that the writer named, if he did (7.2)."""

    start: Square
    target: Square
    claimed: Rank | None = None


class Rows(Struct, frozen=True):
    """A set-up by rows as the player sees his board, front row first, letters only (7.3)."""

    rows: tuple[str, ...]


class Places(Struct, frozen=True):
    """A set-up by square (7.3)."""

    places: tuple[tuple[Rank, Square], ...]


class RandomSetUp(Struct, frozen=True):
    """`SETUP RANDOM` (1.4)."""


Order: TypeAlias = Move | Rows | Places | RandomSetUp

# Rule 7.1: English, Norwegian, Swedish.
NAMES: Mapping[Rank, tuple[str, ...]] = {
    Rank.CORPORAL: ("corporal", "korporal", "korpral"),
    Rank.LIEUTENANT: ("lieutenant", "løytnant", "löjtnant"),
    Rank.CAPTAIN: ("captain", "kaptein", "kapten"),
    Rank.COLONEL: ("colonel", "oberst", "överste"),
    Rank.GENERAL: ("general",),
    Rank.SPY: ("spy", "spion"),
    Rank.SAPPER: ("sapper", "minerydder", "minröjare"),
    Rank.MINE: ("mine", "mina"),
    Rank.HEADQUARTERS: ("headquarters", "hovedkvarter", "högkvarter"),
}
TITLES: Mapping[Rank, Message] = {
    Rank.CORPORAL: say("Corporal"),
    Rank.LIEUTENANT: say("Lieutenant"),
    Rank.CAPTAIN: say("Captain"),
    Rank.COLONEL: say("Colonel"),
    Rank.GENERAL: say("General"),
    Rank.SPY: say("Spy"),
    Rank.SAPPER: say("Sapper"),
    Rank.MINE: say("Mine"),
    Rank.HEADQUARTERS: say("Headquarters"),
}
_BY_NAME = {folded(name): rank for rank, names in NAMES.items() for name in names}

_SET_UP = re.compile(r"(?:set-?\s?up|oppstilling|uppstallning)(?![a-z0-9])\s*:?\s*")
_RANDOM = re.compile(r"random|tilfeldig|slump(?:ad|vis)?")
_RANDOM_WORDS = ("RANDOM", "TILFELDIG", "SLUMP")
_RANK, _SQUARE = r"(?P<rank>[a-z]+|\d+)", r"(?P<square>[a-z]\d{1,3})"
_BETWEEN = r"(?:\s*[:=>-]+\s*|\s+(?:(?:at|on|pa)\s+)?)"
_PLACES = re.compile(_RANK + _BETWEEN + _SQUARE), re.compile(_SQUARE + _BETWEEN + _RANK)
# A step of the template in which a square, or both, are dots still; cleaning leaves no ellipsis.
_OPEN_SQUARE = r"(?:[a-z]\d{1,3}|\.{2,})"
_UNFILLED_STEP = re.compile(rf"{_OPEN_SQUARE}\s*[-> ]\s*{_OPEN_SQUARE}")
LONGEST_LINE = 200  # characters; an order fits many times into it
LONGEST_LIST = 1000  # characters; an army by square fits into it
_MOST_KEPT = 1024  # lines: those of a letter are asked for more than once
_EDGES = "\"'.,; "  # signs around an order that say nothing

# Files and ranks to add; absolute, north is towards rank 10 (rule 7.2).
_SHIFTS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("north", "nord", "norr"), (0, 1)),
    **dict.fromkeys(("south", "sor", "syd", "soder"), (0, -1)),
    **dict.fromkeys(("east", "ost", "oster"), (1, 0)),
    **dict.fromkeys(("west", "vest", "vast", "vaster"), (-1, 0)),
}
_DIRECTIONS: Mapping[str, str] = {
    folded(word): word
    for word in ("north", "south", "east", "west", "nord", "sør", "øst", "vest", "norr", "söder")
}
# A line with one step, folded, as nearly all are written. What these forms read, the grammar reads
# alike; to build that would take a fifth of a short run.
_ONE_STEP = re.compile(
    rf"(?:(?:move|flytta?)\s+)?(?:(?P<rank>{'|'.join(_BY_NAME)})\s+)?(?P<start>[a-z][0-9]{{1,3}})"
    r"\s*(?:[-=]*>|-+|x(?=\s*[a-z][0-9])|(?:to|till?)(?![a-z0-9]))?\s*"
    rf"(?P<goal>[a-z][0-9]{{1,3}}|{'|'.join(_SHIFTS)})"
)


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


def canonical(order: Order) -> str:
    """Write an order in the one way in which we write it: squares and letters, in no language. A
    rank that the writer claimed was checked (7.2) and is not repeated."""
    match order:
        case Move(start, target):
            return f"{start}-{target}"
        case Rows(rows):
            return "\n".join(("SETUP", *rows))
        case Places(places):
            return "\n".join(("SETUP", *(f"{LETTERS[rank]} {square}" for rank, square in places)))
        case RandomSetUp():
            return "SETUP RANDOM"


def _march(body: Iterable[tuple[Line, str]]) -> Sheet[Order]:
    written: list[Written[Order]] = []
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
                written.append(Written(found, line))
    return Sheet(tuple(written), tuple(problems))


def _is_unfilled(text: str) -> bool:
    if ".." not in text or len(text) > LONGEST_LINE:
        return False
    return _UNFILLED_STEP.fullmatch(folded(text)) is not None


@lru_cache(_MOST_KEPT)
def _steps(text: str) -> Sequence[Move | Message]:
    """Return the steps on a line, and what is wrong with it or with each of them."""
    source = _core(text)
    if found := _ONE_STEP.fullmatch(folded(source)):
        claimed = _BY_NAME[found["rank"]] if found["rank"] else None
        return (_move(found["start"], found["goal"], source[slice(*found.span("goal"))], claimed),)
    from lark import LarkError, Tree

    try:
        tree = _grammar().parse(folded(source))
    except LarkError as trouble:
        return (_complaint(text, trouble),)
    return tuple(_step(source, step) for step in tree.children if isinstance(step, Tree))


def _too_long(n: int) -> Message:
    return say("this line has {n} characters; write one step a line, as in d3-d4", n=n)


def _core(text: str) -> str:
    """Cut a line down to what the grammar reads, with as many characters as what the player
    wrote."""
    stripped = text.strip(_EDGES)
    plain = folded(stripped)
    return stripped if len(stripped) == len(plain) else plain


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
    if goal in _SHIFTS:
        files_on, ranks_on = _SHIFTS[goal]
        file, rank = ord(start[0]) + files_on, int(start[1:]) + ranks_on
        if not ord("a") <= file <= ord("z") or rank < 1:
            return say("{square} {direction} leaves the board", square=start, direction=written)
        goal = f"{chr(file)}{rank}"
    return Move(_square(start), _square(goal), claimed)


def _claimed(word: str) -> Rank | Message:
    """Return the piece that stands before a step; the word may also be a misspelt MOVE."""
    rank = find_rank(word)
    if isinstance(rank, Message) and nearest(word, ("move", *_BY_NAME)) == "move":
        return say("'{word}' is no piece; did you mean {meant}?", word=shown(word), meant="MOVE")
    return rank


def _square(text: str) -> Square:
    return Square(f"{text[0]}{int(text[1:])}")


@cache
def _grammar() -> "Lark":
    from lark import Lark

    source = files("adjudicator.games.espionage.orders").joinpath("orders.lark").read_text("utf-8")
    return Lark(source, parser="lalr")


def _complaint(text: str, trouble: Exception) -> Message:
    """Say what a line should have been, told from where the grammar stopped."""
    expected = getattr(trouble, "accepts", None) or getattr(trouble, "allowed", None) or set()
    token = getattr(trouble, "token", None)
    if token is not None and token.type == "$END":
        return _broken_off(text, "DIRECTION" in expected)
    source = _core(text)
    rest = source[max(getattr(trouble, "column", 1) - 1, 0) :]
    word = re.match(r"[^\W\d_]+(?!\w)", rest)
    if "DIRECTION" in expected and word:
        return _no_direction(word[0])
    return _not_understood(text, rest if _begins_well(source[: -len(rest) or None]) else "")


def _begins_well(start: str) -> bool:
    """Return whether the text before the point where the grammar stopped says something to us."""
    words = re.findall(r"[^\W\d_]{2,}", start)
    return bool(start) and all(
        folded(word) in _BY_NAME or re.fullmatch("move|flytta?", folded(word)) for word in words
    )


def _not_understood(text: str, part: str = "") -> Message:
    if part and part != text:
        return say(
            "I do not understand '{part}' in '{seen}'; write a step as d3-d4",
            part=shown(part),
            seen=shown(text),
        )
    return say("I do not understand '{seen}'; write a step as d3-d4", seen=shown(text))


def _no_direction(word: str) -> Message:
    if meant := _nearest_direction(word):
        return say("'{word}' is no direction; did you mean {meant}?", word=word, meant=meant)
    return say(
        "'{word}' is no direction; write north, south, east or west, or a square as in d3-d4",
        word=shown(word),
    )


def _nearest_direction(word: str) -> str | None:
    """Guess a misspelt direction, only where there is no doubt: `est` is as near to west as to
    east."""
    close = get_close_matches(folded(word), _DIRECTIONS, n=len(_DIRECTIONS), cutoff=0.8)
    return _DIRECTIONS[close[0]] if len({_SHIFTS[key] for key in close}) == 1 else None


def _broken_off(text: str, goal_missing: bool) -> Message:
    """Say that the line ends too early: after a piece's square, or before it."""
    if goal_missing:
        square = re.findall(r"[a-z]\d+", folded(text))[-1]
        return say(
            "'{seen}' does not say where {square} goes; write a step as d3-d4",
            seen=shown(text),
            square=square,
        )
    words = re.findall(r"[^\W_]+", text)
    last = words[-1] if words else ""
    if last and (folded(last) == "move" or isinstance(find_rank(last), Rank)):
        return say(
            "'{seen}' does not say from where to where; write a step as d3-d4", seen=shown(text)
        )
    if meant := nearest(last, ("SETUP", "move", *_BY_NAME)):
        return say(
            "I do not understand '{seen}'; did you mean '{meant}'?",
            seen=shown(last),
            meant=_spelt(meant),
        )
    return _not_understood(text, last)


def find_rank(word: str) -> Rank | Message:
    """Return the rank that a letter, a name or an unambiguous beginning of one means (7.1, 7.2)."""
    key = folded(word)
    if rank := BY_LETTER.get(key.upper()) or _BY_NAME.get(key):
        return rank
    begun = _begun(key)
    if len(begun) == 1:
        return next(iter(begun))
    if begun:
        names = ", ".join(name for meant in begun.values() for name in meant)
        return say("'{word}' may mean {names}; write more of it", word=shown(word), names=names)
    if close := nearest(word, _BY_NAME):
        return say(
            "'{word}' is no piece; did you mean {meant}?", word=shown(word), meant=_spelt(close)
        )
    return say("'{word}' is no piece; write a letter (1-5, S, P, M, H) or a name", word=shown(word))


def _begun(key: str) -> dict[Rank, list[str]]:
    """Return the names that begin so, by rank."""
    begun = {
        rank: [name for name in names if folded(name).startswith(key)]
        for rank, names in NAMES.items()
    }
    return {rank: names for rank, names in begun.items() if names}


def _spelt(key: str) -> str:
    return next((name for names in NAMES.values() for name in names if folded(name) == key), key)


def _set_up(head: Line, body: Sequence[tuple[Line, str]]) -> Sheet[Order]:
    said = " ".join(text for _, text in body).strip(_EDGES)
    if _RANDOM.fullmatch(folded(said)):
        return Sheet((Written(RandomSetUp(), head),), ())
    if meant := _nearly_random(said):
        unclear = say(
            "I do not understand '{seen}'; did you mean 'SETUP {meant}'?",
            seen=shown(said),
            meant=meant,
        )
        return Sheet((Written(RandomSetUp(), head),), (problem(body[0][0], unclear),))
    each = ((line, part) for line, text in body for part in _parts(text))
    parts = list(islice(each, MOST_ORDERS + 1))  # more than any army
    if 2 * sum(_is_place(part) for _, part in parts) > len(parts):
        return _by_square(head, parts)
    return _by_rows(head, body)


def _nearly_random(said: str) -> str | None:
    first = said.partition(" ")[0]
    if _RANDOM.fullmatch(folded(first.strip(_EDGES))):
        return nearest(first, _RANDOM_WORDS)
    return nearest(said, _RANDOM_WORDS) if len(said) < 12 else None


def _parts(text: str) -> list[str]:
    """Return the places on a line, as they would stand on lines of their own."""
    if len(text) > LONGEST_LIST:
        return [text]
    return [part for part in map(str.strip, re.split("[,;]", text)) if part.strip(_EDGES)]


def _is_place(text: str) -> bool:
    """Return whether a text was meant to be a piece, or several, and its square. Two letters may be
    a row's: `SP`."""
    words = map(folded, re.findall(r"(?<!\w)[^\W\d_]{3,}(?!\w)", text[:LONGEST_LIST]))
    return _place(text) is not None or any(
        name.startswith(word) or word.startswith(name) for word in words for name in _BY_NAME
    )


def _place(text: str) -> re.Match[str] | None:
    plain = folded(text.strip(_EDGES))
    return next((found for order in _PLACES if (found := order.fullmatch(plain))), None)


def _by_square(head: Line, parts: Sequence[tuple[Line, str]]) -> Sheet[Order]:
    places: list[tuple[Rank, Square]] = []
    problems: list[Problem] = []
    for line, text in parts:
        found = _place(text)
        rank = find_rank(_core(text)[slice(*found.span("rank"))]) if found else _no_place(text)
        if isinstance(rank, Message):
            problems.append(problem(line, rank))
        elif found:
            places.append((rank, _square(found["square"])))
    return Sheet((Written(Places(tuple(places)), head),), tuple(problems))


def _no_place(text: str) -> Message:
    return say(
        "I do not understand '{seen}'; write a piece and its square, as in General a2",
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
    return Sheet((Written(Rows(_drawn_up(rows)), head),), tuple(problems))


def _drawn_up(rows: Sequence[str]) -> tuple[str, ...]:
    """Return three rows of the board, wherever the lines were broken (7.3), when the letters make
    up an army; otherwise the rows as they were written."""
    letters = "".join(rows)
    for size, army in ARMIES.items():
        if Counter(letters) == {LETTERS[rank]: n for rank, n in army.items()}:
            return tuple(letters[i : i + size] for i in range(0, len(letters), size))
    return tuple(row for row in rows if row)
