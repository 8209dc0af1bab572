"""The map as shapes: cities, ways, pieces and last year's journeys, from a report alone.

A city is a plate with its code and, below, what is there: police as a badge with their number,
secrets as sheets of paper, spies with a hat. Powers are told apart by letters, colours only
help.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.games.spies.page.layout import CITIES, HEIGHT, WIDTH, ZONES
from adjudicator.games.spies.page.pieces import face
from adjudicator.games.spies.rules.atlas import LETTERS, City, Power, atlas, power_of
from adjudicator.games.spies.sight.sightings import News, SawGo, SawSearch
from adjudicator.games.spies.sight.view import View

CHIP = 30  # from the middle of a piece to that of the next
HAT, BELOW = 18, 17  # how far a spy reaches above its middle, and below it
EDGE = 14  # how far other pieces do
PLATE = 12  # half of the height of a city's plate
LOAD = 15  # what a spy carries hangs below it
IN_A_ROW = 3

Place = tuple[int, int]


class Chip(Struct, frozen=True):
    """A piece on the map. `kind` is `police`, `secret` or `spy`; `power` is its owner, empty for a
    neutral secret. `text` stands in it, `known` in small letters below, `mark` at its corner."""

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


class Ground(Struct, frozen=True, kw_only=True):
    """Hold what is the same on every map, from below to above. `zones` are the places of ships;
    `dots` are below the cities that no railway reaches."""

    width: int
    height: int
    dots: str
    homes: tuple[tuple[Power, str], ...]
    lines: tuple[Line, ...]
    zones: tuple[tuple[str, int, int], ...]
    towns: tuple[Town, ...]


class Army(Struct, frozen=True):
    """Where all pieces of a kind and a power are."""

    power: str
    own: bool
    places: Sequence[Place]


class Shapes(Struct, frozen=True, kw_only=True):
    """The map as rows for the SVG template, from below to above.

    `ways` are the journeys in the news, for each power whose spies made them, and whether they are
    drawn at first: the reader's own, or else those of the first power. `secrets` are those
    that nobody controls, then those that somebody does; `loads` are the papers of spies that carry
    something. `texts` are spies, secrets and police whose strength or value is not known, then
    those that have it below their text; `marks` are spies with their loads. `coarse` are the
    letters of own spies and the values of secrets, for a map on which codes could not be read.
    """

    ground: Ground
    ways: Sequence[tuple[Power, bool, Sequence[str]]]
    police: Sequence[Army]
    secrets: tuple[Sequence[Army], Sequence[Army]]
    spies: Sequence[Army]
    loads: str
    texts: tuple[Sequence[Sequence[Chip]], Sequence[Sequence[Chip]]]
    marks: Sequence[Chip]
    coarse: Sequence[Chip]


def shapes(view: View, news: Sequence[News]) -> Shapes:
    """Return everything that the template draws."""
    drawn = chips(view)
    spies, secrets, police = kinds = [
        [chip for chip in drawn if chip.kind == kind] for kind in ("spy", "secret", "police")
    ]
    loaded = [chip for chip in spies if chip.mark]
    return Shapes(
        ground=ground(),
        ways=list(_shown_ways(view, news)),
        police=_armies(police),
        secrets=(
            _armies(chip for chip in secrets if not chip.mark),
            _armies(chip for chip in secrets if chip.mark),
        ),
        spies=_armies(spies),
        loads="".join(f"M{chip.x - 13} {chip.y + BELOW}h26v{LOAD}h-26z" for chip in loaded),
        texts=(
            [[chip for chip in kind if not chip.known] for kind in kinds],
            [[chip for chip in kind if chip.known] for kind in kinds],
        ),
        marks=loaded,
        coarse=[
            *(replace(chip, text=chip.text[1:]) for chip in spies if chip.own),
            *(replace(chip, text=chip.known) for chip in secrets if chip.known),
        ],
    )


@cache
def ground() -> Ground:
    """Return the map without its pieces."""
    return Ground(
        width=WIDTH,
        height=HEIGHT,
        dots=_drawn((), _off_the_rails()),
        homes=tuple((power, _home(power)) for power in LETTERS),
        lines=tuple(_lines()),
        zones=tuple((zone.id, *ZONES[zone.id]) for zone in atlas().zones),
        towns=tuple(map(_town, atlas().cities)),
    )


def chips(view: View) -> list[Chip]:
    """Return all pieces on the map, city by city."""
    held: dict[City, list[Chip]] = {city: [] for city in atlas().cities}
    for city, chip in _pieces(view):
        held[city].append(chip)
    return [chip for city, those in held.items() for chip in _laid(those, *CITIES[city])]


def _armies(drawn: Iterable[Chip]) -> list[Army]:
    places: dict[tuple[str, bool], list[Place]] = {}
    for chip in drawn:
        places.setdefault((chip.power, chip.own), []).append((chip.x, chip.y))
    return [Army(power, own, those) for (power, own), those in sorted(places.items())]


def _drawn(links: Iterable[tuple[Place, Place]], spots: Iterable[Place] = ()) -> str:
    """Return the path of lines between places, drawn in as few strokes as is easily found, and of
    lines without length, which round ends make dots."""
    left: dict[Place, list[Place]] = {}
    for start, goal in links:
        left.setdefault(start, []).append(goal)
        left.setdefault(goal, []).append(start)
    met = {*left}
    strokes = []
    while any(left.values()):
        odd = (place for place, near in left.items() if len(near) % 2)
        at = next(odd, None) or next(place for place, near in left.items() if near)
        strokes.append(f"M{at[0]} {at[1]}L")
        points = []
        while left[at]:
            goal = left[at].pop()
            left[goal].remove(at)
            points.append(f"{goal[0]} {goal[1]}")
            at = goal
        strokes.append(" ".join(points))
    return "".join((*strokes, *(f"M{x} {y}h0" for x, y in spots if (x, y) not in met)))


def _off_the_rails() -> Iterator[Place]:
    reached = {place for ends in _links("rail") for place in ends}
    return (place for place in CITIES.values() if place not in reached)


def _links(kind: str, within: Container[City] | None = None) -> Iterator[tuple[Place, Place]]:
    """Yield the ends of all links of a kind, or of those between some cities."""
    for link in atlas().ways:
        if link.type == kind and (within is None or (link.a in within and link.b in within)):
            yield CITIES[link.a], CITIES[link.b]


def _home(power: str) -> str:
    """Draw a power's home territory: its cities and the railways within it."""
    homes = atlas().powers[power].homes
    return _drawn(_links("rail", homes), (CITIES[city] for city in homes))


