"""What a reader sees stays where it is while he chooses steps, and takes one back."""

import pytest

from tests.browser.conftest import OpenPage, choose, opened
from tests.program import Adjud

DESK, PHONE = (1440, 900), (390, 844)

# What moves from now on, whether the reader has just clicked or not: its names and how far.
WATCH = """() => {
  window.moved = [];
  new PerformanceObserver((list) => list.getEntries().forEach(({ sources, value }) =>
    sources.forEach(({ node }) => window.moved.push([node.className || node.nodeName, value]))))
    .observe({ type: "layout-shift" });
}"""


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_nothing_moves_while_steps_are_chosen(
    size: tuple[int, int], marching: Adjud, open_page: OpenPage
):
    page = opened(marching, open_page, width=size[0])
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


def test_what_moves_is_seen(open_page: OpenPage):
    page = open_page("<!DOCTYPE html><title>A</title><p id=above><p class=moving>A")
    page.evaluate(WATCH)
    page.evaluate("document.getElementById('above').style.height = '200px'")
    page.wait_for_timeout(100)
    assert page.evaluate("moved.map(([name]) => name)") == ["moving"]
