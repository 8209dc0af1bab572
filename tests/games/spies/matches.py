"""Matches of Spies for tests."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from random import Random

from msgspec import Struct
from msgspec.json import encode

from adjudicator.core.dice import LABEL, Chance, Stream, digest
from adjudicator.core.match import Seat, Setting
from adjudicator.games.spies import SPIES
from adjudicator.games.spies.computers.drawn import random_sheet
from adjudicator.games.spies.orders.values import Order
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.events import AnyEvent
from adjudicator.games.spies.rules.state import State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.view import View
from tests.games.playouts import setting_of

MATCH = "spies-3"
CHANCE = Chance(bytes(range(32)), MATCH, label=LABEL)


def setting(
    players: int = 5, mode: str = "", order: str = "rotating", daggers: bool = False
) -> Setting:
    agreed = {"order": order, "assassination": str(daggers).lower()}
    if mode:
        agreed["mode"] = mode
    return Setting.of(SPIES.options, "standard", agreed, tuple(atlas().seating[players]))


def fold(state: State, events: Iterable[AnyEvent]) -> State:
    return reduce(apply, events, state)


def begun(agreed: Setting, chance: Chance = CHANCE) -> State:
    """Return a match behind the set-up, in which everybody was silent."""
    state = match.set_up(agreed, chance)
    return fold(state, match.adjudicate(state, {}, chance))


def played(
    state: State, sheets: Mapping[Seat, Sequence[Order]], chance: Chance = CHANCE
) -> tuple[tuple[AnyEvent, ...], State]:
    """Return what happens in a ply, and how things stand after it."""
    events = tuple(match.adjudicate(state, sheets, chance))
    return events, fold(state, events)


def digest_of(plain: object) -> str:
    """Return the SHA-256 of the JSON with sorted keys, no blanks, UTF-8 (rule 10.3)."""
    return digest(encode(plain, order="sorted").decode())


class Ply(Struct, frozen=True):
    """One adjudication of a match."""

    chance: Chance
    before: State
    sheets: Mapping[Seat, tuple[Order, ...]]
    events: tuple[AnyEvent, ...]
    after: State


def any_setting(rng: Random) -> Setting:
    return setting_of(SPIES, rng)


def random_match(
    rng: Random,
    agreed: Setting | None = None,
    player: Callable[[View, Stream], tuple[Order, ...]] = random_sheet,
    leaving: float = 0.01,
) -> Iterator[Ply]:
    """Play a match between computers, in which now and then a seat leaves or is silent."""
    agreed = agreed or any_setting(rng)
    chance = Chance(rng.randbytes(32), MATCH, label=LABEL)
    state = match.set_up(agreed, chance)
    number = 0
    while awaited := match.awaiting(state):
        if rng.random() < leaving:
            seat = rng.choice(list(state.seats))
            reason = rng.choice(["resignation", "forfeit"])
            events = tuple(match.leave(state, [seat], reason)) if seat not in state.left else ()
            sheets: dict[Seat, tuple[Order, ...]] = {}
        else:
            sheets = {
                seat: player(observe(state, seat), chance.private(seat, f"player|{number}"))
                for seat in state.seats
                if seat in awaited and seat not in state.left
            }
            events = tuple(match.adjudicate(state, sheets, chance))
        number += 1
        after = fold(state, events)
        yield Ply(chance, state, sheets, events, after)
        state = after
