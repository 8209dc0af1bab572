"""The games of `examples/games/`: packages of their own that nobody has to install here."""

import sys
from pathlib import Path

from adjudicator.core.game import AnyGame

FOLDER = Path(__file__).parents[2] / "examples/games"
sys.path += [str(FOLDER / "goofspiel")]

from adjud_goofspiel import GOOFSPIEL  # noqa: E402

__all__ = ["EXAMPLES", "GOOFSPIEL"]
EXAMPLES: dict[str, AnyGame] = {GOOFSPIEL.slug: GOOFSPIEL}
