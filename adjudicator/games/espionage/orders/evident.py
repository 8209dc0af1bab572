"""Say what everybody can see to be wrong with a sheet: the rules and the ground alone say so."""

from collections.abc import Iterator

from adjudicator.core.orders import Problem, Sheet
from adjudicator.games.espionage.orders.check import check, placed_already
from adjudicator.games.espionage.orders.conditions import impossible
from adjudicator.games.espionage.orders.values import Order
from adjudicator.games.espionage.sight.observe import View


def evident(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    if view.phase == "setup":  # no piece stands yet
        yield from check(view, sheet)
        return
    placing = list(placed_already(sheet))
    yield from placing or impossible(view, sheet)
