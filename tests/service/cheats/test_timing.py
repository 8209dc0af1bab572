"""A club gives some seats more time than others, or less than was agreed; and honest clubs whose
time is unusual."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa

from adjudicator.core import chain, clock
from adjudicator.core.clock import Forfeit
from adjudicator.core.match import Seat
from adjudicator.service.base import deadlines
from adjudicator.service.matches import adjudication, append_ply, game_master, undoing
from adjudicator.service.matches.option_changes import change_options
from adjudicator.store import matches, rulings, tables
from adjudicator.store.database import Store
from adjudicator.store.rulings import StoredHolderChange
from tests.service.cheats.scene import GAMES_PLAYED, Scene, cheating_and_honest, seen_by
from tests.service.club import use_tool

pytestmark = pytest.mark.slow

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
EVERY_WEEK = ("deadline=every 7 days", "absence=forfeit", "leave=none")
OF_THREE = ("spion", "spies")  # games that go on when a seat has left


def ended(scene: Scene, folder: Path, plies: int = 1) -> Any:
    """Play on and end the match; return what Anna finds."""
    scene.play(plies)
    scene.end()
    return seen_by(scene, folder)


def later(scene: Scene, hours: int) -> None:
    for _ in range(hours):
        scene.tick()


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(OF_THREE))
def test_less_time_after_a_resignation_is_found(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    scene = Scene(store, tmp_path, game, *EVERY_WEEK, played_to=3)
    bobs = [*scene.people][1]
    right = append_ply._time_that_stays

    def soon(loaded: Any, state: Any) -> Any:
        return {**right(loaded, state), "deadline_at": scene.now + HOUR}

    with patch.object(append_ply, "_time_that_stays", right if honest else soon):
        scene.declare(bobs, "RESIGN")
    assert scene.loaded().match.status == "playing"
    found = ended(scene, tmp_path)
    assert found.code == (0 if honest else 1)
    if not honest:
        assert any(
            "it sets the deadline 2026-11-23T" in one
            and ", and the deadline then was 2026-11-30T" in one
            for one in found.wrong
        )


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(GAMES_PLAYED))
def test_less_time_to_settle_is_found(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    scene = Scene(store, tmp_path, game, *EVERY_WEEK)
    scene.play_to(3)
    more = {"now": scene.now, "context": scene.club.context}
    use_tool(change_options, store, "m", ["settle=5 hours"], reason="x", **more)
    ply = scene.loaded().match.ply
    scene.order_all()
    right = clock.complete_at

    def at_once(facts: Any) -> Any:
        return None if facts.silent else scene.now

    with patch.object(clock, "complete_at", right if honest else at_once):
        later(scene, 1)
    assert scene.loaded().match.ply == ply + (not honest)
    later(scene, 6)
    assert scene.loaded().match.ply == ply + 1
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == (0 if honest else 1)
    if not honest:
        assert f"ply {ply + 1}: it was played at 2026-11-23T" in found.wrong[0]
        assert "and by its orders and the options not before 2026-11-23T" in found.wrong[0]


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(GAMES_PLAYED))
def test_a_deadline_that_a_ruling_moves_and_does_not_tell_is_found(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    """The log has no deadline that does not follow from an act, so it shows where it is used."""
    scene = Scene(store, tmp_path, game, *EVERY_WEEK, "grace=0", played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    more = {"now": scene.now, "context": scene.club.context}
    use_tool(game_master.announce, store, "m", "It snows.", **more)
    near = scene.now + 2 * HOUR
    if not honest:

        def nearer(tx: Any, loaded: Any) -> None:
            tx.execute(sa.update(tables.ruling).values(due_at=near))
            matches.update(tx, loaded.match.id, deadline_at=near, wake_at=near)

        scene.do(nearer)
    later(scene, 4)
    is_over = scene.loaded().match.status == "over"
    assert (is_over or Seat(scene.theirs) in scene.loaded().gone) is not honest
    found = ended(scene, tmp_path, 0 if is_over else 1)
    assert found.code == (0 if honest else 1)
    early = f"{scene.title(scene.theirs)} was treated as silent at 2026-11-2"
    assert honest or any(early in one for one in found.wrong)


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(GAMES_PLAYED))
def test_a_new_holder_of_whom_nobody_is_told_is_found(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    """Who gets a seat has at least half of a reserve; so the operator takes his own."""
    bank = ("deadline=every 1 day", "absence=forfeit", "leave=none", "bank=2 days")
    scene = Scene(store, tmp_path, game, *bank, played_to=3)
    if honest:
        more = {"now": scene.now, "context": scene.club.context}
        use_tool(game_master.replace, store, "m", scene.theirs, "Emil", reason="x", **more)
        scene.people[scene.theirs] = "Emil"
    else:

        def change(tx: Any, loaded: Any) -> None:
            made = StoredHolderChange(
                ply=loaded.match.ply,
                seat=scene.theirs,
                kind=chain.PERSON,
                at=scene.now,
                due_at=loaded.match.deadline_at,
            )
            rulings.insert_holder_change(tx, loaded.match.id, made)

        scene.do(change)
    found = ended(scene, tmp_path)
    assert found.code == (0 if honest else 1)
    assert honest or any("changed hands on 2026-11-2" in one for one in found.wrong)


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(GAMES_PLAYED))
def test_a_friend_who_is_not_treated_as_silent_is_asked(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    terms = ("deadline=every 1 day", "absence=forfeit", "leave=none")
    scene = Scene(store, tmp_path, game, *terms, played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    if not honest:
        with patch.object(adjudication, "next_step", lambda loaded, now: None):
            for _ in range(4):
                scene.now += DAY - HOUR
                scene.tick()
    scene.order(scene.theirs)
    scene.tick()
    found = ended(scene, tmp_path)
    assert found.wrong == []
    assert found.code == (0 if honest else 3)
    assert honest or "and its time was up at 2026-11-2" in found.asks[0]


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(GAMES_PLAYED))
def test_more_time_for_each_turn_of_a_friend_is_found(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    scene = Scene(store, tmp_path, game, *EVERY_WEEK, played_to=2)
    right = deadlines.fresh

    def generous(*of: Any, **more: Any) -> Any:
        due = right(*of, **more)
        return due and due + 20 * DAY

    with patch.object(deadlines, "fresh", right if honest else generous):
        scene.play(2)
    found = ended(scene, tmp_path)
    assert found.code == (0 if honest else 1)
    assert honest or ", and by the current options it is 2026-11-30T" in found.wrong[0]


@pytest.mark.parametrize("game", OF_THREE)
def test_another_player_who_loses_too_early_is_found(
    store: Store, tmp_path: Path, game: str
) -> None:
    """Anna sees in the log that Bob was forfeited before his deadline."""
    scene = Scene(store, tmp_path, game, *EVERY_WEEK, played_to=3)
    bobs = [*scene.people][1]
    with scene.club.store.transaction() as tx:
        tx.execute(sa.update(tables.match).values(wake_at=scene.now))
    with patch.object(
        adjudication,
        "next_step",
        lambda loaded, now: None if bobs in loaded.gone else Forfeit((bobs,)),
    ):
        scene.tick()
    assert Seat(bobs) in scene.loaded().gone
    found = ended(scene, tmp_path)
    assert found.code == 1
    assert any(
        f"{scene.title(bobs)} was treated as silent at 2026-11-23T" in one for one in found.wrong
    )


@pytest.mark.parametrize("cheats", [False, True], ids=["honest", "cheating"])
def test_an_announced_forfeit_ends_with_the_orders_of_the_seat(
    store: Store, tmp_path: Path, cheats: bool
) -> None:
    """Bob orders in the turn in which it is announced. In the next one he has until the deadline,
    and all who are silent then get default orders."""
    terms = ("deadline=every 2 days", "absence=gm", "leave=none")
    scene = Scene(store, tmp_path, "spies", *terms, played_to=3)
    bobs = [*scene.people][1]
    more = {"now": scene.now, "context": scene.club.context, "sure": True, "reason": "x"}
    use_tool(game_master.announce_forfeit, store, "m", bobs, DAY, **more)
    scene.play()
    later(scene, 30)
    if cheats:
        with scene.club.store.transaction() as tx:
            tx.execute(sa.update(tables.match).values(wake_at=scene.now))
        right = adjudication.next_step
        with patch.object(
            adjudication,
            "next_step",
            lambda loaded, now: right(loaded, now) if bobs in loaded.gone else Forfeit((bobs,)),
        ):
            scene.tick()
    later(scene, 30)
    assert (Seat(bobs) in scene.loaded().gone) is cheats
    assert scene.loaded().match.ply >= 5
    found = ended(scene, tmp_path)
    assert found.code == (1 if cheats else 0)
    early = f"{scene.title(bobs)} was treated as silent at 2026-11-2"
    assert [one for one in found.wrong if early in one][:1] == found.wrong[:1]


def test_orders_that_are_withdrawn_after_the_announced_time_are_no_fault(
    store: Store, tmp_path: Path
) -> None:
    terms = ("deadline=every 2 days", "absence=gm", "leave=none")
    scene = Scene(store, tmp_path, "spies", *terms, played_to=3)
    bobs = [*scene.people][1]
    more = {"now": scene.now, "context": scene.club.context, "sure": True, "reason": "x"}
    use_tool(game_master.announce_forfeit, store, "m", bobs, DAY, **more)
    scene.order(bobs)
    later(scene, 25)
    scene.write(bobs, "CLEAR")
    later(scene, 25)
    assert scene.loaded().match.ply == 4
    assert Seat(bobs) not in scene.loaded().gone
    found = ended(scene, tmp_path)
    assert (found.code, found.wrong, found.asks) == (0, [], [])


# Honest clubs.


def test_a_night_in_which_the_clocks_change_is_no_fault(store: Store, tmp_path: Path) -> None:
    night = datetime(2026, 10, 24, 9, 30, tzinfo=UTC)
    with patch("tests.service.cheats.scene.MONDAY", night):
        terms = ("deadline=every 1 day", "leave=none", "timezone=Europe/Oslo", "skip=Mon")
        scene = Scene(store, tmp_path, "espionage", *terms)
        for _ in range(4):
            scene.play()
            later(scene, 20)
        found = ended(scene, tmp_path)
    assert (found.code, found.wrong, found.asks) == (0, [], [])


def test_rulings_and_late_ticks_are_no_fault(store: Store, tmp_path: Path) -> None:
    terms = ("deadline=every 2 days", "absence=forfeit", "grace=1 day", "excused=1", "leave=none")
    scene = Scene(store, tmp_path, "spion", *terms, played_to=2)
    later(scene, 50)  # excused
    tool: dict[str, Any] = {"reason": "x"}
    use_tool(game_master.hold, store, "m", now=scene.now, context=scene.club.context, **tool)
    later(scene, 30)
    more = {"now": scene.now, "context": scene.club.context}
    use_tool(game_master.resume, store, "m", extend=5 * HOUR, sure=True, **tool, **more)
    scene.play()
    more = {"now": scene.now, "context": scene.club.context}
    use_tool(game_master.set_deadline, store, "m", "3 days", sure=True, **tool, **more)
    scene.now += 4 * DAY + HOUR  # all are silent, and the tick comes late
    later(scene, 3)
    scene.play()
    with patch.object(adjudication.append_ply, "publish", lambda *_, **__: None):
        ply = scene.loaded().match.ply
        scene.order_all()
        scene.tick()
        assert scene.loaded().match.ply == ply + 1
        more = {"now": scene.now, "context": scene.club.context}
        use_tool(undoing.undo, store, "m", **tool, **more)
    found = ended(scene, tmp_path, 2)
    assert (found.code, found.wrong, found.asks) == (0, [], [])
