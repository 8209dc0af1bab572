"""Play random honest clubs and audit the papers of all their players: none may be blamed.

    python -m tests.service.cheats.honest N [FIRST]

Each club plays one match, of each game in turn, by letters (some to the players' own addresses) and
files, in random languages: seats change hands or are open for a time, the game master forfeits
seats, undoes plies, moves deadlines and changes options, players resign, offer draws and stay
silent, computers play. In every second club some letters are lost, and in every third they were
written anew on their way. An audit may ask where something is missing; it must never contradict,
and where all is there it must ask nothing.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.games import GAMES
from adjudicator.service.audit import checks, documents
from adjudicator.service.base.context import Refusal
from adjudicator.service.matches import creation, game_master, undoing
from adjudicator.service.matches.adjudication import orders_of
from adjudicator.service.matches.leaving import open_seat
from adjudicator.service.matches.option_changes import change_options
from adjudicator.service.reports import printing
from adjudicator.store.database import open_store
from adjudicator.store.schema import create
from tests.games.playouts import setting_of
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub

PEOPLE = ("Anna", "Bob", "Carl", "Dora", "Erik")
NEWCOMERS = ("Fred", "Gina", "Hans")
CHANGES = ("deadline=every 2 days", "deadline=none", "skip=Sat,Sun", "press=off", "absence=gm")
STEPS = 10
TERMS = (
    (),
    ("deadline=every 7 days", "absence=forfeit", "excused=1"),
    ("deadline=every 3 days",),
)


class HonestClub:
    """One match of a club that does nothing wrong."""

    def __init__(self, folder: Path, number: int) -> None:
        self.rng = Random(f"honest {number}")
        self.asks = Random(f"asks {number}")  # of its own, so that the matches stay as they were
        self.ways = Random(f"ways {number}")
        self.folder, self.now, self.printed = folder, MONDAY, 0
        game = [*GAMES.values()][number % len(GAMES)]
        create(url := f"sqlite:///{folder / 'adjud.db'}")
        self.club = MailClub(open_store(url), folder / "spool")
        self.club.context = replace(self.club.context, sends_mail=self.rng.random() < 0.8)
        setting = setting_of(game, self.rng)
        self.people = dict(zip(setting.seats, PEOPLE, strict=False))
        self.holders = dict(self.people)
        if self.rng.random() < 0.4:
            self.holders[setting.seats[-1]] = "computer:random"
            del self.people[setting.seats[-1]]
        for name in (*PEOPLE, *NEWCOMERS):
            self.club.add(name, language=self.rng.choice(LANGUAGES))
        terms = self.rng.choice(TERMS)
        wanted = creation.NewMatch(
            game=game.slug,
            variant=setting.variant,
            name="m",
            seats=[f"{seat}={name}" for seat, name in self.holders.items()],
            options=[*(f"{key}={value}" for key, value in setting.options.items()), *terms],
            seed=None,
            fresh_seed=self.rng.randbytes(32),
        )
        creation.create(self.club.store, wanted, now=self.now, context=self.club.context)

    @property
    def is_over(self) -> bool:
        return self.club.loaded().match.status == "over"

    def play(self) -> None:
        self.tick()
        for _ in range(STEPS):
            if self.is_over:
                break
            silent = self.rng.random() < 0.1
            for seat in self.club.loaded().awaited:
                if seat in self.people and not (silent and self.rng.random() < 0.5):
                    self.order(seat)
                    if self.rng.random() < 0.2:
                        self.order(seat)
            if silent and self.club.loaded().match.deadline_at:
                self.now += timedelta(days=8)
            self.tick()
            self.print()
            if not self.is_over:
                self.rule()
        if not self.is_over:
            game_master.cancel(
                self.club.store, "m", reason="x", now=self.now, context=self.club.context
            )
        self.tick()
        self.print()
        self.club.store.close()

    def tick(self) -> None:
        self.now += timedelta(hours=1)
        self.club.run_tick(self.now)

    def order(self, seat: str) -> None:
        lines = orders_of(self.club.loaded(), Seat(seat), "computer:random")
        sheet = (f"ORDERS m {seat}", *lines, "END")
        if not self.club.context.sends_mail:
            self.print_for(seat)  # nobody orders what he has not seen
        if not self.club.context.sends_mail or self.rng.random() < 0.2:
            self.file(seat, self.club.send(seat, *lines, now=self.now))
        else:
            self.write(seat, *sheet)
        if self.rng.random() < 0.5:
            self.club.run_tick(self.now)

    def file(self, seat: str, receipt: object) -> None:
        """Keep the confirmation of orders that were handed in as a file."""
        from adjudicator.service.matches.receipts import as_text

        self.keep(seat, as_text(receipt, tell), "txt")  # type: ignore[arg-type]

    def keep(self, seat: str, text: str, ending: str) -> None:
        self.printed += 1
        place = self.folder / self.people[seat] / f"{self.printed}.{ending}"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, "utf-8")

    def write(self, seat: str, *lines: str) -> None:
        tenure = self.club.loaded().holders[seat].tenure
        sender = f"{self.people[seat].lower()}@example.org"
        to = self.club.address(seat, tenure=tenure)
        if self.ways.random() < 0.3:
            lines = lines if lines[0].startswith("ORDERS") else ("MATCH m", *lines)
            if self.ways.random() < 0.5:
                lines = (*lines, "MATCH other", "READY")
            to = self.club.own(self.people[seat])
        self.club.write(seat, *lines, sender=sender, to=to, at=self.now)

    def print(self) -> None:
        """Let players print their reports, which those who get no letters keep; others ask for
        one."""
        for seat in list(self.people):
            if self.club.context.sends_mail and self.asks.random() < 0.1:
                self.write(seat, "REPORT")
            if not self.club.context.sends_mail or self.rng.random() < 0.2:
                self.print_for(seat)

    def print_for(self, seat: str) -> None:
        report = printing.live(self.club.store, "m", seat, now=self.now)
        for form, ending in (("text", "txt"), ("html", "html"), ("json", "json")):
            self.keep(seat, printing.printed(report, form), ending)
        printing.handed_over(self.club.store, report, now=self.now)

    def rule(self) -> None:
        """Do now and then what a game master or a player may do."""
        store, more = self.club.store, {"now": self.now, "context": self.club.context}
        seat = self.rng.choice(list(self.people))
        loaded = self.club.loaded()
        drawn = self.rng.random()
        with suppress(Refusal):
            if drawn < 0.05:
                game_master.forfeit(store, "m", seat, reason="x", **more)
            elif drawn < 0.15:
                self.hand_over(seat)
            elif drawn < 0.25:
                undoing.undo(store, "m", reason="x", **more)
            elif drawn < 0.32:
                game_master.set_deadline(store, "m", "5 days", sure=True, reason="x", **more)
            elif drawn < 0.37:
                game_master.hold(store, "m", reason="x", **more)
                self.now += timedelta(hours=5)
                later = {**more, "now": self.now}
                game_master.resume(store, "m", reason="x", extend=timedelta(), sure=True, **later)
            elif drawn < 0.42 and seat in loaded.awaited:
                game_master.announce_forfeit(
                    store, "m", seat, timedelta(days=1), sure=True, reason="x", **more
                )
            elif drawn < 0.47:
                self.file(seat, self.club.send(seat, "RESIGN", now=self.now))
            elif drawn < 0.55:
                for one in list(self.people)[: self.rng.choice([1, 5])]:
                    self.file(one, self.club.send(one, "DRAW", now=self.now))
                    self.club.run_tick(self.now)
                if self.rng.random() < 0.5:
                    self.file(seat, self.club.send(seat, "CLEAR", now=self.now))
            elif drawn < 0.68 and seat not in loaded.gone:
                open_seat(store, "m", seat, reason="x", **more)
                self.tick()
                self.refill(seat)
            elif drawn < 0.76:
                change_options(store, "m", [self.rng.choice(CHANGES)], reason="x", **more)
        self.tick()

    def hand_over(self, seat: str) -> None:
        fresh = [name for name in NEWCOMERS if name not in self.people.values()]
        if not fresh or seat in self.club.loaded().gone:
            return
        name = self.rng.choice([*fresh, "computer"])
        game_master.replace(
            self.club.store,
            "m",
            seat,
            name,
            sure=True,
            reason="x",
            now=self.now,
            context=self.club.context,
        )
        if name == "computer":
            del self.people[Seat(seat)]
        else:
            self.people[Seat(seat)] = name

    def refill(self, seat: str) -> None:
        """Give an open seat to a newcomer, or to the player who had it."""
        fresh = [name for name in NEWCOMERS if name not in self.people.values()]
        name = self.rng.choice([*fresh, self.people[seat]])
        game_master.replace(
            self.club.store,
            "m",
            seat,
            name,
            sure=True,
            reason="x",
            now=self.now,
            context=self.club.context,
        )
        self.people[Seat(seat)] = name

    def papers(self) -> Iterator[tuple[str, Path]]:
        """Yield all that each person got."""
        for name in (*PEOPLE, *NEWCOMERS):
            place = self.folder / name
            place.mkdir(exist_ok=True)
            for number, (_, to, raw) in enumerate(self.club.way.letters):
                if to == f"{name.lower()}@example.org":
                    (place / f"{number:03}.eml").write_bytes(raw)
            if any(place.iterdir()):
                yield name, place


class HonestAudit(Struct, frozen=True):
    """What an audit says of one person's papers in an honest club."""

    number: int
    game: str
    name: str
    complete: bool
    code: int
    told: Sequence[str]


