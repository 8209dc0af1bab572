"""What the feed of the club's site tells: new matches and results, in the words of its first
page."""

from collections.abc import Iterator
from functools import partial
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct

from adjudicator.core.message import Words, say
from adjudicator.reports.club import Going, Over
from adjudicator.reports.feed import Entry, Feed, write
from adjudicator.reports.words import words
from adjudicator.service.club.club_view import ClubView, PublicPage

MOST = 50  # entries
PLACE = "feed.xml"


class FeedMatch(Struct, frozen=True):
    """A match: when it was made and ended, in seconds, its row on the first page, and whether its
    players may be named."""

    made_at: float
    ended_at: float
    row: Going | Over
    named: bool


def pages(view: ClubView) -> Iterator[PublicPage]:
    """Yield the feed."""
    told = feed(view)
    yield PublicPage(PLACE, told, partial(write, told))


def feed(view: ClubView) -> Feed:
    """Return what the feed tells."""
    tell = words(view.language, "")
    found = (
        FeedMatch(row.made_at, row.ended_at, shown, row.named)
        for row in view.rows
        if row.made_at and (shown := row.over or row.going)
    )
    entries = sorted(
        (entry for match in found for entry in _entries(view.id, match, tell)),
        key=lambda entry: (-entry.at, entry.id),
    )
    return Feed(
        id=_id(view.id, "feed"),
        title=view.own.name or tell(say("Matches by email")),
        author=view.own.name or "adjud",
        language=view.language,
        updated=entries[0].at if entries else view.now.timestamp(),
        entries=entries[:MOST],
        url=view.url,
    )


def _entries(club: str, match: FeedMatch, tell: Words) -> Iterator[Entry]:
    row = match.row
    known = f"{row.name}/{match.made_at}"
    yield Entry(
        id=_id(club, f"{known}/new"),
        at=match.made_at,
        title=tell(say("New match: {match}", match=row.name)),
        text=_text(match, tell),
        page="index.html",
    )
    if isinstance(row, Over):
        yield Entry(
            id=_id(club, f"{known}/over"),
            at=match.ended_at,
            title=f"{row.name}: {row.result}",
            text=_text(match, tell),
            page=row.page or "index.html",
        )


def _text(match: FeedMatch, tell: Words) -> str:
    seats = (_seat(seat, name, match, tell) for seat, name in match.row.players)
    return f"{match.row.kind}. {', '.join(seats)}"


def _seat(seat: str, name: str, match: FeedMatch, tell: Words) -> str:
    if not match.named:
        return seat
    return f"{seat}: {name}" if name else tell(say("{seat} is open", seat=seat))


def _id(club: str, what: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'adjud:{club}/{what}')}"
