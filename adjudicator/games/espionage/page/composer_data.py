"""Give the order composer in the page what it reads: things that stand in the report and in its
page already, by allow-list, and the sentences that it says, in the reader's language."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from adjudicator.core.composing import SHARED, draft, told
from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.report import Report
from adjudicator.games.espionage.lexicon import spelled
from adjudicator.games.espionage.orders.refusals import (
    NOT_AT_HOME,
    NOT_THE_ARMY,
    STEPS,
    UNFILLED,
    because,
)
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.drawing import CELL, MARGIN, below, letter
from adjudicator.games.espionage.rules.board import BOARDS, FILES
from adjudicator.games.espionage.rules.pieces import ARMIES, BLACK, IMMOBILE, LETTERS, WHITE, Rank
from adjudicator.games.espionage.rules.setup import home_bounds
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenPiece, SeenStep, View

_BOTH: Mapping[str, Message] = {
    "empty": say("{square}: empty"),
    "volcano": say("{square}: a volcano"),
    "own": say("{square}: your {rank}"),
}
_MARCH: Mapping[str, Message] = {
    "enemy": say("{square}: the enemy's {rank}"),
    "unknown": say("{square}: an unknown enemy piece"),
    "could": say("{square}: an unknown enemy piece, can still be {ranks}"),
    "fights": say("{square}: your {rank} attacks here"),
    "first": say("Choose your first piece."),
    "unfilled": UNFILLED,
    "sent": say("Your orders are in: {steps}."),
    "step": say("Step {n} of {of}"),
    "second": say("Now choose your second piece."),
    "target": say("{piece}. Choose where it goes: {squares}."),
    "whole": say("Your orders are complete: {steps}. Now send them."),
    "stuck": say("{square}: this piece cannot move now"),
    "alone": say(
        "after {start}-{target} no second piece could move, and you must move two; begin with "
        "another step"
    ),
}
_SETUP: Mapping[str, Message] = {
    "first": say("Choose a kind of piece, then its squares, or drag it there."),
    "sent": say("Your set-up has been received."),
    "all": say("Place my army for me"),
    "rest": say("Place the rest"),
    "hand": say("{rank}: choose a square."),
    "lifted": say("{square}: choose where this piece goes."),
    "placed": say("{placed} of {army} pieces are placed."),
    "unplaced": say("{placed} of {army} pieces are placed"),
    "whole": say("Your army is placed. Now send your orders."),
    "nothing": say("choose a kind of piece first"),
    "none": say("{rank}: none left to place"),
    "army": NOT_THE_ARMY,
    "kept": say("The set-up is saved in this browser."),
    "unkept": say("This browser does not let pages save anything. Copy your orders instead."),
}


_SCRIPTS = ("shared/bar.js", "shared/dragging.js", "espionage/rank_sign.js")
_MARCHING = ("espionage/drawings.js", "espionage/legality.js", "espionage/composer_march.js")


def scripts(report: Report[View, SeenStep]) -> list[str]:
    """Name the scripts of the page; none if no orders are awaited."""
    if not report.template:
        return []
    if report.phase == "setup":
        return [*_SCRIPTS, "espionage/composer_setup.js"]
    return [*_SCRIPTS, *_MARCHING]


def data(report: Report[View, SeenStep], words: Words) -> Mapping[str, Any]:
    """Return what the scripts read, by the id of its element; nothing if no orders are awaited."""
    if not report.template:
        return {}
    view = report.view
    phase = _set_up(view, words) if view.phase == "setup" else _march(view, words)
    return {"composer-data": _common(report, report.template, words) | phase}


def march_data(
    report: Report[View, SeenStep], sheet: Sequence[str], words: Words
) -> dict[str, Any]:
    """Return what a composer of steps reads that writes this sheet."""
    return _common(report, sheet, words) | _march(report.view, words)


def _common(report: Report[View, SeenStep], sheet: Sequence[str], words: Words) -> dict[str, Any]:
    view = report.view
    return {
        "size": view.board.size,
        "below": below(view),
        **_squares(view),
        "cell": CELL,
        "margin": MARGIN,
        "volcanoes": view.board.volcanoes,
        "sheet": sheet,
        "draft": draft(report),
        "sent": _sent(report),
        "spelling": to_builtins(spelled(words)),
    }


def _sent(report: Report[View, SeenStep]) -> list[str]:
    """Return the lines of the reader's own orders in force."""
    orders = report.orders.lines if report.orders else ()
    return [line for order in orders for line in order.split("\n")]


def _squares(view: View) -> dict[str, Any]:
    """Return the halves of the names of squares as they are drawn, the reader's own side below."""
    size, turn = view.board.size, -1 if below(view) == BLACK else 1
    return {"files": FILES[:size][::turn], "lines": [*range(size, 0, -1)[::turn]]}


def _march(view: View, words: Words) -> dict[str, Any]:
    return {
        "own": _pieces(piece for piece in view.pieces if piece.side == view.seat),
        "enemy": _pieces(piece for piece in view.pieces if piece.side != view.seat),
        "could": {
            piece.square: "".join(LETTERS[rank] for rank in piece.could_be)
            for piece in view.pieces
            if piece.could_be
        },
        "barred": [[step.start, step.target] for step in view.barred],
        "moves": VARIANTS[view.variant].pieces_moved,
        "immobile": [LETTERS[rank] for rank in Rank if rank in IMMOBILE],
        "ranks": {LETTERS[rank]: words(TITLES[rank]) for rank in Rank},
        "words": told({**SHARED, **_BOTH, **_MARCH}, words)
        | {
            "refusals": told(STEPS, words),
            "enough": [words(_enough(n)) for n in (1, 2)],
        },
    }


def _pieces(pieces: Iterable[SeenPiece]) -> str:
    """Write pieces as their squares with their letters."""
    return " ".join(piece.square + letter(piece) for piece in pieces)


def _enough(due: int) -> Message:
    return count(
        "Your order already has {n} step; undo it to choose another.",
        "Your order already has {n} steps; undo one to choose another.",
        due,
    )


def _set_up(view: View, words: Words) -> dict[str, Any]:
    side, board = view.seat, BOARDS[view.board.size]
    files = FILES[: board.size] if side == WHITE else FILES[: board.size][::-1]
    outside = because(NOT_AT_HOME, square="{square}", **home_bounds(side, board))
    return {
        "home": [f"{file}{rank}" for rank in board.home_rows(side) for file in files],
        "army": [[LETTERS[rank], n, words(TITLES[rank])] for rank, n in ARMIES[board.size].items()],
        "words": told({**SHARED, **_BOTH, **_SETUP}, words) | {"outside": words(outside)},
    }
