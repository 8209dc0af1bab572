"""A match with sentences in place of acts is compared as far as they go."""

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
import sqlalchemy as sa

from adjudicator.core import chain
from adjudicator.service.matches import append_ply, creation, game_master, undoing
from adjudicator.service.matches.option_changes import change_options
from adjudicator.store import tables
from adjudicator.store.database import Store
from tests.nightly import mostly_nightly
from tests.service.cheats.acts import DAY, TERMS, rule
from tests.service.cheats.scene import GAMES_PLAYED, Scene, seen_by

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["espionage"]))
def test_a_match_with_sentences_in_its_log_goes_on_with_them_to_its_end(
    store: Store, tmp_path: Path, game: str
) -> None:
    """It began before 0.3.0. Its heads and receipts keep their label, or no head would follow
    from the one before."""
    with patch.object(creation.chain, "LABEL", chain.SENTENCES):
        scene = Scene(store, tmp_path, game, *TERMS)
    scene.play_to(2)
    rule(scene, change_options, ["settle=1 hour"], reason="x")
    scene.now += 2 * DAY
    scene.tick()
    rule(scene, game_master.extend, DAY, sure=True, reason="x")
    with patch.object(append_ply, "publish", lambda *_, **__: None):
        scene.play()
        rule(scene, undoing.undo, reason="x")
    scene.play(2)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert (found.code, found.wrong, found.asks) == (0, [], [])
    lines = lines_of(scene)
    assert chain.label_of(lines[0]) == "ADJUD2"
    assert not any('"acts":' in one for one in lines)
    assert any('"rulings":' in one for one in lines)


def lines_of(scene: Scene) -> Sequence[str]:
    with scene.club.store.reading() as tx:
        wanted = sa.select(tables.turn.c.line).order_by(tables.turn.c.ply)
        return list(tx.execute(wanted).scalars())
