"""A page says how old it is and how long the deadline is away, by its reader's clock."""

from datetime import UTC, datetime, timedelta
from itertools import cycle

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from tests.browser.browsing import GAME_KINDS, played
from tests.browser.conftest import OpenPage
from tests.club import rfc3339, show
from tests.nightly import mostly_nightly

MADE = datetime(2026, 11, 20, 18, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
DUE = MADE + 4 * DAY


def html(language: str = "en", kind: str = "small", *, due: datetime | None = DUE) -> str:
    shown = next(iter(played(kind)["late"].values()))
    report = replace(shown.report, as_of=rfc3339(MADE), deadline=rfc3339(due))
    return show(replace(shown, report=report, language=language), "html")


def at(page: Page, now: datetime) -> str:
    """Return what the page says of its age when it is opened at a moment."""
    page.clock.install(time=now - MINUTE)
    page.clock.pause_at(now)
    page.reload()
    return page.locator(".age").text_content() or ""


AGES = [
    (-HOUR, "4 days 1 hour left until the deadline."),
    (timedelta(), "4 days left until the deadline."),
    (59 * MINUTE, "3 days 23 hours left until the deadline."),
    (HOUR, "This page is 1 hour old. 3 days 23 hours left until the deadline."),
    (3 * DAY - HOUR, "This page is 2 days old. 1 day 1 hour left until the deadline."),
    (4 * DAY - 90 * MINUTE, "This page is 3 days old. 1 hour 30 minutes left until the deadline."),
    (4 * DAY - MINUTE, "This page is 3 days old. 1 minute left until the deadline."),
    (4 * DAY + MINUTE, "This page is 4 days old; the deadline has passed."),
    (40 * DAY, "This page is 40 days old; the deadline has passed."),
]


def test_a_page_tells_its_age_and_the_time_that_is_left(open_page: OpenPage) -> None:
    page = open_page(html())
    assert [at(page, MADE + after) for after, _ in AGES] == [told for _, told in AGES]


@pytest.mark.parametrize(
    ("language", "left", "late"),
    [
        pytest.param("en", "1 day 2 hours left until the deadline.",
         "This page is 5 days old; the deadline has passed.", marks=pytest.mark.nightly),
        ("nb", "1 døgn 2 timer til fristen er ute.",
         "Denne siden er 5 døgn gammel; fristen er ute."),
        ("sv", "1 dygn 2 timmar kvar till deadline.",
         "Den här sidan är 5 dygn gammal; tiden har gått ut."),
    ],
)  # fmt: skip
def test_it_tells_it_in_the_readers_words(
    language: str, left: str, late: str, open_page: OpenPage
) -> None:
    page = open_page(html(language))
    assert at(page, DUE - DAY - 2 * HOUR).endswith(left)
    page.clock.fast_forward(int((2 * DAY + 2 * HOUR).total_seconds() * 1000))
    assert page.locator(".age").text_content() == late


def test_the_time_runs_while_the_page_is_open(open_page: OpenPage) -> None:
    page = open_page(html())
    assert "2 minutes left" in at(page, DUE - 2 * MINUTE - timedelta(seconds=5))
    page.clock.fast_forward(61_000)
    assert "1 minute left" in (page.locator(".age").text_content() or "")
    page.clock.fast_forward(3 * 61_000)
    assert "has passed" in (page.locator(".age").text_content() or "")
    expect(page.locator(".age")).to_have_class("age late")


@pytest.mark.parametrize(
    ("language", "near", "nearer", "late"),
    [
        pytest.param("en", "in 5 h", "in 40 min", "late", marks=pytest.mark.nightly),
        pytest.param("nb", "om 5 t", "om 40 min", "for sent", marks=pytest.mark.nightly),
        ("sv", "om 5 tim", "om 40 min", "för sent"),
    ],
)
def test_the_line_of_head_says_when_it_is_near(
    language: str, near: str, nearer: str, late: str, open_page: OpenPage
) -> None:
    page = open_page(html(language))
    head = page.locator(".head .due")
    at(page, DUE - 2 * DAY)
    assert not head.evaluate("one => one.classList.contains('soon')")
    for before, told in ((5 * HOUR, near), (40 * MINUTE, nearer), (-MINUTE, late)):
        at(page, DUE - before)
        assert head.inner_text() == told
        expect(head).to_have_class("due soon")


def test_without_a_deadline_it_tells_its_age_alone(open_page: OpenPage) -> None:
    page = open_page(html(due=None))
    assert at(page, MADE + 59 * MINUTE) == ""
    assert page.locator(".age").is_hidden()
    assert at(page, MADE + 3 * DAY) == "This page is 3 days old."


@pytest.mark.parametrize(
    ("game", "language"),
    mostly_nightly(zip(GAMES, cycle(LANGUAGES), strict=False), every_day=[("spion", "nb")]),
)
def test_without_script_the_times_stand_there(
    game: str, language: str, open_page: OpenPage
) -> None:
    page = open_page(html(language, next(iter(GAME_KINDS[game]))), script=False)
    assert not page.locator(".age").is_visible()
    page.click(".about summary")
    assert "24" in page.locator(".deadline").inner_text()
    assert "20" in page.locator(".about .note").last.inner_text()


def test_a_page_of_an_ended_match_does_not_grow_old() -> None:
    shown = played("small")["over"]["white"]
    assert 'class="age"' not in show(shown, "html")
