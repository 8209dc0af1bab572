"""Use Spion's pages in a browser: a sheet by pointing and by forms, and stepping through a
match."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert
from msgspec.structs import replace
from playwright.sync_api import Locator, Page, expect

from adjudicator.core.message import tell
from adjudicator.core.orders import split_lines
from adjudicator.games.spion import SPION
from adjudicator.games.spion.sight.view import View
from adjudicator.reports.frame import ReplyForm
from tests.browser.accessible import faults
from tests.browser.browsing import played
from tests.browser.conftest import OpenPage
from tests.club import Printable, Store, show
from tests.games.spion.test_page import plies, told
from tests.games.spion.test_page import report as told_in
from tests.nightly import each_once, mostly_nightly
from tests.program import SEED, Adjud
from tests.reports.printing import render
from tests.service.spionclub import SpionClub

MATCH = "spion-1"
AXE_SCREENS = [("light", 1440), ("dark", 320)]
Body = Mapping[str, Any]


def sheet(page: Page) -> Locator:
    return page.locator(".place-sheet textarea")


def lines(page: Page) -> list[str]:
    """Return what the sheet orders, without remarks."""
    body = sheet(page).input_value().strip().split("\n")[1:-1]
    return [line for line in body if line[0] != "#"]


def said(page: Page) -> str:
    return page.locator("[role=status]").inner_text()


def cell(page: Page, square: str) -> Locator:
    return page.locator(f"[data-square={square}]")


def primary(page: Page) -> Locator:
    """Return the large button of the bar."""
    return page.locator(".bar .primary:visible")


def chips(page: Page) -> list[str]:
    return page.locator(".opts button").all_inner_texts()


def chip(page: Page, text: str) -> Locator:
    return page.locator(".opts").get_by_role("button", name=text)


def unfold(page: Page) -> None:
    """Open all rows."""
    page.evaluate(
        "document.querySelectorAll('details:not(.more)').forEach((one) => (one.open = true))"
    )


def form(page: Page, line: str) -> Locator:
    """Return the form that writes such lines."""
    return page.locator(f"fieldset[data-line^='{line}']")


def card_form(page: Page) -> Locator:
    """Return the form of KEEP and FIFTH."""
    return page.locator("fieldset:has([name=kind])")


def choose(where: Locator, **values: str) -> None:
    for name, value in values.items():
        where.locator(f"[name={name}]").first.select_option(value)


def add(where: Locator) -> None:
    where.get_by_role("button", name="Add line").click()


# With the program.


@pytest.fixture
def adjud(tmp_path: Path) -> Adjud:
    program = Adjud(tmp_path)
    program.club()
    seats = ("--seat", "blue=Anna", "--seat", "yellow=Bob")
    program.does("new", "spion", "--match", MATCH, *seats, "--seed", SEED)
    return program


def mover(adjud: Adjud) -> str:
    """Return the seat that is to move."""
    return next(seat for seat in ("blue", "yellow") if body(adjud, seat)["template"])


def body(adjud: Adjud, seat: str) -> Any:
    return json.loads(adjud.does("report", MATCH, seat, "--format", "json"))


def opened(adjud: Adjud, open_page: OpenPage, seat: str, **how: Any) -> Page:
    return open_page(adjud.does("report", MATCH, seat, "--format", "html"), **how)


def accepted(adjud: Adjud, page: Page) -> list[str]:
    """Return the orders of the sheet in the page as `adjud check` takes them."""
    answer = adjud("check", "-", "--format", "json", stdin=sheet(page).input_value())
    assert answer.code == 0, answer
    orders: list[str] = json.loads(answer.out)["orders"]
    return orders


def tab_to(page: Page, wanted: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"no Tab leads to {wanted}")


def square_of(body: Body, place: str) -> str:
    cells = {entry["code"]: entry["cell"] for entry in body["board"]["embassies"]}
    return cells.get(place, place)


def walk(page: Page, start: str, goal: str) -> None:
    """Walk to a square by arrow keys, row 1 above."""
    across, down = ord(goal[0]) - ord(start[0]), int(goal[1:]) - int(start[1:])
    for key, many in (("ArrowRight", across), ("ArrowLeft", -across)):
        for _ in range(many):
            page.keyboard.press(key)
    for key, many in (("ArrowDown", down), ("ArrowUp", -down)):
        for _ in range(many):
            page.keyboard.press(key)


def first_goal(body: Body) -> str:
    """Return where the keyboard begins: a card in reach, if there is one."""
    cards = {entry["code"] for entry in body["board"]["embassies"] if entry["card"]}
    return next((place for place in body["reach"] if place in cards), body["reach"][0])


def test_a_turn_is_played_by_keyboard_alone_and_gives_the_sheet_of_taps(
    adjud: Adjud, open_page: OpenPage
):
    seat = mover(adjud)
    stands = body(adjud, seat)
    first = first_goal(stands)
    second = next(place for place in reversed(stands["reach"]) if place != first)
    tapped = opened(adjud, open_page, seat, touch=True)
    for place in (first, second):
        cell(tapped, place).tap()
    page = opened(adjud, open_page, seat)
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('[data-square]')"):
            break
    assert page.evaluate("document.activeElement.dataset.square") == first
    page.keyboard.press("Enter")
    assert said(page).startswith("Your spy goes to ")
    walk(page, square_of(stands, first), square_of(stands, second))
    page.keyboard.press(" ")
    assert accepted(adjud, page) == [f"MOVE {first}, {second}"]
    assert sheet(page).input_value() == sheet(tapped).input_value()
    page.keyboard.press("Backspace")
    assert accepted(adjud, page) == [f"MOVE {first}"]
    tab_to(page, ".opts button")
    page.keyboard.press("Enter")
    assert lines(page) == ["MOVE ..."]
    tab_to(page, ".bar button.primary")


def test_what_is_left_open_is_not_sent_or_said_to_be_the_rules_affair(
    adjud: Adjud, open_page: OpenPage
):
    seat = mover(adjud)
    page = opened(adjud, open_page, seat)
    expect(primary(page)).to_have_text("Choose a place")
    expect(primary(page)).to_be_disabled()
    unfold(page)
    choose(card_form(page), kind="FIFTH ", card="*: ", act="REFUSE")
    add(card_form(page))
    assert accepted(adjud, page) == ["FIFTH *: REFUSE"]
    assert said(page) == "No move: your standing orders and the default rules decide."
    expect(primary(page)).to_have_text("Copy orders")
    expect(primary(page)).to_be_enabled()
    cell(page, body(adjud, seat)["reach"][0]).click()
    assert len(accepted(adjud, page)) == 2


def test_a_turn_is_tapped_on_a_phone(adjud: Adjud, open_page: OpenPage):
    seat = mover(adjud)
    reach = body(adjud, seat)["reach"]
    page = opened(adjud, open_page, seat, width=320, touch=True)
    cell(page, "HOL").tap()
    assert said(page) == "Your spy goes as near to Netherlands as it can."
    cell(page, reach[-1]).tap()
    assert accepted(adjud, page) == [f"MOVE NEAR HOL, {reach[-1]}"]
    assert page.locator(".composed text").all_text_contents() == ["1", "2"]
    assert chips(page)[:2] == ["1 HOL ×", f"2 {reach[-1]} ×"]
    chip(page, "Remove: Netherlands").tap()
    assert page.locator(".composed text").count() == 0
    assert page.locator(".picked.inner").count() == 1
    cell(page, reach[-1]).tap()
    assert lines(page) == ["MOVE ..."]
    assert said(page).startswith("Choose a marked place.")


def test_a_place_for_a_card_is_offered_only_when_one_is_taken(adjud: Adjud, open_page: OpenPage):
    seat = mover(adjud)
    stands = body(adjud, seat)
    page = opened(adjud, open_page, seat)
    cards = {entry["code"] for entry in stands["board"]["embassies"] if entry["card"]}
    card = next(place for place in cards if place not in stands["reach"])
    street = next(place for place in stands["reach"] if place not in cards)
    cell(page, street).click()
    assert chips(page) == [f"1 {street} ×"]
    cell(page, card).click()
    own = next(entry["filled"] for entry in stands["seats"] if entry["seat"] == seat)
    free = [n for n in (1, 2, 3, 4) if n not in own]
    assert chips(page)[-1] == f"Place {free[0]}"
    chip(page, f"Place {free[0]}").click()
    assert accepted(adjud, page) == [f"MOVE {street}, NEAR {card}", f"PLACE {free[1]}"]


def test_a_goal_counts_only_for_its_card_where_others_move_before(open_page: OpenPage):
    report = played("rounds")["middle"]["blue"]
    page = open_page(show(report, "html"))
    card = next(entry["code"] for entry in report.body["board"]["embassies"] if entry["card"])
    cell(page, card).click()
    page.locator(".opts button", has_text="only for a card").click()
    assert check(report.body, page)[0].endswith(f"{card} IF CARD")
    assert said(page).endswith("if a card is there.")


def test_commands_go_alone_or_beside(adjud: Adjud, open_page: OpenPage):
    seat = mover(adjud)
    page = opened(adjud, open_page, seat, width=390)
    unfold(page)
    page.get_by_label("Keep the turn open until the deadline").check()
    assert lines(page) == ["NOTREADY"]
    expect(primary(page)).to_be_enabled()
    assert accepted(adjud, page) == []
    goal = body(adjud, seat)["reach"][0]
    cell(page, goal).click()
    page.get_by_label("Offer or accept a draw").check()
    assert lines(page) == [f"MOVE {goal}", "DRAW", "NOTREADY"]
    assert accepted(adjud, page) == [f"MOVE {goal}"]
    page.get_by_label("Resign:").check()
    page.get_by_label("Yes, I'm sure: I resign").check()
    assert sheet(page).input_value().split("\n")[1:-1] == ["RESIGN"]


def test_standing_orders_are_written_as_lines(adjud: Adjud, open_page: OpenPage):
    seat = mover(adjud)
    page = opened(adjud, open_page, seat)
    cell(page, body(adjud, seat)["reach"][0]).click()
    unfold(page)
    answer = form(page, "ANSWER")
    choose(answer, who="*", take=": TAKE 3")
    answer.locator("[name=take]").nth(1).select_option(",1")
    answer.locator("[name=final]").check()
    add(answer)
    becomes = card_form(page)
    choose(becomes, kind="FIFTH ", card="ATOM: ", act="OUT KEMI", to=" TO POR")
    becomes.locator("[name=to]").nth(1).select_option(", DAN")
    add(becomes)
    choose(becomes, kind="KEEP ", card="*: ", act="PLACE 4")
    add(becomes)
    reach = body(adjud, seat)["reach"]
    assert accepted(adjud, page) == [
        f"MOVE {reach[0]}",
        "ANSWER * FINAL: TAKE 3,1",
        "FIFTH ATOM: OUT KEMI TO POR, DAN",
        "KEEP *: PLACE 4",
    ]
    page.locator("[data-part=lines]").get_by_label("Remove: FIFTH ATOM").click()
    assert accepted(adjud, page) == [
        f"MOVE {reach[0]}",
        "ANSWER * FINAL: TAKE 3,1",
        "KEEP *: PLACE 4",
    ]


def test_only_the_lines_that_change_are_written(adjud: Adjud, open_page: OpenPage):
    seat = mover(adjud)
    reach = body(adjud, seat)["reach"]
    text = f"ORDERS {MATCH} {seat} turn 1\nMOVE {reach[0]}\nKEEP *: REFUSE\nFIFTH *: REFUSE\nEND\n"
    adjud.does("submit", "-", stdin=text)
    adjud.does("tick")
    other = "yellow" if seat == "blue" else "blue"
    text = f"ORDERS {MATCH} {other} turn 2\nEND\n"
    adjud.does("submit", "-", stdin=text)
    adjud.does("tick")
    page = opened(adjud, open_page, seat)
    unfold(page)
    assert "# KEEP *: REFUSE\n# FIFTH *: REFUSE" in sheet(page).input_value()
    choose(card_form(page), kind="KEEP ", card="*: ", act="PLACE 4")
    add(card_form(page))
    assert "# KEEP" not in sheet(page).input_value()
    assert "# FIFTH *: REFUSE" in sheet(page).input_value()


def test_what_was_changed_by_hand_is_left_alone_until_the_reader_says_so(
    adjud: Adjud, open_page: OpenPage
):
    seat = mover(adjud)
    reach = body(adjud, seat)["reach"]
    page = opened(adjud, open_page, seat)
    unfold(page)
    mine = f"ORDERS {MATCH} {seat} turn 1\nMOVE NEAR NOR # mine\nEND\n"
    sheet(page).fill(mine)
    cell(page, reach[0]).click()
    assert sheet(page).input_value() == mine
    assert "You edited the orders by hand" in said(page)
    page.locator("[data-part=by-hand]").click()
    assert lines(page) == [f"MOVE {reach[0]}"]


def test_a_reader_is_answered_in_his_language(adjud: Adjud, open_page: OpenPage):
    adjud.does("player", "set", "Anna", "--language", "nb")
    adjud.does("player", "set", "Bob", "--language", "nb")
    page = opened(adjud, open_page, mover(adjud))
    cell(page, "c3").click()
    assert said(page) == "c3: dit kan spioner ikke gå"


# With positions that occur only now and then.


def awaited(stage: str) -> Printable:
    return next(r for r in played("turns")[stage].values() if r.body["template"])


def check(body: Body, page: Page) -> list[str]:
    """Check the sheet's orders by its view, and return them."""
    read = SPION.orders.parse(split_lines("\n".join(lines(page))))
    known = {name: body[name] for name in View.__struct_encode_fields__ if name in body}
    view = convert(known, View)
    assert [tell(p.message) for p in (*read.problems, *SPION.orders.check(view, read))] == []
    return [SPION.orders.canonical(order) for order in read.orders]


