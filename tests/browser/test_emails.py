"""The HTML of emails on a phone: the board above the news, and the button on the first screen."""

import re
from datetime import timedelta

import pytest

from tests.browser.conftest import OpenPage
from tests.club import MONDAY, computer_orders
from tests.games.samples import seats_of
from tests.nightly import each_once
from tests.service.test_buttons import GAMES, LANGUAGES, begun, html_of, to_anna

pytestmark = [pytest.mark.slow, pytest.mark.real]
FIRST_SCREEN = 664  # of a phone, between the bars of its browser
PLACES = """() => {
  const box = one => one && one.getBoundingClientRect();
  const button = box(document.querySelector("td[bgcolor] a"));
  const board = box(document.querySelector("table[aria-label], img, h2 + p + table"));
  const news = [...document.querySelectorAll("h3")].map(box)[0];
  return {
    button: button ? [button.top, button.bottom] : null,
    board: board ? board.top : null,
    news: news ? news.top : null,
    overflow: document.documentElement.scrollWidth - innerWidth,
    text: document.body.innerText,
  };
}"""


def is_on_the_first_screen(found, *, has_board=True):
    assert found["button"]
    assert found["button"][1] - found["button"][0] >= 44
    assert found["button"][1] <= FIRST_SCREEN
    assert found["overflow"] <= 0
    if has_board:
        assert found["board"] < found["button"][0]


@pytest.mark.parametrize(("game", "language"), each_once(GAMES, LANGUAGES))
def test_reports_have_board_and_button_on_the_first_screen(
    store, tmp_path, open_page: OpenPage, game, language
):
    club, email = begun(game, store, tmp_path / "spool", language, "deadline=every 3 days")
    seat, now, told = seats_of(game)[0], MONDAY, 0
    for turn in range(3):
        html = html_of(email)
        assert "<style" not in html
        assert "<script" not in html
        found = open_page(html, width=390).evaluate(PLACES)
        if turn == 0 or found["button"]:
            is_on_the_first_screen(found, has_board=game != "spies")
        if turn and found["news"] is not None:
            assert found["board"] < found["news"]
            told += 1
        dark = open_page(html, width=390, scheme="dark").evaluate(PLACES)
        assert dark["text"] == found["text"]
        club.send(seat, *computer_orders(club.loaded(), seat, "computer"), now=now)
        now += timedelta(hours=2)
        email = [one for one in to_anna(club.run_tick(now)) if one["X-Adjud"] == "report"][-1]
    assert told


def test_invitation_and_end_have_their_button_on_the_first_screen(
    store, tmp_path, open_page: OpenPage
):
    club, _ = begun("espionage", store, tmp_path / "spool", "en", computer=False)
    club.say("Bob", "INVITE Anna TO espionage")
    (asked,) = to_anna(club.run_tick())
    is_on_the_first_screen(open_page(html_of(asked), width=390).evaluate(PLACES), has_board=False)
    club.write("black", "RESIGN")
    (code,) = (one for one in club.run_tick() if "bob" in one["To"])
    line = re.search(r"CONFIRM [0-9A-Z]+", html_of(code))[0]
    club.write("black", line)
    (ended,) = (one for one in to_anna(club.run_tick()) if one["X-Adjud"] == "report")
    is_on_the_first_screen(open_page(html_of(ended), width=390).evaluate(PLACES))
