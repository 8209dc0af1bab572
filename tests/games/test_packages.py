"""Games of packages are found by entry points, and a broken one stops no other."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from adjudicator.core.game import CONTRACT
from adjudicator.core.message import tell
from adjudicator.games import NAMES, Games, own
from adjudicator.games.packaged import GROUP, is_slug
from adjudicator.resources import ELSEWHERE
from tests.games.examples import FOLDER
from tests.games.packages import install

ROOT = Path(__file__).parents[2]
GOOFSPIEL = (FOLDER / "goofspiel/adjud_goofspiel.py").read_text("utf-8")
Install = Callable[..., Games]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return what puts a package with these files and entry points where Python finds it."""
    monkeypatch.syspath_prepend(tmp_path)
    for slug in ("goofspiel", "tides"):
        monkeypatch.delitem(ELSEWHERE, slug, raising=False)

    def put(
        files: Mapping[str, str],
        entries: Mapping[str, str],
        package: str = "some-games",
        version: str = "2.5",
    ) -> Games:
        install(tmp_path, package, version, files, entries)
        return Games()

    return put


def told(games: Games) -> list[str]:
    return [tell(one.message) for one in games.unusable()]


def test_the_programs_own_games_are_named_as_those_of_any_package() -> None:
    named = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert named["project"]["entry-points"][GROUP] == {slug: own(slug).target for slug in NAMES}
    for slug in NAMES:
        assert Games()[slug].contract == CONTRACT, slug
        assert is_slug(slug)


def test_the_game_of_a_package_is_one_of_the_games(installed: Install) -> None:
    games = installed({"one_file.py": GOOFSPIEL}, {"goofspiel": "one_file:GOOFSPIEL"})
    assert [*games] == [*NAMES, "goofspiel"]
    assert len(games) == 4
    assert "goofspiel" in games
    assert games["goofspiel"].title == "Goofspiel"
    origin = games.origin("goofspiel")
    assert origin is not None
    assert (origin.package, origin.version) == ("some-games", "2.5")
    assert told(games) == []
    assert games.why_missing("goofspiel") is None
    assert games.why_missing("chess") is None


