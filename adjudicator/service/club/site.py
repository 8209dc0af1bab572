"""The pages of a club.

Everybody may read the public ones. Each seat's own pages have a name that only somebody to whom it
was given can know. Nothing public depends on what a seat may not show: who has sent, what he sent,
how long it is.
"""

from base64 import b32encode
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from hmac import digest

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.game import AnyReport, Seat, variant_title
from adjudicator.core.holders import holder_read
from adjudicator.core.message import Words, say
from adjudicator.core.printable import one_line
from adjudicator.games import GAMES
from adjudicator.mail.address import Key
from adjudicator.reports import club
from adjudicator.reports.times import day, moment
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Loaded, load, seat_of
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.club.standings import Played, Standing, played, standings
from adjudicator.service.match import overview
from adjudicator.service.report import printed_report, report_body
from adjudicator.service.report.printed_report import Printable
from adjudicator.store import clubs, matches
from adjudicator.store.database import Store, Tx

SEATS = "seats"  # the folder of the seats' folders
_SPECTATOR = Seat("")
_ROBOTS = "User-agent: *\nDisallow: /\n"


class _Row(Struct, frozen=True):
    """The row of a match on the first page, which is kept when its own pages are made."""

    going: club.Going | None
    over: club.Over | None
    ended_at: datetime
    played: Played | None


class _Shown(Struct, frozen=True):
    """One match as the site needs it. `whole` is the public report of a match that is over."""

    loaded: Loaded
    own: Sequence[Printable]
    whole: Printable | None


class Site(Struct, frozen=True, kw_only=True):
    """The pages of a club; the public ones are in this language and time zone.

    `progress` is called after each match with the number of all matches.
    """

    store: Store
    key: Key
    language: str
    zone: str
    now: datetime
    progress: Callable[[int], None] = lambda _: None
    rows: list[_Row] = []

    @property
    def going(self) -> int:
        """Return how many of the matches whose pages are made are still being played."""
        return sum(row.going is not None for row in self.rows)

    @property
    def over(self) -> int:
        return len(self.rows) - self.going

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files and their paths. Only those of one match are held at once.

        Every seat's newest report counts as handed over from now on.
        """
        yield from ((path, text.encode()) for path, text in self._pages())

    def _pages(self) -> Iterator[tuple[str, str]]:
        language = self.language
        with self.store.reading() as tx:
            names = matches.names(tx)
        self.rows.clear()
        for name in names:
            match = _look(self.store, name, language, self.zone, self.now)
            yield from _pages_of(match, self.key)
            self.rows.append(_row_of(match, language, self.zone))
            self.progress(len(names))
        yield "index.html", club.index(_club(self.rows, language, self.zone, self.now), language)
        yield "robots.txt", _ROBOTS
        yield f"{SEATS}/index.html", club.seats_page(language)
        yield from _rules(language)


def _row_of(match: _Shown, language: str, zone: str) -> _Row:
    loaded = match.loaded
    if match.whole is None:
        going = _going(loaded, language, zone)
        return _Row(going=going, over=None, ended_at=loaded.since, played=None)
    over = _over(match, language, zone)
    return _Row(going=None, over=over, ended_at=loaded.since, played=played(loaded))


def note_built(store: Store, *, now: datetime) -> None:
    """Note of when the pages are that a web server now serves; letters that lead there say it."""
    with store.transaction() as tx:
        clubs.build_site(tx, now)


def link(store: Store, key: Key, name: str, word: str) -> str:
    """Return where in the site the pages of a seat's present holder are."""
    with store.reading() as tx:
        loaded = load(tx, name)
    seat = seat_of(loaded.game, word)
    holder = loaded.holders.get(seat)
    if holder is None or holder.player_id is None:
        raise Refusal(say("no person holds {seat} in {match}", seat=seat, match=loaded.match.name))
    return place(key, loaded.match.name, seat, holder.tenure)


def place(key: Key, match: str, seat: str, tenure: int) -> str:
    """Return the place in the site of the pages of a seat's holder."""
    return f"{SEATS}/{folder_of(key, match, seat, tenure)}/"


def folder_of(key: Key, match: str, seat: str, tenure: int) -> str:
    """Return the name of a seat's folder: 130 bits that only the key can make.

    A new holder of the seat gets another one.
    """
    signed = digest(key.secret, f"site|v1|{match}|{seat}|{tenure}".encode(), sha256)
    return b32encode(signed)[:26].decode("ascii").lower()


