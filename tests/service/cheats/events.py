"""Events that no rule brings about, as a club that cheats would like them: one of each game that
helps its operator. Its log fits its fingerprints."""

from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from adjudicator.games.spion.rules.state import Dealt
from tests.games.samples import of_games
from tests.inside import append_ply
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.times import ended

Forged = Callable[[Any, str], Any]

FORGED: Mapping[str, Mapping[str, Forged]] = of_games("cheating", "FORGED")


def between_two_plies(forged: Forged) -> Play:
    """Return a play in which nothing explains what came between two plies."""

    def play(stage: Stage) -> Papers:
        scene = stage.scene(played_to=3)
        if not stage.honest:
            scene.slip_in(forged(scene.state, scene.theirs))
        return ended(scene, 2)

    return play


def _appended(cause: str, forged: Forged, seat: str) -> Any:
    """Let a club put an event of its own before those of a ply."""
    right = append_ply.append

    def append(tx: Any, loaded: Any, events: Any, **more: Any) -> Any:
        if more["cause"] == cause:
            events = [forged(loaded.state, seat), *events]
        return right(tx, loaded, events, **more)

    return patch.object(append_ply, "append", append)


def in_a_resignation(forged: Forged) -> Play:
    def play(stage: Stage) -> Papers:
        scene = stage.scene(played_to=3)
        with _appended("" if stage.honest else "resignation", forged, scene.theirs):
            scene.declare(scene.theirs, "RESIGN")
        assert scene.loaded().match.ply == 4
        return ended(scene)

    return play


def in_a_ply_of_orders(forged: Forged) -> Play:
    def play(stage: Stage) -> Papers:
        scene = stage.scene(played_to=3)
        with _appended("" if stage.honest else "orders", forged, scene.theirs):
            scene.play()
        return ended(scene)

    return play


def card_that_is_swapped(stage: Stage) -> Papers:
    """The club deals itself the cards that it wants."""
    right = append_ply.append

    def append(tx: Any, loaded: Any, events: Any, **more: Any) -> Any:
        made = []
        for event in events:
            if isinstance(event, Dealt):
                (one, first), (other, second), *rest = event.cards.items()
                event = replace(event, cards={one: second, other: first, **dict(rest)})
            made.append(event)
        return right(tx, loaded, made, **more)

    with patch.object(append_ply, "append", right if stage.honest else append):
        scene = stage.scene()
        scene.play_to(3)
    return ended(scene, 0)
