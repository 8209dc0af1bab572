"""What may be wrong with the map of Spies (rules 1.4, 2, 3, 5.8, 5.9)."""

from collections import Counter
from collections.abc import Iterator

from adjudicator.games.spies.rules.map_file import MapFile


def faults(told: MapFile) -> Iterator[str]:
    """Yield everything in the file that does not agree with the rules or with itself."""
    yield from _names_given_twice(told)
    yield from _power_faults(told)
    yield from _city_faults(told)
    yield from _way_faults(told)
    yield from _secret_faults(told)
    yield from _tile_faults(told)
    yield from _seating_faults(told)


def _names_given_twice(told: MapFile) -> Iterator[str]:
    for kind in (told.powers, told.cities, told.sea_zones, told.secrets, told.event_tiles):
        for name, times in Counter(entry.id for entry in kind).items():
            if times > 1:
                yield f"{name} stands there {times} times"


def _power_faults(told: MapFile) -> Iterator[str]:
    cities = {city.id: city for city in told.cities}
    if [power.turn_order for power in told.powers] != list(range(1, len(told.powers) + 1)):
        yield "the powers do not stand in turn order"
    for power in told.powers:
        homes = tuple(city.id for city in told.cities if city.power == power.id)
        if power.home_cities != homes:
            yield f"the home cities of {power.id} are not its cities in map order"
        if [city for city in homes if cities[city].capital] != [power.capital]:
            yield f"{power.capital} is not the only capital of {power.id}"
        if sum(cities[city].max_police for city in homes) < len(power.police):
            yield f"{power.id} has more police than places for them"
        room = told.max_secrets_per_city_at_setup * len(homes)
        if room < power.start_secrets:
            yield f"{power.id} has more secrets than places for them"
        strengths = [piece.strength for piece in power.police]
        if strengths != sorted(strengths, reverse=True):
            yield f"the police of {power.id} do not stand in descending strength"


def _city_faults(told: MapFile) -> Iterator[str]:
    powers = {power.id for power in told.powers}
    for city in told.cities:
        if city.power is not None and city.power not in powers:
            yield f"{city.id} belongs to no power"
        limit = 0 if city.power is None else 1 + city.police_symbol
        if city.max_police != limit:
            yield f"{city.id} has places for {limit} police, not {city.max_police} (5.9)"
    listed = tuple(city.id for city in told.cities if city.starts_with_neutral_secret)
    if listed != told.neutral_secret_cities:
        yield "the cities of the neutral secrets are not those marked, in map order"


def _way_faults(told: MapFile) -> Iterator[str]:
    cities = {city.id for city in told.cities}
    zones = {zone.id: zone for zone in told.sea_zones}
    for link in told.links:
        if link.a == link.b or not {link.a, link.b} <= cities:
            yield f"the link {link.a}-{link.b} joins no two cities"
    for zone in zones.values():
        for near in zone.adjacent:
            if near not in zones or zone.id not in zones[near].adjacent:
                yield f"{zone.id} and {near} are not neighbours of each other"
        ports = {city.id for city in told.cities if zone.id in city.sea_zones}
        if ports != set(zone.ports):
            yield f"the ports of {zone.id} are not the cities that lie on it"
    for city in told.cities:
        if not set(city.sea_zones) <= zones.keys():
            yield f"{city.id} lies on no sea zone that there is"
    if not _joined(told):
        yield "not every city can be reached from every other"


def _joined(told: MapFile) -> bool:
    near: dict[str, list[str]] = {}
    pairs = [(link.a, link.b) for link in told.links]
    pairs += [(city.id, zone) for city in told.cities for zone in city.sea_zones]
    pairs += [(zone.id, other) for zone in told.sea_zones for other in zone.adjacent]
    for one, other in pairs:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    met, ahead = {told.cities[0].id}, [told.cities[0].id]
    while ahead:
        for place in near.get(ahead.pop(), ()):
            if place not in met:
                met.add(place)
                ahead.append(place)
    return {city.id for city in told.cities} <= met


def _secret_faults(told: MapFile) -> Iterator[str]:
    dealt = sum(power.start_secrets for power in told.powers) + len(told.neutral_secret_cities)
    if len(told.secrets) != dealt:
        yield f"{len(told.secrets)} secrets cannot be dealt to {dealt} places"
    for face in told.secrets:
        number, other = face.value, face.strength
        if face.kind == "counterspy":
            number, other = other, number
        if number is None or not 1 <= number <= 5 or other is not None:
            yield f"{face.id} must have a value or, as a counterspy, a strength of 1 to 5"


def _tile_faults(told: MapFile) -> Iterator[str]:
    cities = {city.id for city in told.cities}
    years = {entry.year for entry in told.years}
    for tile in told.event_tiles:
        if not {city for effect in tile.effects for city in effect.cities} <= cities:
            yield f"{tile.id} names a city that is not on the map"
        if not {tile.first_year, tile.last_year} <= years or tile.first_year > tile.last_year:
            yield f"the years of {tile.id} are not those of a match"
    for power in told.powers:
        own = [tile for tile in told.event_tiles if tile.owner == power.id]
        if len(own) != power.own_event_tiles:
            yield f"{power.id} has {len(own)} tiles of its own, not {power.own_event_tiles}"
        if power.own_event_tiles + power.random_event_tiles < len(told.years):
            yield f"{power.id} has too few tiles for a match"
    common = sum(tile.owner is None for tile in told.event_tiles)
    if common < sum(power.random_event_tiles for power in told.powers):
        yield "there are too few common tiles"


def _seating_faults(told: MapFile) -> Iterator[str]:
    powers = [power.id for power in told.powers]
    seats = {power.seat for power in told.powers}
    for number, seating in told.player_setups.items():
        led = [power for group in seating.seats.values() for power in group]
        if len(seating.seats) != int(number) or not seating.seats.keys() <= seats:
            yield f"{number} players do not take {number} seats"
        if sorted([*led, *seating.dormant]) != sorted(powers):
            yield f"with {number} players not every power is led once or dormant"
