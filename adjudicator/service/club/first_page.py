"""The club's first page, and the lists that it leads to."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial

from adjudicator.core.message import say
from adjudicator.core.text import one_line
from adjudicator.games import GAMES
from adjudicator.reports import club
from adjudicator.reports.words import moment_in_words, words
from adjudicator.service.base.reliability import reliability
from adjudicator.service.club import boards, ladder_pages, tournament_pages
from adjudicator.service.club.club_view import ClubView, PublicPage
from adjudicator.service.competition.standings import Ratings, Standing, table
from adjudicator.store import players
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
        tournaments=tournament_pages.links(view.tournaments, language),
        ladders=ladder_pages.places(view.ladders),
    )


def _game_row(slug: str, rules: str, language: str) -> club.Played:
    game, tell = GAMES[slug], words(language, slug)
    board = boards.place(slug, game.variants[0]) or ""
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
