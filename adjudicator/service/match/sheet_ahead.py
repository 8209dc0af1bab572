"""Understand a sheet for a later turn: nothing of it is judged but what no position allows."""

from collections.abc import Iterator
from typing import Any

from msgspec import structs

from adjudicator.core.command_table import ACTING, WORDS
from adjudicator.core.conditions import canonical, doubtful, impossible, read_plan
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.core.orders import Problem, clean, in_order, problem
from adjudicator.core.sheets import RawSheet
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.turns_ahead import MOST_KEPT, is_open
from adjudicator.service.match import sheet_time
from adjudicator.service.match.understood import Ahead, Understood, understood_of

# Commands that say something of the present turn or of the match, and so nothing of a later one.
_OF_NOW = ACTING - {"CLEAR", "CLEAR ADVANCE"}


def understand_ahead(
    loaded: Loaded, seat: Seat, raw: RawSheet, ahead: Ahead, view: Any = None
) -> Understood:
    """Understand a sheet for a later turn: nothing is judged but what no position allows.

    `view` is what is known of the match, if not all that the seat sees.
    """
    game = loaded.game
    says_orders = bool(any(clean(line.text) for line in raw.body) or not raw.commands)
    plan = read_plan(game, raw.body)
    view = view or game.sight.observe(loaded.state, seat)
    problems = list(_unkeepable(loaded, seat, raw, ahead, says_orders))
    if says_orders and not problems:
        found = [*plan.problems, *impossible(game, plan, view)]
        problems = in_order(found)
    warnings = () if problems or not says_orders else tuple(doubtful(game, plan, view))
    return structs.replace(
        understood_of(loaded, seat, raw, canonical(game, plan), problems),
        warnings=warnings,
        says_orders=says_orders,
        ahead=ahead,
    )


def _unkeepable(
    loaded: Loaded, seat: Seat, raw: RawSheet, ahead: Ahead, says_orders: bool
) -> Iterator[Problem]:
    """Return why a sheet for a later turn is not kept (Espionage rules 8.1, 8.2)."""
    if told := sheet_time.ended(loaded, seat):
        yield problem(raw.line, told)
        return
    if not is_open(loaded):
        told = say("sheets for later turns are kept once the match and its first turn have begun")
        yield problem(raw.line, told)
        return
    for command in raw.commands:
        if command.word in _OF_NOW:
            told = say(
                "{word} does not belong into a sheet for a later turn; send it by itself",
                word=WORDS[command.word],
            )
            yield problem(command.line, told)
    clears = any(command.word == "CLEAR ADVANCE" for command in raw.commands)
    others = [sheet.turn for sheet in loaded.kept.get(seat, ()) if sheet.turn != ahead.turn]
    if says_orders and len(others) >= MOST_KEPT and not clears:
        told = say(
            "{most} sheets are kept for you already, for the turns {turns}",
            most=MOST_KEPT,
            turns=", ".join(map(str, others)),
        )
        yield problem(raw.line, told)
