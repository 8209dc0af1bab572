"""A club of version 0.2.28 opens, is upgraded, plays on by email, and agrees with its emails.

`cli/older/0.2.28.tar.xz` holds what the program of ba69ede5 left, and `made.py`, by which it was
made: matches of all games in the middle (one with hidden names, a reserve and automatic leave; one
on hold; one that waits for the numbers of a draw; one of Spion in which a phrase is missing), an
ended one and two with open seats; a round robin that is played and a Swiss that is open; a ladder
with a challenge; an invitation and offers to substitutes without an answer; orders that wait for a
code, an email that no tick has read, two that no mail server has taken, and two daily emails that
wait for the morning. Its players read English, Norwegian and Swedish.
"""

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest

from adjudicator.core.chain import OLDER
from tests.cli.conftest import adjud as adjud
from tests.cli.conftest import every_host_is_known
from tests.older_club import ARCHIVE, OlderClub, found_in, text_of, twice
from tests.program import Adjud

PLAYERS = ("anna", "bob", "cecil", "dora", "eva", "finn")
DAILY = ("dora", "eva")
SEATS = {
    "esp": {"white": "anna", "black": "bob"},
    "dai": {"white": "dora", "black": "eva"},
    "hid": {"white": "cecil", "black": "finn"},
    "held": {"white": "bob", "black": "finn"},
    "wait": {"white": "anna", "black": "dora"},
    "spi": {"blue": "anna", "yellow": "bob", "green": "cecil"},
    "pair": {"blue": "eva", "yellow": "cecil"},
    "phr": {"blue": "anna", "yellow": "finn"},
    "sps": {"germany": "anna", "russia": "cecil", "italy": "dora"},
    "cup-1-1": {"white": "anna", "black": "cecil"},
}
MATCHES = (*SEATS, "fin", "inv", "opn")
CHALLENGE = "lad-1"
AUDITED = 30  # matches of which a player has emails, of all players
OWN = r"adjud\+me\.[a-z0-9.]+@play\.example\.org"
CONFIRM, ACCEPT = r"^(?:CONFIRM|BEKREFT|BEKRÄFTA) \w+", r"^ *((?:ACCEPT|GODTA|ACCEPTERA) \w+)"


class Club(OlderClub):
    def __init__(self, adjud: Adjud) -> None:
        super().__init__(adjud, ARCHIVE, datetime(2026, 11, 24, 11, 10, tzinfo=UTC))
        self.seats = {match: dict(seats) for match, seats in SEATS.items()}

    def turns(self) -> dict[str, int]:
        shown = json.loads(self.does("status", "--format", "json"))["matches"]
        return {one["match"]: one["turn"] for one in shown}

    def newest(self, player: str, pattern: str, match: str = "") -> EmailMessage:
        """Return the newest email to a player in which there is such a line."""
        return next(
            email
            for email in self.sent(player, match)
            if re.search(f"(?m){pattern}", text_of(email))
        )

    def plays(self, *matches: str) -> None:
        """Order for every seat that has to: in reply to the seat's last report, or, as readers of
        daily emails do, in one email about all matches."""
        together: dict[str, list[str]] = {}
        for match in matches:
            for seat, lines in self.legal(match).items():
                player = self.seats[match][seat]
                if player in DAILY:
                    together.setdefault(player, []).extend((f"ORDERS {match}", *lines, "END"))
                else:
                    head = rf"^(?:ORDERS|ORDRE|ORDER) {match} .*$"
                    report = self.newest(player, head, match)
                    self.answer(report, found_in(report, head), *lines, "END")
        for player, sheets in together.items():
            daily = next(one for one in self.sent(player) if re.search(OWN, str(one["Reply-To"])))
            self.answer(daily, *sheets)

    def accepts(self, player: str, about: str) -> None:
        """Accept the newest offer whose email says this."""
        offer = next(
            one
            for one in self.sent(player)
            if re.search(f"(?m){ACCEPT}", text_of(one)) and about in f"{one['Subject']}"
        )
        self.answer(offer, found_in(offer, ACCEPT))


@pytest.fixture
def club(adjud: Adjud, monkeypatch: pytest.MonkeyPatch) -> Club:
    every_host_is_known(monkeypatch)
    return Club(adjud)


@pytest.mark.slow
def test_a_club_of_0_2_28_is_upgraded_and_plays_on(club: Club) -> None:
    before = club.adjud("status", at=club.at)
    assert before.code == 0 or "adjud db upgrade" in before.err
    club.does("db", "upgrade")
    assert club.does("verify").count("agree") == len(MATCHES)
    what_was_left_is_done(club)
    what_waited_for_an_answer_begins(club)
    for _ in range(2):
        before = club.turns()
        going = [match for match in SEATS if match in before and match != "wait"]
        club.plays(*going)
        club.tick()
        club.tick()  # `settle` of one match
        after = club.turns()
        assert [match for match in going if after.get(match, 99) < before[match]] == []
    assert after["phr"] > 0
    the_number_is_entered(club)
    club.does("backup", "b.tar.gz")
    everything_ends(club)
    assert club.does("verify").count("agree") == len(MATCHES) + 1
    for match in (*MATCHES, CHALLENGE):
        club.does("record", "replay", "-", stdin=club.does("record", "export", match))
    club.does("site", "build", str(club.folder / "site"))
    the_audits_agree(club)
    sent = [*club.sent()]
    assert not twice(str(email["Message-ID"]) for email in sent)
    assert not twice(f"{email['To']}: {email['Subject']}\n{text_of(email)}" for email in sent)


