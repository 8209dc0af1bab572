"""Write an email from its value: Subject, text, HTML and page.

Nothing else is read: no rows, no clock and no settings beside the program's own templates and
words. Only the page looks further back, on the earlier reports of its seat.

The page looks back as far as the email has room. The weight of older moments is only known nearly
before they are in a page, so a page that is too heavy is made again with fewer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from textwrap import wrap
from typing import Any

from msgspec import Struct, convert
from msgspec.structs import replace

from adjudicator.core import lookback
from adjudicator.core.message import Message, Words, language_of, say
from adjudicator.core.report import AnyReport
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import mailto, weight
from adjudicator.reports.button import Action, Way
from adjudicator.reports.email_html import DailyPart, daily_html, note_html
from adjudicator.reports.frame import RULE, ReplyForm
from adjudicator.reports.render import WIDTH, Prints, renders
from adjudicator.reports.words import day, short, supported_language, words
from adjudicator.service.emails import links
from adjudicator.service.emails.links import EmailReader, prints_of
from adjudicator.service.emails.paragraphs import DAILY_HEADS, DAILY_TITLE
from adjudicator.service.emails.value import (
    VALUE_ID,
    Ask,
    Beside,
    ClubLines,
    ConfirmedOrders,
    DailyTable,
    EmailText,
    EmailValue,
    Opens,
    file_name,
    to_json,
)
from adjudicator.service.emails.wording import align, as_line, fit, in_words, paragraphs, text_of

# Bytes of an email (emails, section 6); the last one of a match tells all of it.
_MOST, _LAST = 200_000, 400_000
_HEADS = 2_000  # bytes of a report that are neither text, HTML nor page
TURNS_BACK = 30  # on which a page looks back at most; the site and the last page have all
_MOST_NOTE = 64_000  # bytes of one without a report; a longer one is its text alone, made to fit
MOST_HTML = 90_000  # signs of a daily email before encoding, because webmail cuts longer ones
HEADS = 6_000  # bytes of a daily email for its table and the headers
_MATCH = re.compile(r"^\[[^\]]*\] ")  # at the beginning of a subject


class Forms(Struct, frozen=True):
    """An email as its reader sees it. One that asks for nothing has no `html` but if it is a
    report; `page` is None if none is attached."""

    subject: str
    text: str
    html: str | None
    page: str | None


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
        return _write_daily(value, value.table, parts, tell, below)
    if value.said is not None:
        forms = _write_text(value, value.said, tell, below)
        return forms if value.report is None else replace(forms, page=_last_page(value, past))
    if value.kind == "aside":
        return _aside(value, tell, below)
    report, beside, is_whole = value.told, value.beside, not value.part
    reader = EmailReader(value.language, value.zone, address=beside.reply_to)
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
    reader = EmailReader(value.language, value.zone, address=value.beside.reply_to)
    said = ReplyForm(version=value.adjud)
    prints = prints_of(report, reader, Beside(), said, attached=shown == "attached")
    others = weight(prints.form("txt")) + weight(prints.form("letter"))
    return _page(value, prints, report, past, others)


def _page(
    value: EmailValue, prints: Prints, report: AnyReport, past: Sequence[Any], others: int
) -> str:
    """Return the page of an email with the email's value in it, for those who keep pages only. The
    last one of a long match has no room for it beside the value that is attached; that of a very
    long one has no room for the log either, which is in that value."""
    said = to_json(value)
    element = f'<script type="application/json" id="{VALUE_ID}">{said}</script>\n'
    both = others + weight(said) + weight(element)
    page = page_in_email(prints, report, past, both)
    above, end, below = page.rpartition("</body>")
    if not report.record or weight(page) + both <= _LAST - _HEADS:
        return f"{above}{element}{end}{below}"
    attached = others + weight(said)
    page = page_in_email(prints, report, past, attached)
    if weight(page) + attached <= _LAST - _HEADS:
        return page
    return page_in_email(prints.without_log(), report, past, attached)


def _said_beside(
    value: EmailValue, report: AnyReport, below: Sequence[str], file: str
) -> ReplyForm:
    reader = EmailReader(value.language, value.zone, report.game)
    return ReplyForm(
        footer=below,
        receipts=tuple(_confirmed(one, reader) for one in value.receipts),
        proofs=tuple(as_line(line, reader) for one in value.receipts for line in one.proofs),
        press=value.press,
        version=value.adjud,
        value_file="" if value.n is None else file,
    )


def _confirmed(one: ConfirmedOrders, reader: EmailReader) -> str:
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
        and one.kind != "aside"
        and (one.to.match, one.to.seat) == (value.to.match, value.to.seat)
        and one.to.tenure in tenures
        and one.report["ply"] < report.ply
        and one.report["turn"] >= report.turn - TURNS_BACK
    }
    return [convert(by_ply[ply], game.page.past) for ply in sorted(by_ply)]


# An email that is no report: its paragraphs as text and, if it asks its reader for something, as
# HTML with a button for that.


def _write_text(value: EmailValue, said: EmailText, tell: Words, below: Sequence[str]) -> Forms:
    """Write an email of what is `said`; `below` are the lines about the club."""
    subject = subjects.fit(tell, *said.subject)
    told = text_of(said.contents, EmailReader(value.language, value.zone, said.game))
    text = sign(told, below)
    html = _html(value, said, _MATCH.sub("", subject), told, tell, below) if said.asked else None
    if html is not None and weight(text) + weight(html) > _MOST_NOTE:
        html = None
    # A part is headed by its shortest subject.
    return Forms(tell(said.subject[-1]) if value.part else subject, text, html, None)


def _html(
    value: EmailValue,
    said: EmailText,
    headline: str,
    told: str,
    tell: Words,
    below: Sequence[str],
) -> str:
    assert said.asked is not None
    parts, first = told.strip("\n").split("\n\n"), said.asked.above
    shown = [part for at, part in enumerate(parts) if at not in said.asked.only_text]
    boards = {
        " ".join(parts[one.at].split()): (
            words(value.language, one.game)(GAMES.title(one.game)),
            one.picture,
        )
        for one in said.asked.boards
    }
    return note_html(
        language=language_of(tell),
        about=value.to.match or "",
        headline=headline,
        what=_action(value, said.asked, tell),
        above=shown[:first],
        below=shown[first:],
        footer=below,
        boards=boards,
    )


def _action(value: EmailValue, asked: Ask, tell: Words) -> Action[str]:
    def way(opens: Opens) -> Way[str]:
        if opens.page is not None:
            return Way(tell(opens.label), opens.page)
        assert value.beside.reply_to is not None
        about = subjects.fit(tell, opens.subject) if opens.subject else opens.lines[0]
        return Way(tell(opens.label), mailto(value.beside.reply_to, about, opens.lines))

    return Action(
        preview=tell(asked.preview) if asked.preview else "",
        button=way(asked.button) if asked.button else None,
        told=[*map(tell, asked.told)],
        ways=[*map(way, asked.ways)],
    )


# A daily email: a table of its reader's matches, and below it what the emails would have said that
# it stands for, match by match (club, 4.3).


def _write_daily(
    value: EmailValue, table: DailyTable, parts: Sequence[Forms], tell: Words, below: Sequence[str]
) -> Forms:
    """Write a daily email, of which these are the `parts`; `below` are the lines about the club."""
    language = supported_language(value.language)
    today = day(datetime.fromisoformat(table.at), language, value.zone)
    title = tell(replace(DAILY_TITLE, values={"day": today}))
    heads = tuple(map(tell, DAILY_HEADS))
    rows = [
        (
            one.match,
            words(value.language, one.game)(GAMES.title(one.game)),
            tell(one.wanted),
            short(one.due, language, value.zone) if one.due else "-",
        )
        for one in table.rows
    ]
    told = [*map(tell, table.told)]
    head = [f"{title}\n{'=' * len(title)}", align([heads, *rows]) if rows else "", *told]
    texts = (
        f"{RULE}\n\n{whole_text(one, form)}\n" for one, form in zip(value.parts, parts, strict=True)
    )
    html = daily_html(
        language=language,
        title=title,
        heads=heads,
        rows=rows,
        told=told,
        parts=_html_parts(value.parts, parts, tell),
        footer=below,
    )
    text = sign("\n".join([paragraphs(head), *texts]), below)
    return Forms(subjects.fit(tell, *table.subject), text, html, None)


def whole_text(part: EmailValue, forms: Forms) -> str:
    """Return the text of a part as it stands in the email; a report has a heading of its own."""
    heading = forms.subject
    if part.kind == "report" or not heading:
        return forms.text.strip("\n")
    return f"{heading}\n{'-' * len(heading)}\n\n{forms.text.strip()}"


def _html_parts(
    parts: Sequence[EmailValue], forms: Sequence[Forms], tell: Words
) -> Iterator[DailyPart]:
    """Yield the parts of the HTML; what has no room there is in the text alone."""
    room = MOST_HTML - HEADS
    for number, (part, form) in enumerate(zip(parts, forms, strict=True), start=1):
        size = len((form.html or form.text).encode())
        if size > room:
            yield DailyPart(number, form.subject, text=tell(_too_long(part.to.match)))
            continue
        room -= size
        yield DailyPart(number, form.subject, text=form.text.strip("\n"), html=form.html)


def _too_long(match: str) -> Message:
    return say(
        "This part is too long to show here. The plain text of the email has it, and REPORT under "
        "MATCH {match} sends it.",
        match=match,
    )


# The lines below: which club it is from, who runs that, and where its pages are. They are the same
# for all readers and tell nothing of a match.


def footer(club: ClubLines, tell: Words) -> Sequence[str]:
    """Return the lines; none where the settings do not tell what the club is called."""
    lines = [part for part in (club.name, tell(club.reach) if club.reach else "") if part]
    return [*lines, club.site] if lines and club.site else lines


def sign(text: str, lines: Sequence[str]) -> str:
    """Put the lines below a text as a signature, which mail programs leave out of a reply (RFC
    3676, section 4.3)."""
    return "\n".join([text.rstrip("\n"), "", "-- ", *lines, ""]) if lines else text
