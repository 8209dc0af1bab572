"""A club writes other acts into the log than it did, or calls one what it is not (A1, A5)."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from msgspec.structs import replace

from adjudicator.core.acts import (
    AnyAct,
    BoardSeen,
    DeadlineMoved,
    Excused,
    ForfeitAnnounced,
    OptionChanged,
    SaidToAll,
    TakenBack,
    message_for_acts,
)
from adjudicator.core.message import Message, say
from tests.club import Club, computer_orders
from tests.database import begin_epoch, tables
from tests.inside import append_ply, deadlines, matches, option_changes, queue, rulings
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.scene import Scene
from tests.service.cheats.times import EVERY_WEEK, ended, reminder_of_another_day

DAY = timedelta(days=1)
PLAYERS = ("computer:random", "computer")
TERMS = ("deadline=every 2 days", "absence=forfeit", "excused=1", "leave=none", "settle=2 hours")


def rule(scene: Scene, tool: Callable[..., Any], *args: Any, **more: Any) -> None:
    tool(scene.club, "m", *args, now=scene.now, **more)


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
            rule(scene, Club.change_options, ["settle=1 hour"], reason="x")
            scene.tick()
            scene.now += 2 * DAY
            scene.tick()  # all are excused
            rule(scene, Club.extend, DAY, sure=True, reason="x")
            return ended(scene, 2)

    return play


def option_from_another_value(stage: Stage) -> Papers:
    """The club tells and logs that an option was another before it was changed."""
    scene = stage.scene(*TERMS, played_to=3)
    right = option_changes.OptionChanged

    def other(key: str, value: str, before: str) -> Any:
        return right(key, value, before if stage.honest else "9 hours")

    with patch.object(option_changes, "OptionChanged", other):
        rule(scene, Club.change_options, ["settle=1 hour"], reason="x")
    return ended(scene, 2)


def take_back_a_ply(scene: Scene) -> None:
    """Play a ply and take it back, before anybody can have read of it."""
    with patch.object(append_ply, "publish", _nothing):
        scene.play(1)
        rule(scene, Club.undo, reason="x")


def left_out_of_the_log_after_an_undo(stage: Stage) -> Papers:
    """Some acts stand in later lines then, and none is lost."""
    scene = stage.scene(*EVERY_WEEK, played_to=2)
    take_back_a_ply(scene)
    rule(scene, Club.announce, "It snows.")
    scene.play(1)
    rule(scene, Club.announce, "It thaws.")
    right = append_ply.rulings_during

    def cheating(made: Iterable[Any], ply: int) -> Any:
        return tuple(one for one in right(made, ply) if one.number != 3)

    with patch.object(append_ply, "rulings_during", right if stage.honest else cheating):
        return ended(scene, 2)


def reminder_of_another_day_after_an_undo(stage: Stage) -> Papers:
    scene = stage.scene(*EVERY_WEEK, played_to=2)
    take_back_a_ply(scene)
    scene.play(1)
    return reminder_of_another_day(stage, scene)


def left_out_of_the_log(stage: Stage) -> Papers:
    scene = stage.scene(*TERMS, played_to=3)
    rule(scene, Club.announce, "It snows.")
    rule(scene, Club.announce, "It thaws.")
    right = append_ply.rulings_during

    def cheating(made: Iterable[Any], ply: int) -> Any:
        return tuple(one for one in right(made, ply) if one.number != 1)

    with patch.object(append_ply, "rulings_during", right if stage.honest else cheating):
        return ended(scene, 2)


def put_back_in_force(scene: Scene, older: int, *, in_place_of: int) -> None:
    """Let an older version of Anna's orders count."""
    sheet = tables.submission
    with scene.club.store.transaction() as tx:
        ours = sheet.c.ply == scene.loaded().match.ply + 1
        for number, status in ((in_place_of, "replaced"), (older, "in force")):
            one = sa.and_(ours, sheet.c.seat == scene.mine, sheet.c.revision == number)
            assert tx.execute(sa.update(sheet).where(one).values(status=status)).rowcount == 1


def two_versions(scene: Scene) -> list[tuple[str, ...]]:
    """Return two sheets that Anna can send now."""
    return sorted({tuple(computer_orders(scene.loaded(), scene.mine, one)) for one in PLAYERS})[:2]


def undo_that_nobody_was_told(stage: Stage) -> Papers:
    """It stands in the log in place of a notice, so that older orders could count."""
    scene = with_two_versions(stage)
    rule(scene, Club.announce, "It snows.")
    if stage.honest:
        return played_from(scene)
    put_back_in_force(scene, 1, in_place_of=2)
    turn, right = scene.loaded().match.turn, append_ply.rulings_during

    def cheating(made: Iterable[Any], ply: int) -> Any:
        return tuple(
            replace(one, acts=(TakenBack(turn),)) if isinstance(one.acts[0], SaidToAll) else one
            for one in right(made, ply)
        )

    with patch.object(append_ply, "rulings_during", cheating):
        return played_from(scene)


def with_two_versions(stage: Stage) -> Scene:
    """Let Anna send orders twice; the match is on hold, so nothing is played yet."""
    scene = stage.scene(*EVERY_WEEK, played_to=3, awaits="mine")
    rule(scene, Club.hold, reason="x")
    for lines in two_versions(scene):
        scene.order(scene.mine, *lines)
        scene.tick()
    scene.order_all(but=[scene.mine])
    scene.tick()
    return scene


def played_from(scene: Scene) -> Sequence[bytes]:
    """Go on with the match, which plays the turn with the orders that are in force."""
    rule(scene, Club.resume, extend=DAY, sure=True, reason="x")
    ply = scene.loaded().match.ply
    scene.tick()
    assert scene.loaded().match.ply > ply
    return ended(scene)


