"""Count who has won how often, and how strong the players seem to be, from the rows of ended
matches alone.

Only matches between people count, and no cancelled ones: nobody is ranked by what a computer lets
him do. The rating is OpenSkill's (Plackett and Luce), which serves two players and five alike.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

from adjudicator.core.result import MatchResult, read
from adjudicator.games import GAMES
from adjudicator.service.base.loaded_match import game_of
from adjudicator.store import results
from adjudicator.store.database import Store, Tx
from adjudicator.store.results import EndedRow, EndedSeat

if TYPE_CHECKING:
    from openskill.models import PlackettLuceRating

# OpenSkill begins at 25 with a standard deviation of 25/3. On our scale a player with 200 points
# more wins three games of four, as with the ratings of chess.
BEGINNING = 1500
_POINTS = 48


class EndedMatch(Struct, frozen=True):
    """A match that ended between people: who played, and who of them won; nobody, in a draw.

    `ended_at` is in seconds.
    """

    game: str
    ended_at: float
    players: Sequence[str]
    winners: Sequence[str]
    match: str = ""


class Rated(Struct, frozen=True):
    """What a match was for a player, and his rating after it. `doubt` is one standard deviation of
    the rating."""

    ended_at: float
    score: Literal["won", "drawn", "lost"]
    rating: int
    doubt: int


# What each match was for its players, by game and player.
Ratings: TypeAlias = Mapping[str, Mapping[str, Sequence[Rated]]]


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


def as_ended_match(ended: EndedRow) -> EndedMatch | None:
    """Return the match as the standings count it; None if they do not (club, 6.3.3).

    Nobody is counted for a match without a result, nor for one that ended in its set-up, and no
    seat that was forfeited when its reports had come back. A loss is counted for who held the seat
    for more plies, all else for who held it at the end.
    """
    result = read(ended.result)
    if result.is_void or result.in_set_up:
        return None
    if any(seat.player is None for seat in ended.seats):
        return None
    counted = [seat for seat in ended.seats if not _has_bounced(result, seat.seat)]
    drawn = len({*result.winners}) in (0, len(counted))
    people = {
        seat.seat: _holder(seat, lost=not drawn and seat.seat not in result.winners)
        for seat in counted
    }
    if len(people) < 2 or len({*people.values()}) < len(people):  # somebody against himself
        return None
    winners = [people[seat] for seat in result.winners]
    at = ended.ended_at.timestamp()
    return EndedMatch(ended.game, at, list(people.values()), winners, ended.match)


def _has_bounced(result: MatchResult, seat: str) -> bool:
    left = result.departure(seat)
    return left is not None and left.bounced


def _holder(seat: EndedSeat, *, lost: bool) -> str:
    """Return the player for whom a seat counts, which a person held at the end."""
    last = str(seat.player)
    if not (lost and seat.before):
        return last
    plies = Counter({last: seat.plies})
    for one in seat.before:
        plies[one.name] += one.plies
    order = [last, *(one.name for one in reversed(seat.before))]  # of equals the latest counts
    return max(dict.fromkeys(order), key=lambda name: plies[name])


def standings(matches: Iterable[EndedMatch], game: str) -> list[Standing]:
    """Return the standing of everybody who has played the game, the highest rating first."""
    return table(histories(matches, game))


def table(rated: Mapping[str, Sequence[Rated]]) -> list[Standing]:
    """Return the standings that follow from what each match was for each player."""
    rows = [_standing(player, matches) for player, matches in rated.items()]
    return sorted(rows, key=lambda row: (-row.rating, row.player.casefold()))


def of_club(store: Store, game: str | None = None) -> dict[str, list[Standing]]:
    """Return the standings of one game, or of each that was played, by the game's name."""
    with store.reading() as tx:
        counted = counting(tx)
    wanted = games_of(counted)
    if game:
        wanted = [game.lower() if game.lower() in wanted else game_of(game).slug]
    tables = {slug: standings(counted, slug) for slug in wanted}
    return {slug: rows for slug, rows in tables.items() if rows or game}


def games_of(counted: Iterable[EndedMatch]) -> list[str]:
    """Return the games that are here, and others of which matches count."""
    return [*dict.fromkeys((*GAMES, *(one.game for one in counted)))]


def change(
    tx: Tx, game: str, match: str, player: str, named: Collection[str] | None = None
) -> tuple[int, int] | None:
    """Return a player's rating before and after a match that has ended; None if it does not count
    for him. Of a match that hides names, `named` are those that everybody may know: None, too, if
    it counts for anybody else, of whose strength the change would tell."""
    counted = counting(tx, game)
    last = next((one for one in counted if one.match == match), None)
    if last is None or player not in last.players:
        return None
    if named is not None and not {*last.players} <= {*named}:
        return None
    until = [one for one in counted if (one.ended_at, one.match) <= (last.ended_at, last.match)]
    before, after = [BEGINNING, *(one.rating for one in histories(until, game)[player])][-2:]
    return before, after


def counting(tx: Tx, game: str | None = None) -> list[EndedMatch]:
    """Return the matches that count, of one game or of all, in the order in which they ended."""
    found = []
    for row in results.ended_matches(tx, game):
        with suppress(ValueError, KeyError):  # its result is damaged
            if one := as_ended_match(row):
                found.append(one)
    return found


def _standing(player: str, rated: Sequence[Rated]) -> Standing:
    scores = Counter(one.score for one in rated)
    last = rated[-1]
    return Standing(
        player=player,
        won=scores["won"],
        drawn=scores["drawn"],
        lost=scores["lost"],
        rating=last.rating,
        doubt=last.doubt,
    )


def histories(matches: Iterable[EndedMatch], game: str) -> dict[str, list[Rated]]:
    """Return what each match of the game was for each of its players, in the order in which they
    ended."""
    counted = sorted(
        (match for match in matches if match.game == game),
        key=lambda match: (match.ended_at, match.match),  # and not by names, which change
    )
    if not counted:
        return {}
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings: dict[str, Any] = {}
    found: dict[str, list[Rated]] = {}
    for match in counted:
        teams = [[ratings.get(player) or model.rating()] for player in match.players]
        # OpenSkill's ranks: the lower number is the better place.
        ranks = [float(player not in match.winners) for player in match.players]
        rated = model.rate(teams, ranks=ranks)
        for player, team in zip(match.players, rated, strict=True):
            ratings[player] = team[0]
            found.setdefault(player, []).append(_rated_match(match, player, team[0]))
    return found


def _rated_match(match: EndedMatch, player: str, rating: "PlackettLuceRating") -> Rated:
    drawn = len(match.winners) in (0, len(match.players))
    won = player in match.winners
    return Rated(
        ended_at=match.ended_at,
        score="drawn" if drawn else "won" if won else "lost",
        rating=round(BEGINNING + _POINTS * (rating.mu - 25)),
        doubt=round(_POINTS * rating.sigma),
    )
