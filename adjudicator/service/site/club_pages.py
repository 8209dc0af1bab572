"""The pages about the club as a whole: the first one and the lists that it leads to, ladders and
tournaments, the feed of new matches and results, and a page for each player.

Nothing is said there of a match that goes on but that it is played.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct
from msgspec.json import decode

from adjudicator.core import public_chance
from adjudicator.core.message import Message, Words, say
from adjudicator.core.text import one_line
from adjudicator.games import GAMES
from adjudicator.reports import club
from adjudicator.reports.club import (
    BoardLine,
    Entry,
    Feed,
    GameRating,
    Going,
    LadderPage,
    LadderResult,
    ListedTournament,
    Over,
    PlayerPage,
    RatingLine,
    TournamentPage,
    feed_xml,
    ladder,
    player,
    points,
    tournament,
)
from adjudicator.reports.words import day, moment_in_words, words
from adjudicator.service.base.options import shows_names
from adjudicator.service.base.reliability import reliability
from adjudicator.service.competition import ladder_tables as of_ladders
from adjudicator.service.competition import showing
from adjudicator.service.competition import tournament as tournaments
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.ladder_tables import LadderTable, day_of, message_for_going
from adjudicator.service.competition.ladders import message_for_result
from adjudicator.service.competition.standings import (
    BEGINNING,
    EndedMatch,
    Rated,
    Ratings,
    Standing,
    table,
)
from adjudicator.service.site import club_view
from adjudicator.service.site.club_view import ClubView, PagedPlayer, PublicPage
from adjudicator.store import players, results
from adjudicator.store.database import Tx

_LATEST = 6  # results on the first page


def pages(view: ClubView) -> Iterator[PublicPage]:
    """Yield the first page, all results, and the newest head of each match's log, those of the
    newest matches first."""
    language, ended = view.language, view.ended
    first = _first(view)
    yield PublicPage("index.html", first, partial(club.index, first, language))
    yield PublicPage("results.html", ended, partial(club.results, ended, language))
    shown = (row.going or row.over for row in reversed(view.rows))
    logs = [(one.name, one.log) for one in shown if one and one.log]
    yield PublicPage("logs.html", logs, partial(club.logs, logs, language))


def _first(view: ClubView) -> club.ClubPage:
    language, going, ended = view.language, view.going, view.ended
    made = moment_in_words(view.now.isoformat(), language, view.zone)
    return club.ClubPage(
        own=view.own,
        as_of=words(language, "")(say("Updated: {moment}", moment=made)),
        games=[_game_row(slug, place, language) for slug, place in view.rules],
        open=[match for match in going if match.is_open],
        going=[match for match in going if not match.is_open],
        over=ended[:_LATEST],
        earlier=len(ended) > _LATEST,
        tables=list(_tables(view.rated, language)),
        people=view.places,
        reliable=view.reliable,
        tournaments=tournament_links(view.tournaments, language),
        ladders=ladder_places(view.ladders),
    )


def _game_row(slug: str, rules: str, language: str) -> club.Played:
    game, tell = GAMES[slug], words(language, slug)
    board = club_view.board_place(slug, game.variants[0]) or ""
    return club.Played(tell(say(game.title)), tell(game.gist), rules, board)


def reliable_players(tx: Tx, language: str, now: datetime) -> Mapping[str, str]:
    """Return how reliable players are, by their names as pages have them (club, 6.1)."""
    figures, tell = reliability(tx, now), words(language, "")
    return {
        one_line(one.name): tell(figures[one.id].told)
        for one in players.all_players(tx)
        if one.id in figures
    }


def _tables(rated: Ratings, language: str) -> Iterator[club.Table]:
    """Yield the standings of each game that was played; `rated` is by game and player."""
    for slug, ratings in rated.items():
        if ratings:
            title = words(language, slug)(GAMES.title(slug))
            yield club.Table(title, [_row(row) for row in table(ratings)])


def _row(row: Standing) -> tuple[str, int, int, int, int, int, int]:
    name = one_line(row.player)
    return name, row.rating, row.doubt, row.won, row.drawn, row.lost, row.played


def ladder_place(name: str) -> str:
    return f"ladders/{name}.html"


def ladder_tables(tx: Tx) -> list[LadderTable]:
    """Return the ladders of the club, the oldest first."""
    found, _ = of_ladders.all_readable(tx)
    return found


def ladder_places(shown: Sequence[LadderTable]) -> Mapping[str, str]:
    """Return the places of the pages by the names of their ladders."""
    return {one.row.name: ladder_place(one.row.name) for one in shown}


def ladder_pages(view: ClubView) -> Iterator[PublicPage]:
    """Yield the page of each ladder."""
    over, ladder_places = view.over, view.places
    for one in view.ladders:
        made = _ladder_page(one, ladder_places, over, view.language)
        yield PublicPage(ladder_place(one.row.name), made, partial(ladder, made, view.language))


def _ladder_page(
    shown: LadderTable, named: Mapping[str, str], over: Mapping[str, Over], language: str
) -> LadderPage:
    row = shown.row
    tell, title = words(language, row.game), GAMES.title(row.game)
    titles = GAMES[row.game].variant_titles if row.game in GAMES else {}
    variant = titles.get(row.variant, Message(row.variant))
    return LadderPage(
        name=row.name,
        kind=f"{tell(title)}, {tell(variant)}",
        closed=row.status == "closed",
        places=[(one.place, one_line(one.player)) for one in shown.rungs],
        going=[tell(message_for_going(one)) for one in shown.going],
        results=[
            LadderResult(
                day_of(one),
                tell(message_for_result(one)),
                over[one.match].page if one.match and one.match in over else None,
            )
            for one in shown.results
        ],
        people={one.player: named[one.player] for one in shown.rungs if one.player in named},
        head=tell(shown.head) if shown.head else None,
    )


def tournament_place(name: str) -> str:
    """Return the place of a tournament's page; the name is one of `creating.NAME`."""
    return f"tournaments/{name}.html"


