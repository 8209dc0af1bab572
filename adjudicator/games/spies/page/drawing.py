"""The map as shapes: cities, ways, pieces and last year's journeys, from a report's plain data.

A city is a plate with its code and, below, what stands and lies there: police as a square with
their number, secrets as sheets of paper, spies as discs. Powers are told apart by letters, colours
only help.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.games.spies.page.layout import CITIES, HEIGHT, WIDTH, ZONES
from adjudicator.games.spies.page.tables import face
from adjudicator.games.spies.rules.atlas import LETTERS, City, atlas

Report = Mapping[str, Any]

CHIP = 29  # from the middle of a piece to that of the next
LOAD = 13  # what a spy carries hangs below it
IN_A_ROW = 3


class Chip(Struct, frozen=True):
    """A piece on the map; `kind` is `police`, `secret` or `spy`, `power` whose, empty for a neutral
    secret. `text` stands in it, `known` in small letters below, `mark` at its corner."""

    kind: str
    power: str
    x: int
    y: int
    text: str
    own: bool
    known: str = ""
    mark: str = ""


class Town(Struct, frozen=True):
    """A city as a plate."""

    code: City
    power: str
    capital: bool
    x: int
    y: int


class Line(Struct, frozen=True):
    """A way between two places."""

    kind: str
    d: str


def shapes(report: Report) -> Mapping[str, Any]:
    """Everything that the template draws, from below to above."""
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "land": _land(),
        "homes": [(power, _home(power)) for power in LETTERS],
        "lines": list(_lines()),
        "zones": [(zone.id, *ZONES[zone.id]) for zone in atlas().told.sea_zones],
        "ways": list(_ways(report)),
        "towns": [_town(city) for city in atlas().cities],
        "chips": [
            chip
            for city in atlas().cities
            for chip in _laid(list(_pieces(report, city)), *CITIES[city])
        ],
    }


def _path(start: tuple[int, int], goal: tuple[int, int]) -> str:
    return f"M{start[0]} {start[1]}L{goal[0]} {goal[1]}"


def _land() -> str:
    """What lies beneath the railways, and beneath each city."""
    rails = (link for link in atlas().told.links if link.type == "rail")
    ways = (_path(CITIES[link.a], CITIES[link.b]) for link in rails)
    return "".join((*ways, *(_spot(CITIES[city]) for city in atlas().cities)))


def _spot(place: tuple[int, int]) -> str:
    """A line without length, which round ends make a dot."""
    return f"M{place[0]} {place[1]}h0"


def _home(power: str) -> str:
    """A power's home territory: its cities and the railways within it."""
    homes = atlas().powers[power].homes
    ways = (
        _path(CITIES[link.a], CITIES[link.b])
        for link in atlas().told.links
        if link.type == "rail" and link.a in homes and link.b in homes
    )
    return "".join((*ways, *(_spot(CITIES[city]) for city in homes)))


def _lines() -> Iterator[Line]:
    """Railways, air routes, and by sea from each ship to its ports and to the next ship."""
    for kind in ("rail", "air"):
        links = (link for link in atlas().told.links if link.type == kind)
        yield Line(kind, "".join(_path(CITIES[link.a], CITIES[link.b]) for link in links))
    sea = []
    for zone in atlas().told.sea_zones:
        sea += [_path(ZONES[zone.id], CITIES[port]) for port in zone.ports]
        sea += [_path(ZONES[zone.id], ZONES[near]) for near in zone.adjacent if near > zone.id]
    yield Line("sea", "".join(sea))


def _ways(report: Report) -> Iterator[tuple[str, str]]:
    """Whose spies went from where to where in the report's news."""
    for entry in report["news"]:
        match entry["type"]:
            case "go":
                yield entry["power"], _bowed(entry["from"], entry["to"])
            case "search" if entry["answer"] == "escape":
                power = next(s["power"] for s in report["spies"] if s["spy"] == entry["spy"])
                yield power, _bowed(entry["city"], entry["to"])


def _bowed(start: City, goal: City) -> str:
    """A bow from city to city, so that it hides no line beneath it."""
    (x, y), (u, v) = CITIES[start], CITIES[goal]
    middle = round((x + u) / 2 - (v - y) / 7), round((y + v) / 2 + (u - x) / 7)
    return f"M{x} {y}Q{middle[0]} {middle[1]} {u} {v}"


def _town(city: City) -> Town:
    x, y = CITIES[city]
    return Town(
        code=city,
        power=atlas().owner(city) or "",
        capital=atlas().cities[city].capital,
        x=x,
        y=y,
    )


def _pieces(report: Report, city: City) -> Iterator[Chip]:
    """In no place yet. A guarded secret stands right behind its police, a carried one is the mark
    of its spy."""
    for police in report["police"]:
        if police["city"] == city:
            own = police["power"] in report["powers"]
            yield Chip("police", police["power"], 0, 0, str(police["pieces"]), own)
    secrets = {secret["secret"]: secret for secret in report["secrets"]}
    for secret in secrets.values():
        if secret["city"] == city and not secret["spy"]:
            origin = secret["origin"] or ""
            text = secret["secret"].replace("-", "")
            mark = "guarded" if secret["controller"] else ""
            own = origin in report["powers"]
            yield Chip("secret", origin, 0, 0, text, own, face(secret), mark)
    for spy in report["spies"]:
        if spy["city"] == city:
            load = spy["carries"] or ""
            own = spy["power"] in report["powers"]
            text, known = spy["spy"].replace("-", ""), str(spy["strength"] or "")
            yield Chip("spy", spy["power"], 0, 0, text, own, known, load.replace("-", ""))


def _laid(chips: Sequence[Chip], x: int, y: int) -> Iterator[Chip]:
    """Row by row below the city's plate."""
    below = y + CHIP - 2
    for first in range(0, len(chips), IN_A_ROW):
        row = chips[first : first + IN_A_ROW]
        left = x - CHIP * (len(row) - 1) // 2
        for number, chip in enumerate(row):
            yield replace(chip, x=left + CHIP * number, y=below)
        below += CHIP + (LOAD if any(chip.kind == "spy" and chip.mark for chip in row) else 0)
