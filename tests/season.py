"""A season: a club set up from nothing by the manual, over a real Postfix, with a moved clock.

    python -m tests.season --days 147 --matches 12 --people 10

As root, with Postfix and faketime. The commands of the manual are counted from `useradd` to the
first match; then people order by email, day after day, and at the end the game master and the
administrator use every command of theirs. It prints figures and ends with 1 if a command fails or
answers wrong input with anything but a sentence. Nothing outside of a folder in /tmp is touched:
the club's user is `games`, which every Debian has, so `useradd` is counted and not run.
"""

import argparse
import json
import re
import shutil
import smtplib
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path
from typing import Any, NamedTuple

from tests.mail.mtas import Postfix
from tests.mail.person import PLAYERS, parsed
from tests.mail.servers import USER, Receiver, free_port, smtp_server

DOMAIN = "play.example.org"
ROOT = Path(__file__).parents[1]
NAMES = [
    "Anna",
    "Bob",
    "Carl",
    "Dina",
    "Eva",
    "Finn",
    "Gro",
    "Hans",
    "Ida",
    "Jon",
    "Kari",
    "Lars",
    "Mia",
    "Nils",
    "Oda",
    "Per",
]
VANISHED = "Vidar Vik"  # who stops writing, and is erased at the end
SMTP = "\nsmtp unix - - n - - smtp\n"

# What each seat of a person would order that has to: by the built-in player, as advice.
ADVICE = """
import json, sys
from contextlib import closing
from adjudicator.service.base.loaded_match import load
from tests.club import computer_orders
from adjudicator.store import matches
from adjudicator.store.database import open_store
wanted = []
with closing(open_store(sys.argv[1])) as store, store.reading() as tx:
    for name in matches.names_going(tx):
        loaded = load(tx, name)
        for seat, holder in matches.holders(tx, loaded.match.id).items():
            if seat in loaded.awaited and holder.player_name:
                orders = list(computer_orders(loaded, seat, "computer"))
                wanted.append((holder.player_name, name, seat, orders))
print(json.dumps(wanted))
"""


class Failed(Exception):
    """A command did not do what it should."""


class Ran(NamedTuple):
    """A command of the last part, and how long it took."""

    words: str
    seconds: float
    out: str


class Figures(NamedTuple):
    """What a season took."""

    commands: int  # from `useradd` to the first match
    to_first_match: float  # seconds
    played: float  # seconds
    days: int
    turns: int
    came: int
    went_out: int
    slowest_tick: float
    megabytes: float  # of the database, at the end of the season
    megabytes_pruned: float | None
    used: Sequence[Ran]
    absent: Sequence[str]  # commands that this version does not have
    refused: Sequence[str]  # what it said to wrong input


