"""`adjud games` lists what can be played, and names a package that cannot be used."""

import pytest
from click.testing import CliRunner

from adjudicator import __version__
from adjudicator.cli import main
from adjudicator.core.message import say
from adjudicator.games import GAMES


def test_the_games_are_listed_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES._broken, "tides", say("the game tides cannot be imported"))
    told = CliRunner().invoke(main, ["games"])
    assert told.exit_code == 0
    assert told.stdout.splitlines() == [
        f"espionage: Espionage (adjud {__version__})",
        f"spion: Spion (adjud {__version__})",
        f"spies: Spies (adjud {__version__})",
    ]
    assert told.stderr == "the game tides cannot be imported\n"
