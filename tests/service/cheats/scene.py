"""A match of any game that is played by emails, up to where its club begins to cheat.

Anna plays the first seat and keeps all her emails; the operator plays the last seat. The club
cheats through its store or with code of its own, so that the log, its fingerprints and all emails
fit each other. What remains is what the rules and Anna's emails can tell.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct, structs

from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from adjudicator.games import GAMES
from tests.audits import audited
from tests.club import MONDAY, SEED, Loaded, NewMatch, Store, computer_orders, load
from tests.database import Tx
from tests.games.samples import Kind, of_games
from tests.inside import append_ply, deadlines, submissions
from tests.nightly import NIGHT
from tests.service.mailclub import MailClub

PEOPLE = ("Anna", "Bob", "Carl", "Dora", "Emil")
STEP = timedelta(hours=1)  # between two ticks


SETS: Mapping[str, Kind] = of_games("samples", "CHEATED")
GAMES_PLAYED = tuple(SETS)


def cheating_and_honest(games: Sequence[str]) -> list[Any]:
    """Return games for `parametrize`, each with a club that cheats, and with an honest one that
    does likewise and is not blamed. The first is tried every day."""
    return [
        pytest.param(game, is_honest, id=f"{game}-{name}", marks=NIGHT if number else ())
        for is_honest, name in ((False, "cheating"), (True, "honest"))
        for number, game in enumerate(games)
    ]


class Scene:
    """A match by emails. `now` moves on with each tick."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        game: str,
        *options: str,
        holders: Mapping[str, str] | None = None,
        language: str = "en",
        name: str = "m",
        played: int = 0,
        played_to: int = 0,
        awaits: str = "",
        max_gap: timedelta | None = None,
    ) -> None:
        """Open a match. What is played at once, by an honest club, is played for one test only;
        further ones that want the same get a copy."""
        self.club = MailClub(store, folder / f"spool-{game}")
        self.club.context = structs.replace(self.club.context, max_gap=max_gap)
        self.game, self.name, self.now = GAMES[game], name, MONDAY
        one = SETS[game]
        self.people: dict[str, str] = dict(zip(one.seats, PEOPLE, strict=False)) | dict(
            holders or {}
        )
        wanted = NewMatch(
            game=game,
            variant=one.variant,
            name=name,
            seats=[f"{seat}={person}" for seat, person in self.people.items()],
            options=[*one.options, *options],
            seed=None,
            fresh_seed=bytes.fromhex(SEED),
        )

        def begin() -> tuple[datetime, tuple[bytes, ...]]:
            for person in PEOPLE:
                self.club.add(person, language=language)
            self.club.create(wanted, now=self.now)
            self.club.run_tick(self.now)
            self.play(played)
            self.play_to(played_to)
            if awaits:
                self.until(self.mine if awaits == "mine" else self.theirs)
            return self.now, tuple(self.club.raws)

        if played or played_to:
            key = f"{language} {played} {played_to} {awaits} {wanted}"
            self.now, raws = self.club.brought(key, begin)
            self.club.raws = [*raws]
        else:
            begin()

    @property
    def mine(self) -> str:
        return next(iter(self.people))

    def title(self, seat: str) -> str:
        return tell(self.game.seat_titles[Seat(seat)])

    @property
    def theirs(self) -> str:
        """Return the seat of the operator."""
        return [*self.people][-1]

    def loaded(self) -> Loaded:
        return self.club.loaded(self.name)

    def pieces(self, seat: str) -> Any:
        """Return the enemy pieces that a seat of Espionage sees."""
        loaded = self.loaded()
        view = loaded.game.sight.observe(loaded.state, Seat(seat))
        return [one for one in view.pieces if one.side != seat]

    @property
    def state(self) -> Any:
        return self.loaded().state

    def tick(self) -> None:
        self.now += STEP
        self.club.run_tick(self.now)

    def write(self, seat: str, *lines: str) -> None:
        """Send an email of the person who plays a seat."""
        tenure = self.loaded().holders[seat].tenure
        self.club.write(
            seat,
            *lines,
            sender=f"{self.people[seat].lower()}@example.org",
            to=self.club.address(seat, self.name, tenure),
            at=self.now,
        )

    def legal(self, seat: str) -> list[str]:
        """Return some legal orders of a seat."""
        return computer_orders(self.loaded(), seat, "computer")

    def order(self, seat: str, *lines: str) -> None:
        self.write(seat, f"ORDERS {self.name} {seat}", *(lines or self.legal(seat)), "END")

    def order_all(self, but: Iterable[str] = ()) -> None:
        for seat in self.loaded().awaited:
            if seat not in but and not self.loaded().holders[seat].computer:
                self.order(seat)

    def play(self, plies: int = 1) -> None:
        """Play by emails of all players until so many more plies are adjudicated."""
        self.play_to(self.loaded().match.ply + plies)

    def play_to(self, ply: int) -> None:
        """Play until that ply is adjudicated; some games adjudicate one when a match is made."""
        while self.loaded().match.ply < ply:
            self.order_all(but=self.loaded().sheets)  # again would be changed orders (`settle`)
            self.tick()

    def until(self, seat: str) -> None:
        """Play on until that seat is awaited."""
        while seat not in self.loaded().awaited:
            self.play()

    def declare(self, seat: str, word: str) -> None:
        """Resign a seat or offer a draw; an email that is not trusted is confirmed."""
        self.write(seat, word)
        self.tick()
        answer = str(message_from_bytes(self.letters(self.people[seat])[-1], policy=policy.default))
        if code := re.search(r"^CONFIRM (\w+)", answer, re.M):
            self.write(seat, f"CONFIRM {code[1]}")
            self.tick()

    def end(self) -> None:
        """End the match, so that its log is opened."""
        if self.loaded().match.status != "over":
            self.club.cancel(self.name, reason="x", now=self.now)
        self.tick()

    def letters(self, name: str = "Anna") -> list[bytes]:
        to = f"{name.lower()}@example.org"
        return [raw for _, whom, raw in self.club.way.letters if whom == to]

    # How the club cheats.

    def do(self, what: Callable[[Tx, Loaded], object]) -> None:
        """Do something to the match in the club's store."""
        with self.club.store.transaction() as tx:
            what(tx, load(tx, self.name))

    def slip_in(self, *events: Any) -> None:
        """Add events between two plies."""
        self.do(lambda tx, loaded: append_ply.extend(tx, loaded, events))

    def put_in_force(
        self, seat: str, *lines: str, channel: str = "email", at: datetime | None = None
    ) -> None:
        """Put a sheet in force that was never judged."""

        def put(tx: Tx, loaded: Loaded) -> None:
            submissions.store(
                tx,
                loaded.match.id,
                ply=loaded.match.ply + 1,
                seat=seat,
                received_at=at or self.now,
                channel=channel,
                lines=list(lines),
                text="\n".join(lines),
            )
            deadlines.reload_and_reschedule(tx, loaded, self.now)

        self.do(put)


class Seen(Struct, frozen=True):
    """What an audit of one person's emails says."""

    wrong: Sequence[str]
    asks: Sequence[str]
    notes: Sequence[str]
    missing: Sequence[str]
    uncompared: Sequence[str]

    @property
    def code(self) -> int:
        return 1 if self.wrong else 3 if self.asks else 0


def seen_by(scene: Scene, folder: Path, name: str = "Anna") -> Seen:
    """Audit all emails that a person got."""
    return seen_in(scene.letters(name), folder / f"letters-{name}")


def seen_in(emails: Iterable[bytes], place: Path) -> Seen:
    place.mkdir(parents=True)
    for number, raw in enumerate(emails):
        (place / f"{number:03}.eml").write_bytes(raw)
    found = audited(place)
    return Seen(
        [tell(one) for one in found.wrong],
        [tell(one) for one in found.asks],
        [tell(one) for one in found.notes],
        [tell(one) for one in found.missing],
        [tell(one) for one in found.uncompared],
    )
