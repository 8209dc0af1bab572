"""Put commands into the sheet of a page: beside orders, or instead of them."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from adjudicator.games.espionage.page import ahead_data
from tests.browser import conftest
from tests.browser.accessible import faults
from tests.browser.conftest import MATCH, OpenPage, body, choose, primary, reload, sheet, unfold
from tests.nightly import mostly_nightly
from tests.program import Adjud

OFFER = "Offer or accept a draw"
OPEN = "Keep the turn open until the deadline"
CLOSED = "I'm ready"
WITHDRAW = "Withdraw everything I sent for this turn, and my draw offer"
WITHDRAW_OFFER = "Withdraw my draw offer"
RESIGN = "Resign: a second box asks you to confirm"
SURE = "Yes, I'm sure: I resign"


@pytest.fixture(autouse=True)
def from_the_first_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer orders in advance on the page of the first turn, too."""
    monkeypatch.setattr(ahead_data, "FIRST", 1)


def opened(adjud: Adjud, open_page: OpenPage, **how: Any) -> Page:
    return conftest.opened(adjud, open_page, **how)


def is_ready(page: Page) -> bool:
    """Return whether the large button sends the sheet or, without an address, copies it."""
    return page.locator(".primary.send:visible").count() == 1


def sent(adjud: Adjud, page: Page) -> Any:
    """Send the sheet as it stands in the page."""
    answer = adjud("submit", "-", "--format", "json", stdin=sheet(page))
    assert answer.code == 0, answer
    return json.loads(answer.out)


