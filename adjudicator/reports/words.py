"""Translate messages into a reader's language, by two gettext catalogues: the shared one and the
game's own."""

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache, partial
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from msgspec.structs import replace

from adjudicator.core.match import HIDDEN, holder_read
from adjudicator.core.message import LANGUAGES, Message, Translate, Words, say, tell
from adjudicator.core.own_words import Rows, rows_of
from adjudicator.core.report import AnyReport
from adjudicator.resources import (
    PACKAGE,
    Incomplete,
    is_untranslated,
    locale,
    rewordings,
    year_of_set_up,
    zone_of,
)

_ALSO = {"no": "nb", "nn": "nb"}  # a reader of Nynorsk is better served by Bokmål than by English


def supported_language(language: str) -> str:
    """Return the language of ours for a reader who asked for `language` (`nb_NO`, `sv-FI`)."""
    code = language.replace("-", "_").partition("_")[0].casefold()
    code = _ALSO.get(code, code)
    return code if code in LANGUAGES else "en"


@lru_cache(maxsize=256)
def words(language: str, game: str, zone: str = "UTC") -> Words:
    """Return `tell` for a language and a time zone, with the words of one game.

    It is the same object each time, so that what follows from it alone can be kept, too.
    """
    clock = partial(moment_in_words, language=supported_language(language), zone=zone)
    shortly = partial(short, language=supported_language(language), zone=zone)
    translations = catalogue(supported_language(language), game)
    told = partial(tell, ngettext=translations.ngettext, clock=clock, short=shortly)
    if year := year_of_set_up(game):
        return in_years(
            lambda translate: partial(told, gettext=translate), translations.gettext, year
        )
    if supported_language(language) == "en":
        return partial(tell, clock=clock, short=shortly)
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
        today = rewordings().get(message)
        return message if today is None else self._catalogue.gettext(today)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        one, many = (rewordings().get(message) for message in (msgid1, msgid2))
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


_TURN = re.compile(r"\b(?:[Tt]urn|[Rr]unde|[Oo]mgång) \{turn\}")
# There turns are numbered as somebody has typed them, or is to type them.
_TYPED = re.compile(r"ORDERS|\{(?:asked|meant|expect|last)\}|report for")


def in_years(tell_in: Callable[[Translate], Words], translate: Translate, year: int) -> Words:
    """Return a `tell` that says years; `tell_in` makes one with what translates, and `year` is turn
    0."""

    @lru_cache(maxsize=512)
    def without_turns(text: str) -> str:
        told = translate(text)
        return told if _TYPED.search(text) else _TURN.sub("{turn}", told)

    told = tell_in(without_turns)
    return lambda message: told(_with_year(message, year))


def _with_year(message: Message, year: int) -> Message:
    values = {
        name: _with_year(value, year) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    turn = str(values.get("turn", ""))
    if turn.isdigit() and not _TYPED.search(message.text) and _TURN.search(message.text):
        if turn == "0" and message.text.startswith("Set-up"):
            return say("Set-up")
        set_up = say("Set-up") if "Turn {" in message.text else say("the set-up")
        values["turn"] = str(year + int(turn)) if turn != "0" else set_up
    return replace(message, values=values)


def hides_names(report: AnyReport) -> bool:
    """Return whether the match hides who plays it until its end (club, 6.4)."""
    return report.phase != "over" and report.options.get("names") == "hidden"


def holder_name(report: AnyReport, seat: str, words: Words) -> str:
    """Return who plays a seat, as its reader may know it."""
    name = report.players.get(seat, "")
    if hides_names(report) and not name.startswith("computer"):
        name = HIDDEN
    return holder_read(name, words) or words(say("open seat"))


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


_WEEKDAYS = timedelta(days=6)
_OTHERS = frozenset(LANGUAGES) - {"en"}  # a language that nobody knows is English


def moment_in_words(at: str, language: str, zone: str) -> str:
    """Write an RFC 3339 moment; the date stands there once if it is the same in both zones.

    >>> moment("2026-11-24T18:00:00Z", "en", "Europe/Oslo")
    'Tue 24 Nov 2026, 19:00 Europe/Oslo (18:00 UTC)'
    """
    utc = datetime.fromisoformat(at).astimezone(UTC)
    zone = zone_of(zone).key
    if zone == "UTC":
        return f"{_day(utc, language)}, {utc:%H:%M} UTC"
    local = utc.astimezone(zone_of(zone))
    other = "" if local.date() == utc.date() else f"{_day(utc, language)}, "
    return f"{_day(local, language)}, {local:%H:%M} {zone} ({other}{utc:%H:%M} UTC)"


def short(at: str, language: str, zone: str) -> str:
    """Write an RFC 3339 moment in the reader's zone alone, without the year.

    >>> short("2026-08-14T16:00:00Z", "en", "Europe/Oslo")
    'Fri 14 Aug 18:00'
    """
    local = datetime.fromisoformat(at).astimezone(zone_of(zone))
    if language not in _OTHERS:
        return f"{_DAYS[local.weekday()]} {local.day} {_MONTHS[local.month - 1]} {local:%H:%M}"
    from babel.dates import format_date

    return f"{format_date(local.date(), _date(language), locale=language)} {local:%H:%M}"


def brief(at: str, since: str, language: str, zone: str) -> str:
    """Write an RFC 3339 moment for one line: the day of the week within six days of another, and
    else the date.

    >>> brief("2026-08-14T16:00:00Z", "2026-08-12T16:00:00Z", "en", "Europe/Oslo")
    'Fri 18:00'
    >>> brief("2026-08-24T16:00:00Z", "2026-08-12T16:00:00Z", "en", "Europe/Oslo")
    '24 Aug 18:00'
    """
    moment = datetime.fromisoformat(at)
    local = moment.astimezone(zone_of(zone))
    is_near = moment - datetime.fromisoformat(since) < _WEEKDAYS
    if language not in _OTHERS:
        date = f"{local.day} {_MONTHS[local.month - 1]}"
        return f"{_DAYS[local.weekday()] if is_near else date} {local:%H:%M}"
    from babel.dates import format_date

    pattern = "EEE" if is_near else _date(language).removeprefix("EEE ")
    return f"{format_date(local.date(), pattern, locale=language)} {local:%H:%M}"


def day(at: datetime, language: str, zone: str) -> str:
    """Return the date of a moment where the reader lives."""
    return _day(at.astimezone(zone_of(zone)), language)


def _day(at: datetime, language: str) -> str:
    # The dozen English names are here, because a program that runs for one report should not
    # import Babel and its locale data to write "Nov".
    if language not in _OTHERS:
        return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]} {at.year}"
    from babel.dates import format_date

    return format_date(at.date(), f"{_date(language)} y", locale=language)


def _date(language: str) -> str:
    """Return the pattern of a date without its year: Norwegian writes the day as an ordinal."""
    return "EEE d. MMM" if language == "nb" else "EEE d MMM"
