"""Compare what emails tell of what happened, and the orders that receipts show, with the log."""

import re
from base64 import encodebytes
from collections.abc import Callable, Sequence
from email import message_from_bytes, policy
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.games import GAMES
from adjudicator.service.audit import checks, documents, retold, text_papers
from adjudicator.service.base.context import OpenClub
from adjudicator.service.matches import creation, game_master
from adjudicator.service.reports import printing
from adjudicator.store.database import open_store
from adjudicator.store.schema import create
from tests.club import computer_orders
from tests.games.playouts import setting_of
from tests.nightly import mostly_nightly
from tests.scale import scaled
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub

pytestmark = pytest.mark.slow

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
        wanted = creation.NewMatch(
            game=game.slug,
            variant=setting.variant,
            name="m",
            seats=[f"{seat}={name}" for seat, name in self.people.items()],
            options=[f"{key}={value}" for key, value in setting.options.items()],
            seed=None,
            fresh_seed=rng.randbytes(32),
        )
        creation.create(self.club.opened_at(MONDAY), wanted)

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
            game_master.cancel(self.club.opened_at(MONDAY), "m", reason="x")
        self.club.run_tick()
        self.club.store.close()

    def _order(self, seat: str, lines: Sequence[str]) -> None:
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
                game_master.replace(
                    OpenClub(store, MONDAY, context), "m", seat, name, sure=True, reason="x"
                )
                self._print()
        elif seat in self.club.loaded().awaited and self.rng.random() < 0.1:
            game_master.forfeit(OpenClub(store, MONDAY, context), "m", seat, reason="x")
        self.club.run_tick()

    def _print(self) -> None:
        self.printed += 1
        seat = self.rng.choice(list(self.people))
        report = printing.live(self.club.store, "m", seat, now=MONDAY)
        for form, ending in (("text", "txt"), ("html", "html"), ("json", "json")):
            place = self.folder / self.people[seat] / f"{self.printed}.{ending}"
            place.parent.mkdir(exist_ok=True)
            place.write_text(printing.render(report, form), "utf-8")
        if self.rng.random() < 0.7:
            printing.note_delivery(self.club.store, report, now=MONDAY)

    def papers_of(self, name: str) -> Path:
        """Return the folder of all that a person got."""
        place = self.folder / name
        place.mkdir(exist_ok=True)
        for number, (_, to, raw) in enumerate(self.club.way.letters):
            if to == f"{name.lower()}@example.org":
                (place / f"{number:03}.eml").write_bytes(raw)
        return place


def audited(folder: Path) -> checks.Audit:
    (found,) = checks.audit(documents.read([folder])[0])
    return found


@pytest.mark.parametrize("number", mostly_nightly(range(scaled(2)), every_day=(0,)))
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_all_that_a_match_told_is_told_alike_by_its_log(
    game: AnyGame, number: int, tmp_path: Path
) -> None:
    is_ruled = number % 2 > 0
    by_file = 0.3 if is_ruled else 0
    match = Match(tmp_path, game, Random(f"{game.slug} {number}"), first=number, by_file=by_file)
    match.play(is_ruled=is_ruled)
    for name in match.people.values():
        found = audited(match.papers_of(name))
        told = [tell(one) for one in (*found.wrong, *found.notes)]
        known = ("not revealed", "as the game master decided")  # a forfeit is named, and no fault
        assert [one for one in told if not any(part in one for part in known)] == []
        # Orders by file have a confirmation in the shell, and none by email.
        asked = [tell(one) for one in found.asks]
        assert [one for one in asked if not (by_file and "no confirmation of it" in one)] == []
        assert any("replayed by the rules" in tell(one) for one in found.checked)


@pytest.mark.parametrize("number", mostly_nightly(range(scaled(2)), every_day=(0,)))
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_all_that_was_printed_in_a_club_without_emails_agrees(
    game: AnyGame, number: int, tmp_path: Path
) -> None:
    match = Match(tmp_path, game, Random(f"{game.slug} {number} by file"), by_mail=False)
    match.play(is_ruled=number % 2 > 0)
    for name in (*match.people.values(), *match.gone):
        for found in checks.audit(documents.read([match.papers_of(name)])[0]):
            assert [tell(one) for one in found.wrong] == []


def test_a_paper_of_nothing_but_receipts_is_read() -> None:
    """Each was looked for in all of the text above it, which took minutes."""
    receipt = f"  d3-d4\n  SHA-256 of ADJUD2|m|white|1|1| with the orders:\n    {'a' * 64}\n"
    (paper,) = text_papers.of_text(receipt * 4_000, "paper")
    assert len(paper.shown) == 4_000
    assert paper.shown[-1].lines[-1:] == ("  d3-d4",)


@cache
def emails(game: str, language: str) -> tuple[bytes, ...]:
    """Return Anna's emails of a match."""
    with TemporaryDirectory() as made:
        match = Match(Path(made), GAMES[game], Random(7), language)
        match.play(is_ruled=False)
        return tuple(file.read_bytes() for file in sorted(match.papers_of("Anna").glob("*.eml")))


def text_of(raw: bytes) -> str:
    body = message_from_bytes(raw, policy=policy.default).get_body(("plain",))
    return body.get_content().replace("\r\n", "\n")


