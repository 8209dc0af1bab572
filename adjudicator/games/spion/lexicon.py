"""Name the seats and variants of Spion for its players, and hold the words of its order lines."""

from collections.abc import Mapping
from functools import lru_cache

from adjudicator.core.message import Message, Words, say
from adjudicator.core.spelling import Lexicon, Spelling, spelling

SEAT_TITLES: Mapping[str, Message] = {
    "blue": say("Blue"),
    "green": say("Green"),
    "yellow": say("Yellow"),
    "red": say("Red"),
}
VARIANT_TITLES: Mapping[str, Message] = {
    "original": say("original"),
    "quick": say("quick"),
}
LEXICON = Lexicon(
    {
        "MOVE": say("MOVE"),
        "IF": say("IF"),
        "CARD": say("CARD"),
        "NEAR": say("NEAR"),
        "PATH": say("PATH"),
        "CHALLENGE": say("CHALLENGE"),
        "AMBUSH": say("AMBUSH"),
        "VIA": say("VIA"),
        "SWAP": say("SWAP"),
        "PASS": say("PASS"),
        "PLACE": say("PLACE"),
        "FIFTH": say("FIFTH"),
        "OUT": say("OUT"),
        "TO": say("TO"),
        "REFUSE": say("REFUSE"),
        "ANSWER": say("ANSWER"),
        "FINAL": say("FINAL"),
        "TAKE": say("TAKE"),
        "KEEP": say("KEEP"),
        "PHRASE": say("PHRASE"),
    },
    free=("PHRASE",),
)


@lru_cache(maxsize=64)
def spelled(words: Words) -> Spelling:
    """Return how a reader writes order lines of the game."""
    return spelling(LEXICON, SEAT_TITLES, words)
