"""An email is read once: what one step made of it, or of its match, is handed on to the next.

The functions are counted while a real tick takes an email with a sheet of two orders.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from adjudicator.core import commands, sheets
from adjudicator.games import GAMES
from tests.club import computer_orders, load
from tests.database import update_seats
from tests.inside import adjudication, answer, delivery, reading, replies
from tests.service.mailclub import MailClub

COUNTED = {
    sheets.read_lines.__code__: "texts read for sheets",
    commands.read_press.__code__: "texts read for press",
    GAMES["espionage"].orders.parse.__code__: "sheets parsed",
}
STEPS = {
    reading.read_all.__code__: "reading",
    adjudication.advance.__code__: "adjudicating",
    delivery.deliver.__code__: "sending",
}


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.begin()
    club.run_tick()
    return club


@contextmanager
def counting() -> Iterator[Counter[tuple[str, str]]]:
    """Count the calls of each function, by the step of the tick in which they were made."""
    found: Counter[tuple[str, str]] = Counter()
    step = ""

    def look(frame: FrameType, event: str, _: Any) -> None:
        nonlocal step
        if event == "call":
            step = STEPS.get(frame.f_code, step)
            if what := COUNTED.get(frame.f_code):
                found[step, what] += 1

    sys.setprofile(look)
    try:
        yield found
    finally:
        sys.setprofile(None)


def two_orders(club: MailClub) -> list[str]:
    loaded = club.loaded()
    return computer_orders(loaded, loaded.awaited[0], "computer:random")


def test_an_email_with_two_orders_is_read_once(club):
    lines = two_orders(club)
    assert len(lines) == 2
    club.write("white", "ORDERS m white turn 1", *lines, "END")
    with counting() as found:
        club.run_tick()
    assert club.loaded().match.turn == 1
    assert club.loaded().awaited == ("black",)
    kept = {pair: n for pair, n in found.items() if pair[0] != "sending"}
    assert kept == {
        ("reading", "texts read for sheets"): 1,
        ("reading", "texts read for press"): 1,
        ("reading", "sheets parsed"): 1,
        ("adjudicating", "sheets parsed"): 1,
    }


ORDERS = ("ORDERS m white turn 1", "...", "END")
EMAILS = {
    "orders": ORDERS,
    "orders and an offer": ("ORDERS m white", "DRAW", "...", "END"),
    "a sheet that is refused": ("ORDERS m white", "a1-h8", "END"),
    "a resignation": ("RESIGN",),
    "all commands at once": (*ORDERS, "DRAW", "NOTREADY", "CLEAR", "DRAW", "READY", "NOTREADY"),
    "an offer withdrawn": ("DRAW", "CLEAR"),
    "settings": ("LANGUAGE nb", "ZONE Europe/Oslo", "PREFS REMINDERS DAILY", *ORDERS),
    "an absence": ("ABSENCE 2026-12-20 TO 2027-01-02", *ORDERS),
    "a dry run": ("CHECK", *ORDERS, "CLEAR", "LANGUAGE nb"),
    "press": ("PRESS TO black", "hello", "ENDPRESS", *ORDERS),
    "nothing": ("Hello!",),
    "orders in advance": (*ORDERS, "ORDERS m white turn 3", "ELSE: c3-c4, d3-d4", "END"),
    "one of them withdrawn": ("ORDERS m white turn 3", "CLEAR", "b3-b4", "c3-c4", "END", "CLEAR"),
    "all withdrawn": ("ORDERS m white turn 2", "b3-b4", "c3-c4", "END", "CLEAR ADVANCE"),
}


@pytest.mark.parametrize("text", EMAILS.values(), ids=EMAILS)
def test_the_match_that_is_handed_on_is_the_one_in_the_database(club, monkeypatch, text):
    with club.store.transaction() as tx:
        # A seat that was away is noted to be there again.
        update_seats(tx, club.loaded().match.id, ["white"], silent=1)
    left = []

    def reply(conversation: Any, *arguments: Any, **named: Any) -> replies.Reply:
        left.append((conversation.loaded, load(conversation.tx, "m")))
        return made(conversation, *arguments, **named)

    made = answer._reply
    monkeypatch.setattr(answer, "_reply", reply)
    orders = two_orders(club)
    for _ in range(2):  # the second time there are orders in force, and offers
        club.write("white", *(line for one in text for line in (orders if one == "..." else [one])))
        assert club.read_emails() == []
    assert len(left) == 2
    for handed_on, stored in left:
        assert handed_on == stored
