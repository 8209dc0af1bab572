"""The table of games imports a game when it is asked for."""

import subprocess
import sys

SCRIPT = """
import sys
from adjudicator.games import GAMES

def imported():
    return [name for name in sys.modules if name.split(".")[:2] == ["adjudicator", "games"]]

before = imported()
assert "spies" in GAMES
assert "importlib.metadata" not in sys.modules  # which takes longer than to read a sheet
assert "chess" not in GAMES
assert list(GAMES) == ["espionage", "spion", "spies"]
assert {*imported()} == {*before} == {"adjudicator.games", "adjudicator.games.packaged"}
assert GAMES["spies"].title
print("adjudicator.games.spies" in sys.modules, "adjudicator.games.spion" in sys.modules)
"""


def test_to_look_for_a_game_imports_none() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True, text=True)
    assert run.stdout.splitlines() == ["True False"]
