"""Leave a page with an order half composed, and come back to it."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page

from adjudicator.core.composing import draft
from adjudicator.core.match import Seat
from adjudicator.games.spies import SPIES
from adjudicator.reports.render import render
from tests import club
from tests.browser.accessible import faults
from tests.browser.browsing import Shown
from tests.browser.conftest import MATCH, OpenPage, body, choose, menu, opened, reload
from tests.games.spies.matches import begun, setting
from tests.games.standing import standing
from tests.nightly import mostly_nightly
from tests.program import Adjud

# Instead of the browser's own store: none, or another one for each page, as Chromium now and then
# gives it to a file that is loaded again.
STORES = {
    "none": "get() { throw new DOMException('refused', 'SecurityError'); }",
    "another": """value: Object.defineProperties({}, Object.fromEntries(Object.entries({
      getItem(name) { return this[name] ?? null; },
      setItem(name, text) { this[name] = text; },
      removeItem(name) { delete this[name]; },
    }).map(([name, value]) => [name, { value }])))""",
}


def told(page: Page) -> str:
    """Return what the page says of a draft that waits for an answer."""
    if page.locator(".rest").count() == 0:  # a game that has the frame of before
        return page.locator("[data-part=draft] > span").inner_text()
    if page.locator("[data-part=take]").get_attribute("hidden") is not None:
        return ""
    said = page.locator("[role=status]").inner_text()
    return said if said.startswith("You have a draft") else "It waits behind ⋯"


def take_up(page: Page) -> None:
    page.get_by_role("button", name="Continue draft").click()


def throw_away(page: Page) -> None:
    if page.locator(".rest").count():
        return menu(page, "Discard draft")
    return page.get_by_role("button", name="Discard draft").click()


def kept(page: Page) -> list[str]:
    return page.evaluate("Object.keys(localStorage)")


def test_steps_survive_a_reload(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    assert told(page) == ""
    assert kept(page) == []
    choose(page, "a3", "a4")
    page.click("[data-part=draw]")
    assert told(page) == ""
    reload(page)
    assert body(page) == ["..-..", "..-.."]  # nothing is taken up unasked
    assert told(page).startswith("You have a draft from ")
    take_up(page)
    assert body(page) == ["a3-a4", "DRAW"]
    assert page.locator(".composed .way").count() == 1
    assert told(page) == ""
    choose(page, "c3", "c4")
    assert body(page) == ["a3-a4", "c3-c4", "DRAW"]


def test_a_draft_is_thrown_away_where_it_was_found_and_where_it_was_made(
    marching: Adjud, open_page: OpenPage
):
    page = opened(marching, open_page)
    choose(page, "a3", "a4")
    reload(page)
    throw_away(page)
    assert (told(page), kept(page)) == ("", [])
    choose(page, "c3", "c4")
    throw_away(page)
    assert body(page) == ["..-..", "..-.."]
    assert (told(page), kept(page)) == ("", [])
    reload(page)
    assert told(page) == ""


def test_a_draft_that_waits_for_an_answer_is_not_lost_to_a_new_one_undone(
    marching: Adjud, open_page: OpenPage
):
    page = opened(marching, open_page)
    choose(page, "a3", "a4")
    reload(page)
    choose(page, "c3", "c4")
    assert told(page) == "It waits behind ⋯"
    page.click("[data-part=undo]")
    reload(page)
    take_up(page)
    assert body(page) == ["a3-a4"]


def test_a_set_up_survives_a_reload(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    page.click("button.primary")
    choose(page, "a1")
    placed = body(page)
    reload(page)
    take_up(page)
    assert body(page) == placed
    assert len("".join(placed[1:])) == 30
    throw_away(page)
    assert body(page)[1:] == ["." * 10] * 3


def test_what_was_written_by_hand_survives_with_the_steps_behind_it(
    marching: Adjud, open_page: OpenPage
):
    page = opened(marching, open_page)
    choose(page, "a3", "a4")
    mine = "ORDERS espionage-1 white turn 1\nb3-b4 # mine\nc3-c4\nEND"
    page.locator(".place-sheet textarea").fill(mine)
    reload(page)
    take_up(page)
    assert page.locator(".place-sheet textarea").input_value() == mine
    page.locator("[data-part=by-hand]").click()
    assert body(page) == ["a3-a4"]


def test_the_page_of_another_turn_forgets_the_draft(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    page.click("button.primary")
    before = kept(page)
    adjud.armies(MATCH)
    later = adjud.does("report", MATCH, "white", "--format", "html")
    path = Path(page.url.removeprefix("file://"))
    path.write_text(later, encoding="utf-8")
    reload(page)
    assert (told(page), kept(page)) == ("", [])
    choose(page, "a3", "a4")
    (name,) = kept(page)
    assert before[0].split()[:-1] == name.split()[:-1]
    assert (before[0].split()[-1], name.split()[-1]) == ("0", "1")


def test_a_draft_belongs_to_one_club_match_seat_holder_and_turn():
    report = Shown("standard", "late", "awaited", "en").report.report
    others = [
        replace(report, match="other"),
        replace(report, turn=report.turn + 1),
        replace(report, seat="black" if report.seat == "white" else "white"),
        replace(report, tenure=2),
        replace(report, commitments=[replace(c, digest="00") for c in report.commitments]),
    ]
    assert len({tuple(draft(one)) for one in (report, *others)}) == 6


@pytest.mark.parametrize("store", STORES)
def test_what_a_browser_does_not_keep_for_files_survives_a_reload_in_its_tab(
    store: str, marching: Adjud, open_page: OpenPage
):
    page = opened(marching, open_page)
    page.add_init_script(f'Object.defineProperty(window, "localStorage", {{ {STORES[store]} }})')
    reload(page)
    choose(page, "a3", "a4", "c3", "c4")
    made = body(page)
    assert made == ["a3-a4", "c3-c4"]
    reload(page)
    assert body(page) == ["..-..", "..-.."]
    take_up(page)
    assert body(page) == made
    reload(page)
    throw_away(page)
    reload(page)
    assert told(page) == ""
    choose(page, "a8")
    page.get_by_role("button", name="General").click()
    assert body(page)[-1] == "MARK a8 5"
    reload(page)
    assert body(page)[-1] == "MARK a8 5"


@pytest.mark.parametrize("scheme", mostly_nightly(["light", "dark"], every_day=["light"]))
def test_axe_finds_nothing_where_a_draft_is_offered(scheme: str, adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page, scheme=scheme, width=390)
    page.click("button.primary")
    reload(page)
    assert faults(page) == ""


def test_goals_and_lines_of_spion_survive_a_reload(open_page: OpenPage):
    page = open_page(Shown("rounds", "middle", "awaited", "en").html)
    empty = body(page)
    page.locator("[data-square]").first.click()
    page.locator("summary").filter(has_text="Other orders").click()
    page.locator(".composer summary").click()
    page.locator("fieldset[data-line^='ANSWER']").get_by_role("button").click()
    made = body(page)
    assert made != empty
    reload(page)
    assert body(page) == empty
    take_up(page)
    assert body(page) == made
    throw_away(page)
    assert body(page) == empty


def test_plans_and_police_of_spies_survive_a_reload(open_page: OpenPage):
    report = club.report_of(standing(SPIES, begun(setting(5))), Seat("germany"))
    page = open_page(render(SPIES, report, "html", "en"))
    empty = body(page)
    for thing in ("[data-piece=G-A]", "[data-place=PRA]", ".primary:visible", ".primary:visible"):
        page.locator(thing).click()
    for thing in (".chip.tile", ".opts button", "[data-piece=G-P1]", "[data-place=BER]"):
        page.locator(thing).first.click()
    made = body(page)
    assert [line for line in made if line.startswith("SPY G-A: GO")]
    reload(page)
    assert body(page) == empty
    take_up(page)
    assert body(page) == made
    throw_away(page)
    assert body(page) == empty


def test_another_script_of_the_page_takes_part(marching: Adjud, open_page: OpenPage):
    """It is asked where an enemy's piece is chosen with no step begun, and adds lines."""
    page = opened(marching, open_page)
    page.evaluate(
        """() => {
          let marks = [];
          composing.invite("marks", {
            tapped: (square) => { marks = [`MARK ${square} 5?`]; composing.again(); return true; },
            lines: () => marks,
            kept: () => (marks.length ? marks : null),
            takeUp: (kept) => { marks = kept || []; },
          });
        }"""
    )
    choose(page, "a8")
    assert body(page) == ["MARK a8 5?"]
    choose(page, "a3", "a8")
    assert "too far" in page.locator("[role=status]").inner_text()  # a step is begun
    choose(page, "a4", "c3", "c4")
    assert body(page) == ["a3-a4", "c3-c4", "MARK a8 5?"]
    throw_away(page)
    assert body(page) == ["..-..", "..-.."]
