"""Lay out the text of an email in lines."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from textwrap import wrap

from adjudicator.core.commands import is_command
from adjudicator.core.message import Message, Words, say
from adjudicator.core.orders import Line

WIDTH = 70  # with a mark before them, lines fit into 72 columns, at which programs break them
MOST_ANSWER = 40_000  # bytes of what an answer says, so that the whole email has less than 64 kB
_BEHIND = 8  # one of so many bytes is kept for what stands behind a part that is cut
_LEFT_OUT = say("Part of this reply is missing here, because the email would be too long.")


class Unbroken(str):
    """A paragraph of order lines, none of which may be broken."""


def paragraphs(parts: Sequence[str]) -> str:
    """Join paragraphs into one text; long lines are broken between words."""
    said = (part.strip("\n") if isinstance(part, Unbroken) else _break(part) for part in parts)
    return "\n\n".join(part for part in said if part.strip()) + "\n"


def _break(part: str) -> str:
    return "\n".join(_break_line(line) for line in part.strip("\n").split("\n"))


def fit(parts: Sequence[str], tell: Words, most: int = MOST_ANSWER) -> list[str]:
    """Return the parts of an answer, together not longer than `most`. The first that does not fit
    is cut after a line, and that is said there; of those behind it the short ones, such as codes,
    are kept."""
    kept: list[str] = []
    for _, rows, is_cut in _fit(parts, most):
        kept += ["\n".join(rows)] if rows else []
        kept += [tell(_LEFT_OUT)] if is_cut else []
    return kept


def places_with_room(parts: Sequence[str]) -> list[int]:
    """Return which parts of an answer have room in it, or would have if they were cut."""
    return [at for at, _, _ in _fit(parts, MOST_ANSWER)]


def _fit(parts: Sequence[str], most: int) -> Iterator[tuple[int, list[str], bool]]:
    """Yield the place of each part that has room, the lines of it that have, and whether it is the
    first that is cut."""
    was_cut = False
    for at, part in enumerate(parts):
        rows = part.split("\n")
        sizes = [*accumulate(map(_bytes, rows), initial=0)]
        count = len(rows) if sizes[-1] <= most else bisect_right(sizes, most - most // _BEHIND) - 1
        is_cut = count < len(rows)
        if not (is_cut and was_cut):
            most -= sizes[count]
            yield at, rows[:count], is_cut
        was_cut = was_cut or is_cut


def cut(text: str, most: int) -> tuple[list[str], Message | None]:
    """Return the first lines of a text that fit, and what says so if there are more."""
    rows = text.split("\n")
    sizes = [*accumulate(map(_bytes, rows), initial=0)]
    if sizes[-1] <= most:
        return rows, None
    return rows[: bisect_right(sizes, most - most // _BEHIND) - 1], _LEFT_OUT


def share_out(texts: Sequence[str], tell: Words) -> list[str]:
    """Return texts of which each has its share of an answer; what short ones leave of theirs, long
    ones have."""
    kept, most = [*texts], MOST_ANSWER
    sizes = [sum(map(_bytes, text.split("\n"))) for text in texts]
    shortest_first = sorted(range(len(texts)), key=sizes.__getitem__)
    for left, at in zip(range(len(texts), 0, -1), shortest_first, strict=True):
        kept[at] = "\n\n".join(fit([texts[at]], tell, most // left))
        most -= min(sizes[at], most // left)
    return kept


def _bytes(line: str) -> int:
    """Return how long a line is when it is sent, with its end and where it is broken."""
    octets = line.encode()
    return len(octets) + 2 * sum(octet > 126 or octet == 61 for octet in octets) + 6


_DIGEST = re.compile(r"[0-9a-f]{64}")  # stays in its line with what it is of


def _break_line(line: str) -> str:
    if len(line) <= WIDTH or _DIGEST.search(line):
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
    where our email is sent back and no quotes are marked, it would be obeyed."""
    above = lines[0]
    for line in lines[1:]:
        rest, _, word = above.rpartition(" ")
        if rest.strip() and is_command(Line(0, line)):
            above, line = rest.rstrip(), f"{indent}{word} {line.strip()}"
        yield above
        above = line
    yield above


def align(rows: Sequence[Sequence[str]]) -> str:
    """Return a table with its columns padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
