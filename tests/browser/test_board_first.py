"""The board is the page: what is measured of every game's page, in every language.

A game is added by a row in `GAMES_AT_BOARD`, once its page extends `shared/frame.html.j2`: its kind
of match and how many plies of it are played before, the taps of a usual turn as CSS selectors, how
many bytes its scripts may have, and what on its board is tapped, with the least size in pixels of a
phone. What only one game has stands in that game's own tests.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from msgspec import Struct
from msgspec.structs import replace
from playwright.sync_api import Page

from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from adjudicator.mail.address import Key, MailDomain
from adjudicator.reports.frame import ReplyForm
from tests.browser import browsing
from tests.browser.accessible import faults
from tests.browser.conftest import OpenPage
from tests.club import Club
from tests.database import open_store
from tests.inside import printing
from tests.nightly import NIGHTLY, each_once, mostly_nightly

PHONES = ((390, 844), (390, 664))
ZOOMED = (720, 450)  # 200 % of 1440x900, and a phone on its side
WIDTHS = (320, 390, 720, 1440)
DESK = (1440, 900)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
ATTACHED = 100_000  # bytes of a page in an email, without the keys of proofs
SCREENS = 1.7
TARGET = 44
POST = MailDomain(domain="play.example.org", keys=(Key(id="a", secret=b"k" * 32),))


class AtBoard(Struct, frozen=True):
    """How a game is ordered at the board. `taps` makes the selectors from the lines of an example
    order; `least` is the size in pixels that what `target` finds has at least. `asks`: the bar
    goes from piece to piece, and sends when all were asked for, though less would be accepted."""

    kind: str
    plies: int
    taps: Callable[[Sequence[str]], list[str]]
    script: int
    target: str
    least: int
    asks: bool = False


def espionage_taps(lines: Sequence[str]) -> list[str]:
    return [f"[data-square={square}]" for line in lines for square in line.split("-")]


def spion_taps(lines: Sequence[str]) -> list[str]:
    return [f"[data-square={place}]" for line in lines for place in line.split()[1:]]


def spies_taps(lines: Sequence[str]) -> list[str]:
    """Order the spy of the example, let the others stay, and choose a tile."""
    goal = lines[0].split(" ")[-1]
    return [f"[data-place={goal}]", *([".primary:visible"] * 5), ".opts button"]


GAMES_AT_BOARD = {
    "espionage": AtBoard("standard", 14, espionage_taps, 52_000, "[data-square]", 24),
    "spion": AtBoard("rounds", 5, spion_taps, 32_000, "[data-square]", 24),
    "spies": AtBoard("years", 1, spies_taps, 44_000, "[data-place]", 11, asks=True),
}
FORMS = ("live", "attached")
each_game = pytest.mark.parametrize("game", GAMES_AT_BOARD)
# What is the same script for all games is tried with one by day.
one_game = pytest.mark.parametrize("game", mostly_nightly(GAMES_AT_BOARD, every_day=["espionage"]))
each_game_and_language = pytest.mark.parametrize(
    ("game", "language"), each_once([*GAMES_AT_BOARD], LANGUAGES)
)


class Turn(Struct, frozen=True):
    """The page of a seat that is to move, live and as an email carries it, and what it may
    order."""

    live: str
    attached: str
    example: Sequence[str]
    store: Path


@pytest.fixture(scope="package")
def turns() -> Iterator[Callable[[str, str], Turn]]:
    """Play a match of a game up to a turn, once, and print the page in a language."""
    with TemporaryDirectory() as folder:

        @cache
        def played(game: str) -> tuple[Path, str]:
            at = GAMES_AT_BOARD[game]
            place = Path(folder) / f"{game}.db"
            return place, browsing.play(place, browsing.KINDS[at.kind], at.plies)

        @cache
        def turn(game: str, language: str) -> Turn:
            place, seat = played(game)
            store = open_store(f"sqlite:///{place}")
            try:
                now = browsing.NOW + GAMES_AT_BOARD[game].plies * browsing.HOUR
                shown = Club(store).live_report(browsing.MATCH, seat, now=now, post=POST)
            finally:
                store.close()
            shown = browsing.in_language(shown, language)
            report = shown.report
            example = GAMES[game].orders.example(report.view)
            live = printing.render(shown, "html")
            attached = printing.render(browsing.attached(shown), "html")
            return Turn(live, attached, example, place)

        yield turn


def accepted(turn: Turn, sheet: str) -> bool:
    """Return whether the club takes a sheet; the match itself stays as it is."""
    tried = shutil.copy(turn.store, turn.store.with_suffix(".tried"))
    store = open_store(f"sqlite:///{tried}")
    try:
        now = browsing.NOW + 400 * browsing.HOUR
        receipts = Club(store).submit(sheet, now=now)
    finally:
        store.close()
    return bool(receipts) and all(one.accepted for one in receipts)


def body_of(link: str) -> str:
    return unquote(parse_qs(urlsplit(link).query, keep_blank_values=True)["body"][0])


def show(open_page: OpenPage, html: str, size: tuple[int, int], **how: object) -> Page:
    page = open_page(html, width=size[0], **how)  # type: ignore[arg-type]
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(100)  # the screen itself has changed
    return page


def box(page: Page, which: str) -> dict[str, float]:
    found = page.locator(which).first.bounding_box()
    assert found, which
    return {**found}


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")


def tap(page: Page, which: str) -> None:
    page.locator(which).first.click(no_wait_after=True)


def order(page: Page, game: str, turn: Turn) -> None:
    for which in GAMES_AT_BOARD[game].taps(turn.example):
        tap(page, which)


@pytest.mark.parametrize(
    ("game", "language", "size"), each_once([*GAMES_AT_BOARD], LANGUAGES, PHONES)
)
def test_head_board_and_button_are_on_a_phones_first_screen(
    game: str,
    language: str,
    size: tuple[int, int],
    turns: Callable[[str, str], Turn],
    open_page: OpenPage,
) -> None:
    page = show(open_page, turns(game, language).live, size)
    head, board, button = (box(page, one) for one in (".head", ".place .board", ".primary:visible"))
    assert head["height"] <= 44
    assert board["y"] <= 48
    assert board["y"] + board["height"] <= button["y"]
    assert button["y"] + button["height"] <= size[1]
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width


@each_game
def test_board_and_button_are_seen_together_at_200_percent(
    game: str, turns: Callable[[str, str], Turn], open_page: OpenPage
) -> None:
    page = show(open_page, turns(game, "nb").live, ZOOMED)
    for which in (".place .board", ".primary:visible"):
        found = box(page, which)
        assert found["x"] >= 0
        assert found["x"] + found["width"] <= ZOOMED[0]
        assert 0 <= found["y"] <= ZOOMED[1] - found["height"], which


WATCH = """() => {
  window.moved = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => {
    window.moved += value;
  })).observe({ type: "layout-shift" });
}"""


@pytest.mark.parametrize(
    ("game", "language", "size"),
    each_once([*GAMES_AT_BOARD], LANGUAGES, [*PHONES, (320, 844), (1440, 900)]),
)
def test_nothing_moves_while_a_turn_is_ordered(
    game: str,
    language: str,
    size: tuple[int, int],
    turns: Callable[[str, str], Turn],
    open_page: OpenPage,
) -> None:
    """The board keeps its place and the bar its height, and green is what would be accepted."""
    turn = turns(game, language)
    page = show(open_page, turn.live, size)
    page.evaluate(WATCH)
    seen = []
    for which in [None, *GAMES_AT_BOARD[game].taps(turn.example)]:
        if which:
            tap(page, which)
        page.wait_for_timeout(30)
        high = round(box(page, ".bar")["height"], 1)
        seen.append((high, box(page, ".place .board")["y"], page.evaluate("scrollY")))
    assert max(high for high, _, _ in seen) - min(high for high, _, _ in seen) <= 1, seen
    assert len({(y, scrolled) for _, y, scrolled in seen}) == 1, seen
    assert seen[0][2] == 0
    assert page.evaluate("moved") <= 0.01


@each_game_and_language
def test_the_button_is_green_if_and_only_if_its_email_is_accepted(
    game: str, language: str, turns: Callable[[str, str], Turn], open_page: OpenPage
) -> None:
    turn = turns(game, language)
    page = show(open_page, turn.live, PHONES[0])
    greens = []
    for which in [None, *GAMES_AT_BOARD[game].taps(turn.example)]:
        if which:
            tap(page, which)
        is_green = page.locator(".primary.send:visible").count() == 1
        greens.append(is_green)
        sheet = page.locator(".place-sheet textarea").input_value()
        if is_green or not GAMES_AT_BOARD[game].asks:
            assert accepted(turn, sheet) == is_green, sheet
    assert greens[-1]
    link = page.locator("a.primary").get_attribute("href") or ""
    assert body_of(link).split() == sheet.split()
    assert len(link) <= 2_000


@each_game
def test_orders_that_are_in_are_said_until_they_are_changed(game: str, open_page: OpenPage) -> None:
    """Also to a reader with tips. A draw offer is said until it is answered."""
    reports = browsing.played(GAMES_AT_BOARD[game].kind)["middle"].values()
    shown = next(one for one in reports if one.report.orders and one.report.template)
    other = next(seat for seat in shown.report.players if seat != shown.report.seat)
    reply = replace(shown.reply or ReplyForm(), tips=True)
    report = replace(shown.report, draw_offers=[other])
    page = show(open_page, printing.render(replace(shown, reply=reply), "html"), PHONES[0])
    button = page.locator("button.primary")
    assert told_of(page).startswith("Your orders are in: ")
    assert button.inner_text() == "Change them"
    button.click()
    assert shown.report.orders
    sent = "\n".join(shown.report.orders.lines).split("\n")
    lines = page.locator(".place-sheet textarea").input_value().strip().split("\n")[1:-1]
    assert {line for line in lines if line[0] != "#"} == {*sent}
    offered = replace(shown, reply=reply, report=report)
    page = show(open_page, printing.render(offered, "html"), PHONES[0])
    assert "offers a draw." in told_of(page)
    page.evaluate("document.querySelector('[data-command=DRAW]').click()")
    assert "offers a draw." not in told_of(page)


def told_of(page: Page) -> str:
    return page.locator(".bar .told").inner_text()


@pytest.mark.parametrize(
    ("game", "language", "form"), each_once([*GAMES_AT_BOARD], LANGUAGES, FORMS)
)
def test_without_scripts_orders_can_be_emailed(
    game: str, language: str, form: str, turns: Callable[[str, str], Turn], open_page: OpenPage
) -> None:
    """A link that names its orders sends what is accepted as it is, and one that is to be filled in
    what is accepted once it is filled in."""
    turn = turns(game, language)
    page = show(open_page, getattr(turn, form), PHONES[0], script=False)
    links = page.locator("a[href^='mailto:']").evaluate_all("all => all.map((one) => one.href)")
    assert links
    assert box(page, "a[href^='mailto:']")["y"] <= PHONES[0][1] - TARGET
    for link in (str(one) for one in links):
        assert len(link) <= 2_000
        assert not re.search(r"\.\.\.|\.\.-\.\.", unquote(link))
        filled = body_of(link).replace("\n\r\n", "\n" + "\r\n".join([*turn.example, ""]))
        assert accepted(turn, filled), filled


@each_game
@pytest.mark.parametrize("form", FORMS)
def test_a_page_is_short_and_light(
    game: str, form: str, turns: Callable[[str, str], Turn], open_page: OpenPage
) -> None:
    turn = turns(game, "en")
    html = getattr(turn, form)
    page = show(open_page, html, PHONES[0])
    assert page.evaluate("document.documentElement.scrollHeight") <= SCREENS * PHONES[0][1]
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert sum(len(one.encode()) for one in scripts) <= GAMES_AT_BOARD[game].script
    if form == "attached":
        assert len(html.encode()) <= ATTACHED


SMALL = """([least, skipped]) => [...document.querySelectorAll(
    "button, a.button, summary, .head a, select")]
  .filter((one) => one.checkVisibility() && !one.matches(skipped))
  .map((one) => [one.textContent.trim() || one.ariaLabel, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < least - 0.5 || height < least - 0.5)
  .map(([name, { width, height }]) => `${name}: ${width} x ${height}`)"""


@each_game
def test_what_is_tapped_is_large_enough(
    game: str, turns: Callable[[str, str], Turn], open_page: OpenPage
) -> None:
    at = GAMES_AT_BOARD[game]
    page = show(open_page, turns(game, "sv").live, PHONES[1])
    targets = page.locator(at.target).evaluate_all(
        "all => all.map((one) => [one.getBoundingClientRect().width, "
        "one.getBoundingClientRect().height])"
    )
    assert targets
    assert min(min(pair) for pair in targets) >= at.least
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 844})
        unfold(page)
        assert page.evaluate(SMALL, [TARGET, ".zoom button, .in summary"]) == []


@each_game_and_language
def test_axe_finds_nothing_while_a_turn_is_ordered(
    game: str, language: str, turns: Callable[[str, str], Turn], open_page: OpenPage
) -> None:
    """On a phone and on a desk, light and dark, with one page for all of them; by day one game is
    looked at in the dark on the phone, and the next one in the light on the desk."""
    turn = turns(game, language)
    page = show(open_page, turn.live, PHONES[0])
    unfold(page)
    page.evaluate("document.querySelector('.more').open = false")
    order(page, game, turn)
    screens = [*product((DESK, PHONES[0]), SCHEMES)]
    by_day = screens[-1] if [*GAMES_AT_BOARD].index(game) % 2 else screens[0]
    for (width, height), scheme in screens if NIGHTLY else [by_day]:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        assert faults(page) == ""


@one_game
def test_three_tabs_lead_to_the_board_and_focus_is_seen(
    game: str, turns: Callable[[str, str], Turn], open_page: OpenPage
) -> None:
    page = show(open_page, turns(game, "en").live, PHONES[0])
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("Boolean(document.activeElement.closest('.place'))"):
            break
    assert page.evaluate("Boolean(document.activeElement.closest('.place'))")
    look = "getComputedStyle(document.activeElement)"
    assert page.evaluate(f"{look}.outlineStyle !== 'none' || {look}.stroke !== 'none'")


@pytest.mark.parametrize(
    ("game", "language", "form"), each_once([*GAMES_AT_BOARD], LANGUAGES, FORMS)
)
def test_without_scripts_a_page_is_whole(
    game: str, language: str, form: str, turns: Callable[[str, str], Turn], open_page: OpenPage
) -> None:
    """Board, hand and rows can be read, nothing asks for a tap, and paper has every row."""
    page = show(open_page, getattr(turns(game, language), form), PHONES[0], script=False)
    assert box(page, ".place .board")["y"] <= 48
    assert page.locator("button:visible, select:visible, input:visible").count() == 0
    for row in page.locator(".rest > details > summary:visible, section > details > summary").all():
        row.click()
    said = page.inner_text("body")
    assert not re.search(r"\b([Tt]ap|[Tt]rykk|[Tt]ryck)\b", said)


@one_game
def test_a_link_to_a_row_opens_it(
    game: str, turns: Callable[[str, str], Turn], open_page: OpenPage
) -> None:
    html = turns(game, "en").live
    for script in (True, False):
        page = show(open_page, html, PHONES[0], script=script)
        page.locator(".head a[href='#about']").click()
        page.wait_for_timeout(50)
        assert page.locator("#about").is_visible()
    page = open_page(html, width=390, hash="#orders")
    assert page.locator("#orders textarea").is_visible()
