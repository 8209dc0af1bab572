"""Write a moment for a reader: in his time zone, with its name, and in UTC."""

from datetime import UTC, datetime, timedelta

from adjudicator.core.message import LANGUAGES
from adjudicator.resources import zone_of

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


_WEEKDAYS = timedelta(days=6)
_OTHERS = frozenset(LANGUAGES) - {"en"}  # a language that nobody knows is English


def moment(at: str, language: str, zone: str) -> str:
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
