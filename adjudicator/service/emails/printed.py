"""A report with all that an email or a page has beside it, ready for any form, and an email in its
forms."""

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.report import AnyReport
from adjudicator.games import GAMES
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.render import Prints
from adjudicator.service.emails import links
from adjudicator.service.emails.links import SeatReader
from adjudicator.service.emails.value import Beside


class Forms(Struct, frozen=True):
    """An email as its reader sees it. One that asks for nothing has no `html` but if it is a
    report; `page` is None if none is attached."""

    subject: str
    text: str
    html: str | None
    page: str | None


def prints_of(
    report: AnyReport,
    reader: SeatReader,
    beside: Beside,
    said: ReplyForm | None = None,
    *,
    attached: bool,
    site: str = "",
) -> Prints:
    """Return a report that is to be printed in the forms of `render`; its page is `attached` or
    not. `said` are the words beside it: receipts and their proofs, messages, the lines below. Of a
    match that has ended the club's pages are at `site`."""
    opened = links.links_of(report, reader, beside, site=site)
    own = links.reply_form(report, reader, attached=attached) or ReplyForm()
    reply = replace(
        said or ReplyForm(),
        link=own.link,
        attached=own.attached,
        sheet=own.sheet,
        picture=beside.picture,
        first=beside.first,
        page=beside.page.link,
        built=beside.page.built,
        tips=beside.tips,
        example=links.example(report, reader) if beside.first else None,
        links=opened,
        rematch=opened.rematch,
        rating=beside.rating,
    )
    return Prints(GAMES[report.game], report, reader.language, reader.zone, reply)
