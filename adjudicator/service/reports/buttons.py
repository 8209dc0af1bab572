"""What the buttons and links of emails to a seat open: emails to its address that are accepted as
they are; and who may ask for a rematch."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import UNSET

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.report import AnyReport
from adjudicator.games import GAMES
from adjudicator.mail.address import MailDomain, seat_address
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import mailto
from adjudicator.reports.button import Links
from adjudicator.reports.words import words
from adjudicator.service.base.loaded_match import Seated
from adjudicator.store.matches import Holder

if TYPE_CHECKING:
    from adjudicator.service.reports.printing import Mailed


def links_of(post: MailDomain | None, report: AnyReport, holder: Holder, email: "Mailed") -> Links:
    """Return what the links of an email with a report open."""
    if post is None or holder.player_id is None:
        return Links()
    tell, game = words(holder.language, report.game), GAMES[report.game]
    link, turn = partial(button_link, post, report, holder), report.turn
    if report.result is not None:
        # Few words: a longer sentence of ours in a message is taken for a part of a quoted email.
        thanks = (f"PRESS TO {email.thanks.upper()}", tell(say("Thanks for the game!")))
        return Links(
            rematch=link(("REMATCH",), say("[{match}] Rematch", match=report.match))
            if email.rematch
            else None,
            thanks=link((*thanks, "ENDPRESS"), say("[{match}] Thanks!", match=report.match))
            if email.thanks
            else None,
            site=email.site or None,
        )
    orders = game.page.suggest(report.view, tell) if report.template else None
    what = say("[{match}] Turn {turn}: orders", match=report.match, turn=turn)
    draw = say("[{match}] Turn {turn}: draw", match=report.match, turn=turn)
    head = report.sheet_head(turn)
    return Links(
        orders=link((report.template[0], *orders.lines, "END"), what)
        if orders and (orders.usual or email.advised)
        else None,
        draw=link((head, "DRAW", "END"), draw) if _is_offered_draw(report) else None,
    )


def _is_offered_draw(report: AnyReport) -> bool:
    """Return whether another seat's offer of a draw stands, and none of the reader's own."""
    offering = () if report.draw_offers is UNSET else report.draw_offers
    return bool(offering) and report.seat not in offering


def button_link(
    post: MailDomain, report: AnyReport, holder: Holder, lines: Sequence[str], subject: Message
) -> str:
    """Return the link of a button that begins an email from the seat. Its order words are English,
    which everybody may write and no program encodes."""
    address = seat_address(post, report.match, report.seat, holder.tenure)
    tell = words(holder.language, report.game)
    return mailto(address, subjects.fit(tell, subject), lines)


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
    if post is None or report.result is None or not can_rematch(loaded):
        return None
    subject = say("[{match}] Rematch", match=report.match)
    return button_link(post, report, loaded.holders[seat], ("REMATCH",), subject)