def _look(store: Store, name: str, language: str, zone: str, now: datetime) -> _Shown:
    with store.transaction() as tx:
        loaded = load(tx, name)
        own = printed_report.of_people(tx, loaded, now=now)
        if loaded.game.rules.outcome(loaded.state) is None:
            return _Shown(loaded, own, None)
        return _Shown(loaded, own, Printable(_public(tx, loaded), language, zone))


def _public(tx: Tx, loaded: Loaded) -> AnyReport:
    """Return the report of a match that is over, for somebody who had no seat in it.

    It is built from what the end has opened: no seat's own matters, no words to the players, none
    of their addresses.
    """
    log = [event for _, event in report_body.read_log(tx, loaded.match.id, loaded.game)]
    seen = report_body.public(loaded, _SPECTATOR)
    return replace(seen, record=report_body.record(loaded, log))


def _rules(language: str) -> Iterator[tuple[str, str]]:
    for slug, game in GAMES.items():
        if game.page.rules:
            rows = game.page.rules(words(language, slug))
            yield _rules_page(slug), club.rules(slug, rows, language)


def _rules_page(slug: str) -> str:
    return f"rules/{slug}.html"


def _pages_of(match: _Shown, key: Key) -> Iterator[tuple[str, str]]:
    """Yield the pages of one match: the public one, if there is one, and each seat's own."""
    if match.whole and (path := _match_page(match)):
        yield path, printed_report.printed(match.whole, "html")
    for own in match.own:
        report = own.report
        tenure = match.loaded.holders[report.seat].tenure
        folder = folder_of(key, report.match, report.seat, tenure)
        yield f"{SEATS}/{folder}/index.html", printed_report.printed(own, "html")


def _match_page(match: _Shown) -> str | None:
    """Return the place of a match's public page.

    Return None if the match goes on, or ended in its set-up (turn 0), before anything could be
    seen.
    """
    over = match.whole is not None and match.loaded.match.turn > 0
    return f"matches/{match.loaded.match.name}.html" if over else None


def _club(rows: Sequence[_Row], language: str, zone: str, now: datetime) -> club.Club:
    ended = sorted((row for row in rows if row.over), key=lambda row: row.ended_at, reverse=True)
    made = moment(now.isoformat(), language, zone)
    return club.Club(
        as_of=words(language, "")(say("As of: {moment}", moment=made)),
        going=[row.going for row in rows if row.going],
        over=[row.over for row in ended if row.over],
        tables=list(_tables([row.played for row in ended if row.played], language)),
        rules=[
            (_rules_page(slug), words(language, slug)(say(game.title)))
            for slug, game in GAMES.items()
            if game.page.rules
        ],
    )


def _going(loaded: Loaded, language: str, zone: str) -> club.Going:
    match, tell = loaded.match, words(language, loaded.match.game)
    paused = match.status == "held"
    due = None if paused else rfc3339(match.deadline_at)
    return club.Going(
        name=match.name,
        kind=_kind(loaded, tell),
        players=_players(loaded, tell),
        turn=tell(overview.turn(loaded)),
        told=tell(overview.waits_for(loaded)),
        deadline=moment(due, language, zone) if due else None,
    )


def _kind(loaded: Loaded, tell: Words) -> str:
    game, variant = loaded.game, loaded.match.variant
    return f"{tell(say(game.title))}, {tell(variant_title(game, variant))}"


def _players(loaded: Loaded, tell: Words) -> list[tuple[str, str]]:
    return [
        (tell(loaded.game.seat_titles[seat]), holder_read(loaded.holders[seat].shown_name, tell))
        for seat in loaded.seats
    ]


def _over(match: _Shown, language: str, zone: str) -> club.Over:
    loaded, whole = match.loaded, match.whole
    assert whole is not None
    tell = words(language, loaded.match.game)
    return club.Over(
        name=loaded.match.name,
        kind=_kind(loaded, tell),
        players=_players(loaded, tell),
        day=day(loaded.since, language, zone),
        result=loaded.game.page.rows(whole.report, tell).result or "",
        page=_match_page(match),
    )


def _tables(counted: Sequence[Played], language: str) -> Iterator[club.Table]:
    for slug, game in GAMES.items():
        rows = standings(counted, slug)
        if rows:
            yield club.Table(words(language, slug)(say(game.title)), [_row(row) for row in rows])


def _row(row: Standing) -> tuple[str, int, int, int, int, int, int]:
    name = one_line(row.player)
    return name, row.rating, row.doubt, row.won, row.drawn, row.lost, row.played
