"""Orders for later turns: what no position allows, and the conditions that a line may have (rules
section 8); and what everybody can see to be wrong with a sheet of this turn.

A condition is answered on the seat's own view, and on the enemy's last steps as the seat saw them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import Problem, Sheet, problem
from adjudicator.games.espionage.orders.check import (
    check,
    off_board,
    set_up_too_late,
    steps_of,
    too_far,
)
from adjudicator.games.espionage.orders.refusals import STEPS, because
from adjudicator.games.espionage.orders.values import Move, Order, SetUpOrder
from adjudicator.games.espionage.orders.words import find_rank
from adjudicator.games.espionage.rules.board import BOARDS, Square
from adjudicator.games.espionage.rules.pieces import BLACK, LETTERS, Rank
from adjudicator.games.espionage.rules.state import State
from adjudicator.games.espionage.sight.observe import SeenStep, View, pieces_moved


class Stepped(Struct, frozen=True):
    """The enemy's last order had this step."""

    start: Square
    target: Square


class Lost(Struct, frozen=True):
    """A piece of the seat was taken on this square in the enemy's last order."""

    square: Square


class Fought(Struct, frozen=True):
    """There was a fight in the enemy's last order."""


class Occupant(Enum):
    EMPTY = "EMPTY"
    OWN = "OWN"
    ENEMY = "ENEMY"
    UNKNOWN = "UNKNOWN"


class Stands(Struct, frozen=True):
    """Something stands on a square; a rank is an enemy piece known to be one."""

    square: Square
    what: Occupant | Rank


Condition: TypeAlias = Stepped | Lost | Fought | Stands

_SQUARE = r"([a-z]\d{1,3})"
_STEP = re.compile(rf"{_SQUARE}(?:\s*(?:[-=~]*>+|-+|[x:])\s*|\s+(?:to\s+)?)?{_SQUARE}")
_LOST = re.compile(rf"(?:lost|tapt|forlorat)\s+{_SQUARE}")
_FIGHT = re.compile(r"fight|kamp|strid")
_STANDS = re.compile(rf"{_SQUARE}\s+(\S+)")
# Folded words, English, Norwegian and Swedish, and the signs of a drawn board.
_OCCUPANTS: Mapping[str, Occupant] = {
    **dict.fromkeys(("empty", "tom", "."), Occupant.EMPTY),
    **dict.fromkeys(("own", "egen"), Occupant.OWN),
    **dict.fromkeys(("enemy", "fiende"), Occupant.ENEMY),
    **dict.fromkeys(("unknown", "ukjent", "okand", "?"), Occupant.UNKNOWN),
}
# The words of canonical conditions, as readers of other languages write them.
WORDS: Mapping[str, Message] = {
    "LOST": say("LOST"),
    "FIGHT": say("FIGHT"),
    "EMPTY": say("EMPTY"),
    "OWN": say("OWN"),
    "ENEMY": say("ENEMY"),
    "UNKNOWN": say("UNKNOWN"),
}


def ply(state: State, seat: Seat, turn: int) -> int:
    """Count the adjudications before that of the seat's turn: 0 is the coming one (8.1)."""
    wanted = 2 * turn + (seat == BLACK)
    if state.to_move is None:  # the set-ups are adjudicated in one ply, which comes before turn 1
        return wanted - 1 if turn else 0
    return wanted - 2 * state.turn - (state.to_move == BLACK)


def condition(text: str) -> Condition | Message | None:
    """Read one folded condition; None if it is none."""
    if found := _STEP.fullmatch(text):
        return Stepped(_square(found[1]), _square(found[2]))
    if found := _LOST.fullmatch(text):
        return Lost(_square(found[1]))
    if _FIGHT.fullmatch(text):
        return Fought()
    if found := _STANDS.fullmatch(text):
        what = _OCCUPANTS.get(found[2]) or find_rank(found[2])
        return what if isinstance(what, Message) else Stands(_square(found[1]), what)
    return None


