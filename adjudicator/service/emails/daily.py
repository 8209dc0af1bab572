"""Write a daily email: a table of its reader's matches, and below it what the emails would have
said that it stands for, match by match (club, 4.3)."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from adjudicator.core.message import Message, Words, say
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.reports.daily import DailyPart, as_html
from adjudicator.reports.frame import RULE
from adjudicator.reports.words import day, short, supported_language, words
from adjudicator.service.emails.footer import sign
from adjudicator.service.emails.layout import align, paragraphs
from adjudicator.service.emails.printed import Forms
from adjudicator.service.emails.value import DailyTable, EmailValue

MOST_HTML = 90_000  # signs before encoding, because webmail cuts longer emails
HEADS = 6_000  # bytes for the table and the headers


def forms_of(
    value: EmailValue, table: DailyTable, parts: Sequence[Forms], tell: Words, below: Sequence[str]
) -> Forms:
    """Write a daily email, of which these are the `parts`; `below` are the lines about the club."""
    language = supported_language(value.language)
    title = tell(
        say(
            "Your matches on {day}", day=day(datetime.fromisoformat(table.at), language, value.zone)
        )
    )
    heads = tuple(map(tell, (say("Match"), say("Game"), say("Waiting for"), say("Until"))))
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
    html = as_html(
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
