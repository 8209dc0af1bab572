"""Built-in players order what is allowed, from their view alone, and know what they are about."""

from collections import Counter
from itertools import pairwise
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
from adjudicator.games.spies.rules.invariants import violations
from adjudicator.games.spies.rules.outcome import points
from adjudicator.games.spies.sight.observe import observe
from tests.games.spies import twins
from tests.games.spies.matches import CHANCE, fold, random_match, setting
from tests.games.spies.strength import KINDS, figures, share
from tests.nightly import each_once
from tests.scale import scaled

SETTINGS = [(5, "years"), (5, "turns"), (4, "years"), (3, "years"), (2, "turns"), (2, "years")]
thinkers = pytest.mark.parametrize("player", ["computer", "computer:cautious"])


@pytest.mark.parametrize(
    ("player", "agreed"), each_once(["computer", "computer:cautious"], SETTINGS)
)
def test_every_sheet_of_a_whole_match_is_allowed(player: str, agreed: tuple[int, str]):
    players, mode = agreed
    drawn = setting(players, mode, daggers=players == 4)
    for ply in random_match(Random(1), drawn, COMPUTERS[player], leaving=0.01):
        assert list(violations(ply.after)) == []
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
def test_it_neither_deals_nor_spares(player: str):
    """Section 12."""
    for ply in random_match(Random(4), setting(5), COMPUTERS[player], leaving=0):
        kinds = {type(order) for sheet in ply.sheets.values() for order in sheet}
        assert kinds.isdisjoint({Flee, Give, Informer, Spare})


def test_the_cautious_one_leaves_answers_to_the_defaults():
    player = COMPUTERS["computer:cautious"]
    for ply in random_match(Random(4), setting(5), player, leaving=0):
        kinds = {type(order) for sheet in ply.sheets.values() for order in sheet}
        assert kinds.isdisjoint({Answer, Cover})


def test_no_more_spies_are_to_show_papers_than_there_are_papers():
    """Without them a raid must be worth the risk, and is planned otherwise."""
    named = 0
    for ply in random_match(Random(4), setting(5), COMPUTERS["computer"], leaving=0):
        for seat, sheet in ply.sheets.items():
            spies = [
                s for o in sheet if isinstance(o, Answer) and o.act == "PAPERS" for s in o.spies
            ]
            assert len(spies) <= ply.before.hands[seat].chits.get("papers", 0)
            named += len(spies)
    assert named


def test_what_counts_double_next_year_is_not_cashed_before():
    """The last year that counts once is 1937 (8.2)."""
    cashed: Counter[int] = Counter()
    for number in range(3):
        plies = random_match(Random(number), setting(5), COMPUTERS["computer"], leaving=0)
        cashed.update(
            ply.before.year for ply in plies for ev in ply.events if isinstance(ev, e.Cash)
        )
    assert cashed[1937] < cashed[1938] > 0


@thinkers
def test_it_guards_what_it_can_in_the_set_up(player: str):
    state = match.set_up(setting(5), CHANCE)
    sheets = {
        seat: COMPUTERS[player](observe(state, seat), CHANCE.private(seat, "test"))
        for seat in state.seats
    }
    state = fold(state, match.adjudicate(state, sheets, CHANCE))
    assert list(violations(state)) == []
    for seat in state.seats:
        view = observe(state, seat)
        unguarded = [s.value or 0 for s in view.secrets if s.origin == seat and not s.controller]
        guarded = [s.value or 0 for s in view.secrets if s.origin == seat and s.controller]
        assert min(guarded) >= max(unguarded, default=0) or len(guarded) == 6


@pytest.mark.nightly
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
def test_a_match_does_not_fall_asleep():
    """Discoveries go on to the last year, chits are used, and much changes hands."""
    found = figures("computer", scaled(15))
    assert min(found.a_year) >= 0.4 * found.a_year[0]
    assert found.unspent <= 9
    assert found.won >= 0.3
    assert found.idle.total() <= 0.02 * found.moves.total()


@pytest.mark.nightly
def test_the_names_are_in_the_order_of_strength():
    for worse, better in pairwise(KINDS):
        assert share(better, worse, scaled(40), players=5) > 0.5