def test_a_double_is_a_challenge(open_page: OpenPage):
    report = awaited("double")
    page = open_page(show(report, "html"))
    expect(primary(page)).to_have_text("Choose a card")
    cell(page, "e2").click()
    assert said(page) == "A double: you must challenge, and your spy does not move."
    whom = form(page, "CHALLENGE").locator("[name=whom] option").last
    value, name = whom.get_attribute("value"), whom.text_content()
    chip(page, str(name)).click()
    assert said(page) == f"{name}: which type do you guess?"
    chip(page, "CHEMISTRY").click()
    assert check(report.body, page) == [f"CHALLENGE {value} KEMI"]
    expect(primary(page)).to_have_text("Copy orders")
    unfold(page)
    challenge = form(page, "CHALLENGE")
    choose(challenge, whom=str(value), guess=" ATOM")
    add(challenge)
    assert check(report.body, page) == [f"CHALLENGE {value} KEMI", f"CHALLENGE {value} ATOM"]
    chip(page, f"Remove: CHALLENGE {value} CHEMISTRY").click()
    assert lines(page) == [f"CHALLENGE {value} ATOM"]


def test_a_wrong_guess_is_answered(open_page: OpenPage):
    report = awaited("asked")
    page = open_page(show(report, "html"))
    cell(page, "e2").click()
    assert said(page) == "You are asked for an answer; nobody moves until you give it."
    challenger = report.body["pending"]["challenger"]
    filled = next(e["filled"] for e in report.body["seats"] if e["seat"] == challenger)
    unfold(page)
    add(card_form(page))
    expect(primary(page)).to_have_text("Choose a place")
    expect(primary(page)).to_be_disabled()
    page.locator("[data-part=lines]").get_by_label("Remove: KEEP").click()
    assert chips(page) == [f"Place {n}" for n in filled]
    for n in (filled[-1], filled[0]):
        chip(page, f"Place {n}").click()
    assert check(report.body, page) == [f"ANSWER {challenger}: TAKE {filled[-1]},{filled[0]}"]
    chip(page, f"Place {filled[0]}").click()
    choose(card_form(page), kind="KEEP ", card="ATOM: ", act="REFUSE", to=" TO HOL")
    add(card_form(page))
    assert check(report.body, page) == [
        f"ANSWER {challenger}: TAKE {filled[-1]}",
        "KEEP ATOM: REFUSE TO HOL",
    ]


