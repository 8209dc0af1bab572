"""Open the public pages of a club in a browser: the first page, the rules, a match's last page."""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from adjudicator.core.message import LANGUAGES
from adjudicator.mail.address import Key
from adjudicator.reports.club import Introduction
from tests.browser.accessible import faults
from tests.browser.conftest import OpenPage
from tests.browser.test_pages import WIDTHS, errors, too_wide
from tests.club import MONDAY, Club, NewLadder, NewMatch, NewTournament, computer_orders
from tests.database import create, open_store
from tests.nightly import NIGHTLY, each_once, mostly_nightly
from tests.service.test_site import begin_early, end_early, files
from tests.site_pages import seat_folder_of

KEY = Key(id="k1", secret=bytes(32))
PAGES = (
    "index.html",
    "results.html",
    "logs.html",
    "rules/espionage.html",
    "rules/spion.html",
    "logs/a-very-long-name-it-has.html",
    "logs/ended.html",
    "seats/index.html",
    "matches/ended.html",
    "matches/spies.html",
    "players/anna-1.html",
    f"players/{'bob' * 13}-2.html",
    "matches/watched.html",
    "tournaments/cup.html",
    "ladders/spring.html",
)
ALIKE = {"rules/spion.html", "logs/ended.html", "matches/spies.html", "players/anna-1.html"}


each_width = pytest.mark.parametrize("width", mostly_nightly([390, 1280], every_day=[390]))


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """Make a club in which one match is being played, one is open, and one has ended and counts."""
    url = f"sqlite:///{tmp_path_factory.mktemp('club') / 'adjud.db'}"
    create(url)
    club = Club(open_store(url))
    long = "Bob" * 13
    club.add("Anna", long)
    club.new("deadline=every 3 days", black="computer")
    for name in ("a-very-long-name-it-has", "ended"):
        club.new(black=long, name=name)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="ended")
    club.tick()
    club.send("black", "RESIGN", match="ended")
    club.tick()
    end_early(club, "spion", "spies", long)
    for number, loser in enumerate(("black", "white", "white", "black", "black", "white")):
        end_later(club, f"n{number}", loser, MONDAY + number * timedelta(days=9))
    club.new("onlookers=1", name="watched", black=long)
    for _ in range(6):
        for seat in club.loaded("watched").awaited:
            lines = computer_orders(club.loaded("watched"), seat, "computer")
            club.send(seat, *lines, match="watched")
        club.tick()
    begin_tournament(club, long)
    spring = NewLadder(name="spring", game="espionage")
    club.create_ladder(spring)
    for name in ("Anna", long):
        club.enter_ladder("spring", name)
    yield club
    club.store.close()


def begin_tournament(club: Club, long: str) -> None:
    """Let three meet each other; one of them has left."""
    club.add("Cleo")
    wanted = NewTournament(
        name="cup", game="espionage", kind="round-robin", entrants=("Anna", long, "Cleo")
    )
    club.create_tournament(wanted)
    club.start_tournament("cup")
    club.tick()
    club.withdraw("cup", "Cleo")
    club.tick()


def end_later(club: Club, name: str, loser: str, now: datetime) -> None:
    """Play a match that ends after its set-up, at that time."""
    club.new(black="Bob" * 13, name=name, now=now)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match=name, now=now)
    club.tick(now)
    club.send(loser, "RESIGN", match=name, now=now)
    club.tick(now)


@cache
def made(club: Club, language: str) -> dict[str, bytes]:
    """Return the files of the site of a club in which nothing happens any more."""
    return files(club, language, "Europe/Oslo", KEY)


def written(club: Club, language: str, folder: Path) -> list[Path]:
    for name, content in made(club, language).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return [folder / name for name in PAGES]