class Season:
    """The machine: a folder with the program, the club, and the mail server."""

    def __init__(self, base: Path, receiver: Receiver) -> None:
        self.base, self.receiver = base, receiver
        self.club, self.config = base / "club", base / "adjud.toml"
        self.program = base / "adjud-1" / "bin" / "adjud"
        self.later, self.commands, self.read = 0, 0, 0
        self.slowest, self.came, self.opened = 0.0, 0, 0
        self.homes: dict[tuple[str, str], str] = {}  # the address to which a person replies
        self.emails: dict[str, list[bytes]] = {}
        # The clock of the program that a timer, a person or the mail server calls.
        clocked = base / "clocked"
        clocked.write_text(
            "#!/bin/sh\n"
            f'exec /usr/bin/faketime -f "+$(/bin/cat {base}/later)m" {self.program} "$@"\n'
        )
        clocked.chmod(0o755)
        self.clocked = clocked
        self.wait(days=0)

    def wait(self, *, days: int) -> None:
        self.later += days * 24 * 60
        (self.base / "later").write_text(str(self.later))

    # The manual.

    def install(self, program: Path | None) -> None:
        """Do the first four lines; with a program that is installed already only the last."""
        self.commands += 4
        folder = self.base / "adjud-1"
        if program is not None:
            folder.symlink_to(program.parents[1])
            return
        source = self.base / "source"
        ignored = shutil.ignore_patterns(".*", "*.mo", "__pycache__", "dist")
        shutil.copytree(ROOT, source, ignore=ignored)
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "-q", source], check=True)

    def set_up(self, people: Sequence[str], matches: int) -> Postfix:
        """Do the other four: the club, the mail server, a player and a match."""
        out = f"smtp://127.0.0.1:{free_port()}"  # nobody listens there yet
        answers = (
            "--name", "The Season", "--game-master", "Gerda", "--operator", f"gm@{PLAYERS}",
            "--timezone", "Europe/Oslo", "--domain", DOMAIN, "--out", out,
            "--folder", str(self.club), "--user", USER, "--server", "Postfix", "--no-services",
        )  # fmt: skip
        told = self.root("setup", *answers)
        master, main = re.findall(r"/etc/postfix/\w+\.cf:\n\n((?:    .*\n)+)", told)
        lines = [re.sub(r"(?m)^    ", "", text) for text in (main, master)]
        lines = [text.replace(str(self.program), str(self.clocked)) for text in lines]
        ways = {PLAYERS: f"smtp:[127.0.0.1]:{self.receiver.port}"}
        postfix = Postfix(self.base / "postfix", ways, lines[0], lines[1] + SMTP, free_port())
        postfix.start()
        self.commands += 1
        text = self.config.read_text()
        self.config.write_text(text.replace(out, f"smtp://127.0.0.1:{postfix.port}"))
        self.postfix = postfix
        if "the test email arrived" not in self.root(
            "setup", "--user", USER, "--no-services", "--test"
        ):
            raise Failed("the way home was not tested")
        self.commands -= 1  # a person presses Enter in the first one
        for name in people:
            self.adjud("player", "add", name, address_of(name), "--timezone", "Europe/Oslo")
            self.commands += name == people[0]
        self.take_codes(people)
        for number in range(matches):
            self.open(people, number)
            self.commands += number == 0
        self.opened = matches - 1
        return postfix

    def open(self, people: Sequence[str], number: int) -> None:
        first, second = people[2 * number % len(people)], people[(2 * number + 1) % len(people)]
        if number % 4 == 3:
            others = ("--seat", "green=computer", "--seat", "red=computer")
            self.new("spion", "--seat", f"blue={first}", "--seat", f"yellow={second}", *others)
        else:
            seats = ("--seat", f"white={first}", "--seat", f"black={second}")
            self.new("espionage", "--variant", "small", *seats)

    def new(self, *words: str) -> None:
        self.adjud("new", *words, "--option", "deadline=every 3 days")

    def open_more(self, people: Sequence[str], matches: int) -> None:
        """Open as many matches as have ended."""
        going = [one for one in self.matches() if one["status"] != "over"]
        for _ in range(matches - len(going)):
            self.opened += 1
            self.open(people, self.opened)

    def matches(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.adjud("status", "--all", "--format", "json"))[
            "matches"
        ]
        return found

    def take_codes(self, people: Sequence[str]) -> None:
        """Let everyone confirm the address by a reply to the invitation."""
        self.adjud("tick")
        for email in self.come(lambda found: len(found) >= len(people)):
            if code := re.search(r"CONFIRM ([A-Z0-9]+)", text_of(email)):
                self.send(str(email["To"]), home_of(email), code[0])
        self.arrive(len(people))
        self.adjud("tick")

    # Commands.

    def root(self, *words: str) -> str:
        """Run a command as the administrator does."""
        self.commands += 1
        done = subprocess.run(
            [self.program, "--config", self.config, *words], capture_output=True, text=True
        )
        if done.returncode:
            raise Failed(f"adjud {' '.join(words)}: {done.stderr}{done.stdout}")
        return done.stdout

    def adjud(self, *words: str) -> str:
        """Run a command that must succeed, as the club's user at the season's time."""
        done = self.run(*words)
        if done.returncode or "Traceback" in done.stderr:
            raise Failed(f"adjud {' '.join(words)}: {done.returncode} {done.stderr}{done.stdout}")
        return done.stdout

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return self.as_user(self.clocked, "--config", self.config, *words)

    def as_user(self, *command: str | Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command, user=USER, group=USER, extra_groups=[], cwd="/", capture_output=True,
            text=True, env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(self.club)},
        )  # fmt: skip

    def tick(self) -> None:
        begun = time.monotonic()
        self.adjud("tick")
        self.slowest = max(self.slowest, time.monotonic() - begun)

    # Emails.

    def come(self, enough: Callable[[Sequence[object]], bool]) -> list[EmailMessage]:
        """Wait until enough emails have come to people since the last look; return those."""
        end = time.monotonic() + 60
        while not enough(self.receiver.letters[self.read :]):
            if time.monotonic() > end:
                raise Failed(f"emails do not come: {self.postfix.log[-2000:]}")
            time.sleep(0.05)
        new = self.receiver.letters[self.read :]
        self.read += len(new)
        for _, (to, *_more), raw in new:
            self.emails.setdefault(to, []).append(raw)
        return [parsed(raw) for _, _, raw in new]

    def send(self, sender: str, to: str, text: str) -> None:
        email = EmailMessage()
        email["From"], email["To"], email["Subject"] = sender, to, "Re: your report"
        email.set_content(text)
        with smtplib.SMTP("127.0.0.1", self.postfix.port) as server:
            server.send_message(email)
        self.came += 1

    def arrive(self, number: int) -> None:
        """Wait until so many emails are in the spool."""
        end, folder = time.monotonic() + 120, self.club / "spool" / "new"
        while not (folder.is_dir() and len(list(folder.iterdir())) >= number):
            if time.monotonic() > end:
                raise Failed(f"{number} emails do not arrive: {self.postfix.log[-2000:]}")
            time.sleep(0.05)

    # Play.

    def day(self, silent: Sequence[str]) -> None:
        """Let a day pass: a tick, and everyone who has to order does it, but for the silent."""
        self.wait(days=1)
        self.tick()
        for email in self.come(lambda found: len(self.receiver.letters) >= self.sent()):
            if told := re.match(r"\[([a-z0-9-]+)\]", str(email["Subject"])):
                self.homes[parseaddr(str(email["To"]))[1], told[1]] = home_of(email)
        advice = self.as_user(
            self.program.with_name("python"), "-c", ADVICE, f"sqlite:///{self.club}/adjud.db"
        )
        sent = 0
        for name, match, seat, orders in json.loads(advice.stdout or "[]"):
            home = self.homes.get((address_of(name), match))
            if home and name not in silent:
                sheet = [f"ORDERS {match} {seat}", *orders, "END"]
                self.send(address_of(name), home, "\n".join(sheet))
                sent += 1
        if sent:
            self.arrive(sent)
            self.tick()

    def sent(self) -> int:
        """Return how many emails the club has handed over to the mail server for people."""
        counted = "SELECT count(*) FROM outbox WHERE status = 'sent'"
        with closing(sqlite3.connect(f"file:{self.club}/adjud.db?mode=ro", uri=True)) as database:
            return int(database.execute(counted).fetchone()[0])

    def megabytes(self) -> float:
        files = (self.club / f"adjud.db{end}" for end in ("", "-wal"))
        return sum(path.stat().st_size for path in files if path.exists()) / 1e6


