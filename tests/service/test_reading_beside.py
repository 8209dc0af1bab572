"""While a letter is understood others may write.

Only what is decided is decided and stored in a transaction that may write, on the match as it is
then.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from adjudicator.core import commands, sheets
from adjudicator.mail.address import Post, public_address
from adjudicator.mail.read import letter, own_words
from adjudicator.service.letters_in import letter_life, said
from adjudicator.service.match import intake
from adjudicator.service.match.intake import Given
from adjudicator.store import database
from adjudicator.store.database import Store, Tx, open_store
from tests.service.club import MONDAY
from tests.service.mailclub import POST, MailClub
from tests.worst_letters import filled, plain

READERS = {
    one.__code__: one.__name__
    for one in (
        sheets.read_lines,
        commands.read_press,
        commands.read_commands,
        said.open_letter,
        letter.read,
        own_words.find,
    )
}
SHORT = 100  # characters of a sheet that the dialog itself writes, for a command outside of one


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")


class Watched:
    """Notes which readers ran while a transaction that may write was open, and which without
    one."""

    def __init__(self) -> None:
        self.open = False
        self.beside: set[str] = set()
        self.inside: set[str] = set()

    def look(self, frame: FrameType, event: str, _: Any) -> None:
        name = READERS.get(frame.f_code) if event == "call" else None
        if name and len(frame.f_locals.get("text", "x" * SHORT)) >= SHORT:
            (self.inside if self.open else self.beside).add(name)


@pytest.fixture
def watched(monkeypatch):
    found, transaction = Watched(), Store.transaction

    @contextmanager
    def told(self: Store) -> Iterator[Tx]:
        with transaction(self) as tx:
            found.open = True
            try:
                yield tx
            finally:
                found.open = False

    monkeypatch.setattr(Store, "transaction", told)
    return found


def night(club: MailClub, watched: Watched) -> list[Any]:
    sys.setprofile(watched.look)
    try:
        return list(club.night())
    finally:
        sys.setprofile(None)


LETTERS = {
    "a sheet": "ORDERS m white\nSETUP RANDOM\nEND",
    "bare orders": "SETUP RANDOM\n" + filled("a", 2_000),
    "press": "PRESS TO b\nhello\nENDPRESS\n" * 30,
    "a quoted sheet": filled("press to b", 2_000) + "\n> ORDERS m white\n> SETUP RANDOM\n> END",
    "a key": "ORDERS m white key aaaaaaaaaaaaaaaa\nSETUP RANDOM\nEND",
}


@pytest.mark.parametrize("to", ["the seat", "anybody", "nobody"])
@pytest.mark.parametrize("text", LETTERS)
def test_no_letter_is_taken_apart_while_others_cannot_write(club, watched, text, to):
    addresses = {"the seat": club.address("white"), "anybody": public_address(POST), "nobody": ""}
    club.post(plain("# a note\n" * 30 + LETTERS[text]), addresses[to], "anna@example.org")
    night(club, watched)
    assert {"read", "find", "read_lines", "read_press"} <= watched.beside
    assert watched.inside == set()


def test_nor_is_one_that_waits_to_be_confirmed(store, tmp_path, watched):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "level=confirm")
    club.night()
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END", *["hello"] * 100)
    (asked,) = club.night()
    (code,) = (
        line.split()[1]
        for line in asked.get_body(("plain",)).get_content().splitlines()
        if line.startswith("CONFIRM ")
    )
    club.write("white", f"CONFIRM {code}")
    night(club, watched)
    assert club.loaded().sheets["white"].revision == 1
    assert watched.inside == set()


def between(monkeypatch: pytest.MonkeyPatch, done: Callable[[], object]) -> None:
    """Do something once, after the next letter is understood and before its transaction begins."""
    waiting = [done]

    def open_letter(raw: bytes, post: Post | None) -> said.Opened:
        opened = said.open_letter(raw, post)
        while waiting:
            waiting.pop()()
        return opened

    monkeypatch.setattr(letter_life, "open_letter", open_letter)


def test_submit_succeeds_beside_a_letter_that_is_long_to_read(club, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 50)
    beside = open_store(club.store.engine.url.render_as_string(hide_password=False))
    sheet = "ORDERS m white\nSETUP RANDOM\nEND"
    receipts = []
    between(monkeypatch, lambda: receipts.extend(intake.submit(beside, sheet, Given(), now=MONDAY)))
    club.write("white", sheet)
    club.night()
    beside.close()
    assert [receipt.revision for receipt in receipts] == [1]
    assert club.loaded().sheets["white"].revision == 2


def test_a_letter_is_judged_on_the_match_as_it_is_when_it_is_stored(club, monkeypatch):
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    between(monkeypatch, club.tick)
    club.write("black", "ORDERS m black turn 0", "SETUP RANDOM", "END")
    told = " ".join(one.get_body(("plain",)).get_content() for one in club.night())
    assert club.loaded().match.turn == 1
    assert "NOT" in told
    assert "waits for the orders of White now" in " ".join(told.split())
