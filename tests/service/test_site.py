"""The club's pages.

What everybody may read depends on nothing secret, a seat's own pages are where only its holder
finds them, and a web server never sees half of them.
"""

import os
import posixpath
import re
import stat
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from msgspec import structs
from msgspec.json import encode

from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from adjudicator.games.espionage.rules.pieces import TAKES, Rank
from adjudicator.mail.address import Key, MailDomain, seat_address
from adjudicator.reports import club as public
from adjudicator.reports.rows import short_head
from adjudicator.reports.words import words
from tests.club import MONDAY, Club, Context, NewMatch, Refusal, computer_orders
from tests.database import told_heads, update_seats, was_shown
from tests.games.espionage import twins as espionage
from tests.inside import publish, standings
from tests.processes import at_once
from tests.scale import examples
from tests.service.test_secrecy_road import stand_at
from tests.site_pages import SEATS, ClubSite, Draft, seat_folder_of, seat_link

KEY = Key(id="k1", secret=bytes(range(32)))
POST = MailDomain(domain="play.example.org", keys=(KEY,))
ARMY = ("SETUP", "1S25PS14", "1122SP3S", "MHMM543P")
Files = Mapping[str, bytes]


@pytest.fixture
def club(store):
    club = Club(store)
    club.add("Anna", "Bob")
    return club


class Shelf:
    """A first version of a site, in memory."""

    earlier = ()

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def write(self, name: str, content: bytes) -> int:
        self.files[name] = content
        return len(content)

    def note(self, lines: Iterable[bytes]) -> None:
        pass


NAMELESS = public.Introduction()


def files(club, language="en", zone="UTC", key=KEY, post=POST, own=NAMELESS) -> Files:
    made = ClubSite(
        store=club.store, key=key, language=language, zone=zone, now=MONDAY, post=post, own=own
    )
    made.fill(shelf := Shelf())
    return shelf.files


def own(seat: str, match: str = "m", tenure: int = 1) -> str:
    return f"seats/{seat_folder_of(KEY, match, seat, tenure)}/index.html"


def without(found: Files, seat: str) -> Files:
    return {path: content for path, content in found.items() if path != own(seat)}


def is_own(path: str) -> bool:
    return path.startswith("seats/") and path != "seats/index.html"


def everybodys(found: Files) -> Files:
    """Return the pages that everybody may read, without the styles and scripts beside them."""
    own_or_shared = ("seats/", "shared/")
    return {
        path: content
        for path, content in found.items()
        if path == "seats/index.html" or not path.startswith(own_or_shared)
    }


def begin(club: Club, *options: str) -> None:
    """Play a small match to White's first turn."""
    club.new(*options)
    club.send("white", "SETUP RANDOM")
    club.send("black", "SETUP RANDOM")
    club.tick()


def resign(club: Club, seat: str) -> None:
    club.send(seat, "RESIGN")
    club.tick()


# A seat's page sends its orders.


def address(seat: str, match: str = "m") -> str:
    return seat_address(POST, match, seat, 1)


def test_a_seats_page_begins_an_email_to_its_own_address_and_no_other_page_has_that(club):
    """Whoever knows the address orders for the seat, so it is as secret as the folder's name."""
    begin(club)
    found = files(club)
    for seat in ("white", "black"):
        assert f'data-to="mailto:{address(seat)}?subject=' in found[own(seat)].decode()
        assert address(seat).encode() not in b"".join(without(found, seat).values())


def test_the_email_has_the_sheet_and_the_subject_of_the_report(club):
    begin(club)
    page = files(club)[own("white")].decode()
    begun = unquote(page.partition('href="mailto:')[2].partition('"')[0]).replace("&amp;", "&")
    assert begun.startswith(f"{address('white')}?subject=Re: [m] Turn 1: your move&body=ORDERS m")
    assert "\r\nEND\r\n" in begun


def test_a_seats_page_that_is_not_to_move_may_still_send(club):
    begin(club)
    assert f"mailto:{address('black')}" in files(club)[own("black")].decode()


def test_without_emails_a_page_leads_to_none(club):
    begin(club)
    assert b"mailto:" not in files(club, post=None)[own("white")]


