"""Built-in players order what is allowed, from their view alone, and know what they are about."""

from collections import Counter
from random import Random

import pytest

from adjudicator.core.orders import split_lines
from adjudicator.games.spies.computers import COMPUTERS
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.values import (
    Answer,
    Cover,
    Flee,
    Give,
    Informer,
    Spare,
    canonical,
)
from adjudicator.games.spies.rules import events as e
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.invariants import broken
from adjudicator.games.spies.rules.outcome import points
from adjudicator.games.spies.sight.observe import observe
from tests.games.spies import twins
from tests.games.spies.matches import CHANCE, fold, random_match, setting
from tests.scale import scaled

SETTINGS = [(5, "years"), (5, "turns"), (4, "years"), (3, "years"), (2, "turns"), (2, "years")]
thinkers = pytest.mark.parametrize("player", ["computer", "computer:cautious"])


@thinkers
@pytest.mark.parametrize(("players", "mode"), SETTINGS)
def test_every_sheet_of_a_whole_match_is_allowed(player: str, players: int, mode: str):
    agreed = setting(players, mode, daggers=players == 4)
    for ply in random_match(Random(1), agreed, COMPUTERS[player], leaving=0.01):
        assert list(broken(ply.after)) == []
        for seat, sheet in ply.sheets.items():
            read = parse(split_lines("\n".join(map(canonical, sheet))))
            assert read.problems == ()
            assert read.orders == sheet
            assert list(check(observe(ply.before, seat), read)) == []
    assert ply.after.outcome


@pytest.mark.parametrize("player", COMPUTERS)
def test_the_same_view_and_chance_give_the_same_sheet(player: str):
    for ply in random_match(Random(2), setting(3), leaving=0):
        for seat in ply.sheets:
            view = observe(ply.before, seat)
            one, other = (
                COMPUTERS[player](view, ply.chance.private(seat, "test")) for _ in range(2)
            )
            assert one == other


@pytest.mark.parametrize("player", COMPUTERS)
def test_a_computer_orders_the_same_in_twins(player: str):
    """It is given its view and nothing else."""
    rng = Random(3)
    for ply in random_match(rng, setting(5), leaving=0):
        for seat in ply.sheets:
            twin = twins.twin_of(ply.before, seat, rng)
            one, other = (
                COMPUTERS[player](observe(state, seat), ply.chance.private(seat, "test"))
                for state in (ply.before, twin)
            )
            assert one == other


@thinkers
def test_it_neither_deals_nor_spares_and_leaves_answers_to_the_defaults(player: str):
    """Section 12."""
    for ply in random_match(Random(4), setting(5), COMPUTERS[player], leaving=0):
        kinds = {type(order) for sheet in ply.sheets.values() for order in sheet}
        assert kinds.isdisjoint({Answer, Cover, Flee, Give, Informer, Spare})


@thinkers
def test_it_guards_what_it_can_in_the_set_up(player: str):
    state = match.set_up(setting(5), CHANCE)
    sheets = {
        seat: COMPUTERS[player](observe(state, seat), CHANCE.private(seat, "test"))
        for seat in state.seats
    }
    state = fold(state, match.adjudicate(state, sheets, CHANCE))
    assert list(broken(state)) == []
    for seat in state.seats:
        view = observe(state, seat)
        unguarded = [s.value or 0 for s in view.secrets if s.origin == seat and not s.controller]
        guarded = [s.value or 0 for s in view.secrets if s.origin == seat and s.controller]
        assert min(guarded) >= max(unguarded, default=0) or len(guarded) == 6


def test_a_thinking_player_beats_random_ones():
    wins: Counter[str] = Counter()
    number = scaled(6)
    for seed in range(number):
        *_, last = random_match(Random(f"mixed {seed}"), setting(3), mixed, leaving=0)
        told = points(last.after)
        wins[max(told, key=lambda seat: told[seat])] += 1
    assert wins["italy"] > number / 2


def mixed(view, chance):
    """Italy thinks, the others draw."""
    return COMPUTERS["computer" if view.seat == "italy" else "computer:random"](view, chance)


@pytest.mark.slow
def test_the_bold_one_tries_more_than_the_cautious_one():
    tried = {}
    for player in ("computer", "computer:cautious"):
        matches = (
            random_match(Random(f"temper {n}"), setting(5), COMPUTERS[player], leaving=0)
            for n in range(scaled(8))
        )
        found = (ev for plies in matches for ply in plies for ev in ply.events)
        tried[player] = sum(isinstance(event, e.Discover) for event in found)
    assert tried["computer"] > tried["computer:cautious"] * 0.9
