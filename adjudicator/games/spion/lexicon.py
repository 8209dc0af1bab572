"""Name the seats and variants of Spion for its players, and hold the words of its order lines."""

from collections.abc import Mapping

from msgspec.structs import replace

from adjudicator.core.message import Message, Words, say
from adjudicator.core.text import Lexicon, speller

SEAT_TITLES: Mapping[str, Message] = {
    "blue": say("Blue"),
    "green": say("Green"),
    "yellow": say("Yellow"),
    "red": say("Red"),
}
# The types of the shipped boards, by what orders, logs and records call them in every language. Own
# boards may have others, which are called the same everywhere.
CARD_TITLES: Mapping[str, Message] = {
    "ATOM": say("ATOM"),
    "FYSIK": say("PHYSICS"),
    "KEMI": say("CHEMISTRY"),
    "RYMD": say("SPACE"),
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
    former=("PHRASE",),
)
# How readers write order lines, types of cards too. A confirmation shows them in another way: with
# the types as they are in the digest.
spelled = speller(replace(LEXICON, words={**LEXICON.words, **CARD_TITLES}), SEAT_TITLES)


def card_title(card: str) -> Message:
    """Return a type as part of a sentence."""
    return CARD_TITLES.get(card) or Message("{card}", {"card": card})  # nothing to translate


def card_read(card: str, words: Words) -> str:
    """Return a type as its reader calls it."""
    return words(card_title(card))
