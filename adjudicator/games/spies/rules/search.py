"""Searches in the own turn and on arrival (rules 5.2 to 5.6)."""

from collections.abc import Iterator

from adjudicator.games.spies.rules import standing_orders
from adjudicator.games.spies.rules.atlas import City, Code, Power, atlas, power_of
from adjudicator.games.spies.rules.control import (
    are_enemies,
    is_original,
    name_for,
    police_in,
    spies_in,
)
from adjudicator.games.spies.rules.events import Guard, Search
from adjudicator.games.spies.rules.ply_in_progress import Course
from adjudicator.games.spies.rules.state import State


def search_all(course: Course, power: Power) -> None:
    """Search in the own turn (5.2): own home cities in map order."""
    for city in atlas().powers[power].homes:
        if police_in(course.state, power, city):
            for spy in tuple(_in_turn(course.state, power, city)):
                search(course, power, spy, arrival=False)


def _in_turn(state: State, power: Power, city: City) -> Iterator[Code]:
    """Yield the enemy spies in a city, those that carry something first, then by power and
    code."""
    there = [spy for spy in spies_in(state, city) if are_enemies(state, power, power_of(spy))]
    yield from sorted(there, key=lambda spy: state.spies[spy].carries is None)


def search(course: Course, power: Power, spy: Code, *, arrival: bool) -> None:
    """Make one search (5.4), unless the power spares the spy (6.4)."""
    state = course.state
    city, carried = state.spies[spy].city, state.spies[spy].carries
    assert city, "only a spy on the map is searched"
    if standing_orders.spares(state, power, spy, city):
        return
    told = (name_for(state, power), name_for(state, power_of(spy)))
    found = standing_orders.answer(state, spy, power)
    if found:
        reply, to = found
        course.tell(Search(power, spy, city, arrival, reply, to, captured=False))
    else:
        strength = state.spies[spy].strength
        police = sum(state.police[code].strength for code in police_in(state, power, city))
        caught = police > strength
        course.tell(Search(power, spy, city, arrival, None, None, caught, strength, police, told))
    if carried:
        guard_at_once(course, power, carried)


def guard_at_once(course: Course, power: Power, secret: Code) -> None:
    """Put the strongest free piece there on an own original that was left behind (5.6)."""
    state = course.state
    lying = state.secrets[secret]
    if lying.spy or lying.city is None or not is_original(secret, power):
        return
    there = police_in(state, power, lying.city)
    free = next((code for code in there if state.police[code].on is None), None)
    if free:
        course.tell(Guard(power, secret, lying.city, free))
