"""The map as lists: what stands and lies in each city, who is not on the map, and the ways between
cities."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.message import Words, count, say
from adjudicator.games.spies.page.names import COUNTRIES, city_name, sea_name
from adjudicator.games.spies.page.news import Group
from adjudicator.games.spies.page.pieces import Piece, fate, piece_text, pieces
from adjudicator.games.spies.rules.atlas import City, atlas
from adjudicator.games.spies.sight.view import SeenPolice, SeenSecret, SeenSpy, View


class CityRow(Struct, frozen=True, kw_only=True):
    """A city with its police, secrets and spies, in words and codes."""

    code: City
    name: str
    things: Sequence[str]


def cities(view: View, words: Words) -> list[CityRow]:
    """Return all cities in map order."""
    known = pieces(view)
    police = {entry.city: entry for entry in view.police}
    lying: dict[City, list[SeenSecret]] = {}
    for secret in view.secrets:
        if secret.city and not secret.spy:
            lying.setdefault(secret.city, []).append(secret)
    spies: dict[City, list[SeenSpy]] = {}
    for spy in view.spies:
        if spy.city:
            spies.setdefault(spy.city, []).append(spy)
    return [
        CityRow(
            code=city,
            name=city_name(city, words),
            # What stands behind the police would be read as guarded, so they are the last.
            things=[
                *_free(police.get(city), lying.get(city, ())),
                *(_spy(spy, known, words) for spy in spies.get(city, ())),
                *_police(police.get(city), known, words),
            ],
        )
        for city in atlas().cities
    ]


def countries(rows: Iterable[CityRow], words: Words) -> list[tuple[str, list[CityRow]]]:
    """Return the cities in which there is something, by country."""
    found: dict[str, list[CityRow]] = {}
    for row in rows:
        if row.things:
            country = words(COUNTRIES[atlas().cities[row.code].country])
            found.setdefault(country, []).append(row)
    return list(found.items())


def named_cities(rows: Iterable[CityRow], news: Sequence[Group]) -> list[tuple[City, str]]:
    """Return the cities that the news name by their codes and in which there is nothing."""
    codes = set(re.findall(r"\b[A-Z]{3}\b", "\n".join(line for _, told in news for line in told)))
    return [(row.code, row.name) for row in rows if row.code in codes and not row.things]


def _police(police: SeenPolice | None, known: Mapping[str, Piece], words: Words) -> Iterator[str]:
    """Yield the police of a city with what they guard."""
    if police:
        n, on = police.pieces, ", ".join(piece_text(known[code]) for code in police.guards)
        if on:
            yield words(count("{n} police on {secrets}", "{n} police on {secrets}", n, secrets=on))
        else:
            yield words(count("{n} police", "{n} police", n))


def _free(police: SeenPolice | None, lying: Iterable[SeenSecret]) -> Iterator[str]:
    """Yield the secrets of a city that nobody guards."""
    guarded = police.guards if police else ()
    return (piece_text(secret) for secret in lying if secret.secret not in guarded)


def _spy(spy: SeenSpy, known: Mapping[str, Piece], words: Words) -> str:
    if not spy.carries:
        return piece_text(spy)
    carried = piece_text(known[spy.carries])
    return words(say("{spy} with {secret}", spy=piece_text(spy), secret=carried))


def off_map(view: View, words: Words) -> list[tuple[str, str]]:
    """Return all spies that are not on the map, each with what became of it."""
    if not view.placed:
        return []
    return [(piece_text(spy), words(fate(spy))) for spy in view.spies if not spy.city]


def ways(words: Words) -> list[tuple[City, str, str]]:
    """Return each city with its neighbours by rail and air, which make no difference (3.1)."""
    return [
        (city, city_name(city, words), ", ".join(_near(city, words))) for city in atlas().cities
    ]


def _near(city: City, words: Words) -> Iterator[str]:
    for link in atlas().ways:
        if city in (link.a, link.b):
            yield city_name(link.b if city == link.a else link.a, words)


def seas(words: Words) -> list[tuple[str, str, str]]:
    """Return each sea with its ports, and with the seas to which its ships go on."""
    return [
        (
            sea_name(zone.id, words),
            ", ".join(
                city_name(city, words)
                for city, entry in atlas().cities.items()
                if zone.id in entry.sea_zones
            ),
            ", ".join(sea_name(near, words) for near in zone.adjacent),
        )
        for zone in atlas().zones
    ]
