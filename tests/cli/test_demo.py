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
    adjud.env["ADJUD_CONFIG"] = None
    variant = {"espionage": ("--variant", "small-fast"), "spion": ("--variant", "quick")}
    adjud.does("demo", game, *variant.get(game, ()), "--seed", SEED, "--folder", "here")
    page = (adjud.folder / "here" / "index.html").read_text("utf-8")
    (lines,) = re.findall("<pre>(.*?)</pre>", page, re.DOTALL)
    told = unescape(re.sub("<[^>]*>", "", lines))
    init, player, new, report, submit = told.splitlines()
    for line in (init, player, new):
        adjud.does(*shlex.split(line)[1:])
    shown, file = report.split(" > ")
    assert file == "page.html"
    assert "Your orders" in adjud.does(*shlex.split(shown)[1:])
    assert submit == "adjud submit orders.txt --tick"
