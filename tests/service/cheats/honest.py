"""Play random honest clubs and audit the papers of all their players: none may be blamed.

    python -m tests.service.cheats.honest N [FIRST [busy | unlucky | rich]]

Each club plays one match, of each game in turn, by emails (some to the players' own addresses) and
files, in random languages: seats change hands or are open for a time, the game master forfeits
seats, undoes plies, moves deadlines and changes options, players resign, offer draws and stay
silent, computers play. In every second club some emails are lost, and in every third they were
written anew on their way. In a `busy` club there is more that stands between a ply and its
report: daily emails, reserves, substitutes, public numbers, zones whose clocks change, changed
preferences, looks of the game master, and hours that pass. An `unlucky` one is busy, and has days
without a tick and restores from backups, too. A `rich` one is `rich.py`'s, with several matches. An
audit may ask where something is missing; it must never contradict, and where all is there it must
ask nothing.
"""

import sys
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.games import GAMES
from tests.audits import audits_of
from tests.club import MONDAY, Changes, NewMatch, Refusal, computer_orders, restore, show
from tests.database import create, open_store
from tests.games.playouts import setting_of
from tests.inside import options
from tests.service.installed import installed
from tests.service.mailclub import MailClub

PEOPLE = ("Anna", "Bob", "Carl", "Dora", "Erik")
NEWCOMERS = ("Fred", "Gina", "Hans")
CHANGES = ("deadline=every 2 days", "deadline=none", "skip=Sat,Sun", "press=off", "absence=gm")
STEPS = 10
ASKED_TO_SUBSTITUTE = 10_000  # from this number on players may be asked to be substitutes
BAD_CLOCKS = 700  # from this number on clocks of unlucky clubs go wrong; those before stay as found
DAY = timedelta(days=1)
BUSY = ("substitutes=on", "skip=Sun", "names=hidden", "settle=1 hour")
BANKS = ("bank=1 day + 5 hours", "bank=2 days + 6 hours / 2 max 3 days", "bank=5 hours")
ZONES = ("UTC", "Europe/Oslo", "America/New_York", "Australia/Lord_Howe")
# A Monday, the days before a change of clocks in autumn, and those before one in spring.
BEGINS = (MONDAY, datetime(2026, 10, 22, 12, tzinfo=UTC), datetime(2027, 3, 25, 21, tzinfo=UTC))
WISHES = ("letters=daily", "letters=each", "language=nb", "language=sv", "language=en")
PREFS = ("PAGE NONE", "REPORTS ALL", "LETTERS DAILY", "TIPS OFF", "BOARD PICTURE")
TERMS = (
    (),
    ("deadline=every 7 days", "absence=forfeit", "excused=1"),
    ("deadline=every 3 days",),
)


