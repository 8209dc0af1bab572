"""`adjud game check`, which needs neither a club nor a checkout."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudicator.games import GAMES
from tests.program import Adjud

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A command that has ended forgets its games and its path; a test goes on."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    GAMES.pop("skeleton", None)


def test_a_game_of_the_program_passes(adjud: Adjud) -> None:
    told = adjud.does("game", "check", "spies", "--matches", "1")
    lines = told.splitlines()
    assert lines[-1] == f"spies: {len(lines) - 1} checks, nothing wrong"
    assert {line.split()[0] for line in lines[:-1]} == {"ok"}
    assert "pairs of matches that a seat cannot tell apart" in told


def test_a_cheat_is_told_with_what_shows_it(adjud: Adjud) -> None:
    adjud.env["PYTHONPATH"] = str(ROOT)
    answer = adjud("game", "check", "tests.games.cheats:TELLS", "--matches", "1")
    assert answer.code == 1
    (wrong,) = [line for line in answer.out.splitlines() if line.startswith("wrong")]
    assert wrong.split()[1] == "news"
    assert "the skeleton" not in answer.out
    assert 'look at sight.witness; docs/games.md, "Check a game"' in answer.out
    assert "in match standard-1, ply 0, seat nought, orders cross: CLAIM" in answer.out
    (told,) = map(
        json.loads,
        adjud("game", "check", "tests.games.cheats:TELLS", "--format", "json").out.splitlines(),
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
    assert "empty has 0 games; write module:NAME" in adjud("game", "check", "empty").err
