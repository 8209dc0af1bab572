"""Who may ask for a rematch, and what the button of a seat's page on the site opens."""

from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.core.report import AnyReport
from adjudicator.mail.address import MailDomain
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.reports.buttons import button_link


def is_possible(loaded: Seated) -> bool:
    """Return whether two or more people play, and no seat is open."""
    holders = loaded.holders.values()
    people = {one.player_id for one in holders if one.player_id is not None}
    return len(people) > 1 and all(one.shown_name for one in holders)


def link(post: MailDomain | None, loaded: Seated, seat: Seat, report: AnyReport) -> str | None:
    """Return what begins an email from the seat that asks for a rematch; None if there is nobody to
    be asked, or the match goes on."""
    if post is None or report.result is None or not is_possible(loaded):
        return None
    subject = say("[{match}] Rematch", match=report.match)
    return button_link(post, report, loaded.holders[seat], ("REMATCH",), subject)
