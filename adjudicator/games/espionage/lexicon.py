"""Name the sides and variants of Espionage for its players, and hold the words of its order
lines."""

from collections.abc import Mapping

from adjudicator.core import conditions
from adjudicator.core.message import Message, say
from adjudicator.core.text import Lexicon, speller
from adjudicator.games.espionage.orders.conditions import WORDS as OF_BOARD

SIDE_TITLES: Mapping[str, Message] = {"white": say("White"), "black": say("Black")}
VARIANT_TITLES: Mapping[str, Message] = {
    "standard": say("standard"),
    "fast": say("fast"),
    "small": say("small"),
    "small-fast": say("small-fast"),
    "open-fast": say("open-fast"),
}
LEXICON = Lexicon(
    {
        "SETUP": say("SETUP"),
        "AUTO": say("AUTO"),
        "RANDOM": say("RANDOM"),
        **conditions.WORDS,
        **OF_BOARD,
    }
)
spelled = speller(LEXICON, SIDE_TITLES)