@each_width
def test_a_page_of_the_site_that_is_opened_as_a_file_runs_as_one_that_holds_its_scripts(
    width: int, club: Club, tmp_path: Path, open_page: OpenPage
):
    """Its policy lets it read the files beside it, also where no server has it."""
    written(club, "en", tmp_path)
    own = seat_folder_of(KEY, "a-very-long-name-it-has", "white", 1)
    opened = open_page(tmp_path / "seats" / own / "index.html", width=width)
    assert opened.locator(".bar .told").inner_text() != ""
    assert opened.locator(".place-board .cells").is_visible()
    assert opened.evaluate("getComputedStyle(document.body).marginTop") == "0px"
    ended = open_page(tmp_path / "matches" / "ended.html", width=width)
    ended.locator(".history summary").first.click()
    assert ended.locator(".replay").is_visible()


@each_width
def test_a_players_page_is_a_tap_away_and_draws_the_rating(
    width: int, club: Club, tmp_path: Path, open_page: OpenPage
):
    written(club, "en", tmp_path)
    first = open_page(tmp_path / "index.html", width=width)
    assert first.locator('head link[type="application/atom+xml"]').get_attribute("href") == (
        "feed.xml"
    )
    first.locator(".standings a", has_text="Anna").first.click()
    page = open_page(tmp_path / "players" / "anna-1.html", width=width)
    assert first.url == page.url
    assert page.locator("h1").inner_text() == "Anna"
    drawn = page.locator(".line polyline").first
    box = drawn.bounding_box()
    assert box is not None
    assert box["width"] > 150
    assert box["height"] > 30
    assert len((drawn.get_attribute("points") or "").split()) == 8
    page.locator("a.row").last.click()
    page.locator(".history summary").first.click()
    assert page.locator(".replay").is_visible()


@each_width
def test_a_tournaments_page_is_a_tap_away_and_its_table_fits_a_phone(
    width: int, club: Club, tmp_path: Path, open_page: OpenPage
):
    written(club, "en", tmp_path)
    opened = open_page(tmp_path / "index.html", width=width)
    opened.locator("a.row", has_text="cup").first.click()
    assert opened.locator("h1").inner_text() == "cup"
    assert opened.locator(".standings tbody tr").count() == 3
    points = opened.locator(".standings thead th").nth(2)
    box = points.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] < width
    assert opened.locator("section", has_text="Round 1").locator("li").count() == 1


@pytest.mark.parametrize(
    ("language", "width"),
    mostly_nightly(product(LANGUAGES, [390, 1280]), every_day=[("sv", 1280)]),
)
def test_onlookers_step_through_a_running_match(
    language: str, width: int, club: Club, tmp_path: Path, open_page: OpenPage
):
    written(club, language, tmp_path)
    opened = open_page(tmp_path / "index.html", width=width)
    opened.locator('a[href="matches/watched.html"]').click()
    assert opened.locator(".rest .watched").count() == 2  # what it waits for, and how late
    assert opened.locator(".bar").count() == 0
    opened.locator(".history summary").first.click()
    assert opened.locator(".replay").is_visible()
    texts = []
    for button in ("first", "last"):
        opened.locator(f".replay button[value={button}]").click()
        texts.append(opened.locator(".replay .when").inner_text())
    assert texts[0] != texts[1]
    assert opened.locator(".composer").count() == 0
    assert opened.locator("textarea").count() == 0


@pytest.fixture(scope="module")
def inviting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """Make a club with a match of each game that has an open seat, and one that is being played."""
    url = f"sqlite:///{tmp_path_factory.mktemp('inviting') / 'adjud.db'}"
    create(url)
    club = Club(open_store(url))
    club.add("Anna", "Bob")
    for name, game, variant, seat in (
        ("open-1", "espionage", "small", "white"),
        ("open-2", "spion", "quick", "blue"),
        ("open-3", "spies", "standard", "germany"),
    ):
        wanted = NewMatch(
            game=game,
            variant=variant,
            name=name,
            seats=[f"{seat}=Anna"],
            options=["deadline=every 3 days"],
            seed=None,
            fresh_seed=bytes(32),
            leave_open=True,
        )
        club.create(wanted)
        begin_early(club, game, f"{game}-7")
    yield club
    club.store.close()