def address_of(name: str) -> str:
    return f"{name.lower().replace(' ', '.')}@{PLAYERS}"


def home_of(email: EmailMessage) -> str:
    return parseaddr(str(email["Reply-To"] or email["From"]))[1]


def text_of(email: EmailMessage) -> str:
    body = email.get_body(("plain",))
    return str(body.get_content()) if body else ""


# The last half hour: every command of the game master's and the administrator's.

DESK = """
status
status --waiting-for-me --player {other}
late
late --within "3 days"
gm extend --all "1 day" --reason Easter
gm option --all "deadline=every 4 days" --reason "all asked for it"
gm hold --game espionage --reason "mail trouble"
gm resume --game espionage --reason "mail works again"
gm say --all "Happy Easter to all."
gm press {going} off
player mute {vanished}
player show {vanished}
player export {other}
player leave {vanished} --to computer
player erase {vanished} --confirm
standings --format json
site build {base}/club/www
config show --origin
metrics
doctor
backup {base}/club/season.tar.gz
drill {base}/club/season.tar.gz
match archive {ended} {base}/club/{ended}.zip
db prune
verify
db upgrade
"""

WRONG = """
player add Anna anna@example.org
player erase Nobody --confirm
player export Nobody
player show Nobody
gm extend no-such-match "1 day"
gm extend {going} "1 fortnight"
gm option {going} "deadline=now and then"
gm option {going} fights=hidden
gm press {going} sideways
late --within soon
status no-such-match
drill {base}/adjud.toml
drill {base}/none.tar.gz
backup {base}/club/season.tar.gz
match archive no-such-match {base}/club/x.zip
new chess
new espionage --seat white=Nobody
setup --user nobody-of-that-name
mail test nobody
"""


def last_half_hour(
    season: Season, ended: str, going: str, other: str
) -> tuple[list[Ran], list[str]]:
    """Use every command; return what ran, and what this version does not have."""
    ran, absent = [], []
    places = {"base": season.base, "ended": ended, "going": going, "other": other}
    for line in DESK.strip().splitlines():
        words = split(line, places)
        if words[:2] in (["player", "erase"], ["match", "archive"]):
            season.tick()  # so that nothing waits
        begun = time.monotonic()
        done = season.run(*words)
        if done.returncode == 2 and "No such" in done.stderr:
            absent.append(line)
            continue
        # The doctor has something to say of a club whose mail server is on another port.
        if "Traceback" in done.stderr or (done.returncode and words[0] != "doctor"):
            raise Failed(f"adjud {line}: {done.returncode} {done.stderr}{done.stdout}")
        ran.append(Ran(" ".join(words), time.monotonic() - begun, done.stdout))
    return ran, absent


def split(line: str, places: dict[str, object]) -> list[str]:
    import shlex

    return shlex.split(line.format(**places, vanished=f'"{VANISHED}"'))