def write_condition(asked: Condition) -> str:
    """Write a condition in the one way in which we keep it."""
    match asked:
        case Stepped(start, target):
            return f"{start}-{target}"
        case Lost(square):
            return f"LOST {square}"
        case Fought():
            return "FIGHT"
        case Stands(square, what):
            word = what.value if isinstance(what, Occupant) else LETTERS[what]
            return f"{square} {word}"


def senseless(view: View, asked: Condition) -> Message | None:
    """Say why nobody can ask that: there is no such square, it is a volcano, or no piece steps so
    (8.2, 8.6)."""
    beside = BOARDS[view.board.size].beside
    for square in _squares(asked):
        if square not in beside:
            return off_board(view.board.size, square)
        if square in view.board.volcanoes:
            return because(STEPS["volcano"], square=square)
    if isinstance(asked, Stepped) and asked.target not in beside[asked.start]:
        return too_far(asked.start, asked.target)
    return None


def holds(view: View, seen: Sequence[SeenStep], asked: Condition) -> bool:
    """Answer a condition (8.6). Before the enemy's first order there are no steps of his."""
    steps = [step for step in seen if step.side != view.seat]
    match asked:
        case Stepped(start, target):
            return any((step.start, step.target) == (start, target) for step in steps)
        case Lost(square):
            return any((step.target, step.outcome) == (square, "won") for step in steps)
        case Fought():
            return any(step.outcome != "moved" for step in steps)
        case Stands(square, what):
            return _stands(view, square, what)


def _stands(view: View, square: Square, what: Occupant | Rank) -> bool:
    piece = next((piece for piece in view.pieces if piece.square == square), None)
    if piece is None:
        return what is Occupant.EMPTY
    if piece.side == view.seat:
        return what is Occupant.OWN
    if what is Occupant.UNKNOWN:
        return piece.rank is None
    return what is Occupant.ENEMY or piece.rank is what


def impossible(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    """Yield what no position allows in an order for a later turn (8.2)."""
    moves = steps_of(sheet)
    for one in sheet.written:
        if isinstance(one.order, SetUpOrder):
            yield problem(one.line, say("a set-up cannot be sent in advance"))
    if not sheet.written and not sheet.problems:
        yield Problem(0, "", say("there is no step here; write one like d3-d4"))
    made: list[Move] = []
    for line, move in moves:
        if told := _never(view, made, move):
            yield problem(line, told)
        made.append(move)
    most = pieces_moved(view)
    for line in dict.fromkeys(line for line, _ in moves[most:]):
        yield problem(
            line,
            count(
                "too many steps: you must make exactly {n} step",
                "too many steps: you must make exactly {n} steps, by different pieces",
                most,
            ),
        )


def _never(view: View, made: Sequence[Move], move: Move) -> Message | None:
    board = BOARDS[view.board.size]
    for square in (move.start, move.target):
        if square not in board.beside:
            return off_board(view.board.size, square)
        if square in view.board.volcanoes:
            return because(STEPS["volcano"], square=square)
    if move.target not in board.beside[move.start]:
        return too_far(move.start, move.target)
    if any(move.start in (step.start, step.target) for step in made):
        return because(STEPS["two-pieces"], square=move.start)
    if any(move.target == step.target for step in made):
        return because(STEPS["taken"], square=move.target)
    return None


def doubtful(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    """Warn of one step where two are usual: it is legal only if there is no second (2.6)."""
    if len(sheet.written) == 1 and pieces_moved(view) == 2:
        told = say("only one step; if a second step is possible, the order is not used")
        yield problem(sheet.written[0].line, told)


def _squares(asked: Condition) -> tuple[Square, ...]:
    match asked:
        case Stepped(start, target):
            return start, target
        case Lost(square) | Stands(square):
            return (square,)
        case Fought():
            return ()


def _square(text: str) -> Square:
    return Square(f"{text[0]}{int(text[1:])}")


def evident(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    if view.phase == "setup":  # no piece stands yet
        yield from check(view, sheet)
        return
    placing = list(set_up_too_late(sheet))
    yield from placing or impossible(view, sheet)
