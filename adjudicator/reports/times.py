"""Moments as a reader sees them: in his zone, named, beside UTC."""

from datetime import UTC, datetime, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def moment(at: str, language: str, zone: str) -> str:
    """An RFC 3339 moment with the date once, where both zones have the same.

    >>> moment("2026-11-24T18:00:00Z", "en", "Europe/Oslo")
    'Tue 24 Nov 2026, 19:00 Europe/Oslo (18:00 UTC)'
    """
    utc = datetime.fromisoformat(at).astimezone(UTC)
    if zone == "UTC":
        return f"{_day(utc, language)}, {utc:%H:%M} UTC"
    local = utc.astimezone(_zone(zone))
    other = "" if local.date() == utc.date() else f"{_day(utc, language)}, "
    return f"{_day(local, language)}, {local:%H:%M} {zone} ({other}{utc:%H:%M} UTC)"


def day(at: datetime, language: str, zone: str) -> str:
    """The date of a moment where the reader lives."""
    return _day(at.astimezone(_zone(zone)), language)


@cache
def _zone(name: str) -> tzinfo:
    return ZoneInfo(name)


def _day(at: datetime, language: str) -> str:
    # English has its dozen names here, because a program that is started for one report should
    # not import Babel and its locale data to write "Nov".
    if language == "en":
        return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]} {at.year}"
    from babel.dates import format_date

    return format_date(at.date(), "EEE d MMM y", locale=language)
