"""A change of players explains what comes between two plies (`events.py` has what nothing does)."""

from pathlib import Path

import pytest

from adjudicator.service.base.context import OpenClub
from adjudicator.service.matches import game_master
from adjudicator.store.database import Store
from tests.nightly import mostly_nightly
from tests.service.cheats.scene import GAMES_PLAYED, Scene, seen_by

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spion"]))
def test_a_seat_that_really_changed_hands_is_no_disagreement(
    store: Store, tmp_path: Path, game: str
) -> None:
    scene = Scene(
        store, tmp_path, game, holders={"black": "Bob"} if game == "espionage" else {}, played_to=3
    )
    given_up = scene.theirs
    game_master.replace(
        OpenClub(store, scene.now, scene.club.context), "m", given_up, "Emil", reason="x"
    )
    scene.people[given_up] = "Emil"
    scene.tick()
    scene.play(2)
    scene.end()
    for name in ("Anna", "Emil"):
        assert seen_by(scene, tmp_path, name).wrong == []
