"""Use the sheets that were sent in advance when their turn comes, or end them (Espionage rules 8.4,
8.7).

`core/conditions.py` opens with the theory. All of it is part of the transaction that appends the
ply before that turn: a sheet is used or dropped with that ply, or it is still kept.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import structs

from adjudicator.core import chain, conditions
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, Problem, clean, shown, split_lines
from adjudicator.service.base.loaded_match import Loaded, titles
from adjudicator.service.report.standing import read_log
from adjudicator.store import sheets_ahead
from adjudicator.store.database import Tx
from adjudicator.store.sheets_ahead import Verdict
from adjudicator.store.submissions import KeptSheet

MOST_SHOWN = 100  # characters of a line that a report quotes


def use(tx: Tx, loaded: Loaded, happened: Sequence[Any], now: datetime) -> Loaded:
    """Judge the kept sheets whose turn has come, and return the match with what they gave.

    `loaded` is the match after its last ply, whose events have just `happened`. The sheets of a
    seat that has left are withdrawn; if the match has ended, all are.
    """
    over = loaded.match.status == "over"
    if ended := [seat for seat in loaded.kept if over or seat in loaded.gone]:
        sheets_ahead.end_kept(tx, loaded.match.id, ended, "withdrawn")
        left = {seat: sheets for seat, sheets in loaded.kept.items() if seat not in ended}
        loaded = structs.replace(loaded, kept=left)
    coming = loaded.match.ply + 1
    for seat in loaded.awaited:
        for sheet in loaded.kept.get(seat, ()):
            if sheet.ply == coming:
                loaded = _judge(tx, loaded, seat, sheet, seen(tx, loaded, seat, happened), now)
    return loaded


def seen(tx: Tx, loaded: Loaded, seat: Seat, happened: Sequence[Any] = ()) -> list[Any]:
    """Return what the seat has seen since its own last orders.

    `happened` are events of the last ply that are not in the log yet.
    """
    since = loaded.holders[seat].ordered_ply + 1
    last = loaded.match.ply if happened else loaded.match.ply + 1
    before = read_log(tx, loaded.match, loaded.game, since) if since < last else []
    events = [*(event for ply, event in before if ply < last), *happened]
    sights = (loaded.game.sight.witness(event, seat) for event in events)
    return [sight for sight in sights if sight is not None]


def _judge(
    tx: Tx, loaded: Loaded, seat: Seat, sheet: KeptSheet, sights: Sequence[Any], now: datetime
) -> Loaded:
    """Put a sheet in force, or drop it. It counts as received now."""
    game = loaded.game
    plan = conditions.read_plan(game, body(sheet))
    rest = tuple(one for one in loaded.kept[seat] if one.id != sheet.id)
    loaded = structs.replace(loaded, kept={**loaded.kept, seat: rest})
    view = game.sight.observe(loaded.state, seat)
    verdict = conditions.judge(game, plan, view, sights)
    fallen = (*plan.problems, *verdict.fallen)
    if offer := _offered(loaded, seat):
        fallen = tuple(
            Problem(branch.line.number, _text_of(game, branch), offer) for branch in plan.branches
        )
    taken = verdict.taken
    if taken is None or plan.problems or offer:
        quoted = tuple(structs.replace(one, text=shown(one.text, MOST_SHOWN)) for one in fallen)
        dropped = Verdict(ply=sheet.ply, turn=sheet.turn, fallen=quoted)
        sheets_ahead.drop(tx, sheet, dropped)
        return loaded
    lines = game.orders.lines(game.orders.completed(view, one) for one in taken.sheet.orders)
    told = (taken.line.number, shown(clean(_text_of(game, taken)), MOST_SHOWN))
    used = Verdict(
        ply=sheet.ply,
        turn=sheet.turn,
        used=told,
        revision=sheet.revision,
        digest=chain.sheet_digest(loaded.match.name, seat, sheet.turn, sheet.revision, lines),
    )
    in_force = sheets_ahead.use(tx, sheet, lines, used, now)
    return structs.replace(loaded, sheets={**loaded.sheets, seat: in_force})


def body(sheet: KeptSheet) -> Sequence[Line]:
    """Return the lines of a sheet below its head, numbered from it."""
    return split_lines(sheet.text)[1:]


def _offered(loaded: Loaded, seat: Seat) -> Message | None:
    """Return why no sheet in advance is used: another seat's offer of a draw stands."""
    offering = [other for other in loaded.draw_offers if other != seat]
    if not offering:
        return None
    return say(
        "{seats} offers a draw, so this was not used; send it again if you play on",
        seats=titles(loaded, offering),
    )


def _text_of(game: AnyGame, branch: conditions.Branch) -> str:
    """Return a line as it was written; of lines that are one order together all."""
    if branch.is_conditional:
        return branch.line.text
    return ", ".join(conditions.orders_of(game, branch))
