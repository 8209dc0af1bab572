"""Sheets with conditions, and what becomes of a sheet that was sent in advance.

Theory of operation. A seat may send a sheet for a later turn of its own. The shell keeps it,
outside of the game: no state, event, record or other seat's report knows of it. When the turn
comes, in the transaction that appends the ply before it, the sheet is judged as if it had arrived
that moment: on the seat's own view and on what the seat saw since its own last orders, and on
nothing else. If it gives a legal order, that is in force; if not, the sheet is dropped, and the
seat's report says why.

| a kept sheet | becomes | when |
|---|---|---|
| kept | in force | its turn has come, and it gives a legal order |
| kept | dropped | its turn has come, and it gives none; or another seat offers a draw |
| kept | replaced | the seat sends another sheet for that turn |
| kept | withdrawn | CLEAR, the end, another holder, a forfeit, an undo |

A sheet is a plan: branches in the order in which they were written. `IF conditions: order` is a
branch, so is `ELSE: order`, and all lines without a condition are one branch together. The first
branch whose conditions hold and whose order is legal is taken. What a condition may ask is the
game's: `core/game.Advance` reads, writes and answers it. Everything here is pure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import (
    MOST_ORDERS,
    Line,
    Problem,
    Sheet,
    WrittenOrder,
    clean,
    cleaned,
    folded,
    problem,
    shown,
)

MOST_LINES = 20  # of a sheet with conditions
MOST_ASKED = 20  # conditions of a line
_MOST_COLONS = 4  # of a line that are tried as the one before its order

# The words of conditions as canonical lines have them, for the lexicon of a game that takes them.
WORDS: Mapping[str, Message] = {
    "IF": say("IF"),
    "ELSE": say("ELSE"),
    "AND": say("AND"),
    "NOT": say("NOT"),
}
_BEGINS = re.compile(r"(?P<word>if|hvis|om|else|ellers|annars)(?![\w-])")
_ELSE = frozenset({"else", "ellers", "annars"})
_AND = re.compile(r"(?<![\w-])(?:and|og|och)(?![\w-])")
_NOT = re.compile(r"(?:not|ikke|inte)\s+")


class BranchCondition(Struct, frozen=True):
    """One condition of a branch, as the game reads it; it may have to be false."""

    condition: Any
    wanted: bool = True


class Branch(Struct, frozen=True):
    """An order and when it is to be given; without conditions always.

    `line` is its line, or the first of the lines that are one order together.
    """

    line: Line
    asked: tuple[BranchCondition, ...]
    sheet: Sheet[Any]
    is_else: bool = False

    @property
    def is_conditional(self) -> bool:
        return self.is_else or bool(self.asked)


class Plan(Struct, frozen=True):
    """A sheet as it was written; `problems` are lines that were not understood."""

    branches: tuple[Branch, ...]
    problems: tuple[Problem, ...]


class Verdict(Struct, frozen=True):
    """The outcome of a plan: the branch that is taken, or why each line cannot be."""

    taken: Branch | None
    fallen: tuple[Problem, ...]


class PlanOutcome(Struct, frozen=True):
    """What a sheet came to when its turn had come: the branch that was taken, with the canonical
    lines of its order, or why each line was not used."""

    taken: Branch | None
    lines: tuple[str, ...]
    fallen: tuple[Problem, ...]


def has_conditions(lines: Sequence[Line]) -> bool:
    """Return whether a sheet has lines with conditions. Long prose has none, whatever a sentence of
    it begins with."""
    said = [text for _, text in cleaned(lines)]
    begun = [text for text in said if _begins(text)]
    return bool(begun) and (len(said) <= MOST_LINES or any(":" in text for text in begun))


def _begins(text: str) -> re.Match[str] | None:
    return _BEGINS.match(folded(text))


def read_plan(game: AnyGame, lines: Sequence[Line]) -> Plan:
    """Read a sheet's body. It never raises, whatever the text."""
    plain: list[Line] = []
    branches: list[Branch] = []
    problems: list[Problem] = []
    said = list(cleaned(lines))
    most = MOST_LINES if has_conditions(lines) else MOST_ORDERS
    if len(said) > most:
        told = say(
            "{n} lines are too many; at most {most} are allowed here", n=len(said), most=most
        )
        return Plan((), (Problem(0, "", told),))
    for line, text in said:
        if not _begins(text):
            plain.append(line)
            continue
        found = _branch(game, line, text)
        if isinstance(found, Message):
            problems.append(problem(line, found))
        else:
            branches.append(found)
    together = _together(game, lines, plain, conditional=bool(branches or problems))
    branches = sorted([*branches, *together], key=lambda branch: branch.line.number)
    problems += (one for branch in branches for one in branch.sheet.problems)
    problems += _misplaced_else(branches)
    return Plan(tuple(branches), tuple(sorted(problems, key=lambda one: one.line)))


