"""Translate messages into a reader's language, by two gettext catalogues: the shared one and the
game's own."""

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from adjudicator.core.message import LANGUAGES, Words, tell
from adjudicator.core.own_words import Rows, rows_of
from adjudicator.reports.times import moment
from adjudicator.reports.years import in_years
from adjudicator.resources import (
    PACKAGE,
    Incomplete,
    is_untranslated,
    locale,
    reworded,
    year_of_set_up,
)

_ALSO = {"no": "nb", "nn": "nb"}  # a reader of Nynorsk is better served by Bokmål than by English


def spoken(language: str) -> str:
    """Return the language of ours for a reader who asked for `language` (`nb_NO`, `sv-FI`)."""
    code = language.replace("-", "_").partition("_")[0].casefold()
    code = _ALSO.get(code, code)
    return code if code in LANGUAGES else "en"


@lru_cache(maxsize=256)
def words(language: str, game: str, zone: str = "UTC") -> Words:
    """Return `tell` for a language and a time zone, with the words of one game.

    It is the same object each time, so that what follows from it alone can be kept, too.
    """
    clock = partial(moment, language=spoken(language), zone=zone)
    translations = catalogue(spoken(language), game)
    told = partial(tell, ngettext=translations.ngettext, clock=clock)
    if year := year_of_set_up(game):
        return in_years(
            lambda translate: partial(told, gettext=translate), translations.gettext, year
        )
    if spoken(language) == "en":
        return partial(tell, clock=clock)
    return partial(told, gettext=translations.gettext)


@cache
def catalogue(language: str, game: str) -> NullTranslations:
    """Return the game's catalogue in a language, backed by the shared one; empty for English.

    Raises Incomplete if it is missing, but for a game that does not come with the program: it need
    not speak every language.
    """
    return load_catalogue(language, game)


def load_catalogue(language: str, game: str) -> NullTranslations:
    """Read the catalogue from the disk."""
    if language == "en":
        return NullTranslations()
    shared = _load(PACKAGE / "locale", language, "adjud")
    found = _of_game(game, language) or shared
    if found is not shared:
        found.add_fallback(shared)
    shared.add_fallback(_RewordedFallback(found))
    return found


def _of_game(game: str, language: str) -> "_Catalogue | None":
    if not game or is_untranslated(game, language):
        return None
    return _load(locale(game), language, game)


class _RewordedFallback(NullTranslations):
    """The last fallback: it looks the message up again by what it says today."""

    def __init__(self, catalogue: NullTranslations) -> None:
        super().__init__()
        self._catalogue = catalogue

    def gettext(self, message: str) -> str:
        today = reworded().get(message)
        return message if today is None else self._catalogue.gettext(today)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        one, many = (reworded().get(message) for message in (msgid1, msgid2))
        if one is None:
            return msgid1 if n == 1 else msgid2
        return self._catalogue.ngettext(one, many or msgid2, n)


class _Catalogue(GNUTranslations):
    _catalog: Mapping[str | tuple[str, int], str]  # GNUTranslations' own

    def sentences(self) -> Iterator[str]:
        """Yield all sentences, in English and as they are translated."""
        for english, translated in self._catalog.items():
            yield english if isinstance(english, str) else english[0]
            yield translated


def _load(home: Path, language: str, name: str) -> _Catalogue:
    """Read the compiled catalogue, or its source if the compiled one is missing or older."""
    source = home / language / "LC_MESSAGES" / f"{name}.po"
    compiled = source.with_suffix(".mo")
    read = source if source.is_file() and not _is_current(compiled, source) else compiled
    try:
        if read == source:
            return _compile(source)
        return _Catalogue(BytesIO(compiled.read_bytes()))
    except (OSError, ValueError, struct.error) as trouble:  # gettext's own for a broken file
        raise Incomplete(read) from trouble


def _is_current(compiled: Path, source: Path) -> bool:
    """Return whether the compiled catalogue is there and not older than a source that somebody
    edits."""
    if not compiled.is_file():
        return False
    return not source.is_file() or compiled.stat().st_mtime >= source.stat().st_mtime


def _compile(source: Path) -> _Catalogue:
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = BytesIO()
    with source.open("rb") as file:
        write_mo(compiled, read_po(file))
    compiled.seek(0)
    return _Catalogue(compiled)


_HOLE = re.compile(r"%\(\w+\)[a-z]|\{\w+\}")


@cache
def rows_of_sentences(games: Sequence[str]) -> Rows:
    """Return the rows of words of all that we say in any language, without what stands in the holes
    of a sentence. `games` are those whose catalogues are read, too."""
    homes = [(PACKAGE / "locale", "adjud"), *((locale(game), game) for game in games)]
    read = (
        _load(home, code, name)
        for code in LANGUAGES
        if code != "en"
        for home, name in homes
        if name == "adjud" or not is_untranslated(name, code)
    )
    return rows_of(part for one in read for said in one.sentences() for part in _HOLE.split(said))
