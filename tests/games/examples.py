"""The games of `examples/games/`: packages of their own that nobody has to install here."""

import sys
from pathlib import Path

from adjudicator.core.game import AnyGame
from adjudicator.resources import ELSEWHERE

FOLDER = Path(__file__).parents[2] / "examples/games"
sys.path += [str(FOLDER / name) for name in ("battleships", "goofspiel")]

from adjud_battleships import BATTLESHIPS  # noqa: E402
from adjud_goofspiel import GOOFSPIEL  # noqa: E402

__all__ = ["BATTLESHIPS", "EXAMPLES", "GOOFSPIEL"]
EXAMPLES: dict[str, AnyGame] = {GOOFSPIEL.slug: GOOFSPIEL, BATTLESHIPS.slug: BATTLESHIPS}
ELSEWHERE[BATTLESHIPS.slug] = FOLDER / "battleships/adjud_battleships"
