"""A club writes other acts into the log than it did, or calls one what it is not (A1, A5)."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from msgspec.structs import replace

from adjudicator.core.acts import AnyAct, DeadlineMoved, Excused, OptionChanged, message_for_acts
from adjudicator.core.message import Message, say
from adjudicator.service.matches import append_ply, game_master, option_changes
from adjudicator.service.matches.option_changes import change_options
from adjudicator.service.outbox import queue
from adjudicator.store import tables
from adjudicator.store.matches import Holder
from tests.club import computer_orders
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.scene import Scene
from tests.service.cheats.times import EVERY_WEEK, ended
from tests.service.club import use_tool

DAY = timedelta(days=1)
PLAYERS = ("computer:random", "computer")
TERMS = ("deadline=every 2 days", "absence=forfeit", "excused=1", "leave=none", "settle=2 hours")


def rule(scene: Scene, tool: Callable[..., Any], *args: Any, **more: Any) -> None:
    use_tool(tool, scene.club.store, "m", *args, now=scene.now, context=scene.club.context, **more)


def others_excused(act: AnyAct) -> AnyAct:
    return replace(act, names="nobody") if isinstance(act, Excused) else act


def changed_from_another(act: AnyAct) -> AnyAct:
    return replace(act, before="9 days") if isinstance(act, OptionChanged) else act


def of_no_seat(act: AnyAct) -> AnyAct:
    changed = {"seats": say("The Moon")}
    return replace(act, **changed) if isinstance(act, Excused) else act


def a_day_nearer(act: AnyAct) -> AnyAct:
    return replace(act, when=act.when - DAY) if isinstance(act, DeadlineMoved) else act


def a_day_later(act: AnyAct) -> AnyAct:
    return replace(act, when=act.when + DAY) if isinstance(act, DeadlineMoved) else act


def other_in_the_log(change: Callable[[AnyAct], AnyAct]) -> Play:
    """Return a play whose club tells all what it does, and logs another act."""

    def play(stage: Stage) -> Papers:
        scene = stage.scene(*TERMS, played_to=3)
        right = append_ply.rulings_during

        def cheating(made: Iterable[Any], ply: int) -> Any:
            during = right(made, ply)
            return tuple(replace(one, acts=tuple(map(change, one.acts))) for one in during)

        with patch.object(append_ply, "rulings_during", right if stage.honest else cheating):
            rule(scene, change_options, ["settle=1 hour"], reason="x")
            scene.tick()
            scene.now += 2 * DAY
            scene.tick()  # all are excused
            rule(scene, game_master.extend, DAY, sure=True, reason="x")
            return ended(scene, 2)

    return play


def option_from_another_value(stage: Stage) -> Papers:
    """The club tells and logs that an option was another before it was changed."""
    scene = stage.scene(*TERMS, played_to=3)
    right = option_changes.OptionChanged

    def other(key: str, value: str, before: str) -> Any:
        return right(key, value, before if stage.honest else "9 hours")

    with patch.object(option_changes, "OptionChanged", other):
        rule(scene, change_options, ["settle=1 hour"], reason="x")
    return ended(scene, 2)


def left_out_of_the_log(stage: Stage) -> Papers:
    scene = stage.scene(*TERMS, played_to=3)
    rule(scene, game_master.announce, "It snows.")
    rule(scene, game_master.announce, "It thaws.")
    right = append_ply.rulings_during

    def cheating(made: Iterable[Any], ply: int) -> Any:
        return tuple(one for one in right(made, ply) if one.number != 1)

    with patch.object(append_ply, "rulings_during", right if stage.honest else cheating):
        return ended(scene, 2)


def notice_that_is_called(name: str) -> Play:
    """Return a play in which older orders of Anna's count, because a notice is called so. What the
    club calls a ruling is in no log."""

    def play(stage: Stage) -> Papers:
        scene = stage.scene(*TERMS, played_to=3, awaits="mine")
        first, second = sorted(
            {tuple(computer_orders(scene.loaded(), scene.mine, one)) for one in PLAYERS}
        )[:2]
        for lines in (first, second):
            scene.order(scene.mine, *lines)
            scene.tick()
        rule(scene, game_master.announce, f"It snows, and somebody now plays {scene.mine}.")
        with stage.store.transaction() as tx:
            tx.execute(sa.update(tables.ruling).values(action=name))
            if not stage.honest:
                sheet = tables.submission
                ours = sheet.c.ply == scene.loaded().match.ply + 1
                for number, status in ((2, "replaced"), (1, "in force")):
                    one = sa.and_(ours, sheet.c.seat == scene.mine, sheet.c.revision == number)
                    changed = tx.execute(sa.update(sheet).where(one).values(status=status))
                    assert changed.rowcount == 1
        ply = scene.loaded().match.ply
        scene.order_all(but=[scene.mine])
        for _ in range(8):
            scene.tick()
        assert scene.loaded().match.ply > ply
        return ended(scene, 2)

    return play


def told_a_day_later(stage: Stage) -> Papers:
    """The email tells another deadline than the log has."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3)

    def other(made: Sequence[AnyAct]) -> Message:
        if stage.honest:
            return message_for_acts(made)
        return message_for_acts([a_day_later(one) for one in made])

    with patch.object(append_ply, "message_for_acts", other):
        rule(scene, game_master.extend, DAY, sure=True, reason="x")
    return ended(scene)


def nearer_and_untold(stage: Stage) -> Papers:
    """Anna loses by a deadline of which no email has told her."""
    with nullcontext() if stage.honest else patch.object(queue, "queue_notices", _nothing):
        scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3, awaits="mine")
        rule(scene, game_master.set_deadline, "2 hours", sure=True, reason="x")
    for _ in range(4):
        scene.tick()
    return ended(scene)


def _nothing(*_: Any, **__: Any) -> None:
    return None


def nearer_and_perhaps_lost(stage: Stage) -> Papers:
    """It may have been in an email that Anna has lost."""
    emails = [*nearer_and_untold(stage)]
    lost = next(n for n, raw in enumerate(emails) if b"X-Adjud: report" in raw)
    return emails if stage.honest else emails[:lost] + emails[lost + 1 :]


def person_who_is_called_a_computer(stage: Stage) -> Papers:
    """The operator plays the last seat, and all reports say that a computer does."""
    scene = stage.scene(*EVERY_WEEK, played_to=3)
    theirs, right = scene.people[scene.theirs], Holder.told_name.fget

    def named(holder: Holder) -> str:
        return "computer" if holder.player_name == theirs else right(holder)

    with nullcontext() if stage.honest else patch.object(Holder, "told_name", property(named)):
        scene.play(2)
    return ended(scene, 0)