def test_commands_go_beside_steps(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    choose(page, "a3", "a4", "c3", "c4")
    page.get_by_label(OFFER).check()
    page.get_by_label(OPEN).check()
    assert body(page) == ["a3-a4", "c3-c4", "DRAW", "NOTREADY"]
    assert sent(marching, page)["orders"] == ["a3-a4", "c3-c4"]
    page.get_by_label(CLOSED).check()  # the contrary
    assert body(page) == ["a3-a4", "c3-c4", "DRAW", "READY"]
    assert not page.get_by_label(OPEN).is_checked()


@pytest.mark.parametrize("placing", [True, False], ids=["set-up", "march"])
def test_a_command_may_go_alone(placing: bool, adjud: Adjud, open_page: OpenPage):
    if not placing:
        adjud.armies(MATCH)
    page = opened(adjud, open_page)
    page.get_by_label(OPEN).check()
    assert body(page) == ["NOTREADY"]
    assert is_ready(page)
    assert sent(adjud, page)["orders"] == []


@pytest.mark.parametrize("placing", [True, False], ids=["set-up", "march"])
def test_what_was_sent_is_withdrawn(placing: bool, adjud: Adjud, open_page: OpenPage):
    if not placing:
        adjud.armies(MATCH)
    lines = "SETUP RANDOM" if placing else "a3-a4\nc3-c4"
    turn = 0 if placing else 1
    adjud.does("submit", "-", stdin=f"ORDERS {MATCH} white turn {turn}\n{lines}\nEND\n")
    page = opened(adjud, open_page)
    page.get_by_label(WITHDRAW).check()
    assert body(page) == ["CLEAR"]
    told = page.locator("[role=status]").inner_text()
    assert told == (
        "This sends only CLEAR, without any orders. Send it like this, or untick the box."
    )
    assert sent(adjud, page)["in_force"] is None


def test_nobody_resigns_by_one_click(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    choose(page, "a3", "a4", "c3", "c4")
    assert not page.get_by_label(SURE).is_visible()
    page.get_by_label(RESIGN).check()
    assert body(page) == ["a3-a4", "c3-c4"]
    page.get_by_label(SURE).check()
    assert body(page) == ["RESIGN"]
    page.get_by_label(RESIGN).uncheck()
    assert body(page) == ["a3-a4", "c3-c4"]
    page.get_by_label(RESIGN).check()
    assert not page.get_by_label(SURE).is_checked()


def test_a_draft_holds_commands_but_no_resignation(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    page.get_by_label(OFFER).check()
    page.get_by_label(RESIGN).check()
    page.get_by_label(SURE).check()
    reload(page)
    page.get_by_role("button", name="Continue draft").click()
    assert body(page) == ["DRAW"]


def test_a_resignation_is_sent_in_the_readers_words(adjud: Adjud, open_page: OpenPage):
    adjud.does("player", "set", "Anna", "--language", "sv")
    adjud.armies(MATCH)
    page = opened(adjud, open_page)
    page.get_by_label("Ge upp: bekräfta i rutan som visas").check()
    page.get_by_label("Ja, jag är säker: jag ger upp").check()
    assert body(page) == ["GE UPP"]
    sent(adjud, page)
    adjud.does("tick")
    assert "Black" in adjud.does("report", MATCH, "black")
    assert '"reason": "resignation"' in adjud.does("report", MATCH, "black", "--format", "json")


def test_axe_finds_nothing_among_the_commands(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page, width=390, scheme="dark")
    page.get_by_label(RESIGN).check()
    assert faults(page) == ""


def not_awaited(adjud: Adjud, open_page: OpenPage, **how: Any) -> Page:
    """Open the page of Black, while White's orders are awaited."""
    adjud.armies(MATCH)
    return conftest.opened(adjud, open_page, "black", **how)


def test_a_seat_that_is_not_awaited_offers_a_draw_and_takes_it_back(
    adjud: Adjud, open_page: OpenPage
):
    page = not_awaited(adjud, open_page)
    assert page.get_by_label(OPEN).count() == 0
    page.get_by_label(OFFER).check()
    assert sheet(page) == f"ORDERS {MATCH} black epoch bcdfg1\nDRAW\nEND"
    assert is_ready(page)
    sent(adjud, page)
    adjud.does("tick")
    assert "offers a draw" in adjud.does("report", MATCH, "white")
    page.get_by_label(WITHDRAW_OFFER).check()
    assert not page.get_by_label(OFFER).is_checked()
    assert body(page) == ["CLEAR"]
    sent(adjud, page)
    adjud.does("tick")
    assert "offers a draw" not in adjud.does("report", MATCH, "white")


def test_a_seat_that_is_not_awaited_resigns_by_two_clicks(adjud: Adjud, open_page: OpenPage):
    page = not_awaited(adjud, open_page)
    page.get_by_label(RESIGN).check()
    assert body(page)[-1] == "ELSE: ..-.., ..-.."
    page.get_by_label(SURE).check()
    assert sheet(page) == f"ORDERS {MATCH} black epoch bcdfg1\nRESIGN\nEND"
    sent(adjud, page)
    adjud.does("tick")
    assert '"reason": "resignation"' in adjud.does("report", MATCH, "white", "--format", "json")


def in_advance(page: Page, *squares: str) -> None:
    page.get_by_role("button", name="Order in advance on the board", exact=True).tap()
    for square in squares:
        page.locator(f"[data-square={square}]").tap()


@pytest.mark.parametrize(
    ("seat", "turn", "tapped", "line"),
    [  # Black waits for White in turn 1, and his own turn 1 is the next; White's next is turn 2.
        ("black", 1, "a3 a4 a8 a7 b8 b7", "IF a3-a4: a8-a7, b8-b7"),
        ("white", 2, "a8 a7 a4 a5 d3 d4", "IF a8-a7: a4-a5, d3-d4"),
    ],
)
def test_an_offer_and_orders_in_advance_of_who_waits_go_in_one_email(
    seat: str, turn: int, tapped: str, line: str, marching: Adjud, open_page: OpenPage
):
    if seat == "white":
        marching.does("submit", "-", stdin=f"ORDERS {MATCH} white turn 1\na3-a4\nc3-c4\nEND\n")
        marching.does("tick")
    page = conftest.opened(marching, open_page, seat, width=390, touch=True)
    page.get_by_label(OFFER).tap()
    in_advance(page, *tapped.split())
    written, ply = sheet(page), 2 if seat == "white" else 1
    assert written.split("\n") == [
        f"ORDERS {MATCH} {seat} epoch bcdfg{ply}",
        "DRAW",
        "END",
        f"ORDERS {MATCH} {seat} turn {turn} epoch bcdfg{ply}",
        line,
        "END",
    ]
    reload(page)
    page.get_by_role("button", name="Continue draft").tap()
    assert sheet(page) == written
    assert is_ready(page)
    answers = marching("submit", "-", "--tick", "--format", "json", stdin=sheet(page))
    assert answers.code == 0, answers
    stands = json.loads(marching.does("report", MATCH, seat, "--format", "json"))
    assert stands["advance"] == [{"turn": turn, "lines": [line]}]
    assert stands["draw_offers"] == [seat]
    page = conftest.opened(marching, open_page, seat, width=390, touch=True)
    assert f"turn {turn}: {line}" in page.locator("[data-part=sent]").inner_text()
    page.get_by_label(WITHDRAW_OFFER).tap()
    page.get_by_role("button", name=f"Withdraw: turn {turn}").tap()
    answers = marching("submit", "-", "--tick", "--format", "json", stdin=sheet(page))
    assert answers.code == 0, answers
    left = json.loads(marching.does("report", MATCH, seat, "--format", "json"))
    assert (left["advance"], left["draw_offers"]) == ([], [])


def test_marks_and_an_offer_go_before_a_sheet_in_advance(adjud: Adjud, open_page: OpenPage):
    page = not_awaited(adjud, open_page, touch=True)
    choose(page, "e3")
    page.get_by_role("button", name="General").click()
    page.get_by_label(OFFER).check()
    in_advance(page, "a3", "a4", "a8", "a7", "b8", "b7")
    assert sheet(page).split("\n") == [
        f"ORDERS {MATCH} black epoch bcdfg1",
        "DRAW",
        "MARK e3 5",
        "END",
        f"ORDERS {MATCH} black turn 1 epoch bcdfg1",
        "IF a3-a4: a8-a7, b8-b7",
        "END",
    ]
    answer = adjud("submit", "-", stdin=sheet(page) + "\n")
    assert answer.code == 0, answer
    page.get_by_label(OFFER).uncheck()
    assert "DRAW" not in sheet(page)
    page.get_by_label(RESIGN).check()
    page.get_by_label(SURE).check()
    answer = adjud("check", "-", stdin=sheet(page) + "\n")
    assert answer.code == 0, answer


@pytest.mark.parametrize("scheme", mostly_nightly(["light", "dark"], every_day=["dark"]))
def test_where_no_sheets_are_kept_the_page_of_who_waits_takes_lines(
    scheme: str, adjud: Adjud, open_page: OpenPage
):
    adjud.match("plain", "--option", "advance=off")
    adjud.armies("plain")
    html = adjud.does("report", "plain", "black", "--format", "html")
    page = open_page(html, scheme=scheme, width=390)
    unfold(page)
    assert sheet(page) == "ORDERS plain black epoch bcdfg1\nEND"
    assert primary(page) == "(it is empty)"
    assert page.get_by_role("button", name="Undo").count() == 0
    page.locator("[data-square=e3]").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert sheet(page) == "ORDERS plain black epoch bcdfg1\nMARK e3 1\nEND"
    assert faults(page) == ""
    assert open_page(html, script=False).get_by_text("When it's not your turn").is_visible()
