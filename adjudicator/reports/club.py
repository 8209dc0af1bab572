"""The pages of a club that everybody may read: matches, players, tournaments, standings, rules, and
the feed.

Pages of the site share their styles and scripts, which are most of what a page weighs. A page that
is printed for an email holds its own; `apart` takes them out of it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree as ET

from msgspec import Struct
from msgspec.structs import asdict

from adjudicator.reports.render import environment
from adjudicator.reports.words import supported_language


class Introduction(Struct, frozen=True):
    """What a club says of itself, each part as it is in the settings: it may be empty. `address` is
    that to which anybody may write."""

    name: str = ""
    welcome: str = ""
    game_master: str = ""
    contact: str = ""
    address: str = ""


class OpenSeat(Struct, frozen=True):
    """A seat that anybody may ask for: its title, the line that asks, and the link that begins an
    email with it."""

    title: str
    line: str
    link: str


class LoggedPly(Struct, frozen=True):
    """A ply, when it was adjudicated, and its head in the chain of the log: its first digits as two
    people can read them to each other, and all."""

    ply: int
    at: str
    short: str
    head: str


class ListedLog(Struct, frozen=True):
    """The place of the page that lists the heads of a match, and the newest head on it."""

    page: str
    ply: int
    short: str


class Going(Struct, frozen=True):
    """A match that is not over, as an outsider may know it.

    `players` are (seat, name), with an empty name for an open seat. `told` says what the match
    waits for, never who has sent. `pace` says how often orders are due, `overdue` that the deadline
    has passed and reserves are running; `board` is the place of a picture: of what onlookers see,
    if the match has any, else of its variant. `join` asks for whichever of several `seats` is open.
    `log` is None as long as no head may be listed, and `page` is that for onlookers, if the match
    has any.
    """

    name: str
    kind: str
    players: Sequence[tuple[str, str]]
    turn: str
    told: str
    deadline: str | None
    pace: str = ""
    overdue: bool = False
    board: str | None = None
    seats: Sequence[OpenSeat] = ()
    join: OpenSeat | None = None
    log: ListedLog | None = None
    page: str | None = None

    @property
    def is_open(self) -> bool:
        return any(not name for _, name in self.players)

    @property
    def named(self) -> str:
        return _names_once(self.players)


class Over(Struct, frozen=True):
    """A match that has ended. `page` is the place of its replay, if there is one to see, and
    `board` of a picture of its end, or of its variant; `log` is None if the match has no heads."""

    name: str
    kind: str
    players: Sequence[tuple[str, str]]
    day: str
    result: str
    page: str | None
    log: ListedLog | None = None
    board: str | None = None

    @property
    def named(self) -> str:
        return _names_once(self.players)


def _names_once(players: Sequence[tuple[str, str]]) -> str:
    """Return who plays, each name once."""
    names = list(dict.fromkeys(name for _, name in players if name))
    return " \N{EN DASH} ".join(names) if len(names) == 2 else ", ".join(names)


class Table(Struct, frozen=True):
    """The standings of one game: player, rating, its uncertainty, won, drawn, lost, played."""

    game: str
    rows: Sequence[tuple[str, int, int, int, int, int, int]]


class Played(Struct, frozen=True):
    """A game that the club plays: what it is, and the places of its rules and of a picture of its
    board."""

    title: str
    gist: str
    rules: str
    board: str


class ListedTournament(Struct, frozen=True):
    """A tournament on the first page: its kind and state, and the place of its page."""

    name: str
    told: str
    page: str


class ClubPage(Struct, frozen=True):
    """All that the club's first page says, and the time at which it says it. `open` are the matches
    with open seats; the newest of those that are `over` come first, and `earlier` says that there
    are more. `people` and `ladders` are the places of the pages of players and ladders, by
    name."""

    own: Introduction
    as_of: str
    games: Sequence[Played]
    open: Sequence[Going]
    going: Sequence[Going]
    over: Sequence[Over]
    tables: Sequence[Table]
    people: Mapping[str, str]
    reliable: Mapping[str, str]
    tournaments: Sequence[ListedTournament] = ()
    ladders: Mapping[str, str] = {}
    earlier: bool = False

    @property
    def unlisted(self) -> Mapping[str, str]:
        """Return the pages of the players who are in no standings."""
        listed = {row[0] for table in self.tables for row in table.rows}
        return {name: page for name, page in self.people.items() if name not in listed}


def index(club: ClubPage, language: str) -> str:
    """Return the club's first page."""
    return public_page("shared/site/index.html.j2", "", language, club=club)


def results(over: Sequence[Over], language: str) -> str:
    """Return the page with all matches that have ended, the newest first."""
    return public_page("shared/site/results.html.j2", "", language, over=over)


