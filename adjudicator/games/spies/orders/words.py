"""Words of the order language in English, Norwegian and Swedish (rules 9.4), folded."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from adjudicator.core.likeness import Likeness
from adjudicator.core.message import Message, say
from adjudicator.core.orders import folded
from adjudicator.games.spies.rules.atlas import KINDS, POWERS, City, Power, atlas

TITLES: Mapping[Power, Message] = {
    "germany": say("Germany"),
    "italy": say("Italy"),
    "russia": say("Russia"),
    "france": say("France"),
    "britain": say("Britain"),
}
# By our own word: all that mean it.
SPELLINGS: Mapping[str, str] = {
    "PLAY": "play spill spela",
    "DISCARD": "discard kast kasta",
    "POLICE": "police politi polis",
    "ON": "on på",
    "SPY": "spy spion",
    "GO": "go gå",
    "NEAR": "near nær nära",
    "HOME": "home hjem hem",
    "DISCOVER": "discover avslør avslöja",
    "TRIES": "tries forsøk försök",
    "TAKE": "take ta",
    "DROP": "drop slipp släpp",
    "ESCAPE": "escape flukt flykt",
    "PAPERS": "papers papirer papper",
    "COVER": "cover dekk täck",
    "DISCOVERY": "discovery avsløring avslöjande",
    "ANSWER": "answer svar svara",
    "AGAINST": "against mot",
    "IF": "if hvis om",
    "AND": "and og och",
    "HOLD": "hold behold behåll",
    "GIVE": "give gi ge",
    "FLEE": "flee flyktvei flyktväg",
    "SPARE": "spare spar skona",
    "INFORMER": "informer angiver angivare",
    "CARRYING": "carrying bærer bär",
    "EMPTY": "empty tom",
    "MONEY": "money penger pengar",
    "VALUE": "value verdi värde",
    "STRENGTH": "strength styrke styrka",
    "ALL": "all alle alla",
    "NONE": "none ingen inga",
    "DEFAULT": "default standard",
    "RANDOM": "random tilfeldig slump",
    "AUTO": "auto automatic automatisk automatiskt",
    "KILL": "kill drep döda",
    "DAGGER": "dagger dolk",
    "SETUP": "setup oppstilling uppställning",
}
# Our own words as their reader writes them.
OWN_WORDS: Mapping[str, Message] = {
    "SETUP": say("SETUP"),
    "RANDOM": say("RANDOM"),
    "AUTO": say("AUTO"),
    "PLAY": say("PLAY"),
    "DISCARD": say("DISCARD"),
    "POLICE": say("POLICE"),
    "ON": say("ON"),
    "SPY": say("SPY"),
    "GO": say("GO"),
    "NEAR": say("NEAR"),
    "HOME": say("HOME"),
    "DISCOVER": say("DISCOVER"),
    "TRIES": say("TRIES"),
    "TAKE": say("TAKE"),
    "DROP": say("DROP"),
    "KILL": say("KILL"),
    "ESCAPE": say("ESCAPE"),
    "PAPERS": say("PAPERS"),
    "COVER": say("COVER"),
    "DISCOVERY": say("DISCOVERY"),
    "DAGGER": say("DAGGER"),
    "HOLD": say("HOLD"),
    "GIVE": say("GIVE"),
    "ANSWER": say("ANSWER"),
    "AGAINST": say("AGAINST"),
    "IF": say("IF"),
    "AND": say("AND"),
    "FLEE": say("FLEE"),
    "SPARE": say("SPARE"),
    "INFORMER": say("INFORMER"),
    "CARRYING": say("CARRYING"),
    "EMPTY": say("EMPTY"),
    "MONEY": say("MONEY"),
    "VALUE": say("VALUE"),
    "STRENGTH": say("STRENGTH"),
    "ALL": say("ALL"),
    "NONE": say("NONE"),
    "DEFAULT": say("DEFAULT"),
}
WORDS: Mapping[str, str] = {
    folded(spelling): word for word, all_ in SPELLINGS.items() for spelling in all_.split()
}
CHITS: Mapping[str, str] = {kind.upper(): kind for kind in KINDS}
# Words with which lines and steps begin.
_BEGIN = (
    *("PLAY", "DISCARD", "POLICE", "SPY", "HOLD", "GIVE", "ANSWER", "COVER", "FLEE", "SPARE"),
    *("INFORMER", "SETUP", "GO", "DISCOVER", "TAKE", "DROP", "KILL", "ESCAPE"),
)
# A secret, a spy with the letter of its power, one before a colon, a police piece, a tile.
_CODE = re.compile(
    r"(?<![^\W_])(?:[girfbn]-?\d|[girfb]-[a-e]|(?:[girfb]-?)?p-?\d|t[girfbc]-?\d{1,2})(?![^\W_])"
    r"|\A[a-e] ?:"
)


@cache
def likeness() -> Likeness:
    """Return the words by which a line is known that may be meant as an order."""
    begins = frozenset(word for word, meant in WORDS.items() if meant in _BEGIN)
    spelt = {word for words in city_words() for word in words}
    return Likeness(
        code=_CODE,
        begins=begins,
        names=frozenset(word for word in spelt if len(word) > 3) | frozenset(power_words()),
        capitals=frozenset(atlas().cities),
        words=frozenset(WORDS) - begins,
        opens=frozenset(),
    )


@cache
def power_words() -> Mapping[str, Power]:
    """Return the folded names of the powers."""
    return {
        folded(name): power
        for power in POWERS
        for name in (power, *atlas().powers[power].names.values())
    }


@cache
def city_words() -> Mapping[tuple[str, ...], City]:
    """Return the folded names and codes of the cities, as the words of which they consist."""
    return {
        tuple(folded(name).split()): city
        for city in atlas().cities
        for name in (city, *_names_of(city))
    }


def city_spelt(city: City, key: str) -> str | None:
    """Return the name of a city that is folded so; None if that is its code."""
    return next((name for name in _names_of(city) if folded(name) == key), None)


def _names_of(city: City) -> Iterable[str]:
    entry = atlas().cities[city]
    return (entry.name, *entry.names.values(), *entry.also)


def longest_city() -> int:
    return max(map(len, city_words()))


def city_names() -> Iterable[str]:
    """Return all names of cities: one of them may be meant by a word that is no city."""
    return sorted({" ".join(words) for words in city_words()})
