"""A club of sixteen people plays a Swiss, a round robin, a knock-out, pods of Spies and a ladder to
the end, by email and with a moved clock.

    python -m tests.club_of_16 [--seed N] [--days N] [--folder DIR]

People enter, order, resign, offer draws, answer offers and codes, are late, fall silent, leave, and
ask for substitutes and are some; the game master replaces one, decides a cancelled match, and
restores a backup in the middle. Emails go out into a folder and come in through the spool, as the
program does it without a mail server. Some write one email for all their matches, and some get one
email a day. It prints figures and the last tables, and ends with 1 if a tournament does not end, if
points do not add up, or if an email cannot be read.
"""

import argparse
import json
import re
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from adjudicator.mail.transport import spool
from tests.clock import clock_at
from tests.club import Unreadable, computer_orders, load, load_seats
from tests.database import names_going, open_store
from tests.program import Adjud
from tests.service.cups import NAMES as TWELVE

NAMES = (*TWELVE, "Mia", "Nils", "Oda", "Per")
LANGUAGES = ("en", "nb", "sv")
BEGIN = datetime(2026, 11, 23, 9, tzinfo=UTC)
DOMAIN = "play.example.org"
SILENT = "Leo"  # who stops writing on the tenth day
LEAVER = "Kim"  # who withdraws from a tournament
FORGETFUL = NAMES[3]  # who sends nothing to the round robin, but plays all else
TOGETHER = NAMES[::3]  # who write one email for all their matches
DAILY = NAMES[::6]  # who of these get one email a day
LATE = 0.06  # the share of days on which somebody does not look
RESIGNS, DRAWS = 0.35, 0.08  # of the turns after the first
ACCEPTS = 0.75  # of the offers
CONFIRM = re.compile(r"^(CONFIRM|BEKREFT|BEKRÄFTA) (\w+)\s*$", re.M)
ACCEPT = re.compile(r"^\s*(ACCEPT|GODTA|ACCEPTERA) (\w+)\s*$", re.M)
OPTIONS = (
    "deadline=every 2 days",
    "bank=1 day + 6 hours max 2 days",
    "leave=announced",
    "substitutes=on",
)