def logs(listed: Sequence[tuple[str, ListedLog]], language: str) -> str:
    """Return the page with the newest head of each match, by its name."""
    return public_page("shared/site/logs.html.j2", "", language, listed=listed)


def log(match: str, epoch: str, plies: Sequence[LoggedPly], language: str) -> str:
    """Return the page with the heads of a match in an epoch of its club, the newest first."""
    rows = {"match": match, "epoch": epoch, "plies": plies[::-1]}
    return public_page("shared/site/log.html.j2", "", language, **rows)


def seats_page(language: str) -> str:
    """Return a page that names no seat, for the folder of the seats' folders, so that no server
    lists them."""
    return public_page("shared/site/seats.html.j2", "", language)


def rules(game: str, rows: Mapping[str, Any], language: str) -> str:
    """Return the page with the rules of a game, from the rows that the game makes for it."""
    return public_page(f"{game}/rules.html.j2", game, language, page=rows)


def public_page(template: str, game: str, language: str, **rows: Any) -> str:
    """Return a page that everybody may read."""
    language = supported_language(language)
    templates = environment(language, game)
    return templates.get_template(template).render(language=language, **rows)


# What is in a report is escaped, and data has a type, so nothing else in a page begins like these.
_PARTS = (
    ("<style>\n", "</style>", "css", '<link rel="stylesheet" href="{}">'),
    ("<script>", "</script>", "js", '<script src="{}"></script>'),
)
# Such a page runs and reads what stands beside it, also where it is opened as a file, whose origin
# not every browser calls 'self'; and nothing that stands in it.
_POLICIES = (
    (re.compile(r"style-src 'unsafe-inline'"), "style-src 'self' file:"),
    (re.compile(r"script-src 'sha256-[^']*'"), "script-src 'self' file:"),
)


def apart(page: str, place: str) -> Iterator[tuple[str, str]]:
    """Yield the files of a page by their places in the site: its style, its script and, last, the
    page without them.

    Their names say what is in them, so pages with the same share one file, and a browser that has
    it needs no other.
    """
    head, end, body = page.partition("</head>")
    for policy, wider in _POLICIES:
        head = policy.sub(wider, head, count=1)
    page = head + end + body
    for opening, closing, kind, reference in _PARTS:
        before, found, rest = page.partition(opening)
        if found:
            part, _, after = rest.partition(closing)
            name = f"shared/{sha256(part.encode()).hexdigest()[:20]}.{kind}"
            yield name, part
            page = before + reference.format("../" * place.count("/") + name) + after
    yield place, page


# The first page of a folder of reports.


class View(Struct, frozen=True):
    """A way to watch the match: `page` is where it plays, `picture` a board of it."""

    title: str
    page: str
    picture: str


class Contents(Struct, frozen=True, kw_only=True):
    """All that the page says: the match as it plays, and every report.

    `made` is the time at which they were made, `result` a sentence, `record` the file with the game
    record; `moments` are (link, moment, what happened); `commands` begin such a match; `seats` are
    (title, name in the files, turns as they stand there).
    """

    title: str
    made: str
    result: str
    turns: int
    record: str
    views: Sequence[View]
    moments: Sequence[tuple[str, str, str]]
    commands: Sequence[str]
    seats: Sequence[tuple[str, str, Sequence[str]]]


def contents(said: Contents) -> str:
    """Return the page as HTML."""
    return environment("en", "").get_template("shared/index.html.j2").render(asdict(said))


class LadderResult(Struct, frozen=True):
    """How a challenge ended; `page` is the place of its match's replay, if there is one."""

    day: str
    told: str
    page: str | None = None


class LadderPage(Struct, frozen=True):
    """All that the page says: (place, player), the matches that are played, and the last results,
    the newest first. `people` are the places of players' pages by name."""

    name: str
    kind: str
    closed: bool
    places: Sequence[tuple[int, str]]
    going: Sequence[str]
    results: Sequence[LadderResult]
    people: Mapping[str, str]
    head: str | None  # of its log


def ladder(shown: LadderPage, language: str) -> str:
    """Return a ladder's page."""
    return public_page("shared/site/ladder.html.j2", "", language, ladder=shown)


WIDTH, HEIGHT = 320, 80  # of the picture of a rating, in its own units
_EDGE = 4  # units that the line keeps from the edges


class RatingLine(Struct, frozen=True):
    """A rating over time: `points` of an SVG polyline, the lowest and the highest rating, and the
    days of the first match and of the last."""

    points: str
    low: int
    high: int
    first: str
    last: str


class GameRating(Struct, frozen=True):
    """What a player has reached in one game."""

    game: str
    rating: int
    doubt: int
    won: int
    drawn: int
    lost: int
    line: RatingLine

    @property
    def played(self) -> int:
        return self.won + self.drawn + self.lost


