"""Forfeits of honest clubs (`papers.py` has what others invent)."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.club import Store
from tests.nightly import mostly_nightly
from tests.service.cheats.papers import EVERY_WEEK
from tests.service.cheats.scene import GAMES_PLAYED, Scene, seen_by

pytestmark = pytest.mark.slow


def waiting(store: Store, folder: Path, game: str, *options: str) -> Scene:
    """Return a match in which it is Anna's turn."""
    return Scene(store, folder, game, *options, played=3, awaits="mine")


def test_a_forfeit_after_the_deadline_is_no_disagreement(store: Store, tmp_path: Path) -> None:
    scene = waiting(store, tmp_path, "espionage", *EVERY_WEEK)
    scene.now += timedelta(days=8)
    scene.tick()
    assert scene.loaded().match.status == "over"
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.code) == ([], 0)


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spion"]))
def test_a_forfeit_by_the_game_master_is_named_with_its_ruling(
    store: Store, tmp_path: Path, game: str
) -> None:
    scene = waiting(store, tmp_path, game, *EVERY_WEEK)
    scene.club.forfeit("m", scene.mine, reason="He wrote to others.", now=scene.now)
    scene.tick()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.code) == ([], 0)
    assert any("as the game master decided on" in one and "He wrote" in one for one in found.notes)


def test_an_announced_forfeit_before_the_deadline_is_no_disagreement(
    store: Store, tmp_path: Path
) -> None:
    scene = waiting(store, tmp_path, "espionage", *EVERY_WEEK)
    scene.club.announce_forfeit(
        "m", "white", timedelta(days=1), sure=True, reason="x", now=scene.now
    )
    scene.tick()
    scene.now += timedelta(days=1)
    scene.tick()
    assert scene.loaded().match.status == "over"
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.code) == ([], 0)
