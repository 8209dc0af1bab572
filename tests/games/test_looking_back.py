"""Pages look back on what fits into the room that is left of a letter, whatever that is."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.lookback import weight
from adjudicator.core.report import AnyReport
from adjudicator.games import GAMES
from adjudicator.reports.words import words
from adjudicator.service.base.decoders import decoder
from adjudicator.service.report import report_body
from tests.games.playouts import playout
from tests.games.standing import standing

PLIES = 6  # fewer than any match with this seed has
SOME_BYTES = 7


def looked_back_on(game: AnyGame) -> tuple[AnyReport, Sequence[Any]]:
    """Return a seat's report in the middle of a match, and what its page reads of those before."""
    plies = list(playout(game, Random("looking back"), PLIES))
    seat, told = plies[0].setting.seats[0], []
    for ply in plies:
        at = standing(game, ply.after)
        news = [(at.ply, event) for event in ply.events]
        told.append(report_body.report(replace(at, log=news), seat))
    past = decoder(game.page.past)
    return told[-1], [past.decode(report_body.written(game, old)) for old in told[:-1]]


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_moments_that_are_shown_take_no_more_than_their_room(game: AnyGame) -> None:
    """A page that is too heavy by a byte is then made anew with fewer of them, and not a hundred
    times with the same."""
    report, past = looked_back_on(game)
    speak = words("sv", game.slug)
    whole = game.page.back(report, speak, past, None)
    assert whole
    assert len(whole.moments) > PLIES // 2
    for room in range(0, weight(whole.moments) + SOME_BYTES, SOME_BYTES):
        shown = game.page.back(report, speak, past, room)
        assert shown
        assert weight(shown.moments) <= room or len(shown.moments) == 1
