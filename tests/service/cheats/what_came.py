"""A club tells all its players one thing, and does another; its log says both."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from msgspec.structs import replace

from adjudicator.core import chain, clock
from adjudicator.core.acts import (
    AnyAct,
    CameLate,
    Cancelled,
    Continued,
    ContinuedUntil,
    DeadlineKept,
    DefaultsUsed,
    ForfeitDecided,
    NothingSent,
    PlaysNow,
    TakenBackUntil,
    WarningsEnded,
)
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from tests.club import Club, find_player
from tests.database import tables, update_match
from tests.inside import (
    adjudication,
    append_ply,
    deadlines,
    game_master,
    outage,
    queue,
    rulings,
    seating,
    submissions,
    undoing,
)
from tests.service.cheats.acts import rule
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.in_advance import SEAT, come, plans, save
from tests.service.cheats.scene import Scene
from tests.service.cheats.times import (
    DAY,
    EVERY_WEEK,
    HOUR,
    RESERVE,
    at_once,
    ended,
    later,
    wake,
)

FORFEITS = ("absence=forfeit", "leave=none", "grace=0")
EVERY_TWO_DAYS = ("deadline=every 2 days", *FORFEITS)
SEARCHES = ("deadline=every 1 day", *FORFEITS, "substitutes=on")


def cheating(stage: Stage, where: Any, **changes: Any) -> AbstractContextManager[Any]:
    """Change a module of the club's, unless it is honest."""
    return nullcontext() if stage.honest else patch.multiple(where, **changes)


def ignored(*_: Any, **__: Any) -> None:
    return None


def title(scene: Scene, seat: str) -> Any:
    return scene.game.seat_titles[Seat(seat)]


def told(scene: Scene, *acts: AnyAct, action: str = "say") -> None:
    """Tell all players acts, with what follows from them, and do nothing else."""
    with scene.club.opened_at(scene.now).session() as s:
        append_ply.tell_all(s, append_ply.load(s.tx, "m"), action, acts)


def days(scene: Scene, number: int) -> None:
    for _ in range(number * 4):
        scene.now += 5 * HOUR
        scene.tick()


def stepping(step: Callable[[Any, clock.Step | None], clock.Step | None]) -> Any:
    """Let a club do another step than its clock says."""
    right = adjudication.next_step
    return patch.object(adjudication, "next_step", lambda one, now: step(one, right(one, now)))


# What is told, and what comes of it.


def played_while_on_hold(stage: Stage) -> Papers:
    scene = stage.scene(*EVERY_WEEK, played_to=3, awaits="mine")
    rule(scene, Club.hold, reason="x")
    scene.order_all()
    scene.tick()
    if stage.honest:
        rule(scene, Club.resume, extend=DAY, sure=True, reason="x")
    else:
        scene.do(lambda tx, one: update_match(tx, one.match.id, status="playing", held_at=None))
        wake(scene)
    ply = scene.loaded().match.ply
    scene.tick()
    assert scene.loaded().match.ply > ply
    return ended(scene)