def test_another_address_of_the_club_makes_the_pages_anew(club, tmp_path):
    begin(club)
    moved = structs.replace(POST, domain="play.example.net")
    for post in (POST, moved):
        made = ClubSite(store=club.store, key=KEY, language="en", zone="UTC", now=MONDAY, post=post)
        publish.publish(tmp_path / "www", made.fill, unlisted=[SEATS], at=MONDAY)
        assert f"@{post.domain}?" in (tmp_path / "www" / own("white")).read_text("utf-8")


# A page without its scripts.


def test_a_page_whose_scripts_do_not_run_says_what_helps(club):
    begin(club)
    pages = (files(club, post=post)[own("white")].decode() for post in (POST, None))
    found = (re.findall(r"<noscript>(.*?)</noscript>", page, re.DOTALL) for page in pages)
    with_post, without = (told for (told,) in found)
    assert "Open this in a browser to use the board, or order by email:" in with_post
    assert f'href="mailto:{POST.user}+m.white.' in with_post
    assert "Open this in a browser to use the board. Here you can only read it." in without


# What the pages may depend on.


@pytest.fixture
def opened(club):
    """Open a match that can be put into any state."""
    club.new()
    return club


@examples(15)
@given(twins=espionage.pairs())
@pytest.mark.slow
def test_twins_get_the_same_pages_under_the_same_names(opened, twins):
    if twins.left.outcome or twins.right.outcome:
        return
    enemy = "black" if twins.seat == "white" else "white"
    seen = []
    for state in (twins.left, twins.right):
        stand_at(opened, "m", GAMES["espionage"], state)
        seen.append(without(files(opened), enemy))
    assert own(twins.seat) in seen[0]
    assert seen[0] == seen[1]


@pytest.mark.parametrize("seat", ["white", "black"])
def test_who_has_placed_his_army_shows_on_no_page(club, seat):
    club.new("deadline=every 3 days")
    before = files(club)
    assert club.send(seat, *ARMY).accepted
    assert files(club) == before


SAID = {
    "NOTREADY": ["NOTREADY"],
    "CLEAR": ["CLEAR"],
    "DRAW": ["DRAW"],
    "RESIGN": ["RESIGN"],
    "a note": ["NOTE he is brave"],
    "a mark": ["MARK a8 5"],
}


@pytest.mark.parametrize("lines", SAID.values(), ids=list(SAID))
def test_what_a_seat_has_said_shows_on_no_page(club, lines):
    begin(club)
    before = files(club)
    club.order("white")
    assert files(club) == before
    club.send("white", *lines)
    assert files(club) == before


def test_an_offer_of_a_draw_and_its_end_show_with_the_next_ply(club):
    begin(club)
    club.order("white")
    club.tick()
    before = files(club)
    club.send("white", "DRAW")
    club.tick()
    assert files(club) == before
    club.send("white", "CLEAR")
    assert files(club) == before
    club.send("white", "DRAW")
    club.tick()
    club.order("black")
    club.tick()
    assert files(club) != before


def test_a_page_says_that_it_does_not_show_what_was_sent(club):
    begin(club)
    before = files(club)[own("white")]
    club.order("white")
    page = files(club)[own("white")]
    said = text_of(page)
    assert "It is your turn." in said
    assert "This page shows the position after the last turn." in said
    assert "Your orders are in" not in said
    assert page == before


def test_a_page_has_what_all_were_told_since_the_last_ply(club):
    begin(club, "deadline=every 3 days")
    club.extend("m", timedelta(days=2), reason="Easter.")
    for seat in ("white", "black"):
        assert b"Easter." in files(club)[own(seat)]


def test_a_page_stays_what_it_was_when_nothing_happened(club):
    begin(club)
    club.new(name="n")
    resign(club, "black")
    assert files(club) == files(club)


