"""Two who accept at the same moment, on each kind of database."""

from pathlib import Path

import pytest
from msgspec import structs

from tests.club import MONDAY, OpenClub
from tests.database import Clash, match_named, match_names, offers_open_to, open_store, player_named
from tests.inside import answering, begun, matches
from tests.processes import at_once
from tests.service.mailclub import MailClub

ASKED = ("Bob", "Cleo")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.real)])
def url(request: pytest.FixtureRequest) -> str:
    fixture = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    return str(request.getfixturevalue(fixture))


def test_the_match_of_three_begins_once(url: str, tmp_path: Path) -> None:
    store = open_store(url)
    club = MailClub(store, tmp_path / "spool")
    codes = iter([f"CDE{n}" for n in range(200, 300)])
    context = structs.replace(club.context, coder=lambda: next(codes))
    club.add("Anna", *ASKED)
    with OpenClub(store, MONDAY, context).session() as s:
        anna = player_named(s.tx, "Anna")
        assert anna
        said = begun.read(s.tx, "Bob, Cleo TO spion")
        begun.invite(s, anna, said)
        ids = [one.id for name in ASKED if (one := player_named(s.tx, name))]
        given = {one: offers_open_to(s.tx, one)[0].code for one in ids}
    store.close()

    def accept(number: int) -> None:
        own = open_store(url)
        player_id = ids[number]
        for _ in range(10):
            try:
                with OpenClub(own, MONDAY, context).session() as s:
                    answering.accept(s, player_id, given[player_id])
                break
            except Clash:
                continue
        own.close()

    at_once(2, accept)
    store = open_store(url)
    with store.reading() as tx:
        assert match_names(tx) == ["spion-1"]
        assert not any(offers_open_to(tx, one) for one in ids)
        match = match_named(tx, "spion-1")
        assert match
        assert len(matches.people_of(tx, match.id)) == 3
    store.close()
