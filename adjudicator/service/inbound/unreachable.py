"""What follows for a person whose address does not accept email (club, 14).

Offers to it expire, and its entries in tournaments are silent until a letter comes. For turns,
nothing is different.
"""

from datetime import datetime

from adjudicator.service.base.context import Context
from adjudicator.service.club.offers import answering
from adjudicator.store import outbox, players, tournaments
from adjudicator.store.database import Tx
from adjudicator.store.outbox import Returned

# Of letters that go out, or are dropped, by who has sent orders nothing may follow that others see.
UNTOLD = frozenset({"reminder", "leave", *outbox.ANSWERS})


def note(tx: Tx, ours: Returned, *, now: datetime, context: Context) -> None:
    """Note that a letter of ours came back for good. It concerns those whose address on file is
    still the one to which it went.

    This locks rows of the club, so it comes before the letter's match is locked (club, 14).
    """
    if ours.kind in UNTOLD or not ours.address:
        return
    for player in players.all_at(tx, ours.address):
        answering.expire_all(tx, player.id, now=now, context=context)
        tournaments.silence(tx, player.id, now)
