"""Pages to open in a browser, of matches that were played as real ones are."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import import_module
from itertools import count, product
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from tests.club import Club, Context, NewMatch, Printable, Store, computer_orders, load, show
from tests.compiled import share_compiled
from tests.database import create, mark_shown, open_store
from tests.games.samples import Kind, Reports
from tests.inside import turns

NOW = datetime(2026, 11, 21, 18, tzinfo=UTC)
MEANS = Context(committer=lambda: "5a" * 32, raise_faults=True)
MATCH = "garden"
# A name as long as allowed, which cannot be broken into lines; and one that could break markup.
NAMES = ("Wolfeschlegelsteinhausenbergerdorffxxxxx", 'Åse & "Bob" O\'Neill', "Anna", "Bob", "Carl")
ZONE = "America/Argentina/ComodRivadavia"  # the longest name that a zone has
HOUR = timedelta(hours=1)
REASON = "Anna is in Åre: https://example.org/" + "x" * 40  # nothing to break it at
PLAYERS = ("computer", "computer:random")
FILE_VERSIONS = slice(18, 20)  # bytes that say whether a database has a write-ahead log
STAGES = ("setup", "middle", "late", "over")
GAME_KINDS: dict[str, dict[str, Kind]] = {
    game: import_module(f"tests.games.{game}.samples").KINDS for game in GAMES
}
KINDS = {name: kind for kinds in GAME_KINDS.values() for name, kind in kinds.items()}
assert len(KINDS) == sum(map(len, GAME_KINDS.values()))  # no two games have a kind of one name


share_compiled()


class Shown(Struct, frozen=True):
    """One page of the tests; its name says what it is. The seat may be `awaited`, whichever that
    is."""

    kind: str
    stage: str
    seat: str
    language: str

    @property
    def name(self) -> str:
        return f"{self.game}-{self.kind}-{self.stage}-{self.seat}-{self.language}"

    @property
    def game(self) -> str:
        return KINDS[self.kind].game

    @property
    def report(self) -> Printable:
        reports = played(self.kind)[self.stage]
        awaited = (found for found in reports.values() if found.body["template"])
        report = next(awaited) if self.seat == "awaited" else reports[self.seat]
        return replace(report, language=self.language)

    @property
    def html(self) -> str:
        return _printed(self, "html")

    @property
    def email(self) -> str:
        return _printed(self, "letter")


@cache
def _printed(page: Shown, suffix: str) -> str:
    return show(page.report, suffix)


def shown(game: str) -> Iterator[Shown]:
    """Yield a page of every kind and stage, so that each two values of anything meet in one
    page."""
    kinds = [*GAME_KINDS[game]]
    for i, (j, stage) in product(range(max(len(kinds), len(LANGUAGES))), enumerate(STAGES)):
        kind = kinds[i % len(kinds)]
        seats = KINDS[kind].seats
        yield Shown(kind, stage, seats[(i + j) % len(seats)], LANGUAGES[(i + j) % len(LANGUAGES)])


def more_shown() -> Iterator[Shown]:
    """Yield pages of what happens only now and then."""
    for name, kind in KINDS.items():
        for stage, language in zip(kind.rare, LANGUAGES, strict=False):
            yield Shown(name, stage, "awaited", language)


class Moment(Struct, frozen=True):
    """The rows of a match as they are at a time, from which reports are made when they are wanted:
    most moments are passed over, and a report takes longer than a ply."""

    rows: bytes
    now: datetime

    def reports(self) -> Reports:
        with TemporaryDirectory() as folder:
            place = Path(folder) / "adjud.db"
            place.write_bytes(self.rows)
            store = open_store(f"sqlite:///{place}")
            try:
                return {
                    one.report.seat: one for one in Club(store).newest_reports(MATCH, now=self.now)
                }
            finally:
                store.close()


class Ply(Struct, frozen=True):
    """A ply before and after the awaited seats have sent their sheets."""

    before: Moment
    after: Moment


@cache
def played(kind: str) -> dict[str, Reports]:
    """Return all seats' reports of each stage of a match."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'adjud.db'}"
        create(url)
        store = open_store(url)
        try:
            plies = list(_plies(store, KINDS[kind]))
        finally:
            store.close()
    rare = {stage: _last(plies, shows) for stage, shows in KINDS[kind].rare.items()}
    return {**_stages(plies), **rare}


