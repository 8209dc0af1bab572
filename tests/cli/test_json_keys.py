"""Every key of what commands print as JSON is named in a book, or in a page made from code."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adjudicator import SCHEMA, __version__
from adjudicator.core import report
from adjudicator.games import GAMES
from tests.games.samples import seats_of
from tests.program import Adjud

DOCS = Path(__file__).parents[2] / "docs"
INTERFACE = (DOCS / "interface.md").read_text("utf-8")
BOOK = INTERFACE + (DOCS / "reference/commands.md").read_text("utf-8")
BOOK += (DOCS / "reference/reports.md").read_text("utf-8")
# What stands between backquotes, or is quoted as a key.
_FENCED = re.compile(r"^```.*?^```", re.M | re.S)
_NAME = re.compile(r"[a-z_]+(?:-[a-z]+)*")
WORDS = {
    word for part in re.findall(r"`([^`]+)`", _FENCED.sub("", BOOK)) for word in _NAME.findall(part)
} | set(re.findall(r'"([a-z_-]+)"', BOOK))
# Their keys are names of seats, options, players and the like, or another section has them.
BY_NAME = frozenset(
    {"options", "players", "bank", "own_chits", "own_tiles", "money", "view", "state"}
)


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from keys(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            if key not in BY_NAME:
                yield from keys(one)


def unnamed(value: Any) -> list[str]:
    return sorted(set(keys(value)) - WORDS)


def structs() -> Iterator[type[msgspec.Struct]]:
    for one in vars(report).values():
        is_struct = isinstance(one, type) and issubclass(one, msgspec.Struct)
        if is_struct and one.__module__ == report.__name__:
            yield one


def test_the_example_of_a_version_is_this_one() -> None:
    assert f"`adjud, version {__version__}, schema {SCHEMA}`" in INTERFACE


@pytest.mark.parametrize("struct", list(structs()), ids=lambda one: one.__name__)
def test_each_key_that_the_reports_of_all_games_have_is_named(struct: Any) -> None:
    # `view` is written as its own keys, which each game has.
    assert set(struct.__struct_encode_fields__) - {"view"} - WORDS == set()


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_each_key_that_a_game_adds_to_its_reports_is_named(game: Any) -> None:
    assert set(game.sight.view.__struct_encode_fields__) - WORDS == set()


@pytest.mark.slow
def test_each_key_of_what_commands_list_is_named(adjud: Adjud) -> None:
    adjud.club()
    for game in GAMES:
        first, second = seats_of(game)
        seats = (f"--seat={first}=Anna", f"--seat={second}=Bob")
        adjud.does("new", game, "--match", f"m-{game}", *seats, "--option", "deadline=every 2 days")
    adjud.does("tick")
    adjud.does("gm", "hold", "m-spies", "--reason", "x")
    for words in (
        ("status",),
        ("board", "m-espionage", "--gm"),
        ("board", "m-spion", "--gm"),
        ("board", "m-spies", "--gm"),
        ("player", "list"),
        ("player", "show", "Anna"),
        ("mail", "queue", "list"),
    ):
        answer = adjud(*words, "--format", "json")
        assert answer.code == 0, (words, answer)
        found = [json.loads(line) for line in answer.out.strip().splitlines()]
        assert found
        assert unnamed(found) == [], words
