"""The link of a seat's page that begins an email which asks for a rematch."""

from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.mail.address import MailDomain, seat_address
from adjudicator.mail.write.compose import mailto
from adjudicator.reports.words import words
from adjudicator.service.base.loaded_match import Seated


def link(post: MailDomain | None, loaded: Seated, seat: Seat) -> str | None:
    """Return the link for a seat of an ended match; None if there is nobody to be asked."""
    holders = loaded.holders.values()
    people = {one.player_id for one in holders if one.player_id is not None}
    if post is None or len(people) < 2 or not all(one.shown_name for one in holders):
        return None
    holder, match = loaded.holders[seat], loaded.match.name
    subject = words(holder.language, "")(say("[{match}] Rematch", match=match))
    return mailto(seat_address(post, match, seat, holder.tenure), subject, ["REMATCH"])
