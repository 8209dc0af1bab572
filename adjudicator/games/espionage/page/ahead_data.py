"""Give the composer of orders in advance what it reads (rules section 8): the turns for which a
sheet is kept, the reader's own sheets that are, and the sentences that it says."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET

from adjudicator.core.composing import told
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import Report
from adjudicator.games.espionage.rules.pieces import SIDES, WHITE
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenStep, View

R = Report[View, SeenStep]

_AT_ONCE = 5  # turns, as many as are kept (8.1)
FIRST = 3  # turn on whose page they are offered: before, there is enough to learn

_ANSWERED: Mapping[str, Message] = {
    "plan": say("Order in advance on the board"),
    "back": say("Back to this turn"),
    "theirs": say("Turn {turn}, case {n}: choose the enemy piece that you expect to move."),
    "where": say("{square}: choose where it goes."),
    "mine": say("Turn {turn}, case {n}: choose your step {step}."),
    "whole": say("Turn {turn}: {line}. Add another case, or send your orders."),
    "none": say("there is no enemy piece on {square}"),
    "own": say("{square}: another enemy piece is there"),
    "open": say("a case for turn {turn} has no complete answer"),
    "twice": say("turn {turn} has two cases without a condition"),
}
_SAID: Mapping[str, Message] = {
    **_ANSWERED,
    "turn": say("turn {turn}"),
    "full": say("Your answer is complete; undo a step to choose another."),
    "first": say("The last case is still empty."),
    "empty": say("an empty case"),
    "known": say("the enemy's {rank} is known to be on"),
    "remove": say("Remove: {what}"),
    "change": say("Change"),
    "withdraw": say("Withdraw"),
}


def turns(report: R) -> Sequence[int]:
    """Return the turns for which a sheet is kept now; none where that is not agreed."""
    view = report.view
    if report.advance is UNSET or report.phase != "play" or report.seat not in SIDES:
        return ()
    # White has ordered this turn already when Black is to move; Black is still to order it.
    behind = report.seat in report.awaited or report.seat == WHITE
    first = view.turn + 1 if behind else view.turn
    return range(first, first + _AT_ONCE)


def offered(report: R) -> bool:
    """Return whether the page offers to order for later turns."""
    return bool(turns(report)) and (report.turn >= FIRST or bool(report.advance))


def sheet(report: R) -> Sequence[str]:
    """Return a sheet for the next turn, to be filled in by hand."""
    steps = ", ".join(["..-.."] * VARIANTS[report.view.variant].pieces_moved)
    return (
        report.sheet_head(turns(report)[0]),
        f"IF ..-..: {steps}",
        f"ELSE: {steps}",
        "END",
    )


def data(report: R, words: Words) -> dict[str, Any]:
    """Return what the script reads."""
    kept = () if report.advance is UNSET else report.advance
    return {
        "head": _head(report),
        "origin": "" if report.origin is None else f" epoch {report.origin}",
        "turns": list(turns(report)),
        "kept": [[one.turn, one.lines] for one in kept],
        "words": told(_SAID, words),
    }


def data_by_letter(report: R, words: Words) -> dict[str, Any]:
    """Return what the script of a page that is sent reads, which answers the enemy's next steps."""
    return {
        "head": _head(report),
        "origin": "" if report.origin is None else f" epoch {report.origin}",
        "turn": turns(report)[0],
        "words": told(_ANSWERED, words),
    }


def _head(report: R) -> str:
    """Return the first line of a sheet up to the number of its turn."""
    return f"ORDERS {report.match} {report.seat} turn"
