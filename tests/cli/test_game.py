"""`adjud game check` and `new`, which need neither a club nor a checkout."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Setting
from adjudicator.games import GAMES
from tests.program import Adjud

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A command that has ended forgets its games and its path; a test goes on."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for slug in ("skeleton", "tides"):
        GAMES.pop(slug, None)
    sys.modules.pop("adjud_tides", None)


@pytest.mark.nightly
def test_a_game_of_the_program_passes(adjud: Adjud) -> None:
    """By day a new game does (below)."""
    told = adjud.does("game", "check", "spies", "--matches", "1")
    lines = told.splitlines()
    assert lines[-1] == f"spies: {len(lines) - 1} checks, nothing wrong"
    assert {line.split()[0] for line in lines[:-1]} == {"ok"}
    assert "pairs of matches that a seat cannot tell apart" in told


CHECK_A_CHEAT = ("game", "check", "tests.games.cheats:TELLS", "--matches", "1")


def test_a_cheat_is_told_with_what_shows_it(adjud: Adjud) -> None:
    adjud.env["PYTHONPATH"] = str(ROOT)
    answer = adjud(*CHECK_A_CHEAT)
    assert answer.code == 1
    (wrong,) = [line for line in answer.out.splitlines() if line.startswith("wrong")]
    assert wrong.split()[1] == "news"
    assert "the skeleton" not in answer.out
    assert 'look at sight.witness; docs/games.md, "Check a game"' in answer.out
    assert "in match standard-1, ply 0, seat nought, orders cross: CLAIM" in answer.out
    (told,) = map(
        json.loads,
        adjud(*CHECK_A_CHEAT, "--format", "json").out.splitlines(),
    )
    (news,) = [one for one in told["checks"] if one["state"] == "wrong"]
    assert news["check"] == "news"
    assert {"match", "ply", "seat", "orders", "text"} == news["found"][0].keys()
    skipped = {one["because"] for one in told["checks"] if one["state"] == "skipped"}
    assert skipped == {"news"}


def test_what_is_no_game_is_refused(adjud: Adjud) -> None:
    answer = adjud("game", "check", "nix")
    assert answer.code == 1
    assert answer.err == (
        "adjud: there is no game and no package called nix: No module named 'adjud_nix'\n"
    )
    (adjud.folder / "broken.py").write_text("1 / 0\n")
    answer = adjud("game", "check", "broken")
    assert answer.err == ("adjud: broken cannot be imported: ZeroDivisionError: division by zero\n")
    (adjud.folder / "empty.py").write_text("")
    assert "empty has 0 games; write `module:NAME`" in adjud("game", "check", "empty").err


def test_a_game_made_of_another_is_one_game(adjud: Adjud) -> None:
    adjud.env["PYTHONPATH"] = str(ROOT)
    (adjud.folder / "wrapped.py").write_text(
        "import dataclasses\n"
        "from tests.games.cheats import LACKS_A_COMPUTER as PLAIN\n"
        "GAME = dataclasses.replace(PLAIN, title='Wrapped')\n"
    )
    answer = adjud("game", "check", "wrapped", "--matches", "1")
    assert "games; write" not in answer.err
    assert "wrong    computers" in answer.out
    (adjud.folder / "two.py").write_text("from tests.games.small_games import PLAIN, SQUARES\n")
    assert "two has 2 games; write `module:NAME`" in adjud("game", "check", "two").err


KINDS = pytest.mark.parametrize("words", [(), ("--simultaneous",)], ids=["by turns", "at once"])


@pytest.mark.slow
@KINDS
def test_a_new_game_is_green_before_a_line_is_changed(words: tuple[str, ...], adjud: Adjud) -> None:
    place = adjud.folder / "tides"
    written = adjud.does("game", "new", "tides", *words, "--folder", str(place)).splitlines()
    names = ["README.md", "adjud_tides.py", "pyproject.toml", "tests/test_tides.py"]
    assert written == [str(place / name) for name in names]
    for name in names:
        told = (place / name).read_text("utf-8").casefold()
        assert "tides" in told
        assert not {"byturns", "atonce"} & set(told.replace("_", " ").split())
    told_by(["-m", "pytest", "-q", "-p", "no:cacheprovider"], place)


@pytest.mark.slow
def test_a_new_game_passes(adjud: Adjud) -> None:
    adjud.does("game", "new", "tides", "--folder", "tides")
    check = ["-m", "adjudicator", "game", "check", "tides", "--matches", "1"]
    *lines, last = told_by(check, adjud.folder / "tides").splitlines()
    checks = [line for line in lines if line[0] != " "]
    assert last == f"tides: {len(checks)} checks, nothing wrong"
    assert "pairs of matches that a seat cannot tell apart" in "".join(lines)


def told_by(program: Sequence[str], place: Path) -> str:
    """Return what a program says that must not fail."""
    own = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *program], cwd=place, env=own, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_new_games_have_types(adjud: Adjud) -> None:
    """Both kinds in one run of mypy."""
    adjud.does("game", "new", "tides", "--folder", "tides")
    adjud.does("game", "new", "winds", "--simultaneous", "--folder", "winds")
    modules = ["tides/adjud_tides.py", "winds/adjud_winds.py"]
    assert "2 source files" in told_by(["-m", "mypy", "--strict", *modules], adjud.folder)


@KINDS
def test_a_new_game_is_played(words: tuple[str, ...], club: Adjud) -> None:
    place = club.folder / "tides"
    club.does("game", "new", "tides", *words, "--folder", str(place))
    sys.path.insert(0, str(place))
    game = GAMES["tides"] = import_module("adjud_tides").GAME
    first, second = game.seats
    club.does("new", "tides", "--seat", f"{first}=Anna", "--seat", f"{second}=computer")
    order = game.orders.example(game.sight.observe(_opened(game), first))[0]
    club.does("submit", "-", stdin=f"ORDERS tides-1 {first}\n{order}\nEND\n")
    club.does("tick")
    told = json.loads(club.does("report", "tides-1", first, "--format", "json"))
    assert told["turn"] > 1
    assert told["news"]
    for form in ("text", "html", "svg"):
        assert club.does("report", "tides-1", first, "--format", form)


def _opened(game: AnyGame) -> Any:
    chance = Chance(bytes(32), "m", game.proof.label)
    return game.rules.set_up(Setting(game.variants[0], {}, game.seats), chance)


def test_no_file_is_written_over(adjud: Adjud) -> None:
    place = adjud.folder / "mine"
    place.mkdir()
    (place / "notes.txt").write_text("mine")
    answer = adjud("game", "new", "tides", "--folder", str(place))
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == f"adjud: {place} is not empty; choose another --folder\n"
    assert [one.name for one in place.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("slug", "why"),
    [
        ("spion", "there is a game called spion already"),
        ("Tides", "'Tides': a game is called by one word of 2 to 20 small letters"),
        ("my-game", "'my-game': a game is called by one word of 2 to 20 small letters"),
        ("class", "'class': a game is called by one word of 2 to 20 small letters"),
        ("shared", "'shared': a game is called by one word of 2 to 20 small letters"),
    ],
)
def test_a_name_that_is_taken_or_none_is_refused(slug: str, why: str, adjud: Adjud) -> None:
    place = adjud.folder / "new"
    answer = adjud("game", "new", slug, "--folder", str(place))
    assert answer.code == 1
    assert answer.err == f"adjud: {why}\n"
    assert not place.exists()