def all_tournaments(tx: Tx) -> list[Tournament]:
    """Return the tournaments of the club, the newest first."""
    found, _ = tournaments.all_readable(tx)
    return found[::-1]


def tournament_links(cups: Sequence[Tournament], language: str) -> list[ListedTournament]:
    """Return what the first page says of each tournament."""
    found = []
    for cup in cups:
        tell = words(language, cup.row.game)
        state = tell(showing.STATES[cup.row.status])
        told = f"{_tournament_heading(cup, tell)} \N{MIDDLE DOT} {state}"
        found.append(ListedTournament(cup.row.name, told, tournament_place(cup.row.name)))
    return found


def tournament_pages(view: ClubView) -> Iterator[PublicPage]:
    """Yield the page of each tournament."""
    over, places = view.over, view.places
    for one in view.tournaments:
        made = _tournament_page(one, over, places, words(view.language, one.row.game, view.zone))
        yield PublicPage(
            tournament_place(one.row.name), made, partial(tournament, made, view.language)
        )


def _in_words(told: Message | str, tell: Words) -> str:
    return told if isinstance(told, str) else tell(told)


def _tournament_page(
    cup: Tournament, over: Mapping[str, Over], people: Mapping[str, str], tell: Words
) -> TournamentPage:
    entrants = [cup.players_of(one)[-1] for one in cup.entries]
    lines = showing.lines_of(cup)
    tournament_links = {
        _in_words(showing.player_name(cup, one), tell): cup.shown_name(one) for one in cup.entries
    }
    is_open = cup.row.status in ("open", "waiting")
    facts = showing.facts_of_beginning(cup) if is_open else ()
    return TournamentPage(
        name=cup.row.name,
        told=_tournament_heading(cup, tell),
        state=tell(showing.STATES[cup.row.status]),
        starts=" ".join(map(tell, facts)),
        heads=[tell(head) for head in showing.columns(cup)],
        lines=[[_in_words(cell, tell) for cell in showing.cells(cup, line)] for line in lines],
        notes=[tell(one) for one in showing.notes(cup)],
        entrants=entrants,
        rounds=[
            (tell(say("Round {n}", n=n)), list(_tournament_boards(cup, n, over, tell)))
            for n in range(cup.row.round, 0, -1)
        ],
        lots=tell(_SEED_DECIDES if cup.row.chance == public_chance.SEED else _BOTH_DECIDE),
        seed=[tell(one) for one in [*showing.seed_of(cup), tournaments.head_of_log(cup)]],
        people={told: people[name] for told, name in tournament_links.items() if name in people},
    )


_SEED_DECIDES = say(
    "Who meets whom follows from a secret number that was drawn before the start. It is shown here "
    "when the tournament ends."
)
_BOTH_DECIDE = say(
    "Who meets whom follows from a secret number that was drawn before the start, and from a "
    "public number. The secret number is shown here when the tournament ends."
)