def test_a_running_match_shows_its_board_and_a_line_and_no_more(club):
    begin(club, "deadline=every 3 days")
    found = files(club, zone="Europe/Oslo")
    with club.store.reading() as tx:
        newest = told_heads(tx, club.loaded().match.id)[-1]
    line = "Anna – Bob m · Espionage, small · Turn 1. Waiting for White. due Thu 26 Nov 13:00 Games"
    assert f"In progress {line}" in text_of(found["index.html"])
    assert short_head(newest.head) not in found["index.html"].decode()
    assert f"m Log fingerprint of ply 1: {short_head(newest.head)}" in text_of(found["logs.html"])
    assert '<img class="pic" src="games/espionage-small.svg" alt=""' in found["index.html"].decode()
    boards = {f"games/{game}-{kind}.svg" for game in GAMES for kind in GAMES[game].variants}
    assert set(everybodys(found)) == boards | {
        "feed.xml",
        "index.html",
        "logs.html",
        "logs/m.html",
        "players/anna-1.html",
        "players/bob-2.html",
        "results.html",
        "robots.txt",
        "rules/espionage.html",
        "rules/spion.html",
        "rules/spies.html",
        "seats/index.html",
    }


def test_the_board_is_made_from_what_onlookers_see(club):
    """No rank is on it, and it is the same for every army (Espionage rule 5.3)."""
    boards = []
    for name, army in (("m", ARMY), ("n", ("SETUP RANDOM",))):
        club.new("onlookers=0", name=name)
        club.send("white", *army, match=name)
        club.send("black", "SETUP RANDOM", match=name)
        club.tick()
        boards.append(files(club)[f"boards/{name}.svg"].decode())
    told = [re.findall(r"<text[^>]*>([^<]*)</text>", board) for board in boards]
    assert told[0] == told[1]


def test_before_the_first_turn_there_is_no_board(club):
    club.new()
    club.send("white", *ARMY)
    assert not [path for path in files(club) if path.startswith("boards/")]


def test_a_board_that_onlookers_may_not_see_is_the_empty_one(club):
    """Also of a match that they may see later: the picture is as old as the page that they have."""
    begin(club)
    assert not [path for path in files(club) if path.startswith("boards/")]
    club.new("onlookers=1", name="n")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="n")
    club.tick()
    found = files(club)
    assert not [path for path in found if path.startswith("boards/")]
    assert found["index.html"].count(b'src="games/espionage-small.svg"') == 2
    for _ in range(2):
        play_on(club, "n")
    shown = files(club)["boards/n.svg"]
    for _ in range(2):
        play_on(club, "n")
    assert files(club)["boards/n.svg"] != shown
    club.send("black", "RESIGN", match="n")
    club.tick()
    assert b'src="boards/n.svg"' in files(club)["index.html"]


def play_on(club: Club, match: str) -> None:
    for seat in club.loaded(match).awaited:
        club.send(seat, *computer_orders(club.loaded(match), seat, "computer"), match=match)
    club.tick()


@pytest.mark.parametrize("slug", GAMES)
def test_every_games_match_has_a_board(club, slug):
    begin_early(club, slug)
    found = files(club)
    board = f"games/{slug}-{GAMES[slug].variants[0]}.svg"
    assert found[board].startswith(b"<svg")
    assert f'src="{board}"' in found["index.html"].decode()
    assert b"script" not in found[board]


def opened_with_a_free_seat(club: Club, *options: str) -> None:
    wanted = NewMatch(
        game="espionage",
        variant=None,
        name="n",
        seats=["white=Anna"],
        options=options,
        seed=None,
        fresh_seed=bytes(32),
        leave_open=True,
    )
    Club(club.store, Context()).create(wanted)


def test_an_open_seat_says_what_to_write_and_begins_the_email(club):
    opened_with_a_free_seat(club, "deadline=every 3 days")
    page = files(club)["index.html"].decode()
    assert (
        'href="mailto:adjud@play.example.org?subject=JOIN%20n%20black&amp;body='
        'JOIN%20n%20black%0D%0A">Join as Black</a>'
    ) in page
    assert "Or write JOIN n black to adjud@play.example.org." in page
    text = text_of(page.encode())
    assert "Espionage, standard With Anna n · Orders are due every 3 days. Join as Black" in text


def test_without_emails_nobody_is_asked_to_write(club):
    opened_with_a_free_seat(club)
    page = files(club, post=None)["index.html"]
    assert b"mailto:" not in page
    told = "Espionage, standard With Anna n · There are no deadlines. Waiting for players."
    assert told in text_of(page)


