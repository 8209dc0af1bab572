"""Name the seats and variants for players, and hold the words of the order lines."""

from collections.abc import Mapping

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.text import Lexicon
from tests.games.skeleton.game.rules import CROSS, NOUGHT

SEAT_TITLES: Mapping[Seat, Message] = {CROSS: say("Cross"), NOUGHT: say("Nought")}
VARIANT_TITLES: Mapping[str, Message] = {"standard": say("standard")}
LEXICON = Lexicon({"CLAIM": say("CLAIM")})
