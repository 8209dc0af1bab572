"""How a match ended is in its row from the ply that ends it on (docs/club.md, 7.6 and 15)."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from adjudicator.core.result import MatchResult, SeatDeparture, places, read, write
from adjudicator.games.spies.rules import outcome as spies_outcome
from adjudicator.games.spies.rules.state import Entry
from tests.club import MONDAY, Club, Refusal, Store
from tests.database import tables
from tests.inside import matches_results as results
from tests.service.spiesclub import SpiesClub
from tests.service.spionclub import SpionClub

DAY = timedelta(days=1)


@pytest.fixture
def club(store):
    return Club(store)


@pytest.fixture
def spion(store, tmp_path):
    return SpionClub(store, tmp_path / "spool")


@pytest.fixture
def spies(store, tmp_path):
    return SpiesClub(store, tmp_path / "spool")


def row(store: Store, name: str = "m"):
    with store.reading() as tx:
        wanted = sa.select(tables.match.c.result, tables.match.c.ended_at)
        return tx.execute(wanted.where(tables.match.c.name == name)).one()


def result(store: Store, name: str = "m") -> MatchResult:
    return read(row(store, name).result)


def left(store: Store) -> Sequence[tuple[str, str, bool]]:
    return [(one.seat, one.how, one.bounced) for one in result(store).departures]


def forget(store: Store, *names: str) -> None:
    """Make the club one whose matches ended before results were kept."""
    with store.transaction() as tx:
        of_names = tables.match.c.name.in_(names) if names else sa.true()
        tx.execute(sa.update(tables.match).where(of_names).values(result=None, ended_at=None))


def fill(store: Store) -> None:
    """Do what `adjud db upgrade` does behind its migrations."""
    with store.transaction() as tx:
        results.fill(tx)


def rule(club, use, *args, now=MONDAY):
    return use(club, "m", *args, reason="So.", now=now)


def resign(club, seat: str, now=MONDAY) -> None:
    assert club.send(seat, "RESIGN", now=now).accepted
    club.tick(now)


def draw(club, *seats: str) -> None:
    for seat in seats:
        assert club.send(seat, "DRAW").accepted
    club.tick()


def pass_deadline(club) -> None:
    club.tick(MONDAY + 4 * DAY)


ENDINGS = {
    "a resignation": (
        lambda club: resign(club, "white"),
        MatchResult(
            winners=("black",),
            places=(("black",), ("white",)),
            reason="resignation",
            departures=(SeatDeparture(seat="white", how="resigned", ply=2),),
        ),
    ),
    "a draw": (
        lambda club: draw(club, "white", "black"),
        MatchResult(places=(("white", "black"),), reason="agreement"),
    ),
    "silence": (
        pass_deadline,
        MatchResult(
            winners=("black",),
            places=(("black",), ("white",)),
            reason="forfeit",
            departures=(SeatDeparture(seat="white", how="silence", ply=2),),
        ),
    ),
    "a forfeit": (
        lambda club: rule(club, Club.forfeit, "black"),
        MatchResult(
            winners=("white",),
            places=(("white",), ("black",)),
            reason="forfeit",
            departures=(SeatDeparture(seat="black", how="forfeited", ply=2),),
        ),
    ),
    "the game master": (
        lambda club: rule(club, Club.cancel),
        MatchResult(places=(("white", "black"),), reason="cancelled"),
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_ply_that_ends_a_match_says_how_and_an_upgrade_fills_in_the_same(club, ending):
    end, expected = ENDINGS[ending]
    club.begin("deadline=every 3 days", "absence=forfeit")
    assert row(club.store) == (None, None)
    end(club)
    assert result(club.store) == expected
    kept = row(club.store)
    assert kept.ended_at == club.loaded().since
    forget(club.store)
    fill(club.store)
    assert row(club.store) == kept


def test_all_silent_in_the_set_up_have_a_reason_of_their_own(club):
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "absence=forfeit")
    pass_deadline(club)
    found = result(club.store)
    assert (found.reason, found.winners, found.in_set_up) == ("silence", (), True)
    assert found.is_void
    assert left(club.store) == [("white", "silence", False), ("black", "silence", False)]
    assert found.places == (("white", "black"),)


def test_a_forfeit_that_was_announced_and_carried_out_is_one_by_silence(club):
    club.begin()
    club.announce_forfeit("m", "white", DAY)
    club.tick(MONDAY + 2 * DAY)
    assert left(club.store) == [("white", "silence", False)]


def test_the_kind_of_a_forfeit_is_that_of_the_ply_that_stands(spion):
    """An undone forfeit leaves its ruling behind."""
    spion.begin("deadline=every 3 days", players=4)
    rule(spion, Club.forfeit, "red")
    spion.undo("m")
    spion.announce_forfeit("m", "red", DAY)
    spion.run_tick(MONDAY + 2 * DAY)
    for seat in ("blue", "green"):
        rule(spion, Club.forfeit, seat, now=MONDAY + 2 * DAY)
    assert left(spion.store) == [
        ("red", "silence", False),
        ("blue", "forfeited", False),
        ("green", "forfeited", False),
    ]


def test_who_left_later_stands_higher_and_an_upgrade_finds_the_same(spion):
    spion.begin("deadline=every 3 days", players=4)
    rule(spion, Club.forfeit, "blue")
    resign(spion, "red")
    rule(spion, Club.forfeit, "yellow")
    found = result(spion.store)
    assert found.places == (("green",), ("yellow",), ("red",), ("blue",))
    assert [one.how for one in found.departures] == ["forfeited", "resigned", "forfeited"]
    kept = row(spion.store)
    forget(spion.store)
    fill(spion.store)
    assert row(spion.store) == kept


def test_a_match_for_which_the_game_orders_says_whose_players_slept(spion):
    spion.begin("deadline=every 3 days", players=2)
    with spion.store.transaction() as tx:
        blue = tables.seat.c.name == "blue"
        tx.execute(sa.update(tables.seat).where(blue).values(silent=3))
    rule(spion, Club.cancel)
    assert result(spion.store).dormant == ("blue",)


def test_places_put_equals_together_and_leavers_last():
    gone = [
        SeatDeparture(seat=seat, how="silence", ply=ply)
        for seat, ply in zip("bde", (4, 7, 4), strict=True)
    ]
    assert places([["a"], ["b", "c"], ["d", "e"]], gone) == (("a",), ("c",), ("d",), ("b", "e"))


def test_spies_ranks_by_points(spies):
    spies.start(players=3)
    state = spies.state
    assert spies_outcome.places(state) == ()
    seats = list(state.seats)
    secrets = {power: tuple(state.record[power]) for power in state.record}
    own = {seat: state.seats[seat][0] for seat in seats}
    foreign = next(code for code in state.secrets if state.secrets[code].city)
    secrets[own[seats[1]]] += (Entry("secret", foreign, 1933),)
    ended = spies_outcome.by_points(replace(state, record=secrets)).outcome
    state = replace(state, record=secrets, outcome=ended)
    groups = spies_outcome.places(state)
    assert groups[0] == [seats[1]]
    assert sorted(seat for group in groups for seat in group) == sorted(seats)


def test_a_forfeit_after_a_report_that_came_back_says_so(club):
    club.begin("deadline=every 3 days", "absence=forfeit")
    with club.store.transaction() as tx:
        reports = sa.update(tables.outbox).where(tables.outbox.c.kind == "report")
        tx.execute(reports.where(tables.outbox.c.seat == "white").values(status="bounced"))
    pass_deadline(club)
    assert left(club.store) == [("white", "silence", True)]


def test_a_match_ended_from_its_rows_alone_has_a_reason_of_its_own(club):
    club.begin("deadline=every 3 days")
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.turn).values(snapshot="{}"))
    rule(club, Club.cancel_unreadable)
    found = result(club.store)
    assert (found.reason, found.places, found.in_set_up) == ("unread", (("black", "white"),), False)
    kept = row(club.store)
    forget(club.store)
    fill(club.store)
    assert row(club.store) == kept


def test_a_match_cancelled_before_it_opened_has_a_result(club):
    club.add("Anna", "Bob")
    club.new("chance=numbers: 6 of Lotto 6aus49 at 2026-12-05T19:00Z")
    rule(club, Club.cancel)
    found = result(club.store)
    assert (found.reason, found.winners, found.in_set_up) == ("cancelled", (), True)


def test_one_that_cannot_be_read_stays_without_and_stops_no_other(club):
    club.add("Anna", "Bob")
    for number in range(5):
        club.new(name=f"m{number}")
        club.cancel(f"m{number}")
    with club.store.transaction() as tx:
        second = sa.select(tables.match.c.id).where(tables.match.c.name == "m1").scalar_subquery()
        spoil = sa.update(tables.turn).where(tables.turn.c.match_id == second)
        tx.execute(spoil.values(snapshot="{}"))
        tx.execute(sa.delete(tables.ruling).where(tables.ruling.c.match_id == second))
    forget(club.store)
    fill(club.store)
    found = {f"m{number}": row(club.store, f"m{number}").result for number in range(5)}
    assert [name for name, stored in found.items() if stored is None] == ["m1"]


def test_a_match_that_is_over_is_not_undone(club):
    club.begin()
    resign(club, "white")
    with pytest.raises(Refusal, match="stays over"):
        club.undo("m")
    assert result(club.store).reason == "resignation"


@pytest.mark.parametrize(
    "spoilt",
    [
        "{}",
        "spoilt",
        write(MatchResult(winners=("white",), places=(("white",), ("black",)), reason="forfeit")),
        write(MatchResult(winners=("purple",), places=(("white",), ("black",)), reason="x")),
    ],
)
def test_a_result_that_its_log_does_not_give_is_found(club, spoilt):
    club.begin()
    resign(club, "white")
    assert club.verify("m") == []
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.match).values(result=spoilt))
    (told,) = club.verify("m")
    assert str(told) == "what is stored of the match's end is not what its log says"
    assert club.standings().keys() <= {"espionage"}


def test_a_result_reads_as_it_was_written():
    for _, expected in ENDINGS.values():
        assert read(write(expected)) == expected
    with pytest.raises(ValueError, match="array"):
        read('{"winners": 3}')
