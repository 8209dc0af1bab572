"""Take the sheets out of a text, before any match is looked at."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from adjudicator.core.conditions import reads_as_orders
from adjudicator.core.message import say
from adjudicator.core.orders import Line, Problem, problem, said
from adjudicator.core.sheets import COMMANDS, RawSheet, Reading, bare_sheet, read_sheets
from adjudicator.games import GAMES

MOST_TRIED = 60  # lines in a wrong place that are looked at for orders
MOST_MISPLACED = 10  # warnings of such lines


class TakenApart(Struct, frozen=True):
    """A parsed text, with no look at any match. `warnings` are about its `ignored` lines."""

    sheets: Sequence[RawSheet]
    ignored: Sequence[Line]
    warnings: Sequence[Problem]


def take_apart(text: str) -> TakenApart:
    """Take a text apart: its frames, or all of it as one sheet."""
    reading = read_sheets(text)
    return taken_apart(reading, would_read_as_orders(reading.ignored))


def taken_apart(reading: Reading, warnings: Iterable[Problem]) -> TakenApart:
    """Make the parts of a text that was read. `warnings` are about the lines outside of its
    sheets."""
    if not reading.sheets:
        return TakenApart((bare_sheet(reading),), (), ())
    return TakenApart(reading.sheets, reading.ignored, tuple(warnings))


def would_read_as_orders(ignored: Sequence[Line]) -> Iterator[Problem]:
    """Warn of the first lines outside of any sheet that seem to be meant as orders."""
    meant = (line for line in terse(ignored) if _is_an_order(line))
    for line in islice(meant, MOST_MISPLACED):
        yield problem(line, say("this reads as an order but stands outside ORDERS ... END"))


def terse(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the first lines that are as short as orders are.

    To read a line as orders in vain takes a thousand times as long as to see that it is none, and
    most letters quote a whole report.
    """
    return tuple(islice((line for line in lines if _is_terse(line)), MOST_TRIED))


def _is_terse(line: Line) -> bool:
    return len(line.text) <= 80 and 0 < len(line.text.split()) <= 6


def _is_an_order(line: Line) -> bool:
    if said(line.text) in COMMANDS:
        return True
    return any(reads_as_orders(game, [line]) for game in GAMES.values())
