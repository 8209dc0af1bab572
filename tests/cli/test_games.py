"""`adjud games` lists what can be played, and names a package that cannot be used."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjudicator import __version__, games
from adjudicator.cli import main
from adjudicator.core.game import CONTRACT
from tests.games.examples import FOLDER
from tests.games.packages import install

BROKEN = (
    "the game 'tides' of the package torn-games 1.2 cannot be imported (ZeroDivisionError: "
    "division by zero); install another version of the package, or uninstall it"
)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    text = (FOLDER / "goofspiel/adjud_goofspiel.py").read_text("utf-8")
    install(tmp_path, "some-games", "2.5", {"fine.py": text}, {"goofspiel": "fine:GOOFSPIEL"})
    install(tmp_path, "torn-games", "1.2", {"torn_tides.py": "1/0"}, {"tides": "torn_tides:TIDES"})
    monkeypatch.setattr(games, "GAMES", games.Games())


@pytest.mark.usefixtures("packages")
def test_the_games_are_listed_with_their_packages() -> None:
    told = CliRunner().invoke(main, ["games"])
    assert told.exit_code == 0
    *table, last = told.stdout.splitlines()
    assert [line.split() for line in table] == [
        ["slug", "title", "package", "version", "contract"],
        ["espionage", "Espionage", "adjud", __version__, str(CONTRACT)],
        ["spion", "Spion", "adjud", __version__, str(CONTRACT)],
        ["spies", "Spies", "adjud", __version__, str(CONTRACT)],
        ["goofspiel", "Goofspiel", "some-games", "2.5", str(CONTRACT)],
    ]
    assert last == BROKEN


@pytest.mark.usefixtures("packages")
def test_programs_read_the_same() -> None:
    lines = CliRunner().invoke(main, ["games", "--format", "json"]).stdout.splitlines()
    told = [json.loads(line) for line in lines]
    assert told[3:] == [
        {
            "slug": "goofspiel",
            "title": "Goofspiel",
            "package": "some-games",
            "version": "2.5",
            "contract": CONTRACT,
            "trouble": None,
        },
        {
            "slug": "tides",
            "title": None,
            "package": "torn-games",
            "version": "1.2",
            "contract": None,
            "trouble": BROKEN,
        },
    ]
