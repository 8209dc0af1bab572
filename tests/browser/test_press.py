"""What players wrote to each other, on the page of one of them (docs/club.md, section 10)."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest

from adjudicator.core.message import LANGUAGES
from tests.browser.accessible import faults
from tests.browser.conftest import OpenPage
from tests.browser.test_pages import too_wide
from tests.club import MONDAY, Printable, show
from tests.database import create, open_store
from tests.nightly import mostly_nightly
from tests.service.spionclub import SpionClub

HEADINGS = {"en": "Messages", "nb": "Meldinger", "sv": "Meddelanden"}
LONG = "wordwithoutanyblank" * 12


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpionClub]:
    folder = tmp_path_factory.mktemp("press")
    url = f"sqlite:///{folder / 'adjud.db'}"
    create(url)
    club = SpionClub(open_store(url), folder / "spool")
    club.begin("press=unsigned", players=3)
    for seat, who, to, text in (
        ("green", "bob", "blue", LONG),
        ("blue", "anna", "green", "<b>I agree</b> & so on"),
        ("yellow", "carl", "ALL", "to all"),
        ("green", "bob", "blue UNSIGNED", "nameless"),
        ("blue", "anna", "MASTER", "please look"),
    ):
        lines = (f"PRESS TO {to}", text, "", "second line", "ENDPRESS")
        club.write(seat, *lines, sender=f"{who}@example.org")
    club.run_tick()
    yield club
    club.store.close()


@pytest.mark.parametrize(
    ("language", "width"),
    mostly_nightly(product(LANGUAGES, [390, 1280]), every_day=[("nb", 390)]),
)
def test_the_threads_are_read_on_a_phone_and_on_a_screen(
    language: str, width: int, club: SpionClub, tmp_path: Path, open_page: OpenPage
) -> None:
    live = club.live_report("m", "blue", now=MONDAY + timedelta(hours=1))
    made = Printable(live.report, language, live.zone, live.past, live.reply)
    (tmp_path / "page.html").write_text(show(made, "html"), "utf-8")
    opened = open_page(tmp_path / "page.html", width=width)
    press = opened.locator("section.press")
    press.locator("summary").click()
    assert press.locator("h2").inner_text() == HEADINGS[language]
    assert press.locator("h3").count() == 4
    assert press.locator("blockquote").count() == 5
    assert all(one.is_visible() for one in press.locator("h3, blockquote").all())
    assert "<b>I agree</b> & so on" in press.inner_text()
    assert not too_wide(opened)
    assert faults(opened, context="section.press", preload=False) == ""