def wrong_input(season: Season, going: str) -> list[str]:
    """Give wrong commands; return the first line that each answered with."""
    said = []
    for line in WRONG.strip().splitlines():
        words = split(line, {"base": season.base, "going": going})
        done = season.run(*words)
        first = (done.stderr.strip().splitlines() or [""])[-1 if done.returncode == 2 else 0]
        is_sentence = first.startswith(("adjud: ", "Error: "))
        if done.returncode not in (1, 2) or not is_sentence or "Traceback" in done.stderr:
            raise Failed(f"adjud {line}: {done.returncode} {done.stderr}{done.stdout}")
        said.append(f"adjud {line.format(base='…', going=going, vanished=VANISHED)}\n    {first}")
    return said


def remains(season: Season, words: Sequence[str]) -> list[str]:
    """Return the files of the club in which a name or an address still is."""
    found = []
    for path in season.club.rglob("*"):
        if path.is_file() and path.suffix not in (".gz", ".zip"):
            content = path.read_bytes()
            for word in words:
                at = content.find(word.encode())
                if at >= 0:
                    found.append(f"{path}: {content[max(0, at - 60) : at + 60]!r}")
    return found


@contextmanager
def machine() -> Iterator[Season]:
    base = Path(tempfile.mkdtemp(prefix="adjud-season-", dir="/tmp"))
    base.chmod(0o755)
    receiver = Receiver()
    for name in ("cert.pem", "key.pem"):
        (base / name).touch()
    season = None
    try:
        with smtp_server(receiver):
            season = Season(base, receiver)
            try:
                yield season
            except Failed as failed:
                raise Failed(f"{failed}\n{season.run('status', '--all').stdout}") from None
    finally:
        if season is not None and hasattr(season, "postfix"):
            with suppress(subprocess.CalledProcessError):
                season.postfix.stop()
        shutil.rmtree(base)


def run(days: int, matches: int, people: int, program: Path | None = None) -> Figures:
    """Run a season. Raises Failed if anything does not do what it should."""
    names = [VANISHED, *NAMES[: people - 1]]
    with machine() as season:
        begun = time.monotonic()
        season.install(program)
        season.set_up(names, matches)
        first = time.monotonic() - begun
        begun = time.monotonic()
        for day in range(days):
            season.day(silent=[VANISHED] if day > days / 3 else [])
            if day % 7 == 6:
                season.open_more(names[1:], matches)
        played = time.monotonic() - begun
        status = season.matches()
        going = next(one["match"] for one in status if one["status"] != "over")
        over = [one["match"] for one in status if one["status"] == "over"]
        if not over:
            victim = status[-1]["match"]
            season.adjud("gm", "cancel", victim, "--reason", "the season is over")
            over = [victim]
            going = next(one["match"] for one in status if one["match"] != victim)
        size = season.megabytes()
        used, absent = last_half_hour(season, over[0], going, names[1])
        refused = wrong_input(season, going)
        erased = any(one.words.startswith("player erase") for one in used)
        if erased and (left := remains(season, (VANISHED, address_of(VANISHED)))):
            raise Failed("the erased name is still there: " + "; ".join(left))
        pruned = any(one.words == "db prune" for one in used)
        return Figures(
            commands=season.commands,
            to_first_match=first,
            played=played,
            days=days,
            turns=sum(int(one["turn"] or 0) for one in status),
            came=season.came,
            went_out=len(season.receiver.letters),
            slowest_tick=season.slowest,
            megabytes=size,
            megabytes_pruned=season.megabytes() if pruned else None,
            used=used,
            absent=absent,
            refused=refused,
        )


def shown(figures: Figures) -> Iterator[str]:
    yield f"commands from useradd to the first match: {figures.commands}"
    yield f"minutes until then: {figures.to_first_match / 60:.1f}"
    yield f"days played: {figures.days} in {figures.played / 60:.1f} minutes"
    yield f"turns {figures.turns}, emails in {figures.came}, emails out {figures.went_out}"
    yield f"the slowest tick: {figures.slowest_tick:.1f} s"
    pruned = figures.megabytes_pruned
    after = f", after db prune {pruned:.1f} MB" if pruned is not None else ""
    yield f"database: {figures.megabytes:.1f} MB{after}"
    for one in figures.used:
        yield f"{one.seconds:6.1f} s  adjud {one.words}"
    for line in figures.absent:
        yield f"   not in this version: adjud {line}"
    for line in figures.refused:
        yield line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=147)
    parser.add_argument("--matches", type=int, default=12)
    parser.add_argument("--people", type=int, default=10)
    parser.add_argument("--program", type=Path, help="an adjud that is installed already")
    given = parser.parse_args()
    try:
        figures = run(given.days, given.matches, given.people, given.program)
    except Failed as failed:
        sys.exit(f"season: {failed}")
    print("\n".join(shown(figures)))


if __name__ == "__main__":
    main()
