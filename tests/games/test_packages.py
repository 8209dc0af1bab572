"""Games of packages are found by entry points, and a broken one stops no other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from adjudicator.core.message import tell
from adjudicator.games import NAMES, Games
from adjudicator.resources import ELSEWHERE
from tests.games.examples import FOLDER

GOOFSPIEL = (FOLDER / "goofspiel/adjud_goofspiel.py").read_text("utf-8")
Install = Callable[..., Games]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return what puts a package with these files and entry points where Python finds it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("adjudicator.games.ELSEWHERE", ELSEWHERE.copy())

    def installed(files: dict[str, str], *entries: str) -> Games:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, "utf-8")
        info = tmp_path / "some_games-2.5.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Name: some-games\nVersion: 2.5\n", "utf-8")
        (info / "entry_points.txt").write_text("\n".join(["[adjud.games]", *entries]), "utf-8")
        return Games()

    return installed


def test_the_game_of_a_package_is_one_of_the_games(install: Install) -> None:
    games = install({"one_file.py": GOOFSPIEL}, "goofspiel = one_file:GOOFSPIEL")
    assert [*games] == [*NAMES, "goofspiel"]
    assert len(games) == 4
    assert "goofspiel" in games
    assert games["goofspiel"].title == "Goofspiel"
    assert games.packages["goofspiel"] == ("some-games", "2.5")
    assert games.broken == {}


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        (
            "1/0",
            "torn:GOOFSPIEL",
            "the game goofspiel of the package some-games 2.5 cannot be imported: "
            "ZeroDivisionError: division by zero",
        ),
        (
            "import nothing_like_this",
            "lacking:GOOFSPIEL",
            "the game goofspiel of the package some-games 2.5 cannot be imported: "
            "ModuleNotFoundError: No module named 'nothing_like_this'",
        ),
        (
            "GOOFSPIEL = 7",
            "number:GOOFSPIEL",
            "the package some-games 2.5 names no game goofspiel: number:GOOFSPIEL is none that is "
            "called so",
        ),
    ],
)
def test_a_broken_package_is_named_and_the_others_are_played(
    install: Install, text: str, value: str, said: str
) -> None:
    games = install({f"{value.partition(':')[0]}.py": text}, f"goofspiel = {value}")
    assert [*games] == [*NAMES]
    assert "goofspiel" not in games
    assert games.get("goofspiel") is None
    assert tell(games.broken["goofspiel"]) == said
    assert games["spion"].title == "Spion"


def test_a_package_cannot_take_the_place_of_a_game_of_the_program(install: Install) -> None:
    games = install({"thief.py": GOOFSPIEL}, "spion = thief:GOOFSPIEL")
    assert games["spion"].title == "Spion"


def test_files_beside_a_module_are_nobodys_and_those_in_a_package_are_the_games(
    install: Install, tmp_path: Path
) -> None:
    from adjudicator import games as module

    games = install({"alone.py": GOOFSPIEL}, "goofspiel = alone:GOOFSPIEL")
    assert games["goofspiel"]
    assert "goofspiel" not in module.ELSEWHERE
    (tmp_path / "some_games-2.5.dist-info/entry_points.txt").unlink()
    (tmp_path / "some_games-2.5.dist-info").rename(tmp_path / "old.dist")
    games = install(
        {"folder/__init__.py": "", "folder/game.py": GOOFSPIEL}, "goofspiel = folder.game:GOOFSPIEL"
    )
    assert games["goofspiel"]
    assert module.ELSEWHERE["goofspiel"] == tmp_path / "folder"
