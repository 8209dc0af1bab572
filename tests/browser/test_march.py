"""See on the board what is composed and what was sent, drag pieces, and read why not."""

from pathlib import Path
from time import sleep

import pytest
from playwright.sync_api import CDPSession, Page

from tests.browser.accessible import faults
from tests.browser.conftest import MATCH, OpenPage, body, choose, opened, primary, reload
from tests.nightly import each_once, mostly_nightly
from tests.program import WHITE_ARMY, Adjud

SCREENS = {"desk": (1440, 900), "phone": (390, 844)}


def told(page: Page) -> str:
    return page.locator("[role=status]").inner_text()


def label(page: Page, square: str) -> str | None:
    return page.locator(f"[data-square={square}]").get_attribute("aria-label")


def middle(page: Page, square: str) -> tuple[float, float]:
    box = page.locator(f"[data-square={square}]").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drawn_at(page: Page, square: str) -> list[str]:
    """Return the emails that the composer has drawn on a square."""
    x, y = middle(page, square)
    boxes = page.locator(".composed .letter text").evaluate_all(
        """(texts) => texts.map((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          return [text.textContent, (left + right) / 2, (top + bottom) / 2];
        })"""
    )
    return [email for email, u, v in boxes if abs(u - x) < 18 and abs(v - y) < 12]


