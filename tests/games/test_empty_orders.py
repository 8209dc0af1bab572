"""Orders without a line: a game takes them where these are what it orders for a silent seat, and
then says what they mean; elsewhere it refuses them in one sentence (interface, section 2)."""

from random import Random

import pytest

from adjudicator.core.dice import Stream
from tests.games.playouts import playout
from tests.games.under_contract import ALL, each_game

PLIES = 60

pytestmark = pytest.mark.usefixtures("skeleton")


@each_game
def test_empty_orders_are_taken_where_a_silent_seat_has_none(game):
    sheet = game.orders.parse([])
    assert (sheet.orders, sheet.problems) == ((), ())
    for variant in game.variants:
        for ply in playout(game, Random(1), PLIES, variant):
            for seat in game.rules.awaiting(ply.before):
                view = game.sight.observe(ply.before, seat)
                refused = game.orders.check(view, sheet)
                told = refused or game.orders.warn(view, sheet)
                assert (not refused) == _is_silent(game, ply.before, seat)
                assert told
                assert {(one.line, one.text) for one in told} == {(0, "")}
                assert len(refused) <= 1


def _is_silent(game, state, seat):
    """Return whether the game's orders for a silent seat are no orders."""
    default = game.rules.default
    return default is not None and default(state, seat, Stream(b"private", "default")) == ()


def test_games_of_both_kinds_are_tried():
    assert {"espionage", "spion", "spies", "goofspiel", "battleships"} <= ALL.keys()
