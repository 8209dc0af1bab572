"""Find players by their names, as a command or an option gives them."""

from adjudicator.core.message import say
from adjudicator.core.orders import shown
from adjudicator.service.base.refusal import unknown
from adjudicator.store import players
from adjudicator.store.database import Tx


def find(tx: Tx, name: str) -> players.Player:
    """Return the player of that name. Raises Refusal with the nearest name."""
    player = players.find(tx, name)
    if player is None:
        known = [entry.name for entry in players.listed(tx)]
        raise unknown(say("there is no player '{name}'", name=shown(name)), name, known)
    return player
