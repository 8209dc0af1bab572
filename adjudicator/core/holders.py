"""Name the holder of a seat for a reader.

A built-in player is stored under the name by which the game master gave it the seat (`computer`);
no person can have that name.
"""

from collections.abc import Mapping

from adjudicator.core.message import Message, Value, Words, say
from adjudicator.core.printable import one_line

_BUILT_IN: Mapping[str, Message] = {
    "computer": say("computer"),
    "computer:cautious": say("computer:cautious"),
    "computer:random": say("computer:random"),
}


def holder(name: str) -> Value:
    """Return the holder's name as part of a sentence; a built-in player's is translated."""
    return _BUILT_IN.get(name) or one_line(name)


def holder_read(name: str, words: Words) -> str:
    """Return the holder's name in the reader's language; empty for a seat that nobody holds."""
    return words(_BUILT_IN[name]) if name in _BUILT_IN else one_line(name)
