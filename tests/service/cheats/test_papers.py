"""A club invents what a player did, or forgets what he did; his own papers tell otherwise."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa

from adjudicator.core import chain
from adjudicator.core.clock import Forfeit
from adjudicator.core.match import Seat
from adjudicator.service.base.context import OpenClub
from adjudicator.service.matches import adjudication, append_ply, game_master, sheet_storing
from adjudicator.service.matches.adjudication import orders_of
from adjudicator.store import rulings, tables, turns
from adjudicator.store.database import Store
from tests.nightly import mostly_nightly
from tests.service.cheats.scene import GAMES_PLAYED, SETS, Scene, cheating_and_honest, seen_by

pytestmark = pytest.mark.slow

EVERY_WEEK = ("deadline=every 7 days", "absence=forfeit")


def waiting(store: Store, folder: Path, game: str, *options: str) -> Scene:
    """Return a match in which it is Anna's turn, and not hers alone where a game has that."""
    return Scene(store, folder, game, *options, played=3, awaits="mine")


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(["spion", "spies"]))
def test_a_version_that_no_confirmation_tells_is_asked(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    scene = waiting(store, tmp_path, game)
    scene.order(scene.mine)
    scene.tick()
    if honest:
        scene.order(scene.mine)
    else:
        other = orders_of(scene.loaded(), Seat(scene.mine), "computer:random")
        scene.put_in_force(scene.mine, *other)
    scene.order_all(but=[scene.mine])
    scene.tick()
    scene.play()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.wrong == []
    assert found.code == (0 if honest else 3)
    if not honest:
        assert found.asks[0].startswith(
            f"O2: version 2 of the orders of {scene.title(scene.mine)} for turn "
        )
        assert found.asks[0].endswith("and you have no confirmation of it: did you send it?")


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest([*reversed(GAMES_PLAYED)]))
def test_a_resignation_that_nobody_wrote_is_asked(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    scene = waiting(store, tmp_path, game)
    if honest:
        scene.declare(scene.mine, "RESIGN")
    else:
        scene.do(
            lambda tx, loaded: (
                rulings.declare(tx, loaded.match.id, scene.mine, "RESIGN", scene.now),
                append_ply.reload_and_reschedule(tx, loaded, scene.now),
            )
        )
        scene.tick()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.code) == ([], 0 if honest else 3)
    if not honest:
        assert f"RESIGN of {scene.title(scene.mine)} took effect in turn " in found.asks[0]
        assert "you have no confirmation of it: did you send it on 2026-11-23T" in found.asks[0]


@pytest.mark.parametrize("honest", [False, True], ids=["cheating", "honest"])
def test_a_draw_that_nobody_offered_is_asked(store: Store, tmp_path: Path, honest: bool) -> None:
    scene = waiting(store, tmp_path, "espionage")
    if honest:
        scene.declare("white", "DRAW")
    else:
        scene.do(
            lambda tx, loaded: rulings.declare(tx, loaded.match.id, "white", "DRAW", scene.now)
        )
    scene.declare("black", "DRAW")
    scene.tick()
    assert scene.loaded().match.status == "over"
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.code) == ([], 0 if honest else 3)
    if not honest:
        assert "DRAW of White took effect in turn " in found.asks[0]


def at_once(scene: Scene, seat: str) -> Any:
    """Let a club forfeit a seat whatever the time is and whatever it has sent."""
    return patch.object(
        adjudication,
        "next_step",
        lambda loaded, now: None if seat in loaded.gone else Forfeit((seat,)),
    )


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spies"]))
def test_a_forfeit_before_the_deadline_is_found(store: Store, tmp_path: Path, game: str) -> None:
    scene = waiting(store, tmp_path, game, *EVERY_WEEK)
    scene.do(lambda tx, loaded: append_ply.reload_and_reschedule(tx, loaded, scene.now))
    with at_once(scene, scene.mine):
        game_master.announce(OpenClub(store, scene.now, scene.club.context), "m", "x")
        wake(scene)
        scene.tick()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert f"{scene.title(scene.mine)} was treated as silent at 2026-11-23T" in found.wrong[0]
    assert "before the deadline, 2026-11-30T" in found.wrong[0]


def wake(scene: Scene) -> None:
    with scene.club.store.transaction() as tx:
        tx.execute(sa.update(tables.match).values(wake_at=scene.now))


@pytest.mark.parametrize("game", mostly_nightly(["spion", "spies"], every_day=["spies"]))
def test_a_forfeit_of_a_seat_whose_orders_were_confirmed_is_found(
    store: Store, tmp_path: Path, game: str
) -> None:
    scene = waiting(store, tmp_path, game, *EVERY_WEEK)
    scene.order(scene.mine)
    scene.tick()
    scene.now += timedelta(days=8)
    with at_once(scene, scene.mine):
        scene.tick()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert f"{scene.title(scene.mine)} lost by forfeit in turn " in " ".join(found.wrong)
    assert "as if it had sent nothing, and version 1 of its orders was confirmed" in " ".join(
        found.wrong
    )


def test_a_forfeit_after_the_deadline_is_no_disagreement(store: Store, tmp_path: Path) -> None:
    scene = waiting(store, tmp_path, "espionage", *EVERY_WEEK)
    scene.now += timedelta(days=8)
    scene.tick()
    assert scene.loaded().match.status == "over"
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.code) == ([], 0)


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spion"]))
def test_a_forfeit_by_the_game_master_is_named_with_its_ruling(
    store: Store, tmp_path: Path, game: str
) -> None:
    scene = waiting(store, tmp_path, game, *EVERY_WEEK)
    game_master.forfeit(
        OpenClub(store, scene.now, scene.club.context),
        "m",
        scene.mine,
        reason="He wrote to others.",
    )
    scene.tick()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.code) == ([], 0)
    assert any("as the game master decided on" in one and "He wrote" in one for one in found.notes)


