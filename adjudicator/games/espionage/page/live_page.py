"""Name the scripts of a page, and give them what they read.

Those of a page that is not sent by letter do more than a letter has room for: orders in advance for
any turn and with any condition, what is known of a piece, marks of any words, and a board where no
orders are awaited.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from adjudicator.core import conditions
from adjudicator.core.commands import JOTTING_WORDS
from adjudicator.core.composing import told
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import Report
from adjudicator.games.espionage.lexicon import LEXICON, spelled
from adjudicator.games.espionage.page import ahead_data, composer_data
from adjudicator.games.espionage.page.drawing import marked_pieces
from adjudicator.games.espionage.rules.pieces import SIDES
from adjudicator.games.espionage.sight.observe import SeenStep, View

R = Report[View, SeenStep]

_WATCHING = ("shared/bar.js", "espionage/drawings.js", "espionage/watching.js")
_AHEAD = ("espionage/legality.js", "espionage/planned.js", "espionage/ahead.js")
_ANSWERING = ("espionage/planned.js", "espionage/answering.js")

# Words of order lines that the scripts of a letter's page do not write.
_UNWRITTEN = LEXICON.words.keys() - conditions.WORDS.keys()
_MARKING_BY_LETTER: Mapping[str, Message] = {
    "mark": JOTTING_WORDS["MARK"],
    "unmark": say("Remove mark"),
    "look": say("Mark {square}"),
}
_MARKING: Mapping[str, Message] = {
    **_MARKING_BY_LETTER,
    "write": say("Mark it:"),
    "keeps": say("Marks stay in this browser until you send or remove them."),
}


def scripts_by_letter(report: R) -> list[str]:
    """Name the scripts of a page that is sent; none if no orders are awaited."""
    composing = composer_data.scripts(report)
    if not report.template or not _is_live(report):
        return composing
    answering = _ANSWERING if ahead_data.offered(report) else ()
    return [*composing, *answering, "espionage/marking.js"]


def data_by_letter(report: R, words: Words) -> Mapping[str, Any]:
    """Return what those scripts read, by the id of its element."""
    composing = composer_data.data(report, words)
    if not report.template or not _is_live(report):
        return composing
    spelling = composing["composer-data"]["spelling"]
    written = {word: own for word, own in spelling["words"].items() if word not in _UNWRITTEN}
    found = {
        "composer-data": composing["composer-data"] | {"spelling": spelling | {"words": written}},
        "marks-data": _marks(report, words, _MARKING_BY_LETTER),
    }
    if ahead_data.offered(report):
        found["answers-data"] = ahead_data.data_by_letter(report, words)
    return found


def scripts(report: R) -> list[str]:
    """Name the scripts of a page that is not sent; none before the first turn and after the end, or
    for a reader who plays neither side."""
    if not _is_live(report):
        return []
    ahead = _AHEAD if ahead_data.offered(report) else ()
    composing = composer_data.scripts(report) or _WATCHING
    return [*dict.fromkeys([*composing, *ahead]), "espionage/marks.js"]


def data(report: R, words: Words) -> Mapping[str, Any]:
    """Return what those scripts read, by the id of its element."""
    if not _is_live(report):
        return {}
    ahead = {"ahead-data": ahead_data.data(report, words)} if ahead_data.offered(report) else {}
    composing = composer_data.data(report, words) or _watching(report, words)
    return {**composing, **ahead, "marks-data": _marks(report, words, _MARKING)}


def sheet(report: R, words: Words) -> list[str]:
    """Return a sheet of a seat that is not awaited, to be filled in by hand, in its reader's
    words."""
    return spelled(words).all(_sheet(report)) if _is_live(report) else []


def _is_live(report: R) -> bool:
    return report.phase == "play" and report.seat in SIDES


def _sheet(report: R) -> Sequence[str]:
    """Return a sheet for the next turn, if sheets are kept, and else one without lines."""
    return ahead_data.sheet(report) if ahead_data.offered(report) else (report.sheet_head(), "END")


def _watching(report: R, words: Words) -> Mapping[str, Any]:
    nothing = (
        say("there are no orders in advance") if ahead_data.offered(report) else say("it is empty")
    )
    first = say("Choose an enemy piece to see what is known about it, or to mark it.")
    return {
        "composer-data": composer_data.march_data(report, _sheet(report), words),
        "watching-data": [report.sheet_head(), words(nothing), words(first)],
    }


def _marks(report: R, words: Words, sentences: Mapping[str, Message]) -> dict[str, Any]:
    """Return the reader's own marks, by square, and what is said where he makes some (9.1)."""
    marks = {piece.square: piece.mark for piece in marked_pieces(report.view)}
    return {"marked": marks, "words": told(sentences, words)}
