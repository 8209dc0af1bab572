"""Count who has won how often, and how strong the players seem to be.

Only matches between people count, and no cancelled ones: nobody is ranked by what a computer lets
him do. The rating is OpenSkill's (Plackett and Luce), which serves two players and five alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from adjudicator.games import GAMES
from adjudicator.service.base.loaded_match import Loaded, Unopened, Unreadable, game_of, gather
from adjudicator.store import matches as ended_matches
from adjudicator.store.database import Store

if TYPE_CHECKING:
    from openskill.models import PlackettLuceRating

# OpenSkill begins at 25 with a standard deviation of 25/3. On our scale a player with 200 points
# more wins three games of four, as with the ratings of chess.
_BEGINNING = 1500
_POINTS = 48


class EndedMatch(Struct, frozen=True):
    """A match that ended between people: who played, and who of them won; nobody, in a draw.

    `ended_at` is in seconds, because the record of a site keeps it.
    """

    game: str
    ended_at: float
    players: Sequence[str]
    winners: Sequence[str]


class Standing(Struct, frozen=True):
    """A player's results in one game. `doubt` is one standard deviation of the rating."""

    player: str
    won: int
    drawn: int
    lost: int
    rating: int
    doubt: int

    @property
    def played(self) -> int:
        return self.won + self.drawn + self.lost


def played(loaded: Loaded) -> EndedMatch | None:
    """Return the match as the standings count it; None if they do not."""
    outcome = loaded.game.rules.outcome(loaded.state)
    holders = [loaded.holders[seat] for seat in loaded.seats]
    people = [holder.player_name for holder in holders if holder.player_name]
    if outcome is None or outcome.reason == "cancelled":
        return None
    if len(set(people)) < len(holders):  # a computer, or somebody against himself
        return None
    winners = [loaded.holders[seat].shown_name for seat in outcome.winners]
    return EndedMatch(loaded.match.game, loaded.since.timestamp(), people, winners)


def standings(matches: Iterable[EndedMatch], game: str) -> list[Standing]:
    """Return the standing of everybody who has played the game, the highest rating first."""
    counted = sorted(
        (match for match in matches if match.game == game),
        key=lambda match: (match.ended_at, match.players),
    )
    if not counted:
        return []
    ratings = _ratings(counted)
    table = [_standing(player, rating, counted) for player, rating in ratings.items()]
    return sorted(table, key=lambda row: (-row.rating, row.player.casefold()))


_AT_ONCE = 100  # matches that are read at a time


def of_club(store: Store, game: str | None = None) -> dict[str, list[Standing]]:
    """Return the standings of one game, or of each that was played, by the game's name."""
    wanted = [game_of(game.lower()).slug] if game else [*GAMES]
    counted = list(_ended(store))
    tables = {slug: standings(counted, slug) for slug in wanted}
    return {slug: rows for slug, rows in tables.items() if rows or game}


def _ended(store: Store) -> Iterator[EndedMatch]:
    """Yield the matches that count; one that cannot be read does not."""
    for page in count():
        with store.reading() as tx:
            some = ended_matches.ended(tx, page * _AT_ONCE, _AT_ONCE)
            for match in some:
                with suppress(Unreadable, Unopened):
                    if one := played(gather(tx, match)):
                        yield one
        if len(some) < _AT_ONCE:
            return


def _standing(player: str, rating: "PlackettLuceRating", matches: Sequence[EndedMatch]) -> Standing:
    own = [match for match in matches if player in match.players]
    won = sum(player in match.winners and not _is_draw(match) for match in own)
    drawn = sum(_is_draw(match) for match in own)
    return Standing(
        player=player,
        won=won,
        drawn=drawn,
        lost=len(own) - won - drawn,
        rating=round(_BEGINNING + _POINTS * (rating.mu - 25)),
        doubt=round(_POINTS * rating.sigma),
    )


def _is_draw(match: EndedMatch) -> bool:
    return len(match.winners) in (0, len(match.players))


def _ratings(matches: Sequence[EndedMatch]) -> "dict[str, PlackettLuceRating]":
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings: dict[str, Any] = {}
    for match in matches:
        teams = [[ratings.get(player) or model.rating()] for player in match.players]
        # OpenSkill's ranks: the lower number is the better place.
        ranks = [float(player not in match.winners) for player in match.players]
        rated = model.rate(teams, ranks=ranks)
        ratings |= {p: team[0] for p, team in zip(match.players, rated, strict=True)}
    return ratings
