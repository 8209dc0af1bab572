"""Matches of Spion for the tests: set up, played at random, and looked through."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.games.spion import SPION
from adjudicator.games.spion.orders.values import (
    Ambush,
    Answer,
    At,
    Challenge,
    Fifth,
    Goal,
    Keep,
    Move,
    Order,
    Out,
    Pass,
    Phrase,
    Put,
    Refuse,
    Swap,
)
from adjudicator.games.spion.rules import turns
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.effects import apply
from adjudicator.games.spion.rules.movement import ambushes, ends
from adjudicator.games.spion.rules.ply_in_progress import position
from adjudicator.games.spion.rules.position import clockwise, eligible, vacant
from adjudicator.games.spion.rules.state import Event, State
from adjudicator.games.spion.rules.variants import standard
from tests.games.playouts import setting_of

# Keys of news that name the type of a card, or may (rule 5.5): they are told once.
TOLD_ONCE = {"guess", "card", "given", "kept", "line", "why"}
OPTIONS = {"mode": "turns"}  # whatever the number of players; the others have their defaults


class Ply(Struct, frozen=True):
    """One adjudication. `states` has one more than `events`: the first is the state before it."""

    orders: Mapping[Seat, tuple[Order, ...]]
    chance: Chance
    events: tuple[Event, ...]
    states: tuple[State, ...]


def setting(variant: str = "original", players: int = 2, **options: str) -> Setting:
    seats = standard(variant).seating[players]
    return Setting.of(SPION.options, variant, {**OPTIONS, **options}, seats)


def chance_of(seed: bytes) -> Chance:
    return Chance(seed, "spion-1", label="SPION1")


def any_setting(rng: Random) -> Setting:
    drawn = setting_of(SPION, rng)
    return replace(drawn, options={**drawn.options, "max_rounds": str(rng.randint(5, 40))})


def adjudicated(state: State, orders: Mapping[Seat, tuple[Order, ...]], chance: Chance) -> Ply:
    chance = replace(chance, phrases=turns.phrases(state))
    events = tuple(turns.adjudicate(state, orders, chance))
    states = [state]
    for event in events:
        states.append(apply(states[-1], event))
    return Ply(orders, chance, events, tuple(states))


def random_match(rng: Random, agreed: Setting | None = None, leaving: bool = True) -> Iterator[Ply]:
    """Play until the match ends. Now and then a seat sends nothing, or leaves."""
    agreed, chance = agreed or any_setting(rng), chance_of(rng.randbytes(32))
    state = turns.set_up(agreed, chance)
    while waiting := turns.awaiting(state):
        orders = {
            seat: any_sheet(state, seat, rng)
            for seat in state.seats
            if seat in waiting and rng.random() < 0.9
        }
        ply = adjudicated(state, orders, chance)
        yield ply
        state = ply.states[-1]
        if leaving and not state.outcome and rng.random() < 0.01:
            gone = rng.choice([seat for seat in state.seats if seat not in state.left])
            for event in turns.leave(state, [gone], "forfeit"):
                state = apply(state, event)


def any_sheet(state: State, seat: Seat, rng: Random) -> tuple[Order, ...]:
    """Return lines of all kinds in any order, many of which can be followed."""
    if not state.turn:
        return (Phrase(f"phrase {rng.randint(1, 99)}"),)
    lines = [*_moves(state, seat, rng), *_challenges(state, seat, rng)]
    lines += [*_tables(state, rng), Put(rng.choice(PLACES))]
    others = clockwise(state.seats, seat)
    lines.append(rng.choice([Pass(), *(Swap(other) for other in others)]))
    rng.shuffle(lines)
    return tuple(lines[: rng.randint(0, len(lines))])


def _moves(state: State, seat: Seat, rng: Random) -> Iterator[Order]:
    here, roll = position(state), state.rolls.get(seat)
    found = list(ends(here, seat, roll.total).paths.items()) if roll else []
    if found:
        goal, path = rng.choice(found)
        forced = path if rng.random() < 0.3 else ()
        first = Goal(goal, if_card=rng.random() < 0.3, path=forced)
        near = Goal(rng.choice(list(here.board.embassies)), near=True)
        yield Move((first, Goal(rng.choice(list(here.board.order))), near))


def _challenges(state: State, seat: Seat, rng: Random) -> Iterator[Order]:
    here, roll = position(state), state.rolls.get(seat)
    for target in eligible(here, seat):
        place, guess = rng.choice(here.filled[target]), rng.choice(here.types)
        yield Challenge(target, place, guess)
        spots = list(ambushes(here, seat, target, roll.total)) if roll else []
        if spots:
            yield Ambush(target, place, guess, rng.choice([None, *spots]))


def _tables(state: State, rng: Random) -> Iterator[Order]:
    free = vacant(position(state))
    some: Sequence[str] = rng.sample(free, min(len(free), rng.randint(0, 2)))
    kinds = [*state.types, "*"]
    out = Out(rng.choice([*PLACES, *state.types]), tuple(some))
    yield Fifth(rng.choice(kinds), rng.choice([out, Refuse(tuple(some))]))
    yield Keep(rng.choice(kinds), rng.choice([out, Refuse(tuple(some)), At(rng.choice(PLACES))]))
    taking = tuple(rng.sample(PLACES, rng.randint(1, 4)))
    yield Answer(rng.choice([*state.seats, "*"]), taking, final=rng.random() < 0.5)
