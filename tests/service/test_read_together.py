"""Many matches are read with as many statements as a few (`outage.unreadable`)."""

import pytest

from tests.club import Club, Store, Unreadable, gather, gather_some
from tests.inside import matches, outage
from tests.statements import Counted


@pytest.fixture
def club(store):
    club = Club(store)
    club.add("Anna", "Bob")
    for name in ("m1", "m2", "m3", "m4"):
        club.new("bank=3 days", "deadline=every 3 days", "substitutes=on", name=name)
        club.send("white", "SETUP RANDOM", match=name)
    return club


def unread(store: Store) -> list[Unreadable]:
    with store.reading() as tx:
        return [*outage.unreadable(tx, every=True)]


def statements(club: Club) -> int:
    counted = Counted(club.store.engine)
    assert not unread(club.store)
    return counted.statements


def test_each_match_is_loaded_as_it_is_by_itself(club):
    club.send("black", "SETUP RANDOM", match="m4")
    club.tick()
    with club.store.reading() as tx:
        found = matches.some(tx, 0, 100, every=True)
        assert [*gather_some(tx, found)] == [gather(tx, match) for match in found]
    assert len(found) == 4


def test_one_by_one_is_only_what_cannot_be_read(club):
    before = statements(club)
    for name in ("m5", "m6", "m7"):
        club.new(name=name)
    assert statements(club) == before


def test_one_that_cannot_be_read_is_found_among_others(club):
    club.send("black", "SETUP RANDOM", match="m4")
    club.tick()
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE turn SET snapshot = 'z:????' WHERE match_id = 2")
        tx.exec_driver_sql("UPDATE event SET body = 'garbage' WHERE match_id = 4")
    found = [one.match.name for one in unread(club.store)]
    assert found == ["m2", "m4"]
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE turn SET adjudicated_at = 'yesterday' WHERE match_id = 3")
    found = [one.match.name for one in unread(club.store)]
    assert found == ["m2", "m3", "m4"]


def test_matches_are_looked_at_some_at_a_time(club, monkeypatch):
    monkeypatch.setattr(outage, "SOME", 2)
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE turn SET snapshot = '{}' WHERE match_id IN (1, 4)")
    found = [one.match.name for one in unread(club.store)]
    assert found == ["m1", "m4"]
