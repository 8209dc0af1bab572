"""Ways and goals (rules 3.1, 5.5, 9.2). Nothing blocks a spy, so only the distance counts."""

from collections.abc import Callable

from adjudicator.games.spies.orders.values import HOME, Go, Goal
from adjudicator.games.spies.rules.atlas import City, Code, Power, atlas
from adjudicator.games.spies.rules.conditions import all_hold
from adjudicator.games.spies.rules.control import enemy_police, police_in
from adjudicator.games.spies.rules.state import State


def goal_of(state: State, power: Power, spy: Code, go: Go, spaces: int) -> City | None:
    """Return the first goal that is within the spaces left and whose conditions hold (9.2)."""
    here = state.spies[spy].city
    assert here, "only a spy on the map goes"
    for goal in go.goals:
        city = _found(state, power, here, goal, spaces)
        if city and all_hold(state, power, spy, city, goal.conds):
            return city
    return None


def _found(state: State, power: Power, here: City, goal: Goal, spaces: int) -> City | None:
    wanted = city_named(goal, power)
    if goal.near:
        return nearest(here, wanted, spaces, lambda city: enemy_police(state, power, city))
    return wanted if atlas().distance(here, wanted) <= spaces else None


def city_named(goal: Goal, power: Power) -> City:
    """Return the city of a goal; HOME is the capital of the spy's power."""
    return atlas().powers[power].capital if goal.place == HOME else goal.place


def nearest(here: City, wanted: City, spaces: int, police: Callable[[City], int]) -> City:
    """Return where NEAR leads: of all cities within reach to the nearest, then to the fewest police
    of enemies, then in map order; it may be where the spy stands."""
    reached = (city for city, far in atlas().distances[here].items() if far <= spaces)
    return min(
        reached,
        key=lambda city: (atlas().distance(city, wanted), police(city), atlas().order[city]),
    )


def refuge(
    state: State, power: Power, spy: Code, searcher: Power, wishes: tuple[City, ...]
) -> City | None:
    """Return where a spy flees to (5.5): to the first wish that will do, else to the city nearest
    to its capital; None if every city next by rail or air has police of the searcher."""
    here = state.spies[spy].city
    assert here, "only a spy on the map flees"
    free = [city for city in atlas().links[here] if not police_in(state, searcher, city)]
    wished = next((city for city in wishes if city in free), None)
    if wished or not free:
        return wished
    capital = atlas().powers[power].capital
    return min(free, key=lambda city: (atlas().distance(city, capital), atlas().order[city]))
