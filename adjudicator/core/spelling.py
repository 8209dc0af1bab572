"""Show order lines in the words of the reader's language.

The lines that we keep are English in every match, so that they can be compared and read again. A
player is shown his own words; the parsers take both.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from adjudicator.core.command_table import TABLE
from adjudicator.core.message import Message, Words, say

# Words that all games share: those around the orders, and the commands that a sheet may hold.
_FRAME: Mapping[str, Message] = {
    "ORDERS": say("ORDERS"),
    "turn": say("turn"),
    "epoch": say("epoch"),
    "END": say("END"),
}
# Lines are spelled word by word, so a command of two words is none of these.
COMMANDS = {
    row.name: row.word for row in TABLE.values() if row.does == "acts" and " " not in row.name
}
_WORD = re.compile(r"[\w-]+")  # the name of a match is one, dashes and all


class Lexicon(Struct, frozen=True):
    """The English words in a game's order lines, with their translations.

    After a word of `free` at the beginning of a line comes a text of the player's own. Those that
    are `former` are taken in matches of older programs alone, so no card of orders has them.
    """

    words: Mapping[str, Message] = {}
    free: tuple[str, ...] = ()
    former: tuple[str, ...] = ()


class Spelling(Struct, frozen=True):
    """A reader's words, by the English words from which they differ; `free` as in `Lexicon`."""

    words: Mapping[str, str]
    free: tuple[str, ...] = ()

    def __call__(self, line: str) -> str:
        """Return the line as its reader writes it."""
        first, blank, text = line.partition(" ")
        if first in self.free:
            return f"{self.words.get(first, first)}{blank}{text}"
        return _WORD.sub(lambda found: self.words.get(found[0], found[0]), line)

    def all(self, lines: Iterable[str]) -> list[str]:
        return [self(line) for line in lines]


def spelling(lexicon: Lexicon, titles: Mapping[Any, Message], words: Words) -> Spelling:
    """Return how a reader writes the lines of a game; `titles` are the names of its seats."""
    known = {
        word: words(message) for word, message in {**_FRAME, **COMMANDS, **lexicon.words}.items()
    }
    seats = {seat: words(title).lower() for seat, title in titles.items()}
    own = {word: told for word, told in {**known, **seats}.items() if word != told}
    return Spelling(own, lexicon.free)