def test_the_first_page_says_whose_club_it_is_and_what_it_plays(club):
    own = public.Introduction(
        name="<The> Friday Club", welcome="Welcome!", game_master="Gerda", contact="g@example.org"
    )
    page = files(club, own=own)["index.html"]
    assert b"<title>&lt;The&gt; Friday Club</title>" in page
    text = text_of(page)
    assert "Welcome! Play now" in text
    assert "The game master is Gerda. g@example.org" in text
    assert "This club plays board games by email." in text_of(files(club)["index.html"])
    assert "No seat is open right now. To play, write to g@example.org." in text
    for slug, game in GAMES.items():
        assert str(game.gist) in text
        assert f'href="rules/{slug}.html"><img class="pic" src="games/{slug}-' in page.decode()


def test_only_the_latest_results_are_on_the_first_page(club):
    for number in range(8):
        end_early(club, "espionage", f"m{number}")
    found = {path: page.decode() for path, page in everybodys(files(club)).items()}
    assert len(re.findall('href="matches/', found["index.html"])) == 6
    assert 'href="results.html"' in found["index.html"]
    assert len(re.findall('href="matches/', found["results.html"])) == 8


def test_both_are_named_while_armies_are_placed(club):
    club.new()
    club.send("black", *ARMY)
    told = "Set-up, turn 0. Waiting for White, Black."
    assert told in text_of(files(club)["index.html"])


def test_a_match_that_nobody_has_joined_or_that_is_held_says_so(club):
    club.new("deadline=every 3 days")
    club.hold("m", reason="A journey of Black's.")
    opened_with_a_free_seat(club)
    text = text_of(files(club)["index.html"])
    assert "Anna – Bob m · Espionage, small · Set-up, turn 0. On hold." in text
    assert "Espionage, standard With Anna n · There are no deadlines. Join as Black" in text
    assert "journey" not in text


# A seat's own pages.


def test_a_seats_folder_is_named_by_nothing_that_can_be_guessed(club):
    begin(club)
    names = {path.split("/")[1] for path in files(club) if is_own(path)}
    assert len(names) == 2
    assert all(re.fullmatch("[a-z2-7]{26}", name) for name in names)
    other = Key(id="k2", secret=bytes(32))
    assert names.isdisjoint(path.split("/")[1] for path in files(club, key=other) if is_own(path))


def test_no_public_page_leads_to_a_seats_folder(club):
    begin(club)
    resign(club, "white")
    found = files(club)
    names = [path.split("/")[1].encode() for path in found if is_own(path)]
    for path, content in everybodys(found).items():
        assert not [name for name in names if name in content], path


def test_the_link_is_where_the_page_is(club):
    begin(club)
    link = seat_link(club.store, KEY, "M", "hvit")
    assert f"{link}index.html" == own("white")
    assert own("white") in files(club)


def test_who_gives_up_a_seat_loses_its_pages(club):
    begin(club)
    club.add("Cecilia")
    club.replace("m", "white", "Cecilia", reason="A move.")
    found = files(club)
    assert own("white") not in found
    assert own("white", tenure=2) in found


def test_a_computer_has_no_pages(club):
    club.new(black="computer")
    assert [path for path in files(club) if is_own(path)] == [own("white")]
    with pytest.raises(Refusal, match="black in m has no human player"):
        seat_link(club.store, KEY, "m", "black")


def test_pages_speak_their_readers_language(store):
    club = Club(store)
    club.add("Anna")
    club.add_player(
        "Björn",
        "bjorn@example.org",
        language="sv",
        zone="Europe/Stockholm",
        confirmed=True,
        sends_mail=False,
    )
    club.new(black="Björn")
    found = files(club, language="nb")
    languages = {path: re.search(rb'<html lang="(..)"', page) for path, page in found.items()}
    spoken = {path: match[1].decode() for path, match in languages.items() if match}
    assert spoken == {
        "index.html": "nb",
        "logs.html": "nb",
        "logs/m.html": "nb",
        "players/anna-1.html": "nb",
        "players/bjorn-2.html": "nb",
        "results.html": "nb",
        "rules/espionage.html": "nb",
        "rules/spion.html": "nb",
        "rules/spies.html": "nb",
        "seats/index.html": "nb",
        own("white"): "en",
        own("black"): "sv",
    }


