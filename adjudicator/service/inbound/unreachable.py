"""What follows for a person whose address does not accept email (club, 14).

Offers to it expire, and its entries in tournaments are silent until a letter comes. For turns,
nothing is different.
"""

from datetime import datetime

from adjudicator.core.email_kinds import KINDS
from adjudicator.service.base.context import Context
from adjudicator.service.club.offers import answering
from adjudicator.store import players, tournaments
from adjudicator.store.database import Tx
from adjudicator.store.outbox import Returned


def note(tx: Tx, ours: Returned, *, now: datetime, context: Context) -> None:
    """Note that a letter of ours came back for good. It concerns those whose address on file is
    still the one to which it went.

    Nothing that others see may follow from an email that depends on who has sent orders.

    This locks rows of the club, so it comes before the letter's match is locked (club, 14).
    """
    if KINDS[ours.kind].depends_on_orders or not ours.address:
        return
    for player in players.all_at(tx, ours.address):
        answering.expire_all(tx, player.id, now=now, context=context)
        tournaments.silence(tx, player.id, now)
