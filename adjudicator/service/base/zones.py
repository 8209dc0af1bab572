"""Say which time zone was meant by a name that the IANA database has not."""

import re
from collections.abc import Collection, Mapping

from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import nearest, shown

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
    meant = _meant(name.strip(), sorted(known))
    if meant:
        return say("'{seen}' is no time zone; did you mean {meant}?", seen=shown(name), meant=meant)
    return say("'{seen}' is no time zone; write one as Europe/Oslo", seen=shown(name))


def _meant(name: str, known: list[str]) -> str | None:
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
        "'{seen}' is no time zone; name a city near you, as in {city}, so that summer time is "
        "followed",
        seen=shown(name),
        city=city,
    )
    if minutes or not hours or not -12 <= ahead <= 14:
        return place
    always = fixed(f"Etc/GMT{'-' if ahead > 0 else '+'}{hours}")
    assert always is not None
    return say("{place} ({always})", place=place, always=always)


def fixed(zone: str) -> Message | None:
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