def test_a_fifth_card_is_the_next_thing_when_the_places_are_full(open_page: OpenPage):
    report = awaited_in("quick", "late")
    own = next(e for e in report.body["seats"] if e["seat"] == report.body["seat"])
    assert len(own["filled"]) == 4
    cards = {entry["code"] for entry in report.body["board"]["embassies"] if entry["card"]}
    card = next(place for place in report.body["reach"] if place in cards)
    page = open_page(show(report, "html"))
    cell(page, card).click()
    assert said(page).startswith("Your places are full. What happens with a fifth card?")
    wanted = ["Refuse it", "Give up 1", "Give up 2", "Give up 3", "Give up 4"]
    assert chips(page)[: len(wanted)] == wanted
    assert check(report.body, page) == [f"MOVE {card}"]
    chip(page, "Give up 2").click()
    assert check(report.body, page) == [f"MOVE {card}", "FIFTH *: OUT 2"]
    expect(primary(page)).to_have_text("Copy orders")


def awaited_in(kind: str, stage: str) -> Printable:
    return next(r for r in played(kind)[stage].values() if r.body["template"])


def test_an_ambush_is_laid_from_a_square_beside_its_victim(open_page: OpenPage):
    stands = told_in("waylaying")
    page = open_page(render(SPION, stands, "html"))
    unfold(page)
    ambush = form(page, "AMBUSH")
    victim, spots = next(iter(stands["ambushes"].items()))
    choose(ambush, whom=f"{victim} 1", guess=" RYMD")
    offered = ambush.locator("[name=via] option:not([disabled])").all_text_contents()
    assert offered == ["the first square by column and row", *spots]
    choose(ambush, via=f" VIA {spots[-1]}")
    add(ambush)
    assert check(stands, page) == [f"AMBUSH {victim} 1 RYMD VIA {spots[-1]}"]