class SixteenPeople:
    """The club, its clock, and its people with what they know: to which addresses they reply."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.draw, self.now = Random(seed), BEGIN
        self.folder, self.club = folder, Adjud(folder)
        self.homes: dict[tuple[str, str], str] = {}  # (person, match or "") to an address
        self.read: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.slowest = 0.0
        (folder / "out").mkdir()
        mail = f'[mail]\ndomain = "{DOMAIN}"\nout = "folder:{folder / "out"}"\n'
        self.club.write("adjud.toml", f'operator = "gm@example.net"\n{mail}')
        self.does("init")
        for number, name in enumerate(NAMES):
            language = LANGUAGES[number % 3]
            words = (name, self.address(name), "--language", language, "--confirmed")
            self.does("player", "add", *words)
            self.does("player", "set", name, "--substitute", "on")
        for name in DAILY:
            self.does("player", "set", name, "--letters", "daily")

    def address(self, name: str) -> str:
        return f"{name.lower()}@example.org"

    def does(self, *words: str) -> str:
        answer = self.club(*words, at=f"{self.now:%Y-%m-%d %H:%M:%S}")
        if answer.code:
            raise SystemExit(f"{self.now}: adjud {' '.join(words)}: {answer.err}{answer.out}")
        self.counts["commands"] += 1
        return answer.out

    def write(self, name: str, to: str, *lines: str) -> None:
        """Let a person write an email."""
        head = (f"From: {name} <{self.address(name)}>", f"To: {to}", "Subject: hello")
        kind = ("MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8")
        raw = "\r\n".join((*head, f"Message-ID: <{self.counts['in']}@{name}>", *kind, "", *lines))
        place = self.folder / "data/adjud/spool"
        with clock_at(self.now):
            spool.put(
                place, BytesIO(f"{raw}\r\n".encode()), sender="", recipient=to, channel="pipe"
            )
        self.counts["in"] += 1

    # Emails that come to people.

    def tick(self) -> None:
        """Run a tick, and let people read what came; they answer codes and offers at once."""
        begun = datetime.now(UTC)
        answer = self.club("tick", at=f"{self.now:%Y-%m-%d %H:%M:%S}")
        self.slowest = max(self.slowest, (datetime.now(UTC) - begun).total_seconds())
        if answer.code or "fault" in answer.err:
            raise SystemExit(f"{self.now}: a tick ended with {answer.code}: {answer}")
        for path in sorted((self.folder / "out").iterdir()):
            if path.name not in self.read:
                self.read.add(path.name)
                self._came(message_from_bytes(path.read_bytes(), policy=policy.default))

    def _came(self, email: EmailMessage) -> None:
        name = parseaddr(str(email["To"]))[1].partition("@")[0].capitalize()
        if name not in NAMES:
            self.counts["to the operator"] += 1
            return
        self.counts["out"] += 1
        part = email.get_body(("plain",))
        text = part.get_content() if part else ""
        if not text.strip():
            raise SystemExit(f"an email without words: {email['Subject']}")
        home = parseaddr(str(email["Reply-To"] or ""))[1]
        match = re.match(r"adjud\+([a-z0-9-]+)\.", home)
        if match:
            self.homes[name, "" if match[1] == "me" else match[1]] = home
        if own := re.search(r"adjud\+me\.[a-z0-9.]+@play\.example\.org", text):
            self.homes[name, ""] = own[0]
        if home and self.is_awake(name):
            self._answer(name, home, text)

    def _answer(self, name: str, home: str, text: str) -> None:
        codes = [found[0] for found in CONFIRM.finditer(text)]
        for code in codes:
            self.write(name, home, code)
        if codes:
            return
        if offer := ACCEPT.search(text):
            word = "ACCEPT" if self.draw.random() < ACCEPTS else "DECLINE"
            self.write(name, home, f"{word} {offer[2]}")

    def is_awake(self, name: str) -> bool:
        is_gone = name == SILENT and self.now > BEGIN + timedelta(days=10)
        return not is_gone and self.draw.random() >= LATE

    # What people do.

    def seated(self) -> Iterator[tuple[str, str]]:
        """Yield (match, player) of every seat that a person has in a match that goes on."""
        with closing(open_store(f"sqlite:///{self.club.file}")) as store, store.reading() as tx:
            for match in names_going(tx):
                for holder in load_seats(tx, match).holders.values():
                    if holder.player_name:
                        yield match, holder.player_name

    def awaited(self) -> Iterator[tuple[str, str, int, list[str]]]:
        """Yield (person, match, turn, orders) of every seat that has to order."""
        with closing(open_store(f"sqlite:///{self.club.file}")) as store, store.reading() as tx:
            for match in names_going(tx):
                try:
                    loaded = load(tx, match)
                except Unreadable:
                    continue
                for seat in loaded.awaited:
                    who = loaded.holders[seat].player_name
                    if who and seat not in loaded.sheets:
                        lines = list(computer_orders(loaded, seat, "computer:random"))
                        yield who, match, loaded.match.turn, lines

    def play(self) -> None:
        """Let everybody who is awake order, resign or offer a draw."""
        together: dict[str, list[str]] = {}
        for name, match, turn, lines in list(self.awaited()):
            home = self.homes.get((name, "" if name in TOGETHER else match))
            forgot = name == FORGETFUL and match.startswith("robin-")
            if home is None or forgot or not self.is_awake(name):
                continue
            chance = self.draw.random()
            if turn > 1 and chance < RESIGNS:
                lines = ["RESIGN"]
            elif turn > 1 and chance < RESIGNS + DRAWS:
                lines = ["DRAW"]
            if name not in TOGETHER:
                self.write(name, home, *lines)
            elif lines in (["RESIGN"], ["DRAW"]):
                together.setdefault(name, []).extend((f"MATCH {match}", *lines))
            else:
                together.setdefault(name, []).extend((f"ORDERS {match}", *lines, "END"))
        for name, lines in together.items():
            self.write(name, self.homes[name, ""], *lines)
            named = [one for one in lines if one.startswith(("ORDERS ", "MATCH "))]
            self.counts["about several matches"] += len(named) > 1

    def challenge(self) -> None:
        """Let some challenge who is above them on the ladder."""
        places = re.findall(r"^\s*\d+\s+(\w+)", self.does("ladder", "show", "ladder"), re.M)
        for place, name in enumerate(places[1:], 1):
            home = self.homes.get((name, ""))
            if home and name in NAMES and self.draw.random() < 0.15 and self.is_awake(name):
                above = self.draw.choice(places[max(0, place - 3) : place])
                self.write(name, home, f"INVITE {above} TO ladder")

    def begin(self) -> None:
        """Make the tournaments and the ladder."""
        options = [word for one in OPTIONS for word in ("--option", one)]
        small = ("espionage", "--variant", "small", *options)

        def entrants(names: Sequence[str]) -> list[str]:
            return [word for name in names for word in ("--entrant", name)]

        new = ("tournament", "new")
        self.does(*new, "swiss", *small, "--kind", "swiss", "--open", "--size", "16")
        self.does(*new, "robin", *small, "--kind", "round-robin", *entrants(NAMES[:5]))
        self.does(*new, "cup", *small, "--kind", "knockout", *entrants(NAMES[4:10]))
        pods = ("--kind", "swiss", "--seats", "3-4", "--rounds", "2")
        self.does(*new, "pods", "spies", *options, *pods, *entrants(NAMES[9:16]))
        self.does("ladder", "new", "ladder", *small)
        for name in ("robin", "cup", "pods"):
            self.does("tournament", "start", name)
        for name in NAMES[2:7]:
            self.does("ladder", "enter", "ladder", name)

    def ask_for_substitutes(self) -> None:
        """Let two players ask for a substitute in two of the tournaments, until some were found."""
        if self.searches("asked", "found") + self.searches("asked", "open") > 1:
            return
        for name, match, _, _ in list(self.awaited()):
            home = self.homes.get((name, match))
            if home is not None and match.startswith(("cup-", "robin-")):
                self.write(name, home, "SUBSTITUTE")
                return

    def searches(self, cause: str, status: str) -> int:
        """Return how many searches for substitutes ended so."""
        wanted = "SELECT count(*) FROM substitute_search WHERE cause = ? AND status = ?"
        with closing(sqlite3.connect(self.club.file)) as database:
            return int(database.execute(wanted, (cause, status)).fetchone()[0])

    def join(self) -> None:
        """Let everybody ask for a place in the Swiss who has none yet."""
        shown = self.shown("swiss")
        if shown["status"] == "open":
            for name in sorted({*NAMES} - {one["player"] for one in shown["entries"]}):
                self.write(name, self.homes.get((name, ""), f"adjud@{DOMAIN}"), "JOIN swiss")

    def replace(self, tournament: str, name: str) -> None:
        """Let the game master replace a player by the last who sits in none of its matches.

        A substitute may sit there, and nobody plays two seats of a match.
        """
        there = {holder for match, holder in self.seated() if match.startswith(f"{tournament}-")}
        free = [one for one in NAMES if one not in there]
        self.does("tournament", "replace", tournament, name, free[-1], "--reason", "illness")

    def backup(self) -> None:
        self.does("backup", str(self.folder / "saved.tar.gz"))

    def restore(self) -> None:
        """Lose the database, and put the backup in its place."""
        for path in self.folder.glob("adjud.db*"):
            path.unlink()
        shutil.rmtree(self.folder / "data")
        self.does("backup", "--restore", str(self.folder / "saved.tar.gz"))
        self.counts["restored"] += 1

    def cancelled(self) -> None:
        """Let the game master cancel a match of the Swiss, and decide it."""
        going = [
            one["match"]
            for one in self.shown("swiss")["pairings"]
            if one["match"] and not one["done"]
        ]
        if going:
            self.does("gm", "cancel", going[0], "--reason", "both asked for it")
            self.does("tournament", "result", "swiss", going[0], "draw", "--reason", "agreed")

    def shown(self, name: str) -> dict[str, Any]:
        shown: dict[str, Any] = json.loads(
            self.does("tournament", "show", name, "--format", "json")
        )
        return shown

    @property
    def is_over(self) -> bool:
        states = {self.shown(name)["status"] for name in TOURNAMENTS}
        return states == {"over"}


TOURNAMENTS = ("swiss", "robin", "cup", "pods")


def run(folder: Path, seed: int, days: int) -> SixteenPeople:
    """Play so many days, or until all tournaments are over; raise SystemExit if something is
    wrong."""
    club = SixteenPeople(folder, seed)
    club.begin()
    for day in range(days):
        for hour in (9, 20):
            club.now = BEGIN.replace(hour=hour) + timedelta(days=day)
            club.tick()
            if hour == 9:
                club.join()
                club.ask_for_substitutes()
                club.play()
                club.challenge()
                club.tick()
        match day:
            case 1:
                club.cancelled()
            case 2:
                club.replace("robin", NAMES[1])
            case 3:
                club.write(LEAVER, club.homes[LEAVER, ""], "WITHDRAW pods")
            case 4:
                club.backup()
            case 5:
                club.restore()
        if club.is_over:
            break
    check(club)
    return club


def check_end(club: SixteenPeople) -> None:
    """Raise SystemExit unless every tournament ended with points that add up, and substitutes were
    found."""
    for name in TOURNAMENTS:
        shown = club.shown(name)
        if shown["status"] != "over":
            raise SystemExit(f"{name} is {shown['status']}: {shown['trouble']}")
        given = sum(sum(one["points"]) for one in shown["pairings"] if one["points"])
        in_table = sum(one["points"] for one in shown["table"])
        if name != "robin" and given != in_table:
            raise SystemExit(f"{name}: {given} 24ths were given, and the table has {in_table}")
    for cause in ("asked", "silent"):
        club.counts[f"substitutes, {cause}"] = found = club.searches(cause, "found")
        if not found:
            raise SystemExit(f"no substitute was found for a seat: {cause}")


def check(club: SixteenPeople) -> None:
    """Raise SystemExit unless every board that is done had a match, and the log is sound."""
    for name in TOURNAMENTS:
        pairings = club.shown(name)["pairings"]
        if None in [one["match"] for one in pairings if one["points"] and not one["done"]]:
            raise SystemExit(f"{name}: a board without a match is done")
    club.does("site", "build", str(club.folder / "site"))
    for word in ("verify", "doctor"):
        answer = club.club(word, at=f"{club.now:%Y-%m-%d %H:%M:%S}")
        if word == "verify" and answer.code:
            raise SystemExit(f"verify: {answer.out}{answer.err}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.club_of_16", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="keep the club there")
    given = parser.parse_args()
    begun = datetime.now(UTC)
    folder = given.folder or Path(tempfile.mkdtemp(prefix="club-"))
    folder.mkdir(exist_ok=True)
    club = run(folder, given.seed, given.days)
    check_end(club)
    for name in TOURNAMENTS:
        print(club.does("tournament", "show", name).partition("Round 1")[0])
    print(club.does("ladder", "show", "ladder"))
    spent = (datetime.now(UTC) - begun).total_seconds()
    figures = ", ".join(f"{kind}: {number}" for kind, number in club.counts.items())
    print(
        f"{(club.now - BEGIN).days} days in {spent:.0f} s; {figures}; slowest tick "
        f"{club.slowest:.1f} s; {folder}"
    )


if __name__ == "__main__":
    sys.exit(main())