@pytest.mark.parametrize("language", mostly_nightly(LANGUAGES, every_day=["nb"]))
def test_the_first_page_of_a_phone_has_a_button_that_joins(
    language: str, inviting: Club, tmp_path: Path, open_page: OpenPage
):
    own = Introduction(
        name="The Friday Club",
        welcome="Board games by email since 1987. You get the board in an email and reply with "
        "your move. Beginners are welcome.",
        game_master="Gerda",
        contact="gerda@example.org",
    )
    for name, content in files(inviting, language, "Europe/Oslo", KEY, own=own).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    opened = open_page(tmp_path / "index.html", width=390, script=False)
    opened.set_viewport_size({"width": 390, "height": 844})
    boxes = [one.bounding_box() for one in opened.locator(".join").all()]
    assert len(boxes) == 3
    assert [box["height"] >= 48 and box["y"] + box["height"] <= 844 for box in boxes if box] == (
        [True] * 3
    )
    head = opened.locator(".head").bounding_box()
    assert head is not None
    assert head["height"] <= 45
    assert opened.locator(".card").count() == opened.locator(".card .pic").count() == 3
    assert opened.locator("#now .row").count() == opened.locator("#now .pic").count() == 3
    whole = opened.evaluate("document.documentElement.scrollHeight")
    assert whole <= 2 * 844
    for width in (320, 390, 1440):
        opened.set_viewport_size({"width": width, "height": 844})
        wide = opened.evaluate("document.documentElement.scrollWidth")
        assert wide == width
    opened.locator("summary.button").click()  # any seat that is free, also without a script
    assert opened.locator(".menu .button").count() == 4
    small = opened.evaluate(
        "[...document.querySelectorAll('.button, .row, summary, .head a')]"
        ".map(one => one.getBoundingClientRect())"
        ".filter(box => box.width && Math.min(box.width, box.height) < 44).length"
    )
    assert small == 0


SCREENS = (("light", 1440), ("dark", 320))


# By day one page of each kind is looked at.
OF_EACH_KIND = [page for page in PAGES if page not in ALIKE]


@pytest.mark.parametrize(
    ("page", "screen"),
    [
        *each_once(OF_EACH_KIND, SCREENS),
        *mostly_nightly(product(sorted(ALIKE), SCREENS), every_day=()),
    ],
)
def test_axe_finds_nothing_on_public_pages_and_none_is_wider_than_the_screen(
    page: str, screen: tuple[str, int], club: Club, tmp_path: Path, open_page: OpenPage
):
    """Each page is looked at in one language; by night the next test asks in all how wide it is."""
    language = LANGUAGES[PAGES.index(page) % len(LANGUAGES)]
    written(club, language, tmp_path)
    scheme, width = screen
    opened = open_page(tmp_path / page, width=width, scheme=scheme)
    assert faults(opened, preload=False) == ""  # the policy lets nothing be fetched
    for width in WIDTHS:
        opened.set_viewport_size({"width": width, "height": 900})
        assert "\n".join(too_wide(opened)) == "", width


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_public_page_is_wider_than_the_screen(
    language: str, club: Club, tmp_path: Path, open_page: OpenPage
):
    for page in written(club, language, tmp_path):
        opened = open_page(page)
        for width in WIDTHS:
            opened.set_viewport_size({"width": width, "height": 900})
            assert "\n".join(too_wide(opened)) == "", (page.name, width)


def test_the_nu_validator_finds_no_error_on_public_pages(club: Club, tmp_path: Path):
    """By day each page is looked at in one language."""
    for number, language in enumerate(LANGUAGES):
        pages = written(club, language, tmp_path / "written" / language)
        for page in pages if NIGHTLY else pages[number :: len(LANGUAGES)]:
            place = tmp_path / "pages" / f"{language}-{page.parent.name}-{page.name}"
            place.parent.mkdir(exist_ok=True)
            shutil.copyfile(page, place)
    assert errors(tmp_path / "pages") == ""
