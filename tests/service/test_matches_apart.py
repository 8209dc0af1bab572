"""A match is played and told as if it were the club's only one, whatever goes on beside it.

Two clubs play the same match by the same emails; in one of them the same people play another one,
too, which runs ahead and has marks, notes, press, rulings and codes of its own. Not a byte of the
first match's emails and reports tells the two clubs apart.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path

import pytest

from tests.club import MONDAY, computer_orders
from tests.database import open_store
from tests.service.mailclub import MailClub

HOUR = timedelta(hours=1)
PEOPLE = {
    ("m", "white"): "anna@example.org",
    ("m", "black"): "bob@example.org",
    ("other", "white"): "bob@example.org",
    ("other", "black"): "anna@example.org",
}
# The first part of an answer's Message-ID follows from the number that its email has among all,
# and from the club's key, so nobody can read the number from it.
ANSWERS = re.compile(rb"(?<=\nMessage-ID: <)[a-z2-7]{16}(?=\.m\.)|=_[0-9a-f]{32}")
ENEMY = {"white": "a8", "black": "a1"}  # a square on which an enemy piece stands at first

MakeClub = Callable[[str], MailClub]


@pytest.fixture
def make_club(new_sqlite: Callable[[str], str], tmp_path: Path) -> Iterator[MakeClub]:
    with ExitStack() as opened:

        def made(name: str) -> MailClub:
            store = opened.enter_context(closing(open_store(new_sqlite(name))))
            club = MailClub(store, tmp_path / name)
            club.add("Anna", "Bob")
            return club

        yield made


def test_a_match_beside_another_is_told_to_the_byte_as_by_itself(make_club: MakeClub) -> None:
    alone, beside = play(make_club("alone"), beside=False), play(make_club("beside"), beside=True)
    emails, live = alone
    assert len(emails) > 20
    assert all(report["notes"] for report in live)
    assert beside[0] == emails
    assert beside[1] == live


def play(
    club: MailClub, *, beside: bool
) -> tuple[list[tuple[str, str, bytes]], list[dict[str, object]]]:
    """Return the emails of match `m`, and the reports of its seats at the end."""
    if beside:
        club.new(name="other", white="Bob", black="Anna")
    club.new()
    for hour in range(10):
        now = MONDAY + hour * HOUR
        for part in range(2):  # the other match plays two plies for one
            if beside:
                order(club, "other", hour, part)
            club.run_tick(now)
        if beside:
            write(club, "other", "white", hour, "PRESS TO black", f"hello {hour}", "ENDPRESS")
            write(club, "other", "black", hour, "RESIGN")  # asks for a code; nobody answers
        order(club, "m", hour)
        if hour == 5:
            write(club, "m", "white", hour, "REPORT 1")
            write(club, "m", "black", hour, "DRAW")
        if beside and hour == 3:
            club.announce("other", "I am away.", now=now)
        club.run_tick(now)
    told = [club.report(seat, MONDAY + 20 * HOUR) for seat in ENEMY]
    emails = [
        (sender, to, ANSWERS.sub(b"", raw))
        for sender, to, raw in club.way.letters
        if b"\nSubject: [m]" in raw
    ]
    return sorted(emails), told


def order(club: MailClub, match: str, hour: int, part: int = 0) -> None:
    """Let all who are awaited order, with a mark and a note of this match and hour."""
    loaded = club.loaded(match)
    for seat in loaded.awaited:
        lines = ["SETUP RANDOM"]
        if loaded.match.ply:
            lines = [*computer_orders(loaded, seat, "computer:random")]
            lines += [f"NOTE note of {match} {hour}", f"MARK {ENEMY[seat]} {hour}"]
        sheet = (f"ORDERS {match} {seat}", *lines, "END")
        write(club, match, seat, hour, *sheet, named=f"order{part}")


def write(
    club: MailClub, match: str, seat: str, hour: int, *lines: str, named: str = "word"
) -> None:
    """Write an email whose Message-ID hangs on nothing that other matches count."""
    club.write(
        seat,
        *lines,
        sender=PEOPLE[match, seat],
        to=club.address(seat, match),
        at=MONDAY + hour * HOUR,
        Message_ID=f"<{match}.{seat}.{hour}.{named}.{len(lines)}@example.org>",
    )
