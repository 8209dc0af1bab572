"""The page that goes with a report: it looks back as far as the email has room.

The weight of older moments is only known nearly before they are in a page, so a page that is too
heavy is made again with fewer.
"""

from msgspec import Struct

from adjudicator.core import lookback
from adjudicator.core.report import AnyReport
from adjudicator.mail.address import MailDomain
from adjudicator.mail.write.compose import weight
from adjudicator.reports.render import Prints
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.outbound.footer import signed
from adjudicator.service.reports import printing
from adjudicator.service.reports.printing import Mailed
from adjudicator.service.reports.standing import looking_back
from adjudicator.store.database import Tx

# Bytes of an email (emails, section 6); the last one of a match tells all of it.
_MOST, _LAST = 200_000, 400_000
_HEADS = 2_000  # bytes of a report that are neither text, HTML nor page
_TURNS = 30  # on which a page looks back at most; the site and the last page have all


class ReportForms(Struct, frozen=True):
    text: str
    html: str
    page: str


def report_forms(
    tx: Tx, loaded: Seated, report: AnyReport, *, post: MailDomain | None, email: Mailed
) -> ReportForms:
    """Return a report as the text and the HTML of an email, and as its page."""
    holder = loaded.holders[report.seat]
    prints = printing.prints_of(report, holder, post=post, email=email)
    text, html = prints.form("txt"), prints.form("letter")
    most = _LAST if report.record else _MOST
    room = most - _HEADS - weight(signed(text, email.footer)) - weight(html)
    page = _looking_back(tx, loaded, report, prints, room)
    return ReportForms(text, html, page or prints.page_without_history)


def _looking_back(
    tx: Tx, loaded: Seated, report: AnyReport, prints: Prints, room: int
) -> str | None:
    """Return the page that looks back as far as it may; None if there is no room for that, or
    nothing to look back on."""
    past = looking_back(tx, loaded, report, turns_back=_TURNS)
    history = prints.history(past, room)
    while history and len(history.moments) > 1:
        page = prints.page_around(history)
        over = weight(page) - room
        if over <= 0:
            return page
        history = prints.history(past, lookback.weight(history.moments) - over)
    return None
