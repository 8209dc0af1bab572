"""The sentences of the order composer in a page (`templates/shared/bar.js`) that are the same
in every game.

They keep their `{named}` holes, which the script fills.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import AnyReport
from adjudicator.core.text import Spelling

SHARED: Mapping[str, Message] = {
    "board": say("Board: arrow keys move over it, Enter selects"),
    "copied": say("Orders copied."),
    "instead": say(
        "This sends only {lines}, without any orders. Send it like this, or untick the box."
    ),
    "open": say("'{line}' is not filled in"),
    "unready": say("Not ready to send: {why}."),
    "earlier": say("You have a draft from {when}."),
    "uncopied": say(
        "Your browser does not let the page copy. The orders are selected: copy them by hand."
    ),
}


def told(sentences: Mapping[str, Message], words: Words) -> dict[str, Any]:
    """Translate the sentences into the reader's language."""
    return {name: words(message) for name, message in sentences.items()}


_OUT_OF_TURN: Mapping[str, Message] = {
    "empty": say("Tick a box"),
    "first": say("Tick what you want to send."),
    "chosen": say("Your lines are ready. Now send them."),
}


class OutOfTurn(Struct, frozen=True):
    """What a page has for a reader who waits for the orders of others: scripts, what they read by
    the id of its element, and a sheet without lines in his words."""

    scripts: Sequence[str] = ()
    data: Mapping[str, Any] = {}
    sheet: Sequence[str] = ()


def out_of_turn(report: AnyReport, plays: bool, spelling: Spelling, words: Words) -> OutOfTurn:
    """Return this for a reader who `plays` on, else nothing."""
    if not plays or report.template or report.result is not None:
        return OutOfTurn()
    sheet = (report.sheet_head(), "END")
    said = told({**SHARED, **_OUT_OF_TURN}, words)
    composing = {"sheet": sheet, "draft": draft(report), "words": said}
    data = {"composer-data": composing | {"spelling": to_builtins(spelling)}}
    return OutOfTurn(("shared/bar.js", "shared/out_of_turn_bar.js"), data, spelling.all(sheet))


BY_HAND = ("shared/bar.js", "shared/by_hand.js")
_BY_HAND: Mapping[str, Message] = {
    "first": say("Write your orders into the order sheet."),
    "write": say("Write your orders"),
    "byHand": say("Your orders are as you wrote them. Now send them."),
}


def by_hand(report: AnyReport, spelling: Spelling, words: Words) -> dict[str, Any]:
    """Return what the scripts read with which a sheet is written by hand, by the id of its
    element; nothing if no orders are awaited."""
    if not report.template:
        return {}
    said = told({**SHARED, **_BY_HAND}, words)
    composing = {"sheet": report.template, "draft": draft(report), "words": said}
    return {"composer-data": composing | {"spelling": to_builtins(spelling)}}


def draft(report: AnyReport) -> list[str | int]:
    """Name what a draft of orders belongs to: the match by its name and by the beginning of the
    digest of its seed, which no other club has, the seat and its tenure, the epoch, and last the
    turn. Old reports do not know their tenure and epoch."""
    seed = next((one.digest for one in report.commitments if one.what == "seed"), "")
    epoch = report.epoch or ""
    return [seed[:16], report.match, report.seat, report.tenure or 0, epoch, report.turn]
