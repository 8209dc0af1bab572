"""One match as the site shows it: its own pages, and its row on the first page.

A running match also has a page for people who have no seat in it: the board as the seat "" saw it
some turns ago (club, section 9). A seat's own pages are under a name that only the key can make.
"""

from base64 import b32encode
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from hmac import digest
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core import seat_report
from adjudicator.core.match import Seat, holder_read
from adjudicator.core.message import Words, count, say
from adjudicator.core.report import AnyReport
from adjudicator.mail.address import Key, MailDomain, public_address
from adjudicator.mail.write.compose import mailto
from adjudicator.reports import club
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.rows import short_head
from adjudicator.reports.words import day, moment_in_words, short, words
from adjudicator.service.base import looks
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import (
    Loaded,
    Seated,
    decoder,
    load_with_position,
    seat_of,
)
from adjudicator.service.base.options import deadlines, onlookers, shows_names, terms
from adjudicator.service.base.public_number import why_unopened
from adjudicator.service.matches import overview
from adjudicator.service.reports import building
from adjudicator.service.reports.printing import Printable
from adjudicator.service.reports.standing import read_log
from adjudicator.service.site import club_view
from adjudicator.service.site.publish import SiteRow
from adjudicator.store import turns
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Match
from adjudicator.store.turns import Ply, ToldHead

_SPECTATOR = Seat("")


class ShownMatch(Struct, frozen=True):
    """One match as the site needs it. `whole` is its report for somebody who has no seat, `heads`
    are those of the log that may be listed. `watched` names what the page for onlookers shows,
    empty if there is none; `watching` is that page, None if an earlier version has it."""

    loaded: Loaded
    own: Sequence[Printable]
    whole: Printable
    heads: Sequence[ToldHead]
    watched: str = ""
    watching: Printable | None = None

    @property
    def is_over(self) -> bool:
        return self.whole.report.result is not None


def public_report(tx: Tx, loaded: Loaded) -> AnyReport:
    """Return the report of a match for somebody who has no seat in it.

    It is built from what onlookers see, and for one that is over from what the end has opened: no
    seat's own matters, no words to the players, none of their addresses.
    """
    seen = building.public(loaded, _SPECTATOR)
    if seen.result is None:
        return seen
    log = [event for _, event in read_log(tx, loaded.match, loaded.game)]
    return replace(seen, record=building.record(loaded, log))


def row_of(
    match: Match,
    *,
    going: club.Going | None = None,
    over: club.Over | None = None,
    ended_at: float = 0.0,
) -> SiteRow:
    named = shows_names(match.status, match.options)
    made_at = match.created_at.timestamp()
    return SiteRow(going=going, over=over, ended_at=ended_at, made_at=made_at, named=named)


def unread_row(match: Match, language: str) -> SiteRow:
    """Return the row of a match of which nothing else can be read."""
    if match.status == "over":
        return SiteRow(going=None, over=None)
    told = words(language, "")(say("On hold."))
    board = club_view.board_place(match.game, match.variant)
    going = club.Going(match.name, match.game, [], "", told, None, board=board)
    return SiteRow(going=going, over=None)


def held_row(before: SiteRow, unread: SiteRow) -> SiteRow:
    """Return the row of before, with what is said of a match that cannot be read."""
    if unread.going is None:
        return before if before.over else unread
    if before.going is None:
        return unread
    return replace(before, going=replace(before.going, told=unread.going.told, deadline=None))


def pages_of(match: ShownMatch, key: Key) -> Iterator[tuple[str, Printable]]:
    """Yield the pages of one match: the public one, if there is one, and each seat's own."""
    if match.is_over and (path := match_page(match)):
        yield path, match.whole
    for own in match.own:
        report = own.report
        tenure = match.loaded.holders[report.seat].tenure
        folder = seat_folder_of(key, match.loaded.match.name, report.seat, tenure)
        yield f"{SEATS}/{folder}/index.html", own


def match_page(match: ShownMatch) -> str | None:
    """Return the place of a match's public page.

    Return None if the match goes on without onlookers, or ended in its set-up (turn 0), before
    anything could be seen.
    """
    shown = match.loaded.match.turn > 0 if match.is_over else match.watched
    return f"matches/{match.loaded.match.name}.html" if shown else None


def board_of(match: ShownMatch) -> str | None:
    """Return the place of the picture of a match's board; None if nobody but its players may see
    it."""
    return club_view.board_of_match(match.loaded.match.name) if match_page(match) else None


