"""A page for each player, and the feed, on the club's site (docs/club.md, 6.5)."""

import re
from datetime import timedelta
from pathlib import PurePosixPath
from xml.etree import ElementTree as ET

import pytest
import sqlalchemy as sa

from adjudicator.core.message import LANGUAGES
from adjudicator.reports import club as player_page
from adjudicator.reports.club import points
from tests.club import MONDAY, Changes, Club
from tests.database import tables
from tests.inside import club_pages, options, publish
from tests.service.test_site import (
    KEY,
    POST,
    Shelf,
    begin,
    everybodys,
    files,
    read,
    resign,
    text_of,
)
from tests.site_pages import SEATS, ClubSite, place_of_player, served_version

ATOM = "{http://www.w3.org/2005/Atom}"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ANNA, BOB, CLEO = (
    f"players/{name}-{id}.html" for id, name in enumerate(("anna", "bob", "cleo"), 1)
)


@pytest.fixture
def club(store):
    club = Club(store)
    club.add("Anna", "Bob", "Cleo")
    return club


def end_one(club: Club, name: str = "n", *, white: str = "Anna", black: str = "Bob") -> None:
    club.new(name=name, white=white, black=black)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match=name)
    club.tick()
    club.send("black", "RESIGN", match=name)
    club.tick()


def play(club: Club, turns: int) -> None:
    for _ in range(turns):
        assert club.order(club.loaded().awaited[0]).accepted
        club.tick()


def hide(club: Club, match: str) -> None:
    with club.store.transaction() as tx:
        chosen = sa.update(tables.match).where(tables.match.c.name == match)
        tx.execute(chosen.values(options='{"names":"hidden"}', changes=tables.match.c.changes + 1))


# The page.


def test_a_player_has_a_page_with_matches_results_and_rating(club):
    begin(club, "deadline=every 3 days")
    end_one(club)
    found = files(club)
    text = text_of(found[ANNA])
    assert "Espionage 1626 ± 387 Won 1 · Drawn 0 · Lost 0" in text
    told = "In progress Anna – Bob m · Espionage, small · Turn 1. Waiting for White."
    assert told in text
    assert "Results Anna – Bob n · Espionage, small · White wins: Black resigned. Mon" in text
    assert CLEO not in found
    index = found["index.html"].decode()
    assert f'<th scope="row"><a href="{ANNA}">Anna</a>' in index
    assert f'<a href="{BOB}">Bob</a>' in index


def test_standings_and_page_tell_how_reliable_a_player_is(club):
    begin(club, "deadline=every 3 days")
    play(club, 4)
    resign(club, "black")
    found = files(club)
    assert "Anna new, 3 turns" in text_of(found["index.html"])
    assert "Anna new, 3 turns Rating" in text_of(found[ANNA])


def test_it_says_nothing_that_the_first_page_does_not_say(club):
    begin(club, "deadline=every 3 days")
    end_one(club)
    found = files(club)
    known = text_of(found["index.html"])
    pieces = re.findall(r">([^<>\n]+)<", found[ANNA].decode())
    own = {"‹", "Results", "Opponents", "Won 1 · Drawn 0 · Lost 0", "Mon 23 Nov 2026: 1500–1626"}
    told = {" ".join(piece.split()) for piece in pieces} - {""}
    assert {piece for piece in told - own if piece.strip(" ·") not in known} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_in_the_language_of_the_site(club, language):
    end_one(club)
    assert f'<html lang="{language}">' in files(club, language)[ANNA].decode()
    heading = {"en": "Results", "nb": "Resultater", "sv": "Resultat"}[language]
    assert f"<h2>{heading}</h2>" in files(club, language)[ANNA].decode()


def test_pages_do_not_depend_on_who_has_sent(club):
    begin(club, "deadline=every 3 days")
    before = everybodys(files(club))
    assert club.order("white").accepted
    assert everybodys(files(club)) == before
    assert {ANNA, BOB, "feed.xml"} <= before.keys()


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Anna", "anna-7"),
        ("Åse & “Bob” O'Neill", "ase-bob-o-neill-7"),
        ("../../etc/passwd", "etc-passwd-7"),
        ("佐藤", "player-7"),
        ("con", "con-7"),
        (".", "player-7"),
        ("x" * 90, "x" * 40 + "-7"),
        ("a" * 39 + " b", "a" * 39 + "-7"),
    ],
)
def test_a_name_makes_a_file_that_is_safe_everywhere(name, path):
    made = place_of_player(7, name)
    assert made == f"players/{path}.html"
    assert PurePosixPath(made).parts[0] == "players"
    assert len(PurePosixPath(made).parts) == 2
    assert made.isascii()