def test_a_page_that_was_shown_cannot_be_undone(club):
    begin(club)
    files(club)
    with club.store.reading() as tx:
        assert was_shown(tx, club.loaded().match.id, 1)


# Ended matches.


def test_an_ended_match_shows_everything_to_everybody(club):
    club.new()
    club.send("white", *ARMY)
    club.send("black", "SETUP RANDOM")
    club.tick()
    club.order("white")
    club.tick()
    resign(club, "black")
    found = files(club)
    assert "White wins: Black resigned." in text_of(found["index.html"])
    text = text_of(found["matches/m.html"])
    assert '[WhiteSetup "1S25PS14/1122SP3S/MHMM543P"]' in text
    assert "unknown rank" not in text


@pytest.mark.parametrize("slug", GAMES)
def test_every_games_ended_match_has_a_page_that_leads_back(club, slug):
    end_early(club, slug)
    found = files(club)
    last = text_of(found["matches/m.html"])
    assert f"{GAMES[slug].title} · m" in last
    assert "(you)" not in last
    back = '<a class="home" href="../index.html" aria-label="All matches">'
    assert back in found["matches/m.html"].decode()
    assert '<a class="row" href="matches/m.html">' in found["index.html"].decode()


def begin_early(club: Club, slug: str, name: str = "m", other: str = "Bob") -> Seat:
    """Begin a match of Anna and another; return the other's seat."""
    game = GAMES[slug]
    seats = (game.seating(game.variants[0], "") or {2: game.seats})[2]
    wanted = NewMatch(
        game=slug,
        variant=None,
        name=name,
        seats=[f"{seats[0]}=Anna", f"{seats[1]}={other}"],
        options=(),
        seed=None,
        fresh_seed=bytes(32),
    )
    club.create(wanted)
    for _ in range(2):
        loaded = club.loaded(name)
        for seat in loaded.awaited:
            sheet = computer_orders(loaded, seat, "computer:random")
            assert club.send(seat, *sheet, match=name).accepted
        club.tick()
    return seats[1]


def end_early(club: Club, slug: str, name: str = "m", other: str = "Bob") -> None:
    """Play a match of Anna and another, who gives up when both have begun."""
    club.send(begin_early(club, slug, name, other), "RESIGN", match=name)
    club.tick()


def test_an_ended_match_shows_nothing_that_was_meant_for_its_players(club):
    begin(club)
    club.forfeit("m", "black", reason="Black is ill.")
    found = files(club)
    page = text_of(found["matches/m.html"])
    assert "ill." not in "".join(map(text_of, everybodys(found).values()))
    assert "(you)" not in page
    assert "ill." in text_of(found[own("white")])


def test_what_a_seat_had_in_force_at_the_end_stays_its_own(club):
    """A sheet that no turn was played with was never revealed (Espionage rule 5.4)."""
    begin(club)
    club.order("white")
    resign(club, "black")
    page = text_of(files(club)["matches/m.html"])
    assert "current orders" not in page


def test_a_match_cancelled_in_its_set_up_reveals_no_set_up(club):
    club.new()
    club.send("white", *ARMY)
    before = everybodys(files(club))
    club.cancel("m", reason="Nobody answers.")
    found = everybodys(files(club))
    assert set(found) == set(before)
    assert b"1S25PS14" not in b"".join(found.values())
    assert "The match is cancelled" in text_of(found["index.html"])


# Standings.


def match(*players: str, won: str = "", day: int = 1, game: str = "go") -> standings.EndedMatch:
    return standings.EndedMatch(game, day * 86_400, players, [won] if won else [])


def table(*matches: standings.EndedMatch) -> list[tuple[str, int, int, int, int]]:
    rows = standings.standings(matches, "go")
    return [(row.player, row.won, row.drawn, row.lost, row.played) for row in rows]


def test_standings_count_what_was_won_drawn_and_lost():
    matches = [
        match("Anna", "Bob", won="Bob"),
        match("Bob", "Anna", won="Bob", day=2),
        match("Anna", "Bob", day=3),
        match("Anna", "Bob", won="Anna", game="chess"),
    ]
    assert table(*matches) == [("Bob", 2, 1, 0, 3), ("Anna", 0, 1, 2, 3)]
    assert table() == []


