"""Find the news in a paper: the lines below their heading, in a text and in a page.

A heading and the lines below it are the same words in a text, in the HTML of a letter and in a
page; only lines are broken elsewhere, and some signs are drawn beside them.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct

from adjudicator.core.message import LANGUAGES, Message
from adjudicator.games import GAMES
from adjudicator.mail.read.html_page import Page
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


def in_page(page: Page) -> Iterator[News]:
    """Yield the news of a page, or of the HTML of a letter."""
    for heading, told in page.lists:
        title = " ".join(heading.split())
        languages = headings().get(title)
        if languages and told:
            yield News(languages, in_words(told), title in _of_orders())
