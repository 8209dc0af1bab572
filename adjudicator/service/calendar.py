"""Deadlines: how they are written, and when the next one is (mail dialog, section 7).

Wall times are kept as zone and wall time; instants are UTC.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from adjudicator.core.message import say
from adjudicator.core.orders import nearest, shown
from adjudicator.service.refusal import Refusal

_UNITS: Mapping[str, timedelta] = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_SHORT = {"m": "minute", "min": "minute", "h": "hour", "d": "day", "w": "week"}
_DURATION = re.compile(r"(\d{1,4})\s*([a-z]+)")
_EVERY = re.compile(r"every\s+(?:(\d{1,3})\s+)?([a-z]+)")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_WEEKLY = re.compile(r"([A-Za-z]{3,9}(?:\s*,\s*[A-Za-z]{3,9})*)\s+(\d{1,2}):(\d{2})")


class Never(Struct, frozen=True, tag=True):
    """No deadline: the match waits as long as it takes."""


class Every(Struct, frozen=True, tag=True):
    """So long after a turn was adjudicated; whole days keep the wall time."""

    number: int
    unit: str


class Weekly(Struct, frozen=True, tag=True):
    """On some weekdays (0 is Monday) at a wall time."""

    days: tuple[int, ...]
    hour: int
    minute: int


Deadline = Never | Every | Weekly


def parse_duration(text: str) -> timedelta:
    """`2 days`, `90 minutes`, `36h`; `0` is none. Raises Refusal."""
    plain = text.strip().lower()
    if plain == "0":
        return timedelta(0)
    found = _DURATION.fullmatch(plain)
    unit = _unit(found[2]) if found else None
    if not found or unit is None:
        raise Refusal(
            say("'{seen}' is no duration; write one as 2 days, 12 hours or 0", seen=shown(text))
        )
    return int(found[1]) * _UNITS[unit]


def _unit(word: str) -> str | None:
    word = _SHORT.get(word, word)
    return next((unit for unit in _UNITS if word in (unit, unit + "s")), None)


def parse_deadline(text: str) -> Deadline:
    """`none`, `every 3 days`, `Tue,Fri 18:00`. Raises Refusal."""
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
            "'{seen}' is no deadline; write none, every 3 days, or Tue,Fri 18:00",
            seen=shown(text),
        )
    )


def _weekday(word: str) -> int:
    for i, name in enumerate(_WEEKDAYS):
        if word[:3].lower() == name.lower():
            return i
    raise Refusal(
        say("'{seen}' is no weekday; write Mon, Tue, Wed, Thu, Fri, Sat or Sun", seen=shown(word))
    )


def parse_zone(name: str) -> ZoneInfo:
    """A zone of the IANA database. Raises Refusal with the nearest name."""
    from zoneinfo import available_timezones

    known = available_timezones()
    if name in known:
        return ZoneInfo(name)
    meant = nearest(name, sorted(known))
    if meant is None:
        meant = next((zone for zone in sorted(known) if zone.lower().endswith(name.lower())), None)
    raise Refusal(
        say("'{seen}' is no time zone; did you mean {meant}?", seen=shown(name), meant=meant)
        if meant
        else say("'{seen}' is no time zone; write one as Europe/Oslo", seen=shown(name))
    )


def next_deadline(deadline: Deadline, zone: ZoneInfo, now: datetime) -> datetime | None:
    """The instant at which orders for the coming turn are due; None when there is none.

    A wall time in the hour that spring skips is taken as if the clock had not been moved; one
    that autumn repeats is its first.
    """
    match deadline:
        case Never():
            return None
        case Every(number, unit) if unit in ("minute", "hour"):
            return now + number * _UNITS[unit]
        case Every(number, unit):
            # Adding days to a local time keeps the wall time over a change of the clocks.
            wall = now.astimezone(zone) + number * _UNITS[unit]
            return wall.astimezone(UTC)
        case Weekly(days, hour, minute):
            from cronsim import CronSim

            on = ",".join(_WEEKDAYS[day].upper() for day in days)
            return next(CronSim(f"{minute} {hour} * * {on}", now.astimezone(zone))).astimezone(UTC)


def shown_time(moment: datetime, zone: str) -> str:
    """`Tue 24 Nov 2026 19:00 Europe/Oslo (18:00 UTC)`: the reader's zone beside UTC.

    >>> shown_time(datetime(2026, 11, 24, 18, tzinfo=UTC), "UTC")
    'Tue 24 Nov 2026 18:00 UTC'
    """
    utc = moment.astimezone(UTC)
    if zone == "UTC":
        return f"{utc:%a %d %b %Y %H:%M} UTC"
    local = moment.astimezone(ZoneInfo(zone))
    day = "" if local.date() == utc.date() else f"{utc:%a} "
    return f"{local:%a %d %b %Y %H:%M} {zone} ({day}{utc:%H:%M} UTC)"


def rfc3339(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
