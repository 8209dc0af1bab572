"""Name cities, countries, powers, chits and tiles as their reader does."""

from collections.abc import Callable, Iterable, Mapping

from adjudicator.core.message import Message, Words, count, listed, name_in, say
from adjudicator.games.spies.orders.words import OWN_WORDS, TITLES
from adjudicator.games.spies.rules.atlas import KINDS, City, atlas
from adjudicator.games.spies.rules.map_file import EffectEntry
from adjudicator.games.spies.sight.view import OwnChits

COUNTRIES: Mapping[str, Message] = {
    **{name.capitalize(): title for name, title in TITLES.items()},
    "Portugal": say("Portugal"),
    "Spain": say("Spain"),
    "Belgium": say("Belgium"),
    "Switzerland": say("Switzerland"),
    "Austria": say("Austria"),
    "Czechoslovakia": say("Czechoslovakia"),
    "Poland": say("Poland"),
    "Hungary": say("Hungary"),
    "Romania": say("Romania"),
    "Yugoslavia": say("Yugoslavia"),
    "Greece": say("Greece"),
    "Turkey": say("Turkey"),
    "Sweden": say("Sweden"),
    "Denmark": say("Denmark"),
    "Latvia": say("Latvia"),
}
_SEAS: Mapping[str, Message] = {
    "ARC": say("Arctic and Norwegian Sea"),
    "NTH": say("North Sea"),
    "SKA": say("Skagerrak and Kattegat"),
    "BAL": say("Baltic Sea"),
    "ATL": say("Eastern Atlantic"),
    "WME": say("Western Mediterranean"),
    "TYR": say("Tyrrhenian Sea"),
    "ADR": say("Adriatic Sea"),
    "ION": say("Ionian and Central Mediterranean"),
    "EME": say("Aegean and Eastern Mediterranean"),
    "BLK": say("Black Sea"),
}
CHITS: Mapping[str, Message] = {kind: OWN_WORDS[kind.upper()] for kind in KINDS}


def city_name(city: City, words: Words) -> str:
    """Return the name of a city in the reader's language, else in English."""
    return name_in(atlas().cities[city].names, words)


def sea_name(zone: str, words: Words) -> str:
    return words(_SEAS[zone])


def place(city: City, words: Words) -> str:
    """Write `Prague (PRA)`: a city's name, and the code for order lines."""
    return f"{city_name(city, words)} ({city})"


def power_names(named: Iterable[str]) -> Message:
    """Name powers after one another; there must be one."""
    return listed(TITLES[power] for power in named)


def chits(kinds: Iterable[str]) -> Message:
    """Write `2 PAPERS, 1 COVER`; there must be one."""
    held = list(kinds)
    return listed(
        say("{n} {chit}", n=held.count(kind), chit=told)
        for kind, told in CHITS.items()
        if kind in held
    )


def chits_held(own: OwnChits, words: Words) -> str:
    """Write how many chits of each kind a hand has, without those that it has not."""
    parts = [f"{n} {words(told)}" for kind, told in CHITS.items() if (n := getattr(own, kind))]
    return ", ".join(parts) or "-"


def tile_years(tile: str) -> str:
    entry = atlas().tiles[tile]
    if entry.first_year == entry.last_year:
        return str(entry.first_year)
    return f"{entry.first_year}-{entry.last_year}"


def tile_text(tile: str, words: Words, named: Callable[[City], str] = str) -> str:
    """Say what a tile does, city by city (5.8)."""
    return "; ".join(
        f"{', '.join(map(named, effect.cities))} {words(_effect(effect))}"
        for effect in atlas().effects(tile)
    )


def _effect(effect: EffectEntry) -> Message:
    if effect.type == "chits":
        return count("{n} chit", "{n} chits", effect.amount)
    if effect.type == "money":
        return say("{n} £", n=effect.amount)
    return say("a free discovery")
