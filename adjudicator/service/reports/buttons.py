"""To which address a seat's holder writes, and who may ask for a rematch."""

from adjudicator.core.match import Seat
from adjudicator.core.report import AnyReport
from adjudicator.mail.address import MailDomain, seat_address
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.emails import links
from adjudicator.service.emails.mailed import SeatReader
from adjudicator.store.matches import Holder


def seat_reader(post: MailDomain | None, report: AnyReport, holder: Holder) -> SeatReader:
    """Return who reads a seat's report. Nobody writes for a seat that no person holds, nor to a
    club that has no address."""
    if post is None or holder.player_id is None:
        return SeatReader(holder.language, holder.zone)
    address = seat_address(post, report.match, report.seat, holder.tenure)
    return SeatReader(holder.language, holder.zone, address)


def can_rematch(loaded: Seated) -> bool:
    """Return whether two or more people play, and no seat is open."""
    holders = loaded.holders.values()
    people = {one.player_id for one in holders if one.player_id is not None}
    return len(people) > 1 and all(one.shown_name for one in holders)


def rematch_link(
    post: MailDomain | None, loaded: Seated, seat: Seat, report: AnyReport
) -> str | None:
    """Return what begins an email from the seat that asks for a rematch; None if there is nobody to
    be asked, or the match goes on."""
    reader = seat_reader(post, report, loaded.holders[seat])
    if reader.address is None or report.result is None or not can_rematch(loaded):
        return None
    return links.rematch(report, reader)
