"""Step through a match in the page: with the mouse, with keys, and without script."""

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessible import faults
from tests.browser.browsing import played
from tests.browser.conftest import OpenPage
from tests.club import Printable, show
from tests.nightly import mostly_nightly

Cells = dict[str, str]

# The pieces on the squares of a board, read from its shapes: a letter by its place.
LETTERS = """(board) => Object.fromEntries(
  [...board.querySelectorAll(".letter text")].flatMap((text) => {
    const [across, down] = ["x", "y"].map((name) => text.getAttribute(name).split(" "));
    const aside = text.matches(".unknown") ? 0 : 9;
    return across.map((x, i) => [x - aside + "," + down[i], text.firstChild.textContent[i]]);
  })
)"""


@cache
def report(stage: str, variant: str = "small") -> Printable:
    return next(iter(played(variant)[stage].values()))


def html(stage: str, variant: str = "small") -> str:
    return show(report(stage, variant), "html")


@pytest.fixture
def open_page(open_page: OpenPage) -> OpenPage:
    """Open pages with the row in which they look back."""

    def opened(*given: Any, **how: Any) -> Page:
        page = open_page(*given, **how)
        page.evaluate(
            """for (const row of document.querySelectorAll(".rest .history > details"))
                 row.open = true"""
        )
        return page

    return opened


def label(page: Page) -> str:
    return page.locator(".when").inner_text()


def board(page: Page, which: str) -> Cells:
    found: Cells = page.locator(f"{which} svg.board").evaluate(LETTERS)
    return found


