"""Use the order composer in the page by keyboard, mouse and finger, as a player does."""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Locator, Page, expect

from adjudicator.core.message import tell
from adjudicator.core.orders import Line, Sheet, WrittenOrder
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.orders.refusals import STEPS, because
from adjudicator.games.espionage.orders.values import Move
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.composer_data import data
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.movement import after, legal_steps, steps_due
from adjudicator.games.espionage.rules.pieces import BY_LETTER
from adjudicator.games.espionage.rules.state import State, Step
from adjudicator.games.espionage.sight.observe import View, ground, pieces_moved
from adjudicator.mail.write.compose import mailto
from adjudicator.reports import render
from adjudicator.reports.render import script
from tests.browser.accessible import faults
from tests.browser.browsing import played as stages
from tests.browser.conftest import OpenPage, menu, opened, primary, reload
from tests.games.espionage.telling import cornered, played, report
from tests.nightly import each_once, mostly_nightly
from tests.program import BLACK_ARMY, WHITE_ARMY, Adjud
from tests.reports import printing
from tests.scale import scaled

MATCH = "espionage-1"
RANKS = "Corporal, Lieutenant, Captain, Colonel, General, Spy, Sapper, Mine, Headquarters"


# Legality, which is computed in the program and in the script.


@pytest.fixture(scope="module")
def asked(browser: Browser) -> Iterator[Callable[..., Any]]:
    """Ask the script about one position.

    Return the steps due, the openings, all second steps, and what it says to each of some steps.
    """
    page = browser.new_page()
    for name in ("espionage/drawings.js", "espionage/legality.js"):
        page.add_script_tag(content=script(name))
    yield lambda told, tried: page.evaluate(
        """([told, tried]) => {
          const rules = legality(told, new Map(piecesOf(told)));
          return [rules.due, rules.steps([]), rules.openings,
            rules.steps([]).map((first) => rules.steps([first])),
            tried.map(([made, from, to]) => rules.refusal(made, from, to))];
        }""",
        [told, tried],
    )
    page.close()


def positions() -> Iterator[State]:
    rng = Random(20261121)
    yield from played(rng, scaled(1))
    yield from (cornered(rng) for _ in range(scaled(60)))


def test_the_scripts_legality_is_the_rules(asked: Callable[..., Any]):
    dues, reasons, rng = set(), set(), Random(7)
    for state in positions():
        assert state.to_move
        view = ESPIONAGE.sight.observe(state, state.to_move)
        here = ground(view)
        first = legal_steps(here)
        tried = list(some_steps(view, first, rng))
        due, steps, openings, seconds, refusals = asked(
            data(report(state, state.to_move), tell)["composer-data"], tried
        )
        assert due == steps_due(here, pieces_moved(view))
        assert as_steps(steps) == set(first)
        for step, second in zip(steps, seconds, strict=True):
            assert as_steps(second) == set(legal_steps(after(here, Step(*step)))), step
        assert as_steps(openings) == {
            step for step in first if due < 2 or any(legal_steps(after(here, step)))
        }
        said = [sentence(refusal) for refusal in refusals]
        assert said == [answered(view, made, (start, to)) for made, start, to in tried]
        dues.add(due)
        reasons |= {refusal["why"] for refusal in refusals if refusal}
    assert dues == {0, 1, 2}
    assert reasons == set(STEPS)


def as_steps(pairs: Any) -> set[Step]:
    return {Step(Square(start), Square(target)) for start, target in pairs}


def some_steps(view: View, first: list[Step], rng: Random) -> Iterator[tuple[Any, str, str]]:
    """Draw steps of any kind, near ones more often, some of them after a first."""
    squares = ground(view).board.squares
    own = [piece.square for piece in view.pieces if piece.side == view.seat]
    for _ in range(40):
        start = rng.choice([*own, rng.choice(squares)])
        target = rng.choice([*ground(view).board.beside[start], rng.choice(squares)])
        step = rng.choice(first) if first and rng.random() < 0.5 else None
        yield [[step.start, step.target]] if step else [], start, target


def sentence(refusal: dict[str, str] | None) -> str | None:
    if refusal is None:
        return None
    values: dict[str, Any] = {key: v for key, v in refusal.items() if key not in ("why", "letter")}
    if "letter" in refusal:
        values["rank"] = TITLES[BY_LETTER[refusal["letter"]]]
    return tell(because(STEPS[refusal["why"]], **values))


