"""Print the HTML of an email that is no report and asks its reader for something, and of a daily
email, which holds the HTML of several emails."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup
from msgspec import Struct

from adjudicator.reports.button import Action
from adjudicator.reports.frame import RULE
from adjudicator.reports.render import environment

_LONG = 40  # columns from which on a line of a text was broken, and goes on below


def note_html(
    *,
    language: str,
    about: str,
    headline: str,
    what: Action[str],
    above: Sequence[str],
    below: Sequence[str],
    footer: Sequence[str],
    boards: Mapping[str, tuple[str, str]],
) -> str:
    """Return the HTML of an email that asks for something; `headline` is its largest line. `above`
    the button and `below` it stand paragraphs as the text has them; `boards` are titles and
    pictures by the paragraphs beside which they stand."""
    return (
        environment(language, "")
        .get_template("shared/note.html.j2")
        .render(
            language=language,
            about=about,
            headline=headline,
            what=what,
            above=[" ".join(part.split()) for part in above],
            below=[*_parts(below)],
            boards=boards,
            footer=footer,
        )
    )


def _parts(texts: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield paragraphs with whether their lines are to stay as they are."""
    for text in texts:
        lines = text.strip("\n").split("\n")
        is_prose = all(len(line) > _LONG and line[:1].isalpha() for line in lines[:-1])
        is_prose &= lines[-1][:1] not in (" ", "=", "-")  # an order, or the rule below a heading
        yield (" ".join(lines), False) if is_prose else ("\n".join(lines), True)


_BODY = re.compile(r"<body[^>]*>\n?(.*)</body>", re.S)
# In an email of its own a report is what the email is about.
_ALONE, _AMONG_OTHERS = '<div role="main"', '<div role="article"'
_END = re.compile(r'<div role="contentinfo"|</body>')
_PART = re.compile(r'<hr class="part-(\d{1,4})"[^>]*>\n')


class DailyPart(Struct, frozen=True):
    """What one email would have said: the HTML that it would have had, or else its text under a
    heading."""

    number: int
    heading: str
    text: str = ""
    html: str | None = None


def daily_html(
    *,
    language: str,
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    told: Sequence[str],
    parts: Iterable[DailyPart],
    footer: Sequence[str],
) -> str:
    """Return the HTML of a daily email."""
    inner = [
        (one.number, one.heading, one.text, Markup(within(one.html)) if one.html else None)  # noqa: S704  # a template's
        for one in parts
    ]
    return (
        environment(language, "")
        .get_template("shared/daily.html.j2")
        .render(
            language=language,
            title=title,
            heads=heads,
            rows=rows,
            told=told,
            parts=inner,
            footer=footer,
        )
    )


def within(html: str) -> str:
    """Return what is in the body of an email's HTML, to stand beside others."""
    return body_of(html).replace(_ALONE, _AMONG_OTHERS, 1)


def body_of(html: str) -> str:
    """Return what is in the body of HTML."""
    found = _BODY.search(html)
    return found[1] if found else html


def text_parts_of(text: str) -> list[str]:
    """Return the parts of the text of an email about several matches; those of a daily email are
    numbered from 1 on in its HTML."""
    lines = text.replace("\r\n", "\n").split("\n")
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.rstrip() == RULE:
            parts.append([])
        else:
            parts[-1].append(line)
    return ["\n".join(part).strip("\n") + "\n" for part in parts[1:]]


def parts_of(html: str) -> dict[int, str]:
    """Return the HTML of each part of a daily email, by its number, as `body_of` gives that of an
    email by itself."""
    pieces = _PART.split(_END.split(html)[0])
    return {
        int(number): piece.replace(_AMONG_OTHERS, _ALONE, 1)
        for number, piece in zip(pieces[1::2], pieces[2::2], strict=True)
    }
