"""The parts of the club's first page that are about no single match: games and standings."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import say
from adjudicator.core.text import one_line
from adjudicator.games import GAMES
from adjudicator.reports import club
from adjudicator.reports.words import words
from adjudicator.service.competition.standings import EndedMatch, Standing, standings


def played(slug: str, rules: str, language: str) -> club.Played:
    game, tell = GAMES[slug], words(language, slug)
    return club.Played(tell(say(game.title)), tell(game.about), tell(game.lasts), rules)


def tables(counted: Sequence[EndedMatch], language: str) -> Iterator[club.Table]:
    for slug in GAMES:
        rows = standings(counted, slug)
        if rows:
            title = words(language, slug)(say(GAMES[slug].title))
            yield club.Table(title, [_row(row) for row in rows])


def _row(row: Standing) -> tuple[str, int, int, int, int, int, int]:
    name = one_line(row.player)
    return name, row.rating, row.doubt, row.won, row.drawn, row.lost, row.played