def blocked() -> Iterator[Body]:
    for seed in range(1, 60):
        for ply in plies("original", 4, "turns", "honour", seed):
            mover = ply.states[-1].to_move
            stands = told(ply, mover) if mover and not ply.states[-1].pending else {}
            if stands.get("template") and any("SWAP" in line for line in stands["template"]):
                yield stands


def test_a_blocked_spy_swaps_bodyguards_or_passes(open_page: OpenPage):
    stands = next(found for found in blocked() if "in its way: " in render(SPION, found, "txt"))
    page = open_page(render(SPION, stands, "html"))
    cell(page, "e2").click()
    assert said(page) == "Your spy cannot move now."
    *swaps, nothing = chips(page)
    assert swaps
    for name in (*swaps, nothing):
        chip(page, name).click()
        (line,) = check(stands, page)
        assert line == "PASS" if name == nothing else line.startswith("SWAP ")
    page.locator(".opts [aria-label^=Remove]").click()
    assert lines(page) == ["SWAP ..."]


@pytest.mark.parametrize(("kind", "width"), each_once(["turns", "quick"], [320, 1440]))
def test_cells_lie_on_the_squares_that_they_are(kind: str, width: int, open_page: OpenPage):
    report = next(r for r in played(kind)["late"].values() if r.body["template"])
    page = open_page(show(report, "html"), width=width)
    places = page.locator(".pointed > .board [data-place]")
    for n in range(0, places.count(), 9):
        place = places.nth(n).get_attribute("data-place") or ""
        drawn, pointed = centre(places.nth(n)), centre(cell(page, place))
        assert drawn == pytest.approx(pointed, abs=3), place


