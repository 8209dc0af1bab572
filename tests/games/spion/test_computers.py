"""The built-in players: what they may know, how well they play, that their matches end."""

import inspect
import typing

import pytest
from msgspec import structs

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.match import Seat
from adjudicator.core.orders import number_lines
from adjudicator.games.spion import SPION
from adjudicator.games.spion.computers import COMPUTERS, tempers
from adjudicator.games.spion.orders.values import Challenge, Fifth, Refuse
from adjudicator.games.spion.rules import turns
from adjudicator.games.spion.rules.state import Noted, Roll, State
from adjudicator.games.spion.sight.observe import observe
from adjudicator.games.spion.sight.view import View, position_of
from tests.games.spion.matches import adjudicated, chance_of, setting
from tests.games.spion.strength import Clock, share
from tests.nightly import mostly_nightly
from tests.scale import scaled

STRONG, RANDOM = "computer", "computer:random"
# Which level beats which in how many of 20 matches of each variant.
LEVELS = (
    ("computer:strong", "computer", 14),
    ("computer", "computer:easy", 15),
    ("computer:easy", "computer:random", 11),
)
LONGEST = 400  # rounds


def play(variant: str, players: int, names: typing.Mapping[str, str], seed: int) -> State:
    """Play a match between built-in players to its end, by the defaults of its number of
    players."""
    mode = "turns" if players == 2 else "rounds"
    agreed = setting(variant, players, mode=mode, max_rounds=str(LONGEST))
    chance = chance_of(seed.to_bytes(32))
    state = turns.set_up(agreed, chance)
    while waiting := turns.awaiting(state):
        orders = {
            seat: COMPUTERS[names[seat]](observe(state, seat), _drawing(chance, state, seat))
            for seat in state.seats
            if seat in waiting
        }
        state = adjudicated(state, orders, chance).states[-1]
    return state


def _drawing(chance: Chance, state: State, seat: Seat) -> Stream:
    return chance.private(seat, f"computer {state.ply + 1}")


def test_they_are_given_a_view_and_chance_and_nothing_else():
    for player in COMPUTERS.values():
        hints = typing.get_type_hints(player)
        hints.pop("return")
        assert list(hints.values()) == [View, Stream]
        assert len(inspect.signature(player).parameters) == 2


@pytest.mark.slow
@pytest.mark.parametrize("variant", mostly_nightly(SPION.variants, every_day=["original"]))
def test_the_player_with_a_plan_beats_the_one_that_draws(variant: str):
    won = {STRONG: 0, RANDOM: 0}
    for number in range(scaled(20)):
        seats = ["blue", "yellow"] if number % 2 else ["yellow", "blue"]
        names = dict(zip(seats, (STRONG, RANDOM), strict=True))
        outcome = play(variant, 2, names, number).outcome
        assert outcome
        if outcome.winner:
            won[names[outcome.winner]] += 1
    assert won[STRONG] >= 9 * won[RANDOM]
    assert won[STRONG] >= scaled(20) * 0.8


@pytest.mark.parametrize("players", [2, 3, 4])
def test_matches_between_them_end_by_a_set_and_are_not_too_long(players: int):
    lengths = []
    for number in range(scaled(6)):
        state = play("original", players, dict.fromkeys(SPION.seats, STRONG), 100 + number)
        assert state.outcome
        assert state.outcome.reason == "set"
        lengths.append(state.round)
    assert min(lengths) >= 3
    assert sorted(lengths)[len(lengths) // 2] <= 60


@pytest.mark.nightly
@pytest.mark.parametrize("variant", SPION.variants)
@pytest.mark.parametrize(("better", "worse", "least"), LEVELS)
def test_each_level_beats_the_one_below_it(variant: str, better: str, worse: str, least: int):
    clock = Clock()
    assert 20 * share(better, worse, 20, clock, variant) >= least
    assert max(clock.slowest.values()) <= 1


@pytest.mark.parametrize("player", ["computer:easy", "computer:strong"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_their_matches_end_and_all_they_order_is_allowed(player: str, players: int):
    """Any number may play, and what a sheet says is what is understood of it."""
    agreed = setting("original", players, mode="turns", max_rounds="12")
    chance = chance_of(bytes(32))
    state = turns.set_up(agreed, chance)
    while waiting := turns.awaiting(state):
        orders = {}
        for seat in state.seats:
            if seat in waiting:
                view = observe(state, seat)
                orders[seat] = COMPUTERS[player](view, _drawing(chance, state, seat))
                sheet = SPION.orders.parse(number_lines(SPION.orders.lines(orders[seat])))
                assert (sheet.problems, sheet.orders) == ((), orders[seat])
                assert list(SPION.orders.check(view, sheet)) == []
        state = adjudicated(state, orders, chance).states[-1]
    assert state.outcome


def test_the_strong_one_does_not_take_again_what_was_given_up():
    start = turns.set_up(setting(players=2), chance_of(bytes(32)))
    blue = Seat("blue")
    listed = start.types, tuple(start.embassies)[:2]
    standing = {blue: tuple(Fifth(card, Refuse(listed[1])) for card in listed[0])}
    view = observe(structs.replace(start, standing=standing), blue)
    assert set(tempers.abandoned_embassies(view, position_of(view))) == set(listed[1])


def asked(dice: tuple[int, int], **changes: typing.Any) -> list[Challenge]:
    """Return whom Blue would challenge: Green is in an embassy, Red at home, Yellow on a street."""
    start = turns.set_up(setting(players=4, mode="rounds", memory="open"), chance_of(bytes(32)))
    seen = {
        "turn": 1,
        "round": 1,
        "first": "green",
        "embassies": {"NOR": "ATOM"},
        "holders": {
            **start.holders,
            "blue": ("KEMI", "KEMI", None, None),
            "green": ("RYMD", "KEMI", "FYSIK", None),
            "yellow": ("RYMD", None, None, None),
        },
        "spies": {**start.spies, "green": "NOR", "yellow": "e5"},
        "rolls": {"blue": Roll(2, dice, "00" * 32)},
    }
    state = structs.replace(start, **{**seen, **changes})
    orders = COMPUTERS[STRONG](
        observe(state, Seat("blue")), _drawing(chance_of(b""), state, "blue")
    )
    return [order for order in orders if isinstance(order, Challenge)]


def test_on_a_double_it_has_a_word_for_all_who_may_come_out_before_its_turn():
    """Without one the default decides whom to challenge, and chance what to guess (5.4)."""
    named = [order.target for order in asked((3, 3))]
    assert list(dict.fromkeys(named)) == ["yellow", "green"]  # Red holds nothing
    assert asked((3, 4)) == []


def test_it_takes_what_the_open_dossier_knows():
    notes = (
        Noted(1, "KEMI", Seat("green"), "2"),
        Noted(1, "KEMI", Seat("green"), "3", moved=True),
        Noted(1, "RYMD", Seat("yellow"), "1"),
        Noted(1, "KEMI", Seat("green"), "?"),
        Noted(1, "KEMI", None, "POL"),
    )
    assert asked((3, 3), dossier=notes)[0] == Challenge("green", 2, "KEMI")


def test_every_seat_can_win():
    """The rules favour no start, over many matches."""
    winners = {
        play("quick", 2, dict.fromkeys(("blue", "yellow"), STRONG), number).outcome.winner
        for number in range(12)
    }
    assert winners == {"blue", "yellow"}
