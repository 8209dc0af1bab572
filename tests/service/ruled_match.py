"""A match of one game that is played by emails and files, with rulings, and reports that were
printed meanwhile."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from tests.club import Club, NewMatch, computer_orders, show
from tests.database import create, open_store
from tests.games.playouts import setting_of
from tests.service.mailclub import MailClub

PEOPLE = ("Anna", "Bob", "Carl", "Dora", "Erik")
PLIES = 9


class Match:
    """A match that is played by emails and files; the emails of each person, and reports that
    were printed meanwhile."""

    def __init__(
        self,
        folder: Path,
        game: AnyGame,
        rng: Random,
        language: str = "",
        by_mail: bool = True,
        first: int = 0,
        by_file: float = 0.3,
    ) -> None:
        create(url := f"sqlite:///{folder / 'adjud.db'}")
        self.folder, self.rng, self.printed = folder, rng, 0
        self.club = MailClub(open_store(url), folder / "spool")
        self.by_mail, self.by_file = by_mail, by_file
        if not by_mail:
            self.club.context = replace(self.club.context, sends_mail=False)
        setting = setting_of(game, rng)
        self.people = dict(zip(setting.seats, PEOPLE, strict=False))
        self.gone: list[str] = []
        for number, name in enumerate((*self.people.values(), "Fred", "Gina")):
            # Two matches of two players have all languages, too.
            chosen = language or LANGUAGES[(number + first) % len(LANGUAGES)]
            self.club.add(name, language=chosen)
        wanted = NewMatch(
            game=game.slug,
            variant=setting.variant,
            name="m",
            seats=[f"{seat}={name}" for seat, name in self.people.items()],
            options=[f"{key}={value}" for key, value in setting.options.items()],
            seed=None,
            fresh_seed=rng.randbytes(32),
        )
        self.club.create(wanted)

    def play(self, *, is_ruled: bool) -> None:
        self.club.run_tick()
        for _ in range(PLIES):
            for seat in self.club.loaded().awaited:
                self._order(seat, computer_orders(self.club.loaded(), seat, "computer:random"))
                if self.rng.random() < 0.4:  # otherwise several sheets wait for one tick
                    self.club.run_tick()
            self.club.run_tick()
            self._print()
            if is_ruled:
                self._rule()
        if self.club.loaded().match.status != "over":
            self.club.cancel("m", reason="x")
        self.club.run_tick()
        self.club.store.close()

    def _order(self, seat: Seat, lines: Sequence[str]) -> None:
        if not self.by_mail or self.rng.random() < self.by_file:
            assert self.club.send(seat, *lines).accepted
            return
        name, tenure = self.people[seat], self.club.loaded().holders[seat].tenure
        asked = self.rng.choice([(), (), ("REPORT",), ("REPORT", "REPORT 1"), ("STATUS",)])
        sheet = (*asked, f"ORDERS m {seat}", *lines, "END")
        to = self.club.address(seat, tenure=tenure)
        self.club.write(seat, *sheet, sender=f"{name.lower()}@example.org", to=to)

    def _rule(self) -> None:
        """Now and then, hand a seat over or forfeit one."""
        store, context = self.club.store, self.club.context
        if self.club.loaded().match.status != "playing":
            return
        seat = self.rng.choice(list(self.people))
        fresh = [name for name in ("Fred", "Gina") if name not in self.people.values()]
        if seat in self.club.loaded().gone:
            return
        if fresh and self.rng.random() < 0.15:
            for name in fresh:  # one after the other, with a report between
                self.gone.append(self.people[seat])
                self.people[seat] = name
                Club(store, context).replace("m", seat, name, sure=True, reason="x")
                self._print()
        elif seat in self.club.loaded().awaited and self.rng.random() < 0.1:
            Club(store, context).forfeit("m", seat, reason="x")
        self.club.run_tick()

    def _print(self) -> None:
        self.printed += 1
        seat = self.rng.choice(list(self.people))
        report = self.club.live_report("m", seat)
        for form, ending in (("text", "txt"), ("html", "html"), ("json", "json")):
            place = self.folder / self.people[seat] / f"{self.printed}.{ending}"
            place.parent.mkdir(exist_ok=True)
            place.write_text(show(report, form), "utf-8")
        if self.rng.random() < 0.7:
            self.club.note_delivery(report)

    def papers_of(self, name: str) -> Path:
        """Return the folder of all that a person got."""
        place = self.folder / name
        place.mkdir(exist_ok=True)
        for number, (_, to, raw) in enumerate(self.club.way.letters):
            if to == f"{name.lower()}@example.org":
                (place / f"{number:03}.eml").write_bytes(raw)
        return place


@cache
def emails(game: str, language: str) -> tuple[bytes, ...]:
    """Return Anna's emails of a match."""
    with TemporaryDirectory() as made:
        match = Match(Path(made), GAMES[game], Random(7), language)
        match.play(is_ruled=False)
        return tuple(file.read_bytes() for file in sorted(match.papers_of("Anna").glob("*.eml")))
