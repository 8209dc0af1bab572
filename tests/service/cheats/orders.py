"""A club uses orders that it must not use, and its log fits its fingerprints."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from adjudicator.core import clock
from adjudicator.core.orders import number_lines
from tests.games.samples import of_games
from tests.inside import adjudication, append_ply
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.scene import SETS, Scene
from tests.service.cheats.times import ended

Lines = Callable[[Scene], Sequence[str]]


ILLEGAL: Mapping[str, Mapping[str, Lines]] = of_games("cheating", "ILLEGAL")


def not_allowed(lines: Lines) -> Play:
    """Return a play whose club does not judge stored orders before it uses them."""

    def unjudged(loaded: Any, seat: Any) -> Any:
        return loaded.game.orders.parse(number_lines(loaded.sheets[seat].lines)).orders

    def play(stage: Stage) -> Papers:
        scene = stage.scene(played_to=3, awaits="theirs")
        if stage.honest:
            return ended(scene, 2)
        with patch.object(adjudication, "_orders", unjudged):
            scene.order_all(but=[scene.theirs])
            scene.put_in_force(scene.theirs, *lines(scene))
            scene.tick()
            return ended(scene)

    return play


def left_out(stage: Stage) -> Papers:
    scene = stage.scene(played_to=3)
    right = append_ply.append

    def append(tx: Any, loaded: Any, events: Any, **more: Any) -> Any:
        others = [seat for seat in loaded.awaited if seat != scene.mine]
        orders = {seat: adjudication._orders(loaded, seat) for seat in others}
        made = loaded.game.rules.adjudicate(loaded.state, orders, loaded.chance)
        return right(tx, loaded, made, **{**more, "ordering": others})

    with patch.object(append_ply, "append", right if stage.honest else append):
        scene.play()
    return ended(scene)


def after_their_ply(stage: Stage) -> Papers:
    """The operator looks at what all others ordered, and the log says when his orders came."""
    scene = stage.scene(played_to=3, awaits="theirs")
    if stage.honest:
        return ended(scene, 2)
    scene.order_all(but=[scene.theirs])
    now, late = scene.now, scene.now + timedelta(hours=3)
    ply = scene.loaded().match.ply + 1
    with patch.object(clock, "complete_at", lambda facts: None if facts.silent else now):
        scene.put_in_force(scene.theirs, *scene.legal(scene.theirs), at=late)
        scene.tick()
    assert scene.loaded().match.ply >= ply
    return ended(scene)


def chosen_for_who_is_silent(stage: Stage) -> Papers:
    scene = stage.scene(played_to=3)
    if not stage.honest:
        scene.order_all(but=[scene.theirs])
        scene.put_in_force(scene.theirs, *scene.legal(scene.theirs), channel="default")
        scene.tick()
    return ended(scene)


def chosen_for_a_computer(stage: Stage) -> Papers:
    """The club uses a stronger computer than it said."""
    theirs = SETS[stage.where].seats[-1]
    scene = stage.scene(holders={theirs: "computer"})
    if stage.where == "spion":
        scene.play()
    right = adjudication.orders_of

    def other(loaded: Any, seat: Any, computer: str, log: Any = ()) -> Any:
        return right(loaded, seat, "computer:random", log)

    with patch.object(adjudication, "orders_of", right if stage.honest else other):
        scene.play(2)
    return ended(scene, 2)


def given_by_a_person_for_a_computer(stage: Stage) -> Papers:
    theirs = SETS[stage.where].seats[-1]
    scene = stage.scene(holders={theirs: "computer"}, played=2)
    if stage.honest:
        return ended(scene, 2)
    while theirs not in scene.loaded().awaited:
        with patch.object(adjudication, "_play_computers", lambda tx, loaded, now: (loaded, 0)):
            scene.play()
    scene.put_in_force(theirs, *scene.legal(theirs))
    return ended(scene, 2)
