"""Use the map of Spies in a browser: whose journeys it shows, names, and its size."""

import pytest
from playwright.sync_api import Page

from adjudicator.service.reports import printing
from tests.browser.browsing import played
from tests.browser.conftest import OpenPage


@pytest.fixture
def late(open_page: OpenPage) -> Page:
    """Return the page of Germany after five powers have moved, on a telephone."""
    html = printing.printed(played("years")["late"]["germany"], "html")
    return open_page(html, width=390, touch=True)


def journeys(page: Page) -> list[str]:
    return page.locator(".map > .board .ways > g").evaluate_all(
        """(all) => all.filter((one) => getComputedStyle(one).display !== "none")
          .map((one) => one.getAttribute("class"))"""
    )


def width(page: Page) -> float:
    box = page.locator(".map > .board").bounding_box()
    assert box
    return box["width"]


def inner(page: Page) -> float:
    return float(page.locator(".map").evaluate("(one) => one.clientWidth"))


def press(page: Page, what: str) -> None:
    page.locator(f".map-tools [value='{what}']").click()


def test_the_journeys_of_one_power_are_drawn_at_a_time(late: Page):
    assert journeys(late) == ["germany"]
    press(late, "france")
    assert journeys(late) == ["france"]
    assert late.locator(".map-tools [aria-pressed=true]").get_attribute("value") == "france"
    press(late, "france")
    assert journeys(late) == []
    late.locator(".mini[data-power=russia]").click()
    assert journeys(late) == ["russia"]


def test_each_power_has_a_small_map_of_its_journeys_without_scripts(open_page: OpenPage):
    html = printing.printed(played("years")["late"]["germany"], "html")
    page = open_page(html, script=False)
    assert journeys(page) == ["germany"]
    assert page.locator(".mini").count() == 5
    assert page.locator(".mini use[href='#ways-italy']").count() == 1


def test_letters_of_the_map_have_eleven_pixels_on_a_telephone(late: Page):
    sizes = late.locator(".map > .board text").evaluate_all(
        """(all) => all.map((one) => {
          const map = one.ownerSVGElement;
          const scale = map.getBoundingClientRect().width / map.viewBox.baseVal.width;
          return parseFloat(getComputedStyle(one).fontSize) * scale;
        })"""
    )
    assert len(sizes) > 80
    assert min(sizes) >= 11


def test_the_map_is_larger_and_smaller_by_buttons_and_keys(late: Page):
    before = width(late)
    press(late, "+")
    assert width(late) == pytest.approx(before * 1.4, rel=0.01)
    press(late, "0")
    assert width(late) == pytest.approx(inner(late), abs=1)
    late.locator(".map").focus()
    late.keyboard.press("+")
    assert width(late) > 500
    late.keyboard.press("-")
    assert width(late) == pytest.approx(inner(late), abs=1)


def test_the_wheel_moves_the_page_until_the_map_was_chosen(late: Page):
    late.locator(".map").scroll_into_view_if_needed()
    late.mouse.move(195, 300)
    before = width(late)
    late.mouse.wheel(0, -100)
    assert width(late) == before
    late.locator(".map").focus()
    late.mouse.wheel(0, -100)
    late.wait_for_function(f"document.querySelector('.map > .board').clientWidth > {before + 50}")


def test_two_fingers_make_the_map_larger(late: Page):
    late.locator(".map").evaluate("(one) => one.scrollIntoView({ block: 'start' })")
    before = width(late)
    send = late.context.new_cdp_session(late).send

    def fingers(kind: str, *places: int) -> None:
        points = [{"x": x, "y": 300, "id": n} for n, x in enumerate(places)]
        send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", 150, 250)
    fingers("touchMove", 125, 275)
    fingers("touchMove", 100, 300)
    fingers("touchEnd")
    assert width(late) == pytest.approx(before * 2, rel=0.05)


def test_a_touched_city_is_named_with_what_is_there(late: Page):
    label = late.locator(".map > .board .label text", has_text="BER")
    label.scroll_into_view_if_needed()
    box = label.bounding_box()
    assert box
    late.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert late.locator(".map-name").inner_text().startswith("BER Berlin: ")
    late.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 30)
    assert late.locator(".map-name").inner_text().startswith("BER Berlin: ")
