"""Hidden noughts and crosses: the smallest whole game, to be copied and made into another one.

`game/` is what stands in the program: for a game called `x` it becomes `adjudicator/games/x/`, and
its `templates/` become `templates/x/`. All else in this folder becomes `tests/games/x/`.
The contract and the tests of secrecy run over this game as over those that are shipped.
"""

from pathlib import Path

from adjudicator.resources import ELSEWHERE
from tests.games.skeleton.game import SKELETON

ELSEWHERE[SKELETON.slug] = Path(__file__).parent / "game"
