"""Choose event tiles: the one to play now, and the one for which to take places this year."""

from collections.abc import Mapping
from typing import TypeAlias

from adjudicator.games.spies.rules.atlas import City, Power, atlas
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.view import View

Worth: TypeAlias = Mapping[str, float]  # points that each kind of a tile's gains is worth

MONEY, DISCOVERY = 0.15, 2.0  # a pound, a free discovery
NEEDED = 0.25  # a chit, to a power that has few Discoveries; else it has enough of them
OTHERS = 0.4  # how much what others gain counts against a tile


def worth(view: View, power: Power, few: int) -> Worth:
    chits = NEEDED if view.own_chits[power].discovery < few else 0.0
    return {"chits": chits, "money": MONEY, "free_discovery": DISCOVERY}


def tile_now(view: View, power: Power, worth: Worth) -> str | None:
    """Return the tile in hand that gives most beside what it gives to others, if it is worth it."""
    good = [tile for tile in view.own_tiles[power] if in_time(tile, view.year)]
    most = max(good, key=lambda tile: _gift(view, tile, worth), default=None)
    return most if most and _gift(view, most, worth) > 0 else None


def _gift(view: View, tile: str, worth: Worth) -> float:
    total = 0.0
    for effect in atlas().effects(tile):
        for city in effect.cities:
            there = {spy.power for spy in view.spies if spy.city == city}
            mine = len(there & set(view.powers))
            share = mine - OTHERS * (len(there) - mine)
            total += worth[effect.type] * effect.amount * share
    return total


def next_tile(view: View, power: Power, worth: Worth) -> str | None:
    """Return the tile in hand that can pay most next year, where no police stand."""
    good = [tile for tile in view.own_tiles[power] if in_time(tile, view.year + 1)]
    return max(
        good,
        key=lambda tile: sum(
            worth[effect.type] * effect.amount
            for effect in atlas().effects(tile)
            for city in effect.cities
            if city not in view.enemy_police
        ),
        default=None,
    )


def payment(worth: Worth, tile: str | None, city: City) -> float:
    """Return what a tile pays to the first spy in a city."""
    effects = atlas().effects(tile) if tile else ()
    return sum(worth[e.type] * e.amount for e in effects if city in e.cities)
