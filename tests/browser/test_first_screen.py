"""What a reader sees before he scrolls, and that it stays where it is while he orders."""

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page

from adjudicator.games import GAMES
from adjudicator.reports.frame import ReplyForm
from adjudicator.service.reports import printing
from tests.browser.browsing import GAME_KINDS, Shown
from tests.browser.conftest import MATCH, OpenPage, choose, opened
from tests.browser.test_board_first import GAMES_AT_BOARD
from tests.program import Adjud

OLDER = [game for game in GAMES if game not in GAMES_AT_BOARD]  # in the frame of before
DESK, PHONE = (1440, 900), (390, 844)
REPLY = ReplyForm("mailto:garden+k3y@play.example.org?subject=Turn")

# From where to where something reaches, in pixels of the page.
REACH = """(one) => {
  const { top, bottom } = one.getBoundingClientRect();
  return [top + scrollY, bottom + scrollY];
}"""

# What moves from now on, whether the reader has just clicked or not: its names and how far.
WATCH = """() => {
  window.moved = [];
  new PerformanceObserver((list) => list.getEntries().forEach(({ sources, value }) =>
    sources.forEach(({ node }) => window.moved.push([node.className || node.nodeName, value]))))
    .observe({ type: "layout-shift" });
}"""


def awaited(game: str, stage: str) -> str:
    """Return the page of a seat that is to move, from which its letter can be begun."""
    shown = Shown(next(iter(GAME_KINDS[game])), stage, "awaited", "en")
    return printing.printed(replace(shown.report, reply=REPLY), "html")


def reach(page: Page, which: str) -> tuple[float, float]:
    top, bottom = page.locator(which).evaluate(REACH)
    return top, bottom


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_nothing_moves_while_steps_are_chosen(
    size: tuple[int, int], adjud: Adjud, open_page: OpenPage
):
    adjud.armies(MATCH)
    page = opened(adjud, open_page, width=size[0])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(100)  # the screen itself has changed
    page.evaluate(WATCH)
    for square in ("a3", "a5", "a4", "c3", "c4", "e3"):
        choose(page, square)
        page.wait_for_timeout(50)
    page.locator("[data-part=undo]").click()
    page.wait_for_timeout(100)
    moved = page.evaluate("moved")
    assert {name for name, _ in moved} <= {"SPAN"}  # the sentence, within its two lines
    assert sum(far for _, far in moved) < 0.01


MORE = {
    "spion": ("[data-square=e2]", "[data-square=e3]", "[data-square=g2]"),
}


@pytest.mark.parametrize("size", [DESK, PHONE])
@pytest.mark.parametrize("game", [game for game in OLDER if game in MORE])
def test_nothing_moves_while_goals_are_chosen(
    game: str, size: tuple[int, int], open_page: OpenPage
):
    page = open_page(awaited(game, "middle" if game == "spion" else "late"), width=size[0])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(100)  # the screen itself has changed
    page.evaluate(WATCH)
    for which in MORE[game]:
        page.locator(which).evaluate(CLICK)
        page.wait_for_timeout(50)
    page.wait_for_timeout(100)
    assert page.evaluate("moved") == []


# A click where something is, without scrolling there.
CLICK = """(one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  const middle = { clientX: x + width / 2, clientY: y + height / 2 };
  one.dispatchEvent(new MouseEvent("click", { bubbles: true, ...middle }));
}"""


def test_what_moves_is_seen(open_page: OpenPage):
    page = open_page("<!DOCTYPE html><title>A</title><p id=above><p class=moving>A")
    page.evaluate(WATCH)
    page.evaluate("document.getElementById('above').style.height = '200px'")
    page.wait_for_timeout(100)
    assert page.evaluate("moved.map(([name]) => name)") == ["moving"]
