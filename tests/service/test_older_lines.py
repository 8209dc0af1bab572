"""Lines of a log leave out the events that repeat orders, seed and rules, those of Spion and Spies
since 1.0.0. A match that began before has lines of both kinds, and both are compared."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from adjudicator.games.spion.rules.state import Rolled
from tests.club import Club, Store
from tests.inside import append_ply
from tests.service.cheats.scene import Scene, seen_by
from tests.service.mailclub import value_in

Told = Callable[[Sequence[Any]], Sequence[Any]]


def telling(told: Told) -> Any:
    """Let lines tell what is made of all events of their plies."""

    def in_log(game: Any, events: Iterable[Any], cause: str, line: Any = ()) -> list[Any]:
        return [*told([*events])]

    return patch.object(append_ply, "ruling_in_log", in_log)


def as_before(events: Sequence[Any]) -> Sequence[Any]:
    return events


def with_other_dice(events: Sequence[Any]) -> Sequence[Any]:
    """Let the first of all rolls be a double six, which nobody has rolled here."""
    first = next(one for one in events if isinstance(one, Rolled))
    assert first.dice != (6, 6)
    return [replace(one, dice=(6, 6)) if one is first else one for one in events]


def kinds_in(line: str) -> set[str]:
    return {event[0] for event in json.loads(line).get("events", ())}


@pytest.mark.parametrize(
    ("game", "repeated"),
    [
        ("spion", {"Ordered", "Instructed", "Rolled", "TurnOpened", "TurnPassed"}),
        ("spies", {"Ordered", "Instructed", "Turned", "Passed"}),
    ],
)
def test_a_match_that_began_before_has_both_kinds_of_lines(
    store: Store, tmp_path: Path, game: str, repeated: set[str]
) -> None:
    scene = Scene(store, tmp_path, game)
    with telling(as_before):
        scene.play_to(3)
    scene.play(2)
    assert [*Club(store).verify("m")] == []
    scene.end()
    assert [*Club(store).verify("m")] == []
    lines = json.loads(value_in(scene.letters()[-1]))["report"]["log"]["lines"]
    told = [kinds_in(line) for line in lines]
    assert all(repeated - {"Instructed"} <= kinds for kinds in told[2:4])
    assert all(kinds and not repeated & kinds for kinds in told[4:6])
    found = seen_by(scene, tmp_path)
    assert (found.wrong, found.asks) == ([], [])


@pytest.mark.parametrize(
    "told",
    [
        with_other_dice,
        lambda events: [one for one in with_other_dice(events) if isinstance(one, Rolled)],
        lambda events: [one for one in events if isinstance(one, Rolled)],
    ],
    ids=["a line of before", "rolls alone", "rolls that are right, and nothing else"],
)
def test_what_a_line_repeats_is_compared_if_it_is_there(
    store: Store, tmp_path: Path, told: Told
) -> None:
    scene = Scene(store, tmp_path, "spion", played_to=3)
    with telling(told):
        scene.play()
    scene.end()
    (wrong,) = [one for one in seen_by(scene, tmp_path).wrong if one.startswith("O1: ")]
    assert "ply 4: it comes out differently when it is replayed" in wrong
