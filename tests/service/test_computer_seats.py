"""Nobody orders for a seat that a computer plays: an audit computes its orders again."""

from pathlib import Path

from adjudicator.core.message import tell
from tests.club import Club, Store, receipt_as_text
from tests.service.mailclub import MailClub

TOLD = (
    "m, black, turn 0: NOT accepted; nothing from these orders was saved\n  a computer plays "
    "Black in m, and its orders are its own; `adjud gm replace` gives the seat to a person\n"
)


def test_a_file_orders_nothing_for_a_computer(store: Store) -> None:
    club = Club(store)
    club.add("Anna")
    club.new(black="computer:random")
    for line in ("SETUP RANDOM", "RESIGN", "DRAW", "MARK a4 Spy"):
        assert receipt_as_text(club.send("black", line), tell).startswith(TOLD)
    loaded = club.loaded()
    assert (dict(loaded.sheets), loaded.declarations) == ({}, [])
    assert club.send("white", "SETUP RANDOM").accepted


def test_an_email_orders_nothing_for_a_computer(store: Store, tmp_path: Path) -> None:
    """Nobody is told the address of such a seat; one who computes it is answered as a guess is."""
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna")
    club.new("level=token", black="computer:random")
    club.run_tick()
    for lines in (("ORDERS m black", "SETUP RANDOM", "END"), ("RESIGN",)):
        club.write("black", *lines, sender="anna@example.org")
        club.run_tick()
    loaded = club.loaded()
    assert loaded.declarations == []
    assert all(one.channel == "computer" for one in loaded.sheets.values())
