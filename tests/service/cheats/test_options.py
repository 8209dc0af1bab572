"""Changes of options that all were told, and deadlines that are later than the options say."""

from pathlib import Path

import pytest

from tests.club import Store
from tests.service.cheats.papers import put_option
from tests.service.cheats.scene import Scene, seen_by

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("deadline", ["every 1 day", "none"])
def test_a_change_that_all_were_told_is_agreed(store: Store, tmp_path: Path, deadline: str) -> None:
    scene = Scene(store, tmp_path, "espionage", "deadline=every 3 days", played=2)
    scene.club.change_options("m", [f"deadline={deadline}"], reason="x", now=scene.now)
    scene.play(2)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.asks) == ([], [])
    assert not any("deadline" in note for note in found.notes)


def test_a_longer_deadline_that_nobody_was_told_is_counted(store: Store, tmp_path: Path) -> None:
    """Perhaps a player was away; but the JSON of an email names the option, and the log another."""
    scene = Scene(store, tmp_path, "espionage", "deadline=every 3 days", played=2)
    put_option(scene, "deadline", "every 9 days")
    scene.play(2)
    put_option(scene, "deadline", "every 3 days")
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.asks == []
    assert "the deadlines of 2 turns are later than the options say" in found.notes[0]