def reads_as_orders(game: AnyGame, lines: Sequence[Line]) -> bool:
    """Return whether all of the lines read as orders of the game, with conditions or without."""
    if game.advance is not None and has_conditions(lines):
        plan = read_plan(game, lines)
        return bool(plan.branches) and not plan.problems
    sheet = game.orders.parse(lines)
    return bool(sheet.written) and not sheet.problems


def judge(game: AnyGame, plan: Plan, view: Any, seen: Sequence[Any]) -> Verdict:
    """Choose the branch that is taken, on the view of its seat and what that has seen alone."""
    fallen: list[Problem] = []
    for branch in plan.branches:
        if false := _first_false(game, branch, view, seen):
            told = say("not true: {condition}", condition=false)
            fallen.append(problem(branch.line, told))
            continue
        wrong = game.orders.check(view, branch.sheet)
        if not wrong:
            return Verdict(branch, tuple(fallen))
        # One that is about the whole order is told of its line.
        fallen += (one if one.line else problem(branch.line, one.message) for one in wrong)
    return Verdict(None, tuple(fallen))


def use(
    game: AnyGame,
    written: Sequence[Line],
    view: Any,
    seen: Sequence[Any],
    offering: Sequence[Seat] = (),
) -> PlanOutcome:
    """Judge a sheet whose turn has come, on the view of its seat, what that has seen since its own
    last orders, and the other seats that are `offering` a draw then. A club uses what this gives,
    and an audit compares that with it."""
    plan = read_plan(game, written)
    verdict = judge(game, plan, view, seen)
    taken = verdict.taken
    if offering:
        told = say(
            "{seats} offers a draw, so this was not used; send it again to play on",
            seats=listed(game.seat_titles[seat] for seat in offering),
        )
        stopped = (Problem(one.line.number, branch_text(game, one), told) for one in plan.branches)
        return PlanOutcome(None, (), tuple(stopped))
    if taken is None or plan.problems:
        return PlanOutcome(None, (), (*plan.problems, *verdict.fallen))
    orders = (game.orders.completed(view, one) for one in taken.sheet.orders)
    return PlanOutcome(taken, tuple(game.orders.lines(orders)), ())


def impossible(game: AnyGame, plan: Plan, view: Any) -> Iterator[Problem]:
    """Yield what no position allows, for a sheet whose turn has not come."""
    yield from senseless(game, plan, view)
    for branch in plan.branches:
        yield from _advance(game).impossible(view, branch.sheet)


def message_for_withdrawn_turn(turn: int) -> Message:
    """Return the answer to who takes a sheet back that was kept for a turn."""
    return say("your saved orders for turn {turn} are withdrawn", turn=turn)


def message_for_withdrawn_turns(turns: str) -> Message:
    """Return the answer to who takes all sheets for later turns back."""
    return say("your orders for later turns are withdrawn: {turns}", turns=turns)


def senseless(game: AnyGame, plan: Plan, view: Any) -> Iterator[Problem]:
    """Yield the conditions that nobody can ask on the board of the match."""
    for branch in plan.branches:
        for asked in branch.asked:
            if told := _advance(game).senseless(view, asked.condition):
                yield problem(branch.line, told)


def doubtful(game: AnyGame, plan: Plan, view: Any) -> Iterator[Problem]:
    """Yield what few positions allow."""
    for branch in plan.branches:
        yield from _advance(game).doubtful(view, branch.sheet)


def canonical(game: AnyGame, plan: Plan) -> list[str]:
    """Return the lines of a plan in the one way in which we write them."""
    return [line for branch in plan.branches for line in _written(game, branch)]


def orders_of(game: AnyGame, branch: Branch) -> list[str]:
    """Return the canonical lines of a branch's order."""
    return game.orders.lines(branch.sheet.orders)


def branch_text(game: AnyGame, branch: Branch) -> str:
    """Return a branch as it was written; of lines that are one order together all."""
    return branch.line.text if branch.is_conditional else ", ".join(orders_of(game, branch))


def branch_line(game: AnyGame, branch: Branch) -> str:
    """Return a branch as one canonical line."""
    return _head(game, branch) + ", ".join(orders_of(game, branch))


