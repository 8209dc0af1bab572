"""A club writes other acts into the log than it did, or calls one what it is not (A1, A5)."""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.acts import AnyAct, DeadlineMoved, Excused, OptionChanged
from adjudicator.core.message import say
from adjudicator.service.matches import append_ply, creation, game_master, undoing
from adjudicator.service.matches.option_changes import change_options
from adjudicator.store import tables
from adjudicator.store.database import Store
from tests.club import computer_orders
from tests.nightly import mostly_nightly
from tests.service.cheats.scene import GAMES_PLAYED, Scene, Seen, cheating_and_honest, seen_by
from tests.service.club import use_tool

pytestmark = pytest.mark.slow

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PLAYERS = ("computer:random", "computer")
TERMS = ("deadline=every 2 days", "absence=forfeit", "excused=1", "leave=none", "settle=6 hours")


def ruled(scene: Scene, tool: Callable[..., Any], *args: Any, **more: Any) -> None:
    use_tool(tool, scene.club.store, "m", *args, now=scene.now, context=scene.club.context, **more)


def ended(scene: Scene, folder: Path) -> Seen:
    scene.play(2)
    scene.end()
    return seen_by(scene, folder)


def others_excused(act: AnyAct) -> AnyAct:
    return replace(act, names="nobody") if isinstance(act, Excused) else act


def changed_from_another(act: AnyAct) -> AnyAct:
    return replace(act, before="9 days") if isinstance(act, OptionChanged) else act


def of_no_seat(act: AnyAct) -> AnyAct:
    changed = {"seats": say("The Moon")}
    return replace(act, **changed) if isinstance(act, Excused) else act


def a_day_nearer(act: AnyAct) -> AnyAct:
    return replace(act, when=act.when - DAY) if isinstance(act, DeadlineMoved) else act


CHANGED = {
    others_excused: "A1: ",
    changed_from_another: "A1: ",
    of_no_seat: "A1: ",
    a_day_nearer: "",
}


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(GAMES_PLAYED))
@pytest.mark.parametrize("changed", CHANGED, ids=lambda one: one.__name__)
def test_an_act_that_is_another_in_the_log_is_found(
    store: Store, tmp_path: Path, game: str, honest: bool, changed: Callable[[AnyAct], AnyAct]
) -> None:
    scene = Scene(store, tmp_path, game, *TERMS, played_to=3)
    ruled(scene, change_options, ["settle=5 hours"], reason="x")
    scene.now += 2 * DAY
    scene.tick()  # all are excused
    ruled(scene, game_master.extend, DAY, sure=True, reason="x")
    right = append_ply.rulings_during

    def cheating(made: Iterable[Any], ply: int) -> Any:
        return tuple(replace(one, acts=tuple(map(changed, one.acts))) for one in right(made, ply))

    with patch.object(append_ply, "rulings_during", right if honest else cheating):
        found = ended(scene, tmp_path)
    assert (found.code, found.asks) == (0 if honest else 1, [])
    assert honest or any(one.startswith(CHANGED[changed]) for one in found.wrong)


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(GAMES_PLAYED))
def test_an_act_that_was_left_out_of_the_log_is_found_by_its_number(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    scene = Scene(store, tmp_path, game, *TERMS, played_to=3)
    ruled(scene, game_master.announce, "It snows.")
    ruled(scene, game_master.announce, "It thaws.")
    right = append_ply.rulings_during

    def cheating(made: Iterable[Any], ply: int) -> Any:
        return tuple(one for one in right(made, ply) if one.number != 1)

    with patch.object(append_ply, "rulings_during", right if honest else cheating):
        found = ended(scene, tmp_path)
    assert found.code == (0 if honest else 1)
    assert honest or any(
        "A1: " in one and "act 2 is not where it must be" in one for one in found.wrong
    )


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(GAMES_PLAYED))
@pytest.mark.parametrize("name", ["undo", "replace"])
def test_a_notice_that_is_called_an_undo_ends_no_comparison(
    store: Store, tmp_path: Path, game: str, honest: bool, name: str
) -> None:
    """It would let older orders of Anna's count. What the club calls a ruling is in no log."""
    scene = Scene(store, tmp_path, game, *TERMS, played_to=3, awaits="mine")
    first, second = sorted(
        {tuple(computer_orders(scene.loaded(), scene.mine, one)) for one in PLAYERS}
    )[:2]
    for lines in (first, second):
        scene.order(scene.mine, *lines)
        scene.tick()
    ruled(scene, game_master.announce, f"It snows, and somebody now plays {scene.mine}.")
    with store.transaction() as tx:
        tx.execute(sa.update(tables.ruling).values(action=name))
        if not honest:
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
    found = ended(scene, tmp_path)
    assert found.asks == []
    assert found.code == (0 if honest else 1)


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["espionage"]))
def test_a_match_with_sentences_in_its_log_goes_on_with_them_to_its_end(
    store: Store, tmp_path: Path, game: str
) -> None:
    """It began before 0.3.0. Its heads and receipts keep their label, or no head would follow
    from the one before."""
    with patch.object(creation.chain, "LABEL", chain.SENTENCES):
        scene = Scene(store, tmp_path, game, *TERMS)
    scene.play_to(2)
    ruled(scene, change_options, ["settle=5 hours"], reason="x")
    scene.now += 2 * DAY
    scene.tick()
    ruled(scene, game_master.extend, DAY, sure=True, reason="x")
    with patch.object(append_ply, "publish", lambda *_, **__: None):
        scene.play()
        ruled(scene, undoing.undo, reason="x")
    found = ended(scene, tmp_path)
    assert (found.code, found.wrong, found.asks) == (0, [], [])
    lines = lines_of(scene)
    assert chain.label_of(lines[0]) == "ADJUD2"
    assert not any('"acts":' in one for one in lines)
    assert any('"rulings":' in one for one in lines)


def lines_of(scene: Scene) -> Sequence[str]:
    with scene.club.store.reading() as tx:
        wanted = sa.select(tables.turn.c.line).order_by(tables.turn.c.ply)
        return list(tx.execute(wanted).scalars())