def answered(view: View, made: Any, step: tuple[str, str]) -> str | None:
    """Return what the checker says of the last step, without the complaints about their number."""
    steps = [*made, step]
    sheet = Sheet(
        tuple(
            WrittenOrder(Move(Square(start), Square(target)), Line(n, ""))
            for n, (start, target) in enumerate(steps, start=1)
        ),
        (),
    )
    reasons = {message.text for message in STEPS.values()}
    problems = (p for p in ESPIONAGE.orders.check(view, sheet) if p.line == len(steps))
    return next((tell(p.message) for p in problems if p.message.text in reasons), None)


# At the board.


def sheet(page: Page) -> Locator:
    return page.locator(".place-sheet textarea")


def told(page: Page) -> str:
    return page.locator("[role=status]").inner_text()


def cell(page: Page, square: str) -> Locator:
    return page.locator(f"[data-square={square}]")


def accepted(adjud: Adjud, page: Page) -> list[str]:
    """Return the orders of the sheet in the page as `adjud check` takes them."""
    answer = adjud("check", "-", "--format", "json", stdin=sheet(page).input_value())
    assert answer.code == 0, answer
    return json.loads(answer.out)["orders"]


def missing(page: Page) -> str:
    """Return what the large button says is still to be done; "" if it sends or copies the sheet."""
    sends = page.locator(".primary.send:visible").count()
    return "" if sends else primary(page)


def tab_to(page: Page, wanted: str) -> None:
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"no Tab leads to {wanted}")


def walk(page: Page, goal: str) -> None:
    """Walk to a square by arrow keys, White below."""
    at = page.evaluate("document.activeElement.dataset.square")
    across, up = ord(goal[0]) - ord(at[0]), int(goal[1:]) - int(at[1:])
    for _ in range(abs(across)):
        page.keyboard.press("ArrowRight" if across > 0 else "ArrowLeft")
    for _ in range(abs(up)):
        page.keyboard.press("ArrowUp" if up > 0 else "ArrowDown")