NEWER = 'GAME = replace(GOOFSPIEL, slug="goofspiel", contract=2)'
OLDER = NEWER.replace("contract=2", "contract=0")
BROKEN = {
    "a fault while it is imported": (
        "1/0",
        "the game 'goofspiel' of the package some-games 2.5 cannot be imported (ZeroDivisionError: "
        "division by zero); install another version of the package, or uninstall it",
    ),
    "something that it needs and that is not there": (
        "import nothing_like_this",
        "the game 'goofspiel' of the package some-games 2.5 cannot be imported "
        "(ModuleNotFoundError: No module named 'nothing_like_this'); install another version of "
        "the package, or uninstall it",
    ),
    "a module that ends the program": (
        "raise SystemExit",
        "the game 'goofspiel' of the package some-games 2.5 cannot be imported (SystemExit); "
        "install another version of the package, or uninstall it",
    ),
    "a part that the contract does not have": (
        f'{GOOFSPIEL}\nfrom dataclasses import replace\nGAME = replace(GOOFSPIEL, sounds="")',
        "the game 'goofspiel' of the package some-games 2.5 cannot be imported (TypeError: ",
    ),
    "no such name": ("", "cannot be imported (AttributeError: "),
    "no game": (
        "GAME = 7",
        "the package some-games 2.5 names a game 'goofspiel', but {target} is none of that name; "
        "install another version of the package, or uninstall it",
    ),
    "a game of another name": (
        f'{GOOFSPIEL}\nfrom dataclasses import replace\nGAME = replace(GOOFSPIEL, slug="tides")',
        "is none of that name",
    ),
    "a newer contract": (
        f"{GOOFSPIEL}\nfrom dataclasses import replace\n{NEWER}",
        "the game 'goofspiel' of the package some-games 2.5 is written for the contract 2, and "
        "this version has the contract 1; install a newer version of adjud",
    ),
    "a newer contract, which has what this one has not": (
        "CONTRACT = 2\nfrom adjudicator.core.simple import Sounds",
        "the game 'goofspiel' of the package some-games 2.5 is written for the contract 2, and "
        "this version has the contract 1; install a newer version of adjud",
    ),
    "an older contract, whose names are gone": (
        GOOFSPIEL.replace("CONTRACT = 1 ", "CONTRACT = 0 ").replace(
            "    slug=", "    phrases=(),\n    slug="
        ),
        "the game 'goofspiel' of the package some-games 2.5 is written for the contract 0, and "
        "this version has the contract 1; install a newer version of the package",
    ),
    "a newer contract of a simple game": (
        GOOFSPIEL.replace("CONTRACT = 1 ", "CONTRACT = 2 "),
        "is written for the contract 2, and this version has the contract 1",
    ),
    "a fault in a module of this contract": (
        "CONTRACT = 1\n1/0",
        "cannot be imported (ZeroDivisionError: division by zero)",
    ),
    "a contract that is no number": (
        GOOFSPIEL.replace("CONTRACT = 1 ", 'CONTRACT = "1" '),
        "cannot be imported (TypeError: goofspiel: `contract` is the whole number of "
        "docs/games.md, not '1')",
    ),
    "an older contract": (
        f"{GOOFSPIEL}\nfrom dataclasses import replace\n{OLDER}",
        "the game 'goofspiel' of the package some-games 2.5 is written for the contract 0, and "
        "this version has the contract 1; install a newer version of the package",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_package_is_named_and_the_others_are_played(installed: Install, case: str) -> None:
    text, said = BROKEN[case]
    target = f"broken_{[*BROKEN].index(case)}:GAME"  # each is imported once
    text = text.replace("GOOFSPIEL = simple_game(", "GAME = GOOFSPIEL = simple_game(")
    games = installed(
        {f"{target.partition(':')[0]}.py": text, "sound.py": _tides()},
        {"goofspiel": target, "tides": "sound:TIDES"},
    )
    assert [*games] == [*NAMES, "tides"]
    assert "goofspiel" not in games
    assert games.get("goofspiel") is None
    (sentence,) = told(games)
    assert said.format(target=target) in sentence
    assert str(games.why_missing("goofspiel")) == sentence
    assert games["spion"].title == "Spion"


def _tides() -> str:
    return (
        f'{GOOFSPIEL}\nfrom dataclasses import replace\nTIDES = replace(GOOFSPIEL, slug="tides")\n'
    )


def test_a_package_cannot_take_the_place_of_a_game_of_the_program(installed: Install) -> None:
    games = installed({"thief.py": "1/0"}, {"spion": "thief:GOOFSPIEL"})
    assert games["spion"].title == "Spion"
    assert told(games) == [
        "the package some-games 2.5 names a game 'spion', which is this program's own; the "
        "program's own is used, so uninstall the package"
    ]


def test_of_two_packages_with_a_game_of_one_name_none_is_used(installed: Install) -> None:
    installed({"first.py": GOOFSPIEL}, {"goofspiel": "first:GOOFSPIEL"})
    games = installed({}, {"goofspiel": "first:GOOFSPIEL"}, package="more-games")
    assert [*games] == [*NAMES]
    assert told(games) == [
        f"the package {package} 2.5 names a game 'goofspiel', as another package does; none of "
        "them is used until all but one are uninstalled"
        for package in ("more-games", "some-games")
    ]


@pytest.mark.parametrize("slug", ["Tides", "my-game", "x", "class", "default", "shared", "sjø"])
def test_a_game_of_an_impossible_name_is_not_used(installed: Install, slug: str) -> None:
    games = installed({}, {slug: "first:GOOFSPIEL"})
    assert [*games] == [*NAMES]
    assert told(games) == [
        f"the package some-games 2.5 names a game '{slug}', but a game is called by one word of 2 "
        "to 20 small letters from a to z; ask its author for one with another name"
    ]


def test_files_beside_a_module_are_nobodys_and_those_in_a_package_are_the_games(
    installed: Install, tmp_path: Path
) -> None:
    games = installed({"alone.py": GOOFSPIEL}, {"goofspiel": "alone:GOOFSPIEL"})
    assert games["goofspiel"]
    assert "goofspiel" not in ELSEWHERE
    (tmp_path / "some_games-2.5.dist-info/entry_points.txt").unlink()
    games = installed(
        {"folder/__init__.py": "", "folder/game.py": GOOFSPIEL},
        {"goofspiel": "folder.game:GOOFSPIEL"},
        package="other-games",
    )
    assert games["goofspiel"]
    assert ELSEWHERE["goofspiel"] == tmp_path / "folder"
