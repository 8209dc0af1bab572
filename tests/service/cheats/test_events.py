"""A club changes what happened, and its log fits its fingerprints."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from adjudicator.service.base.context import OpenClub
from adjudicator.service.matches import append_ply, game_master
from adjudicator.store.database import Store
from tests.nightly import mostly_nightly
from tests.service.cheats.events import EVERY, FORGED
from tests.service.cheats.scene import GAMES_PLAYED, Scene, seen_by

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("game", "what"), mostly_nightly(EVERY, every_day=EVERY[::3]))
def test_what_came_between_two_plies_and_nothing_explains_is_found(
    store: Store, tmp_path: Path, game: str, what: str
) -> None:
    scene = Scene(store, tmp_path, game, played_to=3)
    scene.slip_in(FORGED[game][what](scene.state, scene.theirs))
    scene.play(2)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert "ply 4: before it there is an event that no change of players explains" in found.wrong[0]


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spion"]))
def test_a_seat_that_really_changed_hands_is_no_disagreement(
    store: Store, tmp_path: Path, game: str
) -> None:
    scene = Scene(
        store, tmp_path, game, holders={"black": "Bob"} if game == "espionage" else {}, played_to=3
    )
    given_up = scene.theirs
    game_master.replace(
        OpenClub(store, scene.now, scene.club.context), "m", given_up, "Emil", reason="x"
    )
    scene.people[given_up] = "Emil"
    scene.tick()
    scene.play(2)
    scene.end()
    for name in ("Anna", "Emil"):
        assert seen_by(scene, tmp_path, name).wrong == []


def cheat_in_ply(monkeypatch: pytest.MonkeyPatch, cause: str, forged: Any, seat: str) -> None:
    """Let a club put an event of its own before those of a ply."""
    honest = append_ply.append

    def append(tx: Any, loaded: Any, events: Any, **more: Any) -> Any:
        if more["cause"] == cause:
            events = [forged(loaded.state, seat), *events]
        return honest(tx, loaded, events, **more)

    monkeypatch.setattr(append_ply, "append", append)


@pytest.mark.parametrize(
    ("game", "what", "honest"),
    mostly_nightly(
        [(*one, is_honest) for one in EVERY for is_honest in (False, True)],
        every_day=[*((*one, False) for one in EVERY[1::3]), (*EVERY[1], True)],
    ),
)
def test_other_things_in_the_ply_of_a_resignation_are_found(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    what: str,
    honest: bool,
) -> None:
    scene = Scene(store, tmp_path, game, played_to=3)
    if not honest:
        cheat_in_ply(monkeypatch, "resignation", FORGED[game][what], scene.theirs)
    scene.declare(scene.theirs, "RESIGN")
    assert scene.loaded().match.ply == 4
    monkeypatch.undo()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == (0 if honest else 1)
    if not honest:
        assert "ply 4: it comes out differently when it is replayed" in found.wrong[0]


@pytest.mark.parametrize(("game", "what"), mostly_nightly(EVERY, every_day=EVERY[2::3]))
def test_other_things_in_a_ply_that_was_ordered_are_found(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, what: str
) -> None:
    scene = Scene(store, tmp_path, game, played_to=3)
    cheat_in_ply(monkeypatch, "orders", FORGED[game][what], scene.theirs)
    scene.play()
    monkeypatch.undo()
    scene.play()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert "ply 4: it comes out differently when it is replayed" in found.wrong[0]


def test_a_card_that_was_swapped_in_the_deal_is_found(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The club deals itself the cards that it wants."""
    from adjudicator.games.spion.rules.state import Dealt

    honest = append_ply.append

    def append(tx: Any, loaded: Any, events: Any, **more: Any) -> Any:
        made = []
        for event in events:
            if isinstance(event, Dealt):
                (one, first), (other, second), *rest = event.cards.items()
                event = replace(event, cards={one: second, other: first, **dict(rest)})
            made.append(event)
        return honest(tx, loaded, made, **more)

    monkeypatch.setattr(append_ply, "append", append)
    scene = Scene(store, tmp_path, "spion")
    scene.play_to(3)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert "ply 1: it comes out differently when it is replayed" in found.wrong[0]