def test_a_turn_is_played_by_keyboard_alone(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    tab_to(page, "[data-square]")
    for square, key in (("a3", "Enter"), ("a4", " "), ("c3", " "), ("c4", "Enter")):
        walk(page, square)
        page.keyboard.press(key)
    assert told(page).startswith("Your orders are complete: a3-a4, c3-c4.")
    assert accepted(marching, page) == ["a3-a4", "c3-c4"]
    page.keyboard.press("Backspace")
    assert told(page) == "Now choose your second piece."
    assert sheet(page).input_value().split("\n")[1:] == ["a3-a4", "END"]
    tab_to(page, "[data-part=draw]")
    page.keyboard.press(" ")
    assert sheet(page).input_value().split("\n")[1:] == ["a3-a4", "DRAW", "END"]
    assert missing(page) == "(Step 2 of 2)"
    cell(page, "a3").focus()
    tab_to(page, "[data-part=undo]")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert accepted(marching, page) == []  # an offer may go alone
    assert missing(page) == ""
    tab_to(page, ".primary.send")


def test_a_cell_says_what_an_unknown_piece_can_be(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    label = f"a8: an unknown enemy piece, can still be {RANKS}"
    assert cell(page, "a8").get_attribute("aria-label") == label


@pytest.mark.parametrize(
    ("seat", "left", "army"), [("white", "a3", WHITE_ARMY), ("black", "j8", BLACK_ARMY)]
)
def test_a_set_up_is_placed_by_keyboard_alone(
    seat: str, left: str, army: str, adjud: Adjud, open_page: OpenPage
):
    """Pieces go from the player's left in his front row, where the cursor waits (7.3)."""
    page = opened(adjud, open_page, seat)
    tab_to(page, "[data-square]")
    assert page.evaluate("document.activeElement.dataset.square") == left
    page.keyboard.type(army.replace("\n", "").lower())
    assert told(page) == "Your army is placed. Now send your orders."
    assert accepted(adjud, page) == ["SETUP", *army.split("\n")]


@pytest.mark.parametrize("seat", mostly_nightly(["white", "black"], every_day=["black"]))
def test_the_rest_is_placed_sensibly(seat: str, adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page, seat)
    mine = {"white": "a3", "black": "j8"}[seat]
    cell(page, mine).click()
    page.keyboard.press("5")
    for _ in range(scaled(2)):
        page.click("button.primary")
        front, middle, back = accepted(adjud, page)[1:]
        assert front[0] == "5"
        assert not set(front) & set("HMP")
        file = max(middle.find("H"), back.find("H"))
        sides = back[max(file - 1, 0) : file + 2] + middle[file]
        beside = middle[max(file - 1, 0) : file + 2] + back[file]
        assert "M" in (sides if "H" in back else beside)
        page.click("[data-part=undo]")
    menu(page, "Start again")
    page.click("button.primary")
    menu(page, "Place my army for me")  # a whole army is placed anew
    assert "H" not in accepted(adjud, page)[1]


@pytest.mark.parametrize(("seat", "width"), each_once(["white", "black"], [320, 1440]))
def test_cells_lie_on_the_squares_that_they_are(
    seat: str, width: int, adjud: Adjud, open_page: OpenPage
):
    """They are measured by the coordinates at the board's edge, which the drawing has."""
    page = opened(adjud, open_page, seat, width=width)
    for square in ("a1", "d9", "j10"):
        middle = centre(cell(page, square))
        for axis, sign in enumerate((square[0], square[1:])):
            labels = page.locator(".place-board .coordinate text").nth(2 * axis)
            assert labels.evaluate(SIGN, sign)[axis] == pytest.approx(middle[axis], abs=4)


# The middle of a sign among those that a text of the drawing holds.
SIGN = """(text, sign) => {
  const at = text.textContent.indexOf(sign);
  const [first, last] = [at, at + sign.length - 1].map((n) => text.getExtentOfChar(n));
  const middle = new DOMPoint((first.x + last.x + last.width) / 2, first.y + first.height / 2);
  const { x, y } = middle.matrixTransform(text.getScreenCTM());
  return [x, y];
}"""


def centre(shown: Locator) -> tuple[float, float]:
    box = shown.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_turn_is_tapped_on_a_phone(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page, width=320, touch=True)
    for square in ("b3", "b4", "a3", "b3"):  # the square that the first piece left (2.5)
        cell(page, square).tap()
    assert accepted(marching, page) == ["b3-b4", "a3-b3"]
    page.tap("[data-part=draw]")
    assert accepted(marching, page) == ["b3-b4", "a3-b3"]
    assert "DRAW" in marching.does("check", "-", stdin=sheet(page).input_value())
    assert page.locator(".composed .way").count() == 2
    size = cell(page, "a3").bounding_box()
    assert size
    assert min(size["width"], size["height"]) >= 24


def test_it_says_why_not(marching: Adjud, open_page: OpenPage):
    page = opened(marching, open_page)
    said = []
    for square in ("a8", "a5", "a1", "b2", "a3", "c5", "a3", "a3", "a4", "b3", "a3"):
        cell(page, square).click()
        said.append(told(page))
    described = f"a8 An unknown enemy piece. It has not moved. It can still be: {RANKS}."
    assert said == [
        described,  # a8 is asked about, not moved
        "you have no piece on a5",
        "your Mine on a1 cannot move",
        "b2: this piece cannot move now",
        "a3: your Corporal. Choose where it goes: a4.",
        "a3 to c5 is not straight; a piece steps north, south, east or west",
        "Choose your first piece.",
        "a3: your Corporal. Choose where it goes: a4.",
        "Now choose your second piece.",
        "b3: your Spy. Choose where it goes: a3, b4.",
        "Your orders are complete: a3-a4, b3-a3. Now send them.",
    ]
    cell(page, "c3").click()
    assert told(page) == "Your order already has 2 steps; undo one to choose another."


def test_what_was_changed_by_hand_is_left_alone_until_the_reader_says_so(
    marching: Adjud, open_page: OpenPage
):
    page = opened(marching, open_page)
    mine = "ORDERS espionage-1 white turn 1\na3-a4\nb3-b4 # mine\nEND\n"
    notice = page.locator("[data-part=by-hand]")
    assert not notice.is_visible()
    sheet(page).fill(mine)
    assert notice.is_visible()
    cell(page, "c3").click()
    cell(page, "c4").click()
    assert sheet(page).input_value() == mine
    assert "You edited the orders by hand" in told(page)
    notice.click()
    assert sheet(page).input_value().split("\n")[1:] == ["c3-c4", "END"]
    assert not notice.is_visible()


def test_an_army_is_dragged_drawn_and_turned(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    page.drag_and_drop("[data-letter=H]", "[data-square=b1]")
    page.drag_and_drop("[data-square=b1]", "[data-square=c1]")
    page.drag_and_drop("[data-letter=M]", "[data-square=b1]")
    assert sheet(page).input_value().split("\n")[4] == ".MH......."
    page.drag_and_drop("[data-square=b1]", ".head")
    page.drag_and_drop("[data-letter=S]", "[data-square=c4]")
    assert told(page) == "c4 is not in your home rows, which are a1 to j3"
    page.click("button.primary")
    rows = accepted(adjud, page)[1:]
    assert rows[2][2] == "H"
    menu(page, "Swap left and right")
    assert accepted(adjud, page)[1:] == [row[::-1] for row in rows]
    page.click("[data-part=undo]")
    assert accepted(adjud, page)[1:] == rows


def test_an_army_is_placed_by_clicks_and_changes_places(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    page.click("[data-letter=H]")
    cell(page, "a1").click()
    page.click("[data-letter='5']")
    for square in ("b1", "c1", "d1"):
        cell(page, square).click()
    assert sheet(page).input_value().split("\n")[4] == "H55......."
    assert told(page) == "choose a kind of piece first"  # there are two Generals
    cell(page, "a1").click()
    cell(page, "c1").click()
    assert sheet(page).input_value().split("\n")[4] == "55H......."
    cell(page, "c1").focus()
    page.keyboard.press("Delete")
    assert sheet(page).input_value().split("\n")[4] == "55........"


def test_a_set_up_is_kept_and_placed_again(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    page.fill("[data-part=text]", f"> {WHITE_ARMY.lower()}\n> END")
    page.click("[data-part=load]")
    assert accepted(adjud, page)[1:] == WHITE_ARMY.split("\n")
    page.click("[data-part=keep]")
    assert told(page) == "The set-up is saved in this browser."
    reload(page)
    page.click("[data-part=recall]")
    assert accepted(adjud, page)[1:] == WHITE_ARMY.split("\n")


def test_a_set_up_that_is_not_the_army_is_not_placed(adjud: Adjud, open_page: OpenPage):
    page = opened(adjud, open_page)
    before = sheet(page).input_value()
    page.fill("[data-part=text]", WHITE_ARMY.replace("H", "S"))
    page.click("[data-part=load]")
    assert told(page) == ("Spy: 6 placed, the army has 5; Headquarters: 0 placed, the army has 1")
    assert sheet(page).input_value() == before


def test_the_sheet_is_copied_and_written_into_an_email(
    adjud: Adjud, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
):
    address = "garden+k3y@play.example.org"
    begun = mailto(address, "[espionage-1] Turn 1, White & more", ["ORDERS ..", "..-..", "END"])
    made = render.frame
    monkeypatch.setattr(render, "frame", lambda *given: replace(made(*given), mailto=begun))
    adjud.armies(MATCH)
    page = opened(adjud, open_page)
    for square in ("a3", "a4", "c3", "c4"):
        cell(page, square).click()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    menu(page, "Copy orders")
    page.wait_for_function("document.querySelector('.told').textContent.includes('copied')")
    assert page.evaluate("navigator.clipboard.readText()") == sheet(page).input_value()
    link = urlsplit(the_email(page))
    assert (link.scheme, unquote(link.path)) == ("mailto", address)
    assert "+" not in link.query
    written = sheet(page).input_value().replace("\n", "\r\n")
    assert parse_qs(link.query)["body"] == [f"{written}\r\n"]
    assert parse_qs(link.query)["subject"] == ["[espionage-1] Turn 1, White & more"]
    sheet(page).fill("by hand")
    assert the_email(page).endswith("&body=by%20hand%0D%0A")
    assert page.locator("a.primary.send").count() == 0  # nobody knows whether it is accepted
    unscripted = opened(adjud, open_page, script=False)
    assert unscripted.locator("a[href^='mailto:']").count() == 0  # it would send dots


def test_no_sheet_that_would_be_refused_is_copied_or_mailed(
    adjud: Adjud, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
):
    begun = mailto("m+k@play.example.org", "Turn 1", ["ORDERS ..", "..-..", "..-..", "END"])
    made = render.frame
    monkeypatch.setattr(render, "frame", lambda *given: replace(made(*given), mailto=begun))
    placing = opened(adjud, open_page)
    assert refuses(placing, "0 of 30 pieces are placed") == "Place my army for me"
    placing.click("button.primary")
    assert missing(placing) == ""
    adjud.armies(MATCH)
    page = opened(adjud, open_page)
    assert sheet(page).input_value().split("\n")[1:-1] == ["..-..", "..-.."]  # to be filled by hand
    assert refuses(page, "step 1 is not filled in") == "(Step 1 of 2)"
    cell(page, "a3").click()
    cell(page, "a4").click()
    assert refuses(page, "step 2 is not filled in") == "(Step 2 of 2)"
    sheet(page).fill("ORDERS espionage-1 white turn 1\na3-a4\n..-..\nEND")
    assert refuses(page, "'..-..' is not filled in") == "('..-..' is not filled in)"
    sheet(page).fill("ORDERS espionage-1 white turn 1\na3-a4\nc3-c4\nEND")
    assert missing(page) == "Send by email"  # not in green: nobody knows
    page.locator("[data-part=by-hand]").click()
    cell(page, "c3").click()
    cell(page, "c4").click()
    assert missing(page) == ""
    expect(page.get_by_role("link", name="Send by email")).to_be_enabled()


def refuses(page: Page, why: str) -> str:
    """Return what the large button says, if nothing on the page sends or copies the sheet."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('untouched')")
    assert page.locator("a[href^='mailto:']:visible").count() == 0
    menu(page, "Copy orders")
    assert told(page) == f"Not ready to send: {why}."
    assert page.evaluate("navigator.clipboard.readText()") == "untouched"
    return primary(page)


def the_email(page: Page) -> str:
    """Return where the one link leads that begins an email with the sheet."""
    return page.get_by_role("link", name="Send by email").get_attribute("href")


@pytest.mark.parametrize("placing", [True, False])
def test_undo_is_for_what_can_be_undone(placing: bool, adjud: Adjud, open_page: OpenPage):
    if not placing:
        adjud.armies(MATCH)
    page = opened(adjud, open_page)
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_disabled()
    cell(page, "a3").focus()
    page.keyboard.press("s" if placing else "Enter")
    expect(undo).to_be_enabled()
    undo.click()
    expect(undo).to_be_disabled()


@pytest.mark.parametrize(
    ("scheme", "width"),
    mostly_nightly([("light", 1440), ("dark", 320)], every_day=[("light", 1440)]),
)
def test_axe_finds_nothing_while_an_order_is_composed(
    adjud: Adjud, scheme: str, width: int, open_page: OpenPage
):
    placing = opened(adjud, open_page, scheme=scheme, width=width)
    placing.click("[data-letter=H]")
    cell(placing, "a1").click()
    cell(placing, "a1").click()
    adjud.armies(MATCH)
    stepping = opened(adjud, open_page, scheme=scheme, width=width)
    for square in ("a3", "a4", "c3", "a10"):
        cell(stepping, square).click()
    for page in (placing, stepping):
        assert faults(page) == ""


@pytest.mark.parametrize("stage", ["setup", "late"])
def test_without_script_the_sheet_stands_there_and_no_composer(stage: str, open_page: OpenPage):
    awaited = next(r for r in stages("standard")[stage].values() if r.body["template"])
    page = open_page(printing.render(ESPIONAGE, awaited.body, "html"), script=False)
    lines = awaited.body["template"]
    assert sheet(page).input_value().split("\n")[: len(lines)] == lines
    assert page.locator("button:visible, [role=grid]").count() == 0


@pytest.mark.parametrize("stage", ["setup", "late"])
def test_an_email_has_neither_scripts_nor_what_they_read(stage: str):
    awaited = next(r for r in stages("standard")[stage].values() if r.body["template"])
    email = printing.render(ESPIONAGE, awaited.body, "letter")
    for trace in ("<script", "<template", "composer-data", "data-part"):
        assert trace not in email
    assert awaited.body["template"][0] in email


def test_a_reader_is_answered_in_his_language(adjud: Adjud, open_page: OpenPage):
    adjud.does("player", "set", "Anna", "--language", "nb")
    adjud.armies(MATCH)
    page = opened(adjud, open_page)
    assert told(page) == "Velg den første brikken din."