def silence_of_another(stage: Stage) -> Papers:
    """All are told that Anna sent nothing, and it was Bob."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    hers = title(scene, scene.mine)
    with cheating(
        stage,
        adjudication,
        NothingSent=lambda _: NothingSent(hers),
        DefaultsUsed=lambda _: DefaultsUsed(hers),
    ):
        days(scene, 9)
    return ended(scene)


def another_turn_that_is_open(stage: Stage) -> Papers:
    scene = stage.scene(*EVERY_WEEK, played_to=3)
    with (
        patch.object(append_ply, "publish", ignored),
        cheating(stage, undoing, TakenBackUntil=lambda turn, due: TakenBackUntil(turn + 3, due)),
    ):
        scene.play(1)
        rule(scene, Club.undo, reason="x")
    return ended(scene, 2)


def decided_on_another(stage: Stage) -> Papers:
    """All are told that Bob loses, and Anna does."""
    scene = stage.scene(*EVERY_WEEK, played_to=3)
    his = title(scene, [*scene.people][1])
    with cheating(stage, game_master, ForfeitDecided=lambda _: ForfeitDecided(his)):
        rule(scene, Club.forfeit, scene.mine, reason="x")
    return ended(scene)


def decided_on_one_more(stage: Stage) -> Papers:
    """All are told that Bob loses, and Anna does, too."""
    scene = stage.scene(*EVERY_WEEK, played_to=3)
    bobs = [*scene.people][1]
    right = append_ply.append

    def append(s: Any, loaded: Any, events: Any, **more: Any) -> Any:
        if more["cause"] == "forfeit":
            more["leaving"] = [Seat(bobs), Seat(scene.mine)]
            events = loaded.game.rules.leave(loaded.state, more["leaving"], "forfeit")
        return right(s, loaded, events, **more)

    with cheating(stage, append_ply, append=append):
        rule(scene, Club.forfeit, bobs, reason="x")
    return ended(scene)


def holder_that_did_not_change(stage: Stage) -> Papers:
    scene = stage.scene(*EVERY_WEEK, played_to=3)
    if not stage.honest:
        told(scene, PlaysNow(say("Another player"), title(scene, scene.theirs)), action="replace")
    return ended(scene)


def holder_in_the_same_second(stage: Stage) -> Papers:
    """All are told that one seat has a new holder, and two get a reserve anew."""
    scene = stage.scene(*RESERVE, played_to=3)
    first, second = [*scene.people][1:3]
    scene.club.replace("m", second, "Emil", reason="x", now=scene.now)
    scene.people[second] = "Emil"
    if not stage.honest:
        scene.do(
            lambda tx, loaded: rulings.insert_holder_change(
                tx,
                loaded.match.id,
                rulings.StoredHolderChange(
                    ply=loaded.match.ply,
                    seat=first,
                    kind=chain.PERSON,
                    at=scene.now,
                    due_at=loaded.match.deadline_at,
                ),
            )
        )
    return ended(scene)


def cancelled_and_played_on(stage: Stage) -> Papers:
    """Anna loses because she sends nothing more for a match that was cancelled, as all read."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3, awaits="mine")
    if not stage.honest:
        told(scene, Cancelled())
    days(scene, 9)
    return ended(scene)


def warning_that_ended(stage: Stage) -> Papers:
    """Anna loses by a time that was announced, and of which all were told that it does not count.
    In the honest twin they were not."""
    terms = ("deadline=every 7 days", "absence=gm", "leave=none")
    scene = stage.scene(*terms, played_to=3, awaits="mine")
    rule(scene, Club.announce_forfeit, scene.mine, DAY, sure=True, reason="x")
    scene.tick()
    if not stage.honest:
        told(scene, WarningsEnded())
    days(scene, 2)
    assert Seat(scene.mine) in scene.loaded().gone
    return ended(scene)


def nearer_deadline_that_is_kept(stage: Stage) -> Papers:
    """Anna loses by a deadline that "is kept", of which a notice that may wait for a daily email
    would tell."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3, awaits="mine")
    if not stage.honest:
        with patch.object(queue, "queue_notices", ignored):
            told(scene, DeadlineKept((scene.now + 2 * HOUR).replace(microsecond=0)))
        scene.do(lambda tx, one: deadlines.reload_and_reschedule(tx, one, scene.now))
    later(scene, 5)
    return ended(scene)


def left_out_before_an_undo_of_the_last_ply(stage: Stage) -> Papers:
    """Of what was ruled while that ply stood no line tells. So the club forgets what it had told
    all before it."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3, awaits="theirs")
    rule(scene, Club.extend, 7 * DAY, sure=True, reason="x")
    scene.tick()
    with patch.object(append_ply, "publish", ignored):
        scene.play(1)
        rule(scene, Club.undo, reason="x")
    if not stage.honest:
        with stage.store.transaction() as tx:
            tx.execute(sa.delete(tables.ruling).where(tables.ruling.c.action == "extend"))
    scene.order_all()
    scene.tick()
    return ended(scene, 0)


# Time: misses that are excused, searches, deadlines that begin, and lateness.


