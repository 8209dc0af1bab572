"""`append_ply.append` says of the match afterwards what the database holds."""

from datetime import timedelta

import pytest

from tests.club import MONDAY, Club, load
from tests.inside import append_ply

DAY = timedelta(days=1)


@pytest.fixture
def club(store):
    return Club(store)


@pytest.fixture
def causes(monkeypatch):
    """Return the causes of the plies that were appended, each compared with what can be read of
    it."""
    append, seen = append_ply.append, []

    def compared(s, loaded, events, **how):
        after = append(s, loaded, events, **how)
        assert after == load(s.tx, loaded.match.name)
        seen.append(how["cause"])
        return after

    monkeypatch.setattr(append_ply, "append", compared)
    return seen


def test_orders_leave_the_match_as_it_is_read_again(club, causes):
    club.begin("deadline=Tue,Fri 18:00", "timezone=Europe/Oslo", "fights=captured")
    club.send("black", "DRAW")
    club.tick()
    club.order("white")
    club.tick()
    assert causes == ["orders", "orders"]


def test_an_offer_that_stands_is_read_again(club, causes):
    club.begin()
    club.send("white", "DRAW")
    club.tick()
    club.order("white")
    club.tick()
    assert causes == ["orders", "orders"]
    assert club.loaded().draw_offer == "white"


def test_an_agreement_leaves_the_match_as_it_is_read_again(club, causes):
    club.begin("deadline=every 3 days")
    for seat in ("black", "white"):
        club.send(seat, "DRAW")
        club.tick()
    assert causes == ["orders", "agreement"]


def test_a_resignation_leaves_the_match_as_it_is_read_again(club, causes):
    club.begin()
    club.order("white")
    club.send("white", "RESIGN")
    club.tick()
    assert causes == ["orders", "resignation"]


def test_a_forfeit_leaves_the_match_as_it_is_read_again(club, causes):
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.tick(MONDAY + 3 * DAY)
    assert causes == ["orders", "forfeit"]


def test_a_cancelled_match_that_was_held_is_left_as_it_is_read_again(club, causes):
    club.begin()
    club.order("white")
    club.hold("m", reason="snow")
    club.cancel("m", reason="snow")
    assert causes == ["orders", "cancelled"]


def test_a_tick_looks_again_only_where_something_may_be_due(club, monkeypatch):
    from tests.inside import adjudication

    looks = []
    advance = adjudication.advance

    def counted(s, name):
        looks.append(name)
        return advance(s, name)

    monkeypatch.setattr(adjudication, "advance", counted)
    club.begin()
    assert looks == ["m"]
