"""A new game is the skeleton under another name."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.games.new import GAMES, PROJECT, ROOT, SKELETON, new
from tests.nightly import NIGHT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / GAMES).parent.mkdir(parents=True)
    for file in (GAMES, PROJECT):
        shutil.copyfile(ROOT / file, tmp_path / file)
    return tmp_path


def test_nothing_of_it_is_called_skeleton_any_more(checkout: Path) -> None:
    written = new("ghosts", checkout)
    assert len(written) > 25
    for path in written:
        assert (
            path == PROJECT
            or "skel" not in f"{path} {(checkout / path).read_text('utf-8')}".casefold()
        ), path
    assert '"spies", "ghosts")' in (checkout / GAMES).read_text("utf-8")
    project = tomllib.loads((checkout / PROJECT).read_text("utf-8"))
    entries = project["project"]["entry-points"]["adjud.games"]
    assert [*entries] == ["espionage", "spion", "spies", "ghosts"]
    assert entries["ghosts"] == "adjudicator.games.ghosts:GHOSTS"
    for name in ("card", "report"):
        there = checkout / f"templates/ghosts/{name}.txt.j2"
        copied = SKELETON / f"game/templates/{name}.txt.j2"
        assert there.read_text("utf-8") == copied.read_text("utf-8").replace("Skeleton", "Ghosts")
    assert "1.1 Cross begins." in (checkout / "docs/rules/ghosts.md").read_text("utf-8")


@NIGHT
def test_all_tests_of_a_new_game_pass_before_a_line_is_changed(tmp_path: Path) -> None:
    ours = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, tmp_path / "checkout", ignore=ours)
    for command in (
        ["tests.games.new", "ghosts"],
        ["pytest", "--quiet", "-m", "", "-k", "ghosts", "tests/games", "tests/test_secrecy.py"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=tmp_path / "checkout",
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("slug", ["Ghosts", "my-game", "class", "x y", ""])
def test_a_game_is_called_by_one_word_of_small_letters(checkout: Path, slug: str) -> None:
    with pytest.raises(ValueError, match="one word of small letters"):
        new(slug, checkout)


def test_a_game_that_is_there_is_not_written_over(checkout: Path) -> None:
    new("ghosts", checkout)
    with pytest.raises(ValueError, match="there is a ghosts already"):
        new("ghosts", checkout)
