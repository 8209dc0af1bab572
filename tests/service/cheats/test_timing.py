"""Honest clubs whose time is unusual (`times.py` has those that cheat with it)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from adjudicator.cli.audit import audit
from adjudicator.core.match import Seat
from tests.club import Club, Store
from tests.database import tables
from tests.inside import adjudication
from tests.inside import outbound_daily as daily
from tests.service.cheats.acts import rule
from tests.service.cheats.cheat import Stage
from tests.service.cheats.scene import Scene, seen_by
from tests.service.cheats.times import DAY, EVERY_DAY, HOUR, late_friend, later, wait_for_a_friend

pytestmark = pytest.mark.slow


def ended(scene: Scene, folder: Path, plies: int = 1) -> Any:
    """Play on and end the match; return what Anna finds."""
    scene.play(plies)
    scene.end()
    return seen_by(scene, folder)


def test_orders_that_are_withdrawn_after_the_announced_time_are_no_fault(
    store: Store, tmp_path: Path
) -> None:
    terms = ("deadline=every 2 days", "absence=gm", "leave=none")
    scene = Scene(store, tmp_path, "spies", *terms, played_to=3)
    bobs = [*scene.people][1]
    more = {"now": scene.now, "sure": True, "reason": "x"}
    scene.club.announce_forfeit("m", bobs, DAY, **more)
    scene.order(bobs)
    later(scene, 25)
    scene.write(bobs, "CLEAR")
    later(scene, 25)
    assert scene.loaded().match.ply == 4
    assert Seat(bobs) not in scene.loaded().gone
    found = ended(scene, tmp_path)
    assert (found.code, found.wrong, found.asks) == (0, [], [])


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
    scene.club.hold("m", now=scene.now, **tool)
    later(scene, 30)
    scene.club.resume("m", extend=5 * HOUR, sure=True, **tool, now=scene.now)
    scene.play()
    scene.club.set_deadline("m", "3 days", sure=True, **tool, now=scene.now)
    scene.now += 4 * DAY + HOUR  # all are silent, and the tick comes late
    later(scene, 3)
    scene.play()
    with patch.object(adjudication.append_ply, "publish", lambda *_, **__: None):
        ply = scene.loaded().match.ply
        scene.order_all()
        scene.tick()
        assert scene.loaded().match.ply == ply + 1
        scene.club.undo("m", **tool, now=scene.now)
    found = ended(scene, tmp_path, 2)
    assert (found.code, found.wrong, found.asks) == (0, [], [])


def test_orders_that_are_used_days_late_after_an_outage_are_no_fault(
    store: Store, tmp_path: Path
) -> None:
    """All had sent theirs when the club went on, so no match was put on hold."""
    scene = Scene(store, tmp_path, "spies", *EVERY_DAY, played_to=2, max_gap=2 * DAY)
    awaited = scene.loaded().awaited
    scene.order(awaited[0])
    scene.now += 3 * DAY
    for seat in awaited[1:]:
        scene.order(seat)
    scene.now += DAY
    scene.tick()
    assert (scene.loaded().match.status, scene.loaded().match.ply) == ("playing", 3)
    found = ended(scene, tmp_path)
    assert (found.code, found.wrong, found.asks) == (0, [], [])


def test_orders_that_no_outage_explains_put_the_match_on_hold(store: Store, tmp_path: Path) -> None:
    """As where a part of the program was missing for days. An audit would not let them be used."""
    scene = Scene(store, tmp_path, "espionage", *EVERY_DAY, played_to=3, max_gap=2 * DAY)
    scene.order_all(but=[scene.theirs])
    scene.until(scene.theirs)
    wait_for_a_friend(scene)
    wait_for_a_friend(scene)
    scene.order(scene.theirs)
    scene.tick()
    assert scene.loaded().match.status == "held"
    more = {"now": scene.now, "reason": "x", "sure": True}
    scene.club.resume("m", extend=DAY, **more)
    found = ended(scene, tmp_path)
    assert (found.code, found.wrong, found.asks) == (0, [], [])


@pytest.mark.parametrize("honest", [False, True])
def test_a_daily_email_tells_no_deadline_where_there_is_none(
    store: Store, tmp_path: Path, honest: bool
) -> None:
    scene = Scene(store, tmp_path, "espionage", played_to=2)
    assert scene.loaded().match.deadline_at is None
    with store.transaction() as tx:
        tx.execute(sa.update(tables.player).values(letters="daily"))
    right = daily._due
    with patch.object(daily, "_due", right if honest else lambda *_: scene.now + DAY):
        scene.play(1)
        later(scene, 30)
    assert any(b"\nX-Adjud: daily" in raw for raw in scene.letters())
    scene.end()
    later(scene, 24)  # which brings the last report
    found = seen_by(scene, tmp_path)
    assert found.asks == []
    assert [one.startswith("C3: ") for one in found.wrong] == ([] if honest else [True])


def test_a_reminder_of_a_deadline_that_was_moved_is_no_fault(store: Store, tmp_path: Path) -> None:
    scene = Scene(store, tmp_path, "espionage", "deadline=every 7 days", "leave=none", played_to=3)
    scene.until(scene.mine)
    rule(scene, Club.extend, DAY, sure=True, reason="x")
    later(scene, 24 * 7)
    assert any(b"\nX-Adjud: reminder" in raw for raw in scene.letters())
    found = ended(scene, tmp_path)
    assert (found.wrong, found.asks) == ([], [])


def test_the_command_writes_times_for_people(store: Store, tmp_path: Path) -> None:
    emails = late_friend(Stage(store, tmp_path, "espionage", honest=False))
    for number, raw in enumerate(emails):
        assert isinstance(raw, bytes)
        (tmp_path / f"{number:03}.eml").write_bytes(raw)
    told = CliRunner().invoke(audit, [str(one) for one in sorted(tmp_path.glob("*.eml"))])
    assert (
        "came at 2026-11-27 16:00 UTC, and its time was up at 2026-11-24 16:00 UTC" in told.output
    )
    assert "T16:00:00" not in told.output
