"""The games that keep the contract: those of the program, the skeleton, and the examples that are
packages of their own."""

from collections.abc import Mapping

import pytest

from adjudicator.core.game import AnyGame
from adjudicator.games import GAMES
from tests.games.examples import EXAMPLES
from tests.games.skeleton.game import SKELETON

OURS: Mapping[str, AnyGame] = {**GAMES, SKELETON.slug: SKELETON}
ALL: Mapping[str, AnyGame] = {**OURS, **EXAMPLES}
each_game = pytest.mark.parametrize("game", ALL.values(), ids=list(ALL))
# Those whose rules, books and tests stand in this checkout.
each_game_of_ours = pytest.mark.parametrize("game", OURS.values(), ids=list(OURS))