def test_three_may_play_and_one_wins():
    assert table(match("Anna", "Bob", "Cecilia", won="Cecilia")) == [
        ("Cecilia", 1, 0, 0, 1),
        ("Anna", 0, 0, 1, 1),
        ("Bob", 0, 0, 1, 1),
    ]


def test_ratings_begin_at_1500_and_grow_surer():
    (drawn, _) = standings.standings([match("Anna", "Bob")], "go")
    assert drawn.rating == 1500
    won = standings.standings([match("Anna", "Bob", won="Anna")], "go")
    assert won[0].rating > 1500 > won[1].rating
    again = [match("Anna", "Bob", won="Anna", day=day) for day in range(1, 10)]
    assert standings.standings(again, "go")[0].doubt < won[0].doubt < 400


@pytest.mark.parametrize("players", [("Anna", "Bob"), ("Bob", "Anna"), ("Anna", "Bob", "Cecilia")])
@pytest.mark.parametrize("all_win", [False, True])
def test_a_draw_between_unequal_players_lowers_the_stronger_and_raises_the_weaker(players, all_win):
    """OpenSkill 6.1.3 raised both."""
    before = [match("Anna", "Bob", won="Anna", day=day) for day in range(1, 6)]
    drawn = standings.EndedMatch("go", 9 * 86_400, players, players if all_win else [])
    first, then = (
        {row.player: row for row in standings.standings(found, "go")}
        for found in (before, [*before, drawn])
    )
    assert first["Bob"].rating < then["Bob"].rating < 1500
    assert 1500 < then["Anna"].rating < first["Anna"].rating
    counts = [(row.won, row.drawn, row.lost) for row in (then["Anna"], then["Bob"])]
    assert counts == [(5, 1, 0), (0, 1, 5)]


def test_ratings_follow_the_order_in_which_matches_ended():
    matches = [match("Anna", "Bob", won=who, day=day) for day, who in enumerate(["Anna", "Bob"], 1)]
    backwards = standings.standings(matches[::-1], "go")
    assert backwards == standings.standings(matches, "go")
    assert [row.player for row in backwards] == ["Bob", "Anna"]


@pytest.mark.parametrize("holder", [{"computer": "computer", "player_id": None}, {"player_id": 1}])
def test_nobody_is_ranked_by_a_computer_or_by_himself(club, holder):
    """Anna could take both seats of a match once."""
    begin(club)
    assert club.loaded().holders["white"].player_id == 1
    with club.store.transaction() as tx:
        update_seats(tx, club.loaded().match.id, ["black"], **holder)
    resign(club, "white")
    assert club.standings() == {}
    assert "Standings" not in text_of(files(club)["index.html"])


def test_a_cancelled_match_does_not_count(club):
    begin(club)
    club.cancel("m", reason="Enough.")
    assert club.standings() == {}


def test_a_match_between_people_counts(club):
    begin(club)
    resign(club, "black")
    assert "Anna 1626 ± 387 1 0 0 1 Bob 1374 ± 387 0 0 1 1" in text_of(files(club)["index.html"])


# Every page.


def test_no_page_may_be_indexed_and_none_fetches_anything(club):
    begin(club)
    resign(club, "black")
    found = files(club)
    assert found["robots.txt"] == b"User-agent: *\nDisallow: /\n"
    pages = {path: page.decode() for path, page in found.items() if path.endswith(".html")}
    assert len(pages) == 13
    for path, page in pages.items():
        assert '<meta name="robots" content="noindex">' in page, path
        assert '<meta name="referrer" content="no-referrer">' in page, path
        assert "default-src 'none'; style-src 'self' file:" in page, path
        assert not re.search(r'(?:src|href)="(?:https?:)?//', page), path


def test_each_page_is_reached_from_the_first_and_stands_in_the_book(club):
    begin(club)
    club.new(name="n")
    resign(club, "black")
    found = files(club)
    pages = {path for path in found if path.endswith(".html") and not path.startswith("seats/")}
    reached, open_ = set(), ["index.html"]
    while open_:
        path = open_.pop()
        if path in pages - reached:
            reached.add(path)
            links = re.findall(r'href="([^"#?:]+)', found[path].decode())
            open_ += [
                posixpath.normpath(posixpath.join(posixpath.dirname(path), one)) for one in links
            ]
    assert pages - reached == {"results.html"}  # while the first page has all results
    book = (Path(__file__).parents[2] / "docs/interface.md").read_text("utf-8")
    assert [path for path in pages if "/" not in path and f"`{path}`" not in book] == []


