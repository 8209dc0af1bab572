"""The map as tables: powers, cities, the ways between them, pieces, tiles (rules 1.4, 3.1).

Distance is the number of cities and sea zones entered (3.1), so it is found once for all pairs:
nothing blocks a spy on its way. A ship cannot be the last space, so only cities are ends.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import msgspec
from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.games.spies.rules.map_file import (
    CityEntry,
    EffectEntry,
    FaceEntry,
    LinkEntry,
    MapFile,
    Names,
    TileEntry,
    ZoneEntry,
)

Power: TypeAlias = str  # "germany"; also the name of the seat that leads it where all play
City: TypeAlias = str  # "BER"
Code: TypeAlias = str  # of a spy "G-A", a secret "G-1", a police piece "G-P1"

POWERS: tuple[Power, ...] = ("germany", "italy", "russia", "france", "britain")  # turn order, 1.1
SEATS = tuple(Seat(power) for power in POWERS)
LETTERS: Mapping[Power, str] = {power: power[0].upper() for power in POWERS}
POWER_OF: Mapping[str, Power] = {letter: power for power, letter in LETTERS.items()}
NEUTRAL = "N"  # the letter of secrets that began with nobody (1.6)
SPY_LETTERS = "ABCDE"
KINDS = ("discovery", "papers", "cover", "escape", "dagger")  # of chits, as 2.4 sorts them
FIRST_YEAR, LAST_YEAR = 1933, 1939
SET_UP = FIRST_YEAR - 1  # the year before the first turn


class Country(Struct, frozen=True):
    """A power as the map has it. `police` are strengths in descending order, `spies` in map
    order: which letter has which strength is dealt (2.3)."""

    names: Names
    capital: City
    homes: tuple[City, ...]
    spies: tuple[int, ...]
    police: tuple[int, ...]
    money: int
    chits: int
    common_tiles: int
    secrets: int


class Atlas(Struct, frozen=True, eq=False):
    """The tables of the map. `cities` are in map order; `links` joins cities by rail and air, and
    `ways` tells by which."""

    powers: Mapping[Power, Country]
    cities: Mapping[City, CityEntry]
    links: Mapping[City, tuple[City, ...]]
    distances: Mapping[City, Mapping[City, int]]
    order: Mapping[City, int]
    faces: Mapping[str, FaceEntry]
    tiles: Mapping[str, TileEntry]
    neutral_cities: tuple[City, ...]
    seating: Mapping[int, Mapping[Seat, tuple[Power, ...]]]
    factors: Mapping[int, int]
    costs: Mapping[str, int]
    chits: Mapping[str, int]
    daggers: int
    cash: int
    most_spaces: int
    most_secrets: int
    ways: tuple[LinkEntry, ...]
    zones: tuple[ZoneEntry, ...]

    def distance(self, start: City, goal: City) -> int:
        return self.distances[start][goal]

    def owner(self, city: City) -> Power | None:
        """Return the power in whose home territory the city lies."""
        letter = self.cities[city].power
        return POWER_OF[letter] if letter else None

    def effects(self, tile: str) -> tuple[EffectEntry, ...]:
        return self.tiles[tile].effects


@cache
def atlas() -> Atlas:
    """Return the map of the game, which agrees with itself, as the tests see to."""
    source = files("adjudicator.games.spies.rules").joinpath("map.json")
    told = msgspec.json.decode(source.read_text("utf-8"), type=MapFile)
    return Atlas(
        powers={POWER_OF[entry.id]: _country(told, entry.id) for entry in told.powers},
        cities={city.id: city for city in told.cities},
        links=_links(told),
        distances=_distances(told),
        order={city.id: n for n, city in enumerate(told.cities)},
        faces={face.id: face for face in told.secrets},
        tiles={tile.id: tile for tile in told.event_tiles},
        neutral_cities=told.neutral_secret_cities,
        seating={
            int(number): {
                Seat(seat): tuple(POWER_OF[letter] for letter in letters)
                for seat, letters in entry.seats.items()
            }
            for number, entry in sorted(told.player_setups.items())
        },
        factors={entry.year: entry.vp_multiplier for entry in told.years},
        costs={chit.type.lower(): chit.cost for chit in told.action_chits},
        chits={chit.type.lower(): chit.count for chit in told.action_chits},
        daggers=sum(chit.count_with_assassination or 0 for chit in told.action_chits),
        cash=told.cash_in.money,
        most_spaces=told.max_move,
        most_secrets=told.max_secrets_per_city_at_setup,
        ways=told.links,
        zones=told.sea_zones,
    )


def _country(told: MapFile, letter: str) -> Country:
    entry = next(power for power in told.powers if power.id == letter)
    return Country(
        names=entry.names,
        capital=entry.capital,
        homes=entry.home_cities,
        spies=tuple(piece.strength for piece in entry.spies),
        police=tuple(piece.strength for piece in entry.police),
        money=entry.start_money,
        chits=entry.start_chits,
        common_tiles=entry.random_event_tiles,
        secrets=entry.start_secrets,
    )


def _links(told: MapFile) -> dict[City, tuple[City, ...]]:
    near: dict[City, set[City]] = {city.id: set() for city in told.cities}
    for link in told.links:
        near[link.a].add(link.b)
        near[link.b].add(link.a)
    order = [city.id for city in told.cities]
    return {city: tuple(c for c in order if c in joined) for city, joined in near.items()}


def _distances(told: MapFile) -> dict[City, dict[City, int]]:
    near: dict[str, tuple[str, ...]] = {
        zone.id: (*zone.adjacent, *zone.ports) for zone in told.sea_zones
    }
    for city, joined in _links(told).items():
        zones = next(entry.sea_zones for entry in told.cities if entry.id == city)
        near[city] = (*joined, *zones)
    cities = [city.id for city in told.cities]
    return {city: _from(city, near, cities) for city in cities}


def _from(start: City, near: Mapping[str, tuple[str, ...]], ends: Iterable[City]) -> dict[str, int]:
    found, ahead = {start: 0}, deque([start])
    while ahead:
        place = ahead.popleft()
        for following in near[place]:
            if following not in found:
                found[following] = found[place] + 1
                ahead.append(following)
    return {city: found[city] for city in ends}


def spy_codes(power: Power) -> tuple[Code, ...]:
    return tuple(f"{LETTERS[power]}-{letter}" for letter in SPY_LETTERS)


def secret_codes(letter: str) -> tuple[Code, ...]:
    """Return the codes of the secrets that began with a power, by its letter, or with nobody."""
    number = (
        len(atlas().neutral_cities)
        if letter == NEUTRAL
        else atlas().powers[POWER_OF[letter]].secrets
    )
    return tuple(f"{letter}-{n}" for n in range(1, number + 1))


def police_codes(power: Power) -> tuple[Code, ...]:
    """Return the codes of a power's police, in descending strength (1.6)."""
    return tuple(f"{LETTERS[power]}-P{n}" for n in range(1, len(atlas().powers[power].police) + 1))


def owner_of(code: Code) -> Power | None:
    """Return the power to which a spy, a police piece or an original belongs (4.1); None for a
    neutral secret."""
    return POWER_OF.get(code[0])


def power_of(piece: Code) -> Power:
    """Return the power to which a spy or a police piece belongs; secrets alone may be neutral."""
    return POWER_OF[piece[0]]


def by_code(code: Code) -> tuple[int, str]:
    """Sort codes by power in turn order, then by what stands behind the letter."""
    power = owner_of(code)
    return (POWERS.index(power) if power else len(POWERS)), code
