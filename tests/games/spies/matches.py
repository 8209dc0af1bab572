"""Matches of Spies for tests."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from adjudicator.core.dice import Chance
from adjudicator.core.game import Seat, Setting
from adjudicator.games.spies.orders.values import Order
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.events import AnyEvent
from adjudicator.games.spies.rules.state import State

MATCH = "spies-3"
CHANCE = Chance(bytes(range(32)), MATCH)


def setting(
    players: int = 5, mode: str = "", order: str = "rotating", daggers: bool = False
) -> Setting:
    options = {
        "mode": mode or ("turns" if players == 2 else "years"),
        "order": order,
        "assassination": str(daggers).lower(),
    }
    return Setting("standard", options, tuple(atlas().seating[players]))


def fold(state: State, events: Iterable[AnyEvent]) -> State:
    return reduce(apply, events, state)


def begun(agreed: Setting, chance: Chance = CHANCE) -> State:
    """A match behind the set-up, in which everybody was silent."""
    state = match.set_up(agreed, chance)
    return fold(state, match.adjudicate(state, {}, chance))


def played(
    state: State, sheets: Mapping[Seat, Sequence[Order]], chance: Chance = CHANCE
) -> tuple[tuple[AnyEvent, ...], State]:
    """What happens in a ply, and how things stand after it."""
    events = tuple(match.adjudicate(state, sheets, chance))
    return events, fold(state, events)
