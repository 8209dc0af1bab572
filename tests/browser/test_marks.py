"""See what is known of an enemy piece, and mark it, on the page (Espionage rules 9.1, 9.4, 9.5)."""

from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page

from adjudicator.reports.frame import ReplyForm
from tests import club
from tests.browser.accessible import faults
from tests.browser.browsing import played
from tests.browser.conftest import MATCH, OpenPage, body, choose, opened, reload, unfold
from tests.nightly import mostly_nightly
from tests.program import Adjud

TURNS = (
    ("white", "d3-d4\nc3-c4"),
    ("black", "a8-a7\nb8-b7"),
    ("white", "d4-d5\nc4-b4"),
    ("black", "a7-a6\nb7-b6"),
    ("white", "d5-d6\nb4-b5"),
    ("black", "a6-a5\nb6-b5"),  # black's Spy falls on b5
    ("white", "d6-d7\na3-a4"),
    ("black", "a5-a4\ne8-e7"),  # black's General takes a Corporal beside a Spy
)


@pytest.fixture
def adjud(marching: Adjud) -> Adjud:
    return marching


@pytest.fixture
def page(adjud: Adjud, open_page: OpenPage) -> Page:
    adjud.does("submit", "-", stdin=f"ORDERS {MATCH} white\nMARK d8 P?\nEND\n")
    return opened(adjud, open_page)


def turn(adjud: Adjud, seat: str, lines: str) -> None:
    adjud.does("submit", "-", stdin=f"ORDERS {MATCH} {seat}\n{lines}\nEND\n")
    adjud.does("tick")


def later(adjud: Adjud, page: Page, seat: str = "white") -> None:
    """Put the newest page in the place of the one that is open, and open it."""
    newest = adjud.does("report", MATCH, seat, "--format", "html")
    Path(page.url.removeprefix("file://")).write_text(newest, "utf-8")
    reload(page)


def kept(page: Page) -> list[str]:
    names = page.evaluate("Object.keys(localStorage)")
    return [name for name in names if name.startswith("adjud marks")]


def tags(page: Page) -> list[str]:
    return page.locator(".marks text").all_text_contents()


def told(page: Page) -> str:
    return page.locator(".marking p").first.inner_text()


def mark(page: Page, square: str, rank: str) -> None:
    choose(page, square)
    page.get_by_role("button", name=rank).click()


def test_a_tap_on_an_unknown_enemy_piece_marks_it(page: Page) -> None:
    assert tags(page) == ["P?"]
    mark(page, "e8", "General")
    assert body(page)[-1] == "MARK e8 5"
    page.get_by_label("Mark it:").fill("strong")
    assert body(page)[-1] == "MARK e8 strong"
    choose(page, "d8")
    page.get_by_role("button", name="Remove mark").click()
    assert body(page)[-2:] == ["MARK e8 strong", "MARK d8"]
    assert tags(page) == ["strong"]
    reload(page)
    assert body(page)[-2:] == ["MARK e8 strong", "MARK d8"]
    assert tags(page) == ["strong"]


def test_marks_are_set_with_the_keyboard_alone(page: Page) -> None:
    page.locator("[data-square=e8]").focus()
    page.keyboard.press("Enter")
    page.locator(".more > summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Mark e8").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert body(page)[-1] == "MARK e8 1"


def test_a_mark_goes_beside_steps_and_a_piece_that_is_chosen_steps_on(page: Page) -> None:
    choose(page, "a3", "a4")
    mark(page, "e8", "General")
    choose(page, "c3", "c4")
    assert body(page) == ["a3-a4", "c3-c4", "MARK e8 5"]


def test_a_tap_on_an_enemy_piece_ends_what_was_said_against_the_tap_before(page: Page) -> None:
    said = page.locator("[role=status]")
    choose(page, "a3", "a4", "c3", "c4", "a4")
    assert said.inner_text() == "Your order already has 2 steps; undo one to choose another."
    choose(page, "e8")
    assert said.inner_text().startswith("e8 An unknown enemy piece.")
    assert "refused" not in (said.get_attribute("class") or "")


def test_a_mark_that_was_not_sent_follows_its_piece_over_the_turns(
    page: Page, adjud: Adjud
) -> None:
    mark(page, "a8", "General")
    mark(page, "c8", "Mine")
    turn(adjud, *TURNS[0])
    later(adjud, page)  # its seat is not awaited now
    assert sorted(tags(page)) == ["5", "M", "P?"]
    assert body(page)[-2:] == ["MARK a8 5", "MARK c8 M"]
    turn(adjud, *TURNS[1])
    later(adjud, page)
    assert sorted(body(page)) == ["MARK a7 5", "MARK c8 M"]
    adjud.does("submit", "-", stdin=f"ORDERS {MATCH} white\nMARK a7 5\nEND\n")
    later(adjud, page)
    assert body(page) == ["MARK c8 M"]  # the other has been sent
    choose(page, "c8")
    page.get_by_role("button", name="Remove mark").click()
    assert (body(page), kept(page)) == (["..-..", "..-.."], [])


