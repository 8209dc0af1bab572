"""The cards of the first page: the picture beside a match, and the button that asks for a seat."""

import html
import re
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from adjudicator.core.match import Seat
from adjudicator.games import GAMES
from adjudicator.reports.render import render
from tests.club import NewMatch, load, show
from tests.printed import public_report
from tests.service.mailclub import MailClub
from tests.service.test_onlookers import create
from tests.service.test_public import ask, code
from tests.service.test_public import text as text_of
from tests.service.test_site import end_early, everybodys, files, own, play_on
from tests.site_pages import board_place, onlookers_ply, watched_page


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    return club


def svg(club, seat, name):
    """Return the board as a seat sees it now."""
    loaded = club.loaded(name)
    return render(loaded.game, public_report(loaded, Seat(seat)), "svg", "en").encode()


def watched_board(club):
    """Return the board of the page for onlookers."""
    with club.store.reading() as tx:
        loaded = load(tx, "seen")
        page = watched_page(tx, loaded, onlookers_ply(tx, loaded), (), "en", "UTC")
        return show(page, "svg").encode()


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_no_card_shows_what_a_seat_sees(club, game):
    """A match that may be watched has a picture of what onlookers see, another the empty board."""
    watched = ["memory=open"] if game == "spion" else []
    create(club, game, "onlookers=0", *watched, name="seen")
    create(club, game, name="unseen")
    for _ in range(4):
        play_on(club, "seen")
        play_on(club, "unseen")
    found = files(club)
    assert found["boards/seen.svg"] == watched_board(club)
    assert [path for path in found if path.startswith("boards/")] == ["boards/seen.svg"]
    empty = board_place(game, GAMES[game].variants[0])
    shown = 1 + (GAMES[game].page.rules is not None)  # of `unseen`, and of the game
    assert found["index.html"].count(f'src="{empty}"'.encode()) == shown
    for name in ("seen", "unseen"):
        for seat in club.loaded(name).seats:
            assert svg(club, seat, name) not in found.values()
    hidden = [
        svg(club, seat, "seen") != svg(club, "", "seen") for seat in club.loaded("seen").seats
    ]
    assert all(hidden) or game != "espionage"


def test_an_empty_board_is_made_of_no_match(club):
    before = {path: svg for path, svg in files(club).items() if path.startswith("games/")}
    assert before.keys() == {
        board_place(slug, variant) for slug in GAMES for variant in GAMES[slug].variants
    }
    create(club, "espionage")
    play_on(club, "m")
    assert {path: svg for path, svg in files(club).items() if path.startswith("games/")} == before


def test_no_card_has_a_fingerprint(club):
    create(club, "espionage", "onlookers=0")
    for _ in range(3):
        play_on(club, "m")
    first = files(club)["index.html"].decode()
    assert not re.search(r"[0-9a-f]{4}-[0-9a-f]{4}", first)
    assert re.search(r"[0-9a-f]{4}-[0-9a-f]{4}", files(club)["logs.html"].decode())


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "nb", "sv"])
def test_every_join_button_sends_what_is_accepted(club, language):
    for game, seat in (("espionage", "white"), ("spies", "germany")):
        club.create(NewMatch(
                game=game, variant=None, name=f"{game}-9", seats=[f"{seat}=Anna"], options=(),
                seed=None, fresh_seed=bytes(32), leave_open=True,
            ))  # fmt: skip
    page = files(club, language)["index.html"].decode()
    links = [
        html.unescape(one) for one in re.findall(r'class="button[^"]*" href="(mailto:[^"]+)', page)
    ]
    assert len(links) == 6  # Black; any of four powers, and each
    answers = []
    for number, link in enumerate(links):
        parts = urlsplit(link)
        body = parse_qs(parts.query)["body"][0]
        assert unquote(parts.path) == "adjud@play.example.org"
        told = ask(club, body, sender=f"p{number}@example.org")
        answers += [one for one in told if one["X-Adjud"] == "confirm"]
    assert len(answers) == len(links)
    for number in range(2):
        ask(club, f"CONFIRM {code(answers[number])}", sender=f"p{number}@example.org")
    assert club.loaded("espionage-9").match.status == "playing"
    assert sum(one.player_id is not None for one in club.loaded("spies-9").holders.values()) == 2


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_page_of_a_seat_whose_match_is_over_asks_for_a_rematch(club, game):
    end_early(club, game)
    found = files(club)
    assert b"REMATCH" not in b"".join(everybodys(found).values())
    for seat, sender in zip(club.loaded().seats, ("anna", "bob"), strict=True):
        page = found[own(seat)].decode()
        (link,) = re.findall(r'href="(mailto:[^"]+)">Rematch<', page)
        parts = urlsplit(html.unescape(link))
        body, to = parse_qs(parts.query)["body"][0], unquote(parts.path)
        club.write(seat, body, to=to, sender=f"{sender}@example.org")
        answers = club.run_tick()
        told = [text_of(one) for one in answers if one["X-Adjud"] == "receipt"]
        assert ["Asked for a rematch" in one for one in told] == [True], seat


def test_nobody_is_asked_for_a_rematch_by_an_only_player(club):
    club.new(black="computer")
    club.send("white", "SETUP RANDOM")
    club.tick()
    club.send("white", "RESIGN")
    club.tick()
    assert b"Rematch" not in files(club)[own("white")]