def shown_board(match: ShownMatch) -> str | None:
    """Return the place of the picture beside a match: its own, or that of its variant."""
    found = match.loaded.match
    return board_of(match) or club_view.board_place(found.game, found.variant)


def log_of(match: ShownMatch) -> club.ListedLog | None:
    """Return the place of the page with the match's heads and the newest of them; None if there is
    none."""
    if not match.heads:
        return None
    newest = match.heads[-1]
    page = f"logs/{match.loaded.match.name}.html"
    return club.ListedLog(page, newest.ply, short_head(newest.head))


def log_row(told: ToldHead, language: str, zone: str) -> club.LoggedPly:
    at = moment_in_words(told.at.isoformat(), language, zone)
    return club.LoggedPly(told.ply, at, short_head(told.head), told.head)


def going_row(found: ShownMatch, language: str, zone: str, post: MailDomain | None) -> club.Going:
    loaded = found.loaded
    match, tell = loaded.match, words(language, loaded.match.game)
    paused = match.status == "held"
    due = None if paused else rfc3339(match.deadline_at)
    seats = list(open_seats(loaded, tell, post)) if post and match.status == "open" else []
    return club.Going(
        name=match.name,
        kind=kind_of_page(loaded, tell),
        players=players(loaded, tell),
        turn=tell(overview.turn(loaded)),
        told=tell(overview.waits_for(loaded)),
        deadline=short(due, language, zone) if due else None,
        pace=tell(deadlines(terms(match.options))),
        overdue=due is not None and match.overdue_at == match.deadline_at,
        board=shown_board(found),
        seats=seats,
        join=any_seat(loaded, seats, post),
        log=log_of(found),
        page=match_page(found),
    )


def over_row(match: ShownMatch, language: str, zone: str) -> club.Over:
    loaded, whole = match.loaded, match.whole
    tell = words(language, loaded.match.game)
    return club.Over(
        name=loaded.match.name,
        kind=kind_of_page(loaded, tell),
        players=players(loaded, tell),
        day=day(loaded.since, language, zone),
        result=loaded.game.page.rows(whole.report, tell).result or "",
        page=match_page(match),
        log=log_of(match),
        board=shown_board(match),
    )


def unopened_match(
    found: Loaded, language: str, zone: str, post: MailDomain | None
) -> club.Going | None:
    """Return what is told of a match that has no position yet; None if it was cancelled."""
    if found.match.status == "over":
        return None
    tell = words(language, found.match.game, zone)
    seats = list(open_seats(found, tell, post)) if post else []
    return club.Going(
        name=found.match.name,
        kind=kind_of_page(found, tell),
        players=players(found, tell),
        turn=tell(say("Not opened")),
        told=tell(say("The match has not opened: {why}.", why=why_unopened(found.match))),
        deadline=None,
        pace=tell(deadlines(terms(found.match.options))),
        board=club_view.board_place(found.match.game, found.match.variant),
        seats=seats,
        join=any_seat(found, seats, post),
    )


def open_seats(loaded: Seated, tell: Words, post: MailDomain) -> Iterator[club.OpenSeat]:
    for seat in loaded.seats:
        if not loaded.holders[seat].shown_name and not loaded.holders[seat].kept:
            line = f"JOIN {loaded.match.name} {seat}"
            yield _asking(tell(loaded.game.seat_titles[seat]), line, post)


def any_seat(
    loaded: Seated, seats: Sequence[club.OpenSeat], post: MailDomain | None
) -> club.OpenSeat | None:
    """Return what asks for whichever of several open seats is still open; None if only one is."""
    if post is None or len(seats) < 2:
        return None
    return _asking("", f"JOIN {loaded.match.name}", post)


def _asking(title: str, line: str, post: MailDomain) -> club.OpenSeat:
    return club.OpenSeat(title, line, mailto(public_address(post), line, [line]))


def kind_of_page(loaded: Seated, tell: Words) -> str:
    game, variant = loaded.game, loaded.match.variant
    return f"{tell(say(game.title))}, {tell(game.variant_titles[variant])}"


def players(loaded: Seated, tell: Words) -> list[tuple[str, str]]:
    return [
        (tell(loaded.game.seat_titles[seat]), holder_read(loaded.holders[seat].shown_name, tell))
        for seat in loaded.seats
    ]


ONLOOKER = Seat("")


class WatchedPly(Struct, frozen=True):
    """What the page of a running match shows: the last ply that is old enough, and how many turns
    ago that was agreed to be. `mark` names the ply, also after an undo."""

    ply: int
    late: int
    mark: str