def test_marks_end_with_their_pieces_and_give_way_to_newer_ones(page: Page, adjud: Adjud) -> None:
    for square in ("a8", "b8", "e8"):
        mark(page, square, "Spy")
    adjud.does("submit", "-", stdin=f"ORDERS {MATCH} white\nMARK e8 strong\nEND\n")
    for seat, lines in TURNS:
        turn(adjud, seat, lines)
    later(adjud, page)  # that from a8 is known, that from b8 was taken
    assert (body(page), kept(page)) == (["..-..", "..-.."], [])
    assert sorted(tags(page)) == ["P?", "strong"]


def test_a_page_of_an_earlier_turn_leaves_later_marks_alone(page: Page, adjud: Adjud) -> None:
    old = Path(page.url.removeprefix("file://")).read_text("utf-8")
    turn(adjud, *TURNS[0])
    turn(adjud, *TURNS[1])
    later(adjud, page)
    mark(page, "a7", "General")
    Path(page.url.removeprefix("file://")).write_text(old, "utf-8")
    reload(page)
    assert tags(page) == ["P?"]
    later(adjud, page)
    assert body(page) == ["MARK a7 5"]


def test_marks_belong_to_a_tenure(page: Page, adjud: Adjud) -> None:
    mark(page, "a8", "General")
    adjud.does("gm", "replace", MATCH, "white", "computer", "--reason", "White moved away")
    adjud.does("gm", "replace", MATCH, "white", "Anna", "--reason", "White is back")
    later(adjud, page)
    assert (body(page), tags(page)) == (["..-..", "..-.."], [])
    (name,) = kept(page)
    assert name.endswith(f" {MATCH} white 1 bcdfg")


def test_what_is_known_of_a_piece_is_told_where_it_is_tapped(
    adjud: Adjud, open_page: OpenPage
) -> None:
    for seat, lines in TURNS:
        turn(adjud, seat, lines)
    page = opened(adjud, open_page)
    choose(page, "a4")
    assert told(page) == (
        "a4 The enemy's General, known to you since turn 4. It started on a8 and first moved in "
        "turn 1. Its path: a8, a7, a6, a5, a4. It captured your Corporal in turn 4."
    )
    assert page.get_by_label("Mark it:").is_visible() is False  # its rank is told
    assert page.locator(".walked circle").count() == 1
    choose(page, "a4")
    assert page.locator(".walked circle, .marking:visible").count() == 0
    choose(page, "e7")
    assert told(page).startswith(
        "e7 An unknown enemy piece. It started on e8 and first moved in turn 4. "
        "It can still be: Corporal"
    )
    choose(page, "d8")
    assert told(page).startswith("d8 An unknown enemy piece. It has not moved. It can still be: ")
    assert page.locator(".walked > *").count() == 0


def test_the_page_of_an_email_marks_unknown_pieces(open_page: OpenPage) -> None:
    shown = next(one for one in played("small")["late"].values() if one.report.template)
    letter = club.show(replace(shown, reply=ReplyForm(None, attached=True)), "html")
    page = open_page(letter)
    unfold(page)
    view = shown.report.view
    theirs = [piece for piece in view.pieces if piece.side != view.seat]
    unknown = next(piece.square for piece in theirs if not piece.rank)
    box = page.get_by_role("group", name=unknown, exact=True)
    choose(page, unknown)
    rank = box.get_by_role("button").first
    letter = rank.inner_text()
    rank.click()
    assert (body(page), tags(page)) == ([f"MARK {unknown} {letter}"], [letter])
    reload(page)
    page.get_by_role("button", name="Continue draft").click()
    assert (body(page), tags(page)) == ([f"MARK {unknown} {letter}"], [letter])
    choose(page, unknown)
    assert faults(page) == ""
    box.get_by_role("button", name="Remove mark").click()
    choose(page, unknown)
    assert (tags(page), box.is_visible()) == ([], False)
    known = [piece.square for piece in theirs if piece.rank]
    choose(page, *known[:1])
    assert page.locator("[data-part=marking] b:visible").count() == 0


def test_taken_pieces_and_the_rest_of_the_army_stand_in_rows(
    adjud: Adjud, open_page: OpenPage
) -> None:
    for seat, lines in TURNS:
        turn(adjud, seat, lines)
    page = opened(adjud, open_page, script=False)
    rows = page.locator(".losses ul")
    said = [" ".join(row.split()) for row in rows.all_inner_texts()]
    assert said == ["?1", "11", "15 24 33 42 52 S5 P4 M4 H1"]
    assert rows.nth(0).get_by_role("img", name="of unknown rank").count() == 1
    known = page.locator("details.told").inner_text()
    assert "It started on a8 and first moved in turn 1." in known


@pytest.mark.parametrize(
    ("scheme", "seat"),
    mostly_nightly(product(["light", "dark"], ["white", "black"]), every_day=[("dark", "white")]),
)
def test_axe_finds_nothing_where_a_piece_is_told_of(
    scheme: str, seat: str, adjud: Adjud, open_page: OpenPage
) -> None:
    for each, lines in TURNS:
        turn(adjud, each, lines)
    page = opened(adjud, open_page, seat, scheme=scheme, width=390)
    choose(page, "e7" if seat == "white" else "b5")
    if seat == "white":
        page.get_by_role("button", name="Sapper").click()
    assert faults(page) == ""
