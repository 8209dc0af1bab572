"""Pages look back on what fits into the room that is left of a letter, whatever that is."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.lookback import History, weight
from adjudicator.core.report import AnyReport
from adjudicator.games import GAMES
from adjudicator.reports.words import words
from tests.games.examples import EXAMPLES
from tests.games.playouts import playout
from tests.games.standing import standing
from tests.nightly import NIGHTLY
from tests.printed import decoder, report_of, write_report

pytestmark = pytest.mark.usefixtures("skeleton")
PLIES = 25
SOME_BYTES = 23 if NIGHTLY else 101


def told_to_a_seat(game: AnyGame) -> Sequence[AnyReport]:
    """Return the reports of a seat from the beginning of a match on, while it goes on."""
    told = []
    for ply in playout(game, Random("looking back"), PLIES):
        if game.rules.awaiting(ply.after):
            at = standing(game, ply.after)
            news = [(at.ply, event) for event in ply.events]
            told.append(report_of(replace(at, log=news), ply.setting.seats[0]))
    return told


def looked_back(game: AnyGame, told: Sequence[AnyReport], room: int | None) -> History:
    """Return what the page of the last report shows; it reads the others."""
    old = decoder(game.page.past)
    read: list[Any] = [old.decode(write_report(game, one)) for one in told[:-1]]
    shown = game.page.back(told[-1], words("sv", game.slug), read, room)
    assert shown
    return shown


@pytest.mark.parametrize(
    "game",
    [game for game in (*GAMES.values(), *EXAMPLES.values()) if game.page.past],
    ids=lambda game: game.slug,
)
def test_the_moments_that_are_shown_take_no_more_than_their_room(game: AnyGame) -> None:
    """A page that is too heavy by a byte is then made anew with fewer of them, and not a hundred
    times with the same."""
    told = told_to_a_seat(game)
    whole = looked_back(game, told, None)
    assert len(whole.moments) > 4
    for room in range(0, weight(whole.moments) + SOME_BYTES, SOME_BYTES):
        shown = looked_back(game, told, room)
        assert weight(shown.moments) <= room or len(shown.moments) == 1
        assert shown.cut == (len(shown.moments) < len(whole.moments))
