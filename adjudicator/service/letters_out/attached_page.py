"""The page that goes with a report: it looks back as far as the letter has room.

The page that looks back on nothing but the present is made first; what it leaves of the letter's
room is for older moments, of which the newest that fit are printed. Their weight is only known
nearly before they are in a page, so a page that is too heavy is made again with fewer. Where even
the page that does not look back is too heavy, it leaves out what the letter itself tells.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core import lookback
from adjudicator.core.lookback import History
from adjudicator.core.report import AnyReport
from adjudicator.mail.address import Post
from adjudicator.mail.write.compose import weight
from adjudicator.reports import minified
from adjudicator.reports.render import Prints
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.report import printed_report
from adjudicator.service.report.history import looking_back
from adjudicator.service.report.printed_report import Mailed
from adjudicator.store.database import Tx

_HEADS = 2_000  # bytes of a report that are neither text, HTML nor page
_LAST = 250_000  # bytes of a match's last letter, which tells all of it
_TURNS = 30  # on which a page looks back at most; the site and the last page have all


class Forms(Struct, frozen=True):
    text: str
    html: str
    page: str


def forms(tx: Tx, loaded: Seated, report: AnyReport, *, post: Post | None, letter: Mailed) -> Forms:
    """Return a report as the text and the HTML of a letter, and as its page."""
    holder = loaded.holders[report.seat]
    prints = printed_report.prints_of(report, holder, post=post, letter=letter)
    text, html = prints.form("txt"), prints.form("letter")
    most = _LAST if report.record else loaded.game.page.letter(report.view)
    room = most - _HEADS - weight(text) - weight(html)
    page = _looking_back(tx, loaded, report, prints, room)
    if page is None:
        page = minified.page(prints.page_without_history)
    if weight(page) > room:
        page = minified.page(prints.brief_page)
    return Forms(text, html, page)


def _looking_back(
    tx: Tx, loaded: Seated, report: AnyReport, prints: Prints, room: int
) -> str | None:
    """Return the page that looks back as far as it may; None if there is no room for that, or
    nothing to look back on."""
    if report.record:  # it tells all moments, and a last letter nearly always has room for them
        return _fitted(prints, (), prints.history((), room), room, room)
    present = prints.history((), 0)
    if present is None:
        return None
    left = room - weight(minified.page(prints.page_around(present)))
    if left <= 0:
        return None
    turns = max(1, left // loaded.game.page.moment)
    for_moments = left + lookback.weight(present.moments)
    past, history = _past(tx, loaded, report, prints, turns, for_moments)
    return _fitted(prints, past, history, for_moments, room)


def _fitted(
    prints: Prints, past: Sequence[Any], history: History | None, for_moments: int, room: int
) -> str | None:
    """Return the page with no more of what looks back than there is room for."""
    while history and len(history.moments) > 1:
        page = minified.page(prints.page_around(history))
        over = weight(page) - room
        if over <= 0:
            return page
        for_moments = min(for_moments, lookback.weight(history.moments)) - over
        history = prints.history(past, for_moments)
    return None


def _past(
    tx: Tx, loaded: Seated, report: AnyReport, prints: Prints, turns: int, for_moments: int
) -> tuple[Sequence[Any], History | None]:
    """Return the old reports of so many turns, or of more of them as long as all have room, and
    what looks back on them."""
    turns = min(_TURNS, turns)
    past = looking_back(tx, loaded, report, turns_back=turns)
    history = prints.history(past, for_moments)
    if history is None or history.cut or history.complete or turns == _TURNS:
        return past, history
    return _past(tx, loaded, report, prints, 2 * turns, for_moments)