def audits(number: int) -> Iterator[HonestAudit]:
    """Play an honest club and audit what its players got."""
    from tests.service.test_audit import carried

    with TemporaryDirectory() as folder:
        club = HonestClub(Path(folder), number)
        club.play()
        for name, place in club.papers():
            letters = sorted(place.glob("*.eml"))
            lost = number % 2 == 1 and len(letters) > 3
            for path in club.rng.sample(letters, min(2, len(letters))) if lost else ():
                path.unlink()
            if number % 3 == 1:
                for path in place.glob("*.eml"):
                    kind = club.rng.choice(["base64", "quoted-printable"])
                    with suppress(AssertionError):  # an email without a text part
                        path.write_bytes(carried(path.read_bytes(), "utf-8", kind, "\r\n"))
            found = checks.audit(documents.read([place])[0])
            for one in found:
                told = [tell(message) for message in (*one.wrong, *one.asks)]
                game = GAMES_IN_TURN[number % len(GAMES)]
                yield HonestAudit(number, game, name, not lost, one.exit_code, told)


GAMES_IN_TURN = [*GAMES]


def main() -> None:
    wanted = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    codes: Counter[tuple[str, int]] = Counter()
    for number in range(first, first + wanted):
        for one in audits(number):
            kind = "complete" if one.complete else "letters lost"
            codes[kind, one.code] += 1
            if one.code == 1 or (one.code and one.complete):
                print(f"{number} {one.game} {one.name} ({kind}): exit {one.code}")
                for line in one.told[:3]:
                    print(f"    {line}")
    for (kind, code), n in sorted(codes.items()):
        print(f"{kind}: exit {code}: {n}")


if __name__ == "__main__":
    main()
