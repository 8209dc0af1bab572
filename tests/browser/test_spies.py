"""Order a year of Spies in a browser: tap where spies go, choose what they do, place pieces."""

from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page

from adjudicator.core.match import Seat
from adjudicator.core.orders import split_lines
from adjudicator.core.report import AnyReport, InForce
from adjudicator.games.spies import SPIES
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.state import State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.render import render
from tests import club
from tests.browser.accessible import faults
from tests.browser.browsing import played
from tests.browser.conftest import OpenPage
from tests.games.spies.matches import CHANCE, begun, setting
from tests.games.standing import standing
from tests.nightly import mostly_nightly

REPLY = ReplyForm("mailto:garden+k3y@play.example.org?subject=Turn")
PHONES = ((390, 844), (390, 664))
PRIMARY = ".primary:visible"
# By day the lower one, where there is less room.
each_phone = pytest.mark.parametrize(
    "size", [pytest.param(PHONES[0], marks=pytest.mark.nightly), PHONES[1]]
)


def told(state: State, seat: str) -> AnyReport:
    return club.report_of(standing(SPIES, state), Seat(seat))


def opened(
    open_page: OpenPage, state: State, seat: str = "germany", language: str = "en", **how: Any
) -> Page:
    html = render(SPIES, told(state, seat), "html", language, reply=REPLY)
    return open_page(html, **how)


def sheet(page: Page) -> list[str]:
    return page.locator(".place-sheet textarea").input_value().split("\n")


def plan(page: Page, spy: str = "G-A") -> str:
    """Return what the sheet says of a spy; empty if nothing."""
    found = [line for line in sheet(page) if line.startswith(f"SPY {spy}: ")]
    return found[0].removeprefix(f"SPY {spy}: ") if found else ""


def status(page: Page) -> str:
    return page.locator("[role=status]").inner_text()


def options(page: Page) -> list[str]:
    return page.locator(".opts button").all_inner_texts()


def option(page: Page, name: str) -> None:
    page.locator(".opts button", has_text=name).first.click()


def tap(page: Page, *things: str) -> None:
    """Tap pieces, named by their codes, and cities, named by theirs."""
    for thing in things:
        if "-" in thing:
            page.locator(f"[data-piece={thing}]").click()
        else:
            page.locator(f"[data-place={thing}]").click()


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.evaluate("document.querySelectorAll('.more').forEach((one) => { one.open = false })")


def accepted(state: State, lines: list[str], seat: str = "germany") -> bool:
    read = SPIES.orders.parse(split_lines("\n".join(lines[1:-1])))
    return not read.problems and not SPIES.orders.check(observe(state, Seat(seat)), read)


def middle(page: Page, city: str) -> tuple[float, float]:
    box = page.locator(f"[data-place={city}]").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def phone(open_page: OpenPage, state: State, size: tuple[int, int], **how: Any) -> Page:
    page = opened(open_page, state, width=size[0], touch=True, **how)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(100)
    return page


def test_one_tap_is_a_whole_order(open_page: OpenPage):
    """There, for the best of what lies there, and home."""
    state = begun(setting(5))
    page = opened(open_page, state)
    tap(page, "G-A", "PRA")
    assert plan(page) == "GO PRA; DISCOVER N-4; GO HOME"
    assert status(page) == "Spy A: → Prague, discover N-4, home."
    assert accepted(state, sheet(page))
    assert options(page) == ["N-4", "Home", "Clear"]
    option(page, "Home")
    assert plan(page) == "GO PRA; DISCOVER N-4"
    option(page, "N-4")
    assert plan(page) == "GO PRA"
    option(page, "N-4")
    option(page, "Home")
    assert plan(page) == "GO PRA; DISCOVER N-4; GO HOME"
    option(page, "Clear")
    assert plan(page) == ""


