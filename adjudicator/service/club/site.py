"""The pages of a club.

Everybody may read the public ones. Each seat's own pages have a name that only somebody to whom it
was given can know. Nothing public depends on what a seat may not show: who has sent, what he sent,
how long it is.

A page is made anew when something changes that it says, or the program. That is a ply, a ruling or
another holder, and never what a seat sends: whoever sees the folder, or the site's record, could
see by it who has sent. So a seat's page is its report after the last ply, with what all were told
since. The site's record has a line for each match. While the match keeps its stamp
(`store/stamps`), nothing of it is looked at; else its pages' values are made and compared, and only
the pages whose values differ are printed.
"""

from base64 import b32encode
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from hmac import digest

from msgspec import MsgspecError, Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator.core.holders import holder_read
from adjudicator.core.match import Seat
from adjudicator.core.message import Words, say
from adjudicator.core.printable import one_line
from adjudicator.core.report import AnyReport
from adjudicator.games import GAMES
from adjudicator.mail.address import Key, fingerprint
from adjudicator.reports import club
from adjudicator.reports.times import day, moment
from adjudicator.reports.words import words
from adjudicator.resources import edition
from adjudicator.service.base import looks
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import (
    Loaded,
    Unreadable,
    find,
    gather,
    load,
    readable,
    seat_of,
)
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.club.publishing import Draft, Earlier
from adjudicator.service.club.standings import Played, Standing, played, standings
from adjudicator.service.match import overview
from adjudicator.service.report import printed_report, report_body
from adjudicator.service.report.printed_report import Printable
from adjudicator.service.report.standing import read_log
from adjudicator.store import clubs, matches, stamps
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Match
from adjudicator.store.stamps import Stamped

SEATS = "seats"  # the folder of the seats' folders
_SPECTATOR = Seat("")
_UNREAD = ""  # the stamp of a match that cannot be read: its pages are made as soon as it can
_AT_ONCE = 100  # matches whose stamps are read
_ROBOTS = "User-agent: *\nDisallow: /\n"


class _Row(Struct, frozen=True):
    """The row of a match on the first page, which is kept when its own pages are made."""

    going: club.Going | None
    over: club.Over | None
    ended_at: float
    played: Played | None


class _Shown(Struct, frozen=True):
    """One match as the site needs it. `whole` is the public report of a match that is over."""

    loaded: Loaded
    own: Sequence[Printable]
    whole: Printable | None


class _Page(Struct, frozen=True):
    """A page in the record. `values` is the digest of all that it was made from, without the
    time."""

    path: str
    values: str
    size: int


class _Line(Struct, frozen=True):
    """A line of the record: all that the site has of one match."""

    match: str
    stamp: str
    row: _Row
    pages: Sequence[_Page]


class _Name(Struct, frozen=True):
    """The name in a line of which nothing else is wanted yet."""

    match: str


# Lines are kept as they are written: ten thousand of them, read, would take much memory.
_Record = Mapping[str, Sequence[tuple[Earlier, bytes]]]


class Site(Struct, frozen=True, kw_only=True, dict=True):
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

    def fill(self, draft: Draft) -> None:
        """Write the files, or take them from an earlier version. Only those of one match are held
        at once.

        Every seat's newest report counts as handed over from now on.
        """
        self.rows.clear()
        with self.store.reading() as tx:
            number = len(matches.names(tx))
        record = _recorded(draft.earlier)
        for match in self._stamped():
            known = [*_known(record.get(match.name, ()))]
            line = self._taken(draft, match, known) or self._line(draft, match, known)
            draft.note(encode(line))
            self.rows.append(line.row)
            self.progress(number)
        for path, text in self._of_club():
            draft.write(path, text.encode())

    def _stamped(self) -> Iterator[Stamped]:
        last = 0
        while True:
            with self.store.reading() as tx:
                found = stamps.some(tx, last, _AT_ONCE)
            if not found:
                return
            yield from found
            last = found[-1].id

    def _taken(
        self, draft: Draft, match: Stamped, known: Sequence[tuple[Earlier, _Line]]
    ) -> _Line | None:
        """Take the pages of a match of which nothing has changed; return None if it has."""
        stamp = self._stamp(match)
        for earlier, line in known:
            sizes = {page.path: page.size for page in line.pages}
            if match.shown and line.stamp == stamp and draft.take(earlier, sizes):
                return line
        return None

    def _line(self, draft: Draft, match: Stamped, known: Sequence[tuple[Earlier, _Line]]) -> _Line:
        """Make the pages of a match; if it cannot be read, take those of before, if there are any,
        and say that it is held."""
        try:
            return self._made(draft, match, known)
        except Unreadable as unread:
            row = _unread_row(unread.match, self.language)
        for earlier, line in known:
            if draft.take(earlier, {page.path: page.size for page in line.pages}):
                return _Line(match.name, _UNREAD, _held(line.row, row), line.pages)
        return _Line(match.name, _UNREAD, row, [])

    def _made(self, draft: Draft, match: Stamped, known: Sequence[tuple[Earlier, _Line]]) -> _Line:
        """Make the pages of a match, but take those whose values have not changed."""
        found = _look(self.store, match.name, self.language, self.zone, self.now)
        pages = []
        for path, printable in _pages_of(found, self.key):
            values = _digest(self._edition, _timeless(printable))
            size = _size_taken(draft, path, values, known)
            if size is None:
                content = printed_report.printed(printable, "html").encode()
                draft.write(path, content)
                size = len(content)
            pages.append(_Page(path, values, size))
        row = _row_of(found, self.language, self.zone)
        return _Line(match.name, self._stamp(match), row, pages)

    def _of_club(self) -> Iterator[tuple[str, str]]:
        """Yield what is made anew each time: it costs little, and says of when the site is."""
        language = self.language
        yield "index.html", club.index(_club(self.rows, language, self.zone, self.now), language)
        yield "robots.txt", _ROBOTS
        yield f"{SEATS}/index.html", club.seats_page(language)
        yield from _rules(language)

    @cached_property
    def _edition(self) -> str:
        return edition()

    def _stamp(self, match: Stamped) -> str:
        return _digest(self._edition, match.stamp, self.language, self.zone, fingerprint(self.key))