class HonestClub:
    """One match of a club that does nothing wrong."""

    def __init__(
        self, folder: Path, number: int, *, busy: bool = False, unlucky: bool = False
    ) -> None:
        self.rng = Random(f"honest {number}")
        self.asks = Random(f"asks {number}")  # of its own, so that the matches stay as they were
        self.ways = Random(f"ways {number}")
        self.life = Random(f"life {number}")
        self.luck = Random(f"luck {number}")
        self.plans = Random(f"plans {number}")
        self.hours = Random(f"hours {number}")
        self.is_busy, self.is_unlucky, self.waits = busy or unlucky, unlucky, False
        self.has_bad_clock = unlucky and number >= BAD_CLOCKS
        self.saved: Saved | None = None
        self.paths = installed(folder)
        busy = self.is_busy
        self.folder, self.now, self.printed = folder, MONDAY, 0
        if busy:
            self.now = self.life.choice(BEGINS)
        game = [*GAMES.values()][number % len(GAMES)]
        create(url := f"sqlite:///{folder / 'adjud.db'}")
        self.club = MailClub(open_store(url), folder / "spool")
        self.club.context = replace(self.club.context, sends_mail=self.rng.random() < 0.8)
        if self.has_bad_clock:
            gap = self.hours.choice([None, 2 * DAY, DAY / 2])
            self.club.context = replace(self.club.context, max_gap=gap)
        setting = setting_of(game, self.rng)
        self.people = dict(zip(setting.seats, PEOPLE, strict=False))
        self.holders = dict(self.people)
        if self.rng.random() < 0.4:
            self.holders[setting.seats[-1]] = "computer:random"
            del self.people[setting.seats[-1]]
        for name in (*PEOPLE, *NEWCOMERS):
            self.club.add(name, language=self.rng.choice(LANGUAGES), now=self.now)
            if busy:
                wish = Changes(
                    zone=self.life.choice(ZONES),
                    letters=self.life.choice(["daily", "each"]),
                    substitute=self.life.choice(
                        ["off", "on"] if number >= ASKED_TO_SUBSTITUTE else ["off", "off"]
                    ),
                )
                self.club.change(name, wish, now=self.now, sends_mail=True)
        terms = self.rng.choice(TERMS)
        self.create(game.slug, setting, terms if not busy else [*self._busy_terms()])
        if self.waits:
            self.wait_for_number()

    def create(self, game: str, setting: Setting, terms: Sequence[str]) -> None:
        wanted = NewMatch(
            game=game,
            variant=setting.variant,
            name="m",
            seats=[f"{seat}={name}" for seat, name in self.holders.items()],
            options=[*(f"{key}={value}" for key, value in setting.options.items()), *terms],
            seed=None,
            fresh_seed=self.rng.randbytes(32),
        )
        self.club.create(wanted, now=self.now)

    def _busy_terms(self) -> Iterator[str]:
        self.waits = self.life.random() < 0.3
        if self.waits:
            self.drawn = self.now.replace(minute=0) + timedelta(days=self.life.choice([2, 3, 5]))
            yield f"chance=numbers: 6 of Lotto 6aus49 at {self.drawn:%Y-%m-%dT%H:%M}Z"
        yield self.life.choice(["absence=gm", "absence=forfeit"])
        yield self.life.choice(["deadline=every 1 day", "deadline=every 3 days"])
        yield f"leave={self.life.choice(options.LEAVE)}"
        yield from self.life.sample(BUSY, 2)
        yield from self.life.sample(BANKS, self.life.choice([0, 1]))
        yield f"timezone={self.life.choice(ZONES)}"

    def wait_for_number(self) -> None:
        while self.now < self.drawn:
            self.pass_time(5)
        self.club.enter_value("m", "3 11 17 29 41 48", now=self.now)

    def pass_time(self, hours: int) -> None:
        """Let hours pass, with a tick in each."""
        for _ in range(hours):
            self.now += timedelta(hours=1)
            self.club.run_tick(self.now)

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
            if self.is_unlucky:
                self.meet_bad_luck()
        if not self.is_over:
            self.club.cancel("m", reason="x", now=self.now)
        self.tick()
        self.print()
        self.club.store.close()

    def tick(self) -> None:
        if self.is_busy:
            self.pass_time(self.life.choice([0, 0, 3, 9, 26]))
        self.now += timedelta(hours=1)
        self.club.run_tick(self.now)

    def order(self, seat: str) -> None:
        waiting = self.club.loaded().sheets.get(seat)
        if waiting is not None and waiting.in_advance and self.plans.random() < 0.7:
            return
        lines = computer_orders(self.club.loaded(), seat, "computer:random")
        sheet = (f"ORDERS m {seat}", *lines, "END")
        if not self.club.context.sends_mail:
            self.print_for(seat)  # nobody orders what he has not seen
        if not self.club.context.sends_mail or self.rng.random() < 0.2:
            self.file(seat, self.club.send(seat, *lines, now=self.now))
        else:
            self.write(seat, *sheet)
        if self.is_busy and self.club.loaded().game.advance is not None:
            self.save(seat, ", ".join(lines))
        if self.rng.random() < 0.5:
            self.club.run_tick(self.now)

    def save(self, seat: str, order: str) -> None:
        """Save orders for the next turn now and then, with conditions; or take all of them back."""
        drawn, loaded = self.plans.random(), self.club.loaded()
        if drawn < 0.8 and self.club.context.sends_mail:
            other = ", ".join(computer_orders(loaded, seat, "computer:random"))
            asked = self.plans.choice(["FIGHT", "NOT FIGHT"])
            plan = self.plans.choice([(order,), (f"IF {asked}: {order}", f"ELSE: {other}")])
            self.write(seat, f"ORDERS m {seat} turn {loaded.match.turn + 1}", *plan, "END")
        elif drawn < 0.85 and self.club.context.sends_mail:
            self.write(seat, f"ORDERS m {seat}", "CLEAR ADVANCE", "END")

    def file(self, seat: str, receipt: object) -> None:
        """Keep the confirmation of orders that were handed in as a file."""
        from tests.club import receipt_as_text

        self.keep(seat, receipt_as_text(receipt, tell), "txt")  # type: ignore[arg-type]

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
        """Let players print their reports, which those who get no emails keep; others ask for
        one."""
        for seat in list(self.people):
            if self.club.context.sends_mail and self.asks.random() < 0.1:
                self.write(seat, "REPORT")
            if not self.club.context.sends_mail or self.rng.random() < 0.2:
                self.print_for(seat)

    def print_for(self, seat: str) -> None:
        report = self.club.live_report("m", seat, now=self.now)
        for form, ending in (("text", "txt"), ("html", "html"), ("json", "json")):
            self.keep(seat, show(report, form), ending)
        self.club.note_delivery(report, now=self.now)

    def rule(self) -> None:
        """Do now and then what a game master or a player may do."""
        more = {"now": self.now}
        seat = self.rng.choice(list(self.people))
        loaded = self.club.loaded()
        drawn = self.rng.random()
        with suppress(Refusal):
            if drawn < 0.05:
                self.club.forfeit("m", seat, reason="x", **more)
            elif drawn < 0.15:
                self.hand_over(seat)
            elif drawn < 0.25:
                self.club.undo("m", reason="x", **more)
            elif drawn < 0.32:
                self.club.set_deadline("m", "5 days", sure=True, reason="x", **more)
            elif drawn < 0.37:
                self.club.hold("m", reason="x", **more)
                self.now += timedelta(hours=5)
                later = {**more, "now": self.now}
                self.club.resume("m", reason="x", extend=timedelta(), sure=True, **later)
            elif drawn < 0.42 and seat in loaded.awaited:
                self.club.announce_forfeit(
                    "m", seat, timedelta(days=1), sure=True, reason="x", **more
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
                self.club.open_seat("m", seat, reason="x", **more)
                self.tick()
                self.refill(seat)
            elif drawn < 0.76:
                self.club.change_options("m", [self.rng.choice(CHANGES)], reason="x", **more)
        if self.is_busy and self.people:
            self.live()
        self.tick()

    def live(self) -> None:
        """Do now and then what stands between a ply and its report."""
        seat = self.life.choice(list(self.people))
        drawn = self.life.random()
        with suppress(Refusal):
            if drawn < 0.2:
                self.club.live_report("m", seat, now=self.now, noting=self.club.context.sends_mail)
            elif drawn < 0.35:
                name, _, value = self.life.choice(WISHES).partition("=")
                wish = Changes(**{name: value})
                self.club.change(self.people[seat], wish, now=self.now, sends_mail=True)
            elif drawn < 0.5 and self.club.context.sends_mail:
                self.write(seat, f"PREFS {self.life.choice(PREFS)}")
            elif drawn < 0.6 and self.club.context.sends_mail:
                self.write(seat, f"ABSENCE {self.now:%Y-%m-%d} {self.now + 3 * DAY:%Y-%m-%d}")
            elif drawn < 0.7:
                self.club.announce("m", "It snows.", now=self.now)
            elif drawn < 0.8:
                self.order(seat)

    def meet_bad_clock(self) -> None:
        """Let the clock be wrong for some ticks; go on with a match that is on hold since."""
        if self.hours.random() < 0.2:
            wrong = self.hours.choice([-3, -1, 1, 2, 9]) * DAY
            for step in (wrong, timedelta(0), -wrong):
                self.now += step + timedelta(minutes=20)
                self.club.run_tick(self.now)
        if not self.is_over and self.club.loaded().match.status == "held":
            more = {"now": self.now, "sure": True, "reason": "x"}
            extend = self.hours.choice([timedelta(), DAY])
            self.club.resume("m", extend=extend, **more)
            self.tick()

    def meet_bad_luck(self) -> None:
        """Have no tick for days, or go back to a backup that was taken some time ago."""
        if self.has_bad_clock:
            self.meet_bad_clock()
        drawn = self.luck.random()
        if drawn < 0.15:
            self.now += self.luck.choice([1, 3, 10]) * DAY
            self.tick()
        elif drawn < 0.35 and self.saved is None:
            archive = self.folder / f"{self.now:%Y%m%d%H%M}.tar.gz"
            self.club.back_up(archive, self.paths)
            # Nobody sends or prints anything in the very second of a backup.
            date_archive(archive, self.now + timedelta(minutes=30))
            self.now += timedelta(hours=1)
            self.saved = Saved(archive, {**self.people}, {**self.holders})
        elif drawn < 0.55 and self.saved is not None:
            self.club.store.close()
            place = f"sqlite:///{self.saved.archive.with_suffix('.db')}"
            self.now += timedelta(hours=1)
            restore(self.saved.archive, place, self.paths, now=self.now, drawn=self.epoch)
            self.people, self.holders = self.saved.people, self.saved.holders
            self.club.store, self.saved = open_store(place), None
            self.tick()

    def epoch(self) -> str:
        return "".join(self.luck.choices("bcdfghjkmnpqrstvwxz", k=5))

    def hand_over(self, seat: str) -> None:
        fresh = [name for name in NEWCOMERS if name not in self.people.values()]
        if not fresh or seat in self.club.loaded().gone:
            return
        name = self.rng.choice([*fresh, "computer"])
        self.club.replace("m", seat, name, sure=True, reason="x", now=self.now)
        if name == "computer":
            del self.people[Seat(seat)]
        else:
            self.people[Seat(seat)] = name

    def refill(self, seat: str) -> None:
        """Give an open seat to a newcomer, or to the player who had it."""
        fresh = [name for name in NEWCOMERS if name not in self.people.values()]
        name = self.rng.choice([*fresh, self.people[seat]])
        self.club.replace("m", seat, name, sure=True, reason="x", now=self.now)
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


def date_archive(archive: Path, now: datetime) -> None:
    """Let a backup be of the time of its club, as its restore reads it, and not of today."""
    with tarfile.open(archive, "r:gz") as tar:
        parts = [(one, tar.extractfile(one)) for one in tar.getmembers()]
        contents = [(one, file.read() if file else b"") for one, file in parts]
    with tarfile.open(archive, "w:gz") as tar:
        for part, content in contents:
            part.mtime, part.pax_headers = int(now.timestamp()), {}  # the latter have it, too
            tar.addfile(part, BytesIO(content))


class Saved(Struct):
    """A backup, and who held the seats then."""

    archive: Path
    people: dict[Seat, str]
    holders: dict[Seat, str]


class HonestAudit(Struct, frozen=True):
    """What an audit says of one person's papers in an honest club."""

    number: int
    game: str
    name: str
    complete: bool
    code: int
    told: Sequence[str]


def audits(number: int, *, busy: bool = False, unlucky: bool = False) -> Iterator[HonestAudit]:
    """Play an honest club and audit what its players got."""
    from tests.service.test_audit import carried

    with TemporaryDirectory() as folder:
        club = HonestClub(Path(folder), number, busy=busy, unlucky=unlucky)
        club.play()
        for name, place in club.papers():
            emails = sorted(place.glob("*.eml"))
            lost = number % 2 == 1 and len(emails) > 3
            for path in club.rng.sample(emails, min(2, len(emails))) if lost else ():
                path.unlink()
            if number % 3 == 1:
                for path in place.glob("*.eml"):
                    kind = club.rng.choice(["base64", "quoted-printable"])
                    with suppress(AssertionError):  # an email without a text part
                        path.write_bytes(carried(path.read_bytes(), "utf-8", kind, "\r\n"))
            found = audits_of(place)
            for one in found:
                told = [tell(message) for message in (*one.wrong, *one.asks)]
                game = GAMES_IN_TURN[number % len(GAMES)]
                yield HonestAudit(number, game, name, not lost, one.exit_code, told)


GAMES_IN_TURN = [*GAMES]


def play(number: int, life: str = "") -> Iterator[HonestAudit]:
    """Play a club of this life and audit what its players got."""
    from tests.service.cheats import rich

    return rich.audits(number) if life == "rich" else audits(number, **{life: True} if life else {})


def main() -> None:
    wanted = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    codes: Counter[tuple[str, int]] = Counter()
    for number in range(first, first + wanted):
        for one in play(number, *sys.argv[3:]):
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
