"""A match is checked against its seed, and the game master sees the whole table (rules 2.1)."""

from random import Random

import pytest
from msgspec.structs import replace

from adjudicator.games.spies.orders.values import SetUp
from adjudicator.games.spies.page.full_board import truth
from adjudicator.games.spies.rules import events as e
from adjudicator.games.spies.rules.audit import audit
from adjudicator.games.spies.rules.control import face
from tests.games.spies.matches import CHANCE, begun, fold, played, random_match, setting
from tests.games.spies.test_matches import where_chits_are_short


def told(state, events, chance):
    return [str(message) for message in audit(state, events, chance)]


@pytest.mark.parametrize("seed", range(6))
def test_a_match_agrees_with_its_seed_and_with_no_other(seed):
    plies = list(random_match(Random(seed)))
    events = [event for ply in plies for event in ply.events]
    state, chance = plies[-1].after, plies[0].chance
    assert told(state, events, chance) == []
    other = replace(chance, seed=bytes(32))
    assert told(state, events, other) == ["the deal does not follow from the seed"]


def test_a_set_up_that_was_not_drawn_so_is_found():
    plies = list(random_match(Random(3), setting(3), player=lambda view, chance: ()))
    events = [event for ply in plies for event in ply.events]
    at = next(n for n, event in enumerate(events) if isinstance(event, e.Placed))
    spies = {**events[at].spies, "G-A": "BER"}
    events[at] = replace(events[at], spies=spies)
    assert "the set-up of germany does not follow from the seed" in told(
        plies[-1].after, events, plies[0].chance
    )


def set_up_only(view, chance):
    return (SetUp("AUTO"),) if view.phase == "setup" else ()


def test_a_set_up_that_was_drawn_sensibly_is_drawn_again():
    plies = list(random_match(Random(3), setting(3), player=set_up_only, leaving=0))
    events = [event for ply in plies for event in ply.events]
    state, chance = plies[-1].after, plies[0].chance
    assert told(state, events, chance) == []
    at = next(n for n, event in enumerate(events) if isinstance(event, e.Placed))
    events[at] = replace(events[at], spies={**events[at].spies, "G-A": "BER"})
    assert "the set-up of germany does not follow from the seed" in told(state, events, chance)


def test_chits_that_were_drawn_otherwise_are_found():
    plies = list(random_match(Random(5), setting(5), leaving=0))
    events = [event for ply in plies for event in ply.events]
    at = next(
        n for n, event in enumerate(events) if isinstance(event, e.Gain) and len(event.kinds) == 1
    )
    kind = "papers" if events[at].kinds != ("papers",) else "cover"
    spoiled = [*events[:at], replace(events[at], kinds=(kind,)), *events[at + 1 :]]
    assert told(plies[-1].after, spoiled, plies[0].chance)


def test_a_pool_that_was_shuffled_otherwise_is_found():
    state = where_chits_are_short()
    events, _ = played(state, {})
    (shuffle,) = [event for event in events if isinstance(event, e.Reshuffled)]
    assert shuffle.number == 1
    start = begun(setting(5, "turns"))
    other = replace(shuffle, pool=("dagger",))
    assert "shuffle 1 of the chits does not follow from the seed" in told(
        fold(start, [other]), [other], CHANCE
    )


def test_the_game_master_sees_every_strength_value_and_hand():
    for players in (2, 5):
        state = begun(setting(players))
        text = truth(state)
        for code, spy in state.spies.items():
            assert f"  {code:<7} {spy.strength} " in text
        for code in state.secrets:
            assert f"{code} " in text
            assert face(state, code).title in text
        for hand in state.hands.values():
            assert " ".join(hand.tiles) in text
        assert ("dormant" in text) == (players == 2)