def _digest(*values: object) -> str:
    return sha256(encode(values, order="deterministic")).hexdigest()


def _timeless(printable: Printable) -> Printable:
    """Return what a page is made from, without the time at which it is made."""
    return replace(printable, report=replace(printable.report, as_of=None))


def _recorded(versions: Sequence[Earlier]) -> _Record:
    """Return the lines of all earlier versions, by match."""
    found = defaultdict(list)
    for earlier in versions:
        for line in earlier.record:
            try:
                found[decode(line, type=_Name).match].append((earlier, line))
            except MsgspecError:  # a kill cut it short
                continue
    return found


def _known(lines: Sequence[tuple[Earlier, bytes]]) -> Iterator[tuple[Earlier, _Line]]:
    for earlier, line in lines:
        try:
            yield earlier, decode(line, type=_Line)
        except MsgspecError:  # another version of the program wrote it
            continue


def _size_taken(
    draft: Draft, path: str, values: str, known: Sequence[tuple[Earlier, _Line]]
) -> int | None:
    """Take a page that is made from the same values; return its size, None if there is none."""
    for earlier, line in known:
        for page in line.pages:
            if (page.path, page.values) == (path, values) and draft.take(
                earlier, {path: page.size}
            ):
                return page.size
    return None


def _row_of(match: _Shown, language: str, zone: str) -> _Row:
    loaded = match.loaded
    if match.whole is None:
        going = _going(loaded, language, zone)
        return _Row(going=going, over=None, ended_at=loaded.since.timestamp(), played=None)
    over = _over(match, language, zone)
    return _Row(going=None, over=over, ended_at=loaded.since.timestamp(), played=played(loaded))


def note_built(store: Store, *, now: datetime) -> None:
    """Note of when the pages are that a web server now serves; letters that lead there say it."""
    with store.transaction() as tx:
        clubs.build_site(tx, now)


def link(store: Store, key: Key, name: str, word: str, *, noted_at: datetime | None = None) -> str:
    """Return where in the site the pages of a seat's present holder are.

    With `noted_at` it is noted for all players that the game master looked it up then.
    """
    with store.transaction() if noted_at else store.reading() as tx:
        loaded = load(tx, name)
        seat = seat_of(loaded.game, word)
        holder = loaded.holders.get(seat)
        if holder is None or holder.player_id is None:
            match = loaded.match.name
            raise Refusal(say("no person holds {seat} in {match}", seat=seat, match=match))
        if noted_at:
            looks.at_link(tx, loaded, seat, noted_at)
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
        match = find(tx, name)
        with readable(match):
            loaded = gather(tx, match)
            own = printed_report.for_site(tx, loaded, now=now)
            if loaded.game.rules.outcome(loaded.state) is None:
                return _Shown(loaded, own, None)
            return _Shown(loaded, own, Printable(_public(tx, loaded), language, zone))


def _public(tx: Tx, loaded: Loaded) -> AnyReport:
    """Return the report of a match that is over, for somebody who had no seat in it.

    It is built from what the end has opened: no seat's own matters, no words to the players, none
    of their addresses.
    """
    log = [event for _, event in read_log(tx, loaded.match, loaded.game)]
    seen = report_body.public(loaded, _SPECTATOR)
    return replace(seen, record=report_body.record(loaded, log))


def _rules(language: str) -> Iterator[tuple[str, str]]:
    for slug, game in GAMES.items():
        if game.page.rules:
            rows = game.page.rules(words(language, slug))
            yield _rules_page(slug), club.rules(slug, rows, language)


def _rules_page(slug: str) -> str:
    return f"rules/{slug}.html"


def _unread_row(match: Match, language: str) -> _Row:
    """Return the row of a match of which nothing else can be read."""
    if match.status == "over":
        return _Row(going=None, over=None, ended_at=0.0, played=None)
    told = words(language, "")(say("Paused."))
    going = club.Going(match.name, match.game, [], "", told, None)
    return _Row(going=going, over=None, ended_at=0.0, played=None)


def _held(before: _Row, unread: _Row) -> _Row:
    """Return the row of before, with what is said of a match that cannot be read."""
    if unread.going is None:
        return before if before.over else unread
    if before.going is None:
        return unread
    return replace(before, going=replace(before.going, told=unread.going.told, deadline=None))


def _pages_of(match: _Shown, key: Key) -> Iterator[tuple[str, Printable]]:
    """Yield the pages of one match: the public one, if there is one, and each seat's own."""
    if match.whole and (path := _match_page(match)):
        yield path, match.whole
    for own in match.own:
        report = own.report
        tenure = match.loaded.holders[report.seat].tenure
        folder = folder_of(key, match.loaded.match.name, report.seat, tenure)
        yield f"{SEATS}/{folder}/index.html", own


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
    return f"{tell(say(game.title))}, {tell(game.variant_titles[variant])}"


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
