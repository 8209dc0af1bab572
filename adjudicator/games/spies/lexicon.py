"""Name the seats and variants of Spies for its players, and hold the words of its order lines
(9.4)."""

from collections.abc import Mapping

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.text import Lexicon, speller
from adjudicator.games.spies.orders.words import OWN_WORDS, TITLES, power_words
from adjudicator.games.spies.rules.atlas import SEATS

VARIANT_TITLES: Mapping[str, Message] = {"standard": say("standard")}
LEXICON = Lexicon(
    {
        **OWN_WORDS,
        "GERMANY": say("GERMANY"),
        "ITALY": say("ITALY"),
        "RUSSIA": say("RUSSIA"),
        "FRANCE": say("FRANCE"),
        "BRITAIN": say("BRITAIN"),
    }
)
SEAT_TITLES: Mapping[Seat, Message] = {seat: TITLES[seat] for seat in SEATS}
spelled = speller(LEXICON, SEAT_TITLES)


def seat_words() -> Mapping[str, Seat]:
    """Return the seats' names in Norwegian and Swedish."""
    return {word: Seat(power) for word, power in power_words().items() if word != power}
