"""What is told of acts: of who holds a seat, and of orders that came late."""

import json
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from adjudicator.core import acts
from tests.club import Club, Store
from tests.inside import outage, seating
from tests.service.cheats.acts import DAY, rule
from tests.service.cheats.cheat import Stage, judged
from tests.service.cheats.times import EVERY_WEEK, ended, late_and_untold
from tests.service.mailclub import value_in

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("honest", [True, False])
def test_another_holder_of_whom_the_log_has_nothing_is_found(
    store: Store, tmp_path: Path, honest: bool
) -> None:
    """The operator lets somebody else have Anna's seat, whose reports say so."""
    scene = Stage(store, tmp_path, "spies", honest).scene(*EVERY_WEEK, played_to=2)
    secretly: AbstractContextManager[Any] = patch.object(
        seating, "log_holder", lambda *_, **__: None
    )
    with nullcontext() if honest else secretly:
        more: dict[str, Any] = {
            "now": scene.now,
            "reason": "x",
            "sure": True,
        }
        scene.club.replace("m", scene.mine, "Emil", **more)
    scene.people[scene.mine] = "Emil"
    scene.play(1)
    scene.end()
    emails = [*scene.letters(), *scene.letters("Emil")]
    found = judged(emails, tmp_path)
    if honest:
        assert found.code in (0, 3)
        assert found.by("A4") == []
    else:
        assert any("it was the same one" in one for one in found.by("A4"))
        assert judged(emails, tmp_path, off={"A4"}).by("A4") == []


@pytest.mark.parametrize("honest", [True, False])
def test_a_match_goes_on_with_its_deadline_when_somebody_joins_by_email(
    store: Store, tmp_path: Path, honest: bool
) -> None:
    """No ruling tells it, and its deadline is that of the log."""
    scene = Stage(store, tmp_path, "espionage", honest).scene(*EVERY_WEEK, played_to=3)
    scene.club.open_seat("m", scene.theirs, now=scene.now)
    scene.tick()
    scene.club.say("Carl", "JOIN m", at=scene.now)

    def goes_on(due: datetime | None) -> acts.Act:
        return acts.ContinuedUntil(due + DAY) if due else acts.Continued()

    lie: AbstractContextManager[Any] = patch.object(seating, "continuation", goes_on)
    with nullcontext() if honest else lie:
        scene.tick()
    scene.people[scene.theirs] = "Carl"
    papers = ended(scene)
    assert any("The match continues. The deadline is now" in text_of(raw) for raw in papers)
    found = judged(papers, tmp_path)
    assert (found.code, len(found.by("C3"))) == ((0, 0) if honest else (1, 1)), found.told


def test_a_ruling_that_an_outage_kept_back_is_asked_about(store: Store, tmp_path: Path) -> None:
    """No tick ran until the deadline of the ruling was over, so one email told of both."""
    scene = Stage(store, tmp_path, "espionage", honest=True).scene(
        *EVERY_WEEK, "grace=0", played_to=3, awaits="mine"
    )
    rule(scene, Club.set_deadline, "2 hours", sure=True, reason="x")
    scene.now += DAY / 4
    for _ in range(3):
        scene.tick()
    found = judged(ended(scene), tmp_path)
    assert found.code == 3
    assert [one.partition(":")[0] for one in found.told] == ["A3"]


def text_of(raw: bytes) -> str:
    body = message_from_bytes(raw, policy=policy.default).get_body(("plain",))
    assert body is not None
    return " ".join(body.get_content().replace("\n| ", " ").split())


def test_all_are_told_of_late_orders_with_the_turn(store: Store, tmp_path: Path) -> None:
    papers = late_and_untold("gm")(Stage(store, tmp_path, "espionage", honest=True))
    told = (
        "The orders of Black came on Tue 24 Nov 2026, 16:30 UTC, after its time was up on Tue 24 "
        "Nov 2026, 16:00 UTC."
    )
    reports = [raw for raw in papers if isinstance(raw, bytes) and told in text_of(raw)]
    assert reports
    assert all(b"\nX-Adjud: report" in raw for raw in reports)


@pytest.mark.parametrize(("leave", "told"), [("none", 1), ("auto", 0)])
def test_nobody_is_told_when_a_player_was_away(
    store: Store, tmp_path: Path, leave: str, told: int
) -> None:
    """The end of his own time would say it (club, 5.2)."""
    stage = Stage(store, tmp_path, "espionage", honest=True)
    terms = ("deadline=every 7 days", "absence=forfeit", "grace=0", f"leave={leave}")
    scene = stage.scene(*terms, "settle=3 hours", played_to=3, awaits="theirs")
    scene.order(scene.theirs)
    scene.tick()
    late = {scene.theirs: scene.now}
    with patch.object(outage, "late_seats", lambda _: late):
        assert len([*outage.came_late(scene.loaded())]) == told


def test_a_report_that_shows_orders_sent_in_advance_agrees(store: Store, tmp_path: Path) -> None:
    scene = Stage(store, tmp_path, "espionage", honest=True).scene(*EVERY_WEEK, "settle=3 hours")
    while scene.loaded().match.ply < 3 or scene.theirs not in scene.loaded().awaited:
        scene.order_all()
        for _ in range(4):
            scene.tick()
    turn = scene.loaded().match.turn
    for ahead in (0, 1):
        sheet = (f"ORDERS m {scene.mine} turn {turn + ahead}", *scene.legal(scene.mine), "END")
        scene.write(scene.mine, *sheet)
    scene.order_all()
    for _ in range(8):
        scene.tick()
    scene.end()
    shown = [json.loads(value_in(raw))["report"] for raw in scene.letters()]
    found = judged(scene.letters(), tmp_path)
    assert any(one and one.get("orders") for one in shown), "no report shows orders"
    assert found.by("O4") == []
