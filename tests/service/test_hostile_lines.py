"""Emails whose lines cost us or their readers too much, or that are not what they seem."""

from types import SimpleNamespace

import pytest
from msgspec import structs

from adjudicator.core.orders import Sheet, split_lines
from tests.club import would_read_as_orders
from tests.service.mailclub import MailClub

SHEET = ("ORDERS m white", "SETUP RANDOM", "END")


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")


def test_of_thousands_of_orders_outside_a_sheet_ten_are_named(club):
    text = "\n".join((*SHEET, *["a1-a2"] * 8_000))
    (receipt,) = club.submit(text)
    assert receipt.accepted
    assert [one.line for one in receipt.warnings] == list(range(4, 14))
    assert len(receipt.ignored) == 8_000


def test_few_of_the_lines_beside_a_sheet_are_tried_as_orders():
    tried = []
    game = SimpleNamespace(orders=Counting(tried), advance=None)
    list(would_read_as_orders(split_lines("hello there\n" * 4_000), [game]))
    assert 10 < len(tried) < 100


class Counting:
    """The orders of a game that understands nothing, and notes what it was asked to read."""

    def __init__(self, tried):
        self.tried = tried

    def parse(self, lines):
        self.tried += lines
        return Sheet(written=(), problems=())


@pytest.mark.parametrize("key", ["ж" * 16, "ß" * 16, "a" * 15])
@pytest.mark.parametrize("seat", ["white", "ж"])
def test_a_key_that_is_none_is_nobodys(club, key, seat):
    """It cannot get stuck, or a stranger could bury the operator's queue."""
    club.context = structs.replace(club.context, raise_faults=False)
    sheet = (f"ORDERS m {seat} key {key}", "SETUP RANDOM", "END")
    club.write("white", *sheet, to="adjud@play.example.org", sender="eve@evil.example")
    assert club.run_tick() == []
    assert not any("stuck" in told for told in club.told)
    assert club.loaded().sheets == {}


@pytest.mark.parametrize(
    ("on_file", "sender", "heard"),
    [
        ("anna@strasse.example", "anna@straße.example", False),
        ("anna@xn--strae-oqa.example", "anna@straße.example", True),
        ("anna@strasse.example", "ANNA@STRASSE.EXAMPLE", True),
    ],
)
def test_an_address_is_on_file_if_its_domain_is_the_same(store, tmp_path, on_file, sender, heard):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", address=on_file)
    club.add("Bob")
    club.new()
    club.run_tick()
    raw = f"From: {sender}\nMessage-ID: <1@x>\n\n" + "\n".join(SHEET)
    club.post(raw.encode(), club.address("white"), sender)
    club.run_tick()
    assert bool(club.loaded().sheets) == heard
