"""The sentences of the order composer in a page (`templates/shared/composing.js`) that are the same
in every game.

They keep their `{named}` holes, which the script fills.
"""

from collections.abc import Mapping
from typing import Any

from adjudicator.core.message import Message, Words, say

SHARED: Mapping[str, Message] = {
    "board": say("The board: arrow keys move over it, Enter chooses"),
    "copied": say("The sheet is copied."),
    "open": say("'{line}' is not filled in"),
    "unready": say("Not to be sent yet: {why}."),
    "uncopied": say("The browser does not let a page copy; the sheet is marked, copy it by hand."),
}


def told(sentences: Mapping[str, Message], words: Words) -> dict[str, Any]:
    """Translate the sentences into the reader's language."""
    return {name: words(message) for name, message in sentences.items()}
