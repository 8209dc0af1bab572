"""Rows of ended matches, read for standings and pages without their states."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from adjudicator.store import matches, outbox, results, rows, turns
from adjudicator.store.outbox import OutgoingEmail
from adjudicator.store.players import Player
from adjudicator.store.results import EndedRow, EndedSeat, Held, PastHolder
from adjudicator.store.tables import match, player, seat, tenure
from adjudicator.store.turns import Ply
from tests.database import Store, update_match, update_player, update_seats

NOW = datetime(2026, 11, 21, 18, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def club(store: Store) -> Store:
    """Return a store with Anna, Bob and Cleo, and the matches a, b and c, which have had a ply."""
    with store.transaction() as tx:
        row = {"language": "en", "zone": "UTC", "created_at": NOW}
        for name in ("Anna", "Bob", "Cleo"):
            address = f"{name.lower()}@example.org"
            rows.add(tx, Player, name=name, name_key=name.lower(), address=address, **row)
        for name in "abc":
            made = {"game": "go", "variant": "small", "options": {}, "seed": b"", "turn": 1}
            more = {"seed_given": False, "status": "playing", "ply": 0, "created_at": NOW}
            number = matches.insert(tx, {**made, **more, "name": name})
            held = {"match_id": number, "tenure": 1, "ordered_ply": 0}
            both = (("white", 1), ("black", 2))
            seats = [{**held, "name": name, "player_id": who} for name, who in both]
            matches.insert_seats(tx, seats)
            for ply, cause in enumerate(("opening", "forfeit", "orders")):
                made_of = Ply(ply=ply, turn=1, cause=cause, adjudicated_at=NOW, snapshot="{}")
                turns.append(tx, number, made_of, [])
    return store


def end(store: Store, number: int, hours: int = 0) -> None:
    with store.transaction() as tx:
        at = NOW + hours * HOUR
        update_match(tx, number, status="over", ply=9, result="{}", ended_at=at)


def test_matches_come_in_the_order_in_which_they_ended(club: Store) -> None:
    end(club, 2)
    end(club, 1, hours=3)
    with club.reading() as tx:
        found = results.ended_matches(tx)
        assert results.ended_matches(tx, "chess") == []
    seats = [EndedSeat("black", "Bob", 9), EndedSeat("white", "Anna", 9)]
    assert found == [
        EndedRow("b", "go", NOW, "{}", seats),
        EndedRow("a", "go", NOW + 3 * HOUR, "{}", seats),
    ]


def test_a_row_with_a_damaged_time_is_passed_over(club: Store) -> None:
    end(club, 1)
    end(club, 2)
    with club.transaction() as tx:
        time = sa.type_coerce("yesterday", sa.Text)
        tx.execute(sa.update(match).where(match.c.id == 1).values(ended_at=time))
    with club.reading() as tx:
        assert [one.match for one in results.ended_matches(tx)] == ["b"]


def test_who_held_a_seat_before_and_for_how_long_is_told(club: Store) -> None:
    with club.transaction() as tx:
        update_match(tx, 1, ply=4)
        matches.end_tenure(tx, 1, "white", 1, 1, NOW)
        update_seats(tx, 1, ["white"], player_id=3, tenure=2, since_ply=4)
        update_match(tx, 1, ply=6)
        matches.end_tenure(tx, 1, "white", 2, 3, NOW)
        update_seats(tx, 1, ["white"], player_id=None, computer="computer", since_ply=6)
    end(club, 1)
    with club.reading() as tx:
        (row,) = results.ended_matches(tx)
        assert results.former_holders(tx) == {"Anna": 1, "Cleo": 3}
        before = results.changes_of_former_holders(tx)
    past = [PastHolder("Anna", 4), PastHolder("Cleo", 2)]
    assert row.seats[1] == EndedSeat("white", None, 3, past)
    with club.transaction() as tx:
        update_player(tx, 1, name="Annika", name_key="annika")
    with club.reading() as tx:
        assert results.changes_of_former_holders(tx) != before


def test_a_tenure_before_the_opening_has_no_plies(club: Store) -> None:
    with club.transaction() as tx:
        update_match(tx, 1, ply=-1)
        matches.end_tenure(tx, 1, "white", 1, 1, NOW)
        row = tx.execute(sa.select(tenure.c.since_ply, tenure.c.until_ply)).one()
    assert tuple(row) == (0, 0)


def test_a_ply_that_is_taken_back_was_nobodys(club: Store) -> None:
    with club.transaction() as tx:
        update_match(tx, 1, ply=4)
        matches.end_tenure(tx, 1, "white", 1, 1, NOW)
        update_seats(tx, 1, ["white"], since_ply=4)
        update_seats(tx, 2, ["white"], since_ply=4)
        matches.take_back_plies(tx, 1, 3)
        assert tx.execute(sa.select(tenure.c.until_ply)).scalar_one() == 3
        held = sa.select(seat.c.since_ply).where(seat.c.name == "white").order_by(seat.c.match_id)
        assert list(tx.execute(held).scalars()) == [3, 4, 0]


def test_the_last_report_before_a_ply_is_the_one_that_counts(club: Store) -> None:
    reports = [
        OutgoingEmail(
            key=f"a/{ply}/white", kind="report", match_id=1, ply=ply, seat="white", tenure=1
        )
        for ply in (0, 1)
    ]
    with club.transaction() as tx:
        outbox.put(tx, reports, NOW, sends_mail=False)
        outbox.update(tx, 1, status="bounced")
        told = [results.has_bounced(tx, 1, "white", before) for before in (0, 1, 2)]
        assert told == [False, True, False]
        assert not results.has_bounced(tx, 1, "black", 1)
        assert not results.has_bounced(tx, 2, "white", 1)


def test_plies_in_which_seats_left_are_found(club: Store) -> None:
    with club.reading() as tx:
        assert results.leaving_plies(tx, 1, 9) == [(1, "forfeit")]
        assert results.leaving_plies(tx, 1, 1) == []
        assert results.seats(tx, 1) == ["black", "white"]


def test_all_who_hold_seats_are_listed_but_who_was_erased(club: Store) -> None:
    with club.transaction() as tx:
        tx.execute(sa.update(player).where(player.c.id == 2).values(erased_at=NOW))
    with club.reading() as tx:
        found = results.seats_of_players(tx)
    assert found == [Held(1, "Anna", name, "playing", "{}") for name in "abc"]


def test_matches_without_a_result_are_found(club: Store) -> None:
    end(club, 1)
    with club.transaction() as tx:
        tx.execute(sa.update(match).where(match.c.id.in_([1, 3])).values(status="over"))
        tx.execute(sa.update(match).values(result=None))
        assert [one.name for one in matches.without_result(tx)] == ["a", "c"]
