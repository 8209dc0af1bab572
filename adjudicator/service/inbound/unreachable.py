"""What follows for a person whose address does not accept email (club, 14).

Offers to it expire, and its entries in tournaments are silent until an email comes. For turns,
nothing is different.
"""

from adjudicator.core.email_kinds import KINDS
from adjudicator.service.base.session import Session
from adjudicator.service.club.offers import answering
from adjudicator.store import players, tournaments
from adjudicator.store.outbox import Returned


def note(s: Session, ours: Returned) -> None:
    """Note that an email of ours came back for good. It concerns those whose address on file is
    still the one to which it went.

    Nothing that others see may follow from an email that depends on who has sent orders.

    This locks rows of the club, so it comes before the email's match is locked (club, 14).
    """
    if KINDS[ours.kind].depends_on_orders or not ours.address:
        return
    for player in players.all_at(s.tx, ours.address):
        answering.expire_all(s, player.id)
        tournaments.silence(s.tx, player.id, s.now)
