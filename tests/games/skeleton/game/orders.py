"""Orders: `CLAIM b2`, between text and value."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from adjudicator.core.likeness import Likeness
from adjudicator.core.message import say
from adjudicator.core.orders import (
    Line,
    Problem,
    Sheet,
    WrittenOrder,
    cleaned,
    folded,
    problem,
    shown,
)
from tests.games.skeleton.game.sight import View

_MARK = re.compile(r"(?:claim|krev|krav) ([abc][123])")  # in English, Norwegian, Swedish


# A line with one of these words in front, or a square in it, may be meant as an order.
LIKENESS = Likeness(code=re.compile(r"\b[abc][123]\b"), begins=frozenset(("claim", "krev", "krav")))


class Mark(Struct, frozen=True):
    square: str


def parse(lines: Sequence[Line]) -> Sheet[Mark]:
    written, problems = [], []
    for line, text in cleaned(lines):
        if found := _MARK.fullmatch(" ".join(folded(text).split())):
            written.append(WrittenOrder(Mark(found[1]), line))
        else:
            told = say("I do not understand '{seen}'; write CLAIM b2", seen=shown(text))
            problems.append(problem(line, told))
    return Sheet(tuple(written), tuple(problems))


def canonical(order: Mark) -> str:
    return f"CLAIM {order.square}"


def check(view: View, sheet: Sheet[Mark]) -> Sequence[Problem]:
    return tuple(_problems(view, sheet))


def _problems(view: View, sheet: Sheet[Mark]) -> Iterator[Problem]:
    if not sheet.written and not sheet.problems:
        yield Problem(0, "", say("your orders are empty; write CLAIM b2"))
    for entry in sheet.written[1:]:
        yield problem(entry.line, say("one mark is enough"))
    for entry in sheet.written:
        if entry.order.square in view.marks:
            yield problem(entry.line, say("{square} is marked already", square=entry.order.square))


def template(view: View) -> Sequence[str]:
    return ("CLAIM ..",)