def _tournament_heading(cup: Tournament, tell: Words) -> str:
    return f"{tell(GAMES.title(cup.row.game))}, {tell(cup.kind.title)}"


def _tournament_boards(
    cup: Tournament, round_: int, over: Mapping[str, Over], tell: Words
) -> Iterator[BoardLine]:
    for told, match in showing.boards(cup, round_):
        page = over[match].page if match and match in over else None
        yield BoardLine(tell(told), match, page)


MOST = 50  # entries
PLACE = "feed.xml"


class FeedMatch(Struct, frozen=True):
    """A match: when it was made and ended, in seconds, its row on the first page, and whether its
    players may be named."""

    made_at: float
    ended_at: float
    row: Going | Over
    named: bool


def feed_pages(view: ClubView) -> Iterator[PublicPage]:
    """Yield the feed."""
    told = feed(view)
    yield PublicPage(PLACE, told, partial(feed_xml, told))


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
        id=_entry_id(view.id, "feed"),
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
        id=_entry_id(club, f"{known}/new"),
        at=match.made_at,
        title=tell(say("New match: {match}", match=row.name)),
        text=_entry_text(match, tell),
        page="index.html",
    )
    if isinstance(row, Over):
        yield Entry(
            id=_entry_id(club, f"{known}/over"),
            at=match.ended_at,
            title=f"{row.name}: {row.result}",
            text=_entry_text(match, tell),
            page=row.page or "index.html",
        )


def _entry_text(match: FeedMatch, tell: Words) -> str:
    seats = (_seat_of_entry(seat, name, match, tell) for seat, name in match.row.players)
    return f"{match.row.kind}. {', '.join(seats)}"


def _seat_of_entry(seat: str, name: str, match: FeedMatch, tell: Words) -> str:
    if not match.named:
        return seat
    return f"{seat}: {name}" if name else tell(say("{seat} is open", seat=seat))


def _entry_id(club: str, what: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'adjud:{club}/{what}')}"


# A page for each player: what the first page says of that player, gathered, and the rating over
# time.
#
# Nothing is said there of a match that goes on but what the first page says, and nothing of one in
# which names are hidden. A player who was erased has no page, and one whose name is on no page has
# none either.


_MOST_LISTED = 100  # matches in a list on a page, and in the picture of a rating
FOLDER = "players"


def place_of_player(player_id: int, name: str) -> str:
    """Return the place of a player's page: with what is plain of the name, and a number that no
    other player has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]+", "-", plain)[:40].strip("-")
    return f"{FOLDER}/{word or 'player'}-{player_id}.html"


def paged_players(tx: Tx, counted: Sequence[EndedMatch]) -> list[PagedPlayer]:
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
        PagedPlayer(name, place_of_player(number, name), list(of))
        for (number, name), of in found.items()
    ]


@lru_cache(maxsize=1000)  # many matches have the same options
def _is_named(status: str, options: str) -> bool:
    try:
        agreed = decode(options, type=dict[str, str])
    except ValueError:  # they are damaged; nobody knows whether names are hidden
        return status == "over"
    return shows_names(status, agreed)


def player_pages(view: ClubView) -> Iterator[PublicPage]:
    """Yield the page of each player."""
    going = {row.going.name: row.going for row in view.rows if row.going and row.named}
    over, places = view.over, view.places
    order = {match: number for number, match in enumerate(over)}
    for person in view.people:
        newest = sorted((order[match], match) for match in person.matches if match in order)
        played = [match for match in person.matches if match in going]
        plays = [going[match] for match in played[:_MOST_LISTED]]
        ended = [over[match] for _, match in newest[:_MOST_LISTED]]
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
            more=max(0, len(played) - _MOST_LISTED),
            over=ended,
            earlier=max(0, len(newest) - _MOST_LISTED),
            people={other: places[other] for other in met if other in places},
        )
        yield PublicPage(person.path, page, partial(player, page, view.language))


def _rating(slug: str, rated: Sequence[Rated], language: str, zone: str) -> GameRating:
    scores = [one.score for one in rated]
    shown = rated[-_MOST_LISTED:]
    before = rated[-_MOST_LISTED - 1].rating if len(rated) > _MOST_LISTED else BEGINNING
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


# The pages that are not about one match. To add one: its function and its row here, and its
# template; it is made anew when what it says, or the program, has changed.
PAGES: Sequence[Callable[[ClubView], Iterator[PublicPage]]] = (
    player_pages,
    tournament_pages,
    ladder_pages,
    pages,
    feed_pages,
)
