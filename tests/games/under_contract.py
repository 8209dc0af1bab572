"""The games that keep the contract: those of the program, and the skeleton."""

from collections.abc import Mapping

import pytest

from adjudicator.core.game import AnyGame
from adjudicator.games import GAMES
from tests.games.skeleton.game import SKELETON

ALL: Mapping[str, AnyGame] = {**GAMES, SKELETON.slug: SKELETON}
each_game = pytest.mark.parametrize("game", ALL.values(), ids=list(ALL))
