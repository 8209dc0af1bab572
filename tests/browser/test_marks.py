"""Mark enemy pieces on the page (Espionage rule 9.1)."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import MATCH, OpenPage, body, choose
from tests.browser.test_drafts import take_up
from tests.program import Adjud


@pytest.fixture
def adjud(adjud: Adjud) -> Adjud:
    adjud.armies(MATCH)
    return adjud


@pytest.fixture
def page(adjud: Adjud, open_page: OpenPage) -> Page:
    adjud.does("submit", "-", stdin=f"ORDERS {MATCH} white\nMARK d8 P?\nEND\n")
    return open_page(adjud.does("report", MATCH, "white", "--format", "html"))


def test_a_tap_on_an_unknown_enemy_piece_marks_it(page: Page, adjud: Adjud) -> None:
    assert page.locator(".marks text").all_text_contents() == ["P?"]
    choose(page, "e8")
    page.get_by_role("button", name="General").click()
    assert body(page)[-1] == "MARK e8 5"
    page.get_by_label("Mark it:").fill("strong")
    assert body(page)[-1] == "MARK e8 strong"
    choose(page, "d8")
    page.get_by_role("button", name="No mark").click()
    assert body(page)[-2:] == ["MARK e8 strong", "MARK d8"]
    assert page.locator(".marks text").all_text_contents() == ["strong"]
    page.reload()
    take_up(page)
    assert body(page)[-2:] == ["MARK e8 strong", "MARK d8"]


def test_marks_are_set_with_the_keyboard_alone(page: Page) -> None:
    page.locator("[data-square=e8]").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert body(page)[-1] == "MARK e8 1"


def test_a_mark_goes_beside_steps_and_a_piece_that_is_chosen_steps_on(page: Page) -> None:
    choose(page, "a3", "a4")
    choose(page, "e8")
    page.get_by_role("button", name="General").click()
    choose(page, "c3", "c4")
    assert body(page) == ["a3-a4", "c3-c4", "MARK e8 5"]