def test_pages_share_what_they_run_and_no_page_runs_what_stands_in_it(club):
    """In an email, and in a report that is printed, each page has its own."""
    begin(club)
    club.new(name="n")
    resign(club, "black")
    found = files(club)
    shared = {path for path in found if path.startswith("shared/")}
    used = set()
    for path, page in found.items():
        if path.endswith(".html"):
            text = page.decode()
            assert "<style>" not in text, path
            assert "<script>" not in text, path
            assert " style=" not in text, path
            ours = re.findall(r'<(?:script src|link rel="stylesheet" href)="([^"]+)">', text)
            assert len(ours) == len({one.rpartition(".")[2] for one in ours}), path
            used |= {os.path.normpath(Path(path).parent / one) for one in ours}
    assert used == shared
    assert len(shared) < len(found) - len(shared)
    for path in shared:
        name = path.removeprefix("shared/").partition(".")[0]
        assert name == sha256(found[path]).hexdigest()[: len(name)]


def test_every_link_leads_to_a_page(club):
    begin(club)
    resign(club, "black")
    found = files(club)
    for path, page in everybodys(found).items():
        for link in re.findall(r'<a href="([^"#]+)"', page.decode()):
            assert os.path.normpath(Path(path).parent / link) in found, (path, link)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_diagram_of_the_rules_is_told_in_words(language):
    for slug, game in GAMES.items():
        if game.page.rules is None:
            continue
        page = public.rules(slug, game.page.rules(words(language, slug)), language)
        ids = re.findall(r' id="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        drawn = re.findall("<svg(?![^>]*aria-hidden)", page)
        assert len(drawn) == page.count("<figcaption>") > 0
    page = public.rules(
        "espionage", GAMES["espionage"].page.rules(words(language, "espionage")), language
    )
    table = page[page.index('<table class="fights">') :].partition("</table>")[0]
    rows = ["".join(re.findall("[●✗]", row)) for row in table.split("<tr>")[2:]]
    assert rows == [
        "".join("●" if met in taken else "✗" for met in Rank) for taken in TAKES.values()
    ]


# The folder.


ONE_SITE = 3  # the link, its one version, and the record of that
OLD = {"index.html": b"old", "seats/x/index.html": b"old too", "seats/same.html": b"same"}
NEW = {"index.html": b"new", "seats/y/index.html": b"new too", "seats/same.html": b"same"}


def put(folder: Path, made: Files, at: datetime = MONDAY) -> None:
    publish.publish(folder, partial(write, made), unlisted=["seats"], at=at)


def write(made: Files, draft: Draft) -> None:
    """Write the files, but take from an earlier version what it has."""
    draft.note(map(encode, made))
    for name, content in made.items():
        sizes = {name: len(content)}
        if not any(
            (earlier.folder / name).read_bytes() == content and draft.take(earlier, sizes)
            for earlier in draft.earlier
            if (earlier.folder / name).is_file()
        ):
            draft.write(name, content)


def read(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_site_that_cannot_be_made_leaves_the_old_one_and_nothing_else(tmp_path):
    put(tmp_path / "club", OLD)

    def breaks(draft: Draft) -> None:
        draft.write("index.html", b"new")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        publish.publish(tmp_path / "club", breaks, unlisted=["seats"], at=MONDAY)
    assert read(tmp_path / "club") == OLD
    assert len(list(tmp_path.iterdir())) == ONE_SITE


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_is_missing_or_empty_is_filled(tmp_path, there):
    folder = tmp_path / "www" / "club"
    if there:
        folder.mkdir(parents=True)
    put(folder, OLD)
    assert read(folder) == OLD
    put(folder, NEW)
    assert read(folder) == NEW
    assert len(list(folder.parent.iterdir())) == ONE_SITE


def test_all_files_have_one_time_and_may_be_read(tmp_path):
    put(tmp_path / "club", NEW, at=MONDAY + timedelta(microseconds=7))
    found = [tmp_path / "club", *(tmp_path / "club").rglob("*")]
    assert {path.stat().st_mtime for path in found} == {MONDAY.timestamp()}
    modes = {stat.S_IMODE(path.stat().st_mode) for path in found if path.is_file()}
    assert modes == {0o644}


def test_folders_may_be_entered_and_that_of_the_seats_not_be_listed(tmp_path):
    before = os.umask(0o077)
    try:
        put(tmp_path / "club", NEW)
    finally:
        os.umask(before)
    wanted = {".": 0o755, "seats": 0o711, "seats/y": 0o755}
    found = {name: (tmp_path / "club" / name).stat().st_mode for name in wanted}
    assert {name: stat.S_IMODE(mode) for name, mode in found.items()} == wanted


def stand_strangers(folder: Path, kind: str) -> None:
    if kind == "a file":
        folder.write_text("mine")
    elif kind == "a folder":
        folder.mkdir()
        (folder / "thesis.txt").write_text("mine")
    else:
        elsewhere = folder.with_name("elsewhere")
        elsewhere.mkdir()
        (elsewhere / "thesis.txt").write_text("mine")
        folder.symlink_to(elsewhere)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("a file", "club is a file; name a folder"),
        ("a folder", "club has files that adjud did not make"),
        ("a link", "club is a link that adjud did not make"),
    ],
)
def test_what_strangers_made_is_left_alone(tmp_path, kind, sentence):
    stand_strangers(tmp_path / "club", kind)
    before = read(tmp_path)
    with pytest.raises(Refusal, match=sentence):
        put(tmp_path / "club", NEW)
    assert read(tmp_path) == before


