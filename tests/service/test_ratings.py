"""For whom an ended match counts in the standings (docs/club.md, 6.3.3)."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adjudicator.core.result import MatchResult, SeatDeparture
from adjudicator.core.result import write as as_stored
from adjudicator.service.competition import standings
from adjudicator.store.results import EndedRow, EndedSeat, PastHolder
from tests.club import MONDAY, Club
from tests.database import tables

DAY = timedelta(days=1)


@pytest.fixture
def club(store):
    club = Club(store)
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.add("Cleo")
    return club


def row(result: MatchResult, **seats: EndedSeat) -> EndedRow:
    held = [seats.get(name, EndedSeat(name, name.title(), 9)) for name in sorted("abc")]
    return EndedRow("m", "go", MONDAY, as_stored(result), held)


def counts(ended: EndedRow) -> tuple[list[str], list[str]] | None:
    found = standings.as_ended_match(ended)
    return found and (list(found.players), list(found.winners))


LOST = MatchResult(winners=("b",), places=(("b",), ("a", "c")), reason="points")
SHARED = MatchResult(winners=("a", "b"), places=(("a", "b"), ("c",)), reason="points")
DRAWN = MatchResult(places=(("a", "b", "c"),), reason="agreement")
ZOE, YVES = PastHolder("Zoe", 5), PastHolder("Yves", 4)


def seat_a(plies: int, *before: PastHolder) -> EndedSeat:
    return EndedSeat("a", "A", plies, before)


@pytest.mark.parametrize(
    ("plies", "before", "who"),
    [
        (9, (ZOE,), "A"),
        (4, (ZOE,), "Zoe"),
        (5, (ZOE,), "A"),
        (1, (YVES, ZOE, YVES), "Yves"),
        (1, (PastHolder("Xena", 5), ZOE), "Zoe"),
        (3, (PastHolder("A", 3), ZOE), "A"),
    ],
)
def test_a_loss_counts_for_who_held_the_seat_longer_and_else_for_the_last(plies, before, who):
    assert counts(row(LOST, a=seat_a(plies, *before))) == ([who, "B", "C"], ["B"])


@pytest.mark.parametrize("result", [SHARED, DRAWN])
def test_a_win_or_a_draw_counts_for_the_last_holder(result):
    assert counts(row(result, a=seat_a(1, ZOE)))[0] == ["A", "B", "C"]


def test_a_loss_of_somebody_who_plays_another_seat_by_then_counts_for_nobody():
    assert counts(row(LOST, a=seat_a(1, PastHolder("C", 8)))) is None


def test_a_forfeit_by_bounced_mail_is_not_rated_and_the_others_are():
    left = SeatDeparture(seat="a", how="silence", ply=3, bounced=True)
    places = (("b",), ("c",), ("a",))
    ended = MatchResult(winners=("b",), places=places, reason="points", departures=(left,))
    assert counts(row(ended)) == (["B", "C"], ["B"])
    both = (left, SeatDeparture(seat="c", how="forfeited", ply=4, bounced=True))
    ended = MatchResult(winners=("b",), places=places, reason="forfeit", departures=both)
    assert counts(row(ended)) is None


@pytest.mark.parametrize("reason", ["cancelled", "unread", "silence"])
def test_a_match_without_a_result_counts_for_nobody(reason):
    assert counts(row(MatchResult(places=(("a", "b", "c"),), reason=reason))) is None


def table(club: Club) -> dict[str, tuple[int, int, int]]:
    found = club.standings().get("espionage", ())
    return {one.player: (one.won, one.drawn, one.lost) for one in found}


def rule(club, use, *args):
    return use(club, "m", *args, reason="So.")


def play(club, plies: int) -> None:
    for _ in range(plies):
        seat = club.loaded().awaited[0]
        assert club.order(seat).accepted
        club.tick()


def end(club, seat: str) -> None:
    assert club.send(seat, "RESIGN").accepted
    club.tick()


def test_a_seat_that_changed_hands_late_costs_its_first_holder(club):
    play(club, 3)
    rule(club, Club.replace, "white", "Cleo")
    play(club, 2)
    end(club, "white")
    assert table(club) == {"Bob": (1, 0, 0), "Anna": (0, 0, 1)}


def test_a_seat_that_changed_hands_early_costs_its_last_holder(club):
    rule(club, Club.replace, "white", "Cleo")
    play(club, 2)
    end(club, "white")
    assert table(club) == {"Bob": (1, 0, 0), "Cleo": (0, 0, 1)}


def test_a_win_after_a_hand_over_is_the_last_holders(club):
    play(club, 3)
    rule(club, Club.replace, "white", "Cleo")
    end(club, "black")
    assert table(club) == {"Cleo": (1, 0, 0), "Bob": (0, 0, 1)}


def test_what_a_computer_played_in_between_counts_for_nobody(club):
    """Anna held the seat for two plies, the computer for three, Cleo for the last one."""
    play(club, 1)
    rule(club, Club.replace, "white", "computer")
    club.tick()
    play(club, 1)
    club.tick()
    rule(club, Club.replace, "white", "Cleo")
    end(club, "white")
    assert table(club) == {"Bob": (1, 0, 0), "Anna": (0, 0, 1)}


def test_an_open_seat_is_held_by_nobody_and_an_undone_ply_by_nobody_too(club):
    play(club, 1)
    club.open_seat("m", "white")
    rule(club, Club.replace, "white", "Cleo")
    play(club, 1)
    club.undo("m")
    club.undo("m")
    with club.store.reading() as tx:
        until = tx.execute(sa.select(tables.tenure.c.until_ply)).scalar_one()
        since = tx.execute(
            sa.select(tables.seat.c.since_ply).where(tables.seat.c.name == "white")
        ).scalar_one()
    assert (until, since) == (1, 1)


def test_a_match_that_ended_in_its_set_up_does_not_count(store):
    club = Club(store)
    club.add("Anna", "Bob")
    club.new()
    end(club, "white")
    assert table(club) == {}


def test_a_forfeit_for_silence_counts_and_one_by_bounced_mail_does_not(club):
    club.tick(MONDAY + 4 * DAY)
    assert table(club) == {"Bob": (1, 0, 0), "Anna": (0, 0, 1)}


def test_a_forfeit_by_bounced_mail_does_not_count(club):
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.outbox).values(status="bounced"))
    club.tick(MONDAY + 4 * DAY)
    assert table(club) == {}


def test_no_state_is_read_for_the_standings(club):
    end(club, "white")
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.turn).values(snapshot="{}"))
    assert table(club) == {"Bob": (1, 0, 0), "Anna": (0, 0, 1)}


def test_ratings_do_not_depend_on_the_names_of_players():
    results = ((0, 1, 0), (1, 2, 2), (2, 0, 0), (0, 1, 1))  # two who meet, and who wins

    def rated(*names: str) -> list[int]:
        ended = [
            standings.EndedMatch("go", 0.0, [names[a], names[b]], [names[won]], f"cup-{n}")
            for n, (a, b, won) in enumerate(results)
        ]
        told = {one.player: one.rating for one in standings.standings(ended, "go")}
        return [told[name] for name in names]

    assert rated("Anna", "Bob", "Cleo") == rated("Zoe", "Ada", "Mia") == rated("b", "c", "a")
