"""`adjud demo`: the folder that it leaves, and the command lines that its first page gives to its
reader."""

import json
import re
import shlex
from collections.abc import Callable
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from adjudicator.core.message import say
from adjudicator.games import GAMES
from tests.cli.conftest import copied
from tests.club import Refusal
from tests.inside import demo
from tests.nightly import mostly_nightly
from tests.program import SEED, Adjud

VARIANTS = {"espionage": ("--variant", "small-fast"), "spion": ("--variant", "quick")}
Played = tuple[Path, str]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Played]:
    """Play the demo of a game into the folder `here`, once; return in which, and what it said."""

    @cache
    def play(game: str) -> Played:
        adjud = Adjud(tmp_path_factory.mktemp("demo"))
        adjud.env["ADJUD_CONFIG"] = adjud.env["ADJUD_DATABASE"] = None
        words = ("demo", game, *VARIANTS.get(game, ()), "--seed", SEED, "--folder", "here")
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.chdir(adjud.folder)
            return adjud.folder, adjud.does(*words)

    return play


@pytest.mark.slow
@pytest.mark.parametrize("game", mostly_nightly(GAMES, every_day=["espionage"]))
def test_the_lines_of_a_demo_begin_such_a_match(
    adjud: Adjud, game: str, played: Callable[[str], Played]
) -> None:
    adjud.env["ADJUD_CONFIG"] = adjud.env["ADJUD_DATABASE"] = None
    folder, _ = played(game)
    page = (folder / "here" / "index.html").read_text("utf-8")
    (lines,) = re.findall("<pre>(.*?)</pre>", page, re.DOTALL)
    told = unescape(re.sub("<[^>]*>", "", lines))
    init, player, new = told.splitlines()
    assert init == "adjud init club && cd club"
    adjud.does("init", "club")
    for line in (player, new):
        adjud.does("--config", "club/adjud.toml", *shlex.split(line)[1:])


@pytest.mark.slow
def test_a_demo_leaves_a_folder_to_open(adjud: Adjud, played: Callable[[str], Played]) -> None:
    adjud.env["ADJUD_CONFIG"] = None
    folder, out = played("espionage")
    here = copied(folder, adjud.folder) / "here"
    last = "open here/index.html\nadjud audit here/reports\n"
    assert re.fullmatch(rf"\d+ turns; [A-Z].+\.\n{last}", out)
    assert adjud.does("audit", "here/reports").startswith("demo: everything that can be compared ")
    turns = int(out.partition(" ")[0])
    names = {path.name for path in (here / "reports").iterdir()}
    assert {"white-000.txt", "black-000.html", f"white-{turns:03}.txt", "black-final.html"} <= names
    assert (here / "demo.esp").is_file()
    assert "white-final.html" in (here / "index.html").read_text("utf-8")
    assert adjud.does("--database", f"sqlite:///{here}/adjud.db", "verify").startswith("demo: the ")
    record = str(here / "demo.esp")
    assert json.loads(adjud.does("record", "replay", record, "--format", "json"))["result"]
    assert adjud("demo", "--folder", "here") == (
        1,
        "",
        "adjud: here is not empty; choose another --folder\n",
    )


def test_a_demo_of_nothing(adjud: Adjud) -> None:
    answer = adjud("demo", "espionag")
    assert answer == (1, "", "adjud: there is no game 'espionag'; did you mean espionage?\n")
    assert adjud("demo", "--seed", "12").code == 1
    assert not (adjud.folder / "demo").exists()


def test_a_demo_without_a_seed_has_one_all_the_same(
    adjud: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By night it is played."""
    seeds: list[bytes] = []

    def refuse(*given: Any) -> None:
        seeds.append(given[3])
        raise Refusal(say("enough"))

    monkeypatch.setattr(demo, "_play", refuse)
    for _ in range(2):
        assert adjud("demo") == (1, "", "adjud: enough\n")
    assert len(seeds[0]) == 32
    assert seeds[0] == seeds[1]


@pytest.mark.nightly
def test_a_demo_without_a_seed_is_the_same_match_each_time(adjud: Adjud) -> None:
    first, again = (
        adjud.does("demo", "spion", "--variant", "quick", "--folder", folder).splitlines()[0]
        for folder in ("one", "other")
    )
    assert first == again