def _written(game: AnyGame, branch: Branch) -> list[str]:
    return [branch_line(game, branch)] if branch.is_conditional else orders_of(game, branch)


def _head(game: AnyGame, branch: Branch) -> str:
    if branch.is_else:
        return "ELSE: "
    if not branch.asked:
        return ""
    return f"IF {' AND '.join(_condition_text(game, asked) for asked in branch.asked)}: "


def _condition_text(game: AnyGame, asked: BranchCondition) -> str:
    text = _advance(game).written(asked.condition)
    return text if asked.wanted else f"NOT {text}"


def _first_false(game: AnyGame, branch: Branch, view: Any, seen: Sequence[Any]) -> str | None:
    holds = _advance(game).holds
    for asked in branch.asked:
        if holds(view, seen, asked.condition) is not asked.wanted:
            return _condition_text(game, asked)
    return None


def _together(
    game: AnyGame, lines: Sequence[Line], plain: Sequence[Line], *, conditional: bool
) -> list[Branch]:
    """Make one branch of the lines without a condition; of a sheet without any, an empty one."""
    if not plain and conditional:
        return []
    # A game may read blank lines and remarks, too, where no line has a condition.
    own = plain if conditional else lines
    first = plain[0] if plain else Line(0, "")
    return [Branch(first, (), game.orders.parse(own))]


def _branch(game: AnyGame, line: Line, text: str) -> Branch | Message:
    colons = [found.start() for found in islice(re.finditer(":", text), _MOST_COLONS)]
    if not colons:
        return say(
            "the colon before the order is missing; write IF condition: order, or ELSE: order"
        )
    read = {at: _conditions(game, text[:at]) for at in colons}
    # A colon may also stand for the capture in a condition.
    at = next((at for at in colons if not isinstance(read[at], Message)), colons[0])
    asked, order = read[at], text[at + 1 :]
    if not clean(order):
        return say("there is no order after the colon")
    if clean(order).endswith(","):
        # What a mail program put on the next line would be an order without a condition.
        return say("this line ends with a comma; write its whole order on one line")
    if isinstance(asked, Message):
        return asked
    sheet = _of_line(line, game.orders.parse([Line(line.number, order)]))
    return Branch(line, asked, sheet, is_else=not asked)


def _conditions(game: AnyGame, head: str) -> tuple[BranchCondition, ...] | Message:
    """Read what stands before the colon of a branch; ELSE has no conditions."""
    begins = _BEGINS.match(folded(head))
    assert begins is not None
    conditions = folded(head)[begins.end() :].strip()
    if begins["word"] in _ELSE:
        return say("ELSE takes no condition; write ELSE: order") if conditions else ()
    asked: list[BranchCondition] = []
    parts = _AND.split(conditions)
    if len(parts) > MOST_ASKED:
        return say(
            "{n} conditions are too many; a line can have at most {most}",
            n=len(parts),
            most=MOST_ASKED,
        )
    for said in parts:
        found = _condition(game, said.strip())
        if isinstance(found, Message):
            return found
        asked.append(found)
    return tuple(asked)


def _of_line(line: Line, sheet: Sheet[Any]) -> Sheet[Any]:
    """Return what was read behind a colon as said on the whole line."""
    return Sheet(
        tuple(WrittenOrder(entry.order, line) for entry in sheet.written),
        tuple(problem(line, one.message) for one in sheet.problems),
    )


def _condition(game: AnyGame, text: str) -> BranchCondition | Message:
    negated = _NOT.match(text)
    said = text[negated.end() :] if negated else text
    if not said:
        return say("a condition is missing")
    found = _advance(game).condition(said)
    if found is None:
        return say("I do not understand the condition '{seen}'", seen=shown(said))
    if isinstance(found, Message):
        return found
    return BranchCondition(found, wanted=negated is None)


def _misplaced_else(branches: Sequence[Branch]) -> Iterator[Problem]:
    elses = [branch for branch in branches if branch.is_else]
    for branch in elses[1:]:
        yield problem(branch.line, say("only one ELSE is allowed"))
    if elses and any(not branch.is_conditional for branch in branches):
        told = say("lines without a condition already do what ELSE does; leave ELSE out")
        yield problem(elses[0].line, told)
    elif elses and branches[-1] is not elses[-1]:
        yield problem(elses[0].line, say("ELSE must be the last line"))


def _advance(game: AnyGame) -> Any:
    assert game.advance is not None
    return game.advance