def test_an_announced_forfeit_before_the_deadline_is_no_disagreement(
    store: Store, tmp_path: Path
) -> None:
    scene = waiting(store, tmp_path, "espionage", *EVERY_WEEK)
    game_master.announce_forfeit(
        OpenClub(store, scene.now, scene.club.context),
        "m",
        "white",
        timedelta(days=1),
        sure=True,
        reason="x",
    )
    scene.tick()
    scene.now += timedelta(days=1)
    scene.tick()
    assert scene.loaded().match.status == "over"
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.code) == ([], 0)


@pytest.mark.parametrize(("game", "honest"), cheating_and_honest(GAMES_PLAYED))
def test_orders_that_were_chosen_for_a_computer_are_found(
    store: Store, tmp_path: Path, game: str, honest: bool
) -> None:
    theirs = SETS[game].seats[-1]
    scene = Scene(store, tmp_path, game, holders={theirs: "computer"})
    if game == "spion":
        scene.play()
    if not honest:
        with patch.object(adjudication, "orders_of", with_other_computer(scene)):
            scene.play(2)
    scene.play(2)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == (0 if honest else 1)
    if not honest:
        assert "the computer that plays" in found.wrong[0]
        assert "gives other orders on its view" in found.wrong[0]


def with_other_computer(scene: Scene) -> Any:
    """Return what lets a club use a stronger computer than it said."""
    honest = adjudication.orders_of

    def orders_of(loaded: Any, seat: Any, computer: str, log: Any = ()) -> Any:
        return honest(loaded, seat, "computer:random", log)

    return orders_of


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["espionage"]))
def test_orders_that_a_person_gave_for_a_computer_are_found(
    store: Store, tmp_path: Path, game: str
) -> None:
    theirs = SETS[game].seats[-1]
    scene = Scene(store, tmp_path, game, holders={theirs: "computer"}, played=2)
    while theirs not in scene.loaded().awaited:
        with patch.object(adjudication, "_play_computers", lambda tx, loaded, now: (loaded, 0)):
            scene.play()
    scene.put_in_force(theirs, *scene.legal(theirs))
    scene.play(2)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert "is a computer, and a person gave its orders" in found.wrong[0]


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spies"]))
def test_a_confirmation_of_other_orders_than_were_used_is_found(
    store: Store, tmp_path: Path, game: str
) -> None:
    """The club confirms one thing and uses another."""
    scene = waiting(store, tmp_path, game)
    honest = chain.sheet_digest
    with patch.object(
        sheet_storing.chain, "sheet_digest", lambda head, lines: honest(head, [*lines, "x"])
    ):
        scene.order(scene.mine)
        scene.club.run_tick(scene.now)
    scene.order_all(but=[scene.mine])
    scene.tick()
    scene.play()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert f"the confirmation to {scene.mine}, turn " in " ".join(found.wrong)
    assert f"the orders shown for {scene.mine}, turn " in " ".join(found.wrong)


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spion"]))
def test_another_seed_than_was_promised_is_found(store: Store, tmp_path: Path, game: str) -> None:
    scene = waiting(store, tmp_path, game)
    with store.transaction() as tx:
        tx.execute(sa.update(tables.match).values(seed=bytes.fromhex("11" * 32)))
    scene.play()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert "Seed of the match: " in found.wrong[0]


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spies"]))
def test_a_seed_that_was_changed_before_the_first_report_is_found_in_the_first_line(
    store: Store, tmp_path: Path, game: str
) -> None:
    """The first line of the log is told by its fingerprint alone until the end."""
    honest = chain.opening

    def opening(agreed: Any) -> str:
        (what, seat, digest), *rest = agreed.commitments
        return honest(chain.replace(agreed, commitments=((what, seat, "0" * len(digest)), *rest)))

    with patch.object(chain, "opening", opening):
        scene = Scene(store, tmp_path, game)
    scene.play(2)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert "the proofs in the first line of the log do not follow from the seed" in " ".join(
        found.wrong
    )


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["espionage"]))
def test_a_time_that_was_moved_after_its_report_is_found(
    store: Store, tmp_path: Path, game: str
) -> None:
    scene = waiting(store, tmp_path, game)
    with store.transaction() as tx:
        lines = list(tx.execute(sa.select(tables.turn.c.ply, tables.turn.c.line)))
        for ply, line in lines:
            if ply == 2:
                moved = line.replace('"at":"2026-11-23T1', '"at":"2026-11-22T1', 1)
                changed = sa.update(tables.turn).where(tables.turn.c.ply == ply)
                tx.execute(changed.values(line=moved))
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert re.search("the log up to ply [23] does not match the fingerprint", found.wrong[0])


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spion"]))
def test_a_log_whose_last_lines_were_cut_off_is_found(
    store: Store, tmp_path: Path, game: str
) -> None:
    scene = waiting(store, tmp_path, game)
    honest = turns.lines
    with patch.object(turns, "lines", lambda tx, match_id: honest(tx, match_id)[:-2]):
        scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert "does not match the fingerprint shown" in " ".join(found.wrong)


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spies"]))
def test_other_options_than_were_agreed_are_found(store: Store, tmp_path: Path, game: str) -> None:
    """They would change what follows from the same orders, or how long a turn may last."""
    scene = waiting(store, tmp_path, game)
    with store.transaction() as tx:
        (options,) = tx.execute(sa.select(tables.match.c.options)).one()
        changed = (
            options.replace('"press":"on"', '"press":"off"')
            if isinstance(options, str)
            else {**options, "press": "off"}
        )
        tx.execute(sa.update(tables.match).values(options=changed))
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert any(one.startswith("O6: options: ") for one in found.wrong)
