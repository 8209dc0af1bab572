"""For each rule on acts and times there is a cheat that an audit finds by it alone: with the rule
switched off it passes. Its honest twin agrees."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.acts import DeadlineMoved, message_for_acts
from adjudicator.core.message import tell
from adjudicator.service.audit import checks, documents
from adjudicator.service.matches import append_ply, game_master, seating
from adjudicator.service.outbox import queue
from adjudicator.store.database import Store
from adjudicator.store.matches import Holder
from tests.service.cheats.scene import Scene
from tests.service.club import use_tool

pytestmark = pytest.mark.slow

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
EVERY_WEEK = ("deadline=every 7 days", "absence=forfeit", "leave=none", "grace=0")


class Verdict(Struct, frozen=True):
    wrong: Sequence[str]
    asks: Sequence[str]


def judged(folder: Path, emails: Sequence[bytes], off: str = "") -> Verdict:
    """Return what an audit without a rule says of emails."""
    place = folder / f"without-{off}"
    place.mkdir(exist_ok=True)
    for number, raw in enumerate(emails):
        (place / f"{number:03}.eml").write_bytes(raw)
    (found,) = checks.audit(documents.read([place])[0], off={off})
    return Verdict([*map(tell, found.wrong)], [*map(tell, found.asks)])


def ruled(scene: Scene, tool: Callable[..., Any], *args: Any, **more: Any) -> None:
    use_tool(tool, scene.club.store, "m", *args, now=scene.now, context=scene.club.context, **more)


def found_by(rule: str, folder: Path, emails: Sequence[bytes]) -> Verdict:
    """Return what is found, which is nothing without the rule."""
    found = judged(folder, emails)
    assert all(one.startswith(f"{rule}: ") for one in (*found.wrong, *found.asks)), found
    assert judged(folder, emails, off=rule) == Verdict([], [])
    return found


def is_honest(folder: Path, emails: Sequence[bytes]) -> bool:
    return judged(folder, emails) == Verdict([], [])


@pytest.mark.parametrize("honest", [True, False])
def test_a_ruling_that_an_email_tells_otherwise_than_the_log_is_found(
    store: Store, tmp_path: Path, honest: bool
) -> None:
    scene = Scene(store, tmp_path, "espionage", *EVERY_WEEK, played_to=3)

    def a_day_later(acts: Any) -> Any:
        told = [
            replace(one, when=one.when + DAY) if isinstance(one, DeadlineMoved) else one
            for one in acts
        ]
        return message_for_acts(told)

    with patch.object(append_ply, "message_for_acts", message_for_acts if honest else a_day_later):
        ruled(scene, game_master.extend, DAY, sure=True, reason="x")
    scene.play(1)
    scene.end()
    if honest:
        assert is_honest(tmp_path, scene.letters())
    else:
        (wrong,) = found_by("A2", tmp_path, scene.letters()).wrong
        assert " tells ruling 1 otherwise than the log" in wrong


def nearer(store: Store, folder: Path, *, honest: bool) -> Scene:
    """The deadline is moved nearer, of which nobody is told, and Anna loses by it."""
    scene = Scene(store, folder, "espionage", *EVERY_WEEK, played_to=3, awaits="mine")
    secretly: AbstractContextManager[Any] = patch.object(
        queue, "queue_notices", lambda *_, **__: None
    )
    with nullcontext() if honest else secretly:
        ruled(scene, game_master.set_deadline, "2 hours", sure=True, reason="x")
    for _ in range(4):
        scene.tick()
    assert scene.loaded().match.status == "over"
    return scene


@pytest.mark.parametrize("honest", [True, False])
def test_a_nearer_deadline_by_which_one_loses_untold_is_found(
    store: Store, tmp_path: Path, honest: bool
) -> None:
    scene = nearer(store, tmp_path, honest=honest)
    if honest:
        assert is_honest(tmp_path, scene.letters())
    else:
        (wrong,) = found_by("A2", tmp_path, scene.letters()).wrong
        assert "none of your emails told it before: The deadline is now 2026-11-2" in wrong


def test_a_nearer_deadline_is_asked_about_if_its_email_may_be_lost(
    store: Store, tmp_path: Path
) -> None:
    scene = nearer(store, tmp_path, honest=False)
    emails = scene.letters()
    kept = [raw for raw in emails if b"\nX-Adjud: receipt" not in raw]
    assert len(kept) < len(emails)
    found = judged(tmp_path, kept)
    assert found.wrong == []
    (asked,) = [one for one in found.asks if one.startswith("A3: ")]
    assert asked.endswith("Did you get it?")
    assert not any(one.startswith("A3: ") for one in judged(tmp_path, kept, off="A3").asks)


@pytest.mark.parametrize("honest", [True, False])
def test_a_person_whom_reports_call_a_computer_is_found(
    store: Store, tmp_path: Path, honest: bool
) -> None:
    scene = Scene(store, tmp_path, "espionage", *EVERY_WEEK, played_to=3)

    def named(holder: Holder) -> str:
        return "computer" if holder.player_name == scene.people[scene.theirs] else "Anna"

    with nullcontext() if honest else patch.object(Holder, "told_name", property(named)):
        scene.play(2)
    scene.end()
    if honest:
        assert is_honest(tmp_path, scene.letters())
    else:
        wrong = found_by("A4", tmp_path, scene.letters()).wrong
        assert "names 'computer' for Black, and by the log it was: person" in wrong[0]


@pytest.mark.parametrize("honest", [True, False])
def test_another_holder_of_whom_the_log_has_nothing_is_found(
    store: Store, tmp_path: Path, honest: bool
) -> None:
    """The operator lets somebody else have Anna's seat, whose reports say so."""
    scene = Scene(store, tmp_path, "spies", *EVERY_WEEK, played_to=2)
    secretly: AbstractContextManager[Any] = patch.object(
        seating, "log_holder", lambda *_, **__: None
    )
    with nullcontext() if honest else secretly:
        ruled(scene, game_master.replace, scene.mine, "Emil", reason="x", sure=True)
    scene.people[scene.mine] = "Emil"
    scene.play(1)
    scene.end()
    emails = [*scene.letters(), *scene.letters("Emil")]
    if honest:
        assert judged(tmp_path, emails).wrong == []
    else:
        wrong = judged(tmp_path, emails).wrong
        assert any(one.startswith("A4: ") and "it was the same one" in one for one in wrong)
        assert not any(one.startswith("A4: ") for one in judged(tmp_path, emails, off="A4").wrong)
