"""Find the news in a paper: the lines below their heading, in a text and in a page.

A heading and the lines below it are the same words in a text, in the HTML of an email and in a
page; only lines are broken elsewhere, and some signs are drawn beside them.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct

from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.games import GAMES
from adjudicator.mail.read.html_page import ParsedPage
from adjudicator.reports.words import words

# The headings of the games' text reports, that of a receipt, and that of pages with whole sentences
# below the first of them; their catalogues translate them.
_TITLES = tuple(
    map(
        Message,
        (
            *("What happened", "Since your last order", "What came of your orders"),
            "The same in codes",
        ),
    )
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


def in_page(page: ParsedPage) -> Iterator[News]:
    """Yield the news of a page, or of the HTML of an email."""
    for heading, told in page.lists:
        title = " ".join(heading.split())
        languages = headings().get(title)
        if languages and told:
            yield News(languages, in_words(told), title in _of_orders())


# Find in a paper in which epoch of its club it was made, and which restores it tells of.


# The same in every language of ours: `Epoch kqxmd ends with ply 22, epoch wvtrn begins.`
_RESTORE = re.compile(r"\bepo\w+ ([a-z]{3,5}) \D{1,40}?(\d{1,9}), epo\w+ ([a-z]{3,5})\b", re.I)
_EPOCH = re.compile(r"^epo\w+: ([a-z]{3,5})$", re.I | re.M)
_HEAD = re.compile(r"^ORDR?ER?S? .*\bepo\w+ ([a-z]{3,5})\d{1,9}\s*$", re.I | re.M)
_ID = re.compile(r"<[a-z2-7]{16}\.([a-z0-9-]+)\.(?:([a-z]{3,5})\.)?[a-z2-7]{16}@.*>", re.I | re.S)


class Restore(Struct, frozen=True, order=True):
    """Tell that a club was restored: after that ply of the epoch `ended` the match was played on
    anew, in the epoch `begun`."""

    ply: int
    ended: str
    begun: str


def restores_in(text: str) -> tuple[Restore, ...]:
    """Return the restores of which a text tells, however its lines are broken."""
    said = re.sub(r"[\s|]+", " ", text)
    found = (one.groups() for one in _RESTORE.finditer(said))
    return tuple(dict.fromkeys(Restore(int(ply), ended, begun) for ended, ply, begun in found))


def epoch_in(text: str) -> str | None:
    """Return the epoch that a report names; None if it names none."""
    found = _EPOCH.search(text) or _HEAD.search(text)
    return found[1].lower() if found else None


def of_letter(message_id: str) -> tuple[str, str] | None:
    """Return the match of an email and its epoch, which is empty before the club's first restore;
    None if it is none of ours to a seat."""
    found = _ID.fullmatch(message_id.strip())
    return (found[1].lower(), (found[2] or "").lower()) if found else None


# Tell what a report says of orders that it has used from the confirmation of them.


def is_claim(before: str) -> bool:
    """Return whether a digest follows on the line by which a report says when orders came that it
    has used; a receipt follows on its orders or on a heading."""
    above = before.rstrip("\n").split("\n")[:-1]
    last = next((line for line in reversed(above) if line.strip()), "")
    return not last.startswith("  ") and last.split(" ")[0] in _words_of_claim()


@cache
def _words_of_claim() -> frozenset[str]:
    """Return the word with which that line begins, in each language."""
    line = say(
        "Received for turn {turn}, version {revision}: {moment}", turn=1, revision=1, moment=""
    )
    return frozenset(words(language, "")(line).split()[0] for language in LANGUAGES)
