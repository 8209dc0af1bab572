"""Give the composer of orders in advance what it reads (rules section 8): the turns for which a
sheet is kept, the reader's own sheets that are, and the sentences that it says.

It goes with pages that are not sent by letter, for which it is too heavy.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET

from adjudicator.core.composing import told
from adjudicator.core.game import Report
from adjudicator.core.jottings import WORDS
from adjudicator.core.message import Message, Words, say
from adjudicator.games.espionage.lexicon import spelled
from adjudicator.games.espionage.page import composer_data
from adjudicator.games.espionage.page.drawing import marked
from adjudicator.games.espionage.rules.pieces import SIDES, WHITE
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenStep, View

R = Report[View, SeenStep]

_AT_ONCE = 5  # turns, as many as are kept (8.1)

_SAID: Mapping[str, Message] = {
    "plan": say("Order in advance on the board"),
    "back": say("Back to the present turn"),
    "turn": say("turn {turn}"),
    "theirs": say("Turn {turn}, case {n}: choose the enemy's piece that you expect to step."),
    "where": say("{square}: choose where it steps."),
    "mine": say("Turn {turn}, case {n}: choose your step {step}."),
    "whole": say("Turn {turn}: {line}. Add another case, or send the sheet."),
    "none": say("there is no enemy piece on {square}"),
    "own": say("{square}: another enemy piece stands there"),
    "full": say("Your answer has all its steps; undo one to choose another."),
    "first": say("The last case is still empty."),
    "empty": say("an empty case"),
    "open": say("a case of turn {turn} has no whole answer"),
    "twice": say("turn {turn} has two cases without a condition"),
    "nothing": say("nothing is ordered in advance"),
    "known": say("the enemy's {rank} is known to stand on"),
    "remove": say("Remove: {what}"),
    "change": say("Change"),
    "withdraw": say("Withdraw"),
}

_MARKING: Mapping[str, Message] = {
    "mark": WORDS["MARK"],
    "write": say("Mark it:"),
    "unmark": say("No mark"),
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


def sheet(report: R) -> Sequence[str]:
    """Return a sheet for the next turn, to be filled in by hand."""
    steps = ", ".join(["..-.."] * VARIANTS[report.view.variant].pieces_moved)
    return (
        f"{_head(report)} {turns(report)[0]}",
        f"IF ..-..: {steps}",
        f"ELSE: {steps}",
        "END",
    )


def shown_sheet(report: R, words: Words) -> list[str]:
    """Return that sheet in the reader's words; nothing where none is kept."""
    return spelled(words).all(sheet(report)) if turns(report) else []


def live_scripts(report: R) -> list[str]:
    """Name the scripts of a page that does not go by letter; none if nothing is kept."""
    if not turns(report):
        return []
    composing = composer_data.scripts(report) or ["shared/composing.js", "espionage/drawings.js"]
    marking = ["espionage/marks.js"] if report.template else []
    return [*composing, "espionage/ahead.js", *marking]


def live_data(report: R, words: Words) -> Mapping[str, Any]:
    """Return what those scripts read, by the id of its element."""
    if not turns(report):
        return {}
    composing = composer_data.data(report, words) or {
        "composer-data": composer_data.march_data(report, sheet(report), words)
    }
    ahead = {**composing, "ahead-data": _data(report, words)}
    return {**ahead, "marks-data": _marks(report, words)} if report.template else ahead


def _marks(report: R, words: Words) -> dict[str, Any]:
    """Return the reader's own marks, by square, and what is said where he makes some (9.1)."""
    marks = {piece.square: piece.mark for piece in marked(report.view)}
    return {"marked": marks, "words": told(_MARKING, words)}


def _data(report: R, words: Words) -> dict[str, Any]:
    kept = () if report.advance is UNSET else report.advance
    return {
        "head": _head(report),
        "alone": not report.template,
        "turns": list(turns(report)),
        "kept": [[one.turn, one.lines] for one in kept],
        "words": told(_SAID, words),
    }


def _head(report: R) -> str:
    return f"ORDERS {report.match} {report.seat} turn"
