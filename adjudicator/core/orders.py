"""What every order parser returns, and how every line of orders is cleaned before it is read."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Generic, TypeVar

from msgspec import Struct

from adjudicator.core.message import Message

O_co = TypeVar("O_co", covariant=True)


class Line(Struct, frozen=True):
    """One line as it was written; `number` counts from 1 in the file or letter."""

    number: int
    text: str


class Problem(Struct, frozen=True):
    """What is wrong with a line and what would be right; line 0 means the sheet as a whole."""

    line: int
    text: str
    message: Message


class Written(Struct, Generic[O_co], frozen=True):
    """An order and the line on which it was written."""

    order: O_co
    line: Line


class Sheet(Struct, Generic[O_co], frozen=True):
    """What one seat sends for one turn, as far as it was understood."""

    written: tuple[Written[O_co], ...]
    problems: tuple[Problem, ...]

    @property
    def orders(self) -> tuple[O_co, ...]:
        return tuple(entry.order for entry in self.written)


def problem(line: Line, message: Message) -> Problem:
    return Problem(line.number, line.text, message)


# Typographic signs that mail programs and phones put in place of the plain ones. NFKC does the
# full-width forms and no-break spaces.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−⁃﹘﹣－", "-"),  # noqa: RUF001
        **dict.fromkeys("→➔➜⇒⟶", ">"),
        **dict.fromkeys("‘’‚‛′", "'"),  # noqa: RUF001
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f", None),
        **dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", None),
        "\t": " ",
    }
)
_COMMENT = re.compile(r"#.*|//.*")
_BULLET = re.compile(r"^\s*[-*•]\s+(?=\S)")
_BOLD = re.compile(
    r"^\s*\*(?![\s*])([^*]+)(?<!\s)\*\s*$"
)  # as mail programs write it in plain text
_LIST_NUMBER = re.compile(r"^\s*\d+[.)](?=\s|$|[^\W\d_])")


def clean(text: str) -> str:
    """A line with plain signs, without comment, bold, bullet, list number and outer blanks."""
    plain = unicodedata.normalize("NFKC", text.translate(_PLAIN)).translate(_PLAIN)
    said = _BOLD.sub(r"\1", _COMMENT.sub("", plain))
    return _LIST_NUMBER.sub("", _BULLET.sub("", said)).strip()


def split_lines(text: str) -> tuple[Line, ...]:
    """The lines of a text; only LF, CR LF and CR end one."""
    return tuple(Line(i, line) for i, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1))


def cleaned(lines: Iterable[Line]) -> Iterator[tuple[Line, str]]:
    """Each line that says something, with its cleaned text."""
    for line in lines:
        if text := clean(line.text):
            yield line, text


def folded(word: str) -> str:
    """A word as it is looked up: no case, no accents, so that `LOYTNANT` finds `løytnant`."""
    if word.isascii():
        return word.lower()
    plain = word.casefold().replace("ø", "o").replace("æ", "ae")
    decomposed = unicodedata.normalize("NFKD", plain)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def shown(text: str, limit: int = 40) -> str:
    """What a player wrote, fit to be quoted to him: one line, printable, not too long."""
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text.strip())
    return printable if len(printable) <= limit else printable[: limit - 1] + "…"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant."""
    close = get_close_matches(folded(word), {folded(k): k for k in known}, n=1, cutoff=0.6)
    return next((k for k in known if close and folded(k) == close[0]), None)
