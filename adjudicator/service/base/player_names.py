"""Find players by their names, as a command or an option gives them."""

import unicodedata

from adjudicator.core.message import say
from adjudicator.core.orders import shown
from adjudicator.service.base.refusal import unknown
from adjudicator.store import players
from adjudicator.store.database import Tx


def spelt(text: str) -> str:
    """Return a name as it is stored, however its blanks and its accents were typed."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def find(tx: Tx, text: str) -> players.Player:
    """Return the player of that name. Raises Refusal with the nearest name."""
    name = spelt(text)
    player = players.find(tx, name)
    if player is None:
        known = [entry.name for entry in players.listed(tx)]
        raise unknown(say("there is no player '{name}'", name=shown(name)), name, known)
    return player
