"""A seat's page looks back on the reports that the seat was sent."""

import pytest
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.visible import plain
from adjudicator.games.espionage import ESPIONAGE
from tests.club import Club, Printable, Store, show
from tests.database import report_of_ply
from tests.games.changed import with_part
from tests.printed import looking_back


@pytest.fixture
def club(store: Store) -> Club:
    """Play a match of three orders."""
    club = Club(store)
    club.begin()
    go_on(club, "white", "black", "white")
    return club


def go_on(club: Club, *seats: str) -> None:
    for seat in seats:
        assert club.order(seat).accepted
        club.tick()


def live(club: Club, seat: str) -> Printable:
    return club.live_report("m", seat)


def test_it_is_every_report_before_this_one(club: Club):
    report = live(club, "white")
    with club.store.reading() as tx:
        match = club.loaded().match
        told = [report_of_ply(tx, match.id, ply, "white") for ply in range(match.ply)]
    assert len(told) == 4
    assert [plain(old.news) for old in report.past] == [
        decode(stored.body)["news"] for stored in told if stored
    ]
    assert {old.seat for old in report.past} == {"white"}


def test_an_old_report_looks_back_from_its_own_turn(club: Club):
    go_on(club, "black", "white")
    report = club.sent_report("m", "white", 2)
    assert report.report.ply == 4
    assert len(report.past) == 4
    assert "Turn 2, White" in show(report, "html")
    assert "Turn 3" not in show(report, "html").partition('<section class="history"')[2]


def test_a_page_without_the_present_orders_and_one_with_them_look_back_alike(club: Club):
    before = live(club, "black")
    club.order("black")
    after = live(club, "black")
    assert before.body["orders"] != after.body["orders"]
    assert history(before) == history(after)


def history(report: Printable) -> str:
    """Return what of a page looks back, without the composer and the line for an audit, which know
    the orders."""
    page = show(report, "html")
    found = page.partition('<section class="history"')[2].partition("</section>")[0]
    assert "data-moment" in found or "data-size" in found
    return found


def past_of(club: Club, game: AnyGame = ESPIONAGE) -> int:
    """Return on how many reports White's page looks back."""
    report = live(club, "white").report
    with club.store.reading() as tx:
        loaded = replace(club.loaded(), game=game)
        return len(looking_back(tx, loaded, report))


def test_a_new_holder_sees_the_old_reports_where_the_game_says_so(club: Club):
    club.add("Carla")
    club.replace("m", "white", "Carla", reason="ill")
    go_on(club, "black", "white")
    assert past_of(club) == 6
    assert past_of(club, with_part(ESPIONAGE, "sight", retold=False)) == 1
    assert past_of(club, with_part(ESPIONAGE, "page", past=None)) == 0


def test_the_last_report_needs_no_others(club: Club):
    club.send("white", "RESIGN")
    club.tick()
    report = live(club, "black")
    assert report.past == ()
    assert "Replay of the whole match" in show(report, "html")
