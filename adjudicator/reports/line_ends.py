"""End lines of scripts and styles where a letter would break them anyway.

A letter breaks a line of more than 76 columns, or of 76 that ends in a coded sign, and puts in a
sign and a line end that are not the text's own. A line end of the text where it means nothing
costs less.
"""

import re
from collections.abc import Iterable, Iterator

from adjudicator.reports.script_tokens import Token

_COLUMNS = 75
_STYLE = re.compile(r"\"[^\"]*\"|\([^()]*\)|[{};,]|\n|[^\"(){};,\n]+|[()]")

Piece = tuple[str, bool]  # and whether a line may end behind it


def script(found: Iterable[Token]) -> str:
    """Return a minified script of these tokens, in lines."""
    return "".join(
        _in_lines((token.text, token.kind == "sign" and token.text in "{};,(") for token in found)
    )


def style(text: str) -> str:
    """Return a minified style sheet that says the same."""
    return "".join(_in_lines((piece, piece in "{};,") for piece in _STYLE.findall(text)))


def _in_lines(pieces: Iterable[Piece]) -> Iterator[str]:
    """Yield the pieces with line ends between them, each as late in its line as it can be."""
    line, ends, column = list[str](), 0, 0
    for text, may_end in pieces:
        column += _width(text)
        line.append(text)
        if column > _COLUMNS and ends:
            yield "".join(line[:ends]) + "\n"
            del line[:ends]
            ends, column = 0, sum(map(_width, line))
        column = column % _COLUMNS if column > _COLUMNS else column  # the letter breaks it
        if "\n" in text:
            yield "".join(line)
            line, ends, column = [], 0, _width(text.rpartition("\n")[2])
        elif may_end and column <= _COLUMNS:
            ends = len(line)
    yield "".join(line)


def _width(text: str) -> int:
    """Return how many columns a letter needs for a text."""
    return (
        len(text)
        + 2 * text.count("=")
        + sum(2 + 3 * (sign > "\u07ff") for sign in text if sign > "~")
    )