class PlayerPage(Struct, frozen=True):
    """All that the page says. The newest of the matches that are `over` come first. `more` of those
    that are `going` are left out, and `earlier` ones that are over, because there are many.
    `reliability` is empty where nothing was counted. `people` are the places of the other players'
    pages, by name."""

    name: str
    reliability: str
    ratings: Sequence[GameRating]
    going: Sequence[Going]
    more: int
    over: Sequence[Over]
    earlier: int
    people: Mapping[str, str]


def player(shown: PlayerPage, language: str) -> str:
    """Return a player's page."""
    rows = {"player": shown, "width": WIDTH, "height": HEIGHT}
    return public_page("shared/site/player.html.j2", "", language, **rows)


def points(ratings: Iterable[tuple[float, int]]) -> str:
    """Return the points of a line through ratings, each with its time in seconds.

    Times that are all equal are drawn with equal steps.

    >>> points([(0, 1500), (10, 1600), (40, 1550)])
    '4,76 82,4 316,40'
    """
    times, heights = zip(*ratings, strict=True)
    if times[0] == times[-1]:
        times = tuple(range(len(times)))
    across = _positions(times, WIDTH)
    up = _positions(heights, HEIGHT)
    return " ".join(f"{x},{HEIGHT - y}" for x, y in zip(across, up, strict=True))


def _positions(values: Sequence[float], size: int) -> list[int]:
    low, high = min(values), max(values)
    room = size - 2 * _EDGE
    if low == high:
        return [size // 2 for _ in values]
    return [round(_EDGE + room * (value - low) / (high - low)) for value in values]


class BoardLine(Struct, frozen=True):
    """What is said of a board, and its match, if there is one; `page` is the match's replay."""

    told: str
    match: str | None
    page: str | None


class TournamentPage(Struct, frozen=True):
    """All that the page says. `heads` are those of the table's columns, place and player first;
    `notes` are below the table; `rounds` are (title, boards), the newest first; `people` are the
    places of players' pages."""

    name: str
    told: str
    state: str
    starts: str
    heads: Sequence[str]
    lines: Sequence[Sequence[str]]
    notes: Sequence[str]
    entrants: Sequence[str]
    rounds: Sequence[tuple[str, Sequence[BoardLine]]]
    lots: str
    seed: Sequence[str]
    people: Mapping[str, str]


def tournament(shown: TournamentPage, language: str) -> str:
    """Return a tournament's page."""
    return public_page("shared/site/tournament.html.j2", "", language, cup=shown)


# The feed of its results and its new matches, as Atom (RFC 4287).


_ATOM = "http://www.w3.org/2005/Atom"


class Entry(Struct, frozen=True, kw_only=True):
    """Something that has happened, at a time in seconds. `page` is the place in the site where more
    of it stands; `id` is a URI that no other entry has."""

    id: str
    at: float
    title: str
    text: str
    page: str


class Feed(Struct, frozen=True, kw_only=True):
    """A feed with its entries, the newest first. `url` is where the site is served from; without
    it links are relative, and lead on from wherever the feed is."""

    id: str
    title: str
    author: str
    language: str
    updated: float
    entries: Sequence[Entry]
    url: str = ""


def feed_xml(feed: Feed) -> str:
    """Return a feed as XML, in UTF-8."""
    ET.register_namespace("", _ATOM)
    root = ET.Element(_name("feed"), {"xml:lang": feed.language})
    _add(root, "id", feed.id)
    _add(root, "title", feed.title)
    _add(root, "updated", _time(feed.updated))
    _add(_add(root, "author"), "name", feed.author)
    _add(root, "link", rel="alternate", type="text/html", href=_place(feed, "index.html"))
    if feed.url:
        own = _place(feed, "feed.xml")
        _add(root, "link", rel="self", type="application/atom+xml", href=own)
    for entry in feed.entries:
        element = _add(root, "entry")
        _add(element, "id", entry.id)
        _add(element, "title", entry.title)
        _add(element, "updated", _time(entry.at))
        _add(element, "published", _time(entry.at))
        page = _place(feed, entry.page)
        _add(element, "link", rel="alternate", type="text/html", href=page)
        _add(element, "content", entry.text, type="text")
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, "unicode")}\n'


def _name(element: str) -> str:
    return f"{{{_ATOM}}}{element}"


def _add(parent: ET.Element, element: str, content: str = "", **attributes: str) -> ET.Element:
    made = ET.SubElement(parent, _name(element), attributes)
    made.text = content or None
    return made


def _place(feed: Feed, page: str) -> str:
    return f"{feed.url.rstrip('/')}/{page}" if feed.url else page


def _time(at: float) -> str:
    """Return a time as RFC 3339 has it, to the second."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"
