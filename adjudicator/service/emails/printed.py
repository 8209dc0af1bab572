"""A report with all that an email or a page has beside it, ready for any form."""

from msgspec.structs import replace

from adjudicator.core.report import AnyReport
from adjudicator.games import GAMES
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.render import Prints
from adjudicator.service.emails import links
from adjudicator.service.emails.mailed import Mailed, SeatReader


def prints_of(report: AnyReport, reader: SeatReader, email: Mailed, *, attached: bool) -> Prints:
    """Return a report that is to be printed in the forms of `render`; its page is `attached` or
    not."""
    opened = links.links_of(report, reader, email)
    reply = replace(
        links.reply_form(report, reader, attached=attached) or ReplyForm(),
        picture=email.picture,
        first=email.first,
        page=email.page,
        built=email.built,
        footer=email.footer,
        tips=email.tips,
        example=links.example(report, reader) if email.first else None,
        links=opened,
        rematch=opened.rematch,
        rating=email.rating,
        receipts=email.receipts,
        proofs=email.proofs,
        press=email.press,
    )
    return Prints(GAMES[report.game], report, reader.language, reader.zone, reply)