@pytest.mark.parametrize(
    ("kind", "attached"), each_once(["turns", "rounds", "quick"], [False, True])
)
def test_all_of_the_board_is_seen_and_has_room_for_a_finger_on_a_phone(
    kind: str, attached: bool, open_page: OpenPage
):
    stages = played(kind)
    for stage in ("middle", "late"):  # with bodyguards at home, and away from there
        found = next(r for r in stages[stage].values() if r.body["template"])
        report = replace(found, reply=ReplyForm(None, attached=attached))
        page = open_page(show(report, "html"), width=320, touch=True)
        for width in (320, 348, 349, 350, 360, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert_seen(page, width)


def assert_seen(page: Page, width: int) -> None:
    cells = page.locator("[role=gridcell]").evaluate_all(BOXES)
    assert min(min(right - left, bottom - top) for left, top, right, bottom in cells) >= 24
    drawn = page.locator(f".pointed > .board :is({DRAWN}):not(defs *)").evaluate_all(BOXES)
    assert min(left for left, _, _, _ in (*cells, *drawn)) >= 0
    assert max(right for _, _, right, _ in (*cells, *drawn)) <= width
    names = page.locator(".pointed > .board .coordinate text").evaluate_all(BOXES)
    homes = page.locator(".pointed > .board .base rect").evaluate_all(BOXES)
    assert [home for home in homes if any(meet(home, name) for name in names)] == []
    page.evaluate("scrollTo(500, 0)")
    assert page.evaluate("scrollX") == 0


# The letters of the columns are one text with a place for each.
BOXES = """(shapes) => shapes.flatMap((one) => {
  const isRow = one.closest(".coordinate") && one.textContent.length > 2;
  if (!isRow) return [one.getBoundingClientRect()];
  const at = one.getScreenCTM();
  return Array.from(one.textContent, (letter, n) => {
    const { x, y, width, height } = one.getExtentOfChar(n);
    return DOMRect.fromRect({ x: x * at.a + at.e, y: y * at.d + at.f, width: width * at.a,
      height: height * at.d });
  });
}).map(({ left, top, right, bottom }) => [left, top, right, bottom])"""
DRAWN = "rect, circle, text, use, path:not([marker-start])"


def meet(one: list[float], other: list[float]) -> bool:
    return all(one[n] < other[n + 2] and other[n] < one[n + 2] for n in (0, 1))


def centre(shown: Locator) -> tuple[float, float]:
    box = shown.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_screen_reader_is_told_what_stands_where(open_page: OpenPage):
    report = played("rounds")["late"]["blue"]
    page = open_page(show(report, "html"))
    own = next(entry for entry in report.body["seats"] if entry["seat"] == "blue")
    assert "the spy of Blue" in (cell(page, own["spy"]).get_attribute("aria-label") or "")
    goal = report.body["reach"][0]
    assert "you can reach it" in (cell(page, goal).get_attribute("aria-label") or "")
    cell(page, goal).click()
    assert (cell(page, goal).get_attribute("aria-label") or "").endswith("choice 1")
    expect(cell(page, goal)).to_have_attribute("aria-selected", "true")
    assert cell(page, "NOR").get_attribute("aria-label", timeout=1000).startswith("NOR, Norway: an")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_squares_and_goals_are_marked_without_a_line_from_one_to_the_next(
    scheme: str, adjud: Adjud, open_page: OpenPage
):
    page = opened(adjud, open_page, mover(adjud), scheme=scheme)
    marked = page.locator("svg.board path[marker-start]")
    strokes = marked.evaluate_all("found => found.map(path => getComputedStyle(path).stroke)")
    assert page.locator("path.goal").count() == 1
    assert {*strokes} == {"none"}


@pytest.mark.parametrize(
    ("stage", "screen"),
    mostly_nightly(
        product(["setup", "late", "double", "asked"], AXE_SCREENS),
        every_day=[("late", AXE_SCREENS[1]), ("asked", AXE_SCREENS[0])],
    ),
)
def test_axe_finds_nothing_while_an_order_is_composed(
    stage: str, screen: tuple[str, int], open_page: OpenPage
):
    scheme, width = screen
    page = open_page(show(awaited(stage), "html"), scheme=scheme, width=width)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    for place in ("BRI", "HOL", "e2"):
        cell(page, place).click()
    add(card_form(page))
    add(form(page, "ANSWER"))
    assert faults(page) == ""


@pytest.mark.parametrize(
    ("scheme", "width"), mostly_nightly(AXE_SCREENS, every_day=[("light", 1440)])
)
def test_axe_finds_nothing_in_a_match_that_still_waits_for_phrases(
    scheme: str, width: int, store: Store, tmp_path: Path, open_page: OpenPage
):
    club = SpionClub(store, tmp_path / "spool")
    club.open(older=True)
    report = next(r for r in club.newest_reports("m") if r.body["template"])
    page = open_page(show(report, "html"), scheme=scheme, width=width)
    assert lines(page) == []
    assert check(report.body, page) == []
    unfold(page)
    page.fill("[name=text]", "words")
    add(form(page, "PHRASE"))
    assert lines(page) == ["PHRASE words"]
    assert faults(page) == ""


@pytest.mark.parametrize("width", [390, 768])
def test_on_a_small_screen_the_hand_comes_before_the_bar_and_the_news(
    width: int, open_page: OpenPage
):
    page = open_page(show(awaited("late"), "html"), width=width)
    order = [".pointed > .board", ".dice", ".foes", ".bar", ".place-news"]
    tops = [page.locator(part).first.bounding_box()["y"] for part in order]
    assert tops == sorted(tops)
    dice, own = (page.locator(which).bounding_box() for which in (".dice", ".holder"))
    assert abs(dice["y"] - own["y"]) < 10


# Looking back.


@cache
def html(stage: str, kind: str = "turns", seat: str = "blue") -> str:
    return show(played(kind)[stage][seat], "html")


def label(page: Page) -> str:
    return page.locator(".when").text_content() or ""


def button(page: Page, name: str) -> None:
    """Press a button of the replay, whose row is opened for that."""
    unfold(page)
    page.get_by_role("button", name=name).click()


def board(page: Page, which: str) -> list[str]:
    """Return where the pieces are drawn, and which embassies hold a card."""
    found: list[str] = page.locator(f"{which} svg.board").evaluate(
        """(board) => [
          ...[...board.querySelectorAll(".piece")].map((piece) =>
            piece.textContent.trim() + piece.getAttribute("transform")
              .replace(/[0-9.]+/g, (n) => Number(n).toFixed(1))),
          ...[...board.querySelectorAll(".filled .house")].map((house) => house.dataset.place),
          ...[...board.querySelectorAll(".type, .card + text")].map((card) => card.textContent)
            .sort()]"""  # the two boards draw them in different orders
    )
    return found


@pytest.mark.parametrize("kind", ["turns", "rounds", "quick"])
def test_the_page_opens_at_the_present_and_steps_back(kind: str, open_page: OpenPage):
    page = open_page(html("late", kind))
    assert label(page) == page.locator(".moments b:first-child").all_text_contents()[-1]
    assert page.locator(".moment code, .moments code").count() == 0  # which is for squares
    button(page, "Previous order")
    assert board(page, ".past-board") != board(page, ".pointed >")
    button(page, "Next order")
    assert board(page, ".past-board") == board(page, ".pointed >")
    button(page, "The first turn")
    expect(page.get_by_role("button", name="Previous order")).to_be_disabled()


@pytest.mark.parametrize("stage", ["middle", "late"])
def test_closed_cards_of_the_past_lie_where_the_page_has_them(stage: str, open_page: OpenPage):
    """They lie beside a spy in the same embassy, and have their seals."""
    page = open_page(html(stage, "rounds"))
    button(page, "Previous order")
    button(page, "Next order")
    page.evaluate("document.querySelector('.past-board').hidden = false")
    past, present = (seals(page, board) for board in (".past-board", ".pointed >"))
    assert past == present != []


def seals(page: Page, which: str) -> list[list[int]]:
    """Return where the seals of cards are drawn, in units of the board.

    The page draws one card and uses it wherever a closed one lies.
    """
    found: list[list[int]] = page.locator(f"{which} svg.board").evaluate(
        """(board) => {
        for (const used of board.querySelectorAll("use.card")) {
          const card = document.querySelector(used.getAttribute("href")).cloneNode(true);
          const [x, y] = [used.x.baseVal.value, used.y.baseVal.value];
          card.setAttribute("transform", `translate(${x} ${y})`);
          card.setAttribute("class", "card");
          used.replaceWith(card);
        }
        return [...board.querySelectorAll(".seal, .card path")].map((seal) => {
          const box = seal.getBBox();
          const place = board.getScreenCTM().inverse().multiply(seal.getScreenCTM());
          const point = new DOMPoint(box.x, box.y).matrixTransform(place);
          return [Math.round(point.x), Math.round(point.y)];
        });
        }"""
    )
    return sorted(found)


@pytest.mark.parametrize("kind", ["turns", "rounds", "quick"])
def test_the_replay_goes_from_the_deal_to_the_final_position(kind: str, open_page: OpenPage):
    page = open_page(html("over", kind))
    button(page, "The first turn")
    assert label(page) == "The beginning"
    first = board(page, ".past-board")
    button(page, "The last turn")
    assert label(page) == "The end"
    assert board(page, ".past-board") == board(page, ".pointed >") != first
    held = page.locator(".holders li").first.inner_text()
    cards = next(e["cards"] for e in played(kind)["over"]["blue"].body["seats"])
    assert held.split()[2:] == [card or "-" for card in cards]


def test_turning_points_lead_there(open_page: OpenPage):
    page = open_page(html("over"))
    unfold(page)
    links = page.locator(".points a").all()
    assert links
    for link in reversed(links):
        link.click()
        expect(page.locator(".when")).to_have_text(link.inner_text())


def test_the_record_is_there_to_take_away(open_page: OpenPage, tmp_path: Path):
    page = open_page(html("over"))
    unfold(page)
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the game record").click()
    assert started.value.suggested_filename == "garden.spion"
    started.value.save_as(tmp_path / "record")
    record = played("turns")["over"]["blue"].body["record"]
    assert (tmp_path / "record").read_text("utf-8") == record


@pytest.mark.parametrize("stage", ["late", "over"])
def test_without_script_all_turns_are_told_in_words(stage: str, open_page: OpenPage):
    page = open_page(html(stage), script=False)
    assert not page.locator(".replay").is_visible()
    page.locator(".history summary").first.click()
    page.locator(".history .in summary").last.click()
    turns = page.locator(".moments > li").all_text_contents()
    assert turns[0].startswith("The beginning")
    assert turns[1].startswith("Turn 1, ")


def test_an_email_has_neither_scripts_nor_what_they_read():
    for stage in ("setup", "late", "over"):
        email = show(played("turns")[stage]["blue"], "letter")
        for trace in ("<script", "<template", "composer-data", "data-line", "data-changes"):
            assert trace not in email


@pytest.mark.parametrize(
    ("scheme", "width"), mostly_nightly(AXE_SCREENS, every_day=[("dark", 320)])
)
def test_who_waits_offers_a_draw_or_resigns(
    scheme: str, width: int, adjud: Adjud, open_page: OpenPage
):
    seat = mover(adjud)
    other = "yellow" if seat == "blue" else "blue"
    page = opened(adjud, open_page, other, width=width, scheme=scheme)
    assert re.fullmatch(rf"ORDERS {MATCH} {other} epoch bcdfg\d+\nEND", sheet(page).input_value())
    unfold(page)
    expect(primary(page)).to_have_text("Tick a box")
    expect(primary(page)).to_be_disabled()
    page.get_by_label("Offer or accept a draw").check()
    assert lines(page) == ["DRAW"]
    expect(primary(page)).to_be_enabled()
    page.get_by_label("Resign:").check()
    assert faults(page) == ""
    page.get_by_label("Offer or accept a draw").uncheck()
    page.get_by_label("Yes, I'm sure: I resign").check()
    assert lines(page) == ["RESIGN"]
    answer = adjud("submit", "-", stdin=sheet(page).input_value())
    assert answer.code == 0, answer
    assert "resignation takes effect" in answer.out
