"""The same is erased, archived and no longer kept in a database on a server."""

from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.club import MONDAY, Keep, Paths
from tests.database import metadata, open_store, tables
from tests.service.mailclub import MailClub

LATER = MONDAY + timedelta(hours=1)


@pytest.fixture
def club(postgres_url: str, tmp_path: Path) -> MailClub:
    """Return a club with two matches that have ended, in which Anna wrote to Bob."""
    made = MailClub(open_store(postgres_url), tmp_path / "spool")
    made.add("Anna", "Bob")
    for match in ("m", "n"):
        made.new(name=match)
        for seat in ("white", "black"):
            to = made.address(seat, match)
            made.write(seat, f"ORDERS {match} {seat}", "SETUP RANDOM", "END", to=to, at=LATER)
    made.write("white", "PRESS TO black", "I am Anna.", "ENDPRESS", at=LATER)
    made.run_tick(LATER)
    for match in ("m", "n"):
        made.cancel(match, now=LATER)
    made.run_tick(LATER)
    yield made
    made.store.close()


@pytest.mark.real
@pytest.mark.slow
def test_what_is_kept_of_a_player_goes(club: MailClub, tmp_path: Path) -> None:
    told = club.export_player("Anna", now=LATER, noting=True)
    assert [seat["match"] for seat in told["seats"]] == ["m", "n"]
    club.archive("m", tmp_path / "m.zip", now=LATER)
    at = Paths(
        config=None,
        key=tmp_path / "adjud.key",
        spool=tmp_path / "spool",
        operator="",
        contact="",
        domain="play.example.org",
        user="adjud",
        delimiter="+",
        out="none",
        password_file=None,
        fetch="",
        fetch_password_file=None,
        pictures="never",
        dkim_selector="",
        authserv_id="",
    )
    [*club.erase("Anna", at=at, now=LATER)]
    with club.store.reading() as tx:
        rows = [
            str(row) for table in metadata.sorted_tables for row in tx.execute(sa.select(table))
        ]
    assert len(rows) > 50
    assert [row for row in rows if "anna" in row.lower()] == []
    keep = Keep(ended=timedelta(days=1))
    [*club.prune(keep, now=LATER + timedelta(days=2))]
    with club.store.reading() as tx:
        wanted = sa.select(tables.outbox).where(tables.outbox.c.match_id.is_not(None))
        assert tx.execute(wanted).all() == []
    assert [club.verify(match) for match in ("m", "n")] == [[], []]
