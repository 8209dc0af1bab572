"""Lay out the text of a letter in lines."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from adjudicator.core.commands import is_command
from adjudicator.core.orders import Line

WIDTH = 78


def paragraphs(parts: Sequence[str]) -> str:
    """Join paragraphs into one text; long lines are broken between words."""
    said = "\n\n".join(part.strip("\n") for part in parts if part.strip())
    return "\n".join(_broken(line) for line in said.split("\n")) + "\n"


def _broken(line: str) -> str:
    if len(line) <= WIDTH:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    lines = wrap(
        line,
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(_with_company(lines, indent)) if lines else ""


def _with_company(lines: Sequence[str], indent: str) -> Iterator[str]:
    """Let no command stand by itself in a line, as the last word of "or until you say READY." may:
    where our letter is sent back and no quotes are marked, it would be obeyed."""
    above = lines[0]
    for line in lines[1:]:
        rest, _, word = above.rpartition(" ")
        if rest.strip() and is_command(Line(0, line)):
            above, line = rest.rstrip(), f"{indent}{word} {line.strip()}"
        yield above
        above = line
    yield above


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return a table with its columns padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