def test_what_cannot_be_reached_is_gone_near_to(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    spy, far, edge = next(
        (spy, city, edge)
        for spy in state.spies
        for city in atlas().cities
        for edge in atlas().cities
        if spy[0] == "G"
        and spaces(state, spy, city) > atlas().most_spaces
        and spaces(state, spy, edge) == atlas().most_spaces
        and atlas().distance(edge, "BER") > 0
    )
    tap(page, spy, far)
    assert plan(page, spy) == f"GO NEAR {far}"
    option(page, "Clear")
    tap(page, edge)
    assert plan(page, spy).startswith(f"GO {edge}")
    assert plan(page, spy).endswith("GO NEAR HOME")


def spaces(state: State, spy: str, city: str) -> int:
    return atlas().distance(state.spies[spy].city or "", city)


def laden(state: State, chits: int = 1) -> State:
    """Return the match where G-A carries N-5 in Warsaw, and Germany has so many discoveries."""
    hand = replace(state.hands["germany"], chits={"discovery": chits, "papers": 1}, money=99)
    spies = {**state.spies, "G-A": replace(state.spies["G-A"], city="WAR", carries="N-5")}
    secrets = {**state.secrets, "N-5": replace(state.secrets["N-5"], spy="G-A", city="WAR")}
    return replace(state, hands={**state.hands, "germany": hand}, spies=spies, secrets=secrets)


def test_a_discovery_is_ordered_only_where_there_is_a_chit_for_it(open_page: OpenPage):
    state = laden(begun(setting(5)))
    page = opened(open_page, state)
    tap(page, "G-A", "PRA")
    assert plan(page) == "GO PRA; GO HOME"
    assert "A already carries N-5." in status(page)
    page.wait_for_timeout(350)  # or it would be a double tap
    tap(page, "G-B", "PRA")
    assert "DISCOVER N-4" in plan(page, "G-B")
    tap(page, "G-C", "ZUR")
    assert "DISCOVER" not in plan(page, "G-C")
    assert "You have no more DISCOVERY." in status(page)
    option(page, "N-3")  # the reader may know better
    assert "DISCOVER N-3" in plan(page, "G-C")


def test_a_captured_spy_escapes_if_that_can_be_paid(open_page: OpenPage):
    state = begun(setting(5))
    hand = replace(state.hands["germany"], chits={"escape": 1}, money=10)
    spies = {**state.spies, "G-A": replace(state.spies["G-A"], city=None, captor="france")}
    state = replace(state, hands={**state.hands, "germany": hand}, spies=spies)
    page = opened(open_page, state)
    assert "caught" in page.locator("[data-piece=G-A]").inner_text()
    assert plan(page) == ""
    tap(page, "G-A")
    assert options(page) == ["Escape, 10 £"]
    assert plan(page) == "ESCAPE"
    tap(page, "PRA")
    assert plan(page) == "ESCAPE; GO PRA; GO HOME"
    assert accepted(state, sheet(page))
    option(page, "Clear")
    assert plan(page) == ""


@each_phone
def test_a_year_takes_twelve_taps_and_no_scrolling(open_page: OpenPage, size: tuple[int, int]):
    state = begun(setting(5))
    page = phone(open_page, state, size)
    taps = 0
    for n, (spy, goal) in enumerate(zip("ABCDE", ("PRA", "ZUR", "PAR", "MIL", "LEN"), strict=True)):
        page.touchscreen.tap(*middle(page, goal))
        assert plan(page, f"G-{spy}").startswith(f"GO {goal}")
        assert (
            page.locator(PRIMARY).inner_text()
            == f"Next: {('spy B', 'spy C', 'spy D', 'spy E', 'the tile')[n]}"
        )
        page.locator(PRIMARY).tap()
        taps += 2
    page.locator(".opts button").first.tap()
    taps += 1
    assert page.locator(".primary.send:visible").inner_text() == "Send by email"
    assert taps + 1 <= 12
    assert page.evaluate("scrollY") == 0
    assert accepted(state, sheet(page))
    assert sheet(page)[1].startswith("PLAY ")


def test_keys_write_the_same_sheet_as_taps(open_page: OpenPage):
    state = begun(setting(5))
    tapped, typed = opened(open_page, state), opened(open_page, state)
    goals = ("PRA", "ZUR")
    for goal in goals:
        tap(tapped, goal)
        tapped.locator(PRIMARY).click()
    typed.keyboard.press("Tab")
    typed.keyboard.press("Tab")
    for goal in goals:
        walk(typed, goal)
        typed.keyboard.press("Enter")
        typed.locator(PRIMARY).focus()
        typed.keyboard.press("Enter")
        typed.locator("[data-place][tabindex='0']").focus()
    assert sheet(typed) == sheet(tapped)
    assert plan(typed, "G-B")


def walk(page: Page, goal: str) -> None:
    """Go by arrow keys from the city that has the focus to another one, as a reader would look."""
    ways = {(1, 0): "ArrowRight", (-1, 0): "ArrowLeft", (0, 1): "ArrowDown", (0, -1): "ArrowUp"}
    for _ in range(20):
        at = page.evaluate("document.activeElement.dataset.place")
        if at == goal:
            return
        (x, y), (u, v) = middle(page, at), middle(page, goal)
        best = max(ways, key=lambda way: way[0] * (u - x) + way[1] * (v - y))
        page.keyboard.press(ways[best])
    raise AssertionError(f"{goal} is not reached")


def test_rare_steps_are_added_in_detail(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    unfold(page)
    tap(page, "G-A", "PRA")
    goal, find = (page.locator(f"fieldset[data-step^={word}]") for word in ("GO", "DISCOVER"))
    goal.locator("[name=city]").select_option("VIE")
    goal.locator("[name=cond]").select_option("POLICE=0")
    goal.locator("button", has_text="another choice").click()
    assert plan(page) == "GO PRA, VIE IF POLICE=0; DISCOVER N-4; GO HOME"
    find.locator("[name=what]").select_option("N-3")
    find.locator("[name=tries]").select_option("2")
    find.locator("button").click()
    assert plan(page).endswith("GO HOME; DISCOVER N-3 TRIES 2")
    assert accepted(state, sheet(page))
    field = page.get_by_label("Plan of spy A")
    assert field.input_value() == plan(page)
    field.fill("go zur; discover n-3")
    field.press("Enter")
    assert plan(page) == "GO ZUR; DISCOVER N-3"
    tap(page, "G-P1")
    goal.locator("button").first.click()
    assert status(page) == "Choose a spy first."


def test_a_plan_in_detail_speaks_the_readers_language(open_page: OpenPage):
    page = opened(open_page, begun(setting(5)), language="nb")
    unfold(page)
    tap(page, "G-A", "PRA")
    field = page.locator("[data-part=plan]")
    assert field.input_value() == "GÅ PRA; AVSLØR N-4; GÅ HJEM"
    field.fill("GÅ NÆR ZUR; GÅ HJEM")
    field.press("Enter")
    assert "SPION G-A: GÅ NÆR ZUR; GÅ HJEM" in sheet(page)
    assert page.locator(".opts button[aria-pressed=true]").all_inner_texts() == ["Hjem"]


def test_police_go_where_there_is_room_at_home(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    tap(page, "G-P1", "PAR")
    assert "must be in a home" in status(page)
    held = {piece.city for code, piece in state.police.items() if code.startswith("G-")}
    free = next(city for city in ("KON", "COL", "BSL", "MUN", "HAM", "BER") if city not in held)
    tap(page, free)
    (line,) = [line for line in sheet(page) if line.startswith("POLICE")]
    assert line.startswith(f"POLICE G-P1 {free}")
    assert accepted(state, sheet(page))
    option(page, "Clear")
    assert not [line for line in sheet(page) if line.startswith("POLICE")]


def test_the_tile_is_chosen_in_the_bar_and_standing_orders_in_forms(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    tile = page.locator(".chip.tile")
    tile.click()
    assert "Otherwise you discard" in status(page)
    page.locator(".opts button").first.click()
    unfold(page)
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
    assert lines[1].startswith("PLAY")
    assert "ANSWER ESCAPE AGAINST italy IF CARRYING>=3" in lines
    assert "FLEE ALL: VIE, PRA" in lines
    assert accepted(state, lines)
    page.get_by_label("Lines of your orders").fill("HOLD ALL")
    tile.click()
    assert "HOLD ALL" in sheet(page)
    assert "FLEE ALL: VIE, PRA" not in sheet(page)


@pytest.mark.parametrize("language", mostly_nightly(["en", "nb", "sv"], every_day=["sv"]))
def test_a_set_up_is_placed_piece_by_piece(open_page: OpenPage, language: str):
    state = match.set_up(setting(5), CHANCE)
    page = opened(open_page, state, language=language)
    assert page.locator(".send:visible").count() == 0
    tap(page, "G-1", *("BER", "HAM", "BER", "HAM", "KON", "MUN", "COL"))  # the secrets
    tap(page, *("BER", "HAM", "BER", "HAM", "KON", "MUN"))  # police
    page.wait_for_timeout(350)  # or it would be a double tap
    tap(page, "MUN")
    tap(page, *("LIS", "BRU", "ZUR", "PRA", "WAR"))  # spies
    assert accepted(state, sheet(page)), sheet(page)
    assert page.locator(".send:visible").count() == 1
    assert len([line for line in sheet(page) if " ON " in line or " PÅ " in line]) == 6


def test_adjud_may_place_everything_or_the_rest(open_page: OpenPage):
    state = match.set_up(setting(5), CHANCE)
    page = opened(open_page, state)
    page.locator(PRIMARY).click()
    assert sheet(page)[1:-1] == ["SETUP AUTO"]
    tap(page, "G-1", "KON")
    assert page.locator(PRIMARY).inner_text() == "Place the rest for me"
    page.locator(PRIMARY).click()
    assert "G-1 KON" in sheet(page)
    assert accepted(state, sheet(page)), sheet(page)
    assert page.locator(".send:visible").count() == 1


def test_a_year_in_which_all_stay_can_be_sent_and_is_said(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    for _ in range(6):
        page.locator(PRIMARY).click()
    assert status(page) == "A, B, C, D, E stay. Send?"
    assert page.locator(".send:visible").count() == 1
    assert accepted(state, sheet(page))


@pytest.mark.parametrize("placing", [True, False])
def test_orders_that_are_in_are_shown_and_can_be_changed(placing: bool, open_page: OpenPage):
    state = match.set_up(setting(5), CHANCE) if placing else begun(setting(5))
    lines = ("SETUP AUTO",) if placing else ("SPY G-A: GO PRA; DISCOVER N-4", "HOLD ALL")
    report = replace(told(state, "germany"), orders=InForce(revision=1, lines=lines))
    page = open_page(render(SPIES, report, "html", reply=REPLY))
    assert status(page) == f"Your orders are in: {'; '.join(lines)}."
    assert page.locator(PRIMARY).inner_text() == "Change them"
    assert page.locator(".send:visible").count() == 0
    page.locator(PRIMARY).click()
    assert [line for line in sheet(page)[1:-1] if line[0] != "#"] == [*lines]
    assert page.locator(".send:visible").count() == 1
    page.reload()
    assert page.locator(PRIMARY).inner_text() == "Change them"  # nothing was changed


def test_another_own_spy_is_chosen_by_its_city(open_page: OpenPage):
    state = begun(setting(5))
    page = opened(open_page, state)
    other = next(s for s in "BCDE" if state.spies[f"G-{s}"].city != state.spies["G-A"].city)
    tap(page, "G-A", "PRA", str(state.spies[f"G-{other}"].city))
    pressed = page.locator("[data-piece][aria-pressed=true]").get_attribute("data-piece")
    assert pressed
    assert state.spies[pressed].city == state.spies[f"G-{other}"].city
    assert "GO PRA" in plan(page)


@each_phone
def test_each_label_is_in_the_window_and_chooses_its_city(
    size: tuple[int, int], open_page: OpenPage
):
    page = phone(open_page, begun(setting(5)), size)
    labels = page.locator(".map > .board .label text").evaluate_all(LABELS)
    assert len(labels) == 45
    assert all(0 <= x <= size[0] and 44 <= y <= size[1] for _, x, y in labels)
    spots = [(x, y) for _, x, y in labels]
    apart = min((x - u) ** 2 + (y - v) ** 2 for x, y in spots for u, v in spots if (x, y) != (u, v))
    assert apart >= 30**2
    page.evaluate("window.met = []; map.hooks.tapped = (city) => met.push(city); null")
    for _, x, y in labels:
        page.touchscreen.tap(x, y)
    assert page.evaluate("met") == [code for code, _, _ in labels]


LABELS = """(all) => all.map((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return [one.textContent, x + width / 2, y + height / 2];
})"""


def test_a_finger_beside_a_city_means_the_nearest_one(open_page: OpenPage):
    page = phone(open_page, begun(setting(5)), PHONES[0])
    away = 20 / 2**0.5
    for n, city in enumerate(("PRA", "VIE", "TRI", "PAL")):
        x, y = middle(page, city)
        page.touchscreen.tap(x + away * (-1) ** n, y + away * (-1) ** (n // 2))
        assert city in plan(page)
        option(page, "Clear")


def test_a_tap_far_from_all_cities_means_none(open_page: OpenPage):
    page = opened(open_page, begun(setting(5)))
    before = (sheet(page), status(page))
    page.locator("svg.board").first.click(position={"x": 5, "y": 300})
    assert (sheet(page), status(page)) == before


VIEW = "document.querySelector('svg.board').getAttribute('viewBox')"


def test_two_taps_make_the_map_larger_and_order_nothing(open_page: OpenPage):
    page = phone(open_page, begun(setting(5)), PHONES[0])
    whole = page.evaluate(VIEW)
    for _ in range(2):
        page.touchscreen.tap(*middle(page, "PRA"))
    assert page.evaluate(VIEW) != whole
    assert plan(page) == ""


@pytest.mark.parametrize("fingers", [1, 2])
def test_fingers_change_the_map_and_order_nothing(fingers: int, open_page: OpenPage):
    page = phone(open_page, begun(setting(5)), PHONES[0])
    send = page.context.new_cdp_session(page).send

    def touch(kind: str, *places: int) -> None:
        points = [{"x": x, "y": 300 + x // 9, "id": n} for n, x in enumerate(places)]
        send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    if fingers == 1:
        page.locator(".zoom [value='+']").tap()
    before = page.evaluate(VIEW)
    for n in range(4):
        places = (150 - 20 * n, 250 + 20 * n)[:fingers]
        touch("touchMove" if n else "touchStart", *places)
    touch("touchEnd")
    assert page.evaluate(VIEW) != before
    assert plan(page) == ""
    assert page.evaluate("[scrollX, scrollY, visualViewport.scale]") == [0, 0, 1]


def test_no_code_is_broken_between_two_lines_on_a_phone(open_page: OpenPage):
    shown = played("years")["over"]["germany"]
    page = open_page(club.show(shown, "html"), width=320)
    unfold(page)
    found = page.locator(".holding, .tales, .lines, .cities, .powers-table").evaluate_all(CODES)
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


@pytest.mark.parametrize("placing", [True, False])
def test_commands_go_alone_or_beside(placing: bool, open_page: OpenPage):
    state = match.set_up(setting(5), CHANCE) if placing else begun(setting(5))
    page = opened(open_page, state)
    unfold(page)
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
    unfold(page)
    page.get_by_label("Offer or accept a draw").check()
    assert sheet(page)[1:-1] == ["DRAW"]
    page.get_by_label("Resign:").check()
    assert faults(page) == ""
    page.get_by_label("Offer or accept a draw").uncheck()
    page.get_by_label("Yes, I'm sure: I resign").check()
    assert sheet(page)[1:-1] == ["RESIGN"]
