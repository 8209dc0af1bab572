"""I1 to I5 (A24) after every fact of random matches, and what the program needs of every match."""

from collections import Counter
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from adjudicator.games.spion.rules import turns
from adjudicator.games.spion.rules.cards import complete
from adjudicator.games.spion.rules.effects import apply
from adjudicator.games.spion.rules.invariants import violations
from adjudicator.games.spion.rules.state import (
    Drew,
    Ended,
    Event,
    OpeningRolled,
    Rolled,
    State,
    TakenInAnswer,
    TurnOpened,
    X,
    chain,
)
from adjudicator.games.spion.rules.variants import board_of
from tests.games.spion.matches import any_setting, chance_of, random_match, setting
from tests.scale import first_quick, scaled

MATCHES = scaled(24)
CHANCE = chance_of(bytes(range(32)))

seeds = pytest.mark.parametrize("seed", first_quick(6, range(MATCHES)))


def a_complete_holder_ends_the_match(state: State, event: Event) -> None:
    """R9; `Ended` is the fact after it."""
    won = [s for s in state.seats if complete(state.holders[s]) and s not in state.left]
    if state.outcome and state.outcome.reason == "set":
        assert list(state.outcome.winners) == won
    elif isinstance(event, TurnOpened | TakenInAnswer):
        assert won == []


@seeds
def test_the_invariants_hold_after_every_fact(seed: int):
    for ply in random_match(Random(seed)):
        for event, state in zip(ply.events, ply.states[1:], strict=True):
            assert list(violations(state)) == []
            a_complete_holder_ends_the_match(state, event)


def test_a_broken_state_is_found():
    sound = [ply.states[-1] for ply in random_match(Random(1))][5]
    assert list(violations(sound)) == []
    seat, other, *_ = sound.seats
    code = next(iter(board_of(sound.settings).embassies))
    for name, changes in {
        "I1": {"embassies": dict(list(sound.embassies.items())[1:])},
        "I4": {"spies": {**sound.spies, seat: "a3"}},
        "I5": {"bodyguards": {**sound.bodyguards, other: code}},
    }.items():
        assert name in list(violations(replace(sound, **changes)))


@seeds
def test_a_match_ends_and_is_told_in_full(seed: int):
    rng = Random(f"ends {seed}")
    agreed = any_setting(rng)
    plies = list(random_match(rng, agreed, leaving=False))
    last = plies[-1].states[-1]
    limit = int(agreed.options["max_rounds"])
    assert last.outcome
    assert max(state.round for ply in plies for state in ply.states) <= limit + 1
    for ply in plies[:-1]:
        assert not any(isinstance(event, Ended) for event in ply.events)


@seeds
def test_states_and_events_survive_json_and_play_on_the_same(seed: int):
    for ply in random_match(Random(f"json {seed}")):
        stored = msgspec.json.decode(msgspec.json.encode(ply.states[0]), type=State)
        assert stored == ply.states[0]
        told = msgspec.json.encode(ply.events)
        assert msgspec.json.decode(told, type=tuple[Event, ...]) == ply.events
        assert tuple(turns.adjudicate(stored, ply.orders, ply.chance)) == ply.events
    assert msgspec.json.decode(msgspec.json.encode(ply.states[-1]), type=State) == ply.states[-1]


@seeds
def test_links_are_used_one_after_the_other_and_cover_all_dice(seed: int):
    """Section 6: each key is that of its chain, none is skipped and none is used twice."""
    used: Counter[str] = Counter()
    for ply in random_match(Random(f"links {seed}"), leaving=False):
        for event in ply.events:
            if not isinstance(event, Drew | Rolled | OpeningRolled):
                continue
            number = event.number
            who = X if isinstance(event, Drew) else chain(event.seat)
            again = isinstance(event, Drew) and number == used[who]  # two draws in one turn
            assert again or number == used[who] + 1
            used[who] = number
            assert event.key == ply.chance.key(who, number).hex()
        assert dict(ply.states[-1].links) == {who: n for who, n in used.items() if n}


@pytest.mark.parametrize("mode", ["turns", "rounds"])
def test_an_empty_sheet_is_legal_everywhere(mode: str):
    """5.4: a match in which nobody ever sends anything is played to its end."""
    for players in (2, 3, 4):
        agreed = setting("original", players, mode=mode, max_rounds="40")
        state = turns.set_up(agreed, CHANCE)
        while turns.awaiting(state):
            for event in turns.adjudicate(state, {}, CHANCE):
                state = apply(state, event)
        assert state.outcome
