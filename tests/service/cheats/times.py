"""A club gives some seats more time than others, or less than was agreed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from msgspec import structs

from adjudicator.core import chain, clock
from adjudicator.core.acts import CameLate, ClockSetBack, Outage
from adjudicator.core.clock import Forfeit
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from tests.database import tables, update_match, update_seats
from tests.inside import (
    adjudication,
    append_ply,
    bank,
    building,
    deadlines,
    doubt,
    outage,
    rendering,
    rulings,
    substituting,
)
from tests.inside import outbound_daily as daily
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.scene import Scene

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
EVERY_WEEK = ("deadline=every 7 days", "absence=forfeit", "leave=none")
EVERY_DAY = ("deadline=every 1 day", "absence=forfeit", "leave=none")
RESERVE = ("deadline=every 1 day", "absence=forfeit", "leave=none", "bank=2 days")


def ended(scene: Scene, plies: int = 1) -> Sequence[bytes]:
    """Play on and end the match; return what Anna has."""
    if scene.loaded().match.status != "over":
        scene.play(plies)
    scene.end()
    return scene.letters()


def later(scene: Scene, hours: int) -> None:
    for _ in range(hours):
        scene.tick()


def wake(scene: Scene) -> None:
    with scene.club.store.transaction() as tx:
        tx.execute(sa.update(tables.match).values(wake_at=scene.now))


def less_after_a_resignation(stage: Stage) -> Papers:
    scene = stage.scene(*EVERY_WEEK, played_to=3)
    bobs = [*scene.people][1]
    right = append_ply._time_that_stays

    def soon(loaded: Any, state: Any) -> Any:
        return {**right(loaded, state), "deadline_at": scene.now + HOUR}

    with patch.object(append_ply, "_time_that_stays", right if stage.honest else soon):
        scene.declare(bobs, "RESIGN")
    assert scene.loaded().match.status == "playing"
    return ended(scene)


def less_to_settle(stage: Stage) -> Papers:
    scene = stage.scene(*EVERY_WEEK)
    scene.play_to(3)
    scene.club.change_options("m", ["settle=5 hours"], reason="x", now=scene.now)
    ply = scene.loaded().match.ply
    scene.order_all()
    right = clock.complete_at

    def at_once(facts: Any) -> Any:
        return None if facts.silent else scene.now

    with patch.object(clock, "complete_at", right if stage.honest else at_once):
        later(scene, 1)
    assert scene.loaded().match.ply == ply + (not stage.honest)
    later(scene, 6)
    assert scene.loaded().match.ply == ply + 1
    return ended(scene, 0)


def nearer_than_a_ruling_tells(stage: Stage) -> Papers:
    """The log has no deadline that does not follow from an act, so it shows where it is used."""
    scene = stage.scene(*EVERY_WEEK, "grace=0", played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    ply = scene.loaded().match.ply
    scene.club.announce("m", "It snows.", now=scene.now)
    near = scene.now + 2 * HOUR
    if not stage.honest:

        def nearer(tx: Any, loaded: Any) -> None:
            tx.execute(sa.update(tables.ruling).values(due_at=near))
            update_match(tx, loaded.match.id, deadline_at=near, wake_at=near)

        scene.do(nearer)
    later(scene, 4)
    assert (scene.loaded().match.ply > ply) is not stage.honest
    return ended(scene)


def nearer_with_a_new_holder(stage: Stage) -> Papers:
    """All are told of the new holder, and nobody of the deadline that comes with him."""
    scene = stage.scene(*EVERY_WEEK, played_to=3)
    scene.club.replace("m", scene.theirs, "Emil", reason="x", now=scene.now)
    scene.people[scene.theirs] = "Emil"
    if not stage.honest:
        near = scene.now + DAY

        def nearer(tx: Any, loaded: Any) -> None:
            tx.execute(sa.update(tables.holder_change).values(due_at=near))
            update_match(tx, loaded.match.id, deadline_at=near, wake_at=near)

        scene.do(nearer)
    return ended(scene)


def holder_of_whom_nobody_is_told(stage: Stage) -> Papers:
    """Who gets a seat has at least half of a reserve; so the operator takes his own."""
    scene = stage.scene(*RESERVE, played_to=3)
    if stage.honest:
        scene.club.replace("m", scene.theirs, "Emil", reason="x", now=scene.now)
        scene.people[scene.theirs] = "Emil"
    else:

        def change(tx: Any, loaded: Any) -> None:
            made = rulings.StoredHolderChange(
                ply=loaded.match.ply,
                seat=scene.theirs,
                kind=chain.PERSON,
                at=scene.now,
                due_at=loaded.match.deadline_at,
            )
            rulings.insert_holder_change(tx, loaded.match.id, made)

        scene.do(change)
    return ended(scene)


def reserve_that_is_charged_too_much(stage: Stage) -> Papers:
    scene = stage.scene(*RESERVE, played_to=2)
    right = bank.Bank.after
    with patch.object(bank.Bank, "after", right if stage.honest else lambda *of: right(*of) - 600):
        scene.play(2)
    return ended(scene)


def half_a_reserve_again(stage: Stage) -> Papers:
    """Bob gets what only a new holder of his seat would get."""
    scene = stage.scene(*RESERVE, played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    scene.now += DAY + 40 * HOUR
    scene.order(scene.theirs)
    scene.tick()
    if not stage.honest:

        def fill(tx: Any, loaded: Any) -> None:
            assert loaded.holders[scene.theirs].bank < 10 * 3600
            update_seats(tx, loaded.match.id, [scene.theirs], bank=24 * 3600)

        scene.do(fill)
    scene.play(2)
    return ended(scene)


def reserve_of_a_friend_that_lasts_longer(stage: Stage) -> Papers:
    """Three days longer; so he is not treated as silent, and nobody is told that he was late."""

    right = deadlines.own_end

    def longer(loaded: Any, seat: str, **known: Any) -> Any:
        ends = right(loaded, seat, **known)
        return ends + 3 * DAY if ends and seat == scene.theirs else ends

    scene = stage.scene(*RESERVE, played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    if stage.honest:
        scene.now += DAY + HOUR
        scene.order(scene.theirs)
        scene.play(1)
        return ended(scene)
    with patch.object(deadlines, "own_end", longer):
        scene.tick()
        scene.now += 5 * DAY
        scene.order(scene.theirs)
        scene.tick()
    assert Seat(scene.theirs) not in scene.loaded().gone
    return ended(scene)


def search_for_a_friend_that_lasts_longer(stage: Stage) -> Papers:
    """While substitutes are looked for, the time of silent seats is not up."""
    terms = ("deadline=every 1 day", "absence=forfeit", "leave=none", "substitutes=on")
    scene = stage.scene(*terms, played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    days = substituting.SEARCH if stage.honest else 6 * DAY
    scene.tick()
    scene.now += DAY
    with patch.object(substituting, "SEARCH", days):
        scene.tick()
    scene.now += days - DAY
    scene.order(scene.theirs)
    scene.tick()
    assert Seat(scene.theirs) not in scene.loaded().gone
    return ended(scene)


def forfeit_before_a_reserve_is_used_up(stage: Stage) -> Papers:
    right = deadlines.own_end

    def early(loaded: Any, seat: str, **known: Any) -> Any:
        ends = right(loaded, seat, **known)
        return ends and max(ends - 9 * HOUR, loaded.match.deadline_at)

    scene = stage.scene(*RESERVE, played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    with patch.object(deadlines, "own_end", right if stage.honest else early):
        later(scene, 24 + 48 + 24)
    return ended(scene)


def late_friend(stage: Stage) -> Papers:
    """He is not treated as silent, and all are told that his orders came late."""
    scene = stage.scene(*EVERY_DAY, played_to=3, awaits="theirs", max_gap=2 * DAY)
    scene.order_all(but=[scene.theirs])
    if not stage.honest:
        wait_for_a_friend(scene)
    with use_whenever_it_came(stage.honest):
        scene.order(scene.theirs)
        scene.tick()
    return ended(scene)


def wait_for_a_friend(scene: Scene) -> None:
    with patch.object(adjudication, "next_step", lambda loaded, now: None):
        for _ in range(4):
            scene.now += DAY - HOUR
            scene.tick()


@contextmanager
def use_whenever_it_came(honest: bool, *outages: Outage) -> Iterator[None]:
    """Let a club use orders however late they came, and tell of these outages."""
    if honest:
        yield
        return
    with (
        patch.object(outage, "seats_too_late", lambda *_: []),
        patch.object(outage, "outages_to_tell", lambda *_: outages),
    ):
        yield


def outage_that_was_none(stage: Stage) -> Papers:
    """All are told of an outage in which Anna was sent a report. In the honest twin it is one."""
    scene = stage.scene(*EVERY_DAY, played_to=3, awaits="theirs", max_gap=2 * DAY)
    scene.order_all(but=[scene.theirs])
    begun = scene.now
    if not stage.honest:
        scene.write(scene.mine, "REPORT")
        wait_for_a_friend(scene)
    scene.now = begun + 4 * DAY
    scene.order(scene.theirs)
    scene.now += HOUR
    with use_whenever_it_came(stage.honest, Outage(begun, scene.now)):
        scene.club.run_tick(scene.now)
    assert scene.loaded().match.ply > 3
    return ended(scene)


def clock_that_is_set_back(stage: Stage) -> Papers:
    """So Bob's orders come in time. The honest twin tells all that the clock was set back."""
    scene = stage.scene(*EVERY_DAY, played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    in_time = scene.now
    scene.now += DAY / 2
    scene.club.announce("m", "It snows.", now=scene.now)
    scene.club.run_tick(scene.now)
    scene.now = in_time
    scene.order(scene.theirs)
    with nullcontext() if stage.honest else told_of_no_clock():
        scene.tick()
        return ended(scene)


@contextmanager
def told_of_no_clock() -> Iterator[None]:
    """Let a club tell nobody that its clock was set back."""
    with (
        patch.object(append_ply, "clock_set_back", nothing),
        patch.object(doubt, "matches_with_clock_set_back", nothing),
    ):
        yield


def nothing(*_: Any) -> Sequence[Any]:
    return ()


def clock_that_was_never_set_back(stage: Stage) -> Papers:
    """Where the clock was set back, nobody can tell that Bob's orders came late."""
    scene = stage.scene(*EVERY_DAY, "grace=0", played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    due = scene.loaded().match.deadline_at
    assert due is not None
    while scene.now < due - HOUR:
        scene.tick()
    scene.now = due + HOUR / 2
    scene.order(scene.theirs)
    if stage.honest:
        scene.play(1)
        return ended(scene, 0)
    right = append_ply.clock_set_back

    def invented(loaded: Any, made: Any, now: Any) -> Any:
        if loaded.match.ply == ply:
            return [ClockSetBack(now + DAY, now)]
        return right(loaded, made, now)

    ply = scene.loaded().match.ply
    with (
        patch.object(outage, "came_late", lambda loaded: iter(())),
        patch.object(append_ply, "clock_set_back", invented),
    ):
        scene.play(1)
    return ended(scene, 0)


def clock_set_back_before_it_was_told(stage: Stage) -> Papers:
    """What all are told of the clock has a time in which nothing of the match was written, so no
    time of the log goes back; and Bob's orders came late."""
    scene = stage.scene(*EVERY_DAY, "grace=0", played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    due = scene.loaded().match.deadline_at
    assert due is not None
    while scene.now < due - HOUR:
        scene.tick()
    scene.now = due + HOUR / 2
    scene.order(scene.theirs)
    if stage.honest:
        scene.play(1)
        return ended(scene, 0)
    ply, right = scene.loaded().match.ply, append_ply.clock_set_back

    def invented(loaded: Any, made: Any, now: Any) -> Any:
        if loaded.match.ply != ply:
            return right(loaded, made, now)
        return [ClockSetBack(now - HOUR, now - 2 * HOUR)]

    with (
        patch.object(outage, "came_late", lambda loaded: iter(())),
        patch.object(append_ply, "clock_set_back", invented),
    ):
        scene.play(1)
    return ended(scene, 0)


def clock_that_is_set_back_after_late_orders(stage: Stage) -> Papers:
    """It is set back behind a notice, of which all are told; nobody is told that Bob's orders came
    late. The honest twin tells it, and its clock is right."""
    scene = stage.scene(*EVERY_DAY, "grace=0", played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    due = scene.loaded().match.deadline_at
    assert due is not None
    while scene.now < due - HOUR:
        scene.tick()
    scene.now = due + HOUR / 2
    ahead = 0 * HOUR if stage.honest else HOUR
    scene.club.announce("m", "It snows.", now=scene.now + ahead)
    scene.order(scene.theirs)
    with patch.object(outage, "came_late", outage.came_late if stage.honest else nothing):
        scene.club.run_tick(scene.now)
        scene.play(1)
    return ended(scene, 0)


def outage_before_a_clock_that_is_set_back(stage: Stage) -> Papers:
    """All are told of an outage in which Anna was sent a report, and then that the clock was set
    back from an hour before its end: so that report may be of a wrong clock."""
    scene = stage.scene(*EVERY_DAY, played_to=3, awaits="theirs", max_gap=2 * DAY)
    scene.order_all(but=[scene.theirs])
    begun = scene.now
    if not stage.honest:
        scene.write(scene.mine, "REPORT")
        wait_for_a_friend(scene)
    scene.now = begun + 4 * DAY
    scene.order(scene.theirs)
    scene.now += HOUR
    ended_at = scene.now
    with use_whenever_it_came(stage.honest, Outage(begun, ended_at)):
        scene.club.run_tick(ended_at)
    assert scene.loaded().match.ply > 3
    if stage.honest:
        return ended(scene)
    scene.now = begun
    right = doubt.matches_with_clock_set_back

    def from_earlier(tx: Any, tick: Any) -> Any:
        wanted = ((item, item.key) for item in right(tx, tick))
        return [structs.replace(item, key=(name, last - HOUR)) for item, (name, last) in wanted]

    with patch.object(doubt, "matches_with_clock_set_back", from_earlier):
        scene.club.run_tick(scene.now)
    return ended(scene)


def outage_that_is_told_twice(stage: Stage) -> Papers:
    """There was one, but Bob's orders came days after it. It would excuse them if its days
    counted twice."""
    scene = stage.scene(*EVERY_DAY, "grace=0", played_to=3, awaits="theirs", max_gap=2 * DAY)
    scene.order_all(but=[scene.theirs])
    begun = scene.now
    scene.now += 4 * DAY
    told = Outage(begun + 2 * HOUR, scene.now)
    with patch.object(outage, "_leapt", lambda *_: False):
        if not stage.honest:
            scene.club.run_tick(scene.now)
            wait_for_a_friend(scene)
    scene.order(scene.theirs)
    scene.now += HOUR
    with use_whenever_it_came(stage.honest, told, told):
        scene.club.run_tick(scene.now)
    assert scene.loaded().match.ply > 3
    return ended(scene)


def no_max_gap(stage: Stage) -> Papers:
    """The first line is like that of a match that began before 1.0.0, so that an outage that was
    none can be told."""
    right = chain.opening
    how = right if stage.honest else lambda agreed: right(structs.replace(agreed, max_gap=None))
    with patch.object(chain, "opening", how):
        scene = stage.scene(*EVERY_DAY)
    scene.play(3)
    return ended(scene)


def late_and_untold(absence: str) -> Play:
    """Return a play in which Bob's orders come half an hour late, before the club looks what time
    it is, and nobody is told."""

    def play(stage: Stage) -> Papers:
        terms = ("deadline=every 1 day", f"absence={absence}", "leave=none", "grace=0")
        scene = stage.scene(*terms, played_to=3, awaits="theirs")
        scene.order_all(but=[scene.theirs])
        due = scene.loaded().match.deadline_at
        assert due is not None
        while scene.now < due - HOUR:
            scene.tick()
        scene.now = due + HOUR / 2
        scene.order(scene.theirs)
        told = outage.came_late if stage.honest else lambda loaded: iter(())
        with patch.object(outage, "came_late", told):
            scene.play(2)
        return ended(scene, 0)

    return play


def lateness_that_was_none(stage: Stage) -> Papers:
    """All are told that Anna's orders came late."""
    scene = stage.scene(*EVERY_WEEK, played_to=3, awaits="mine")

    def blamed(loaded: Any) -> Iterator[CameLate]:
        yield CameLate(loaded.game.seat_titles[Seat(scene.mine)], scene.now, scene.now - DAY)

    told = outage.came_late if stage.honest else blamed
    with patch.object(outage, "came_late", told):
        scene.play(1)
    return ended(scene)


def reminder_of_another_day(stage: Stage, begun: Scene | None = None) -> Papers:
    """A reminder, with its Subject, says that there is a day more. Then a notice tells of snow."""
    scene = begun or stage.scene(*EVERY_WEEK, played_to=3)
    scene.until(scene.mine)
    right = rendering.load

    def later_due(tx: Any, name: str) -> Any:
        loaded = right(tx, name)
        due = loaded.match.deadline_at
        assert due is not None
        match = structs.replace(loaded.match, deadline_at=due + DAY)
        return structs.replace(loaded, match=match)

    with patch.object(rendering, "load", right if stage.honest else later_due):
        later(scene, 24 * 6)
    assert any(b"\nX-Adjud: reminder" in raw for raw in scene.letters())
    scene.club.announce("m", "It snows.", now=scene.now)
    return ended(scene)


def reminder_of_no_day(stage: Stage) -> Papers:
    """A reminder says a word where a time must be."""
    scene = stage.scene(*EVERY_WEEK, played_to=3, awaits="mine")
    no_day = rendering.when if stage.honest else lambda _: say("some day")
    with patch.object(rendering, "when", no_day):
        later(scene, 24 * 6)
    assert any(b"\nX-Adjud: reminder" in raw for raw in scene.letters())
    return ended(scene)


def table_of_another_day(stage: Stage) -> Papers:
    """The table of a daily email says that there is a day more."""
    right = daily._due

    def later_due(*of: Any) -> Any:
        due = right(*of)
        return due and due + DAY

    scene = stage.scene(*EVERY_WEEK, played_to=2)
    with scene.club.store.transaction() as tx:
        tx.execute(sa.update(tables.player).values(letters="daily"))
    with patch.object(daily, "_due", right if stage.honest else later_due):
        scene.play(1)
        later(scene, 30)
    assert any(b"\nX-Adjud: daily" in raw for raw in scene.letters())
    ended(scene)
    later(scene, 24)  # which brings the last report
    return scene.letters()


def daily_email_without_a_match(stage: Stage) -> Papers:
    """A daily email brings news of another match, and says nothing of the one that waits for
    Anna."""
    scene = stage.scene(*EVERY_WEEK, played_to=2)
    scene.club.new(*EVERY_WEEK, name="n", now=scene.now)
    with scene.club.store.transaction() as tx:
        tx.execute(sa.update(tables.player).values(letters="daily"))
    scene.until(scene.mine)
    later(scene, 30)
    right = daily.queue.awaited_seats
    with patch.object(daily.queue, "awaited_seats", right if stage.honest else lambda *_: []):
        scene.club.announce("n", "It snows.", now=scene.now)
        later(scene, 26)
    ended(scene)
    later(scene, 24)
    return scene.letters()


def reserve_that_is_told_longer(stage: Stage) -> Papers:
    """Anna's reports say that her reserve lasts three days longer than it does."""
    right = building.has_reserve_until

    def longer(*of: Any, **more: Any) -> Any:
        ends = right(*of, **more)
        return ends and ends + 3 * DAY

    scene = stage.scene(*RESERVE, played_to=2)
    with patch.object(building, "has_reserve_until", right if stage.honest else longer):
        scene.play(2)
    return ended(scene)


def more_for_each_turn_of_a_friend(stage: Stage) -> Papers:
    scene = stage.scene(*EVERY_WEEK, played_to=2)
    right = deadlines.fresh

    def generous(*of: Any, **more: Any) -> Any:
        due = right(*of, **more)
        return due and due + 20 * DAY

    with patch.object(deadlines, "fresh", right if stage.honest else generous):
        scene.play(2)
    return ended(scene)


def another_who_loses_too_early(stage: Stage) -> Papers:
    """Anna sees in the log that Bob was forfeited before his deadline."""
    scene = stage.scene(*EVERY_WEEK, played_to=3)
    bobs = [*scene.people][1]
    if stage.honest:
        return ended(scene)
    wake(scene)
    with at_once(bobs):
        scene.tick()
    assert Seat(bobs) in scene.loaded().gone
    return ended(scene)


def at_once(seat: str) -> Any:
    """Let a club forfeit a seat whatever the time is and whatever it has sent."""
    return patch.object(
        adjudication,
        "next_step",
        lambda loaded, now: None if seat in loaded.gone else Forfeit((seat,)),
    )


def forfeit_before_the_deadline(stage: Stage) -> Papers:
    scene = stage.scene("deadline=every 7 days", "absence=forfeit", played=3, awaits="mine")
    if stage.honest:
        scene.now += 8 * DAY
        scene.tick()
        return ended(scene)
    scene.do(lambda tx, loaded: deadlines.reload_and_reschedule(tx, loaded, scene.now))
    with at_once(scene.mine):
        scene.club.announce("m", "x", now=scene.now)
        wake(scene)
        scene.tick()
    return ended(scene)


def announced_forfeit_of_who_has_sent_orders(stage: Stage) -> Papers:
    """Bob orders in the turn in which it is announced. In the next one he has until the deadline,
    and all who are silent then get default orders."""
    terms = ("deadline=every 2 days", "absence=gm", "leave=none")
    scene = stage.scene(*terms, played_to=3)
    bobs = [*scene.people][1]
    more = {"now": scene.now, "sure": True, "reason": "x"}
    scene.club.announce_forfeit("m", bobs, DAY, **more)
    scene.play()
    later(scene, 30)
    if not stage.honest:
        wake(scene)
        right = adjudication.next_step
        with patch.object(
            adjudication,
            "next_step",
            lambda loaded, now: right(loaded, now) if bobs in loaded.gone else Forfeit((bobs,)),
        ):
            scene.tick()
    later(scene, 30)
    assert (Seat(bobs) in scene.loaded().gone) is not stage.honest
    assert scene.loaded().match.ply >= 5
    return ended(scene)
