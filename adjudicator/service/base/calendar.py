"""Deadlines: how they are written, and when the next one is (emails, section 7).

Wall times are kept as zone and wall time; instants are UTC.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import overload
from zoneinfo import ZoneInfo

from msgspec import Struct

from adjudicator.core.message import Message, at, count, listed, say
from adjudicator.core.orders import nearest, shown
from adjudicator.resources import time_zones, zone_of
from adjudicator.service.base.context import Refusal

# Say which time zone was meant by a name that the IANA database has not.


_OFFSET = re.compile(
    r"(?:GMT|UTC|UT|Z)? ?(?P<sign>[+-]) ?(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?"
)
_FIXED = re.compile(r"Etc/GMT(?P<sign>[+-])(?P<hours>[1-9]\d?)")
# A city of each offset, in hours ahead of UTC in its winter.
_CITIES: Mapping[float, str] = {
    **{-10: "Pacific/Honolulu", -9: "America/Anchorage", -8: "America/Los_Angeles"},
    **{-7: "America/Denver", -6: "America/Chicago", -5: "America/New_York", -4: "America/Halifax"},
    **{-3.5: "America/St_Johns", -3: "America/Sao_Paulo", 0: "Europe/London", 1: "Europe/Oslo"},
    **{2: "Europe/Helsinki", 3: "Europe/Istanbul", 3.5: "Asia/Tehran", 4: "Asia/Dubai"},
    **{5: "Asia/Karachi", 5.5: "Asia/Kolkata", 6: "Asia/Dhaka", 7: "Asia/Bangkok"},
    **{8: "Asia/Singapore", 9: "Asia/Tokyo", 9.5: "Australia/Adelaide", 10: "Australia/Sydney"},
    **{12: "Pacific/Auckland"},
}
# Abbreviations that the database has not, and countries.
_KNOWN_AS: Mapping[str, str] = {
    **dict.fromkeys(("cest", "norway", "norge"), "Europe/Oslo"),
    **dict.fromkeys(("sweden", "sverige"), "Europe/Stockholm"),
    **dict.fromkeys(("denmark", "danmark"), "Europe/Copenhagen"),
    **dict.fromkeys(("finland", "eest"), "Europe/Helsinki"),
    **dict.fromkeys(("germany", "deutschland"), "Europe/Berlin"),
    **dict.fromkeys(("bst", "uk", "england", "britain"), "Europe/London"),
    **dict.fromkeys(("west", "wet dst"), "Europe/Lisbon"),
    **dict.fromkeys(("edt", "et", "eastern"), "America/New_York"),
    **dict.fromkeys(("cst", "cdt", "ct", "central"), "America/Chicago"),
    **dict.fromkeys(("mdt", "mt", "mountain"), "America/Denver"),
    **dict.fromkeys(("pst", "pdt", "pt", "pacific"), "America/Los_Angeles"),
}


def not_a_zone(name: str, known: Collection[str]) -> Message:
    """Say that there is no such zone, and which of those that are known was probably meant."""
    if offset := _OFFSET.fullmatch(name.strip().upper()):
        return _offset(name, offset)
    meant = _zone_meant(name.strip(), sorted(known))
    if meant:
        return say(
            "'{seen}' is not a time zone; did you mean {meant}?", seen=shown(name), meant=meant
        )
    return say("'{seen}' is not a time zone; write one like Europe/Oslo", seen=shown(name))


def _zone_meant(name: str, known: list[str]) -> str | None:
    if named := _KNOWN_AS.get(name.lower()):
        return named
    city = name.lower().replace(" ", "_")
    exact = (zone for zone in known if city and zone.lower().rpartition("/")[2] == city)
    ending = (zone for zone in known if city and zone.lower().endswith(city))
    return next(exact, None) or nearest(name, known) or next(ending, None)


def _offset(name: str, offset: re.Match[str]) -> Message:
    """Name a city for a number of hours, and the zone that has no summer time: `Etc/GMT-2` is two
    hours ahead."""
    hours, minutes = int(offset["hours"]), int(offset["minutes"] or 0)
    ahead = (hours + minutes / 60) * (1 if offset["sign"] == "+" else -1)
    city = _CITIES.get(ahead, "Europe/Oslo")
    place = say(
        "'{seen}' is not a time zone; name a city near you, such as {city}, so that summer time "
        "is followed",
        seen=shown(name),
        city=city,
    )
    if minutes or not hours or not -12 <= ahead <= 14:
        return place
    always = fixed_zone(f"Etc/GMT{'-' if ahead > 0 else '+'}{hours}")
    assert always is not None
    return say("{place} ({always})", place=place, always=always)


def fixed_zone(zone: str) -> Message | None:
    """Say what a zone such as `Etc/GMT-2` is, whose sign is not the one that people write; None for
    any other."""
    found = _FIXED.fullmatch(zone)
    if found is None:
        return None
    if found["sign"] == "-":
        return count(
            "{zone} is always {n} hour ahead of UTC: its sign is the other way round",
            "{zone} is always {n} hours ahead of UTC: its sign is the other way round",
            int(found["hours"]),
            zone=zone,
        )
    return count(
        "{zone} is always {n} hour behind UTC: its sign is the other way round",
        "{zone} is always {n} hours behind UTC: its sign is the other way round",
        int(found["hours"]),
        zone=zone,
    )


_UNITS: Mapping[str, timedelta] = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_SHORT = {"m": "minute", "min": "minute", "h": "hour", "d": "day", "w": "week"}
_DURATION = re.compile(r"(\d+)\s*([a-z]+)")
_MOST_UNITS = 9999
_EVERY = re.compile(r"every\s+(?:(\d{1,3})\s+)?([a-z]+)")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LAST_YEAR = 2199
_DATE = re.compile(r"(?:19|20|21)\d\d-\d\d-\d\d", re.ASCII)
_WEEKLY = re.compile(r"([A-Za-z]{3,9}(?:\s*,\s*[A-Za-z]{3,9})*)\s+(\d{1,2}):(\d{2})")


class Never(Struct, frozen=True, tag=True):
    """No deadline: the match waits as long as it takes."""


class Every(Struct, frozen=True, tag=True):
    """A deadline some time after a turn was adjudicated; whole days keep the wall time."""

    number: int
    unit: str


class Weekly(Struct, frozen=True, tag=True):
    """A deadline on some weekdays (0 is Monday) at a wall time."""

    days: tuple[int, ...]
    hour: int
    minute: int


Deadline = Never | Every | Weekly

A_DAY = timedelta(days=1)
MOST_SKIPPED = 50  # entries of one `skip`
LONGEST_SKIPPED = timedelta(days=366)


class Skip(Struct, frozen=True):
    """The weekdays and dates on which no deadline falls; of a span the first and last day count."""

    weekdays: tuple[int, ...] = ()
    spans: tuple[tuple[date, date], ...] = ()

    def covers(self, day: date) -> bool:
        return day.weekday() in self.weekdays or any(
            first <= day <= last for first, last in self.spans
        )


class Away(Struct, frozen=True):
    """The days on which somebody is absent where he lives; the first and last day count."""

    zone: ZoneInfo
    first: date
    last: date

    def covers(self, moment: datetime) -> bool:
        return self.first <= moment.astimezone(self.zone).date() <= self.last


def parse_duration(text: str) -> timedelta:
    """Read a duration: `2 days`, `90 minutes`, `36h`; `0` is none. Raises Refusal."""
    plain = text.strip().lower()
    if plain == "0":
        return timedelta(0)
    found = _DURATION.fullmatch(plain)
    unit = _unit(found[2]) if found else None
    if not found or unit is None:
        raise Refusal(
            say(
                "'{seen}' is not a duration; write one like 2 days, 12 hours or 0", seen=shown(text)
            )
        )
    digits = found[1].lstrip("0")
    if len(digits) > len(str(_MOST_UNITS)):
        raise Refusal(
            say(
                "'{seen}' is too long; write at most {most} of a unit",
                seen=shown(text),
                most=_MOST_UNITS,
            )
        )
    return int(digits or "0") * _UNITS[unit]


def _unit(word: str) -> str | None:
    word = _SHORT.get(word, word)
    return next((unit for unit in _UNITS if word in (unit, unit + "s")), None)


def parse_deadline(text: str) -> Deadline:
    """Read a deadline: `none`, `every 3 days`, `Tue,Fri 18:00`. Raises Refusal."""
    plain = text.strip()
    if plain.lower() == "none":
        return Never()
    if found := _EVERY.fullmatch(plain.lower()):
        number, unit = int(found[1] or 1), _unit(found[2])
        if unit and number:
            return Every(number, unit)
    elif found := _WEEKLY.fullmatch(plain):
        days = tuple(sorted({_weekday(word.strip()) for word in found[1].split(",")}))
        hour, minute = int(found[2]), int(found[3])
        if hour < 24 and minute < 60:
            return Weekly(days, hour, minute)
    raise Refusal(
        say(
            "'{seen}' is not a deadline; write none, every 3 days, or Tue,Fri 18:00",
            seen=shown(text),
        )
    )


def parse_moment(
    text: str, zone: ZoneInfo, now: datetime, before: datetime | None = None
) -> datetime:
    """Read a moment: `2026-12-24 18:00`, with a zone of its own or in `zone`, `2026-12-24`, `Fri
    18:00`, or a duration from now. Raises Refusal.

    A date without a time has the time of day of the moment `before`, else the end of that day.
    """
    plain = " ".join(text.split())
    if _DURATION.fullmatch(plain.lower()):
        return later(now, parse_duration(plain))
    if _WEEKLY.fullmatch(plain):
        found = next_deadline(parse_deadline(plain), zone, now)
        assert found is not None
        return found
    if _DATE.fullmatch(plain):
        wall = before.astimezone(zone).time() if before else time(23, 59)
        return datetime.combine(parse_date(plain), wall, zone).astimezone(UTC)
    if _DATE.match(plain):
        with suppress(ValueError, OverflowError):
            moment = datetime.fromisoformat(plain.upper())
            return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    raise Refusal(
        say(
            "'{seen}' is not a time; write one as 2026-12-24 18:00, Fri 18:00 or 2 days",
            seen=shown(text),
        )
    )


def later(moment: datetime, duration: timedelta) -> datetime:
    """Return a moment so much later. Raises Refusal if it is in no year that anybody plans for."""
    if moment.year + duration // timedelta(days=365) > _LAST_YEAR:
        raise Refusal(say("a time after the year {year} cannot be set", year=str(_LAST_YEAR)))
    return moment + duration


def period(deadline: Deadline) -> timedelta:
    """Return the usual time of a turn; a week where there is none."""
    match deadline:
        case Never():
            return _UNITS["week"]
        case Every(number, unit):
            return number * _UNITS[unit]
        case Weekly(days):
            return _UNITS["week"] / len(days)


def pace(deadline: Deadline) -> Message:
    """Say how often orders are due, for people."""
    match deadline:
        case Never():
            return say("no deadline")
        case Every(n, "minute"):
            return count("every minute", "every {n} minutes", n)
        case Every(n, "hour"):
            return count("every hour", "every {n} hours", n)
        case Every(n, "day"):
            return count("every day", "every {n} days", n)
        case Every(n, _):
            return count("every week", "every {n} weeks", n)
        case Weekly(days, hour, minute):
            named = listed(_DAYS[day] for day in days)
            return say("{days} {time}", days=named, time=f"{hour}:{minute:02}")


_DAYS = (say("Mon"), say("Tue"), say("Wed"), say("Thu"), say("Fri"), say("Sat"), say("Sun"))


def _weekday(word: str) -> int:
    for i, name in enumerate(_WEEKDAYS):
        if word[:3].lower() == name.lower():
            return i
    raise Refusal(
        say(
            "'{seen}' is not a weekday; write Mon, Tue, Wed, Thu, Fri, Sat or Sun", seen=shown(word)
        )
    )


def parse_skip(text: str) -> Skip:
    """Read what is skipped: `none`, or `Sat,Sun,2026-12-24..2027-01-02,2027-05-17`. Raises
    Refusal."""
    if text.strip().lower() == "none":
        return Skip()
    entries = [entry.strip() for entry in text.split(",")]
    if len(entries) > MOST_SKIPPED:
        raise Refusal(say("skip can have at most {most} weekdays and dates", most=MOST_SKIPPED))
    days = sorted({_weekday(entry) for entry in entries if entry.isalpha()})
    spans = tuple(_span(entry) for entry in entries if not entry.isalpha())
    if len(days) == len(_WEEKDAYS):
        raise Refusal(
            say("skip cannot name all seven weekdays: no day would be left for a deadline")
        )
    return Skip(tuple(days), spans)


def _span(text: str) -> tuple[date, date]:
    begins, dots, ends = text.partition("..")
    if not begins[:1].isdigit():
        raise Refusal(
            say(
                "'{seen}' is neither a weekday nor a date; write Sat, 2026-12-24 or "
                "2026-12-24..2027-01-02",
                seen=shown(text),
            )
        )
    first, last = parse_date(begins), parse_date(ends if dots else begins)
    if last < first:
        raise Refusal(say("'{seen}' ends before it begins", seen=shown(text)))
    if last - first >= LONGEST_SKIPPED:
        raise Refusal(say("'{seen}' is longer than a year", seen=shown(text)))
    return first, last


def parse_date(text: str) -> date:
    """Read a date: `2026-12-24`. Raises Refusal."""
    plain = text.strip()
    if not _DATE.fullmatch(plain):
        raise Refusal(say("'{seen}' is not a date; write one like 2026-12-24", seen=shown(text)))
    try:
        return date.fromisoformat(plain)
    except ValueError:
        raise Refusal(say("the date {seen} does not exist", seen=plain)) from None


def parse_zone(name: str) -> ZoneInfo:
    """Return a zone of the IANA database. Raises Refusal with the nearest name."""
    known = time_zones()
    if name in known:
        return ZoneInfo(name)
    raise Refusal(not_a_zone(name, known))


def next_deadline(
    deadline: Deadline,
    zone: ZoneInfo,
    now: datetime,
    skip: Skip = Skip(),  # noqa: B008  # a frozen value
    away: Sequence[Away] = (),
) -> datetime | None:
    """Return the moment at which orders for the coming turn are due; None if there is none.

    A wall time that autumn repeats is its first. One that spring skips is a weekday's deadline when
    the clock is moved; where days are added it is taken as if the clock had not been moved.
    """
    match deadline:
        case Never():
            return None
        case Every(number, unit) if unit in ("minute", "hour"):
            return first_free_moment(now + number * _UNITS[unit], zone, skip, away)
        case Every(number, unit):
            # Adding days to a local time keeps the wall time over a change of the clocks.
            wall = now.astimezone(zone) + number * _UNITS[unit]
            return first_free_moment(wall.astimezone(UTC), zone, skip, away, at=wall.time())
        case Weekly(days, hour, minute):
            from cronsim import CronSim

            on = ",".join(_WEEKDAYS[day].upper() for day in days)
            first = next(CronSim(f"{minute} {hour} * * {on}", now.astimezone(zone)))
            return first_free_moment(first.astimezone(UTC), zone, skip, away, at=time(hour, minute))


def first_free_moment(
    moment: datetime,
    zone: ZoneInfo,
    skip: Skip,
    away: Sequence[Away],
    *,
    at: time | None = None,
) -> datetime:
    """Return `moment`, or the same wall time on the first later day that is free.

    A day is free if it is not skipped and nobody is away on it. `at` is the wall time, for a day on
    which the clock could not show it.
    """
    local = moment.astimezone(zone)
    day, wall = local.date(), at or local.time()
    while skip.covers(day) or any(one.covers(moment) for one in away):
        day += A_DAY
        moment = datetime.combine(day, wall, zone).astimezone(UTC)
    return moment


def in_zone(moment: datetime, zone: str) -> str:
    """Write a time in a zone, beside UTC, in figures that need no language."""
    utc = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    place = zone_of(zone)
    if place.key == "UTC":
        return utc
    return f"{moment.astimezone(place):%Y-%m-%d %H:%M} {place.key} ({utc})"


def shown_time(moment: datetime, zone: str) -> str:
    """Write a time, also in UTC: `Tue 24 Nov 2026 19:00 Europe/Oslo (18:00 UTC)`.

    >>> shown_time(datetime(2026, 11, 24, 18, tzinfo=UTC), "UTC")
    'Tue 24 Nov 2026 18:00 UTC'
    """
    utc = moment.astimezone(UTC)
    place = zone_of(zone)
    if place.key == "UTC":
        return f"{utc:%a %d %b %Y %H:%M} UTC"
    local = moment.astimezone(place)
    day = "" if local.date() == utc.date() else f"{utc:%a} "
    return f"{local:%a %d %b %Y %H:%M} {place.key} ({day}{utc:%H:%M} UTC)"


def when(moment: datetime) -> Message:
    """Put a time into a sentence, for readers in several time zones."""
    return at(moment.astimezone(UTC).isoformat())


@overload
def rfc3339(moment: datetime) -> str: ...
@overload
def rfc3339(moment: None) -> None: ...
@overload
def rfc3339(moment: datetime | None) -> str | None: ...
def rfc3339(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# When the operator hears again of something that waits for him.


class Rhythm(Struct, frozen=True):
    """The days after which he hears of it; after the last of them every so many days more."""

    days: tuple[int, ...]
    then: int = 7

    def due(self, since: datetime, now: datetime) -> int:
        """Return how often he should have heard by now of what waits since then."""
        waited = now - since
        first = sum(waited >= day * A_DAY for day in self.days)
        if first < len(self.days):
            return first
        return first + (waited - self.days[-1] * A_DAY) // (self.then * A_DAY)

    def after(self, since: datetime, now: datetime) -> datetime:
        """Return when he hears of it next."""
        due = self.due(since, now)
        if due < len(self.days):
            return since + self.days[due] * A_DAY
        return since + (self.days[-1] + self.then * (due - len(self.days) + 1)) * A_DAY


OF_MATCH = Rhythm((1, 3, 7))
OF_ADDRESS = Rhythm((2, 7))
