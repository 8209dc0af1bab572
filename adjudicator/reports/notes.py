"""Print the HTML part of an email that is no report and asks its reader for something."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.reports.button import Action
from adjudicator.reports.render import environment

_LONG = 40  # columns from which on a line of a text was broken, and goes on below


def as_html(
    *,
    language: str,
    about: str,
    what: Action,
    above: Sequence[str],
    below: Sequence[str],
    footer: Sequence[str],
    boards: Mapping[str, tuple[str, str]],
) -> str:
    """Return the HTML. `above` the button and `below` it stand paragraphs as the text has them;
    `boards` are titles and pictures by the paragraphs beside which they stand."""
    return (
        environment(language, "")
        .get_template("shared/note.html.j2")
        .render(
            language=language,
            about=about,
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
