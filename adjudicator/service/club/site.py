"""The pages of a club.

Everybody may read the public ones. Each seat's own pages have a name that only somebody to whom it
was given can know. Nothing public depends on what a seat may not show: who has sent, what he sent,
how long it is.
"""

from base64 import b32encode
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from adjudicator.service.club.standings import Standing, played, standings
from adjudicator.service.match import overview
from adjudicator.service.report import printed_report, report_body
from adjudicator.service.report.printed_report import Printable
from adjudicator.store import matches
from adjudicator.store.database import Store, Tx

SEATS = "seats"  # the folder of the seats' folders
_SPECTATOR = Seat("")
_ROBOTS = "User-agent: *\nDisallow: /\n"


class Site(Struct, frozen=True):
    """The site's files by their paths, and the numbers of matches in it."""

    files: Mapping[str, bytes]
    going: int
    over: int


class _Shown(Struct, frozen=True):
    """One match as the site needs it. `whole` is the public report of a match that is over."""

    loaded: Loaded
    own: Sequence[Printable]
    whole: Printable | None


def site(
    store: Store,
    key: Key,
    language: str,
    zone: str,
    *,
    now: datetime,
    progress: Callable[[int], None] = lambda _: None,
) -> Site:
    """Make all pages; the public ones are in this language and time zone.

    Every seat's newest report counts as handed over from now on. `progress` is called after each
    match with the number of all matches.
    """
    with store.reading() as tx:
        names = matches.names(tx)
    shown: list[_Shown] = []
    files: dict[str, str] = {}
    for name in names:
        match = _look(store, name, language, zone, now)
        shown.append(match)
        files |= dict(_pages_of(match, key))
        progress(len(names))
    files |= {
        "index.html": club.index(_club(shown, language, zone, now), language),
        "robots.txt": _ROBOTS,
        f"{SEATS}/index.html": club.seats_page(language),
        **dict(_rules(language)),
    }
    over = sum(match.whole is not None for match in shown)
    made = {path: text.encode() for path, text in files.items()}
    return Site(files=made, going=len(shown) - over, over=over)


def link(store: Store, key: Key, name: str, word: str) -> str:
    """Return where in the site the pages of a seat's present holder are."""
    with store.reading() as tx:
        loaded = load(tx, name)
    seat = seat_of(loaded.game, word)
    holder = loaded.holders.get(seat)
    if holder is None or holder.player_id is None:
        raise Refusal(say("no person holds {seat} in {match}", seat=seat, match=loaded.match.name))
    return f"{SEATS}/{folder_of(key, loaded.match.name, seat, holder.tenure)}/"


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


def _club(shown: Sequence[_Shown], language: str, zone: str, now: datetime) -> club.Club:
    ended = sorted(
        (match for match in shown if match.whole),
        key=lambda match: match.loaded.since,
        reverse=True,
    )
    made = moment(now.isoformat(), language, zone)
    return club.Club(
        as_of=words(language, "")(say("As of: {moment}", moment=made)),
        going=[_going(match.loaded, language, zone) for match in shown if not match.whole],
        over=[_over(match, language, zone) for match in ended],
        tables=list(_tables([match.loaded for match in ended], language)),
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
        result=loaded.game.page.rows(whole.report, tell, None).result or "",
        page=_match_page(match),
    )


def _tables(ended: Sequence[Loaded], language: str) -> Iterator[club.Table]:
    counted = [match for match in map(played, ended) if match is not None]
    for slug, game in GAMES.items():
        rows = standings(counted, slug)
        if rows:
            yield club.Table(words(language, slug)(say(game.title)), [_row(row) for row in rows])


def _row(row: Standing) -> tuple[str, int, int, int, int, int, int]:
    name = one_line(row.player)
    return name, row.rating, row.doubt, row.won, row.drawn, row.lost, row.played
