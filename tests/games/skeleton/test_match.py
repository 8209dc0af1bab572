"""A match of the skeleton in the whole program: opened, ordered by file and by letter, ended."""

import re
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.club import MONDAY, NewMatch, Store
from tests.service.mailclub import MailClub

# A game of the program needs no fixture.
pytestmark = pytest.mark.usefixtures("skeleton")
PLAYERS = {"cross": "anna@example.org", "nought": "bob@example.org"}


class Table(MailClub):
    """Anna, who reads English, and Bob, who reads Norwegian, begin a match."""

    def __init__(self, store: Store, folder: Path) -> None:
        super().__init__(store, folder)
        self.now = MONDAY
        self.add("Anna")
        self.add("Bob", language="nb")
        wanted = NewMatch(
            game="skeleton",
            variant=None,
            name="m",
            seats=["cross=Anna", "nought=Bob"],
            options=["deadline=every 2 days"],
            seed=None,
            fresh_seed=bytes(32),
        )
        self.create(wanted)
        self.run_tick(MONDAY)

    def post_from(self, seat: str, *lines: str) -> dict[str, list[str]]:
        """Send a seat's letter and return what the tick writes to each seat."""
        self.write(seat, *lines, sender=PLAYERS[seat], at=self.now)
        return self.hours_later()

    def hours_later(self) -> dict[str, list[str]]:
        self.now += timedelta(hours=1)
        letters = self.run_tick(self.now)
        return {
            seat: [text(letter) for letter in letters if address in letter["To"]]
            for seat, address in PLAYERS.items()
        }


def text(letter: EmailMessage) -> str:
    body = letter.get_body(("plain",))
    assert body is not None
    return " ".join(str(body.get_content()).split())


@pytest.fixture
def table(store: Store, tmp_path: Path) -> Table:
    return Table(store, tmp_path / "spool")


def test_a_match_is_played_by_file_and_by_letter(table: Table) -> None:
    assert not table.send("cross", "CLAIM d4", now=table.now).accepted
    assert table.send("cross", "CLAIM b2", now=table.now).accepted
    told = table.hours_later()
    assert "Kryss merket en rute." in told["nought"][-1]
    assert not re.search(r"(?<!KREV )\bb2\b", told["nought"][-1])  # but in how to order
    (report,) = table.post_from("nought", "ORDRE m sirkel", "KREV b2", "SLUTT")["nought"]
    assert "KREV b2" in report
    assert "b2 er merket av den andre siden; gi en ny ordre." in report
    told = table.post_from("nought", "KREV a1")
    assert "Du merket a1." not in " ".join(told["cross"])
    assert "Nought came on a mark of Cross. Nought marked a square." in told["cross"][-1]
    assert table.report("cross", table.now)["marks"] == {"b2": "cross"}


def test_help_sends_the_card(table: Table) -> None:
    (answer,) = table.post_from("nought", "HELP")["nought"]
    assert "Skjelett: slik gir du ordrer" in answer


def resign(table: Table) -> dict[str, list[str]]:
    (asked,) = table.post_from("nought", "RESIGN")["nought"]
    code = re.search(r"\bBEKREFT ([A-Z0-9]{6})", asked)
    assert code
    return table.post_from("nought", f"CONFIRM {code[1]}")


def forfeit(table: Table) -> dict[str, list[str]]:
    table.forfeit("m", "nought", now=table.now)
    return table.hours_later()


def agree(table: Table) -> dict[str, list[str]]:
    table.post_from("nought", "DRAW")
    told = table.post_from("cross", "DRAW")
    assert "you accept the draw; the match ends when adjud next runs" in told["cross"][0]
    return told


def cancel(table: Table) -> dict[str, list[str]]:
    table.cancel("m", now=table.now)
    return table.hours_later()


@pytest.mark.parametrize(
    ("end", "english", "norwegian"),
    [
        (resign, "Cross wins: the other side resigned.", "Kryss vinner: den andre siden ga opp."),
        (forfeit, "Cross wins: the other side forfeits", "Kryss vinner: den andre siden taper"),
        (agree, "A draw: the players agreed.", "Uavgjort: spillerne ble enige."),
        (cancel, "The match is cancelled", "Partiet er avlyst"),
    ],
)
def test_its_end_is_told_to_both(
    table: Table,
    end: Callable[[Table], dict[str, list[str]]],
    english: str,
    norwegian: str,
) -> None:
    table.send("cross", "CLAIM b2", now=table.now)
    table.hours_later()
    told = end(table)
    assert english in told["cross"][-1]
    assert norwegian in told["nought"][-1]
    assert "1. cross b2" in table.export("m")
