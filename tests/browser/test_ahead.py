"""Play on the board what the enemy may do, and answer it in advance."""

import json
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page

from adjudicator.core.message import LANGUAGES
from adjudicator.games.espionage.page import ahead_data
from adjudicator.reports.frame import ReplyForm
from tests.browser.accessible import faults
from tests.browser.browsing import NOW
from tests.browser.conftest import (
    MATCH,
    OpenPage,
    choose,
    menu,
    opened,
    primary,
    reload,
    sheet,
    unfold,
)
from tests.club import Club, show
from tests.database import open_store
from tests.nightly import mostly_nightly
from tests.program import Adjud


@pytest.fixture
def adjud(marching: Adjud, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Begin to play, with orders in advance offered from the first turn."""
    monkeypatch.setattr(ahead_data, "FIRST", 1)
    return marching


def test_they_are_not_offered_before_the_third_turn(adjud: Adjud, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()
    plan = 'data-part="plan"'
    for n, steps in enumerate(("a3-a4\nc3-c4", "a8-a7\nb8-b7", "a4-a5\nc4-c5", "a7-a6\nb7-b6")):
        seat = "black" if n % 2 else "white"
        assert plan not in adjud.does("report", MATCH, seat, "--format", "html")
        adjud.does("submit", "-", stdin=f"ORDERS {MATCH} {seat}\n{steps}\nEND\n")
        adjud.does("tick")
    assert plan in adjud.does("report", MATCH, "white", "--format", "html")


def press(page: Page, *names: str) -> None:
    for name in names:
        page.get_by_role("button", name=name, exact=True).click()


def told(page: Page) -> str:
    return page.locator("[role=status]").inner_text()


def answers(adjud: Adjud, page: Page, command: str = "check") -> list[Any]:
    """Return what the program says of each sheet of the page."""
    answer = adjud(command, "-", "--format", "json", stdin=sheet(page) + "\n")
    assert answer.code == 0, answer
    return [json.loads(line) for line in answer.out.strip().split("\n")]


def test_the_present_turn_and_cases_of_the_next_go_in_one_email(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    choose(page, "a3", "a4", "c3", "c4")
    press(page, "Order in advance on the board")
    choose(page, "a8", "a7", "a4", "a5", "d3", "d4")  # from where the pieces will stand
    press(page, "Add case", "My answer")
    choose(page, "d3", "d4", "b3", "b4")
    assert sheet(page).split("\n") == [
        "ORDERS espionage-1 white turn 1 epoch bcdfg1",
        "a3-a4",
        "c3-c4",
        "END",
        "ORDERS espionage-1 white turn 2 epoch bcdfg1",
        "IF a8-a7: a4-a5, d3-d4",
        "ELSE: d3-d4, b3-b4",
        "END",
    ]
    now, later = answers(adjud, page)
    assert (now["turn"], now["orders"]) == (1, ["a3-a4", "c3-c4"])
    assert (later["turn"], later["kept"], later["warnings"]) == (2, True, [])
    page.click("button.primary")
    assert primary(page) == "Copy orders"  # there is no address
    assert page.locator(".composed .theirs").count() == 0
    page.click("[data-part=undo]")
    assert "c3-c4" not in sheet(page)


def test_a_seat_that_is_not_awaited_answers_in_advance_and_is_played_so(
    adjud: Adjud, open_page: OpenPage
):
    page = opened(adjud, open_page, "black")
    press(page, "Order in advance on the board")
    choose(page, "a3", "a4", "a8", "a7", "b8", "b7")
    press(page, "Add case", "My answer")
    choose(page, "i8", "i7", "j8", "j7")
    answers(adjud, page, "submit")
    adjud.does("submit", "-", "--tick", stdin=f"ORDERS {MATCH} white turn 1\na3-a4\nc3-c4\nEND\n")
    news = json.loads(adjud.does("report", MATCH, "white", "--format", "json"))["news"]
    assert [(s["from"], s["to"]) for s in news if s["side"] == "black"] == [
        ("a8", "a7"),
        ("b8", "b7"),
    ]


def test_what_is_kept_is_changed_and_withdrawn(adjud: Adjud, open_page: OpenPage):
    kept = ["IF a8-a7 AND NOT LOST d4: a3-a4, c3-c4", "ELSE: b3-b4, d3-d4"]
    frame = f"ORDERS {MATCH} white turn 2 epoch bcdfg1\n{{}}\nEND\n"
    adjud.does("submit", "-", stdin=frame.format("\n".join(kept)))
    adjud.does("submit", "-", stdin=f"ORDERS {MATCH} white turn 3\na3-a4\nc3-c4\nEND\n")
    page = opened(adjud, open_page)
    rows = page.locator("[data-part=sent] li")
    assert rows.count() == 2
    press(page, "Change: turn 2")
    assert sheet(page) == frame.format("\n".join(kept)).strip()
    page.get_by_role("button", name="2: b3-b4, d3-d4").click()
    page.click("[data-part=undo]")
    choose(page, "f3", "f4")
    press(page, "Withdraw: turn 3")
    later, gone = answers(adjud, page, "submit")
    assert later["orders"] == [kept[0], "ELSE: b3-b4, f3-f4"]
    assert (gone["turn"], gone["accepted"]) == (3, True)
    left = json.loads(adjud.does("report", MATCH, "white", "--format", "json"))["advance"]
    assert left == [{"turn": 2, "lines": [kept[0], "ELSE: b3-b4, f3-f4"]}]


def test_plain_sheets_are_taken_up_as_one_case(adjud: Adjud, open_page: OpenPage):
    adjud.does("submit", "-", stdin=f"ORDERS {MATCH} white turn 3\na3-a4\nc3-c4\nEND\n")
    page = opened(adjud, open_page)
    press(page, "Change: turn 3")
    assert page.locator("[data-part=cases] li").count() == 1
    assert sheet(page).split("\n")[1:-1] == ["a3-a4", "c3-c4"]


@pytest.mark.parametrize("language", mostly_nightly(LANGUAGES, every_day=["sv"]))
def test_every_condition_is_taken_as_it_is_written(
    language: str, adjud: Adjud, open_page: OpenPage
):
    adjud.does("player", "set", "Anna", "--language", language)
    page = opened(adjud, open_page)
    page.click("[data-part=plan]")
    form = page.locator("[data-part=condition]")
    many = form.locator("option[value]").count()
    assert many == 6 + 9
    for n in range(many):
        form.locator("select").nth(0).select_option(index=n)
        if n:
            form.locator("select").nth(1).select_option("d5")
        form.locator("input").set_checked(n % 2 == 1)
        form.locator("button").click()
    page.click("[data-part=mine]")
    choose(page, "a3", "a4", "c3", "c4")
    (answer,) = answers(adjud, page)
    assert answer["kept"]
    line = answer["orders"][0]
    assert line.startswith("IF FIGHT AND NOT LOST d5 AND d5 EMPTY AND NOT d5 OWN AND d5 ENEMY")
    assert line.count(" AND ") == many - 1


def test_it_says_why_not(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    press(page, "Order in advance on the board")
    said = []
    for square in (
        *("a5", "a8", "a9", "a6", "a7"),
        *("b8", "e3", "c6", "a3", "b3", "a4"),
        *("a4", "c5"),
    ):
        choose(page, square)
        said.append(told(page))
    assert said == [
        "there is no enemy piece on a5",
        "a8: choose where it goes.",
        "a9: another enemy piece is there",
        "a8 to a6 is too far; a piece steps one square",
        "Turn 2, case 1: choose your step 1.",
        "the piece on b8 is not yours",
        "your Mine on e3 cannot move",
        "c6 is a volcano",
        "a3: choose where it goes.",
        "your own piece is on b3",
        "Turn 2, case 1: choose your step 2.",
        "a4: two different pieces must move",
        "c5: choose where it goes.",  # nothing stands there now, but something may come
    ]
    choose(page, "d5", "c3")
    assert told(page) == "Your answer is complete; undo a step to choose another."


def test_nothing_half_made_is_sent(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    press(page, "Order in advance on the board")
    choose(page, "a8", "a7", "a3", "a4")
    assert half_made(page) == "a case for turn 2 has no complete answer"
    press(page, "Order in advance on the board")
    choose(page, "c3", "c4")
    assert half_made(page) == ""
    press(page, "Order in advance on the board")
    assert (
        sheet(page).split("\n")[0].endswith("turn 2 epoch bcdfg1")
    )  # the present turn is not begun
    press(page, "Add case", "My answer")
    choose(page, "a3", "a4", "c3", "c4")
    press(page, "Add case", "My answer")
    choose(page, "a3", "a4", "d3", "d4")
    assert half_made(page) == "turn 2 has two cases without a condition"


def half_made(page: Page) -> str:
    """Go back to the present turn, and return what is not ready to be sent."""
    page.click("button.primary")
    menu(page, "Copy orders")
    return told(page).removeprefix("Not ready to send: ").removesuffix(".") * refused(page)


def refused(page: Page) -> bool:
    return page.locator(".told.refused").count() == 1


def test_cases_survive_a_reload(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page, "black")
    press(page, "Order in advance on the board")
    choose(page, "a3", "a4", "a8", "a7", "b8", "b7")
    made = sheet(page)
    reload(page)
    assert "..-.." in sheet(page)
    press(page, "Continue draft")
    assert sheet(page) == made


def test_a_case_is_made_by_keyboard_alone(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    page.get_by_role("button", name="Order in advance on the board").focus()
    page.keyboard.press("Enter")
    page.locator("[data-square][tabindex='0']").focus()
    at = page.evaluate("document.activeElement.dataset.square")
    for square in ("a8", "a7", "a3", "a4", "c3", "c4"):
        across, up = ord(square[0]) - ord(at[0]), int(square[1:]) - int(at[1:])
        for _ in range(abs(across)):
            page.keyboard.press("ArrowRight" if across > 0 else "ArrowLeft")
        for _ in range(abs(up)):
            page.keyboard.press("ArrowUp" if up > 0 else "ArrowDown")
        page.keyboard.press("Enter")
        at = square
    (answer,) = answers(adjud, page)
    assert answer["orders"] == ["IF a8-a7: a3-a4, c3-c4"]
    page.keyboard.press("Backspace")
    assert "..-.." in sheet(page)


def test_without_script_a_sheet_in_advance_stands_there(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page, "black", script=False)
    lines = sheet(page).split("\n")
    assert lines[0] == "ORDERS espionage-1 black turn 1 epoch bcdfg1"
    filled = "\n".join(lines).replace("IF ..-..:", "IF a3-a4:")
    filled = filled.replace("..-.., ..-..", "a8-a7, b8-b7")
    assert adjud("check", "-", stdin=filled + "\n").code == 0


def by_letter(adjud: Adjud, open_page: OpenPage, seat: str = "white", **how: Any) -> Page:
    """Open the page of the email to a seat."""
    with closing(open_store(f"sqlite:///{adjud.file}")) as store:
        shown = Club(store).live_report(MATCH, seat, now=NOW)
    email = show(replace(shown, reply=ReplyForm(None, attached=True)), "html")
    page = open_page(email, **how)
    unfold(page)
    return page


@pytest.mark.parametrize("language", mostly_nightly(LANGUAGES, every_day=["nb"]))
def test_the_page_of_an_email_answers_what_the_enemy_steps_next(
    language: str, adjud: Adjud, open_page: OpenPage
):
    adjud.does("player", "set", "Anna", "--language", language)
    page = by_letter(adjud, open_page, width=390, touch=True)
    choose(page, "a3", "a4", "c3", "c4")
    plan = page.locator("[data-part=plan]")
    plan.click()
    choose(page, "a8", "a7", "b8", "b7", "a4", "a5", "d3", "d4")  # a case with two conditions
    choose(page, "i8", "i7", "a4", "b4", "d3", "d4")  # another one
    choose(page, "d3", "d4", "b3", "b4")  # what is ordered in all others
    now, later = answers(adjud, page)
    assert now["orders"] == ["a3-a4", "c3-c4"]
    assert (later["turn"], later["kept"], later["warnings"]) == (2, True, [])
    assert later["orders"] == [
        "IF a8-a7 AND b8-b7: a4-a5, d3-d4",
        "IF i8-i7: a4-b4, d3-d4",
        "ELSE: d3-d4, b3-b4",
    ]
    assert faults(page) == ""
    made = sheet(page)
    reload(page)
    page.click("button.primary")
    assert sheet(page) == made
    plan.click()
    page.click("[data-part=undo]")
    assert "b3-b4" not in sheet(page)
    plan.click()
    assert page.locator(".composed .theirs").count() == 0


def test_the_page_of_an_email_says_why_it_takes_no_such_answer(adjud: Adjud, open_page: OpenPage):
    page = by_letter(adjud, open_page)
    press(page, "Order in advance on the board")
    said = [told(page)]
    for square in (
        *("d5", "c6", "e3", "a8", "a6", "a9", "a8"),
        *("a8", "a7", "c8", "c8", "a3", "a5", "a4"),
        *("b8", "a4", "b3", "b4", "d3", "d4", "c3", "c4", "d3"),
    ):
        choose(page, square)
        said.append(told(page))
    whole = "Turn 2: IF a8-a7: a3-a4, b3-b4. Add another case, or send your orders."
    begun = "Turn 2, case 1: choose the enemy piece that you expect to move."
    assert said == [
        begun,
        "there is no enemy piece on d5",
        "c6 is a volcano",
        "your Mine on e3 cannot move",
        "a8: choose where it goes.",
        "a8 to a6 is too far; a piece steps one square",
        "a9: another enemy piece is there",
        begun,
        "a8: choose where it goes.",
        "Turn 2, case 1: choose your step 1.",
        "c8: choose where it goes.",
        "Turn 2, case 1: choose your step 1.",
        "a3: choose where it goes.",
        "a3 to a5 is too far; a piece steps one square",
        "Turn 2, case 1: choose your step 2.",
        "the piece on b8 is not yours",
        "a4: two different pieces must move",
        "b3: choose where it goes.",
        whole,
        "d3: choose where it goes.",
        "Turn 2, case 2: choose your step 2.",
        "c3: choose where it goes.",
        "Turn 2: d3-d4, c3-c4. Add another case, or send your orders.",
        "turn 2 has two cases without a condition",
    ]
    lines = sheet(page).split("\n")
    assert lines[1:-1] == ["IF a8-a7: a3-a4, b3-b4", "ELSE: d3-d4, c3-c4"]


def test_an_answer_in_an_email_that_is_half_made_is_not_sent(adjud: Adjud, open_page: OpenPage):
    page = by_letter(adjud, open_page)
    press(page, "Order in advance on the board")
    choose(page, "a8", "a7", "a3", "a4")
    assert half_made(page) == "a case for turn 2 has no complete answer"
    press(page, "Order in advance on the board")
    for _ in range(3):
        page.click("[data-part=undo]")
    assert "turn 2" not in sheet(page)


def test_where_nothing_is_kept_nothing_is_offered(tmp_path: Path):
    program = Adjud(tmp_path / "off")
    (tmp_path / "off").mkdir(exist_ok=True)
    program.club()
    program.match(MATCH, "--option", "advance=off")
    program.armies(MATCH)
    for seat in ("white", "black"):
        assert "ahead-data" not in program.does("report", MATCH, seat, "--format", "html")


@pytest.mark.parametrize(
    ("seat", "screen"),
    mostly_nightly(
        product(["white", "black"], [("light", 1440), ("dark", 390)]),
        every_day=[("white", ("dark", 390))],
    ),
)
def test_axe_finds_nothing_among_orders_in_advance(
    seat: str, screen: tuple[str, int], adjud: Adjud, open_page: OpenPage
):
    scheme, width = screen
    kept = f"ORDERS {MATCH} {seat} turn 3\nIF FIGHT: a3-a4, c3-c4\nEND\n"
    adjud.does("submit", "-", stdin=kept)
    page = opened(adjud, open_page, seat, scheme=scheme, width=width)
    press(page, "Order in advance on the board")
    choose(page, *(("a8", "a7", "a3", "a4") if seat == "white" else ("a3", "a4", "a8", "a7")))
    choose(page, "c3" if seat == "white" else "c8")
    assert faults(page) == ""