def test_names_that_look_alike_have_pages_of_their_own(club):
    club.add("Cléo", address="cleo2@example.org")
    end_one(club, white="Cleo", black="Cléo")
    assert {"players/cleo-3.html", "players/cleo-4.html"} <= files(club).keys()


def test_a_name_cannot_break_the_markup(club):
    club.add('A "&amp;" O\'B', address="a@example.org")
    end_one(club, white='A "&amp;" O\'B')
    found = files(club)
    assert text_of(found["players/a-amp-o-b-4.html"]).startswith('‹ A "&amp;" O\'B')
    assert all('White: A "&amp;" O\'B,' in one["content"] for one in entries(found))


def test_a_former_holder_for_whom_a_loss_counts_has_the_match_on_the_page(club):
    begin(club)
    play(club, 3)
    club.replace("m", "white", "Cleo")
    assert ANNA not in files(club)
    resign(club, "white")
    found = files(club)
    assert "Won 0 · Drawn 0 · Lost 1" in text_of(found[ANNA])
    assert "Results Cleo – Bob m " in text_of(found[ANNA])
    assert "Rating" not in text_of(found[CLEO])
    assert "Results Cleo – Bob m " in text_of(found[CLEO])


def test_a_long_list_ends_somewhere(club, monkeypatch):
    monkeypatch.setattr(club_pages, "_MOST_LISTED", 2)
    for number in range(4):
        end_one(club, f"n{number}")
        club.new(name=f"m{number}")
    found = files(club)
    assert found[ANNA].count(b'<a class="row" href="../matches/n') == 2
    assert found[ANNA].count(b'<div class="row">') == 2
    assert "2 more matches are not listed here." in text_of(found[ANNA])
    assert "2 earlier results are not listed here." in text_of(found[ANNA])
    assert "Won 4" in text_of(found[ANNA])


# Hidden names: of a match that goes on with them neither page nor feed says who plays.


def test_one_question_decides_whether_names_are_shown():
    assert options.shows_names("playing", {})
    assert options.shows_names("playing", {"names": "open"})
    assert not options.shows_names("playing", {"names": "hidden"})
    assert not options.shows_names("held", {"names": "hidden"})
    assert options.shows_names("over", {"names": "hidden"})


def test_a_match_with_hidden_names_is_on_no_players_page_before_its_end(club):
    end_one(club)
    begin(club)
    hide(club, "m")
    found = files(club)
    assert "In progress" not in text_of(found[ANNA])
    (entry,) = (one for one in entries(found) if one["title"] == "New match: m")
    assert entry["content"] == "Espionage, small. White, Black"
    resign(club, "white")
    hide(club, "m")
    found = files(club)
    assert "Anna – Bob m · Espionage, small · Black wins: White resigned." in text_of(found[ANNA])
    assert all("Anna" in one["content"] for one in entries(found))


def test_who_plays_with_a_hidden_name_alone_has_no_page(club):
    club.new(white="Cleo")
    assert CLEO in files(club)
    hide(club, "m")
    assert CLEO not in files(club)


# The picture of a rating.


def test_a_rating_is_drawn_by_time_and_equal_times_with_equal_steps():
    assert points([(0, 1500), (10, 1600), (40, 1550)]) == "4,76 82,4 316,40"
    assert points([(5, 1500), (5, 1600), (5, 1700)]) == "4,76 160,40 316,4"
    assert points([(0, 1500), (10, 1500)]) == "4,40 316,40"


def test_the_line_begins_at_1500_and_has_a_point_for_each_match(club):
    for number in range(3):
        end_one(club, f"n{number}")
    page = files(club)[BOB].decode()
    (drawn,) = re.findall('<polyline points="([^"]*)"/>', page)
    assert len(drawn.split()) == 4
    assert 'role="img" aria-label="Rating in Espionage over time, between ' in page


# What changed is made anew, what is gone is taken away.


@pytest.fixture
def www(tmp_path):
    return tmp_path / "www"


@pytest.fixture
def printed(monkeypatch):
    """Return a list of the players whose pages are printed."""
    made: list[str] = []

    def counted(page: player_page.PlayerPage, language: str) -> str:
        made.append(page.name)
        return player_page.player(page, language)

    monkeypatch.setattr(club_pages, "player", counted)
    return made


def build(club: Club, www, hours: int = 0) -> None:
    now = MONDAY + hours * HOUR
    made = ClubSite(store=club.store, key=KEY, language="en", zone="UTC", now=now, post=POST)
    publish.publish(www, made.fill, unlisted=[SEATS], at=now)


def is_current(club: Club, www) -> bool:
    made = ClubSite(store=club.store, key=KEY, language="en", zone="UTC", now=MONDAY, post=POST)
    return made.is_current(served_version(www))


