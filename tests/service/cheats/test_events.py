"""A change of players explains what comes between two plies (`events.py` has what nothing does); a
draw needs what two players have said."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.club import Store
from tests.database import tables
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
    scene.club.replace("m", given_up, "Emil", reason="x", now=scene.now)
    scene.people[given_up] = "Emil"
    scene.tick()
    scene.play(2)
    scene.end()
    for name in ("Anna", "Emil"):
        assert seen_by(scene, tmp_path, name).wrong == []


@pytest.mark.parametrize("honest", [False, True])
def test_a_draw_after_a_withdrawn_offer_is_found(
    store: Store, tmp_path: Path, honest: bool
) -> None:
    scene = Scene(store, tmp_path, "espionage", played_to=3)
    scene.declare(scene.mine, "DRAW")
    scene.write(scene.mine, "CLEAR")
    scene.tick()
    if honest:
        scene.declare(scene.mine, "DRAW")
    else:  # the club forgets what it has confirmed
        with store.transaction() as tx:
            tx.execute(sa.delete(tables.said).where(tables.said.c.word == "CLEAR"))
            tx.execute(sa.update(tables.declaration).values(status="standing"))
    scene.declare(scene.theirs, "DRAW")
    assert scene.loaded().match.status == "over"
    scene.end()
    found = seen_by(scene, tmp_path)
    if honest:
        assert (found.wrong, found.asks) == ([], [])
        return
    (told,) = [one for one in found.wrong if one.startswith("O2: ")]
    assert "the draw of turn 2: White had withdrawn its offer" in told
