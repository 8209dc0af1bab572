"""Play random honest clubs in which people do all that a club offers, and audit their papers.

    python -m tests.service.cheats.honest N [FIRST] rich

Where an honest club (`honest.py`) plays one match, a rich one has several at once, of different
games, with the same people: some are joined, asked for or offered by email, some belong to a
tournament or a ladder, some wait for a public number or are followed by a rematch. People write
about several matches in one email, mark, note, plan, withdraw, ask, write to each other, confirm
what waits for a code, are away, and change their address, language, zone and wishes. Emails come
back, servers refuse them, ticks are killed before they have written down what they did, and in some
clubs there is a restore or a newer program. At the end some mailboxes are lost in part, and some
came by a way that writes emails anew.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from adjudicator.core.message import LANGUAGES, tell
from adjudicator.games import GAMES
from adjudicator.mail.transport.errors import Temporary
from tests.audits import audits_of
from tests.club import (
    Changes,
    Loaded,
    NewLadder,
    NewMatch,
    NewTournament,
    Refusal,
    Unreadable,
    computer_orders,
    restore,
    show,
)
from tests.database import create, names_going, open_store
from tests.games.playouts import setting_of
from tests.service.cheats.honest import BEGINS, ZONES, HonestAudit, date_archive
from tests.service.cheats.kills import Killed, killed
from tests.service.cheats.rich_words import (
    CHANGES,
    DEADLINES,
    PRESS,
    SHOWN,
    TERMS,
    WISHES,
    WORDS,
)
from tests.service.cheats.ways import WAYS, carried_by
from tests.service.installed import installed
from tests.service.mailclub import MailClub

PEOPLE = ("Anna", "Bob", "Carl", "Dora", "Erik", "Fred", "Gina")
STEPS = 12
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NEWER = "9.9.9"
CODE = re.compile(r"^\W*(CONFIRM|BEKREFT|BEKRÄFTA|ACCEPT|GODTA|ACCEPTERA) (\w{6})\s*$", re.M)


class RichClub:
    """A club of several matches that does nothing wrong, and its people."""

    def __init__(self, folder: Path, number: int) -> None:
        self.rng = Random(f"rich {number}")
        self.secrets = Random(f"secrets {number}")
        self.folder, self.now, self.read, self.printed = folder, self.rng.choice(BEGINS), 0, 0
        self.is_restored, self.is_upgraded = number % 4 == 1, number % 5 == 2
        self.saved: tuple[Path, dict[str, list[str]]] | None = None
        self.newer: list[Any] = []
        self.unreached: set[str | None] = set()  # of whose emails one came back
        self.paths = installed(folder)
        create(url := f"sqlite:///{folder / 'adjud.db'}")
        self.club = MailClub(open_store(url), folder / "spool")
        self.club.context = replace(
            self.club.context,
            coder=lambda: "K" + "".join(self.secrets.choices("23456789", k=5)),
            committer=lambda: self.secrets.randbytes(32).hex(),
            club=self.rng.choice(["", "Play & Co"]),
            contact=self.rng.choice(["", "gm@example.org"]),
            max_gap=self.rng.choice([None, 2 * DAY]),
            pictures=self.rng.random() < 0.1,
            site_url=self.rng.choice(["", "https://club.example.org/"]),
        )
        self.addresses: dict[str, list[str]] = {}
        for name in PEOPLE:
            self.club.add(name, language=self.rng.choice(LANGUAGES), now=self.now)
            self.addresses[name] = [f"{name.lower()}@example.org"]
            wish = Changes(
                zone=self.rng.choice(ZONES),
                letters=self.rng.choice(["daily", "each", "each"]),
                substitute=self.rng.choice(["off", "on"]),
            )
            self.club.change(name, wish, now=self.now, sends_mail=True)
        for at in range(self.rng.choice([1, 2, 2, 3])):
            self.make_match(f"m{at + 1}", [*GAMES.values()][(number + at) % len(GAMES)])
        self.has_contests = self.make_contests()

    @property
    def people(self) -> list[str]:
        return [*self.addresses]

    # Matches.

    def make_match(self, name: str, game: Any) -> None:
        setting = setting_of(game, self.rng)
        people = self.rng.sample(self.people, len(setting.seats))
        how = self.rng.choice(["given", "given", "open", "asked", "lot"])
        holders = [
            "computer:random" if self.rng.random() < 0.15 and at else one
            for at, one in enumerate(people)
        ]
        if how == "open":
            holders[-1] = "open"
        given = {**setting.options, **dict(one.split("=", 1) for one in self.terms())}
        while True:
            wanted = NewMatch(
                game=game.slug,
                variant=setting.variant,
                name=name,
                seats=[f"{seat}={who}" for seat, who in zip(setting.seats, holders, strict=True)],
                options=[f"{key}={value}" for key, value in given.items()],
                seed=None,
                fresh_seed=self.rng.randbytes(32),
                by_lot=how == "lot",
            )
            try:
                if how == "asked":
                    asked = [wanted.seats[0]]
                    others = replace(wanted, seats=wanted.seats[1:])
                    self.club.ask_for_seats(others, asked, muster=False, now=self.now)
                else:
                    self.club.create(wanted, now=self.now)
                return
            except Refusal:  # these terms do not go together
                kept = [key for key in given if key not in setting.options]
                if kept:
                    del given[self.rng.choice(kept)]
                elif how != "given":
                    how, holders = "given", people
                else:
                    raise

    def terms(self) -> Iterator[str]:
        yield f"deadline={self.rng.choice(DEADLINES)}"
        yield f"timezone={self.rng.choice(ZONES)}"
        yield from self.rng.sample(TERMS, self.rng.choice([1, 3, 5]))
        if self.rng.random() < 0.15:
            drawn = self.now.replace(minute=0) + timedelta(days=self.rng.choice([2, 3]))
            yield f"chance=numbers: 6 of Lotto 6aus49 at {drawn:%Y-%m-%dT%H:%M}Z"

    def make_contests(self) -> bool:
        """Begin a tournament or a ladder now and then; return whether there is one."""
        more = {"game": "espionage", "variant": "small", "options": ["deadline=every 2 days"]}
        cup, ladder = self.rng.random() < 0.25, self.rng.random() < 0.25
        if cup:
            kind = self.rng.choice(["round-robin", "swiss", "knockout"])
            some = self.rng.sample(self.people, 4)
            wanted = NewTournament(name="cup", kind=kind, entrants=some, **more)  # type: ignore[arg-type]
            self.club.create_tournament(wanted, now=self.now)
            self.club.start_tournament("cup", now=self.now)
        if ladder:
            self.club.create_ladder(NewLadder(name="ladder", **more), now=self.now)  # type: ignore[arg-type]
            for name in self.rng.sample(self.people, 4):
                self.club.enter_ladder("ladder", name, now=self.now)
        return cup or ladder

    def going(self) -> Iterator[Loaded]:
        """Yield the matches that go on."""
        with self.club.store.reading() as tx:
            names = sorted(names_going(tx))
        for name in names:
            with suppress(Unreadable):
                yield self.club.loaded(name)

    def seats(self) -> list[tuple[Loaded, Any, str]]:
        """Return (match, seat, person) of all people who play."""
        return [
            (loaded, seat, holder.player_name)
            for loaded in self.going()
            for seat, holder in sorted(loaded.holders.items())
            if holder.player_name
        ]

    # Time.

    def play(self) -> None:
        with (
            patch("secrets.token_bytes", lambda n=32: self.secrets.randbytes(n or 32)),
            patch("secrets.choice", self.secrets.choice),
        ):
            self.tick()
            for step in range(STEPS if not self.has_contests else STEPS * 2 // 3):
                self.act()
                self.tick()
                self.rule()
                self.meet_fate(step)
                self.pass_time(self.rng.choice([1, 3, 9, 26]))
            self.end()
        self.club.store.close()
        for one in self.newer:
            one.stop()

    def end(self) -> None:
        for loaded in [*self.going()]:
            with suppress(Refusal):
                self.club.cancel(loaded.match.name, reason="x", now=self.now)
        with suppress(Refusal):
            self.club.cancel_tournament("cup", reason="x", now=self.now)
        with suppress(Refusal):
            self.club.close_ladder("ladder", now=self.now)
        self.pass_time(30)

    def pass_time(self, hours: int) -> None:
        while hours > 0:
            self.now += timedelta(hours=min(hours, 3))
            hours -= 3
            self.tick()

    def tick(self) -> None:
        """Run a tick; now and then it is killed, and run again."""
        if self.rng.random() < 0.04:
            with (
                suppress(Killed),
                killed(self.club, self.rng.randrange(20), self.rng.random() < 0.5),
            ):
                self.club.run_tick(self.now)
            self.now += timedelta(minutes=6)
        self.now += timedelta(minutes=1)
        self.club.run_tick(self.now)
        self.answer_codes()

    # What people do.

    def answer_codes(self) -> None:
        """Let people read what came, and confirm or accept what has a code."""
        fresh, self.read = self.club.way.letters[self.read :], len(self.club.way.letters)
        for _, to, raw in fresh:
            name = self.name_at(to)
            email = message_from_bytes(raw, policy=policy.default)
            part = email.get_body(("plain",))
            if name is None or part is None:
                continue
            for word, code in CODE.findall(part.get_content())[:1]:
                if self.rng.random() < 0.8:
                    self.write(name, str(email["Reply-To"]), f"{word} {code}", at=to)

    def name_at(self, address: str) -> str | None:
        return next((name for name, own in self.addresses.items() if address in own), None)

    def write(self, name: str, to: str, *lines: str, at: str = "") -> None:
        sender = at or self.addresses[name][-1]
        self.club.write(name, *lines, sender=sender, to=to, at=self.now)

    def own(self, name: str) -> str:
        return self.club.own(name)

    def home(self, loaded: Loaded, seat: Any) -> str:
        tenure = loaded.holders[seat].tenure
        return self.club.address(seat, loaded.match.name, tenure)

    def act(self) -> None:
        together: dict[str, list[str]] = {}
        for loaded, seat, name in self.seats():
            if seat in loaded.awaited and self.rng.random() < 0.85:
                self.order(loaded, seat, name, together)
            if self.rng.random() < 0.25:
                self.chat(loaded, seat, name)
        for name, lines in together.items():
            self.write(name, self.own(name), *lines)
        for name in self.people:
            if self.rng.random() < 0.12:
                self.wish(name)

    def order(self, loaded: Loaded, seat: Any, name: str, together: dict[str, list[str]]) -> None:
        match, turn = loaded.match.name, loaded.match.turn
        lines = computer_orders(loaded, seat, "computer:random")
        head = self.rng.choice([f"ORDERS {match} {seat}", f"ORDERS {match} {seat} turn {turn}"])
        sheet = [head, *lines, "END"]
        drawn, to = self.rng.random(), self.home(loaded, seat)
        if drawn < 0.25:
            together.setdefault(name, []).extend(sheet)
        elif drawn < 0.32:
            self.write(name, to, *sheet, at="elsewhere@example.com")
        elif drawn < 0.4:
            self.write(name, to, head, "MOVE z9 TO nowhere", "END")
            self.write(name, to, *sheet)
        elif drawn < 0.46:
            self.write(name, to, "CHECK", *sheet)
            self.write(name, to, "Hello,", "", *lines, "", "Yours")
        elif drawn < 0.52:
            self.write(name, to, "NOTREADY", *sheet)
            self.tick()
            self.write(name, to, "READY")
        elif drawn < 0.58 and loaded.game.advance is not None:
            self.write(name, to, *sheet, "MARK c5 S?", "NOTE the General waits")
            advance = [f"ORDERS {match} {seat} turn {turn + 1}", *lines, "END"]
            self.write(name, to, *advance)
        elif drawn < 0.63:
            self.write(name, to, *sheet)
            self.tick()
            self.write(name, to, "CLEAR")
            self.write(name, to, *sheet)
        elif drawn < 0.67:
            self.keep_receipts(name, self.club.submit("\n".join(sheet), now=self.now))
        elif drawn < 0.72:
            self.write(name, to, *sheet, "DRAW")
        else:
            self.write(name, to, *sheet)

    def chat(self, loaded: Loaded, seat: Any, name: str) -> None:
        """Write something else about a match."""
        others = [str(one) for one in loaded.holders if one != seat]
        other, to = self.rng.choice(others), self.home(loaded, seat)
        text = self.rng.choice(PRESS)
        lines: tuple[str, ...] = self.rng.choice(
            [
                (self.rng.choice(SHOWN),),
                (self.rng.choice(SHOWN), self.rng.choice(SHOWN)),
                (self.rng.choice(WORDS),),
                (f"PRESS TO {self.rng.choice([other, 'ALL', 'MASTER'])}", text, "ENDPRESS"),
                (f"PRESS TO {other} UNSIGNED", text, "ENDPRESS"),
                (f"MUTE {other}",),
                ("COMPLAIN 1",),
                ("SUBSTITUTE",),
                ("SUBSTITUTE OFF",),
                ("DRAW",),
                ("CLEAR",),
                ("CLEAR ADVANCE",),
                ("RESIGN",) if self.rng.random() < 0.3 else ("NOTREADY",),
                ("REMATCH",),
                (f"MATCH {loaded.match.name}", "STATUS", "MATCH none", "READY"),
            ]
        )
        self.write(name, to, *lines)

    def wish(self, name: str) -> None:
        """Write something to the personal address, or change the own address."""
        day, drawn = self.now + DAY, self.rng.random()
        other = self.rng.choice([one for one in self.people if one != name])
        game = self.rng.choice([*GAMES])
        if drawn < 0.3:
            self.write(name, self.own(name), self.rng.choice(WISHES))
        elif drawn < 0.5:
            self.write(name, self.own(name), f"ABSENCE {day:%Y-%m-%d} TO {day + 2 * DAY:%Y-%m-%d}")
        elif drawn < 0.6:
            self.write(name, self.own(name), f"INVITE {other} TO {game}")
        elif drawn < 0.7:
            self.write(name, self.own(name), f"INVITE {other} TO ladder")
        elif drawn < 0.8:
            for loaded in self.going():
                self.write(name, self.own(name), f"JOIN {loaded.match.name}")
        elif drawn < 0.85:
            self.write(name, self.own(name), f"WITHDRAW {self.rng.choice(['cup', 'ladder'])}")
        elif drawn < 0.88 and not self.is_restored:
            self.rename(name)
        elif drawn < 0.95:
            fresh = f"{name.lower()}{len(self.addresses[name])}@example.org"
            wanted = Changes(address=fresh, confirmed=self.rng.random() < 0.8)
            self.club.change(name, wanted, now=self.now, sends_mail=True)
            self.addresses[name].append(fresh)
        else:
            self.write(name, self.own(name), self.rng.choice(SHOWN))

    def rename(self, name: str) -> None:
        fresh = f"{name}a"
        self.club.change(name, Changes(name=fresh), now=self.now, sends_mail=True)
        self.addresses[fresh] = self.addresses.pop(name)
        self.unreached |= {fresh} if name in self.unreached else set()
        if (place := self.folder / name).exists():
            place.rename(self.folder / fresh)

    # Papers that are no emails.

    def keep(self, name: str, text: str, ending: str) -> None:
        self.printed += 1
        place = self.folder / name / f"{self.printed}.{ending}"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, "utf-8")

    def keep_receipts(self, name: str, receipts: list[Any]) -> None:
        from tests.club import receipt_as_text

        for one in receipts:
            self.keep(name, receipt_as_text(one, tell), "txt")

    # What the game master does.

    def rule(self) -> None:
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            seats = self.seats()
            if not seats:
                return
            loaded, seat, name = self.rng.choice(seats)
            act = self.rng.choice(self.rulings(loaded, seat, name))
            with suppress(Refusal):
                act()
            if self.rng.random() < 0.5:
                self.tick()

    def rulings(self, loaded: Loaded, seat: Any, name: str) -> list[Callable[[], object]]:
        club, match, more = self.club, loaded.match.name, {"now": self.now, "reason": "x"}
        sure = {**more, "sure": True}
        some = timedelta(hours=self.rng.choice([5, 24, 60]))
        free = self.rng.choice([*self.people, "computer:random"])
        changed = self.rng.sample(CHANGES, self.rng.choice([1, 1, 2]))

        def held() -> None:
            club.hold(match, **more)
            self.pass_time(self.rng.choice([2, 30]))
            later = {**sure, "now": self.now}
            club.resume(match, extend=self.rng.choice([timedelta(), some]), **later)

        def opened() -> None:
            club.open_seat(match, seat, **more)
            self.pass_time(self.rng.choice([2, 20]))
            if self.rng.random() < 0.5:
                who = self.rng.choice([one for one in self.people if one != name])
                self.write(who, self.own(who), f"JOIN {match}")
            else:
                club.replace(match, seat, free, **{**sure, "now": self.now})

        def printed() -> None:
            report = club.live_report(match, seat, now=self.now)
            for form, ending in (("text", "txt"), ("html", "html"), ("json", "json")):
                self.keep(name, show(report, form), ending)
            if self.rng.random() < 0.5:
                club.note_delivery(report, now=self.now)

        return [
            held,
            opened,
            printed,
            printed,
            lambda: club.set_deadline(match, self.rng.choice(["2 days", "6 days"]), **sure),
            lambda: club.extend(match, some, **sure),
            lambda: club.adjudicate(match, expect=loaded.match.turn, **more),
            lambda: club.announce(match, "It snows.", now=self.now),
            lambda: club.announce_forfeit(match, seat, some, **sure),
            lambda: club.forfeit(match, seat, **more) if self.rng.random() < 0.3 else None,
            lambda: club.replace(match, seat, free, **sure),
            lambda: club.undo(match, **more),
            lambda: club.change_options(match, changed, **more),
            lambda: club.change_options(match, changed, **more),
            lambda: club.whole_state(match, noted_at=self.now),
            lambda: club.live_report(match, seat, now=self.now, noting=True),
            lambda: club.mute(name, off=False, now=self.now),
            lambda: club.cancel(match, **more) if self.rng.random() < 0.2 else None,
            lambda: club.decide("cup", match, "draw", **more),
            lambda: self.enter(loaded, seat),
            lambda: self.enter_number(match),
        ]

    def enter(self, loaded: Loaded, seat: Any) -> None:
        """Enter orders for a player who said them on the telephone, and who gets the answer."""
        lines = computer_orders(loaded, seat, "computer:random")
        text = "\n".join([f"ORDERS {loaded.match.name} {seat}", *lines, "END"])
        name = loaded.holders[seat].player_name
        assert name is not None
        self.keep_receipts(name, self.club.submit(text, now=self.now))

    def enter_number(self, match: str) -> None:
        self.club.enter_value(match, "3 11 17 29 41 48", now=self.now)

    # What nobody wants.

    def meet_fate(self, step: int) -> None:
        for loaded in self.going():
            with suppress(Refusal):
                if loaded.match.status == "waiting" or self.rng.random() < 0.3:
                    self.enter_number(loaded.match.name)
            with suppress(Refusal):
                if loaded.match.status == "held" and self.rng.random() < 0.7:
                    more = {"now": self.now, "sure": True, "reason": "x"}
                    self.club.resume(
                        loaded.match.name, extend=self.rng.choice([0 * DAY, DAY]), **more
                    )
        drawn = self.rng.random()
        if drawn < 0.08:
            self.come_back()
        elif drawn < 0.14:
            self.club.way.trouble = Temporary("later")
            self.pass_time(3)
            self.club.way.trouble = None
        elif drawn < 0.18:
            self.now += self.rng.choice([1, 4]) * DAY
        if drawn > 0.95:  # the operator changes settings
            names = {key: self.rng.choice(["", "Ola", "Å & Co"]) for key in ("club", "game_master")}
            self.club.context = replace(self.club.context, **names, welcome="Hello!")
        if self.is_upgraded and step == STEPS // 2:
            for module in ("matches.append_ply", "outbound.writing"):
                self.newer.append(patch(f"adjudicator.service.{module}.__version__", NEWER))
                self.newer[-1].start()
        if self.is_restored and step == STEPS // 4:
            archive = self.folder / "saved.tar.gz"
            self.club.back_up(archive, self.paths)
            date_archive(archive, self.now + timedelta(minutes=30))
            self.now += HOUR
            self.saved = archive, {name: [*own] for name, own in self.addresses.items()}
        elif self.saved and step == STEPS // 2:
            self.restore(*self.saved)

    def come_back(self) -> None:
        """Let an email come back that went before; its reader never got it."""
        known = [
            at for at, (sender, _, _) in enumerate(self.club.way.letters) if "bounce" in sender
        ]
        if not known:
            return
        from tests.service.test_bounces import report_of_mail_system

        at = self.rng.choice(known[-8:])
        sender, to, _ = self.club.way.letters[at]
        self.unreached.add(self.name_at(to))
        self.club.way.letters[at] = (sender, "nobody", self.club.way.letters[at][2])
        self.club.post(report_of_mail_system(), sender, at=self.now)
        self.tick()

    def restore(self, archive: Path, addresses: dict[str, list[str]]) -> None:
        self.club.store.close()
        place = f"sqlite:///{archive.with_suffix('.db')}"
        self.now += HOUR
        epoch = "".join(self.rng.choices("bcdfghjkmnpqrstvwxz", k=5))
        restore(archive, place, self.paths, now=self.now, drawn=lambda: epoch)
        self.club.store = open_store(place)
        for name, own in addresses.items():  # both get emails: those of before and those of then
            gone = [one for one in self.addresses[name] if one not in own]
            self.addresses[name] = [*gone, *own]
        self.tick()

    def papers(self) -> Iterator[tuple[str, Path]]:
        """Yield all that each person got."""
        for name, own in self.addresses.items():
            place = self.folder / name
            place.mkdir(exist_ok=True)
            for number, (_, to, raw) in enumerate(self.club.way.letters):
                if to in own:
                    (place / f"{number:04}.eml").write_bytes(raw)
            if any(place.iterdir()):
                yield name, place


def audits(number: int) -> Iterator[HonestAudit]:
    """Play a rich club and audit what its players got."""
    ways = Random(f"rich ways {number}")
    with TemporaryDirectory() as folder:
        club = RichClub(Path(folder), number)
        club.play()
        for name, place in club.papers():
            emails = sorted(place.glob("*.eml"))
            lost = ways.random() < 0.3 and len(emails) > 3
            for path in ways.sample(emails, min(2, len(emails))) if lost else ():
                path.unlink()
            way = ways.choice([*WAYS, "", "", "", ""])
            carried_by(way, place, ways)
            lost = lost or name in club.unreached
            met = (way, "lost" * lost, "upgraded" * club.is_upgraded, "restored" * club.is_restored)
            kind = ", ".join(filter(None, met))
            for one in audits_of(place):
                told = [tell(message) for message in (*one.wrong, *one.asks)]
                where = f"{one.match} {kind}".strip()
                yield HonestAudit(number, where, name, not kind, one.exit_code, told)