def _stages(plies: list[Ply]) -> dict[str, Reports]:
    """Choose the reports of each stage.

    In the middle the page is opened again when the sheet is in; otherwise before it is written.
    """
    return {
        "setup": plies[0].before.reports(),
        "middle": plies[len(plies) // 2].after.reports(),
        "late": plies[-2].before.reports(),
        "over": plies[-1].before.reports(),
    }


def _last(plies: list[Ply], shows: Callable[[Reports], bool]) -> Reports:
    """Return the reports of the last time that it happens, when there is much to look back on."""
    all_reports = (ply.before.reports() for ply in reversed(plies))
    return next(reports for reports in all_reports if shows(reports))


def _plies(store: Store, kind: Kind) -> Iterator[Ply]:
    _open(store, kind)
    for ply in count():
        now = NOW + timedelta(hours=ply)
        before = _moment(store, now)
        loaded = Club(store).loaded(MATCH)
        if not loaded.awaited:
            yield Ply(before, before)
            return
        for seat in loaded.awaited:
            player = PLAYERS[kind.seats.index(seat) % len(PLAYERS)]
            _send(store, seat, computer_orders(loaded, seat, player), now)
        if kind.extended:
            Club(store, MEANS).extend(MATCH, HOUR, reason=REASON, now=now)
        if kind.drawing:
            _send(store, kind.seats[-1], ["DRAW"], now)
        yield Ply(before, _moment(store, now))
        Club(store, MEANS).run_due(now=now)


def play(place: Path, kind: Kind, plies: int) -> str:
    """Play so many plies of a match in a new database, and return a seat that is then to move."""
    url = f"sqlite:///{place}"
    create(url)
    store = open_store(url)
    try:
        _open(store, kind)
        for ply in range(plies):
            now = NOW + timedelta(hours=ply)
            loaded = Club(store).loaded(MATCH)
            for seat in loaded.awaited:
                player = PLAYERS[kind.seats.index(seat) % len(PLAYERS)]
                _send(store, seat, computer_orders(loaded, seat, player), now)
            Club(store, MEANS).run_due(now=now)
        return next(iter(Club(store).loaded(MATCH).awaited))
    finally:
        store.close()


def in_language(shown: Printable, language: str) -> Printable:
    return replace(shown, language=language)


def attached(shown: Printable) -> Printable:
    """Return a report as the page that goes with its email."""
    assert shown.reply
    return replace(shown, reply=replace(shown.reply, attached=True))


def _open(store: Store, kind: Kind) -> None:
    names = dict(zip(kind.seats, NAMES, strict=False))
    for seat, name in names.items():
        Club(store).add_player(
            name,
            f"{seat}@example.org",
            language="en",
            zone=ZONE,
            confirmed=True,
            now=NOW,
            sends_mail=False,
        )
    wanted = NewMatch(
        game=kind.game,
        variant=kind.variant,
        name=MATCH,
        seats=[f"{seat}={name}" for seat, name in names.items()],
        options=kind.options,
        seed=None,
        fresh_seed=bytes([kind.seed]) * 32,
    )
    Club(store, MEANS).create(wanted, now=NOW)


def _moment(store: Store, now: datetime) -> Moment:
    """Return the present moment. Afterwards its reports count as read, as their readers get them
    once."""
    with closing(sqlite3.connect(str(store.engine.url.database))) as own:
        rows = bytearray(own.serialize())
    rows[FILE_VERSIONS] = b"\x01\x01"  # the copy has no write-ahead log beside it
    with store.transaction() as tx:
        loaded = load(tx, MATCH)
        for seat in loaded.seats:
            ply, tenure = loaded.match.ply, loaded.holders[seat].tenure
            mark_shown(tx, loaded.match.id, ply, seat, now)
            asides = [one for one, _, _ in turns.kept_asides(tx, loaded.match.id, seat, tenure)]
            reports = turns.kept_report(tx, loaded.match.id, ply, seat)
            turns.mark_printed(tx, [*reports, *asides], now)
    return Moment(bytes(rows), now)


def _send(store: Store, seat: str, lines: list[str], now: datetime) -> None:
    sheet = "\n".join((f"ORDERS {MATCH} {seat}", *lines, "END"))
    (receipt,) = Club(store).submit(sheet, now=now)
    assert receipt.accepted, receipt.problems
