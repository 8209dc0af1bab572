"""Use the map of Spies in a browser: whose journeys it shows, names, and its size."""

import pytest
from playwright.sync_api import Page

from tests import club
from tests.browser.browsing import played
from tests.browser.conftest import OpenPage


@pytest.fixture
def late(open_page: OpenPage) -> Page:
    """Return the page of Germany after five powers have moved, on a telephone."""
    html = club.show(played("years")["late"]["germany"], "html")
    page = open_page(html, width=390, touch=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(100)
    return page


def journeys(page: Page) -> list[str]:
    """Name the powers whose journeys are drawn."""
    return page.locator(".map > .board .ways > g").evaluate_all(
        """(all) => all.filter((one) => getComputedStyle(one).display !== "none")
          .map((one) => one.getAttribute("class"))"""
    )


def view(page: Page) -> tuple[float, float, float, float]:
    told = page.locator(".map > .board").get_attribute("viewBox")
    x, y, width, height = map(float, (told or "").split(" "))
    return x, y, width, height


def press(page: Page, what: str) -> None:
    page.locator(f".zoom [value='{what}']").click()


@pytest.mark.parametrize("script", [True, False])
def test_the_journeys_of_one_power_are_drawn_at_a_time(script: bool, open_page: OpenPage):
    """It needs no script."""
    html = club.show(played("years")["late"]["germany"], "html")
    page = open_page(html, script=script)
    assert journeys(page) == []  # while a year is ordered the map has rings
    page.locator("summary", has_text="News").first.click()
    page.locator("#way-france").check()
    assert journeys(page) == ["france"]
    page.locator("label[for=way-russia] .mini").click()
    assert journeys(page) == ["russia"]
    page.get_by_label("nobody's").check()
    assert journeys(page) == []
    assert page.locator(".mini").count() == 5
    assert page.locator(".mini use[href='#ways-italy']").count() == 1


def test_where_nothing_is_ordered_the_readers_own_journeys_are_drawn(open_page: OpenPage):
    html = club.show(played("years")["middle"]["germany"], "html")
    over = club.show(played("years")["over"]["germany"], "html")
    assert journeys(open_page(over)) != []
    assert journeys(open_page(html)) == []


LETTERS = """(all) => all.filter((one) => one.getClientRects().length).map((one) => {
  const { width, height } = one.ownerSVGElement.viewBox.baseVal;
  const box = one.ownerSVGElement.getBoundingClientRect();
  const scale = Math.min(box.width / width, box.height / height);
  return parseFloat(getComputedStyle(one).fontSize) * scale;
})"""


def test_codes_of_cities_have_twelve_pixels_on_a_telephone_and_pieces_theirs_when_it_is_larger(
    late: Page,
):
    labels = late.locator(".map > .board .label text")
    assert min(labels.evaluate_all(LETTERS)) >= 12
    pieces = late.locator(".map > .board .fine text")
    assert pieces.evaluate_all(LETTERS) == []
    assert min(late.locator(".map > .board .coarse text").evaluate_all(LETTERS)) >= 8
    press(late, "+")
    press(late, "+")
    assert min(pieces.evaluate_all(LETTERS)) >= 11
    assert late.locator(".map > .board .coarse text").evaluate_all(LETTERS) == []


def test_the_map_is_larger_and_smaller_by_buttons_and_keys(late: Page):
    whole = view(late)
    press(late, "+")
    assert view(late)[2] == pytest.approx(whole[2] / 1.5, rel=0.01)
    press(late, "0")
    assert view(late) == whole
    late.locator("[data-place][tabindex='0']").focus()
    late.keyboard.press("+")
    assert view(late)[2] < whole[2]
    late.keyboard.press("-")
    assert view(late) == whole


def test_the_wheel_moves_the_page_but_with_control(late: Page):
    whole = view(late)
    late.mouse.move(195, 300)
    late.mouse.wheel(0, -100)
    assert view(late) == whole
    late.keyboard.down("Control")
    late.mouse.wheel(0, -100)
    late.wait_for_function(
        f"document.querySelector('svg.board').viewBox.baseVal.width < {whole[2]}"
    )


def test_a_mouse_drags_a_larger_map(late: Page):
    press(late, "+")
    before = view(late)
    late.mouse.move(195, 300)
    late.mouse.down()
    late.mouse.move(150, 260, steps=4)
    late.mouse.up()
    assert view(late)[0] > before[0]
    assert view(late)[1] > before[1]
    assert view(late)[2] == before[2]


def test_a_touched_city_is_named_with_what_is_there(late: Page):
    label = late.locator(".map > .board .label text", has_text="BER")
    box = label.bounding_box()
    assert box
    for down in (box["height"] / 2, box["height"] / 2 + 14):
        late.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + down)
        assert late.locator(".map-name").inner_text().startswith("BER Berlin: ")
        late.wait_for_timeout(350)  # or it would be a double tap


def test_the_map_of_the_past_is_as_large_as_that_of_the_present(late: Page):
    press(late, "+")
    late.locator("summary", has_text="Replay").first.click()
    late.locator(".replay [value=first]").click()
    late.wait_for_timeout(500)
    boards = late.locator(".map svg.board").evaluate_all(
        "(all) => all.map((one) => one.getAttribute('viewBox'))"
    )
    assert len(boards) == 2
    assert boards[0] == boards[1]


def test_the_map_is_larger_where_nothing_is_ordered(open_page: OpenPage):
    page = open_page(club.show(played("years")["over"]["germany"], "html"), width=390)
    whole = view(page)
    press(page, "+")
    assert view(page)[2] < whole[2]