def test_a_page_is_printed_again_when_what_it_says_has_changed(club, www, printed):
    end_one(club)
    end_one(club, "k", black="Cleo")
    build(club, www)
    assert printed == ["Anna", "Bob", "Cleo"]
    printed.clear()
    build(club, www, 1)
    assert printed == []
    end_one(club, "p", white="Bob", black="Cleo")
    assert not is_current(club, www)
    build(club, www, 2)
    assert printed == ["Bob", "Cleo"]
    assert is_current(club, www)


def test_a_new_name_moves_the_page_of_a_former_holder_too(club, www):
    begin(club)
    play(club, 3)
    club.replace("m", "white", "Cleo")
    resign(club, "white")
    build(club, www)
    wanted = Changes(name="Annika")
    club.change("Anna", wanted, sends_mail=False)
    assert not is_current(club, www)
    build(club, www, 1)
    found = read(www)
    assert ANNA not in found
    assert "Annika" in text_of(found["players/annika-1.html"])
    assert '<a href="players/annika-1.html">Annika</a>' in found["index.html"].decode()


def test_who_is_erased_has_a_number_and_no_page(club, www):
    end_one(club)
    build(club, www)
    with club.store.transaction() as tx:
        of_anna = sa.update(tables.player).where(tables.player.c.name == "Anna")
        values = {"name": "Former player 1", "name_key": "former player 1", "erased_at": MONDAY}
        tx.execute(of_anna.values({**values, "changes": tables.player.c.changes + 1}))
    build(club, www, 1)
    found = read(www)
    assert [path for path in found if path.startswith("players/")] == [BOB]
    assert "Former player 1 1626" in text_of(found["index.html"])
    assert b"Anna" not in b"".join(everybodys(found).values())


# The feed.


def entries(found) -> list[dict[str, str]]:
    root = ET.fromstring(found["feed.xml"])
    return [
        {child.tag.removeprefix(ATOM): child.text or child.get("href", "") for child in entry}
        for entry in root.findall(f"{ATOM}entry")
    ]


def test_the_feed_tells_new_matches_and_results(club):
    end_one(club)
    club.new(name="open", black="open")
    told = {one["title"]: one for one in entries(files(club))}
    assert set(told) == {"New match: n", "n: White wins: Black resigned.", "New match: open"}
    over = told["n: White wins: Black resigned."]
    assert (over["content"], over["link"]) == (
        "Espionage, small. White: Anna, Black: Bob",
        "matches/n.html",
    )
    assert told["New match: open"]["content"] == "Espionage, small. White: Anna, Black is open"


def test_the_feed_is_atom_and_says_the_same_when_it_is_made_again(club):
    """RFC 4287, sections 4.1.1 and 4.1.2: what there must be, once; ids are URIs, and differ."""
    end_one(club)
    begin(club)
    found = files(club)
    assert found["feed.xml"] == files(club)["feed.xml"]
    root = ET.fromstring(found["feed.xml"])
    assert root.tag == f"{ATOM}feed"
    for parent in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(parent.findall(f"{ATOM}{name}")) == 1
    assert root.find(f"{ATOM}author/{ATOM}name").text
    ids = [one.text for one in root.iter(f"{ATOM}id")]
    assert len(ids) == len(set(ids)) == 4
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one) for one in ids)
    times = [one["updated"] for one in entries(found)]
    assert times == sorted(times, reverse=True)
    assert root.find(f"{ATOM}updated").text == times[0] == "2026-11-23T12:00:00Z"
    rest = '<link rel="alternate" type="application/atom+xml" title="Results and new matches"'
    assert f'{rest} href="feed.xml">' in found["index.html"].decode()


def test_the_feed_of_a_club_whose_address_is_known_leads_there(club):
    end_one(club)
    made = ClubSite(
        store=club.store,
        key=KEY,
        language="en",
        zone="UTC",
        now=MONDAY,
        post=POST,
        url="https://club.example.org/",
    )
    made.fill(shelf := Shelf())
    links = re.findall(rb'href="([^"]+)"', shelf.files["feed.xml"])
    assert set(links) == {
        b"https://club.example.org/index.html",
        b"https://club.example.org/feed.xml",
        b"https://club.example.org/matches/n.html",
    }


def test_a_club_without_matches_has_a_feed_without_entries(club):
    assert entries(files(club)) == []


def test_the_feed_has_the_newest_entries(club, monkeypatch):
    monkeypatch.setattr(club_pages, "MOST", 3)
    for number in range(3):
        end_one(club, f"n{number}")
    assert len(entries(files(club))) == 3


def test_a_settings_change_makes_the_pages_anew(club, www):
    end_one(club)
    build(club, www)
    made = ClubSite(
        store=club.store,
        key=KEY,
        language="en",
        zone="UTC",
        now=MONDAY,
        post=POST,
        url="https://club.example.org/",
    )
    assert not made.is_current(served_version(www))