def _lines() -> Iterator[Line]:
    """Yield the railways, the air routes, and the ways from each ship to its ports and to the next
    ship."""
    for kind in ("rail", "air"):
        yield Line(kind, _drawn(_links(kind)))
    sea = []
    for zone in atlas().zones:
        sea += [(ZONES[zone.id], CITIES[port]) for port in zone.ports]
        sea += [(ZONES[zone.id], ZONES[near]) for near in zone.adjacent if near > zone.id]
    yield Line("sea", _drawn(sea))


def _shown_ways(view: View, news: Sequence[News]) -> Iterator[tuple[Power, bool, Sequence[str]]]:
    ways = _ways(news)
    own = view.powers or tuple(ways)[:1]
    for power, bows in ways.items():
        yield power, power in own, list(bows)


def _ways(news: Sequence[News]) -> Mapping[Power, Iterable[str]]:
    """Draw the journeys in the news by the power whose spy it was, each of them once."""
    made: dict[Power, dict[str, None]] = {}
    for entry in news:
        match entry:
            case SawGo():
                made.setdefault(entry.power, {})[_bowed(entry.start, entry.to)] = None
            case SawSearch(answer="escape", to=str(to)):
                made.setdefault(power_of(entry.spy), {})[_bowed(entry.city, to)] = None
    return made


def _bowed(start: City, goal: City) -> str:
    """Draw a bow from city to city, so that it hides no line beneath it. It ends where the plate of
    its goal begins, so that its tip is seen."""
    (x, y), (u, v) = CITIES[start], CITIES[goal]
    a, b = round((x + u) / 2 - (v - y) / 7), round((y + v) / 2 + (u - x) / 7)
    short = min(1.0, 26 / abs(u - a) if u != a else 1.0, 14 / abs(v - b) if v != b else 1.0)
    return f"M{x} {y}Q{a} {b} {round(u - short * (u - a))} {round(v - short * (v - b))}"


def _town(city: City) -> Town:
    x, y = CITIES[city]
    return Town(
        code=city,
        power=atlas().owner(city) or "",
        capital=atlas().cities[city].capital,
        x=x,
        y=y,
    )


def _pieces(view: View) -> Iterator[tuple[City, Chip]]:
    """Yield what cities hold, in no place yet: police, then secrets, then spies. A guarded secret
    stands right behind its police, a carried one is the mark of its spy."""
    for police in view.police:
        own = police.power in view.powers
        yield police.city, Chip("police", police.power, 0, 0, str(police.pieces), own)
    for secret in view.secrets:
        if secret.city and not secret.spy:
            origin, text = secret.origin or "", secret.secret.replace("-", "")
            mark, own = "guarded" if secret.controller else "", origin in view.powers
            yield secret.city, Chip("secret", origin, 0, 0, text, own, face(secret), mark)
    for spy in view.spies:
        if spy.city:
            text, load = spy.spy.replace("-", ""), (spy.carries or "").replace("-", "")
            own, known = spy.power in view.powers, str(spy.strength or "")
            yield spy.city, Chip("spy", spy.power, 0, 0, text, own, known, load)


def _laid(chips: Sequence[Chip], x: int, y: int) -> Iterator[Chip]:
    """Put the pieces of a city row by row below its plate."""
    at = y + PLATE
    for first in range(0, len(chips), IN_A_ROW):
        row = chips[first : first + IN_A_ROW]
        has_spies = any(chip.kind == "spy" for chip in row)
        left, middle = x - CHIP * (len(row) - 1) // 2, at + (HAT - 2 if has_spies else EDGE)
        for number, chip in enumerate(row):
            yield replace(chip, x=left + CHIP * number, y=middle)
        at = middle + (BELOW if has_spies else EDGE)
        at += LOAD if any(chip.kind == "spy" and chip.mark for chip in row) else 0
