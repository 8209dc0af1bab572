"""A page for each player on the club's site: what the first page says of that player, gathered, and
the rating over time.

Nothing is said there of a match that goes on but what the first page says, and nothing of one in
which names are hidden. A player who was erased has no page, and one whose name is on no page has
none either.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial

from msgspec.json import decode

from adjudicator.core.text import one_line
from adjudicator.games import GAMES
from adjudicator.reports.club import GameRating, PlayerPage, RatingLine, player, points
from adjudicator.reports.words import day, words
from adjudicator.service.base.options import shows_names
from adjudicator.service.competition.standings import BEGINNING, EndedMatch, Rated
from adjudicator.service.site.club_view import ClubView, PagedPlayer, PublicPage
from adjudicator.store import results
from adjudicator.store.database import Tx

MOST = 100  # matches in a list on a page, and in the picture of a rating
FOLDER = "players"


def place(player_id: int, name: str) -> str:
    """Return the place of a player's page: with what is plain of the name, and a number that no
    other player has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]+", "-", plain)[:40].strip("-")
    return f"{FOLDER}/{word or 'player'}-{player_id}.html"


def everybody(tx: Tx, counted: Sequence[EndedMatch]) -> list[PagedPlayer]:
    """Return the players whom the club's first page names: who plays, who played to the end, and
    for whom a match counts."""
    found: dict[tuple[int, str], dict[str, None]] = defaultdict(dict)
    for held in results.seats_of_players(tx):
        if _is_named(held.status, held.options):
            found[held.player_id, held.player][held.match] = None
    former = results.former_holders(tx)
    for match in counted:
        for name in match.players:
            if name in former:
                found[former[name], name][match.match] = None
    return [
        PagedPlayer(name, place(number, name), list(of)) for (number, name), of in found.items()
    ]


@lru_cache(maxsize=1000)  # many matches have the same options
def _is_named(status: str, options: str) -> bool:
    try:
        agreed = decode(options, type=dict[str, str])
    except ValueError:  # they are damaged; nobody knows whether names are hidden
        return status == "over"
    return shows_names(status, agreed)


def pages(view: ClubView) -> Iterator[PublicPage]:
    """Yield the page of each player."""
    going = {row.going.name: row.going for row in view.rows if row.going and row.named}
    over, places = view.over, view.places
    order = {match: number for number, match in enumerate(over)}
    for person in view.people:
        newest = sorted((order[match], match) for match in person.matches if match in order)
        played = [match for match in person.matches if match in going]
        plays = [going[match] for match in played[:MOST]]
        ended = [over[match] for _, match in newest[:MOST]]
        name = one_line(person.name)
        lists = [*(match.players for match in plays), *(match.players for match in ended)]
        met = {other for seats in lists for _, other in seats} - {name}
        page = PlayerPage(
            name=name,
            reliability=view.reliable.get(name, ""),
            ratings=[
                _rating(slug, rated[person.name], view.language, view.zone)
                for slug, rated in view.rated.items()
                if person.name in rated
            ],
            going=plays,
            more=max(0, len(played) - MOST),
            over=ended,
            earlier=max(0, len(newest) - MOST),
            people={other: places[other] for other in met if other in places},
        )
        yield PublicPage(person.path, page, partial(player, page, view.language))


def _rating(slug: str, rated: Sequence[Rated], language: str, zone: str) -> GameRating:
    scores = [one.score for one in rated]
    shown = rated[-MOST:]
    before = rated[-MOST - 1].rating if len(rated) > MOST else BEGINNING
    ratings = [before, *(one.rating for one in shown)]
    first, last = shown[0].ended_at, shown[-1].ended_at
    times = [first - (last - first) / len(shown), *(one.ended_at for one in shown)]
    return GameRating(
        game=words(language, slug)(GAMES.title(slug)),
        rating=rated[-1].rating,
        doubt=rated[-1].doubt,
        won=scores.count("won"),
        drawn=scores.count("drawn"),
        lost=scores.count("lost"),
        line=RatingLine(
            points=points(list(zip(times, ratings, strict=True))),
            low=min(ratings),
            high=max(ratings),
            first=_day(first, language, zone),
            last=_day(last, language, zone),
        ),
    )


def _day(at: float, language: str, zone: str) -> str:
    return day(datetime.fromtimestamp(at, UTC), language, zone)
