"""Put commands into the sheet of a page: beside orders, or instead of them."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser import conftest
from tests.browser.conftest import MATCH, OpenPage, body, choose, sheet
from tests.program import Adjud

OFFER = "Offer a draw, or accept one"
OPEN = "Keep the turn open for me until the deadline"
CLOSED = "Wait for me no longer"
WITHDRAW = "Withdraw what I have sent for this turn, and my offer of a draw"
RESIGN = "Give the match up"
SURE = "Yes, I am sure: I resign"


def opened(adjud: Adjud, open_page: OpenPage, **how: Any) -> Page:
    page = conftest.opened(adjud, open_page, **how)
    page.locator(".commands summary").click()
    return page


def sent(adjud: Adjud, page: Page) -> Any:
    """Send the sheet as it stands in the page."""
    answer = adjud("submit", "-", "--format", "json", stdin=sheet(page))
    assert answer.code == 0, answer
    return json.loads(answer.out)


def test_commands_go_beside_steps(adjud: Adjud, open_page: OpenPage):
    adjud.armies(MATCH)
    page = opened(adjud, open_page)
    choose(page, "a3", "a4", "c3", "c4")
    page.get_by_label(OFFER).check()
    page.get_by_label(OPEN).check()
    assert body(page) == ["a3-a4", "c3-c4", "DRAW", "NOTREADY"]
    assert sent(adjud, page)["orders"] == ["a3-a4", "c3-c4"]
    page.get_by_label(CLOSED).check()  # the contrary
    assert body(page) == ["a3-a4", "c3-c4", "DRAW", "READY"]
    assert not page.get_by_label(OPEN).is_checked()


@pytest.mark.parametrize("placing", [True, False], ids=["set-up", "march"])
def test_a_command_may_go_alone(placing: bool, adjud: Adjud, open_page: OpenPage):
    if not placing:
        adjud.armies(MATCH)
    page = opened(adjud, open_page)
    page.get_by_label(OPEN).check()
    assert body(page) == ["NOTREADY"]
    assert not page.locator("[data-part=missing]").is_visible()
    assert sent(adjud, page)["orders"] == []


@pytest.mark.parametrize("placing", [True, False], ids=["set-up", "march"])
def test_what_was_sent_is_withdrawn(placing: bool, adjud: Adjud, open_page: OpenPage):
    if not placing:
        adjud.armies(MATCH)
    lines = "SETUP RANDOM" if placing else "a3-a4\nc3-c4"
    turn = 0 if placing else 1
    adjud.does("submit", "-", stdin=f"ORDERS {MATCH} white turn {turn}\n{lines}\nEND\n")
    page = opened(adjud, open_page)
    page.get_by_label(WITHDRAW).check()
    assert body(page) == ["CLEAR"]
    told = page.locator("[role=status]").inner_text()
    assert told == ("The sheet says CLEAR and orders nothing. Send it so, or take the mark away.")
    assert sent(adjud, page)["in_force"] is None


def test_nobody_resigns_by_one_click(adjud: Adjud, open_page: OpenPage):
    adjud.armies(MATCH)
    page = opened(adjud, open_page)
    choose(page, "a3", "a4", "c3", "c4")
    assert not page.get_by_label(SURE).is_visible()
    page.get_by_label(RESIGN).check()
    assert body(page) == ["a3-a4", "c3-c4"]
    page.get_by_label(SURE).check()
    assert body(page) == ["RESIGN"]
    page.get_by_label(RESIGN).uncheck()
    assert body(page) == ["a3-a4", "c3-c4"]
    page.get_by_label(RESIGN).check()
    assert not page.get_by_label(SURE).is_checked()


def test_a_draft_holds_commands_but_no_resignation(adjud: Adjud, open_page: OpenPage):
    adjud.armies(MATCH)
    page = opened(adjud, open_page)
    page.get_by_label(OFFER).check()
    page.get_by_label(RESIGN).check()
    page.get_by_label(SURE).check()
    page.reload()
    page.get_by_role("button", name="Take them up").click()
    assert body(page) == ["DRAW"]


def test_a_resignation_is_sent_in_the_readers_words(adjud: Adjud, open_page: OpenPage):
    adjud.does("player", "set", "Anna", "--language", "sv")
    adjud.armies(MATCH)
    page = opened(adjud, open_page)
    page.get_by_label("Ge upp partiet").check()
    page.get_by_label("Ja, jag är säker: jag ger upp").check()
    assert body(page) == ["GE UPP"]
    sent(adjud, page)
    adjud.does("tick")
    assert "Black" in adjud.does("report", MATCH, "black")
    assert '"reason": "resignation"' in adjud.does("report", MATCH, "black", "--format", "json")


def test_axe_finds_nothing_among_the_commands(adjud: Adjud, open_page: OpenPage):
    adjud.armies(MATCH)
    page = opened(adjud, open_page, width=390, scheme="dark")
    page.get_by_label(RESIGN).check()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
