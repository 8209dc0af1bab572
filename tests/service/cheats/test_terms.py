"""A club forgets a ruling, or goes on with a set-up or a board that was not agreed."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from adjudicator.service.matches import game_master
from adjudicator.store import tables
from adjudicator.store.database import Store
from tests.club import computer_orders
from tests.nightly import mostly_nightly
from tests.service.cheats.scene import GAMES_PLAYED, Scene, seen_by
from tests.service.club import use_tool
from tests.service.test_spion_memory import standard_text

pytestmark = pytest.mark.slow

HONEST = pytest.mark.parametrize("honest", [False, True], ids=["cheating", "honest"])


def given_more_time(store: Store, folder: Path, game: str) -> Scene:
    """Return a match whose players were told of two rulings."""
    scene = Scene(store, folder, game, "deadline=every 7 days", played=2)
    more = {"now": scene.now, "context": scene.club.context}
    use_tool(game_master.extend, store, "m", timedelta(days=2), sure=True, reason="Easter.", **more)
    use_tool(game_master.announce, store, "m", "It snows.", **more)
    scene.tick()
    scene.write(scene.mine, "REPORT")
    scene.tick()
    return scene


@HONEST
@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spies"]))
@pytest.mark.parametrize("action", ["extend", "say"])
def test_a_ruling_that_was_left_out_is_found(
    store: Store, tmp_path: Path, game: str, action: str, honest: bool
) -> None:
    scene = given_more_time(store, tmp_path, game)
    if not honest:
        with store.transaction() as tx:
            gone = tx.execute(sa.delete(tables.ruling).where(tables.ruling.c.action == action))
            assert gone.rowcount == 1
    scene.play(2)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert not honest or found.wrong == []
    assert found.asks == []
    assert found.code == (0 if honest else 1)


@HONEST
@pytest.mark.parametrize("game", ["espionage", "spies"])
def test_a_set_up_in_the_place_of_the_one_that_was_confirmed_is_found(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    scene = Scene(store, tmp_path, game)
    scene.order(scene.mine)
    scene.tick()
    if not honest:
        other = computer_orders(scene.loaded(), scene.mine, "computer:random")
        scene.put_in_force(scene.mine, *other)
    scene.order_all(but=[scene.mine])
    scene.tick()
    scene.play(2)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == (0 if honest else 3)


@HONEST
def test_another_board_than_was_agreed_is_found(store: Store, tmp_path: Path, honest: bool) -> None:
    """Tunnels cost more than the players know."""
    scene = Scene(store, tmp_path, "spion", played=3)
    if not honest:
        board = json.loads(standard_text("original"))
        board["params"] = {**board.get("params", {}), "tunnel_cost": 3}
        with store.transaction() as tx:
            tx.execute(sa.update(tables.match).values(board=json.dumps(board)))
    scene.play(3)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == (0 if honest else 1)
    assert honest or any(one.startswith("O6: board: ") for one in found.wrong)
