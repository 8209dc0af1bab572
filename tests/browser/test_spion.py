"""Use Spion's pages in a browser: a sheet by pointing and by forms, and stepping through a
match."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from msgspec import convert
from msgspec.structs import replace
from playwright.sync_api import Locator, Page, expect

from adjudicator.core.message import tell
from adjudicator.core.orders import split_lines
from adjudicator.games.spion import SPION
from adjudicator.games.spion.sight.view import View
from adjudicator.reports.frame import ReplyForm
from adjudicator.service.reports import printing
from adjudicator.store.database import Store
from tests.browser.browsing import played
from tests.browser.conftest import OpenPage
from tests.games.spion.test_page import plies, told
from tests.games.spion.test_page import report as told_in
from tests.program import SEED, Adjud
from tests.reports.printing import render
from tests.service.club import MONDAY
from tests.service.spionclub import SpionClub

MATCH = "spion-1"
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


def missing(page: Page) -> str:
    """Return what the page says at the button is not filled in."""
    note = page.locator("[data-part=missing]")
    return note.inner_text() if note.is_visible() else ""


def form(page: Page, line: str) -> Locator:
    """Return the form that writes such lines."""
    return page.locator(f"fieldset[data-line^='{line}']")


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


def test_a_turn_is_played_by_keyboard_alone(adjud: Adjud, open_page: OpenPage):
    seat = mover(adjud)
    stands = body(adjud, seat)
    first, second = stands["reach"][0], stands["reach"][-1]
    page = opened(adjud, open_page, seat)
    tab_to(page, "[data-square]")
    assert page.evaluate("document.activeElement.dataset.square") == first
    page.keyboard.press("Enter")
    assert said(page).startswith(f"Choice 1: {first}.")
    walk(page, square_of(stands, first), square_of(stands, second))
    page.keyboard.press(" ")
    assert accepted(adjud, page) == [f"MOVE {first}, {second}"]
    page.keyboard.press("Backspace")
    assert accepted(adjud, page) == [f"MOVE {first}"]
    tab_to(page, "[data-part=choice]")
    page.keyboard.press("End")
    tab_to(page, "[data-part=choose]")
    page.keyboard.press("Enter")
    assert accepted(adjud, page)[0].startswith(f"MOVE {first}, NEAR ")
    tab_to(page, "[data-part=copy]")


def test_what_is_left_open_is_not_sent_or_said_to_be_the_rules_affair(
    adjud: Adjud, open_page: OpenPage
):
    seat = mover(adjud)
    page = opened(adjud, open_page, seat)
    copy = page.get_by_role("button", name="Copy orders")
    assert missing(page) == "Not ready to send: 'MOVE ...' is not filled in."
    expect(copy).to_be_disabled()
    copy.click(force=True)
    assert said(page) == missing(page)
    choose(form(page, "PLACE"), place="2")
    assert accepted(adjud, page) == ["PLACE 2"]
    assert missing(page) == (
        "'MOVE ...' is not filled in, so your standing orders and the default rules decide."
    )
    expect(copy).to_be_enabled()
    cell(page, body(adjud, seat)["reach"][0]).click()
    assert missing(page) == ""


def test_a_turn_is_tapped_on_a_phone(adjud: Adjud, open_page: OpenPage):
    seat = mover(adjud)
    reach = body(adjud, seat)["reach"]
    page = opened(adjud, open_page, seat, width=320, touch=True)
    cell(page, "HOL").tap()
    assert said(page) == (
        "HOL is out of reach: as choice 1, your spy goes as near to it as it can. Your orders: "
        "MOVE NEAR HOL. Now send them."
    )
    page.get_by_label("only if a card is there").tap()
    cell(page, reach[-1]).tap()
    assert accepted(adjud, page) == [f"MOVE NEAR HOL IF CARD, {reach[-1]}"]
    page.get_by_label(f"Move up: {reach[-1]}").tap()
    assert accepted(adjud, page) == [f"MOVE {reach[-1]}, NEAR HOL IF CARD"]
    assert page.locator(".composed text").all_text_contents() == ["1", "2"]
    page.get_by_label("Remove: HOL, Netherlands").tap()
    cell(page, reach[-1]).tap()
    assert lines(page) == ["MOVE ..."]
    assert said(page).startswith(f"{reach[-1]} is no longer a choice. Choose on the board")


def test_commands_go_alone_or_beside(adjud: Adjud, open_page: OpenPage):
    seat = mover(adjud)
    page = opened(adjud, open_page, seat, width=390)
    page.locator(".commands summary").click()
    page.get_by_label("Keep the turn open until the deadline").check()
    assert lines(page) == ["NOTREADY"]
    assert missing(page) == ""
    assert accepted(adjud, page) == []
    goal = body(adjud, seat)["reach"][0]
    cell(page, goal).click()
    page.get_by_label("Offer or accept a draw").check()
    assert lines(page) == [f"MOVE {goal}", "DRAW", "NOTREADY"]
    assert accepted(adjud, page) == [f"MOVE {goal}"]
    page.get_by_label("Resign:").check()
    page.get_by_label("Yes, I'm sure: I resign").check()
    assert sheet(page).input_value().split("\n")[1:-1] == ["RESIGN"]


def test_a_card_taken_and_standing_orders_are_written_as_lines(adjud: Adjud, open_page: OpenPage):
    seat = mover(adjud)
    page = opened(adjud, open_page, seat)
    cell(page, body(adjud, seat)["reach"][0]).click()
    choose(form(page, "PLACE"), place="2")
    page.locator(".composer summary").first.click()
    answer = form(page, "ANSWER")
    choose(answer, who="*", take="3")
    answer.locator("[name=take]").nth(1).select_option("1")
    answer.locator("[name=final]").check()
    add(answer)
    becomes = form(page, "{kind}")
    choose(becomes, kind="FIFTH", card="ATOM", act="OUT KEMI", to="POR")
    becomes.locator("[name=to]").nth(1).select_option("DAN")
    add(becomes)
    choose(becomes, kind="KEEP", card="*", act="PLACE 4")
    add(becomes)
    reach = body(adjud, seat)["reach"]
    assert accepted(adjud, page) == [
        f"MOVE {reach[0]}",
        "PLACE 2",
        "ANSWER * FINAL: TAKE 3,1",
        "FIFTH ATOM: OUT KEMI TO POR, DAN",
        "KEEP *: PLACE 4",
    ]
    choose(form(page, "PLACE"), place="")
    page.get_by_label("Remove: FIFTH ATOM").click()
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
    page.locator(".composer summary").first.click()
    assert "# KEEP *: REFUSE\n# FIFTH *: REFUSE" in sheet(page).input_value()
    choose(form(page, "{kind}"), kind="KEEP", card="*", act="PLACE 4")
    add(form(page, "{kind}"))
    assert "# KEEP" not in sheet(page).input_value()
    assert "# FIFTH *: REFUSE" in sheet(page).input_value()
    notes = page.locator("[data-standing]").all_inner_texts()
    assert notes == ["replaced by your new lines", ""]


def test_what_was_changed_by_hand_is_left_alone_until_the_reader_says_so(
    adjud: Adjud, open_page: OpenPage
):
    seat = mover(adjud)
    reach = body(adjud, seat)["reach"]
    page = opened(adjud, open_page, seat)
    mine = f"ORDERS {MATCH} {seat} turn 1\nMOVE NEAR NOR # mine\nEND\n"
    sheet(page).fill(mine)
    cell(page, reach[0]).click()
    assert sheet(page).input_value() == mine
    assert "You edited the orders by hand" in said(page)
    page.locator("[data-part=by-hand] button").click()
    assert lines(page) == [f"MOVE {reach[0]}"]


def test_a_reader_is_answered_in_his_language(adjud: Adjud, open_page: OpenPage):
    adjud.does("player", "set", "Anna", "--language", "nb")
    adjud.does("player", "set", "Bob", "--language", "nb")
    page = opened(adjud, open_page, mover(adjud))
    cell(page, "c3").click()
    assert said(page) == "c3: dit kan spioner ikke gå"


# With positions that occur only now and then.


def awaited(stage: str) -> printing.Printable:
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
    page = open_page(printing.printed(report, "html"))
    cell(page, "e2").click()
    assert said(page) == "A double: you must challenge, and your spy does not move."
    challenge = form(page, "CHALLENGE")
    whom = challenge.locator("[name=whom] option").last.get_attribute("value") or ""
    choose(challenge, whom=whom, guess="KEMI")
    add(challenge)
    choose(challenge, guess="ATOM")
    add(challenge)
    assert check(report.body, page) == [f"CHALLENGE {whom} KEMI", f"CHALLENGE {whom} ATOM"]
    page.get_by_label(f"Move up: CHALLENGE {whom} ATOM").click()
    assert lines(page) == [f"CHALLENGE {whom} ATOM", f"CHALLENGE {whom} CHEMISTRY"]


def test_a_wrong_guess_is_answered(open_page: OpenPage):
    report = awaited("asked")
    page = open_page(printing.printed(report, "html"))
    cell(page, "e2").click()
    assert said(page) == "You are asked for an answer; nobody moves until you give it."
    challenger = report.body["pending"]["challenger"]
    filled = next(e["filled"] for e in report.body["seats"] if e["seat"] == challenger)
    add(form(page, "{kind}"))
    assert missing(page) == f"Not ready to send: 'ANSWER {challenger}: TAKE ...' is not filled in."
    page.get_by_label("Remove: KEEP").click()
    answer = form(page, "ANSWER")
    places = answer.locator("[name=take]").first.locator("option").all_inner_texts()
    assert places == [str(n) for n in filled]
    choose(answer, take=places[-1])
    add(answer)
    choose(form(page, "{kind}"), kind="KEEP", card="ATOM", act="REFUSE", to="HOL")
    add(form(page, "{kind}"))
    assert check(report.body, page) == [
        f"ANSWER {challenger}: TAKE {places[-1]}",
        "KEEP ATOM: REFUSE TO HOL",
    ]


def test_an_ambush_is_laid_from_a_square_beside_its_victim(open_page: OpenPage):
    stands = told_in("waylaying")
    page = open_page(render(SPION, stands, "html"))
    ambush = form(page, "AMBUSH")
    victim, spots = next(iter(stands["ambushes"].items()))
    choose(ambush, whom=f"{victim} 1", guess="RYMD")
    offered = ambush.locator("[name=via] option:not([disabled])").all_text_contents()
    assert offered == ["the first square by column and row", *spots]
    choose(ambush, via=spots[-1])
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
    swap = form(page, "{swap}")
    cell(page, "e2").click()
    assert said(page) == "Your spy cannot move now."
    values = [option.get_attribute("value") for option in swap.locator("option").all()]
    for value in filter(None, values):
        choose(swap, swap=value)
        assert check(stands, page) == [value]
    choose(swap, swap="")
    assert lines(page) == ["SWAP ..."]


@pytest.mark.parametrize("kind", ["turns", "quick"])
@pytest.mark.parametrize("width", [320, 1440])
def test_cells_lie_on_the_squares_that_they_are(kind: str, width: int, open_page: OpenPage):
    report = next(r for r in played(kind)["late"].values() if r.body["template"])
    page = open_page(printing.printed(report, "html"), width=width)
    places = page.locator(".pointed > .board [data-place]")
    for n in range(0, places.count(), 9):
        place = places.nth(n).get_attribute("data-place") or ""
        drawn, pointed = centre(places.nth(n)), centre(cell(page, place))
        assert drawn == pytest.approx(pointed, abs=3), place


@pytest.mark.parametrize("attached", [False, True], ids=["live", "by-letter"])
@pytest.mark.parametrize("kind", ["turns", "rounds", "quick"])
def test_all_of_the_board_is_seen_and_has_room_for_a_finger_on_a_phone(
    kind: str, attached: bool, open_page: OpenPage
):
    stages = played(kind)
    for stage in ("middle", "late"):  # with bodyguards at home, and away from there
        found = next(r for r in stages[stage].values() if r.body["template"])
        report = replace(found, reply=ReplyForm(None, attached=attached))
        page = open_page(printing.printed(report, "html"), width=320, touch=True)
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
    page = open_page(printing.printed(report, "html"))
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


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 320)])
@pytest.mark.parametrize("stage", ["setup", "late", "double", "asked"])
def test_axe_finds_nothing_while_an_order_is_composed(
    stage: str, scheme: str, width: int, open_page: OpenPage
):
    page = open_page(printing.printed(awaited(stage), "html"), scheme=scheme, width=width)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    for place in ("BRI", "HOL", "e2"):
        cell(page, place).click()
    add(form(page, "{kind}"))
    add(form(page, "ANSWER"))
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 320)])
def test_axe_finds_nothing_in_a_match_that_still_waits_for_phrases(
    scheme: str, width: int, store: Store, tmp_path: Path, open_page: OpenPage
):
    club = SpionClub(store, tmp_path / "spool")
    club.open(older=True)
    report = next(r for r in printing.newest(store, "m", now=MONDAY) if r.body["template"])
    page = open_page(printing.printed(report, "html"), scheme=scheme, width=width)
    page.fill("[name=text]", "words")
    assert lines(page) == ["PHRASE words"]
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [390, 768])
def test_on_a_small_screen_the_board_comes_before_the_news_and_the_dice(
    width: int, open_page: OpenPage
):
    page = open_page(printing.printed(awaited("late"), "html"), width=width)
    order = [".pointed > .board", ".composer", ".place-news", ".holder", ".dice", "textarea"]
    tops = [page.locator(part).first.bounding_box()["y"] for part in order]
    assert tops == sorted(tops)


# Looking back.


@cache
def html(stage: str, kind: str = "turns", seat: str = "blue") -> str:
    return printing.printed(played(kind)[stage][seat], "html")


def label(page: Page) -> str:
    return page.locator(".when").inner_text()


def button(page: Page, name: str) -> None:
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
    links = page.locator(".points a").all()
    assert links
    for link in reversed(links):
        link.click()
        expect(page.locator(".when")).to_have_text(link.inner_text())


def test_the_record_is_there_to_take_away(open_page: OpenPage, tmp_path: Path):
    page = open_page(html("over"))
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
    page.locator(".history > details summary").click()
    turns = page.locator(".moments > li").all_text_contents()
    assert turns[0].startswith("The beginning")
    assert turns[1].startswith("Turn 1, ")


def test_a_letter_has_neither_scripts_nor_what_they_read():
    for stage in ("setup", "late", "over"):
        letter = printing.printed(played("turns")[stage]["blue"], "letter")
        for trace in ("<script", "<template", "composer-data", "data-line", "data-changes"):
            assert trace not in letter


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 320)])
def test_who_waits_offers_a_draw_or_resigns(
    scheme: str, width: int, adjud: Adjud, open_page: OpenPage
):
    seat = mover(adjud)
    other = "yellow" if seat == "blue" else "blue"
    page = opened(adjud, open_page, other, width=width, scheme=scheme)
    assert re.fullmatch(rf"ORDERS {MATCH} {other} epoch bcdfg\d+\nEND", sheet(page).input_value())
    assert missing(page) == "Not ready to send: it is empty."
    page.locator(".commands summary").click()
    page.get_by_label("Offer or accept a draw").check()
    assert lines(page) == ["DRAW"]
    assert missing(page) == ""
    page.get_by_label("Resign:").check()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.get_by_label("Offer or accept a draw").uncheck()
    page.get_by_label("Yes, I'm sure: I resign").check()
    assert lines(page) == ["RESIGN"]
    answer = adjud("submit", "-", stdin=sheet(page).input_value())
    assert answer.code == 0, answer
    assert "resignation takes effect" in answer.out