def test_after_a_step_the_piece_stands_on_its_new_square(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    choose(page, "b3", "b4")
    assert drawn_at(page, "b4") == ["S"]
    assert page.locator(".composed .veil").count() == 1
    assert (label(page, "b3"), label(page, "b4")) == ("b3: empty", "b4: your Spy")
    choose(page, "a3", "b3")  # onto the square that is free now (2.5)
    assert drawn_at(page, "b3") == ["1"]
    page.click("[data-part=undo]")
    page.click("[data-part=undo]")
    assert page.locator(".composed .veil, .composed .letter").count() == 0
    assert label(page, "b3") == "b3: your Spy"


def test_a_piece_that_attacks_stands_before_the_other(marching: Adjud, open_page: OpenPage):
    for turn, (white, black) in enumerate([("d3-d4", "d8-d7"), ("d4-d5", "d7-d6")], start=1):
        for seat, step, other in (("white", white, "i"), ("black", black, "a")):
            way = {"white": (2 + turn, 3 + turn), "black": (9 - turn, 8 - turn)}[seat]
            second = f"{other}{way[0]}-{other}{way[1]}"
            sheet = f"ORDERS {MATCH} {seat} turn {turn}\n{step}\n{second}\nEND\n"
            marching.does("submit", "-", "--tick", stdin=sheet)
    page = opened(marching, open_page)
    choose(page, "d5", "d6")
    assert label(page, "d6") == "d6: your General attacks here"
    assert drawn_at(page, "d6") == []
    assert page.locator(".composed .letter text").text_content() == "5"
    choose(page, "a3", "a4")
    assert body(page) == ["d5-d6", "a3-a4"]


def test_orders_in_force_are_drawn_and_can_be_changed(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    assert primary(page) == "(Step 1 of 2)"
    marching.does("submit", "-", stdin=f"ORDERS {MATCH} white turn 1\na3-a4\nc3-c4\nEND\n")
    page = opened(marching, open_page)
    assert told(page) == "Your orders are in: a3-a4, c3-c4."
    assert primary(page) == "(Change them)"
    assert page.locator(".composed .way.sent").count() == 2
    assert body(page) == ["..-..", "..-.."]
    page.click("button.primary")
    assert body(page) == ["a3-a4", "c3-c4"]
    assert drawn_at(page, "a4") == ["1"]
    assert page.evaluate("document.activeElement.matches('.primary.send')")
    page.click("[data-part=undo]")
    choose(page, "d3", "d4")
    assert body(page) == ["a3-a4", "d3-d4"]


def test_what_was_sent_is_not_offered_as_a_draft(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    choose(page, "a3", "a4", "c3", "c4")
    sheet = page.locator(".place-sheet textarea").input_value()
    marching.does("submit", "-", stdin=sheet)
    Path(page.url.removeprefix("file://")).write_text(
        marching.does("report", MATCH, "white", "--format", "html"), encoding="utf-8"
    )
    reload(page)
    assert not told(page).startswith("You have a draft")
    assert page.evaluate("localStorage.length") == 0


def test_a_set_up_in_force_is_seen_and_can_be_changed(adjud: Adjud, open_page: OpenPage):
    sheet = f"ORDERS {MATCH} white turn 0\nSETUP\n{WHITE_ARMY}\nEND\n"
    adjud.does("submit", "-", stdin=sheet)
    page = opened(adjud, open_page)
    assert told(page) == "Your set-up has been received."
    assert page.locator(".cells .faint").count() == 30
    assert body(page)[1:] == ["." * 10] * 3
    page.click("button.primary")
    assert body(page)[1:] == WHITE_ARMY.split("\n")
    choose(page, "a1", "b1")
    assert body(page)[3][:2] == WHITE_ARMY.split("\n")[2][1::-1]
    assert page.locator(".cells .faint").count() == 0


@pytest.mark.parametrize(("placing", "screen"), each_once([True, False], [*SCREENS]))
def test_why_not_is_on_the_screen_where_it_is_clicked(
    screen: str, placing: bool, adjud: Adjud, open_page: OpenPage
):
    """Whichever square is clicked, the line that answers can be read, and covers no square."""
    if not placing:
        adjud.armies(MATCH)
    width, height = SCREENS[screen]
    page = opened(adjud, open_page, width=width)
    page.set_viewport_size({"width": width, "height": height})
    for square in ("e6", "a1", "j10", "j1", "a10", "a6"):
        choose(page, square)
        refused = "refused" in str(page.locator("[role=status]").get_attribute("class"))
        assert refused == (placing or square not in ("j10", "a10"))  # enemies are marked
        line = page.locator("[role=status]").bounding_box()
        clicked = page.locator(f"[data-square={square}]").bounding_box()
        assert line
        assert clicked
        assert line["y"] >= 0
        assert line["y"] + line["height"] <= height, square
        is_beside = line["x"] >= clicked["x"] + clicked["width"]
        assert is_beside or line["y"] >= clicked["y"] + clicked["height"], square
        on_top = page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y).closest('[role]')?.getAttribute('role')",
            [line["x"] + 20, line["y"] + line["height"] / 2],
        )
        assert on_top == "status"


def test_the_board_is_larger_where_there_is_room(marching: Adjud, open_page: OpenPage):
    sides = []
    for width in (1024, 1440):
        box = opened(marching, open_page, width=width).locator(".pointed > .board").bounding_box()
        assert box
        assert box["height"] <= 900 - 3 * 16  # below the line of head
        sides.append(box["width"])
    assert sides[0] < 700 < 800 < sides[1]


def test_a_piece_is_dragged_to_its_target(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    page.drag_and_drop("[data-square=a3]", "[data-square=a4]")
    assert body(page) == ["a3-a4"]
    page.drag_and_drop("[data-square=c3]", "[data-square=c5]")
    assert told(page) == "c3 to c5 is too far; a piece steps one square"
    page.drag_and_drop("[data-square=c3]", "h1")  # away from the board: taken back
    assert told(page) == "Now choose your second piece."
    page.drag_and_drop("[data-square=c3]", "[data-square=c4]")
    assert body(page) == ["a3-a4", "c3-c4"]
    page.drag_and_drop("[data-square=d3]", "[data-square=d4]")
    assert body(page) == ["a3-a4", "c3-c4"]
    assert page.locator(".ghost").count() == 0


def test_a_finger_drags_a_piece_on_which_it_has_rested(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page, width=390, touch=True)
    page.locator("[data-square=e6]").scroll_into_view_if_needed()
    finger = page.context.new_cdp_session(page)
    touch(finger, middle(page, "a3"), middle(page, "a4"), rest=400)
    assert body(page) == ["a3-a4"]
    page.locator("[data-square=c3]").tap()
    touch(finger, middle(page, "c3"), middle(page, "c4"), rest=0)  # one that is chosen goes at once
    assert body(page) == ["a3-a4", "c3-c4"]


def touch(
    finger: CDPSession, start: tuple[float, float], goal: tuple[float, float], *, rest: int
) -> None:
    """Put a finger down, let it rest so many milliseconds, and move it on."""

    def send(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    send("touchStart", start)
    sleep(rest / 1000)
    for n in range(1, 11):
        x, y = (a + (b - a) * n / 10 for a, b in zip(start, goal, strict=True))
        send("touchMove", (x, y))
    send("touchEnd")


def test_a_finger_scrolls_the_page_from_a_piece(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page, width=390, touch=True)
    page.locator("[data-square=a3]").scroll_into_view_if_needed()
    before, (x, y) = page.evaluate("scrollY"), middle(page, "a3")
    touch(page.context.new_cdp_session(page), (x, y), (x, y - 300), rest=0)
    assert page.evaluate("scrollY") > before + 50
    assert body(page) == ["..-..", "..-.."]


@pytest.mark.parametrize(
    ("scheme", "width"), mostly_nightly([("light", 1440), ("dark", 390)], every_day=[("dark", 390)])
)
def test_axe_finds_nothing_where_orders_are_in_force(
    scheme: str, width: int, marching: Adjud, open_page: OpenPage
):
    marching.does("submit", "-", stdin=f"ORDERS {MATCH} white turn 1\na3-a4\nc3-c4\nEND\n")
    page = opened(marching, open_page, scheme=scheme, width=width)
    for _ in range(2):
        assert faults(page) == ""
        page.locator("button.primary").evaluate("button => button.click()")
