"""Write an email from its value: Subject, text, HTML and page.

Nothing else is read: no rows, no clock and no settings beside the program's own templates and
words. Only the page looks further back, on the earlier reports of its seat.

The page looks back as far as the email has room. The weight of older moments is only known nearly
before they are in a page, so a page that is too heavy is made again with fewer.
"""

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

from msgspec import convert
from msgspec.structs import replace

from adjudicator.core import lookback
from adjudicator.core.message import Words
from adjudicator.core.report import AnyReport
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import weight
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.render import WIDTH, Prints, renders
from adjudicator.reports.words import words
from adjudicator.service.emails import daily, links, notes
from adjudicator.service.emails.footer import footer, sign
from adjudicator.service.emails.layout import fit
from adjudicator.service.emails.links import SeatReader
from adjudicator.service.emails.printed import Forms, prints_of
from adjudicator.service.emails.value import (
    VALUE_ID,
    Beside,
    ConfirmedOrders,
    EmailValue,
    file_name,
    to_json,
)
from adjudicator.service.emails.wording import AnswerReader, as_line, in_words

# Bytes of an email (emails, section 6); the last one of a match tells all of it.
_MOST, _LAST = 200_000, 400_000
_HEADS = 2_000  # bytes of a report that are neither text, HTML nor page
TURNS_BACK = 30  # on which a page looks back at most; the site and the last page have all


def write(value: EmailValue, past: Sequence[Any] = ()) -> Forms:
    """Write an email from its value. `past` are the earlier reports of the seat, the oldest first,
    as its game's page reads them."""
    return _write(value, past, file_name(value))


def _write(value: EmailValue, past: Sequence[Any], file: str) -> Forms:
    """Write an email, or a part of one, whose value is attached as that file."""
    tell = words(value.language, value.slug, value.zone)
    below = () if value.part else footer(value.club, tell)
    if value.table is not None:
        parts = [_write(one, (), file) for one in value.parts]
        return daily.forms_of(value, value.table, parts, tell, below)
    if value.said is not None:
        forms = notes.forms_of(value, value.said, tell, below)
        return forms if value.report is None else replace(forms, page=_last_page(value, past))
    if value.kind == "aside":
        return _aside(value, tell, below)
    report, beside, is_whole = value.told, value.beside, not value.part
    reader = SeatReader(value.language, value.zone, beside.reply_to)
    own = [line for one in beside.told for line in _lines(tell(one))]
    attached = beside.page.shown == "attached"
    ending = [*below, *own] if is_whole else ()
    said = _said_beside(value, report, ending, file)
    prints = prints_of(report, reader, beside, said, attached=attached, site=value.club.site)
    text, html, page = prints.form("txt"), prints.form("letter"), None
    if is_whole and (attached or report.record is not None):
        others = weight(sign(text, ending)) + weight(html)
        page = _page(value, prints, report, past, others)
    if own:
        text = "\n".join([text.rstrip("\n"), "", *own, ""])
    subject = links.subject_of(report)
    return Forms(
        # A part is headed by its subject, above which the deadline stands.
        subject=subjects.fit(tell, *subject) if is_whole else tell(subject[-1]),
        text=sign(text, below),
        html=html,
        page=page,
    )


def _aside(value: EmailValue, tell: Words, below: Sequence[str]) -> Forms:
    """Write the news of a report by themselves."""
    report, game = value.told, value.game
    said = subjects.aside(report.match, report.turn, tell(game.seat_titles[report.seat]))
    (text,) = renders(game, report, ["aside"], value.language, value.zone)
    return Forms(subjects.fit(tell, said), sign(text, below), None, None)


def _last_page(value: EmailValue, past: Sequence[Any]) -> str:
    """Write the last page of a match, which stands by itself."""
    report, shown = value.told, value.beside.page.shown
    reader = SeatReader(value.language, value.zone, value.beside.reply_to)
    said = ReplyForm(version=value.adjud)
    prints = prints_of(report, reader, Beside(), said, attached=shown == "attached")
    others = weight(prints.form("txt")) + weight(prints.form("letter"))
    return _page(value, prints, report, past, others)


def _page(
    value: EmailValue, prints: Prints, report: AnyReport, past: Sequence[Any], others: int
) -> str:
    """Return the page of an email with the email's value in it, for those who keep pages only. The
    last one of a long match has no room for it beside the value that is attached."""
    said = to_json(value)
    element = f'<script type="application/json" id="{VALUE_ID}">{said}</script>\n'
    both = others + weight(said) + weight(element)
    page = page_in_email(prints, report, past, both)
    above, end, below = page.rpartition("</body>")
    if report.record and weight(page) + both > _LAST - _HEADS:
        return page_in_email(prints, report, past, others + weight(said))
    return f"{above}{element}{end}{below}"


def _said_beside(
    value: EmailValue, report: AnyReport, below: Sequence[str], file: str
) -> ReplyForm:
    reader = AnswerReader(value.language, value.zone, report.game)
    return ReplyForm(
        footer=below,
        receipts=tuple(_confirmed(one, reader) for one in value.receipts),
        proofs=tuple(as_line(line, reader) for one in value.receipts for line in one.proofs),
        press=value.press,
        version=value.adjud,
        value_file="" if value.n is None else file,
    )


def _confirmed(one: ConfirmedOrders, reader: AnswerReader) -> str:
    parts = fit(in_words(one.says, reader), reader.words)
    return "\n".join([*(part.strip("\n") for part in parts if part), reader.words(one.told)])


def _lines(text: str) -> list[str]:
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def page_in_email(prints: Prints, report: AnyReport, past: Sequence[Any], others: int) -> str:
    """Return the page of a report, which looks back as far as the email has room; the `others` of
    its parts have so many bytes."""
    room = (_LAST if report.record else _MOST) - _HEADS - others
    history = prints.history(past, room)
    while history and len(history.moments) > 1:
        page = prints.page_around(history)
        over = weight(page) - room
        if over <= 0:
            return page
        history = prints.history(past, lookback.weight(history.moments) - over)
    return prints.page_without_history


def looking_back(value: EmailValue, earlier: Iterable[EmailValue]) -> Sequence[Any]:
    """Return what the page of an email looks back on, from the values of earlier ones to the same
    seat: the newest of each ply, the oldest ply first. The last report of a match has its record,
    which tells more."""
    report, game = value.told, value.game
    if game.page.past is None or report.record:
        return ()
    tenures = range(0 if game.sight.retold else value.to.tenure, value.to.tenure + 1)
    by_ply = {
        one.report["ply"]: one.report
        for one in sorted(earlier, key=lambda one: one.at)
        if one.report is not None
        and (one.to.match, one.to.seat) == (value.to.match, value.to.seat)
        and one.to.tenure in tenures
        and one.report["ply"] < report.ply
        and one.report["turn"] >= report.turn - TURNS_BACK
    }
    return [convert(by_ply[ply], game.page.past) for ply in sorted(by_ply)]