def excused_though_none_was_agreed(stage: Stage) -> Papers:
    scene = stage.scene(*EVERY_TWO_DAYS, f"excused={int(stage.honest)}", played_to=3)
    scene.until(scene.theirs)
    scene.order_all(but=[scene.theirs])

    def friendly(_: Any, step: clock.Step | None) -> clock.Step | None:
        is_lost = isinstance(step, clock.Forfeit | clock.Default)
        return clock.Excuse((scene.theirs,)) if is_lost and not stage.honest else step

    with stepping(friendly):
        days(scene, 3)
    scene.order(scene.theirs)
    scene.tick()
    return ended(scene)


def excused_for_longer(stage: Stage) -> Papers:
    scene = stage.scene(*EVERY_TWO_DAYS, "excused=1", played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    right = deadlines.one_more

    with cheating(stage, deadlines, one_more=lambda *of: right(*of) + 20 * DAY):
        days(scene, 3)
    scene.order(scene.theirs)
    scene.tick()
    return ended(scene)


def excused_who_had_sent_orders(stage: Stage) -> Papers:
    """Bob is silent, and Anna's excused miss is used up, too."""
    scene = stage.scene(*EVERY_TWO_DAYS, "excused=1", played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    scene.tick()

    def both(_: Any, step: clock.Step | None) -> clock.Step | None:
        is_more = isinstance(step, clock.Excuse) and not stage.honest
        return clock.Excuse((scene.mine, scene.theirs)) if is_more else step

    with stepping(both):
        days(scene, 3)
    scene.order(scene.theirs)
    scene.tick()
    return ended(scene)


def forfeited_with_another(stage: Stage) -> Papers:
    """Bob loses as it was announced; and Anna loses with him, who was silent, too."""
    scene = stage.scene("deadline=every 7 days", "absence=gm", "leave=none", played_to=3)
    bobs = [*scene.people][1]
    rule(scene, Club.announce_forfeit, bobs, DAY, sure=True, reason="x")

    def both(_: Any, step: clock.Step | None) -> clock.Step | None:
        is_more = isinstance(step, clock.Forfeit) and not stage.honest
        return clock.Forfeit((scene.mine, bobs)) if is_more else step

    with stepping(both):
        days(scene, 2)
    assert (Seat(scene.mine) in scene.loaded().gone) is not stage.honest
    return ended(scene)


def default_orders_that_are_dated_back(stage: Stage) -> Papers:
    """Anna gets default orders at once, of before the turn began."""
    scene = stage.scene(*EVERY_WEEK, played_to=3, awaits="mine")
    if stage.honest:
        return ended(scene)
    scene.order_all(but=[scene.mine])
    loaded = scene.loaded()
    lines = deadlines.default_of(loaded, scene.mine)
    assert lines is not None
    scene.put_in_force(scene.mine, *lines, channel="default", at=loaded.since - HOUR)
    scene.tick()
    return ended(scene)


def first_turn_that_is_shorter(stage: Stage) -> Papers:
    right = deadlines.fresh
    with cheating(stage, deadlines, fresh=lambda *of, **how: right(*of, **how) - 6 * DAY):
        scene = stage.scene(*EVERY_WEEK)
    return ended(scene, 3)


def taken_with_a_near_deadline(stage: Stage) -> Papers:
    """Somebody takes an open seat, and nobody is told how soon orders are due now."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3, awaits="mine")
    scene.club.open_seat("m", Seat(scene.theirs), reason="x", now=scene.now)
    scene.tick()
    near = (scene.now + 6 * HOUR).replace(microsecond=0)
    with (
        cheating(stage, deadlines, fresh=lambda *_, **__: near),
        cheating(stage, seating, continuation=lambda _: Continued()),
    ):
        scene.club.replace("m", scene.theirs, "Emil", reason="x", now=scene.now)
    scene.people[scene.theirs] = "Emil"
    later(scene, 10)
    return ended(scene)


def taken_and_told_with_another_deadline(stage: Stage) -> Papers:
    """A player takes an open seat by email, and the others are told that there is a day more."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3, awaits="mine")
    scene.club.open_seat("m", Seat(scene.theirs), reason="x", now=scene.now)
    scene.tick()
    with (
        cheating(stage, seating, continuation=lambda due: ContinuedUntil(due + DAY)),
        scene.club.opened_at(scene.now).session() as s,
    ):
        loaded = append_ply.load(s.tx, "m")
        seating.take_seat(s, loaded, Seat(scene.theirs), find_player(s.tx, "Emil").id)
    scene.people[scene.theirs] = "Emil"
    return ended(scene)


def search(how: str) -> Play:
    """Return a play in which a friend has more time because substitutes are looked for: though none
    were agreed on, once more, or long after the deadline."""

    def play(stage: Stage) -> Papers:
        terms = [*SEARCHES, *(["substitutes=off"] if how == "off" and not stage.honest else [])]
        gap = 2 * DAY if how == "late" else None
        scene = stage.scene(*terms, played_to=3, awaits="theirs", max_gap=gap)
        scene.order_all(but=[scene.theirs])
        found: list[int] = []

        def seek(_: Any, step: clock.Step | None) -> clock.Step | None:
            is_due = isinstance(step, clock.Forfeit | clock.Default | clock.Seek)
            if stage.honest or not is_due or (how == "late" and scene.now < until):
                return step if stage.honest or not is_due else None
            found.append(1)
            return clock.Seek((scene.theirs,)) if len(found) <= 1 + (how == "twice") else None

        until = scene.now + 5 * DAY
        with stepping(seek):
            for _ in range(6 if how == "late" and not stage.honest else 1):
                scene.now += DAY - HOUR
                scene.tick()
            scene.tick()
            if how == "twice" and not stage.honest:
                scene.now += 3 * DAY
                scene.tick()
            scene.now += 2 * DAY
            scene.order(scene.theirs)
            scene.tick()
        assert Seat(scene.theirs) not in scene.loaded().gone
        return ended(scene)

    return play


def lateness_that_is_told_smaller(stage: Stage) -> Papers:
    """All are told that a friend was a second late, and it was most of a day."""
    terms = ("deadline=every 1 day", *FORFEITS)
    scene = stage.scene(*terms, played_to=3, awaits="theirs", max_gap=2 * DAY)
    scene.order_all(but=[scene.theirs])
    due = scene.loaded().match.deadline_at
    assert due is not None
    scene.now = due + (HOUR / 2 if stage.honest else 20 * HOUR)
    scene.order(scene.theirs)
    right = outage.came_late

    def small(loaded: Any) -> Iterator[CameLate]:
        yield from (replace(one, due=one.came - timedelta(seconds=1)) for one in right(loaded))

    with cheating(stage, outage, came_late=small, seats_too_late=lambda *_: []):
        scene.play(2)
    return ended(scene, 0)


def lateness_of_who_was_in_time(stage: Stage) -> Papers:
    """All are told that Anna's orders came after a time that was none."""
    scene = stage.scene(*EVERY_WEEK, played_to=3, awaits="mine")

    def blamed(loaded: Any) -> Iterator[CameLate]:
        came = loaded.sheets[scene.mine].received_at.replace(microsecond=0)
        yield CameLate(title(scene, scene.mine), came, came - DAY)

    with cheating(stage, outage, came_late=blamed):
        scene.play(1)
    return ended(scene)


def forfeit_of_a_later_time(stage: Stage) -> Papers:
    """Anna loses at once, and the line says that it was after her deadline."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played=3, awaits="mine")
    if stage.honest:
        return ended(scene)
    due = scene.loaded().match.deadline_at
    assert due is not None
    right, future = append_ply.following_line, due + HOUR

    def lie(tx: Any, loaded: Any, made: Any, *more: Any) -> Any:
        return right(tx, loaded, replace(made, at=future), *more)

    wake(scene)
    with patch.object(append_ply, "following_line", lie), at_once(scene.mine):
        scene.tick()
    assert scene.loaded().match.status == "over"
    return ended(scene)


def ruling_of_a_later_time(stage: Stage) -> Papers:
    """Anna's email tells it six hours before it was ruled, says the log."""
    scene = stage.scene(*EVERY_WEEK, played_to=3, awaits="mine")
    rule(scene, Club.announce, "It snows.")
    rule(scene, Club.announce, "It thaws.")
    scene.tick()
    if not stage.honest:
        second = sa.update(tables.ruling).where(tables.ruling.c.number == 2)
        with stage.store.transaction() as tx:
            tx.execute(second.values(at=scene.now + 5 * HOUR))
    scene.now += 6 * HOUR
    return ended(scene)


# What Anna's confirmations say.


def orders_of_a_later_time(stage: Stage) -> Papers:
    """Anna's orders came in time, and her reserve is charged as if they had come a day later."""
    scene = stage.scene(*RESERVE, played_to=3, awaits="mine")
    with stepping(lambda *_: None):
        scene.order(scene.mine)
        scene.tick()
    if not stage.honest:
        hers = sa.update(tables.submission).where(
            tables.submission.c.seat == scene.mine,
            tables.submission.c.ply == scene.loaded().match.ply + 1,
        )
        with stage.store.transaction() as tx:
            tx.execute(hers.values(received_at=scene.now + 40 * HOUR))
        scene.now += 41 * HOUR
    wake(scene)
    scene.order_all(but=[scene.mine])
    scene.tick()
    return ended(scene)


def draw_whose_offer_was_withdrawn(stage: Stage) -> Papers:
    """Anna withdraws her offer and orders. In the next turn Bob accepts it."""
    scene = stage.scene(played=2, awaits="mine")
    scene.declare("white", "DRAW")
    scene.declare("white", "CLEAR")
    if not stage.honest:
        with stage.store.transaction() as tx:
            tx.execute(sa.delete(tables.said).where(tables.said.c.word == "CLEAR"))
            tx.execute(sa.update(tables.declaration).values(status="standing"))
    scene.order("white")
    scene.tick()
    scene.declare("black", "DRAW")
    return ended(scene, int(stage.honest))


def resignation_that_is_forgotten(stage: Stage) -> Papers:
    """Anna resigns, and is treated as silent."""
    scene = stage.scene(*EVERY_WEEK, played_to=3, awaits="mine")
    with cheating(stage, adjudication, _settle_declaration=lambda *_: None):
        scene.declare(scene.mine, "RESIGN")
    if not stage.honest:
        with stage.store.transaction() as tx:
            tx.execute(sa.delete(tables.declaration))
        scene.order_all(but=[scene.mine])
        days(scene, 9)
    return ended(scene)


def saved_orders_that_were_taken_back(stage: Stage) -> Papers:
    scene = stage.scene(played=2)
    save(scene, "IF NOT FIGHT: {0}")
    if not stage.honest:
        with patch.object(submissions, "end_kept", ignored):
            scene.write(SEAT, "CLEAR ADVANCE")
            scene.tick()
    return come(scene)


def saved_orders_of_before(stage: Stage) -> Papers:
    """Anna saves orders for a turn twice. The first are used, and the last report says that she
    withdrew the others."""
    scene = stage.scene(played=2, awaits="mine")
    turn = scene.loaded().match.turn + 1
    now, *later_on = plans(scene)
    for one in later_on[:2]:
        scene.write(SEAT, f"ORDERS m {SEAT} turn {turn}", f"ELSE: {one}", "END")
        scene.tick()
    if not stage.honest:
        sheet = tables.submission
        saved = sa.select(sheet.c.id, sheet.c.status).where(sheet.c.seat == SEAT)
        with stage.store.transaction() as tx:
            (new, status), (old, _) = tx.execute(saved.order_by(sheet.c.id.desc()).limit(2))
            for number, became in ((new, "withdrawn"), (old, status)):
                tx.execute(sa.update(sheet).where(sheet.c.id == number).values(status=became))
    scene.write(SEAT, f"ORDERS m {SEAT}", *now.split(", "), "END")
    scene.tick()
    return come(scene)
