"""Use the composer of Spies in a browser: tap a spy and its goals, add steps, place pieces."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from msgspec.structs import replace
from playwright.sync_api import Page

from adjudicator.core.match import Seat
from adjudicator.core.orders import split_lines
from adjudicator.core.report import AnyReport
from adjudicator.games.spies import SPIES
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.state import State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.reports.render import render
from adjudicator.service.reports import building, printing
from tests.browser.browsing import played
from tests.browser.conftest import OpenPage
from tests.games.spies.matches import CHANCE, begun, setting
from tests.games.standing import standing


def told(state: State, seat: str) -> AnyReport:
    return building.report(standing(SPIES, state), Seat(seat))


def opened(
    open_page: OpenPage, state: State, seat: str = "germany", language: str = "en", **how: Any
) -> Page:
    return open_page(render(SPIES, told(state, seat), "html", language), **how)


def sheet(page: Page) -> list[str]:
    return page.locator(".place-sheet textarea").input_value().split("\n")


def status(page: Page) -> str:
    return page.locator("[role=status]").inner_text()


def tap(page: Page, *things: str) -> None:
    """Tap pieces, named by their codes, and cities, named by theirs."""
    for thing in things:
        if "-" in thing:
            page.locator(f"[data-piece={thing}]").click()
        else:
            page.locator(f"[data-place={thing}]").click()


def accepted(state: State, lines: list[str], seat: str = "germany") -> bool:
    read = SPIES.orders.parse(split_lines("\n".join(lines[1:-1])))
    return not read.problems and not SPIES.orders.check(observe(state, Seat(seat)), read)


def test_goals_are_tapped_in_the_order_of_the_wish(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    tap(page, "G-A", "PRA", "VIE")
    page.locator("fieldset[data-step*=DISCOVER] [name=what]").select_option("N-4")
    page.locator("fieldset[data-step*=DISCOVER] [name=tries]").select_option("2")
    page.locator("fieldset[data-step*=DISCOVER] button").click()
    tap(page, "BER")
    page.locator("[data-part=steps] select").last.select_option("CARRYING")
    (line,) = [line for line in sheet(page) if line.startswith("SPY G-A")]
    assert line.replace("NEAR ", "") == (
        "SPY G-A: GO PRA, VIE; DISCOVER N-4 TRIES 2; GO BER IF CARRYING"
    ), "what is out of reach is gone near to"
    assert accepted(state, sheet(page))
    assert "the plans of G-B, G-C, G-D, G-E" in page.locator("#missing").inner_text()


def groups(page: Page) -> list[tuple[str, list[str]]]:
    """Return the secrets that may be chosen for a discovery, as they are grouped."""
    return page.locator("[data-step^=DISCOVER] [name=what] optgroup").evaluate_all(
        "all => all.map(one => [one.label, [...one.children].map(({ value }) => value)])"
    )


def test_what_lies_at_the_last_goal_is_offered_first(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    finds = page.locator("[data-part=finds]")
    tap(page, "G-A", "PRA", "ZUR")
    (place, here), (_, elsewhere) = groups(page)
    assert place == "PRA Prague, ZUR Zürich"
    assert here == ["N-4", "N-3"]
    assert "G-1" not in elsewhere
    assert "F-1" in elsewhere
    tap(page, "PRA")
    assert groups(page)[0] == ["ZUR Zürich", ["N-3"]]
    tap(page, "ZUR", "VIE")
    assert "There is nothing to discover in VIE Vienna now." in finds.inner_text()


def test_it_is_said_at_once_that_a_spy_cannot_discover(open_page: OpenPage):
    state = begun(setting(5))
    hand = replace(state.hands["germany"], chits={"papers": 1})
    spies = {**state.spies, "G-A": replace(state.spies["G-A"], city="WAR", carries="N-5")}
    secrets = {**state.secrets, "N-5": replace(state.secrets["N-5"], spy="G-A")}
    state = replace(state, hands={**state.hands, "germany": hand}, spies=spies, secrets=secrets)
    page = opened(open_page, state)
    finds = page.locator("[data-part=finds]")
    tap(page, "G-A", "PRA")
    assert "You have no DISCOVERY." in finds.inner_text()
    assert "G-A already carries N-5." in finds.inner_text()
    tap(page, "G-B")
    assert "already" not in finds.inner_text()
    tap(page, "G-A", "BER")  # where it is cashed
    assert "already" not in finds.inner_text()


def test_a_goal_out_of_reach_is_gone_near_to(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    spy, far = next(
        (spy, city)
        for spy in state.spies
        for city in atlas().cities
        if spy[0] == "G" and out_of_reach(state, spy, city)
    )
    tap(page, spy, far)
    assert f"SPY {spy}: GO NEAR {far}" in sheet(page)
    assert "out of reach" in status(page)


def out_of_reach(state: State, spy: str, city: str) -> bool:
    return atlas().distance(state.spies[spy].city or "", city) > atlas().most_spaces


def test_a_goal_that_is_tapped_again_is_taken_back(open_page: OpenPage):
    page = opened(open_page, begun(setting(5)))
    tap(page, "G-A", "PRA", "PRA")
    assert not [line for line in sheet(page) if line.startswith("SPY")]


def test_cities_are_reached_by_the_arrow_keys(open_page: OpenPage):
    page = opened(open_page, begun(setting(5)))
    tap(page, "G-A")
    page.locator("[data-place=BER]").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.place") in ("COL", "HAM")
    page.keyboard.press("Enter")
    assert any(line.startswith("SPY G-A: GO ") for line in sheet(page))


def test_police_go_where_there_is_room_at_home(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    tap(page, "G-P1", "PAR")
    assert "must be in a home" in status(page)
    told = {piece.city for code, piece in state.police.items() if code.startswith("G-")}
    free = next(city for city in ("KON", "COL", "BSL", "MUN", "HAM", "BER") if city not in told)
    tap(page, free)
    assert f"POLICE G-P1 {free}" in sheet(page)
    assert accepted(state, sheet(page))


def test_standing_orders_and_the_tile_stand_in_forms(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    page.locator("[name=tile]").select_option(index=1)
    for drawer in page.locator(".drawer > summary").all():
        drawer.click()
    answers = page.locator("fieldset[data-line^=ANSWER]")
    answers.locator("[name=act]").select_option("ESCAPE")
    answers.locator("[name=whom]").select_option("italy")
    answers.locator("[name=cond]").select_option("CARRYING>=3")
    answers.locator("button").click()
    flee = page.locator("fieldset[data-line^=FLEE]")
    flee.locator("[name=one]").select_option("VIE")
    flee.locator("[name=two]").select_option("PRA")
    flee.locator("button").click()
    lines = sheet(page)
    assert lines[1].startswith(("PLAY", "DISCARD"))
    assert "ANSWER ESCAPE AGAINST italy IF CARRYING>=3" in lines
    assert "FLEE ALL: VIE, PRA" in lines
    assert accepted(state, lines)


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
def test_a_set_up_is_placed_piece_by_piece(open_page: OpenPage, language: str):
    state = match.set_up(setting(5), CHANCE)
    page = opened(open_page, state, language=language)
    assert page.locator("[data-part=copy]").get_attribute("aria-disabled") == "true"
    tap(page, "G-1", *("BER", "BER", "HAM", "HAM", "KON", "MUN", "COL"))  # the secrets
    tap(page, *("BER", "BER", "HAM", "HAM", "KON", "MUN", "MUN"))  # police
    tap(page, *("LIS", "BRU", "ZUR", "PRA", "WAR"))  # spies
    assert accepted(state, sheet(page)), sheet(page)
    assert page.locator("[data-part=copy]").get_attribute("aria-disabled") == "false"


def test_adjud_may_place_everything(open_page: OpenPage):
    state = match.set_up(setting(5), CHANCE)
    page = opened(open_page, state)
    page.locator("[data-part=auto]").click()
    assert sheet(page)[1:-1] == ["SETUP AUTO"]


def test_a_spy_is_chosen_by_the_city_where_it_stands(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    tap(page, str(state.spies["G-A"].city))
    pressed = page.locator("[data-piece][aria-pressed=true]").get_attribute("data-piece")
    assert pressed
    assert state.spies[pressed].city == state.spies["G-A"].city


@pytest.mark.parametrize("width", [320, 390])
def test_a_finger_beside_a_city_means_the_nearest_one(width: int, open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state, width=width, touch=True)
    tap(page, "G-A")
    away = 12 / 2**0.5  # on the circle of 24 pixels across
    for n, city in enumerate(("PRA", "VIE", "TRI", "PAL")):
        x, y = middle(page, city)
        page.touchscreen.tap(x + away * (-1) ** n, y + away * (-1) ** (n // 2))
        assert city in next(line for line in sheet(page) if line.startswith("SPY G-A"))
        assert city in status(page)
        tap(page, city)  # again: it is taken back


def test_no_code_is_broken_between_two_lines_on_a_phone(open_page: OpenPage):
    shown = played("years")["over"]["germany"]
    page = open_page(printing.printed(shown, "html"), width=320)
    found = page.locator(".hand, .place-news, .cities, .powers-table").evaluate_all(CODES)
    assert len(found) > 100
    assert [code for code, lines in found if lines > 1] == []
    table = page.locator(".powers-table").bounding_box()
    assert table
    assert table["width"] <= 320 - table["x"]  # nothing of it has to be scrolled for


CODES = """(parts) => parts.flatMap((part) => {
  const found = [];
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (const code of texts.currentNode.data.matchAll(/[A-Z][-\u2011]P?[0-9A-E]/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, code.index);
      range.setEnd(texts.currentNode, code.index + code[0].length);
      found.push([code[0], new Set([...range.getClientRects()].map(({ top }) => top)).size]);
    }
  }
  return found;
})"""


def test_a_tap_far_from_all_cities_means_none(open_page: OpenPage):
    page = opened(open_page, begun(setting(5)))
    tap(page, "G-A")
    before = (sheet(page), status(page))
    page.locator("svg.board").first.click(position={"x": 5, "y": 5})
    assert (sheet(page), status(page)) == before


def middle(page: Page, thing: str) -> tuple[float, float]:
    found = page.locator(f"[data-piece={thing}], [data-place={thing}]")
    found.scroll_into_view_if_needed()
    box = found.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, thing: str, city: str) -> None:
    page.locator(f"[data-place={city}]").scroll_into_view_if_needed()
    page.mouse.move(*middle(page, thing))
    page.mouse.down()
    x, y = middle(page, city)
    page.mouse.move(x, y - 20)
    page.mouse.move(x, y)
    page.mouse.up()


def homes(state: State) -> tuple[str, str, str]:
    """Return a police piece of Germany, its city, and a home city where none is."""
    code, city = next((c, str(p.city)) for c, p in state.police.items() if c.startswith("G-"))
    held = {piece.city for c, piece in state.police.items() if c.startswith("G-")}
    return code, city, next(c for c in ("KON", "COL", "BSL", "MUN", "HAM", "BER") if c not in held)


def test_police_are_dragged_between_home_cities(open_page: OpenPage):
    state = begun(setting(5))
    code, city, free = homes(state)
    page = opened(open_page, state)
    drag(page, city, free)
    assert f"POLICE {code} {free}" in sheet(page)
    assert page.locator(".ghost").count() == 0
    drag(page, free, "PAR")
    assert "must be in a home" in status(page)
    drag(page, free, city)  # and home again
    assert f"POLICE {code} {city}" in sheet(page)
    assert accepted(state, sheet(page))


def test_police_are_dragged_from_their_buttons(open_page: OpenPage):
    state = begun(setting(5))
    code, _, free = homes(state)
    page = opened(open_page, state)
    page.set_viewport_size({"width": 1440, "height": 1800})
    drag(page, code, free)
    assert f"POLICE {code} {free}" in sheet(page)
    tap(page, "G-A", "PRA")  # a spy is not dragged, and clicks count again
    assert any(line.startswith("SPY G-A: GO PRA") for line in sheet(page))


def test_one_drag_of_the_set_up_places_one_piece(open_page: OpenPage):
    page = opened(open_page, match.set_up(setting(5), CHANCE))
    page.set_viewport_size({"width": 1440, "height": 1800})
    first, second = (
        page.locator("[data-piece]").nth(n).get_attribute("data-piece") for n in (0, 1)
    )
    assert first
    assert second
    tap(page, first, "BER")
    drag(page, "BER", "HAM")
    lines = [line for line in sheet(page) if line.split(" ")[0] in (first, second)]
    assert lines[0].startswith(f"{first} HAM")
    assert ".." in lines[1] or lines[1].split(" ")[1:] != ["HAM"]


@pytest.mark.parametrize("placing", [True, False])
def test_commands_go_alone_or_beside(placing: bool, open_page: OpenPage):
    state = match.set_up(setting(5), CHANCE) if placing else begun(setting(5))
    page = opened(open_page, state)
    page.locator(".commands summary").click()
    page.get_by_label("Keep the turn open until the deadline").check()
    page.get_by_label("Offer or accept a draw").check()
    lines = [line for line in sheet(page) if not line.startswith("#")][1:-1]
    assert lines == ["DRAW", "NOTREADY"]
    page.get_by_label("Resign:").check()
    page.get_by_label("Yes, I'm sure: I resign").check()
    assert sheet(page)[1:-1] == ["RESIGN"]


def test_a_power_whose_orders_are_not_awaited_offers_a_draw_or_resigns(open_page: OpenPage):
    state = begun(setting(5, "turns"))
    page = opened(open_page, state, "italy", width=390)
    assert [line for line in sheet(page) if line] == ["ORDERS m italy epoch bcdfg7", "END"]
    page.locator(".commands summary").click()
    page.get_by_label("Offer or accept a draw").check()
    assert sheet(page)[1:-1] == ["DRAW"]
    page.get_by_label("Resign:").check()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.get_by_label("Offer or accept a draw").uncheck()
    page.get_by_label("Yes, I'm sure: I resign").check()
    assert sheet(page)[1:-1] == ["RESIGN"]