def button(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def is_past(page: Page) -> bool:
    """Is a board of the past seen on that of the present?"""
    return page.locator(".past-board").is_visible()


def options(page: Page) -> None:
    page.get_by_text("Replay options").click()


def test_the_page_opens_at_the_present_and_steps_back_to_the_set_up(open_page: OpenPage):
    page = open_page(html("late"))
    moments = page.locator(".moments > li b").all_text_contents()
    assert label(page) == moments[-1]
    now = page.locator(".moment").inner_text()
    assert not is_past(page)
    button(page, "Previous order")
    assert label(page) == moments[-2]
    assert is_past(page)
    one, other = (
        page.locator(f"{which} svg.board").bounding_box() for which in (".past-board", ".pointed >")
    )
    assert one == other
    assert board(page, ".past-board") != board(page, ".pointed >")
    assert moments[-2] in page.locator(".moment").inner_text()
    button(page, "Next order")
    assert not is_past(page)
    assert page.locator(".moment").inner_text() == now
    assert board(page, ".past-board") == board(page, ".pointed >")
    button(page, "The first turn")
    assert label(page) == "Set-up"
    page.keyboard.press("ArrowLeft")
    assert label(page) == "Set-up"
    expect(page.get_by_role("button", name="Previous order")).to_be_disabled()
    expect(page.get_by_role("button", name="Next order")).to_be_enabled()


@pytest.mark.parametrize("variant", ["small", "open-fast"])
def test_the_replay_goes_from_the_set_up_to_the_final_position(variant: str, open_page: OpenPage):
    page = open_page(html("over", variant))
    assert label(page) == "The end"
    button(page, "The first turn")
    assert label(page) == "Set-up"
    assert board(page, ".past-board") != board(page, ".pointed >")
    button(page, "The last turn")
    assert board(page, ".past-board") == board(page, ".pointed >")


def test_each_moment_is_shown_as_its_own_report_showed_it(open_page: OpenPage):
    """The drawing of the past is that of the page, arrows and fights included."""
    page = open_page(html("late"))
    earlier = open_page(html("middle"))
    name = label(earlier)
    button(page, "The first turn")
    for _ in range(1000):
        if label(page) == name:
            break
        page.keyboard.press("ArrowRight")
    for part in (".letter", ".piece", ".moved"):
        for side in ("white", "black"):
            one, other = (
                shapes(shown, f"{where} svg.board {part}.{side}")
                for shown, where in ((page, ".past-board"), (earlier, ".pointed >"))
            )
            assert one == other


def shapes(page: Page, which: str) -> list[str]:
    """Return the shapes of a group, whatever their order and their titles."""
    found: list[str] = page.locator(which).evaluate(
        """(group) => [group, ...group.children].flatMap((part) => {
          const places = (name) => (part.getAttribute(name) || "").split(" ");
          const drawn = ["cx", "cy", "d"].map((name) =>
            (part.getAttribute(name) || "").split("M").sort().join("M"));
          return places("x").map((x, i) => [part.tagName, x, places("y")[i], ...drawn].join(" "));
        }).sort()"""
    )
    return found


@pytest.mark.parametrize("variant", ["small", "rounds", "years"])
def test_board_and_buttons_are_seen_together_on_a_phone(variant: str, open_page: OpenPage):
    page = open_page(html("late", variant), width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.querySelector('.history > details').open = false")
    page.locator(".history summary").first.click()
    expect(page.locator(".replay")).to_be_in_viewport()
    board, buttons, told = (
        page.locator(which).first.bounding_box()
        for which in (".place .board", ".replay .steppers", ".moment")
    )
    assert board
    assert buttons
    assert told
    assert 44 <= board["y"] <= 48
    assert board["y"] + board["height"] <= buttons["y"]
    assert buttons["y"] + buttons["height"] <= told["y"] <= 844 - 40


def test_keys_step_where_the_reader_is_not_writing(open_page: OpenPage):
    page = open_page(html("late"), width=390)
    page.set_viewport_size({"width": 390, "height": 500})  # too low to keep the board in sight
    last = label(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.keyboard.press("ArrowLeft")
    assert label(page) == last
    page.locator(".place-board").scroll_into_view_if_needed()
    page.keyboard.press("ArrowLeft")
    assert label(page) != last
    page.locator(".replay button").first.focus()
    page.keyboard.press("Home")
    assert label(page) == "Set-up"
    page.keyboard.press("ArrowRight")
    assert label(page).startswith("Turn 1")
    page.keyboard.press("End")
    assert label(page) == last
    options(page)
    page.locator(".replay input").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert label(page) == page.locator(".moments > li b").all_text_contents()[-3]


def test_keys_elsewhere_do_not_step(open_page: OpenPage):
    page = open_page(html("late"))
    last = label(page)
    page.locator(".history .in > details summary").scroll_into_view_if_needed()
    for other in ("textarea", ".place-board [tabindex]", ".history .in > details summary"):
        for found in page.locator(other).all()[:1]:
            if found.is_visible():
                found.focus()
                page.keyboard.press("ArrowLeft")
                page.keyboard.press("Home")
    page.locator(".replay").focus()
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Control+ArrowLeft")
    assert label(page) == last


def test_the_moment_is_said_aloud_and_the_buttons_have_names(open_page: OpenPage):
    page = open_page(html("late"))
    assert page.locator(".moment").get_attribute("aria-live") == "polite"
    assert all(b.get_attribute("aria-label") for b in page.locator(".replay button").all())
    options(page)
    button(page, "The first turn")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "Set-up")
    assert page.locator(".replay button").first.get_attribute("aria-disabled") == "true"
    page.locator(".history .in > details summary").click()
    assert faults(page) == ""


def labels(page: Page) -> list[str]:
    return page.locator(".moments > li b:first-child").all_text_contents()


@pytest.mark.parametrize(
    "variant", mostly_nightly(["small", "rounds", "years"], every_day=["rounds"])
)
def test_the_match_plays_by_itself_when_it_is_asked(variant: str, open_page: OpenPage):
    """It begins anew at the end, ends there, and stops where the reader steps in."""
    page = open_page(html("over", variant), motion=True)
    moments = labels(page)
    play = page.get_by_role("button", name="Play")
    page.keyboard.press("Shift")  # what is new is played no further
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(days=1))
    page.clock.run_for(60_000)
    assert label(page) == moments[-1]  # nothing moves by itself
    expect(play).to_have_attribute("aria-pressed", "false")
    play.click()
    assert label(page) == moments[0]
    expect(play).to_have_attribute("aria-pressed", "true")
    page.clock.run_for(1_600)
    assert label(page) == moments[1]
    options(page)
    page.get_by_label("Speed").select_option("fast")
    page.clock.run_for(1_600)  # the step that was begun, at the old speed
    page.clock.run_for(2 * 700)
    assert label(page) == moments[4]
    play.click()
    page.clock.run_for(60_000)
    assert label(page) == moments[4]
    page.keyboard.press("Space")
    button(page, "Previous order")
    page.clock.run_for(60_000)
    assert label(page) == moments[3]
    play.focus()
    page.keyboard.press("Space")
    page.clock.run_for(700 * len(moments))
    assert label(page) == moments[-1]
    expect(play).to_have_attribute("aria-pressed", "false")


def moving(page: Page) -> int:
    found: int = page.evaluate("document.getAnimations().length")
    return found


@pytest.mark.parametrize("variant", ["small", "rounds", "years"])
def test_pieces_slide_where_motion_is_not_unwelcome(variant: str, open_page: OpenPage):
    still, page = (open_page(html("over", variant), motion=motion) for motion in (False, True))
    for shown, slid in ((still, False), (page, True)):
        button(shown, "The first turn")
        found = 0
        for _ in labels(shown)[1:6]:
            shown.get_by_role("button", name="Next order").click()
            found += moving(shown)
        assert bool(found) == slid


def test_who_goes_to_the_board_is_at_the_present_again(open_page: OpenPage):
    page = open_page(html("late", "standard"))
    button(page, "Previous order")
    page.locator("[data-square][tabindex='0']").focus()
    assert not is_past(page)
    assert label(page) == labels(page)[-1]


@pytest.mark.parametrize("seat", mostly_nightly(["white", "black"], every_day=["black"]))
def test_the_board_is_seen_from_the_other_side(seat: str, open_page: OpenPage):
    shown = show(played("small")["late"][seat], "html")
    page = open_page(shown)
    far = 2 * 26 + 8 * 48
    options(page)
    button(page, "Previous order")
    button(page, "Next order")
    before = board(page, ".past-board")
    signs = page.locator(".past-board .coordinate text")
    written = places(signs)
    volcanoes = page.locator(".past-board .volcano path")
    button(page, "Previous order")
    boxes = [volcanoes.nth(n).bounding_box() for n in range(volcanoes.count())]
    button(page, "Next order")
    button(page, "Flip the board")
    turned = {}
    for place, letter in before.items():
        x, y = place.split(",")
        turned[f"{far - int(x)},{far - (int(y) - 7) + 7}"] = letter
    assert board(page, ".past-board") == turned
    assert places(signs) == [tuple(place[::-1] for place in text) for text in written]
    assert places(page.locator(".pointed > .board .coordinate text")) == written
    now = [volcanoes.nth(n).bounding_box() for n in range(volcanoes.count())]
    assert boxes
    assert now != boxes
    button(page, "Previous order")
    button(page, "Next order")
    assert board(page, ".past-board") == turned
    button(page, "Flip the board")
    assert board(page, ".past-board") == before
    assert places(signs) == written


def places(texts: Locator) -> list[tuple[list[str], list[str]]]:
    """Return where the letters of each text stand, across and down."""
    return [
        ((text.get_attribute("x") or "").split(), (text.get_attribute("y") or "").split())
        for text in texts.all()
    ]


@pytest.mark.parametrize(
    ("variant", "hash", "wanted"),
    [
        ("small", "#turn-0", "Set-up"),
        ("small", "#turn-3", "Turn 3, White"),
        ("small", "#turn-3-black", "Turn 3, Black"),
        ("small", "#end", "The end"),
        ("rounds", "#turn-2", "Turn 2, "),
        ("years", "#year-1935", ", 1935"),
    ],
)
def test_a_link_leads_to_its_moment(variant: str, hash: str, wanted: str, open_page: OpenPage):
    page = open_page(html("over", variant), hash=hash)
    assert wanted in label(page)
    assert page.locator(".replay").evaluate("(one) => document.activeElement === one")
    top, bottom = page.locator(".pointed > .board").first.evaluate(
        "(one) => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom]"
    )
    assert 0 <= top < bottom <= 900


def test_a_moment_has_a_link(open_page: OpenPage):
    page = open_page(html("late"))
    page.locator(".replay").scroll_into_view_if_needed()
    options(page)
    link = page.get_by_role("link", name="Link to this moment")
    for _ in range(3):
        button(page, "Previous order")
    there = label(page)
    link.click()
    address = page.evaluate("location.href")
    assert address.endswith("-white") or address.endswith("-black")
    assert address.startswith("file:")
    button(page, "The first turn")
    page.go_back()
    page.go_forward()
    expect(page.locator(".when")).to_have_text(there)
    page.goto("about:blank")
    page.goto(address)
    assert label(page) == there
    assert not page.locator(".history .in > details").evaluate("(one) => one.open")


def test_a_link_to_no_moment_shows_what_happened_last(open_page: OpenPage):
    page = open_page(html("late"), hash="#turn-999")
    assert label(page) == labels(page)[-1]
    assert page.evaluate("scrollY") == 0


def test_a_finger_steps_on_and_back(open_page: OpenPage):
    page = open_page(html("late"), touch=True, width=390)
    moments = labels(page)
    board = page.locator(".pointed")
    for far, wanted in ((80, -2), (80, -3), (-80, -2), (10, -2)):
        board.evaluate(
            """(board, far) => {
              const at = (x) => [new Touch({ identifier: 1, target: board, clientX: x })];
              board.dispatchEvent(new TouchEvent("touchstart", { touches: at(150) }));
              board.dispatchEvent(new TouchEvent("touchend", { changedTouches: at(150 + far) }));
            }""",
            far,
        )
        assert label(page) == moments[wanted]


def test_a_turning_point_leads_there(open_page: OpenPage):
    page = open_page(html("over"))
    points = page.locator(".points a").all()
    for point in reversed(points):
        point.click()
        expect(page.locator(".when")).to_have_text(point.inner_text())
    assert points


@pytest.mark.parametrize("script", [True, False])
def test_the_record_is_there_to_take_away(script: bool, open_page: OpenPage, tmp_path: Path):
    page = open_page(html("over"), script=script)
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the game record").click()
    assert started.value.suggested_filename == "garden.esp"
    started.value.save_as(tmp_path / "garden.esp")
    assert (tmp_path / "garden.esp").read_text("utf-8") == report("over").body["record"]


@pytest.mark.parametrize("stage", ["late", "over"])
def test_without_script_all_turns_are_told_in_words(stage: str, open_page: OpenPage):
    page = open_page(html(stage), script=False)
    assert not page.locator(".replay").is_visible()
    assert not page.locator(".past-board").is_visible()
    page.locator(".history .in > details summary").click()
    lines = page.locator(".moments > li").all_text_contents()
    assert lines[0] == "Set-up"
    assert lines[1].startswith("Turn 1, White ")
    turns = {line.partition(",")[0] for line in lines}
    assert {f"Turn {n}" for n in range(1, report(stage).report.turn)} <= turns
