"""Find the news in a paper: the lines below their heading, in a text and in a page.

A heading and the lines below it are the same words in a text, in the HTML of a letter and in a
page; only lines are broken elsewhere, and some signs are drawn beside them.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from html.parser import HTMLParser

from msgspec import Struct

from adjudicator.core.message import LANGUAGES, Message
from adjudicator.games import GAMES
from adjudicator.reports.words import words

# The headings of the games' text reports, and that of a receipt; their catalogues translate them.
_TITLES = tuple(
    map(Message, ("What happened", "Since your last order", "What came of your orders"))
)
_SECTION = re.compile(r"^(\S[^\n]*)\n-{3,}\n((?:[^\n]+\n)+)", re.M)
# A no-break hyphen and a no-break space keep words together in a page; a zero-width space does not.
_PLAIN = str.maketrans({"\u2011": "-", "\u00a0": " ", "\u200b": None, "\u00ad": None})
_DRAWN = frozenset("|✸")


class News(Struct, frozen=True):
    """The news of a paper: their words, in the languages that have such a heading."""

    languages: tuple[str, ...]
    words: tuple[str, ...]
    of_orders: bool = False  # below the heading of a receipt
    ply: int | None = None  # of the report in which it stands, if that is known


@cache
def _of_orders() -> frozenset[str]:
    return frozenset(words(language, game)(_TITLES[2]) for language in LANGUAGES for game in GAMES)


@cache
def headings() -> Mapping[str, tuple[str, ...]]:
    """Return by heading the languages in which it stands above news."""
    found: dict[str, dict[str, None]] = {}
    for language in LANGUAGES:
        for game in GAMES:
            for title in _TITLES:
                found.setdefault(words(language, game)(title), {})[language] = None
    return {title: tuple(languages) for title, languages in found.items()}


def in_words(text: str) -> tuple[str, ...]:
    """Return the words of news, without the signs that are drawn beside them."""
    return tuple(word for word in text.translate(_PLAIN).split() if word not in _DRAWN)


def in_text(text: str) -> Iterator[tuple[int, News]]:
    """Yield the news of a text whose lines end in LF, and where each stands."""
    for found in _SECTION.finditer(f"{text}\n"):
        if languages := headings().get(found[1]):
            yield found.start(), News(languages, in_words(found[2]), found[1] in _of_orders())


def in_page(html: str) -> Iterator[News]:
    """Yield the news of a page, or of the HTML of a letter."""
    parser = _Lists()
    parser.feed(html)
    parser.close()
    for title, told in parser.sections:
        languages = headings().get(" ".join(title.split()))
        if languages and told:
            yield News(languages, in_words(told), " ".join(title.split()) in _of_orders())


class _Lists(HTMLParser):
    """Keep the text of the subheadings and lists that stand right below each heading."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[tuple[str, str]] = []
        self._made: list[str] = []  # what is read of a title, and then of what stands below it
        self._title: str | None = None
        self._is_over = False  # a list has ended: only a subheading goes on
        self._reads = False  # inside a heading or an item

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "h2":
            self._end()
            self._reads = True
        elif self._title is None:
            return
        elif tag == "h3" or (tag in ("ul", "li") and not self._is_over):
            self._is_over, self._reads = False, tag != "ul"
            self._made.append("\n")
        elif not self._reads:
            self._end()

    def handle_endtag(self, tag: str) -> None:
        if tag == "h2":
            self._title, self._made, self._reads = "".join(self._made), [], False
        elif self._title is not None and tag in ("h3", "li", "ul"):
            self._reads = False
            self._is_over = tag == "ul"

    def handle_data(self, data: str) -> None:
        if self._reads:
            self._made.append(data)

    def close(self) -> None:
        super().close()
        self._end()

    def _end(self) -> None:
        if self._title is not None:
            self.sections.append((self._title, "".join(self._made)))
        self._title, self._made, self._is_over, self._reads = None, [], False, False
