"""The table of games imports a game when it is asked for."""

import subprocess
import sys

SCRIPT = """
import sys
from adjudicator.games import GAMES

assert "spies" in GAMES
assert "chess" not in GAMES
assert list(GAMES) == ["espionage", "spion", "spies"]
print([name for name in sys.modules if name.startswith("adjudicator.games.")])
assert GAMES["spies"].title
print("adjudicator.games.spies" in sys.modules, "adjudicator.games.spion" in sys.modules)
"""


def test_to_look_for_a_game_imports_none() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True, text=True)
    assert run.stdout.splitlines() == ["[]", "True False"]
