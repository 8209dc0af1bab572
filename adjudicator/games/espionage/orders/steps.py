"""Read the steps of an order, a line or several (rules 7.2)."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

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
from adjudicator.games.espionage.orders.complaints import complaint
from adjudicator.games.espionage.orders.refusals import UNFILLED, because
from adjudicator.games.espionage.orders.values import Move, Order
from adjudicator.games.espionage.orders.words import (
    BY_NAME,
    MOVE_WORDS,
    SHIFTS,
    core,
    find_rank,
    square,
)
from adjudicator.games.espionage.rules.pieces import Rank

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

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


def march(body: Iterable[tuple[Line, str]]) -> Sheet[Order]:
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
