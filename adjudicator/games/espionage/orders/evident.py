"""Say what everybody can see to be wrong with a sheet: the rules and the ground alone say so."""

from collections.abc import Iterator

from adjudicator.core.message import say
from adjudicator.core.orders import Problem, Sheet, problem
from adjudicator.games.espionage.orders.check import check
from adjudicator.games.espionage.orders.conditions import impossible
from adjudicator.games.espionage.orders.values import Move, Order
from adjudicator.games.espionage.sight.observe import View


def evident(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    if view.phase == "setup":  # no piece stands yet
        yield from check(view, sheet)
        return
    placing = [one.line for one in sheet.written if not isinstance(one.order, Move)]
    for line in placing:
        yield problem(line, say("the armies are already placed; write steps, as in d3-d4"))
    if not placing:
        yield from impossible(view, sheet)
