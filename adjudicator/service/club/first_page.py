"""The parts of the club's first page that are about no single match: games and standings."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from adjudicator.core.message import say
from adjudicator.core.text import one_line
from adjudicator.games import GAMES
from adjudicator.reports import club
from adjudicator.reports.words import words
from adjudicator.service.base.reliability import reliability
from adjudicator.service.club import boards
from adjudicator.service.competition.standings import Ratings, Standing, table
from adjudicator.store import players
from adjudicator.store.database import Tx


def played(slug: str, rules: str, language: str) -> club.Played:
    game, tell = GAMES[slug], words(language, slug)
    board = boards.place(slug, game.variants[0]) or ""
    return club.Played(tell(say(game.title)), tell(game.gist), rules, board)


def reliable_players(tx: Tx, language: str, now: datetime) -> Mapping[str, str]:
    """Return how reliable players are, by their names as pages have them (club, 6.1)."""
    figures, tell = reliability(tx, now), words(language, "")
    return {
        one_line(one.name): tell(figures[one.id].told)
        for one in players.listed(tx)
        if one.id in figures
    }


def tables(rated: Ratings, language: str) -> Iterator[club.Table]:
    """Yield the standings of each game that was played; `rated` is by game and player."""
    for slug, ratings in rated.items():
        if ratings:
            title = words(language, slug)(say(GAMES[slug].title))
            yield club.Table(title, [_row(row) for row in table(ratings)])


def _row(row: Standing) -> tuple[str, int, int, int, int, int, int]:
    name = one_line(row.player)
    return name, row.rating, row.doubt, row.won, row.drawn, row.lost, row.played
