"""Name the scripts of a page that is not sent by letter, and give them what they read.

They do more than those of letters, for which they are too heavy: orders in advance, marks, what is
known of a piece, and a board where no orders are awaited.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from adjudicator.core.composing import told
from adjudicator.core.jottings import WORDS
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import Report
from adjudicator.games.espionage.lexicon import spelled
from adjudicator.games.espionage.page import ahead_data, composer_data
from adjudicator.games.espionage.page.drawing import marked
from adjudicator.games.espionage.rules.pieces import SIDES
from adjudicator.games.espionage.sight.observe import SeenStep, View

R = Report[View, SeenStep]

_WATCHING = ("shared/composing.js", "espionage/drawings.js", "espionage/watching.js")

_MARKING: Mapping[str, Message] = {
    "mark": WORDS["MARK"],
    "write": say("Mark it:"),
    "unmark": say("No mark"),
    "keeps": say("This browser keeps marks until they are sent or taken away."),
}


def scripts(report: R) -> list[str]:
    """Name the scripts; none before the first turn and after the end, or for a reader who plays
    neither side."""
    if not _is_live(report):
        return []
    ahead = ["espionage/ahead.js"] if ahead_data.turns(report) else []
    return [*(composer_data.scripts(report) or _WATCHING), *ahead, "espionage/marks.js"]


def data(report: R, words: Words) -> Mapping[str, Any]:
    """Return what those scripts read, by the id of its element."""
    if not _is_live(report):
        return {}
    ahead = {"ahead-data": ahead_data.data(report, words)} if ahead_data.turns(report) else {}
    composing = composer_data.data(report, words) or _watching(report, words)
    return {**composing, **ahead, "marks-data": _marks(report, words)}


def sheet(report: R, words: Words) -> list[str]:
    """Return a sheet of a seat that is not awaited, to be filled in by hand, in its reader's
    words."""
    return spelled(words).all(_sheet(report)) if _is_live(report) else []


def _is_live(report: R) -> bool:
    return report.phase == "play" and report.seat in SIDES


def _sheet(report: R) -> Sequence[str]:
    """Return a sheet for the next turn, if sheets are kept, and else one without lines."""
    return ahead_data.sheet(report) if ahead_data.turns(report) else (_head(report), "END")


def _head(report: R) -> str:
    return f"ORDERS {report.match} {report.seat}"


def _watching(report: R, words: Words) -> Mapping[str, Any]:
    nothing = (
        say("nothing is ordered in advance") if ahead_data.turns(report) else say("it is empty")
    )
    first = say("Choose an enemy piece to see what is known of it, and to mark it.")
    return {
        "composer-data": composer_data.march_data(report, _sheet(report), words),
        "watching-data": [_head(report), words(nothing), words(first)],
    }


def _marks(report: R, words: Words) -> dict[str, Any]:
    """Return the reader's own marks, by square, and what is said where he makes some (9.1)."""
    marks = {piece.square: piece.mark for piece in marked(report.view)}
    return {"marked": marks, "words": told(_MARKING, words)}
