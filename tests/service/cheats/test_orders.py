"""A club uses orders that it must not use, and its log fits its fingerprints."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from adjudicator.core import clock
from adjudicator.core.orders import number_lines
from adjudicator.service.base.context import OpenClub
from adjudicator.service.matches import adjudication, append_ply
from adjudicator.service.ops.tick import run_due
from adjudicator.store import tables
from adjudicator.store.database import Store
from tests.games.samples import of_games
from tests.nightly import mostly_nightly
from tests.service.cheats.scene import GAMES_PLAYED, Scene, seen_by

pytestmark = pytest.mark.slow

Lines = Callable[[Scene], Sequence[str]]


ILLEGAL: Mapping[str, Mapping[str, Lines]] = of_games("cheating", "ILLEGAL")


def without_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take out of the club's code that it judges stored orders before it uses them."""

    def orders(loaded: Any, seat: Any) -> Any:
        return loaded.game.orders.parse(number_lines(loaded.sheets[seat].lines)).orders

    monkeypatch.setattr(adjudication, "_orders", orders)


@pytest.mark.parametrize(
    ("game", "what"),
    mostly_nightly(
        [(game, what) for game, lines in ILLEGAL.items() for what in lines],
        every_day=[(game, what) for game, lines in ILLEGAL.items() for what in [*lines][::3]],
    ),
)
def test_orders_that_no_rule_allows_are_found(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, what: str
) -> None:
    without_check(monkeypatch)
    scene = Scene(store, tmp_path, game, played_to=3, awaits="theirs")
    ply = scene.loaded().match.ply + 1
    scene.order_all(but=[scene.theirs])
    scene.put_in_force(scene.theirs, *ILLEGAL[game][what](scene))
    scene.tick()
    scene.play()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    title = scene.title(scene.theirs)
    assert f"ply {ply}: {title} ordered '" in found.wrong[0]
    assert "which was not allowed: " in found.wrong[0]


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["espionage"]))
def test_a_club_holds_a_match_whose_stored_orders_were_altered(
    store: Store, tmp_path: Path, game: str
) -> None:
    """What an audit would refuse is not adjudicated; the game master is told whose orders it is."""
    scene = Scene(store, tmp_path, game, played_to=3, awaits="theirs")
    ply = scene.loaded().match.ply
    scene.order_all()
    scene.club.context = replace(scene.club.context, raise_faults=False)
    name = next(iter(ILLEGAL[game]))
    wrong = list(ILLEGAL[game][name](scene))
    collect_only(scene)
    with store.transaction() as tx:
        mine = tables.submission.c.seat == scene.theirs
        tx.execute(
            sa.update(tables.submission)
            .where(mine, tables.submission.c.ply == ply + 1)
            .values(orders=json.dumps(wrong))
        )
    told = [str(one) for one in run_due(OpenClub(store, scene.now, scene.club.context))]
    title = scene.title(scene.theirs)
    assert f"the stored orders of {title} are not orders that adjud accepts" in told[0]
    assert not any(line in " ".join(told) for line in wrong)
    assert (scene.loaded().match.status, scene.loaded().match.ply) == ("held", ply)


def collect_only(scene: Scene) -> None:
    """Take the emails in without adjudicating anything."""
    with patch("adjudicator.service.matches.adjudication.advance", lambda *_: None):
        scene.club.run_tick(scene.now)


@pytest.mark.parametrize("game", mostly_nightly(["spion", "spies"], every_day=["spion"]))
def test_the_last_orders_of_a_seat_that_were_left_out_are_found(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    scene = Scene(store, tmp_path, game, played_to=3)
    honest = append_ply.append

    def append(tx: Any, loaded: Any, events: Any, **more: Any) -> Any:
        others = [seat for seat in loaded.awaited if seat != scene.mine]
        orders = {seat: adjudication._orders(loaded, seat) for seat in others}
        made = loaded.game.rules.adjudicate(loaded.state, orders, loaded.chance)
        return honest(tx, loaded, made, **{**more, "ordering": others})

    monkeypatch.setattr(append_ply, "append", append)
    scene.play()
    monkeypatch.undo()
    scene.play()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    title = scene.title(scene.mine)
    assert f"ply 4: the orders of {title} are missing, and it was their turn" in found.wrong[-1] + (
        " ".join(found.wrong)
    )


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spies"]))
def test_orders_that_came_after_their_ply_are_found(
    store: Store, tmp_path: Path, game: str
) -> None:
    """The operator looks at what all others ordered, and the log says when his orders came."""
    scene = Scene(store, tmp_path, game, played_to=3, awaits="theirs")
    scene.order_all(but=[scene.theirs])
    now, late = scene.now, scene.now + timedelta(hours=3)
    ply = scene.loaded().match.ply + 1
    with patch.object(clock, "complete_at", lambda facts: None if facts.silent else now):
        scene.put_in_force(scene.theirs, *scene.legal(scene.theirs), at=late)
        scene.tick()
    assert scene.loaded().match.ply >= ply
    scene.play()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert f"ply {ply}: the orders of " in found.wrong[0]
    assert " came after it, at 2026-11-23T" in found.wrong[0]


@pytest.mark.parametrize("game", mostly_nightly(["spion", "spies"], every_day=["spies"]))
def test_orders_that_were_chosen_for_a_silent_seat_are_found(
    store: Store, tmp_path: Path, game: str
) -> None:
    scene = Scene(store, tmp_path, game, played_to=3)
    scene.order_all(but=[scene.theirs])
    scene.put_in_force(scene.theirs, *scene.legal(scene.theirs), channel="default")
    scene.tick()
    scene.play()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert "ply 4: the default orders of " in found.wrong[0]
    assert "are not those of the rules" in found.wrong[0]
