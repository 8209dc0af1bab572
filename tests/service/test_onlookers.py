"""The page of a running match for people who have no seat (docs/club.md, section 9)."""

from datetime import timedelta

import pytest

from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from tests.club import MONDAY, Club, NewMatch, Refusal, computer_orders
from tests.database import open_store
from tests.games.samples import seats_of
from tests.inside import match_pages, publish
from tests.service.cups import Cup
from tests.service.mailclub import MailClub
from tests.service.test_site import ARMY, KEY, begin, files, resign, text_of
from tests.site_pages import ClubSite, watched_page

PAGE = "matches/m.html"
OTHER = (*ARMY[:2], "2112SP3S", "HMMM543P")  # hidden pieces stand elsewhere


@pytest.fixture
def club(store):
    club = Club(store)
    club.add("Anna", "Bob")
    return club


@pytest.fixture
def club_of(new_sqlite):
    made = []

    def make(name):
        made.append(open_store(new_sqlite(name)))
        club = Club(made[-1])
        club.add("Anna", "Bob")
        return club

    yield make
    for store in made:
        store.close()


def create(club, game, *options, name="m"):
    wanted = NewMatch(
        game=game,
        variant=None,
        name=name,
        seats=[f"{seat}={who}" for seat, who in zip(seats_of(game), ("Anna", "Bob"), strict=True)],
        options=options,
        seed=None,
        fresh_seed=bytes(32),
    )
    club.create(wanted)


def play(club, plies=1):
    for _ in range(plies):
        for seat in club.loaded().awaited:
            assert club.send(seat, *computer_orders(club.loaded(), seat, "computer")).accepted
        club.tick()


def test_the_option_is_checked(club):
    for wrong in ("100", "-1", "2 turns"):
        with pytest.raises(Refusal, match="onlookers must be off, or how many turns late"):
            club.new(f"onlookers={wrong}")
    club.new("onlookers=02")
    assert club.loaded().match.options["onlookers"] == "2"
    for memory in ("honour", "once"):
        with pytest.raises(Refusal, match=f"with memory={memory} the page would remember"):
            create(club, "spion", f"memory={memory}", "onlookers=2", name="n")
    create(club, "spion", "memory=honour", name="n")
    with pytest.raises(Refusal, match="onlookers needs memory=open"):
        club.change_options("n", ["onlookers=0"])


def test_without_the_option_there_is_no_page(club):
    begin(club)
    assert PAGE not in files(club)


@pytest.mark.parametrize(
    ("game", "language"),
    [*((game, "en") for game in GAMES), *(("espionage", one) for one in LANGUAGES if one != "en")],
)
def test_each_game_has_a_page_that_leads_back(club, game, language):
    create(club, game, "onlookers=1", *(["memory=open"] if game == "spion" else []))
    if club.loaded().match.turn == 0:  # in Spion the cards are dealt when the match is made
        play(club)
    assert PAGE not in files(club, language)
    play(club, 4)
    found = files(club, language)
    assert f'<a class="row" href="{PAGE}">' in found["index.html"].decode()
    told = text_of(found[PAGE])
    late = {
        "en": "Shown with a delay of 1 turn.",
        "nb": "Vises 1 runde forsinket.",
        "sv": "Visas med 1 omgångs fördröjning.",
    }
    assert late[language] in told
    assert "Anna" in told
    assert (b"history" in found[PAGE]) == (GAMES[game].page.past is not None)


def test_the_page_shows_nothing_of_later_turns(club):
    begin(club, "onlookers=1", "deadline=every 3 days")
    play(club, 6)
    turn, before = club.loaded().match.turn, text_of(files(club)[PAGE])
    assert f"Turn {turn}. Waiting for" in before
    assert f"Turn {turn - 1}," in before or f"Turn {turn - 1} " in before
    play(club)
    after = text_of(files(club)[PAGE])
    # The same turn is shown, and only the line that the first page has too is another.
    assert after.replace("Waiting for Black", "Waiting for White") == before.replace(
        "Waiting for Black", "Waiting for White"
    )
    play(club)
    assert text_of(files(club)[PAGE]).partition("Replay")[0] != after.partition("Replay")[0]


@pytest.mark.parametrize("late", ["0", "1"])
def test_the_page_is_the_same_whichever_seats_have_sent(club, late):
    begin(club, f"onlookers={late}", "deadline=every 3 days")
    play(club, 4)
    before = files(club)
    assert PAGE in before
    club.order(club.loaded().awaited[0])
    assert files(club) == before
    for line in ("DRAW", "NOTREADY", "NOTE he is brave", "RESIGN"):
        club.send(club.loaded().awaited[0], line)
        assert files(club)[PAGE] == before[PAGE]


def test_the_page_is_the_same_for_other_hidden_pieces(club_of):
    """Twins: Black's pieces stand elsewhere below their backs."""
    clubs = [club_of("one"), club_of("two")]
    for club, army in zip(clubs, (ARMY, OTHER), strict=True):
        club.new("onlookers=0")
        club.send("white", *ARMY)
        assert club.send("black", *army).accepted
        club.tick()
    for _ in range(4):
        (seat,) = clubs[0].loaded().awaited
        moves = computer_orders(clubs[0].loaded(), seat, "computer")
        for club in clubs:
            assert club.send(seat, *moves).accepted
            club.tick()
    one, two = (files(club) for club in clubs)
    for path in (PAGE, "boards/m.svg", "index.html"):
        assert one[path] == two[path]
    assert "Waiting for White" in text_of(one[PAGE])


def test_the_full_replay_takes_its_place_at_the_end(club):
    begin(club, "onlookers=1")
    play(club, 4)
    assert b"Shown with a delay of" in files(club)[PAGE]
    resign(club, "black")
    found = files(club)[PAGE]
    assert b"Shown with a delay of" not in found
    assert b"has won" in found or b"wins" in found


def test_the_page_is_printed_anew_only_when_what_it_shows_has_changed(club, tmp_path, monkeypatch):
    begin(club, "onlookers=1", "deadline=every 3 days")
    play(club, 4)
    printed = []
    page_of = watched_page

    def counted(*args):
        printed.append(args[2].ply)
        return page_of(*args)

    monkeypatch.setattr(match_pages, "watched_page", counted)

    def build():
        made = ClubSite(store=club.store, key=KEY, language="en", zone="UTC", now=MONDAY)
        publish.publish(tmp_path / "site", made.fill, unlisted=("seats",), at=MONDAY)
        return (tmp_path / "site" / PAGE).read_bytes()

    first = build()
    assert len(printed) == 1
    club.announce("m", "It snows.")
    club.extend("m", timedelta(days=2), reason="x")
    assert build() == first
    assert len(printed) == 1
    play(club)
    assert build() != first
    assert len(printed) == 2


@pytest.mark.parametrize(
    ("game", "options", "shown"),
    [
        ("espionage", (), "2"),
        ("espionage", ("onlookers=off",), "off"),
        ("spion", (), None),  # what its players may not remember no page may show
        ("spion", ("memory=open",), "2"),
    ],
)
def test_matches_of_tournaments_are_shown_where_the_game_allows_it(
    store, tmp_path, game, options, shown
):
    cup = Cup(MailClub(store, tmp_path / "spool"), 4, "round-robin", game=game, options=options)
    assert cup.now.row.options.get("onlookers") == shown