KILLED = 9
EVENTS = {
    "open", "os.mkdir", "os.chmod", "os.utime", "os.symlink", "os.rename", "os.rmdir",
    "os.remove", "os.link", "os.listdir", "os.scandir", "shutil.rmtree",
}  # fmt: skip


def killed_at(number: int, folder: Path) -> bool:
    """Publish in a process that is killed before its n-th call into the file system.

    Return False if it came to its end before.
    """
    child = os.fork()
    if child == 0:
        calls = iter(range(1, number))

        def count(event: str, _: object) -> None:
            if event in EVENTS and next(calls, None) is None:
                os._exit(KILLED)

        try:
            sys.addaudithook(count)
            put(folder, NEW)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, KILLED)
    return code == KILLED


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_the_old_site_or_the_new_one(tmp_path):
    folder = tmp_path / "club"
    seen = []
    for number in range(1, 500):
        put(folder, OLD)
        assert len(list(tmp_path.iterdir())) == ONE_SITE  # nothing is left of the kill before
        if not killed_at(number, folder):
            break
        seen.append(read(folder))
    assert len(seen) > 20
    assert all(found in (OLD, NEW) for found in seen)
    assert OLD in seen
    assert NEW in seen


@pytest.mark.slow
def test_at_no_moment_can_the_folder_of_the_seats_be_listed(tmp_path):
    """If the program were killed at such a moment, the folder would stay so."""
    before = os.umask(0)
    try:
        for number in range(1, 500):
            going_on = killed_at(number, tmp_path / "club")
            for seats in tmp_path.glob(".club.site-*/seats"):
                into, listed = (path.stat().st_mode for path in (seats.parent, seats))
                assert not (into & 0o011 and listed & 0o066), f"after {number - 1} calls"
            if not going_on:
                break
    finally:
        os.umask(before)
    assert 20 < number < 499


def test_two_at_once_leave_one_whole_site(tmp_path):
    folder = tmp_path / "club"
    put(folder, OLD)
    at_once(4, lambda number: [put(folder, {**NEW, "who": b"%d" % number}) for _ in range(10)])
    assert {path: content for path, content in read(folder).items() if path != "who"} == NEW
    assert len(list(tmp_path.iterdir())) == ONE_SITE


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.silent += tag in ("style", "script", "head")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in ("style", "script", "head")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.pieces.append(data)


def text_of(page: bytes) -> str:
    """Return what a reader reads, on one line."""
    parser = _Text()
    parser.feed(page.decode())
    return " ".join(" ".join(parser.pieces).split())