def onlookers_ply(tx: Tx, loaded: Loaded) -> WatchedPly | None:
    """Return what onlookers are shown of a match; None if there is nothing, or nothing yet."""
    late = onlookers(loaded.match.options)
    if late is None or loaded.match.status == "over":
        return None
    ply = turns.last_ply_before_turn(tx, loaded.match.id, loaded.match.turn - late)
    if ply is None:
        return None
    shown = turns.one(tx, loaded.match.id, ply)
    if loaded.game.rules.phase(_state(loaded, shown)) != "play":
        return None
    return WatchedPly(ply, late, f"{ply} {rfc3339(shown.adjudicated_at)} {shown.head or ''}")


def watched_page(
    tx: Tx, loaded: Loaded, shown: WatchedPly, lines: tuple[str, ...], language: str, zone: str
) -> Printable:
    """Return the page: the board after that ply, and its history up to there. Of what came later
    it has the lines above the board alone."""
    plies = [one for one in turns.plies(tx, loaded.match.id) if one.ply <= shown.ply]
    events = read_log(tx, loaded.match, loaded.game, until=shown.ply)
    reports = list(_reports(loaded, plies, events))
    past: Sequence[Any] = ()
    if loaded.game.page.past is not None:
        read = decoder(loaded.game.page.past).decode
        past = [read(building.write(loaded.game, one)) for one in reports[:-1]]
    return Printable(reports[-1], language, zone, past, ReplyForm(watched=lines))


def _reports(
    loaded: Loaded, plies: Sequence[Ply], events: Sequence[tuple[int, Any]]
) -> Iterator[AnyReport]:
    """Yield how the match stood after each ply, as onlookers saw it, with what they saw happen."""
    witness = loaded.game.sight.witness
    news: dict[int, list[Any]] = {}
    for ply, event in events:
        if (seen := witness(event, ONLOOKER)) is not None:
            news.setdefault(ply, []).append(seen)
    for one in plies:
        state = _state(loaded, one)
        facts = replace(
            building.facts_of(loaded),
            state=state,
            ply=one.ply,
            adjudicated=rfc3339(one.adjudicated_at),
            deadline=None,
            draw_offers=(),
        )
        view = loaded.game.sight.observe(state, ONLOOKER)
        told = seat_report.public_report(facts, ONLOOKER, view)
        yield replace(told, news=tuple(news.get(one.ply, ())))


def _state(loaded: Loaded, ply: Ply) -> Any:
    return decoder(loaded.game.rules.state).decode(ply.snapshot)  # type: ignore[arg-type]  # is hashable


def watched_lines(loaded: Loaded, shown: WatchedPly, words: Words) -> tuple[str, ...]:
    """Return what stands above the board: the line of the first page, and how old the board is."""
    told = [say("{turn}. {told}", turn=overview.turn(loaded), told=overview.waits_for(loaded))]
    if shown.late:
        told.append(
            count("Shown with a delay of {n} turn.", "Shown with a delay of {n} turns.", shown.late)
        )
    return tuple(map(words, told))


SEATS = "seats"  # the folder of the seats' folders


def seat_link(
    store: Store, key: Key, name: str, word: str, *, noted_at: datetime | None = None
) -> str:
    """Return where in the site the pages of a seat's present holder are.

    With `noted_at` it is noted for all players that the game master looked it up then.
    """
    with store.transaction() if noted_at else store.reading() as tx:
        loaded = load_with_position(tx, name)
        seat = seat_of(loaded.game, word)
        holder = loaded.holders.get(seat)
        if holder is None or holder.player_id is None:
            match = loaded.match.name
            raise Refusal(say("{seat} in {match} has no human player", seat=seat, match=match))
        if noted_at:
            looks.at_link(tx, loaded, seat, noted_at)
    return seat_place(key, loaded.match.name, seat, holder.tenure)


def seat_place(key: Key, match: str, seat: str, tenure: int) -> str:
    """Return the place in the site of the pages of a seat's holder."""
    return f"{SEATS}/{seat_folder_of(key, match, seat, tenure)}/"


def seat_folder_of(key: Key, match: str, seat: str, tenure: int) -> str:
    """Return the name of a seat's folder: 130 bits that only the key can make.

    A new holder of the seat gets another one.
    """
    signed = digest(key.secret, f"site|v1|{match}|{seat}|{tenure}".encode(), sha256)
    return b32encode(signed)[:26].decode("ascii").lower()
