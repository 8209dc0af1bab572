"""A club does not use stored orders that somebody altered (`orders.py` has those that do)."""

import json
from pathlib import Path
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tests.club import Store
from tests.database import tables
from tests.nightly import mostly_nightly
from tests.service.cheats.orders import ILLEGAL
from tests.service.cheats.scene import GAMES_PLAYED, Scene

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["espionage"]))
def test_a_club_holds_a_match_whose_stored_orders_were_altered(
    store: Store, tmp_path: Path, game: str
) -> None:
    """What an audit would refuse is not adjudicated; the game master is told whose orders it is."""
    scene = Scene(store, tmp_path, game, played_to=3, awaits="theirs")
    ply = scene.loaded().match.ply
    scene.order_all()
    scene.club.context = replace(scene.club.context, raise_faults=False)
    name = next(iter(ILLEGAL[game]))
    wrong = list(ILLEGAL[game][name](scene))
    collect_only(scene)
    with store.transaction() as tx:
        mine = tables.submission.c.seat == scene.theirs
        tx.execute(
            sa.update(tables.submission)
            .where(mine, tables.submission.c.ply == ply + 1)
            .values(orders=json.dumps(wrong))
        )
    told = [str(one) for one in scene.club.run_due(now=scene.now)]
    title = scene.title(scene.theirs)
    assert f"the stored orders of {title} are not orders that adjud accepts" in told[0]
    assert not any(line in " ".join(told) for line in wrong)
    assert (scene.loaded().match.status, scene.loaded().match.ply) == ("held", ply)


def collect_only(scene: Scene) -> None:
    """Take the emails in without adjudicating anything."""
    with patch("adjudicator.service.matches.adjudication.advance", lambda *_: None):
        scene.club.run_tick(scene.now)
