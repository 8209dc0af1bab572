"""Two people play by real mail, and one of them has nothing but a phone.

Anna opens the page that comes with her email, taps her orders and sends the email that the page
begins; Bob writes his orders as text. `ADJUD_TEST_SCALE=10` plays ten turns, and with
`ADJUD_SCREENSHOTS` a picture of each of Anna's emails and pages is kept in that folder.
"""

import os
import re
import shutil
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, MISSING
from tests.mail.person import Person, until
from tests.mail.realmail import Installed, Real
from tests.scale import scaled
from tests.service.mailclub import files_of

pytestmark = pytest.mark.real

MATCH = "e7"
PHONE = ViewportSize(width=390, height=844)
LIMITS = {"report": 200_000, "receipt": 20_000}  # bytes (emails, section 6)
ON_THE_WAY = 1500  # bytes that Postfix and Dovecot add
FINGER = 24  # CSS pixels


@pytest.fixture
def phone() -> Iterator[BrowserContext]:
    if not CHROMIUM.exists():
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
        chromium.close()


@pytest.fixture
def club(real: Real) -> Iterator[Installed]:
    club = real.club(real.PIPE)
    yield club
    shutil.rmtree(club.folder)  # other tests come by that door


def test_a_match_is_played_by_taps_on_a_phone(
    real: Real, club: Installed, phone: BrowserContext, tmp_path: Path
) -> None:
    anna, bob = real.person("Anna"), real.person("Bob")
    for person in (anna, bob):
        person.new_emails()
        club("player", "add", person.name, person.address, "--confirmed")
    seats = ("--seat", "white=Anna", "--seat", "black=Bob")
    club("new", "espionage", "--variant", "small", "--match", MATCH, *seats)
    club("tick")
    sizes: dict[str, list[int]] = {"report": [], "receipt": []}

    def gets(person: Person, kind: str) -> EmailMessage:
        (email,) = person.gets(kind)
        sizes[kind].append(len(email.as_bytes()))
        return email

    def sends(person: Person, to: str, subject: str, lines: list[str]) -> None:
        person.writes(to, *lines, Subject=subject)
        until(lambda: club.in_spool() == 1)
        club("tick")
        receipt = gets(person, "receipt")
        assert re.search("your orders (are in|were carried out)", receipt["Subject"])

    turns = range(scaled(1) + 1)
    for turn in turns:
        email = gets(anna, "report")
        assert f"Turn {turn}: your" in email["Subject"]
        looks_at(phone, email, turn)
        page = opened(phone, attached(email), tmp_path / "page.html")
        taps(page, club.orders(MATCH, "white"))
        shoot(page, f"{turn:02}-page")
        sends(anna, *begun(page))
        page.close()
        email = gets(bob, "report")
        sheet = [f"ORDERS {MATCH} black turn {turn}", *club.orders(MATCH, "black"), "END"]
        sends(bob, str(email["Reply-To"]), f"Re: {email['Subject']}", sheet)
    print({kind: (len(found), sum(found), max(found)) for kind, found in sizes.items()})
    for kind, most in LIMITS.items():
        assert len(sizes[kind]) == 2 * len(turns)
        assert max(sizes[kind]) <= most + ON_THE_WAY


def attached(email: EmailMessage) -> bytes:
    (page,) = files_of(email)
    content = page.get_content()
    assert isinstance(content, bytes)
    return content


def looks_at(phone: BrowserContext, email: EmailMessage, turn: int) -> None:
    """Show the email's HTML as a phone does: nothing is wider than the screen."""
    html = email.get_body(("html",))
    assert html is not None
    shown = phone.new_page()
    shown.set_content(html.get_content())
    assert shown.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    shoot(shown, f"{turn:02}-letter")
    shown.close()


def opened(phone: BrowserContext, html: bytes, place: Path) -> Page:
    place.write_bytes(html)
    page = phone.new_page()
    page.goto(place.as_uri())
    return page


def shoot(page: Page, name: str) -> None:
    if folder := os.environ.get("ADJUD_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"phone-{name}.png", full_page=True)


def taps(page: Page, orders: list[str]) -> None:
    """Compose what the built-in player would order. In the set-up it is placed from its text."""
    if orders[0].startswith("SETUP"):
        page.get_by_text("Save this set-up, or load one you have").tap()
        page.fill("[data-part=text]", "\n".join(orders[1:]))
        page.tap("[data-part=load]")
        return
    for order in orders:
        for square in order.split("-"):
            place = page.locator(f"[data-square={square}]")
            box = place.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= FINGER
            place.tap()
    written = page.locator(".place-sheet textarea").input_value()
    assert all(order in written.splitlines() for order in orders)


def begun(page: Page) -> tuple[str, str, list[str]]:
    """Return the email that the page begins: to whom, its Subject, its lines."""
    link = page.locator("a[href^='mailto:']").first.get_attribute("href")
    assert link is not None
    parts = urlsplit(link)
    asked = parse_qs(parts.query)
    return unquote(parts.path), asked["subject"][0], asked["body"][0].splitlines()
