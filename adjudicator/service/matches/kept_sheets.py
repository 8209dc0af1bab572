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
from adjudicator.service.base.loaded_match import Loaded, MatchSession, titles
from adjudicator.service.reports.standing import read_log
from adjudicator.store import submissions
from adjudicator.store.database import Tx
from adjudicator.store.submissions import AdvanceVerdict, KeptSheet

MOST_SHOWN = 100  # characters of a line that a report quotes


def use_sheets_in_advance(session: MatchSession) -> None:
    """Judge the kept sheets whose turn has come.

    The sheets of a seat that has left are withdrawn; if the match has ended, all are.
    """
    loaded = session.loaded
    over = loaded.match.status == "over"
    if ended := [seat for seat in loaded.kept if over or seat in loaded.gone]:
        submissions.end_kept(session.tx, loaded.match.id, ended, "withdrawn")
        session.changed()
    coming = loaded.match.ply + 1
    for seat in loaded.awaited if not over else ():
        for sheet in loaded.kept.get(seat, ()):
            if sheet.ply == coming and seat not in ended:
                sights = seen_since_orders(session.tx, loaded, seat)
                _judge(session.tx, loaded, seat, sheet, sights, session.now)
                session.changed()


def seen_since_orders(tx: Tx, loaded: Loaded, seat: Seat) -> list[Any]:
    """Return what the seat has seen since its own last orders."""
    log = read_log(tx, loaded.match, loaded.game, loaded.holders[seat].ordered_ply + 1)
    sights = (loaded.game.sight.witness(event, seat) for _, event in log)
    return [sight for sight in sights if sight is not None]


def _judge(
    tx: Tx, loaded: Loaded, seat: Seat, sheet: KeptSheet, sights: Sequence[Any], now: datetime
) -> None:
    """Put a sheet in force, or drop it. It counts as received now."""
    game = loaded.game
    plan = conditions.read_plan(game, body_of_kept(sheet))
    view = game.sight.observe(loaded.state, seat)
    verdict = conditions.judge(game, plan, view, sights)
    fallen = (*plan.problems, *verdict.fallen)
    if offer := _why_offer_stops(loaded, seat):
        fallen = tuple(
            Problem(branch.line.number, _text_of(game, branch), offer) for branch in plan.branches
        )
    taken = verdict.taken
    if taken is None or plan.problems or offer:
        quoted = tuple(structs.replace(one, text=shown(one.text, MOST_SHOWN)) for one in fallen)
        dropped = AdvanceVerdict(ply=sheet.ply, turn=sheet.turn, fallen=quoted)
        submissions.drop_kept(tx, sheet, dropped)
        return
    lines = game.orders.lines(game.orders.completed(view, one) for one in taken.sheet.orders)
    told = (taken.line.number, shown(clean(_text_of(game, taken)), MOST_SHOWN))
    match = loaded.match
    head = chain.receipt_head(match.name, seat, sheet.turn, sheet.revision)
    used = AdvanceVerdict(
        ply=sheet.ply,
        turn=sheet.turn,
        used=told,
        revision=sheet.revision,
        digest=chain.sheet_digest(head, lines),
        hashed=head,
    )
    submissions.use_kept(tx, sheet, lines, used, now)


def body_of_kept(sheet: KeptSheet) -> Sequence[Line]:
    """Return the lines of a sheet below its head, numbered from it."""
    return split_lines(sheet.text)[1:]


def _why_offer_stops(loaded: Loaded, seat: Seat) -> Message | None:
    """Return why no sheet in advance is used: another seat's offer of a draw stands."""
    offering = [other for other in loaded.draw_offers if other != seat]
    if not offering:
        return None
    return say(
        "{seats} offers a draw, so this was not used; send it again to play on",
        seats=titles(loaded, offering),
    )


def _text_of(game: AnyGame, branch: conditions.Branch) -> str:
    """Return a line as it was written; of lines that are one order together all."""
    if branch.is_conditional:
        return branch.line.text
    return ", ".join(conditions.orders_of(game, branch))
