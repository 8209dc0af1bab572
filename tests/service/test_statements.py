"""A ply, from the email in to the emails out, takes few statements and few commits."""

from datetime import timedelta

import pytest
from msgspec import structs

from tests.club import MONDAY, Club, computer_orders
from tests.inside import delivery
from tests.service.mailclub import MailClub
from tests.statements import Counted

# A guard against statements that are repeated for each row.
# One asks a busy tick for unknown choices, one orders for a resignation; the rest number emails.
MOST_STATEMENTS = 66
# Statements once a tick: each job asks what is due, and what came and goes out; players are
# held while emails to them are numbered, and numbers of emails to seats and of others are marked.
ASKED = 18
MOST_COMMITS = 6


@pytest.fixture
def club(store, tmp_path, monkeypatch):
    monkeypatch.setattr(delivery, "UNNOTED", 60)  # this counts, whatever else the machine does
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    return club


def open_matches(club: MailClub, number: int) -> list[str]:
    names = [f"m{n}" for n in range(number)]
    for name in names:
        club.new(name=name)
        for seat in ("white", "black"):
            club.send(seat, "SETUP RANDOM", match=name)
    club.run_tick()
    return names


def sheet_of(club: MailClub, name: str) -> tuple[str, list[str]]:
    loaded = club.loaded(name)
    (seat,) = loaded.awaited
    return seat, [f"ORDERS {name} {seat}", *computer_orders(loaded, seat, "computer:random"), "END"]


def order(club: MailClub, name: str, at) -> None:
    seat, sheet = sheet_of(club, name)
    club.write(seat, *sheet, to=club.address(seat, name), at=at)


def test_a_ply_by_file_takes_few_statements_and_commits(club):
    """The orders come in a file, and the reports are printed."""
    (name,) = open_matches(club, 1)
    _, sheet = sheet_of(club, name)
    counted = Counted(club.store.engine)
    later = MONDAY + timedelta(minutes=1)
    context = structs.replace(club.context, sends_mail=False)
    (receipt,) = club.submit("\n".join(sheet), now=later)
    assert receipt.accepted
    assert [str(done) for done in Club(club.store, context).run_due(now=later)]
    assert counted.statements <= MOST_STATEMENTS
    assert counted.commits <= MOST_COMMITS


@pytest.mark.parametrize("matches", [1, 4, 12])
def test_a_ply_takes_few_statements_and_commits(club, matches):
    names = open_matches(club, matches)
    later = MONDAY + timedelta(minutes=1)
    for name in names:
        order(club, name, later)
    counted = Counted(club.store.engine)
    emails = club.run_tick(later)
    assert len(emails) == 2 * matches  # what came of the orders, and a report
    assert counted.statements <= ASKED + MOST_STATEMENTS * matches
    assert counted.commits <= MOST_COMMITS * matches
