"""Event tiles (rules 5.8): one leaves the hand in each turn and works for all."""

from collections.abc import Iterable, Iterator, Sequence

from adjudicator.games.spies.orders.values import Discard, Order, Play
from adjudicator.games.spies.rules.atlas import City, Power, atlas, owner_of
from adjudicator.games.spies.rules.control import leader, order_from, seat_of
from adjudicator.games.spies.rules.discovery import free_discovery
from adjudicator.games.spies.rules.events import Gain, Tile
from adjudicator.games.spies.rules.map_file import EffectEntry
from adjudicator.games.spies.rules.ply_in_progress import Course
from adjudicator.games.spies.rules.state import State


def tile_step(course: Course, power: Power, sheet: Sequence[Order]) -> None:
    state = course.state
    seat = seat_of(state, power)
    if seat is None or not state.hands[power].tiles:  # a dormant power
        return
    tile, played = _chosen(state, power, sheet)
    course.tell(Tile(power, seat, tile, played))
    if played:
        _works(course, power, tile)


def _chosen(state: State, power: Power, sheet: Sequence[Order]) -> tuple[str, bool]:
    """Return the tile and whether it is played; without a line that can be followed the tile with
    the earliest last year is discarded."""
    held = state.hands[power].tiles
    for order in sheet:
        if isinstance(order, Play) and order.tile in held and in_time(order.tile, state.year):
            return order.tile, True
        if isinstance(order, Discard) and order.tile in held:
            return order.tile, False
    in_map = list(atlas().tiles)
    return min(held, key=lambda t: (atlas().tiles[t].last_year, in_map.index(t))), False


def in_time(tile: str, year: int) -> bool:
    entry = atlas().tiles[tile]
    return entry.first_year <= year <= entry.last_year


def _works(course: Course, power: Power, tile: str) -> None:
    """Give first all chits and money, power by power, then the free discoveries likewise."""
    in_turn = order_from(power)  # dormant powers have no spies
    for each in in_turn:
        for effect, city in _lines(atlas().effects(tile), ("chits", "money")):
            if _has_spy(course.state, each, city):
                _gain(course, each, effect, city)
    for each in in_turn:
        for effect, city in _lines(atlas().effects(tile), ("free_discovery",)):
            for _ in range(effect.amount):
                free_discovery(course, each, city)


def _lines(
    effects: Iterable[EffectEntry], kinds: Sequence[str]
) -> Iterator[tuple[EffectEntry, City]]:
    return ((effect, city) for effect in effects if effect.type in kinds for city in effect.cities)


def _has_spy(state: State, power: Power, city: City) -> bool:
    return any(spy.city == city and owner_of(code) == power for code, spy in state.spies.items())


def _gain(course: Course, power: Power, effect: EffectEntry, city: City) -> None:
    seat = leader(course.state, power)
    if effect.type == "money":
        course.tell(Gain(power, seat, city, (), effect.amount))
    else:
        course.tell(Gain(power, seat, city, course.next_chits(effect.amount), 0))
