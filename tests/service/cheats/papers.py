"""A club invents what a player did, forgets it, or goes on with what was not agreed; the player's
own papers tell otherwise."""

import json
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from msgspec.json import encode

from adjudicator.core import chain
from adjudicator.core.match import Seat
from tests.club import Loaded, computer_orders
from tests.database import Tx, log_lines, tables, update_match
from tests.inside import deadlines, rulings, sheet_storing, turns
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.scene import Scene
from tests.service.cheats.times import at_once, ended
from tests.service.test_spion_memory import standard_text

EVERY_WEEK = ("deadline=every 7 days", "absence=forfeit")


def waiting(stage: Stage, *options: str) -> Scene:
    """Return a match in which it is Anna's turn, and not hers alone where a game has that."""
    return stage.scene(*options, played=3, awaits="mine")


def version_that_no_confirmation_tells(stage: Stage) -> Papers:
    scene = waiting(stage)
    scene.order(scene.mine)
    scene.tick()
    if stage.honest:
        scene.order(scene.mine)
    else:
        other = computer_orders(scene.loaded(), Seat(scene.mine), "computer:random")
        scene.put_in_force(scene.mine, *other)
    scene.order_all(but=[scene.mine])
    scene.tick()
    return ended(scene)


def set_up_that_was_not_confirmed(stage: Stage) -> Papers:
    scene = stage.scene()
    scene.order(scene.mine)
    scene.tick()
    if not stage.honest:
        other = computer_orders(scene.loaded(), scene.mine, "computer:random")
        scene.put_in_force(scene.mine, *other)
    scene.order_all(but=[scene.mine])
    scene.tick()
    return ended(scene, 2)


def resignation_that_nobody_wrote(stage: Stage) -> Papers:
    scene = waiting(stage)
    if stage.honest:
        scene.declare(scene.mine, "RESIGN")
    else:
        scene.do(
            lambda tx, loaded: (
                rulings.declare(tx, loaded.match.id, scene.mine, "RESIGN", scene.now),
                deadlines.reload_and_reschedule(tx, loaded, scene.now),
            )
        )
        scene.tick()
    return ended(scene, 0)


def draw_that_nobody_offered(stage: Stage) -> Papers:
    scene = waiting(stage)
    if stage.honest:
        scene.declare("white", "DRAW")
    else:
        scene.do(
            lambda tx, loaded: rulings.declare(tx, loaded.match.id, "white", "DRAW", scene.now)
        )
    scene.declare("black", "DRAW")
    scene.tick()
    assert scene.loaded().match.status == "over"
    return ended(scene)


def forfeit_though_orders_were_confirmed(stage: Stage) -> Papers:
    scene = waiting(stage, *EVERY_WEEK)
    scene.order(scene.mine)
    scene.tick()
    if not stage.honest:
        scene.now += timedelta(days=8)
        with at_once(scene.mine):
            scene.tick()
    return ended(scene, 0)


def confirmation_of_other_orders(stage: Stage) -> Papers:
    """The club confirms one thing and uses another."""
    scene = waiting(stage)
    right = chain.sheet_digest

    def other(head: str, lines: Any) -> str:
        return right(head, lines if stage.honest else [*lines, "x"])

    with patch.object(sheet_storing.chain, "sheet_digest", other):
        scene.order(scene.mine)
        scene.club.run_tick(scene.now)
    scene.order_all(but=[scene.mine])
    scene.tick()
    return ended(scene)


def changed_match(**values: Any) -> Play:
    """Return a play whose club puts other values of the match in its store."""

    def play(stage: Stage) -> Papers:
        scene = waiting(stage)
        if not stage.honest:
            with stage.store.transaction() as tx:
                tx.execute(sa.update(tables.match).values(**values))
        return ended(scene)

    return play


def other_seed_in_the_first_line(stage: Stage) -> Papers:
    """The first line of the log is told by its fingerprint alone until the end."""
    right = chain.opening

    def opening(agreed: Any) -> str:
        (what, seat, digest), *rest = agreed.commitments
        return right(chain.replace(agreed, commitments=((what, seat, "0" * len(digest)), *rest)))

    with patch.object(chain, "opening", right if stage.honest else opening):
        scene = stage.scene()
    return ended(scene, 2)


def time_that_is_moved_after_its_report(stage: Stage) -> Papers:
    scene = waiting(stage)
    with stage.store.transaction() as tx:
        for ply, line in list(tx.execute(sa.select(tables.turn.c.ply, tables.turn.c.line))):
            if ply == 2 and not stage.honest:
                moved = line.replace('"at":"2026-11-23T1', '"at":"2026-11-22T1', 1)
                changed = sa.update(tables.turn).where(tables.turn.c.ply == ply)
                tx.execute(changed.values(line=moved))
    return ended(scene, 0)


def log_whose_last_lines_are_cut_off(stage: Stage) -> Papers:
    scene = waiting(stage)
    right = log_lines
    cut = None if stage.honest else -2
    with patch.object(turns, "lines", lambda tx, match_id: right(tx, match_id)[:cut]):
        return ended(scene, 0)


def ruling_that_is_left_out(action: str) -> Play:
    """Return a play whose players were told of two rulings, of which the club forgets one."""

    def play(stage: Stage) -> Papers:
        scene = stage.scene("deadline=every 7 days", played=2)
        two_days = timedelta(days=2)
        scene.club.extend("m", two_days, sure=True, reason="x", now=scene.now)
        scene.club.announce("m", "It snows.", now=scene.now)
        scene.tick()
        scene.write(scene.mine, "REPORT")
        scene.tick()
        if not stage.honest:
            with stage.store.transaction() as tx:
                gone = tx.execute(sa.delete(tables.ruling).where(tables.ruling.c.action == action))
                assert gone.rowcount == 1
        return ended(scene, 2)

    return play


# What was agreed.


def other_options(stage: Stage) -> Papers:
    """They would change what follows from the same orders, or how long a turn may last."""
    scene = waiting(stage)
    if not stage.honest:
        put_option(scene, "press", "off")
    return ended(scene, 0)


def put_option(scene: Scene, key: str, value: str) -> None:
    """Change an option in the club's store, and nowhere else."""

    def change(tx: Tx, loaded: Loaded) -> None:
        options = {**loaded.match.options, key: value}
        update_match(tx, loaded.match.id, options=encode(options).decode())

    scene.do(change)


def deadline_in_secret(deadline: str, *, to_the_end: bool = False) -> Play:
    """Return a play whose club changes how long a turn takes after two plies, and tells nobody."""

    def play(stage: Stage) -> Papers:
        scene = stage.scene("deadline=every 3 days", played=2)
        if not stage.honest:
            put_option(scene, "deadline", deadline)
        scene.play(2)
        if not stage.honest and not to_the_end:
            put_option(scene, "deadline", "every 3 days")
        return ended(scene, 0)

    return play


def another_board(stage: Stage) -> Papers:
    """Tunnels cost more than the players know."""
    scene = stage.scene(played=3)
    if not stage.honest:
        board = json.loads(standard_text("original"))
        board["params"] = {**board.get("params", {}), "tunnel_cost": 3}
        with stage.store.transaction() as tx:
            tx.execute(sa.update(tables.match).values(board=json.dumps(board)))
    return ended(scene, 3)
