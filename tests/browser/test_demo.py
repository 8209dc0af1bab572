"""Open the first page of a demo in a browser: it leads to the match as it plays."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page

from adjudicator.games import GAMES
from tests.browser.accessible import faults
from tests.browser.conftest import OpenPage
from tests.browser.test_pages import errors, too_wide
from tests.inside import demo
from tests.nightly import NIGHTLY

NOW = datetime(2026, 11, 21, 18, tzinfo=UTC)
VARIANTS = {"espionage": "small-fast", "spion": "quick"}  # of other games the first
# The page is the same for all games, but for its names and pictures.
PLAYED = [*GAMES] if NIGHTLY else ["spion"]
SEED = bytes.fromhex("c0ffee00" * 8)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Play a demo of a game, by night of each, and return their folders."""
    made = {game: tmp_path_factory.mktemp("demo") / game for game in PLAYED}
    for game, folder in made.items():
        variant = VARIANTS.get(game)
        demo.play(game, folder, variant=variant, seed=SEED, now=NOW, progress=lambda _plies: None)
    return made


@pytest.fixture(params=PLAYED)
def folder(request: pytest.FixtureRequest, folders: Mapping[str, Path]) -> Path:
    return folders[request.param]


def links(page: Page, within: str) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        f"{within} a", "all => all.map((one) => one.getAttribute('href'))"
    )
    return found


def eyes(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "reports").glob("*-eyes.html"))


def test_without_script_every_link_leads_to_a_file_and_a_moment(folder: Path, open_page: OpenPage):
    page = open_page(folder / "index.html", script=False)
    found = links(page, "body")
    assert len(found) > len(links(page, "details")) > 0
    for link in found:
        place, _, moment = unquote(link).partition("#")
        text = (folder / place).read_text("utf-8")
        assert not moment or f'<li id="{moment}"' in text, link
    for picture in page.locator("img").all():
        assert picture.evaluate("one => one.complete && one.naturalWidth > 0")
    assert page.locator("script").count() == 0


def test_each_seat_s_eyes_and_everything_open_begin_at_the_beginning(
    folder: Path, open_page: OpenPage
):
    page = open_page(folder / "index.html")
    *seen, whole = links(page, ".views")
    assert sorted(Path(link.partition("#")[0]).name for link in seen) == eyes(folder)
    assert len(seen) == len(list((folder / "reports").glob("*-final.html")))
    assert "-final.html#" in whole
    for number in (0, len(seen)):
        page = open_page(folder / "index.html")
        page.locator(".views a").nth(number).click()
        assert page.locator(".replay input").input_value() == "0"
        page.click("[value=on]")
        assert page.locator(".replay input").input_value() == "1"


def test_eyes_see_less_than_the_page_with_everything_open(folder: Path, open_page: OpenPage):
    """The page with a seat's eyes has neither the record nor the changes that were hidden."""
    own, whole = (
        open_page(folder / "reports" / name, script=False)
        for name in (eyes(folder)[0], eyes(folder)[0].replace("-eyes", "-final"))
    )
    first, opened = (
        page.locator(".moments > li").first.get_attribute("data-changes") for page in (own, whole)
    )
    assert first != opened
    assert whole.locator(".record").count() == 1
    assert own.locator(".record").count() == 0


def test_a_turning_point_is_a_moment_of_the_page_with_everything_open(
    folder: Path, open_page: OpenPage
):
    page = open_page(folder / "index.html")
    point = page.locator("main > section:nth-of-type(2) li a").last
    named = point.get_attribute("href") or ""
    point.click()
    page.wait_for_selector(".moment b", state="attached")
    assert (page.locator("a.here").get_attribute("href") or "").endswith(
        "#" + named.partition("#")[2]
    )


def test_what_is_folded_away_are_all_reports_by_turn(folder: Path, open_page: OpenPage):
    page = open_page(folder / "index.html")
    assert not page.locator(".turns a").first.is_visible()
    page.click("summary")
    assert page.locator(".turns a").first.is_visible()
    live = [path for path in (folder / "reports").glob("*-[0-9]*.html") if path.stem[-3:].isdigit()]
    assert page.locator(".turns a").count() == len(live)


def test_axe_finds_nothing_on_the_first_page_of_a_demo(folder: Path, open_page: OpenPage):
    page = open_page(folder / "index.html", width=1440)
    page.click("summary")
    assert "\n".join(too_wide(page)) == ""
    assert faults(page) == ""
    page.set_viewport_size({"width": 320, "height": 844})
    page.emulate_media(color_scheme="dark")
    assert "\n".join(too_wide(page)) == ""
    assert faults(page) == ""


def test_the_nu_validator_finds_no_error_in_the_first_page_of_a_demo(
    folders: Mapping[str, Path], tmp_path: Path
):
    """It is started once for all games."""
    for game, folder in folders.items():
        (tmp_path / f"{game}.html").write_bytes((folder / "index.html").read_bytes())
    assert errors(tmp_path) == ""
