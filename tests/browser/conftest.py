"""Drive Debian's Chromium with Playwright: one browser for all tests of this folder."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.program import Adjud

# The headless shell opens a page at a third of the cost; a desktop's Chromium shows the same.
CHROMIUMS = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
CHROMIUM = next((program for program in CHROMIUMS if program.exists()), CHROMIUMS[0])
MISSING = f"there is no {CHROMIUM} (Debian: apt install chromium-headless-shell)"
FLAGS = (
    "--no-sandbox",  # its own sandbox does not work for root, whom CI is
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
OWN = ("file:", "data:", "blob:", "about:")
HEIGHT = 900
MATCH = "espionage-1"


class OpenPage(Protocol):
    def __call__(
        self,
        source: str | Path,
        *,
        width: int = 1024,
        scheme: str = "light",
        script: bool = True,
        touch: bool = False,
        motion: bool = False,
        hash: str = "",
    ) -> Page:
        """Open a page, given as HTML or as a file, as a browser shows it from a file of its own."""
        ...


@pytest.fixture(scope="session")
def setting_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a club in which Anna and Bob are to place their armies in a match."""
    folder = tmp_path_factory.mktemp("setting_up")
    program = Adjud(folder)
    program.club()
    program.match(MATCH)
    return folder


@pytest.fixture(scope="session")
def placed(setting_up: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of that club in which White is to order turn 1."""
    folder = tmp_path_factory.mktemp("placed")
    copied(setting_up, folder).armies(MATCH)
    return folder


def copied(club: Path, folder: Path) -> Adjud:
    shutil.copytree(club, folder, dirs_exist_ok=True)
    return Adjud(folder)


@pytest.fixture
def adjud(setting_up: Path, tmp_path: Path) -> Adjud:
    """Return a copy of the club in which both place their armies."""
    return copied(setting_up, tmp_path)


@pytest.fixture
def marching(placed: Path, tmp_path: Path) -> Adjud:
    """Return a copy of the club in which White is to order turn 1."""
    return copied(placed, tmp_path)


def opened(adjud: Adjud, open_page: OpenPage, seat: str = "white", **how: Any) -> Page:
    """Open the page of a seat of that match, with its rows."""
    page = open_page(adjud.does("report", MATCH, seat, "--format", "html"), **how)
    unfold(page)
    return page


def unfold(page: Page) -> None:
    """Open all rows below the board."""
    page.evaluate(
        """for (const row of document.querySelectorAll(".rest details:not(.more)"))
             row.open = true"""
    )


def reload(page: Page) -> None:
    page.reload()
    unfold(page)


def menu(page: Page, name: str) -> None:
    """Press what is behind the bar's ⋯."""
    page.locator(".more > summary").click()
    page.locator(".menu").get_by_role("button", name=name).click()


def primary(page: Page) -> str:
    """Return what the large button says; in brackets if it is not what comes next."""
    shown = page.locator(".go .primary:visible")
    text = shown.inner_text()
    return f"({text})" if "idle" in (shown.get_attribute("class") or "") else text


def choose(page: Page, *squares: str) -> None:
    for square in squares:
        page.locator(f"[data-square={square}]").click()


def sheet(page: Page) -> str:
    return page.locator(".place-sheet textarea").input_value().strip()


def body(page: Page) -> list[str]:
    """Return the lines between the first and the last of the sheet in a page."""
    return sheet(page).split("\n")[1:-1]


# The scope is the package, not the session: Playwright keeps an event loop in this thread, and
# other tests want one of their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start Chromium. Without it its tests are skipped."""
    if not CHROMIUM.exists():
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[OpenPage]:
    """Return what opens pages.

    The test fails if a page asks for anything but itself, or writes an error to its console because
    a script broke or did what its policy forbids.
    """
    trouble: list[str] = []
    contexts: list[BrowserContext] = []

    def opened(
        source: str | Path,
        *,
        width: int = 1024,
        scheme: str = "light",
        script: bool = True,
        touch: bool = False,
        motion: bool = False,
        hash: str = "",
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHT},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=script,
            has_touch=touch,
            reduced_motion="no-preference" if motion else "reduce",
        )
        contexts.append(context)
        context.set_default_timeout(10_000)  # milliseconds
        page = context.new_page()
        _watch(page, trouble)
        page.goto(_file(source, tmp_path / f"{len(contexts)}.html").as_uri() + hash)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert trouble == []


def _file(source: str | Path, place: Path) -> Path:
    if isinstance(source, Path):
        return source
    place.write_text(source, encoding="utf-8")
    return place


def _watch(page: Page, trouble: list[str]) -> None:
    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            trouble.append(f"{message.type}: {message.text}")

    page.on("console", said)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith(OWN) else trouble.append(f"asked: {asked.url}"),
    )


@pytest.fixture(scope="package")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder for pictures, `ADJUD_SCREENSHOTS` if that is set, with a page that shows all
    of them."""
    given = os.environ.get("ADJUD_SCREENSHOTS")
    folder = Path(given) if given else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    yield folder
    figures = (
        f'<figure><a href="{shot.name}"><img src="{shot.name}" alt=""></a>'
        f"<figcaption>{shot.stem}</figcaption></figure>"
        for shot in sorted(folder.glob("*.png"))
    )
    (folder / "index.html").write_text(CONTACTS + "\n".join(figures), encoding="utf-8")


CONTACTS = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Screenshots</title>
<style>
body { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; font: 13px sans-serif; }
figure { margin: 0; }
img { height: 30rem; max-width: 30rem; object-fit: cover; object-position: top; }
</style>
"""


@pytest.fixture
def shoot(screenshots: Path) -> Callable[[Page, str], None]:
    """Return what keeps a picture of a whole page under a name."""

    def shot(page: Page, name: str) -> None:
        file = re.sub(r"[^\w-]+", "-", name)
        page.screenshot(path=screenshots / f"{file}.png", full_page=True)

    return shot
