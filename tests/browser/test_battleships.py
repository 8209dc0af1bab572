"""The page of the example package Battleships: one taps ships and shots, and sends the sheet."""

from functools import reduce
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Setting
from adjudicator.core.orders import split_lines
from adjudicator.games import GAMES
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.render import render
from tests import club
from tests.browser.conftest import OpenPage, body, choose, primary
from tests.games.examples import BATTLESHIPS
from tests.games.standing import standing
from tests.nightly import each_once, mostly_nightly

REPLY = ReplyForm("mailto:m+k3y@play.example.org?subject=Turn")
CHANCE = Chance(bytes(32), "m", LABEL)
SETTING = Setting.of(BATTLESHIPS.options, "standard", {}, BATTLESHIPS.seats)
BLUE, RED = BATTLESHIPS.seats
each_width = pytest.mark.parametrize("width", mostly_nightly([390, 1440], every_day=[390]))


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, BATTLESHIPS.slug, BATTLESHIPS)


def after(plies: int) -> object:
    """Return the state after so many plies between two computers."""
    state = BATTLESHIPS.rules.set_up(SETTING, CHANCE)
    for _ in range(plies):
        orders = {
            seat: BATTLESHIPS.computers["computer"](
                BATTLESHIPS.sight.observe(state, seat), CHANCE.private(seat, str(state.turn))
            )
            for seat in (BLUE, RED)
        }
        events = BATTLESHIPS.rules.adjudicate(state, orders, CHANCE)
        state = reduce(BATTLESHIPS.rules.apply, events, state)
    return state


def opened(open_page: OpenPage, plies: int, language: str = "en", **how: int) -> Page:
    report = club.report_of(standing(BATTLESHIPS, after(plies), SETTING.options), BLUE)
    return open_page(render(BATTLESHIPS, report, "html", language, reply=REPLY), **how)


def refused(page: Page, plies: int) -> list[str]:
    """Return what is said of the sheet that the page sends."""
    href = page.locator("a.primary").get_attribute("href")
    assert href
    (sent,) = parse_qs(urlsplit(href).query)["body"]
    lines = sent.strip().replace("\r", "").split("\n")[1:-1]
    sheet = BATTLESHIPS.orders.parse(split_lines("\n".join(lines)))
    view = BATTLESHIPS.sight.observe(after(plies), BLUE)
    return [str(one.message) for one in (*sheet.problems, *BATTLESHIPS.orders.check(view, sheet))]


@each_width
def test_shots_are_tapped_and_sent(open_page: OpenPage, width: int) -> None:
    page = opened(open_page, 1, width=width)
    expect(page.locator(".told")).to_have_text("Tap the squares of your salvo.")
    assert primary(page) == "(0 / 5)"
    choose(page, "b3", "c4", "d5", "e6")
    assert primary(page) == "(4 / 5)"
    choose(page, "c4", "c4", "j10")
    assert body(page) == ["SHOOT b3 d5 e6 c4 j10"]
    assert page.locator("circle.shot").count() == 5
    expect(page.locator(".told")).to_have_text("Your salvo: b3 d5 e6 c4 j10. Now send it.")
    assert refused(page, 1) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_square_that_was_shot_at_cannot_be_tapped(open_page: OpenPage) -> None:
    page = opened(open_page, 2)
    fired = next(iter(BATTLESHIPS.sight.observe(after(2), BLUE).shots[BLUE]))
    choose(page, fired)
    assert page.locator("circle.shot").count() == 0


@each_width
def test_ships_are_tapped_turned_and_sent(open_page: OpenPage, width: int) -> None:
    page = opened(open_page, 0, width=width)
    expect(page.locator(".told")).to_have_text(
        "Tap where your ship of 5 squares is to lie: carrier."
    )
    choose(page, "a1")
    assert body(page) == ["PLACE carrier a1 e1"]
    choose(page, "a1")
    assert body(page) == ["PLACE carrier a1 a5"]
    choose(page, "j10", "c3", "c5", "c7")
    assert body(page) == [
        "PLACE carrier a1 a5",
        "PLACE battleship g10 j10",
        "PLACE cruiser c3 e3",
        "PLACE submarine c5 e5",
        "PLACE destroyer c7 d7",
    ]
    assert refused(page, 0) == []
    choose(page, "h8")  # moves the ship that was touched last
    assert body(page)[-1] == "PLACE destroyer h8 i8"
    page.get_by_role("button", name="Clear").click()
    assert page.locator("rect.ship").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_fleet_can_be_shuffled(open_page: OpenPage) -> None:
    page = opened(open_page, 0, "nb")
    found = set()
    for _ in range(10):
        page.get_by_role("button", name="Bland").click()
        assert refused(page, 0) == []
        found.add(tuple(body(page)))
    assert len(found) == 10
    assert all(lines[0].startswith("PLASSER hangarskip ") for lines in found)


@pytest.mark.parametrize(("plies", "scheme"), each_once([0, 2], ["light", "dark"]))
def test_a_page_can_be_used_by_everybody(open_page: OpenPage, plies: int, scheme: str) -> None:
    page = opened(open_page, plies, scheme=scheme)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_page_without_scripts_shows_both_seas(open_page: OpenPage) -> None:
    page = opened(open_page, 2, script=False)
    expect(page.get_by_role("img", name="The sea of Red")).to_be_visible()
    expect(page.get_by_role("img", name="The sea of Blue")).to_be_visible()
    expect(page.locator(".bar")).to_be_hidden()
