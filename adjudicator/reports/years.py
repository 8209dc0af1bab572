"""Call turns by their years in messages of a game that is spoken of so: "1936", not "turn 4"."""

import re
from collections.abc import Callable
from functools import lru_cache

from msgspec.structs import replace

from adjudicator.core.message import Message, Translate, Words, say

_TURN = re.compile(r"\b(?:[Tt]urn|[Rr]unde|[Oo]mgång) \{turn\}")
# There turns are numbered as somebody has typed them, or is to type them.
_TYPED = re.compile(r"ORDERS|\{(?:asked|meant|expect|last)\}|report for")


def in_years(tell_in: Callable[[Translate], Words], translate: Translate, year: int) -> Words:
    """Return a `tell` that says years; `tell_in` makes one with what translates, and `year` is turn
    0."""

    @lru_cache(maxsize=512)
    def without_turns(text: str) -> str:
        told = translate(text)
        return told if _TYPED.search(text) else _TURN.sub("{turn}", told)

    told = tell_in(without_turns)
    return lambda message: told(_with_year(message, year))


def _with_year(message: Message, year: int) -> Message:
    values = {
        name: _with_year(value, year) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    turn = str(values.get("turn", ""))
    if turn.isdigit() and not _TYPED.search(message.text) and _TURN.search(message.text):
        if turn == "0" and message.text.startswith("Set-up"):
            return say("Set-up")
        set_up = say("Set-up") if "Turn {" in message.text else say("the set-up")
        values["turn"] = str(year + int(turn)) if turn != "0" else set_up
    return replace(message, values=values)