def the_audits_agree(club: Club) -> None:
    """All that an audit asks is that the reports of the older version be compared by that one."""
    verdicts, asked = Counter[str](), list[str]()
    for answer in club.audits(PLAYERS):
        assert answer.code in (0, 3), answer.out
        for line in answer.out.splitlines():
            match, _, verdict = line.partition(": ")
            if match in {*MATCHES, CHALLENGE}:
                verdicts[re.sub(r"^nothing.*", "nothing contradicts", verdict)] += 1
                questions = re.search(r"and (\d+) question", verdict)
                asked.extend(["?"] * int(questions[1]) if questions else ())
            elif "was made by adjud 0.2.28, and others may have been, too." in line:
                asked.remove("?")
    assert sum(verdicts.values()) == AUDITED
    assert verdicts.keys() <= {"everything that can be compared agrees", "nothing contradicts"}
    assert asked == []


def what_was_left_is_done(club: Club) -> None:
    """Read the email that no tick read, take the code, send what waited; then the daily emails."""
    parked = club.newest("cecil", CONFIRM, "pair")
    club.answer(parked, found_in(parked, CONFIRM))
    before = club.turns()
    sent = club.tick()
    away = [email for email in sent if "The mail server is away." in text_of(email)]
    assert sorted(email["To"].addresses[0].username for email in away) == ["anna", "bob"]
    assert {"cup-1-1", "pair"} <= {
        match for match, turn in club.turns().items() if turn > before[match]
    }
    club.now = datetime(2026, 11, 25, 5, 30, tzinfo=UTC)
    dailies = {
        email["To"].addresses[0].username: text_of(email)
        for email in club.tick()
        if email["X-Adjud"] == "daily"
    }
    assert sorted(dailies) == ["dora", "eva"]
    assert all("Please keep to the deadline." in text for text in dailies.values())


def what_waited_for_an_answer_begins(club: Club) -> None:
    """Accept an invitation, a challenge and the offer to a substitute; resume a match."""
    club.accepts("finn", "inv")
    club.accepts("anna", "lad")
    club.accepts("eva", "esp")
    club.does("gm", "resume", "held", "--reason", "we are back")
    club.tick()
    assert CHALLENGE in club.turns()
    status = club.does("status")
    assert "esp: espionage standard, white Eva, black Bob; playing" in status
    assert "inv: espionage small, white Anna, black Finn; playing" in status
    assert "held: espionage small, white Bob, black Finn; playing" in status
    club.seats["esp"]["white"] = "eva"
    club.tick()


def the_number_is_entered(club: Club) -> None:
    """Wait for the draw with a tick a day, and play the match that it opens."""
    going = [name for name in club.turns() if name not in ("wait", "opn", "inv")]
    club.does("gm", "extend", *going, "30 days", "--reason", "the draw")
    while club.now < datetime(2026, 12, 5, 19, tzinfo=UTC):
        club.tick(timedelta(days=1))
    club.does("gm", "value", "wait", "3 11 17 29 41 48")
    club.tick()
    club.plays("wait")
    club.tick(timedelta(days=1))
    assert club.turns()["wait"] == 1


def everything_ends(club: Club) -> None:
    club.does("tournament", "cancel", "cup", "--reason", "enough")
    for match in club.turns():
        club.does("gm", "cancel", match, "--reason", "enough")
    club.tick()
    club.tick(timedelta(days=1))  # over 07:00: the last daily emails
    assert club.turns() == {}


# A match that began before 0.2.22 and is over goes with its club; one that goes on does not.


def labelled(club: Club, label: str, *names: str) -> None:
    with closing(sqlite3.connect(club.adjud.file)) as rows, rows:
        for name in names:
            rows.execute("UPDATE match SET label = ? WHERE name = ?", [label, name])


def schema_of(club: Club) -> str:
    with closing(sqlite3.connect(club.adjud.file)) as rows:
        ((found,),) = rows.execute("SELECT version_num FROM alembic_version").fetchall()
    return str(found)


@pytest.mark.slow
def test_a_match_of_before_0_2_22_ends_before_the_upgrade_and_is_blamed_on_nobody(
    club: Club,
) -> None:
    labelled(club, "ADJUD1", "esp", "fin")
    refused = club.adjud("db", "upgrade", at=club.at)
    assert refused.code == 1
    assert (
        "is still being played: esp. Nothing was changed; end it with adjud 0.2.28" in refused.err
    )
    assert schema_of(club) == "0028"
    labelled(club, "ADJUD2", "esp")
    club.does("db", "upgrade")
    assert f"fin: {OLDER}\n" in (told := club.does("verify"))
    assert told.count("agree") == len(MATCHES) - 1
    rows = [json.loads(line) for line in club.does("verify", "--format", "json").splitlines()]
    assert rows[0] == {"match": "fin", "agrees": None, "faults": [], "why": str(OLDER)}
    for words in (("verify", "fin"), ("match", "archive", "fin")):
        answer = club.adjud(*words, at=club.at)
        assert (answer.code, answer.out, answer.err) == (1, "", f"adjud: {OLDER}\n")
    report = json.loads(club.does("report", "fin", "white", "--format", "json"))
    assert report["log"] is None
    assert report["ordered"] == []
    assert not report.keys() & {"made", "own"}
    audit = club.adjud("audit", club.adjud.write("fin.json", json.dumps(report)), at=club.at)
    assert (audit.code, f"  {OLDER}\n" in audit.out) == (3, True)
    page = club.does("report", "fin", "white", "--format", "html")
    assert "The match began before adjud 0.2.22, so there is no log to compare." in page
    assert club.does("status", "fin")
    assert club.does("record", "export", "fin")
    club.does("site", "build", str(club.folder / "site"))
    club.does("backup", "b.tar.gz")
    assert "; all but 1 that began before adjud 0.2.22 were verified" in club.does(
        "drill", "b.tar.gz"
    )
