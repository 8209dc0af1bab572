"""The default page: legal orders are chosen by a button or a tap, and the sheet holds them."""

from random import Random

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from adjudicator.core.game import AnyGame
from adjudicator.core.simple import Look, SimpleOrders
from adjudicator.games import GAMES
from tests import club
from tests.browser.conftest import OpenPage, body, choose, primary
from tests.games.examples import GOOFSPIEL
from tests.games.playouts import playout
from tests.games.small_games import SMALL, SQUARES, TAPPED, TOWNS, Claim, game, towns
from tests.games.standing import standing
from tests.nightly import mostly_nightly

MANY = game(
    "many",
    Look(board=towns),
    orders=SimpleOrders(
        words={"CLAIM": Claim},
        examples=("CLAIM b2",),
        legal=lambda view: [Claim(f"place{number}") for number in range(90)],
    ),
)
each_width = pytest.mark.parametrize("width", mostly_nightly([390, 1440], every_day=[390]))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for slug, one in {**SMALL, GOOFSPIEL.slug: GOOFSPIEL, MANY.slug: MANY}.items():
        monkeypatch.setitem(GAMES, slug, one)


def page_of(game: AnyGame) -> str:
    """Return the page of the first seat after a ply."""
    ply = list(playout(game, Random(1), 2))[1]
    report = club.public_report(
        standing(game, ply.before, ply.setting.options).loaded, game.seats[0]
    )
    sheet = (report.sheet_head(), *game.orders.template(report.view), "END")
    report = replace(report, template=sheet, awaited=(game.seats[0],))
    return club.show(report, "html")


@each_width
def test_a_button_chooses_an_order_and_the_next_one_takes_its_place(
    open_page: OpenPage, width: int
) -> None:
    page = open_page(page_of(GOOFSPIEL), width=width)
    expect(page.locator(".told")).to_have_text("Choose your order.")
    assert primary(page) == "(0 of 1 chosen)"
    assert body(page) == ["BID .."]
    page.get_by_role("button", name="5", exact=True).click()
    assert body(page) == ["BID 5"]
    page.get_by_role("button", name="6", exact=True).click()
    assert body(page) == ["BID 6"]
    expect(page.locator(".told")).to_have_text("Your orders: BID 6. Now send them.")
    page.get_by_role("button", name="6", exact=True).click()
    assert body(page) == ["BID .."]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@each_width
def test_squares_are_tapped_until_there_are_as_many_as_the_game_says(
    open_page: OpenPage, width: int
) -> None:
    page = open_page(page_of(SQUARES), width=width)
    choose(page, "b2")
    assert primary(page) == "(1 of 2 chosen)"
    choose(page, "c3")
    assert body(page) == ["CLAIM b2", "CLAIM c3"]
    assert page.locator("circle.chosen").count() == 2
    page.locator("[data-square=d1]").press("Enter")
    assert body(page) == ["CLAIM c3", "CLAIM d1"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@each_width
def test_a_map_has_buttons(open_page: OpenPage, width: int) -> None:
    page = open_page(page_of(TOWNS), width=width)
    expect(page.locator("svg.board circle")).to_have_count(11)
    page.get_by_role("button", name="CLAIM b2").click()
    page.get_by_role("button", name="CLAIM b3").click()
    assert body(page) == ["CLAIM b2", "CLAIM b3"]


@each_width
def test_a_place_of_a_map_is_tapped_and_an_order_without_a_place_has_a_button(
    open_page: OpenPage, width: int
) -> None:
    page = open_page(page_of(TAPPED), width=width)
    place = page.get_by_role("group", name="Map: select a place").get_by_role("button")
    assert place.count() == 9  # of 12 places; two are claimed, and one has a button
    tapped = [place.nth(0).get_attribute("data-square"), place.nth(1).get_attribute("data-square")]
    place.nth(0).click()
    assert primary(page) == "(1 of 2 chosen)"
    place.nth(1).press("Enter")
    assert body(page) == [f"CLAIM {name}" for name in tapped]
    assert page.locator("circle.chosen").count() == 2
    expect(place.nth(1)).to_have_attribute("aria-pressed", "true")
    centre = page.locator("circle.chosen").first.bounding_box()
    spot = place.nth(0).bounding_box()
    assert centre
    assert spot
    for start, length in (("x", "width"), ("y", "height")):  # the button lies over its place
        middle = centre[start] + centre[length] / 2
        assert abs(middle - spot[start] - spot[length] / 2) < 2
        assert spot[length] >= 44
    page.get_by_role("button", name="b1", exact=True).click()
    assert body(page) == [f"CLAIM {tapped[1]}", "CLAIM b1"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_page_without_scripts_says_everything(open_page: OpenPage) -> None:
    page = open_page(page_of(GOOFSPIEL), script=False)
    expect(page.get_by_text("The prize is")).to_be_visible()
    expect(page.locator(".values table")).to_be_visible()
    expect(page.locator(".bar")).to_be_hidden()


HIDDEN = """choices => {
  const end = choices.getBoundingClientRect().bottom;
  const rows = [...choices.children].map((one) => one.getBoundingClientRect());
  const isCut = rows.some((row) => row.bottom > end + 1);
  return [isCut, rows.some((row) => row.top < end - 8 && row.bottom > end + 8)];
}"""


@pytest.mark.parametrize(
    ("width", "height"),
    mostly_nightly(
        [(390, 844), (1440, 900), (390, 664), (1024, 500)], every_day=[(390, 844), (1024, 500)]
    ),
)
def test_choices_below_the_edge_are_seen_to_be_there(
    open_page: OpenPage, width: int, height: int
) -> None:
    few, many = (page_of(one) for one in (GOOFSPIEL, MANY))
    page = open_page(many, width=width)
    page.set_viewport_size({"width": width, "height": height})
    is_cut, shows_it = page.locator(".choices").evaluate(HIDDEN)
    assert (is_cut, shows_it) == (True, True)
    page = open_page(few, width=width)
    page.set_viewport_size({"width": width, "height": height})
    is_cut, shows_it = page.locator(".choices").evaluate(HIDDEN)
    assert is_cut == shows_it
    if height > 800:
        assert not is_cut