def with_text(raw: bytes, text: str) -> bytes:
    """Return an email with another text; its page stays."""
    email = message_from_bytes(raw)
    part = next(part for part in email.walk() if part.get_content_type() == "text/plain")
    del part["Content-Transfer-Encoding"]
    part["Content-Transfer-Encoding"] = "base64"
    part.set_payload(encodebytes(text.encode()).decode())
    return email.as_bytes()


Change = Callable[[str], str]


def spoil(raws: Sequence[bytes], change: Change, folder: Path) -> tuple[checks.Audit, str]:
    """Spoil the first email in which there is something to be changed; return what was found, and
    the name of that email."""
    names = [folder / f"{number:03}.eml" for number in range(len(raws))]
    for name, raw in zip(names, raws, strict=True):
        name.write_bytes(raw)
    spoiled = next(n for n, raw in enumerate(raws) if change(text_of(raw)) != text_of(raw))
    names[spoiled].write_bytes(with_text(raws[spoiled], change(text_of(raws[spoiled]))))
    return audited(folder), names[spoiled].name


def replaced(old: str, new: str) -> Change:
    return lambda text: re.sub(old, new, text, count=1, flags=re.M)


def in_confirmations(change: Change) -> Change:
    """Change only emails that are not made again as a whole, as reports are."""
    return lambda text: text if "For adjud audit:" in text else change(text)


NEWS = r"^(Turn \d+, \w+\n(?:  .+\n)*  [a-j]\d+"  # a step below its turn, and in no confirmation

SPOILED = {
    "the square of a step": ("espionage", replaced(NEWS + r"-)[a-j]\d+$", r"\1e5")),
    "a step that was not made": ("espionage", replaced(NEWS + r"-.+)\n\n", r"\1\n  e5-e6\n\n")),
    "an order of mine": ("espionage", replaced(r"(accepted.*\n  )[a-j]\d+", r"\1e5")),
    "a roll": ("spion", replaced(r"^(Turn 1, \w+ \()\d\+\d", r"\g<1>6+3")),
    "where a spy went": ("spion", replaced(r"(The spy goes from .* to )\w+", r"\1p9")),
    "a turn": ("spion", replaced(r"^Turn 2, (\w+) \(", r"Turn 3, \1 (")),
    "a tile": ("spies", replaced(r"^(  Tile \w+: )\w{3}", r"\1OSL")),
    "what was gained": ("spies", replaced(r"(gains: \w+ )\d", r"\g<1>7")),
    "a year": ("spies", replaced(r"^(\w+), 1933$", r"\1, 1934")),
    "a plan of mine": ("spies", replaced(r"^  SPY (\w)-(\w):", r"  SPY \1-X:")),
}  # fmt: skip


@pytest.mark.parametrize(("game", "change"), SPOILED.values(), ids=list(SPOILED))
def test_what_an_email_tells_otherwise_than_the_log_is_found(
    game: str, change: Change, tmp_path: Path
) -> None:
    found, spoiled = spoil(emails(game, "en"), change, tmp_path)
    assert [spoiled in tell(wrong) for wrong in found.wrong] == [True]


@pytest.mark.parametrize("language", mostly_nightly(LANGUAGES, every_day=["en"]))
def test_another_rank_in_a_fight_is_found_in_every_language(language: str, tmp_path: Path) -> None:
    own, other = {
        "en": ("White's Corporal", "White's General"),
        "nb": ("Hvits korporal", "Hvits general"),
        "sv": ("Vits korpral", "Vits general"),
    }[language]
    raws = fighting(language)
    found, spoiled = spoil(raws, replaced(own, other), tmp_path)
    (wrong,) = map(tell, found.wrong)
    assert spoiled in wrong
    assert "general" in wrong.casefold()


@pytest.mark.parametrize(
    ("old", "new", "is_shown"),
    [("('s \\w+ )takes ", r"\1slays ", "slays"), ("('s \\w+ )attacks", r"\1runs into", "runs")],
)
def test_other_words_of_an_older_adjud_contradict_nothing_and_are_named(
    old: str, new: str, is_shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retold, "is_made_by_this_version", lambda log: False)
    found, spoiled = spoil(fighting("en"), in_confirmations(replaced(old, new)), tmp_path)
    assert found.wrong == []
    (note,) = [tell(one) for one in found.notes if "worded" in tell(one)]
    assert spoiled in note
    assert is_shown in note


@cache
def fighting(language: str) -> tuple[bytes, ...]:
    """Return Anna's emails of a match in which all fights are told and a Corporal has fought."""
    with TemporaryDirectory() as made:
        club = MailClub(open_store(_empty(Path(made))), Path(made) / "spool")
        club.add("Anna", "Bob", language=language)
        club.new("fights=both")
        club.run_tick()
        while club.loaded().match.ply < 60:
            for seat in club.loaded().awaited:
                lines = computer_orders(club.loaded(), seat, "computer:easy")
                club.write(seat, f"ORDERS m {seat}", *lines, "END")
            club.run_tick()
            if club.loaded().match.status == "over":
                break
        else:
            game_master.cancel(club.opened_at(MONDAY), "m", reason="x")
            club.run_tick()
        club.store.close()
        return tuple(raw for _, to, raw in club.way.letters if to == "anna@example.org")


def _empty(folder: Path) -> str:
    create(url := f"sqlite:///{folder / 'adjud.db'}")
    return url
