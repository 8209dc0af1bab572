"""Write an email that is no report: its paragraphs as text and, if it asks its reader for
something, as HTML with a button for that."""

import re
from collections.abc import Iterator, Sequence

from adjudicator.core.message import Words, language_of
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import mailto, weight
from adjudicator.reports.button import Action, Way
from adjudicator.reports.frame import PROOFS
from adjudicator.reports.notes import as_html
from adjudicator.service.emails.footer import signed
from adjudicator.service.emails.layout import paragraphs
from adjudicator.service.emails.mailed import Forms
from adjudicator.service.emails.value import Ask, EmailText, EmailValue, Opens, Paragraph
from adjudicator.service.emails.wording import AnswerReader, text_of

MOST_ANSWER = 64_000  # bytes of an email; above it the text goes alone, which was made to fit
_MATCH = re.compile(r"^\[[^\]]*\] ")  # at the beginning of a subject


def forms_of(value: EmailValue, said: EmailText, tell: Words, below: Sequence[str]) -> Forms:
    """Write an email of what is `said`; `below` are the lines about the club."""
    subject = subjects.fit(tell, *said.subject)
    headline = _MATCH.sub("", subject)
    parts = [*_parts_of(value, said, tell), (under_proofs(said.proofs, tell), True)]
    whole = "\n\n".join(part for part, _ in parts if part.strip())
    text = signed(f"{whole}\n", below)
    html = _html(value, said, headline, parts, tell, below) if said.asked else None
    if html is not None and weight(text) + weight(html) > MOST_ANSWER:
        html = None
    # A part is headed by its shortest subject.
    return Forms(tell(said.subject[-1]) if value.part else subject, text, html, None)


def _parts_of(value: EmailValue, said: EmailText, tell: Words) -> list[tuple[str, bool]]:
    """Return the paragraphs of the text, and of each whether the HTML has it, too."""
    if said.answer is None:
        return [(_text(one, tell), not one.only_text) for one in said.paragraphs]
    text = text_of(said.answer, AnswerReader(value.language, value.zone, said.game))
    return [(part, True) for part in text.strip("\n").split("\n\n")]


def _text(one: Paragraph, tell: Words) -> str:
    """Return a paragraph as the text has it: the lines of a sentence are broken between words."""
    told = paragraphs([tell(one.told)]).rstrip("\n") if one.told else ""
    return "\n".join([*([told] if told else []), *one.own])


def under_proofs(lines: Sequence[str], tell: Words) -> str:
    """Return lines that somebody may check later, under their heading; empty without any."""
    heading = tell(PROOFS)
    parts = ["\n".join([heading, "-" * len(heading), *lines])] if lines else []
    return paragraphs(parts).strip("\n")


def _html(
    value: EmailValue,
    said: EmailText,
    headline: str,
    parts: Sequence[tuple[str, bool]],
    tell: Words,
    below: Sequence[str],
) -> str:
    assert said.asked is not None
    first = said.asked.above
    return as_html(
        language=language_of(tell),
        about=value.to.match or "",
        what=_action(value, said.asked, headline, tell),
        above=[*_blocks(parts[:first])],
        below=[*_blocks(parts[first:])],
        footer=below,
        boards={},
    )


def _blocks(parts: Sequence[tuple[str, bool]]) -> Iterator[str]:
    """Yield what is shown of some paragraphs; one may have blank lines in it."""
    for text, is_shown in parts:
        if is_shown and text.strip():
            yield from text.strip("\n").split("\n\n")


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
