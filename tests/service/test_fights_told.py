"""The fights that a report tells (Espionage rule 9.4) follow undo and handover."""

from typing import Any

import pytest

from adjudicator.core.match import Seat
from adjudicator.core.report import AnyReport, flat
from tests.club import Club, Store, load
from tests.printed import present_report


@pytest.fixture
def club(store: Store) -> Club:
    club = Club(store)
    club.begin()
    return club


def present(club: Club, seat: str) -> AnyReport:
    """Return what the seat's live report would tell, without printing it."""
    with club.store.reading() as tx:
        return present_report(tx, load(tx, "m"), Seat(seat))


def told(club: Club, seat: str) -> dict[str, Any]:
    return flat(present(club, seat))


def fights(club: Club, seat: str) -> list[Any]:
    return [piece["fights"] for piece in told(club, seat)["pieces"] if piece.get("fights")]


def play_until_somebody_fought(club: Club) -> tuple[str, dict[str, Any]]:
    """Play to the first order of which a seat keeps a fight in mind; return the seat, and what its
    report told before that order."""
    for _ in range(200):
        before = {seat: told(club, seat) for seat in ("white", "black")}
        for seat in club.loaded().awaited:
            assert club.order(seat).accepted
        club.tick()
        for seat in ("white", "black"):
            if fights(club, seat):
                return seat, before[seat]
    raise AssertionError("nobody fought")


def test_an_order_that_is_taken_back_takes_its_fight_back(club: Club):
    seat, before = play_until_somebody_fought(club)
    club.undo("m")
    assert fights(club, seat) == []
    after = told(club, seat)
    assert after["pieces"] == before["pieces"]
    assert after["lost_known"] == before["lost_known"]


def test_a_seats_next_holder_is_told_what_its_fights_told(club: Club):
    seat, _ = play_until_somebody_fought(club)
    before = told(club, seat)
    club.add("Carl")
    club.replace("m", seat, "Carl")
    assert told(club, seat)["pieces"] == before["pieces"]


@pytest.mark.slow
def test_it_is_told_when_it_is_news_no_more(club: Club):
    seat, _ = play_until_somebody_fought(club)
    for _ in range(200):
        for awaited in club.loaded().awaited:
            assert club.order(awaited).accepted
        club.tick()
        news = [step.turn for step in present(club, seat).news]
        if any(fight["turn"] < min(news) for listed in fights(club, seat) for fight in listed):
            return
    raise AssertionError("no report told a fight of before its news")
