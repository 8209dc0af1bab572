"""The command lines that the first page of a demo gives to its reader."""

import re
import shlex
from html import unescape

import pytest

from adjudicator.games import GAMES
from tests.program import SEED, Adjud


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_lines_of_a_demo_begin_such_a_match(adjud: Adjud, game: str) -> None:
    adjud.env["ADJUD_CONFIG"] = adjud.env["ADJUD_DATABASE"] = None
    variant = {"espionage": ("--variant", "small-fast"), "spion": ("--variant", "quick")}
    adjud.does("demo", game, *variant.get(game, ()), "--seed", SEED, "--folder", "here")
    page = (adjud.folder / "here" / "index.html").read_text("utf-8")
    (lines,) = re.findall("<pre>(.*?)</pre>", page, re.DOTALL)
    told = unescape(re.sub("<[^>]*>", "", lines))
    init, player, new = told.splitlines()
    assert init == "adjud init club && cd club"
    adjud.does("init", "club")
    for line in (player, new):
        adjud.does("--config", "club/adjud.toml", *shlex.split(line)[1:])


@pytest.mark.slow
def test_a_demo_without_a_seed_is_the_same_match_each_time(adjud: Adjud) -> None:
    first, again = (
        adjud.does("demo", "spion", "--variant", "quick", "--folder", folder).splitlines()[0]
        for folder in ("one", "other")
    )
    assert first == again
