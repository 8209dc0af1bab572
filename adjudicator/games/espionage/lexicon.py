"""What players of Espionage call its sides, and the words of its order lines, to be translated."""

from collections.abc import Mapping

from adjudicator.core.message import Message, Words, say
from adjudicator.core.spelling import Lexicon, Spelling, spelling

SIDE_TITLES: Mapping[str, Message] = {"white": say("White"), "black": say("Black")}
LEXICON = Lexicon({"SETUP": say("SETUP"), "RANDOM": say("RANDOM")})


def spelled(words: Words) -> Spelling:
    """How a reader writes order lines of the game."""
    return spelling(LEXICON, SIDE_TITLES, words)
