"""A club that an older program made goes on with this one, from its database, key and emails.

`older/493ae212.tar.xz` holds what the program of that commit left: matches of all games, among them
a finished one and one with a seat that was handed over; orders in advance, parked orders, an email
that no tick has read and two that no mail server has taken; all emails in and out; and `made.py`,
by which they were made.
"""

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import every_host_is_known
from tests.older_club import OlderClub, text_of, twice
from tests.program import Adjud

ARCHIVE = Path(__file__).parent / "older/493ae212.tar.xz"
PLAYERS = ("anna", "bob", "cecil", "dora")
MATCHES = {
    "esp": {"white": "anna", "black": "bob"},
    "cap": {"white": "bob", "black": "anna"},
    "spi": {"blue": "anna", "yellow": "bob", "green": "dora"},
    "two": {"blue": "bob", "yellow": "anna"},
    "sps": {"germany": "anna", "russia": "bob", "italy": "cecil"},
}
AUDITED = 15  # matches of which a player has emails, of all players
HEAD = r"(?m)^(?:ORDERS|ORDRE|ORDER) {match} .*$"


class Older(OlderClub):
    def __init__(self, adjud: Adjud) -> None:
        super().__init__(adjud, ARCHIVE, datetime(2026, 11, 24, 6, tzinfo=UTC))

    def plies(self, match: str) -> int:
        with closing(sqlite3.connect(self.adjud.file)) as connection:
            found = connection.execute("SELECT ply FROM match WHERE name = ?", [match])
            return int(found.fetchone()[0])

    def plays(self, match: str) -> Iterator[str]:
        """Fill in the sheet of each awaited seat's newest report; yield the heads of the sheets."""
        for seat, lines in self.legal(match).items():
            report, head = next(
                (email, found[0])
                for email in self.sent(MATCHES[match][seat], match)
                if email["X-Adjud"] in ("report", "refusal")
                and (found := re.search(HEAD.format(match=match), text_of(email)))
            )
            self.answer(report, head, *lines, "END")
            yield head


@pytest.fixture
def older(adjud: Adjud, monkeypatch: pytest.MonkeyPatch) -> Older:
    every_host_is_known(monkeypatch)
    return Older(adjud)


def unopened(audits: Sequence[str]) -> list[str]:
    return [
        line for told in audits for line in told.splitlines() if "not revealed here: the" in line
    ]


@pytest.mark.slow
def test_a_club_of_an_older_program_goes_on_from_its_emails(older: Older) -> None:
    assert "adjud db upgrade" in older.adjud("status", at=older.at).err
    older.does("db", "upgrade")
    assert older.does("verify").count("agree") == len(MATCHES) + 1
    what_was_left_is_done(older)
    assert without_epoch(it_plays_on(older)) == 7  # all of `esp`, `spi` and `sps`
    assert without_epoch(it_plays_on(older)) == 0
    older.does("backup", "b.tar.gz")
    it_plays_on(older)
    restore(older, "b.tar.gz")
    older.tick()
    undone = ("spi", "sps")  # in both all seats have a report of a turn that is undone now
    lost = [head for match in undone for head in older.plays(match)]
    assert [email["X-Adjud"] for email in older.tick()] == ["refusal"] * len(lost)
    it_plays_on(older)
    for match in MATCHES:
        older.does("gm", "cancel", match, "--reason", "enough")
    older.tick()
    assert older.does("verify").count("agree") == len(MATCHES) + 1
    for match in (*MATCHES, "fin"):
        older.does("record", "replay", "-", stdin=older.does("record", "export", match))
    older.does("site", "build", str(older.folder / "site"))
    answers = list(older.audits(PLAYERS))
    for answer in answers:
        assert answer.code == 0, answer.out
    audits = [answer.out for answer in answers]
    assert "".join(audits).count("everything that can be compared agrees") == AUDITED
    assert len(unopened(audits)) == 1  # Cecil's, who left that match long before its end
    sent = [*older.sent()]
    assert not twice(str(email["Message-ID"]) for email in sent)
    assert not twice(f"{email['To']}: {email['Subject']}\n{text_of(email)}" for email in sent)
    assert older.does("status") == "no match is being played\n"  # and no letter waits


def what_was_left_is_done(older: Older) -> None:
    """Confirm what was parked; one tick reads the unread email and sends the two that wait."""
    (parked,) = (email for email in older.sent("bob", "two") if email["X-Adjud"] == "confirm")
    code = re.search(r"^BEKREFT \S+$", text_of(parked), re.MULTILINE)
    assert code
    older.answer(parked, code[0])
    sent = older.tick()
    notices = [email for email in sent if "The mail server is away." in text_of(email)]
    assert [email["X-Adjud"] for email in notices] == ["notice", "notice"]
    turns = json.loads(older.does("status", "--format", "json"))["matches"]
    assert {one["match"]: one["turn"] for one in turns}.items() >= {"cap": 3, "two": 6}.items()


def it_plays_on(older: Older) -> list[str]:
    """Play a turn of each match in answer to the last reports; return the heads of the sheets."""
    before = {match: older.plies(match) for match in MATCHES}
    heads = [head for match in MATCHES for head in older.plays(match)]
    older.tick()
    older.tick()
    for match, plies in before.items():
        assert older.plies(match) > plies, match
    return heads


def without_epoch(heads: Sequence[str]) -> int:
    return sum(not re.search(r" (?:epoch|epoke|epok) ", head) for head in heads)


def restore(older: Older, backup: str) -> None:
    for path in older.folder.glob("adjud.db*"):
        path.unlink()
    shutil.rmtree(older.folder / "data")
    older.does("backup", "--restore", backup)


def test_a_tick_enters_how_older_matches_ended_and_who_held_a_seat_how_long(older: Older) -> None:
    older.does("db", "upgrade")
    assert older.does("standings") == "no match between people has ended\n"
    older.tick()
    rows = [json.loads(line) for line in older.does("standings", "--format", "json").splitlines()]
    assert {row["player"]: (row["won"], row["lost"]) for row in rows} == {
        "Anna": (0, 1),
        "Bob": (1, 0),
    }
    with closing(sqlite3.connect(older.adjud.file)) as connection:
        ended = connection.execute("SELECT name, result, ended_at FROM match WHERE status = 'over'")
        ((name, result, at),) = ended.fetchall()
        plies = connection.execute("SELECT since_ply, until_ply FROM tenure").fetchall()
        since = connection.execute(
            "SELECT DISTINCT seat.since_ply FROM seat JOIN tenure"
            " ON tenure.match_id = seat.match_id AND tenure.seat = seat.name"
        ).fetchall()
    assert (name, json.loads(result)["reason"], at[:16]) == (
        "fin",
        "resignation",
        "2026-11-21T16:20",
    )
    assert (plies, since) == ([(0, 4)], [(4,)])
