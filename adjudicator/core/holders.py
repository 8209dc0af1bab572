"""What a reader is told of who holds a seat. A built-in player is kept under the name that a game
master gives the seat to; no person is called so."""

from collections.abc import Mapping

from adjudicator.core.message import Message, Value, Words, say
from adjudicator.core.printable import one_line

_BUILT_IN: Mapping[str, Message] = {
    "computer": say("computer"),
    "computer:cautious": say("computer:cautious"),
    "computer:random": say("computer:random"),
}


def holder(name: str) -> Value:
    """Whoever has that name, to be told within a sentence."""
    return _BUILT_IN.get(name) or one_line(name)


def holder_read(name: str, words: Words) -> str:
    """The same in one reader's words; empty for a seat that nobody holds."""
    return words(_BUILT_IN[name]) if name in _BUILT_IN else one_line(name)
