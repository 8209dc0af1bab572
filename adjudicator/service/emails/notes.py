"""Write an email that is no report: its paragraphs as text and, if it asks its reader for
something, as HTML with a button for that."""

import re
from collections.abc import Sequence

from adjudicator.core.message import Words, language_of
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import mailto, weight
from adjudicator.reports.button import Action, Way
from adjudicator.reports.notes import as_html
from adjudicator.reports.words import words
from adjudicator.service.emails.footer import sign
from adjudicator.service.emails.printed import Forms
from adjudicator.service.emails.value import Ask, EmailText, EmailValue, Opens
from adjudicator.service.emails.wording import AnswerReader, text_of

MOST_ANSWER = 64_000  # bytes of an email; above it the text goes alone, which was made to fit
_MATCH = re.compile(r"^\[[^\]]*\] ")  # at the beginning of a subject


def forms_of(value: EmailValue, said: EmailText, tell: Words, below: Sequence[str]) -> Forms:
    """Write an email of what is `said`; `below` are the lines about the club."""
    subject = subjects.fit(tell, *said.subject)
    told = text_of(said.contents, AnswerReader(value.language, value.zone, said.game))
    text = sign(told, below)
    html = _html(value, said, _MATCH.sub("", subject), told, tell, below) if said.asked else None
    if html is not None and weight(text) + weight(html) > MOST_ANSWER:
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
    return as_html(
        language=language_of(tell),
        about=value.to.match or "",
        what=_action(value, said.asked, headline, tell),
        above=shown[:first],
        below=shown[first:],
        footer=below,
        boards=boards,
    )


def _action(value: EmailValue, asked: Ask, headline: str, tell: Words) -> Action:
    def way(opens: Opens) -> Way:
        if opens.page is not None:
            return Way(tell(opens.label), opens.page)
        assert value.beside.reply_to is not None
        about = subjects.fit(tell, opens.subject) if opens.subject else opens.lines[0]
        return Way(tell(opens.label), mailto(value.beside.reply_to, about, opens.lines))

    return Action(
        headline=headline,
        preview=tell(asked.preview) if asked.preview else "",
        button=way(asked.button) if asked.button else None,
        told=[*map(tell, asked.told)],
        ways=[*map(way, asked.ways)],
    )
