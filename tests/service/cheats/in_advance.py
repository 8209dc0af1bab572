"""A club uses other orders than those that were sent in advance give, or does not use them."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from adjudicator.core import conditions
from adjudicator.core.match import Seat
from adjudicator.core.orders import number_lines
from tests.inside import submissions
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.forms import as_value
from tests.service.cheats.scene import Scene
from tests.service.cheats.times import ended, later
from tests.service.mailclub import value_in

SEAT = "white"  # Anna's, in the one game that takes orders in advance


def plans(scene: Scene, number: int = 3) -> list[str]:
    """Return orders of White that are allowed now, each with pieces of its own."""
    loaded = scene.loaded()
    view = loaded.game.sight.observe(loaded.state, Seat(SEAT))
    ahead = [
        (f"{at}-{at[0]}{int(at[1]) + 1}", at)
        for at, piece in sorted(loaded.state.pieces.items())
        if piece.side == SEAT and f"{at[0]}{int(at[1]) + 1}" not in loaded.state.pieces
    ]
    steps = []
    for step, _ in ahead:
        for other, _ in ahead:
            sheet = loaded.game.orders.parse(number_lines([step, other]))
            if step < other and not [*sheet.problems, *loaded.game.orders.check(view, sheet)]:
                steps.append((step, other))
    found: list[tuple[str, str]] = []
    for pair in steps:
        if not any({*pair} & {*one} for one in found):
            found.append(pair)
    assert len(found) >= number, found
    return [", ".join(pair) for pair in found]


def save(scene: Scene, *lines: str) -> int:
    """Have White order, and save orders for its next turn, which comes; return that."""
    scene.until(SEAT)
    turn = scene.loaded().match.turn + 1
    now, *later = plans(scene)
    told = [line.format(*later) for line in lines]
    scene.write(SEAT, f"ORDERS m {SEAT} turn {turn}", *told, "END")
    scene.write(SEAT, f"ORDERS m {SEAT}", *now.split(", "), "END")
    scene.tick()
    return turn


def come(scene: Scene, days: int = 0, **cheating: Any) -> Papers:
    """Have the turn come for which White has saved orders, by a club that cheats then."""
    with patch.multiple(conditions, **cheating) if cheating else nullcontext():
        scene.order("black")
        scene.tick()
    later(scene, days * 24)
    return ended(scene)


def condition_that_is_turned_round(stage: Stage) -> Papers:
    """The club takes `IF NOT` for `IF`."""
    scene = stage.scene(played=2)
    save(scene, "IF NOT FIGHT: {0}", "ELSE: {1}")
    right = conditions.judge

    def turned(game: Any, plan: Any, view: Any, seen: Sequence[Any]) -> Any:
        def other(branch: Any) -> Any:
            asked = tuple(replace(one, wanted=not one.wanted) for one in branch.asked)
            return replace(branch, asked=asked)

        return right(game, replace(plan, branches=tuple(map(other, plan.branches))), view, seen)

    return come(scene, **({} if stage.honest else {"judge": turned}))


def called_not_true(stage: Stage) -> Papers:
    """The club does not use saved orders: it says that what they ask is not true."""
    scene = stage.scene(played=2)
    save(scene, "IF NOT FIGHT: {0}")

    def none(game: Any, plan: Any, *_: Any) -> Any:
        told = conditions.say("not true: {condition}", condition="NOT FIGHT")
        return conditions.Verdict(None, (conditions.Problem(2, plan.branches[0].line.text, told),))

    return come(scene, **({} if stage.honest else {"judge": none}))


def called(status: str) -> Play:
    """Return a play whose club sets saved orders aside and gives their seat up for lost, and says
    in the end what became of them."""

    def play(stage: Stage) -> Papers:
        scene = stage.scene("absence=forfeit", "deadline=every 3 days", played=2)
        save(scene, "IF NOT FIGHT: {0}")
        if not stage.honest:
            scene.do(lambda tx, one: submissions.end_kept(tx, one.match.id, [SEAT], status))
        return come(scene, 4)

    return play


def with_own_orders(scene: Scene) -> Scene:
    """Play a match in which White replaces orders, sends some in advance, and writes down a
    note."""
    scene.until("white")
    turn = scene.loaded().match.turn
    legal = scene.legal("white")
    for ahead in (f"ELSE: {legal[0]}", "IF FIGHT: a1-a2"):
        scene.write("white", f"ORDERS m white turn {turn + 1}", ahead, "END")
        scene.tick()
    scene.write("white", "NOTE open sesame")
    scene.order("black")
    scene.order("white", *legal)
    scene.play(3)
    scene.end()
    return scene


def other_orders_that_are_opened(stage: Stage) -> Papers:
    emails = with_own_orders(stage.scene(played=2)).letters()
    said = json.loads(value_in(emails[-1]))
    if not stage.honest:
        sheets = [one for one in said["report"]["own"]["sheets"] if one["kept"]]
        sheets[0]["lines"] = ["ELSE: a1-a2"]
    return [*emails[:-1], as_value(said)]