def older_orders_after_an_undo(*, sent_again: bool) -> Play:
    """Return a play in which a ply is taken back, as all are told, and then an older version of
    Anna's orders counts than her last one of before, or than the one that she `sent_again`."""

    def play(stage: Stage) -> Papers:
        scene = with_two_versions(stage)
        first, _ = two_versions(scene)
        rule(scene, Club.resume, extend=DAY, sure=True, reason="x")
        ply = scene.loaded().match.ply
        with patch.object(append_ply, "publish", _nothing):
            scene.tick()
            assert scene.loaded().match.ply == ply + 1
            rule(scene, Club.undo, reason="x")
        rule(scene, Club.hold, reason="x")
        if sent_again:
            scene.order(scene.mine, *first)
            scene.tick()
        if not stage.honest:
            older, newer = (2, 3) if sent_again else (1, 2)
            put_back_in_force(scene, older, in_place_of=newer)
        return played_from(scene)

    return play


def backup_that_is_dated_back(stage: Stage) -> Papers:
    """The club was restored; what Anna was sent after the time of the backup does not count. The
    email in which her orders were confirmed came before it."""
    scene = with_two_versions(stage)
    if not stage.honest:
        put_back_in_force(scene, 1, in_place_of=2)
    saved = scene.now if stage.honest else scene.now - DAY
    with stage.store.transaction() as tx:
        begin_epoch(tx, "zzzzz", saved, scene.now)
    return played_from(scene)


def notice_that_is_called(name: str) -> Play:
    """Return a play in which older orders of Anna's count, because a notice is called so. What the
    club calls a ruling is in no log."""

    def play(stage: Stage) -> Papers:
        scene = stage.scene(*TERMS, played_to=3, awaits="mine")
        for lines in two_versions(scene):
            scene.order(scene.mine, *lines)
            scene.tick()
        rule(scene, Club.announce, f"It snows, and somebody now plays {scene.mine}.")
        with stage.store.transaction() as tx:
            tx.execute(sa.update(tables.ruling).values(action=name))
        if not stage.honest:
            put_back_in_force(scene, 1, in_place_of=2)
        ply = scene.loaded().match.ply
        scene.order_all(but=[scene.mine])
        for _ in range(8):
            scene.tick()
        assert scene.loaded().match.ply > ply
        return ended(scene, 2)

    return play


def announced_with_a_look(stage: Stage) -> Papers:
    """Anna loses by a time that was announced in one act with a look, which is told with the next
    turn. In the honest twin an email told it."""
    terms = ("deadline=every 7 days", "absence=gm", "leave=none")
    scene = stage.scene(*terms, played_to=3, awaits="mine")
    if stage.honest:
        rule(scene, Club.announce_forfeit, scene.mine, DAY / 4, sure=True, reason="x")
    else:
        when = (scene.now + DAY / 4).replace(microsecond=0)

        def announce(tx: Any, loaded: Any) -> None:
            title = loaded.game.seat_titles[scene.mine]
            made = [BoardSeen(title, "2026-11-23"), ForfeitAnnounced(title, when)]
            ply = loaded.match.ply
            due = loaded.match.deadline_at
            row = rulings.of_acts(made, ply=ply, at=scene.now, action="look", due_at=due)
            rulings.insert(tx, loaded.match.id, row)
            changes = {"forfeit_at": when, "forfeit_ply": ply + 1}
            matches.update_seats(tx, loaded.match.id, [scene.mine], **changes)
            deadlines.reload_and_reschedule(tx, loaded, scene.now)

        scene.do(announce)
    for _ in range(8):
        scene.tick()
    assert scene.mine in scene.loaded().gone or scene.loaded().match.status == "over"
    return ended(scene)


def announced_for_no_seat(stage: Stage) -> Papers:
    """The log names a seat that the match does not have, where all were told of another."""
    terms = ("deadline=every 7 days", "absence=gm", "leave=none")
    scene = stage.scene(*terms, played_to=3)
    right = append_ply.rulings_during

    def other(act: AnyAct) -> AnyAct:
        changed = {"seat": say("The Moon")}
        return replace(act, **changed) if isinstance(act, ForfeitAnnounced) else act

    def cheating(made: Iterable[Any], ply: int) -> Any:
        during = right(made, ply)
        return tuple(replace(one, acts=tuple(map(other, one.acts))) for one in during)

    with patch.object(append_ply, "rulings_during", right if stage.honest else cheating):
        rule(scene, Club.announce_forfeit, scene.mine, DAY, sure=True, reason="x")
        return ended(scene, 2)


def told_a_day_later(stage: Stage) -> Papers:
    """The email tells another deadline than the log has."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3)

    def other(made: Sequence[AnyAct]) -> Message:
        if stage.honest:
            return message_for_acts(made)
        return message_for_acts([a_day_later(one) for one in made])

    with patch.object(append_ply, "message_for_acts", other):
        rule(scene, Club.extend, DAY, sure=True, reason="x")
    return ended(scene)


def nearer_and_untold(stage: Stage) -> Papers:
    """Anna loses by a deadline of which no email has told her."""
    with nullcontext() if stage.honest else patch.object(queue, "queue_notices", _nothing):
        scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3, awaits="mine")
        rule(scene, Club.set_deadline, "2 hours", sure=True, reason="x")
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
    theirs, right = scene.people[scene.theirs], matches.Holder.told_name.fget

    def named(holder: matches.Holder) -> str:
        return "computer" if holder.player_name == theirs else right(holder)

    with (
        nullcontext()
        if stage.honest
        else patch.object(matches.Holder, "told_name", property(named))
    ):
        scene.play(2)
    return ended(scene, 0)
