"""One match as the site shows it: its own pages, and its row on the first page."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.core.report import AnyReport
from adjudicator.mail.address import Key, MailDomain
from adjudicator.reports import club
from adjudicator.reports.proofs import short_head
from adjudicator.reports.times import day, moment, short
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import deadlines, shows_names, terms
from adjudicator.service.club import boards
from adjudicator.service.club.going import any_seat, kind, open_seats, players
from adjudicator.service.club.seat_folders import SEATS, folder_of
from adjudicator.service.club.site_record import SiteRow
from adjudicator.service.matches import overview
from adjudicator.service.reports import building
from adjudicator.service.reports.printing import Printable
from adjudicator.service.reports.standing import read_log
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match
from adjudicator.store.turns import ToldHead

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
    board = boards.place(match.game, match.variant)
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
        folder = folder_of(key, match.loaded.match.name, report.seat, tenure)
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
    return boards.place_of_match(match.loaded.match.name) if match_page(match) else None


def shown_board(match: ShownMatch) -> str | None:
    """Return the place of the picture beside a match: its own, or that of its variant."""
    found = match.loaded.match
    return board_of(match) or boards.place(found.game, found.variant)


def log_of(match: ShownMatch) -> club.ListedLog | None:
    """Return the place of the page with the match's heads and the newest of them; None if there is
    none."""
    if not match.heads:
        return None
    newest = match.heads[-1]
    page = f"logs/{match.loaded.match.name}.html"
    return club.ListedLog(page, newest.ply, short_head(newest.head))


def logged(told: ToldHead, language: str, zone: str) -> club.LoggedPly:
    at = moment(told.at.isoformat(), language, zone)
    return club.LoggedPly(told.ply, at, short_head(told.head), told.head)


def going_row(found: ShownMatch, language: str, zone: str, post: MailDomain | None) -> club.Going:
    loaded = found.loaded
    match, tell = loaded.match, words(language, loaded.match.game)
    paused = match.status == "held"
    due = None if paused else rfc3339(match.deadline_at)
    seats = list(open_seats(loaded, tell, post)) if post and match.status == "open" else []
    return club.Going(
        name=match.name,
        kind=kind(loaded, tell),
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
        kind=kind(loaded, tell),
        players=players(loaded, tell),
        day=day(loaded.since, language, zone),
        result=loaded.game.page.rows(whole.report, tell).result or "",
        page=match_page(match),
        log=log_of(match),
        board=shown_board(match),
    )
