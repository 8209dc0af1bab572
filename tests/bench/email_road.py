"""The road from an email in to all emails out: beside what no program could do without.

The peer does for each ply what is left if one takes everything away that a game master does: it
parses each email with the standard library (compat32), writes the rows of the ply in one
transaction of `sqlite3` that waits for the disk once, and prints pages by the same templates: two,
or one for each report if there are more. It checks nothing, adjudicates nothing, and composes no
email.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from email import message_from_bytes
from functools import partial
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from adjudicator.games import GAMES
from adjudicator.mail.address import seat_address
from adjudicator.mail.transport import spool
from tests.bench import page
from tests.bench.matches import OPENED, POST
from tests.bench.measuring import Row, milliseconds, scaled, spent
from tests.browser.browsing import played
from tests.club import Club, Context, NewMatch, computer_orders
from tests.database import create, open_store
from tests.games.samples import seats_of
from tests.statements import Counted

PLAYERS = ("Anna", "Bob", "Carl", "Dora", "Erik")
MATCHES = 4  # in one tick
ROUNDS = 25
BEFORE = 24  # plies that are played before: then there is something to look back on

MOST = {"statements": 60, "commits": 6}  # of a ply with two players
SHORT = ("spies",)  # seven years: a new match each time, and nothing before


class Taken:
    """A way out that takes every email."""

    def __init__(self) -> None:
        self.raws: list[bytes] = []

    def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
        self.raws.append(raw)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


class RoadClub(Club):
    """Matches of one game whose players write an email for every turn."""

    def __init__(self, folder: Path, game: str, matches: int) -> None:
        url = f"sqlite:///{folder / 'adjud.db'}"
        create(url)
        self.game, self.matches = game, matches
        self.way = Taken()
        self.spool = folder / "spool"
        context = Context(
            post=POST,
            spool=self.spool,
            sends_mail=True,
            open_transport=lambda: self.way,
            raise_faults=True,
        )
        super().__init__(open_store(url), context)
        self.now = OPENED
        self.opened = 0
        self.names: list[str] = []
        for name in PLAYERS:
            self.add_player(
                name,
                f"{name.lower()}@example.org",
                language="en",
                zone="UTC",
                confirmed=True,
                now=OPENED,
                sends_mail=True,
            )
        self.raws: list[bytes] = []

    def open(self) -> None:
        seats = seats_of(self.game, GAMES[self.game].players[-1])
        self.names = [f"m{self.opened + n}" for n in range(self.matches)]
        self.opened += self.matches
        for name in self.names:
            wanted = NewMatch(
                game=self.game,
                variant=None,
                name=name,
                seats=[f"{seat}={who}" for seat, who in zip(seats, PLAYERS, strict=False)],
                options=(),
                seed=None,
                fresh_seed=name.encode().ljust(32),
            )
            self.create(wanted, now=self.now)

    def write(self) -> None:
        """Put an email into the spool for every seat that is awaited; open new matches where none
        is."""
        self.now += timedelta(seconds=1)
        self.raws = [raw for name in self.names for raw in self._emails(name)]
        if not self.raws:
            self.open()
            self.write()

    def _emails(self, name: str) -> Iterator[bytes]:
        loaded = self.loaded(name)
        if loaded.match.status == "over":
            return
        for seat in loaded.awaited:
            lines = [
                f"ORDERS {name} {seat} turn {loaded.match.turn}",
                *computer_orders(loaded, seat, "computer:random"),
                "END",
            ]
            player = str(loaded.holders[seat].player_name).lower()
            to = seat_address(POST, name, seat, 1)
            raw = "\n".join(
                [
                    f"From: {player}@example.org",
                    f"To: {to}",
                    "Subject: my orders",
                    f"Message-ID: <{name}.{seat}.{loaded.match.ply}@example.org>",
                    "MIME-Version: 1.0",
                    'Content-Type: text/plain; charset="utf-8"',
                    "",
                    *lines,
                    "",
                ]
            ).encode()
            spool.put(self.spool, BytesIO(raw), sender="", recipient=to, channel="bench")
            yield raw

    def run_tick(self) -> None:
        self.way.raws.clear()
        for told in self.whole_tick(now=self.now):
            assert not told.urgent, told

    @property
    def reports(self) -> int:
        return sum(b"\r\nX-Adjud: report\r\n" in raw for raw in self.way.raws)


class Peer:
    """The same by hand."""

    def __init__(self, folder: Path, render: Callable[[], str]) -> None:
        self.raw = sqlite3.connect(folder / "peer.db", isolation_level=None)
        self.raw.execute("PRAGMA journal_mode=WAL")
        self.raw.execute("PRAGMA synchronous=FULL")
        self.raw.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY, body BLOB)")
        self.render = render

    def close(self) -> None:
        self.raw.close()

    def road(self, emails: Sequence[bytes], plies: int, reports: int, out: Sequence[bytes]) -> None:
        for raw in emails:
            assert message_from_bytes(raw).get_payload()
        for _ in range(max(reports, 2 * plies)):
            self.render()
        for ply in range(plies):
            self.raw.execute("BEGIN IMMEDIATE")
            rows = [(raw,) for raw in (*emails[ply::plies], *out[ply::plies])]
            self.raw.executemany("INSERT INTO kept (body) VALUES (?)", rows)
            self.raw.execute("COMMIT")


def rows(scale: float) -> Iterator[Row]:
    ready = page.ready_rows(played("standard")["late"]["white"])
    render = partial(page.by_templates, ready)
    for game in GAMES:
        for matches in (MATCHES, 1):
            with TemporaryDirectory() as made:
                yield from _rows(Path(made), game, matches, render, scale)


def _rows(
    folder: Path, game: str, matches: int, render: Callable[[], str], scale: float
) -> Iterator[Row]:
    club = RoadClub(folder, game, matches)
    with closing(club.store), closing(peer := Peer(folder, render)):
        ours, theirs, ratios = [], [], []
        before = 0 if game in SHORT else scaled(BEFORE, scale)
        counted = Counted(club.store.engine)
        for number in range(before + scaled(ROUNDS, scale, least=2)):
            club.write()
            counted.statements = counted.commits = 0
            own = spent(club.run_tick)
            plies = len(club.names)
            road = partial(peer.road, club.raws, plies, club.reports, club.way.raws)
            other = spent(road)
            if number >= before:
                ours.append(own / plies)
                theirs.append(other / plies)
                ratios.append(own / other)
    yield Row(
        name=f"{game}: letter in to letters out, {matches} a tick",
        ours=milliseconds(median(ours)),
        theirs=milliseconds(median(theirs)),
        ratio=median(ratios),
    )
    if game == "espionage":
        for what, number in (("statements", counted.statements), ("commits", counted.commits)):
            each, most = number / matches, MOST[what]
            yield Row(
                name=f"  its {what} (the most wished)",
                ours=f"{each:g}",
                theirs=f"{most}",
                ratio=each / most,
                most=1,
            )
