"""A new game is the skeleton under another name."""

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.games.new import GAMES, PROJECT, ROOT, SKELETON, new


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


@pytest.mark.parametrize("slug", ["Ghosts", "my-game", "class", "x y", ""])
def test_a_game_is_called_by_one_word_of_small_letters(checkout: Path, slug: str) -> None:
    with pytest.raises(ValueError, match="one word of small letters"):
        new(slug, checkout)


def test_a_game_that_is_there_is_not_written_over(checkout: Path) -> None:
    new("ghosts", checkout)
    with pytest.raises(ValueError, match="there is a ghosts already"):
        new("ghosts", checkout)
