"""What an honest club shows its players agrees (`forms.py` has what others show)."""

import json
from pathlib import Path
from typing import Any

import pytest

from adjudicator.core.message import LANGUAGES, tell
from tests.audits import audit, read_papers
from tests.club import Store
from tests.nightly import each_once, mostly_nightly
from tests.service.cheats.forms import JSON, content, played, reports
from tests.service.cheats.in_advance import save, with_own_orders
from tests.service.cheats.scene import GAMES_PLAYED, Scene, seen_by, seen_in
from tests.service.cheats.times import later

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("game", "language"), each_once(GAMES_PLAYED, LANGUAGES))
def test_an_honest_match_agrees_in_every_form_and_language(
    game: str, language: str, tmp_path: Path
) -> None:
    emails, printed = played(game, language)
    for number, told in enumerate(printed):
        (tmp_path / f"{number}.json").write_text(told)
    for number, raw in enumerate(emails):
        (tmp_path / f"{number:03}.eml").write_bytes(raw)
    papers = read_papers(tmp_path)[0]
    (found,) = audit(papers)
    assert [tell(one) for one in found.wrong] == []
    # A report is read from its email's value, with which its text, HTML and page are compared.
    whole = [paper for paper in papers if paper.value]
    assert len(whole) == sum(1 for raw in emails if b".adjud.json" in raw)
    assert len([paper for paper in whole if paper.head]) >= 3
    assert len([paper for paper in papers if paper.report and not paper.value]) == 3


def test_offers_marks_orders_in_advance_and_wishes_are_made_again(
    store: Store, tmp_path: Path
) -> None:
    scene = Scene(store, tmp_path, "espionage", "deadline=every 7 days", language="nb")
    scene.write("white", "PREFS ZONE Europe/Oslo", "PREFS PAGE NONE")
    scene.play(2)
    unknown = next(one.square for one in scene.pieces("white") if not one.rank)
    scene.write("white", f"MARK {unknown} 5? or S", "NOTE open sesame")
    scene.tick()
    turn = scene.loaded().match.turn
    scene.order("white")
    scene.write("white", f"ORDERS m white turn {turn + 1}", "IF FIGHT: a1-a2", "ELSE: b1-b2", "END")
    scene.write("white", "REPORT", f"REPORT {turn - 1}")
    scene.tick()
    scene.declare("black", "DRAW")
    scene.write("white", "REPORT")
    scene.play(3)
    scene.declare("white", "DRAW")
    scene.write("black", "REPORT")
    scene.tick()
    scene.write("white", "CLEAR")
    scene.tick()
    scene.write("black", "REPORT")
    scene.play(1)
    scene.declare("black", "RESIGN")
    scene.end()
    for name in ("Anna", "Bob"):
        found = seen_by(scene, tmp_path, name)
        assert found.wrong == []
        assert found.asks == []


@pytest.mark.parametrize("memory", mostly_nightly(["once", "honour", "open"], every_day=["once"]))
def test_types_that_were_told_once_are_made_again(
    store: Store, tmp_path: Path, memory: str
) -> None:
    scene = Scene(store, tmp_path, "spion", f"memory={memory}")
    for _ in range(4):
        scene.play(2)
        scene.write(scene.mine, "REPORT", "REPORT 1")
    scene.end()
    for name in ("Anna", "Bob", "Carl"):
        found = seen_by(scene, tmp_path, name)
        assert found.wrong == []
        assert found.asks == []


@pytest.mark.parametrize("game", mostly_nightly(["spion", "spies"], every_day=["spies"]))
def test_a_report_that_is_not_there_is_asked_for(game: str, tmp_path: Path) -> None:
    """Nobody but the player knows whether he threw it away."""
    emails = list(played(game)[0])
    left_out = reports(emails)[3]
    found = seen_in(emails[:left_out] + emails[left_out + 1 :], tmp_path / "letters")
    assert found.wrong == []


def opened(scene: Scene, name: str) -> Any:
    """Return what the JSON of the last report opens; what is empty is not in it."""
    own = json.loads(content(scene.letters(name)[-1], JSON))["report"]["own"]
    return {"sheets": [], "marks": [], "notes": [], **own}


def test_the_last_report_opens_to_a_player_what_he_alone_has_sent(
    store: Store, tmp_path: Path
) -> None:
    scene = with_own_orders(Scene(store, tmp_path, "espionage", played=2))
    own = opened(scene, "Anna")
    assert own["notes"] == ["open sesame"]
    assert next(one["lines"] for one in own["sheets"] if one["kept"])[0].startswith("ELSE: ")
    assert "sesame" not in json.dumps(opened(scene, "Bob"))
    assert [one for one in opened(scene, "Bob")["sheets"] if one["kept"]] == []
    found = seen_by(scene, tmp_path)
    assert found.wrong == []


def test_a_successor_is_opened_nothing_of_a_former_holder(store: Store, tmp_path: Path) -> None:
    scene = with_own_orders_of_two(store, tmp_path)
    assert opened(scene, "Emil") == {"sheets": [], "marks": [], "notes": []}


def with_own_orders_of_two(store: Store, folder: Path) -> Scene:
    scene = Scene(store, folder, "espionage", played=2)
    scene.until("white")
    turn = scene.loaded().match.turn
    scene.write("white", f"ORDERS m white turn {turn + 1}", "IF FIGHT: a1-a2", "END")
    scene.write("white", "NOTE open sesame")
    scene.tick()
    scene.tick()
    scene.club.replace("m", "white", "Emil", reason="x", now=scene.now)
    scene.people["white"] = "Emil"
    scene.tick()
    scene.play(2)
    scene.end()
    return scene


@pytest.mark.parametrize("then", ["CLEAR", "other orders"])
def test_saved_orders_that_came_into_force_are_opened_as_they_were_confirmed(
    store: Store, tmp_path: Path, then: str
) -> None:
    """They give way to others, or to none, before their turn is played."""
    scene = Scene(store, tmp_path, "espionage", played=2)
    scene.until("white")
    scene.club.change_options("m", ["settle=3 hours"], reason="x", now=scene.now)
    save(scene, "IF NOT FIGHT: {0}", "ELSE: {1}")
    later(scene, 4)
    scene.order("black")
    later(scene, 4)
    assert scene.loaded().sheets["white"].in_advance
    if then == "CLEAR":
        scene.write("white", "CLEAR")
    else:
        scene.order("white")
    later(scene, 5)
    scene.end()
    (sheet,) = [one for one in opened(scene, "Anna")["sheets"] if one["kept"]]
    assert sheet["became"] == ("withdrawn" if then == "CLEAR" else "replaced")
    assert sheet["lines"][0].startswith("IF NOT FIGHT: ")
    assert seen_by(scene, tmp_path).code == 0
