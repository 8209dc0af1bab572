"""The page of a player on a club's site: matches, results, and the rating over time."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from adjudicator.reports.club import Going, Over, public_page

WIDTH, HEIGHT = 320, 80  # of the picture of a rating, in its own units
_EDGE = 4  # units that the line keeps from the edges


class RatingLine(Struct, frozen=True):
    """A rating over time: `points` of an SVG polyline, the lowest and the highest rating, and the
    days of the first match and of the last."""

    points: str
    low: int
    high: int
    first: str
    last: str


class GameRating(Struct, frozen=True):
    """What a player has reached in one game."""

    game: str
    rating: int
    doubt: int
    won: int
    drawn: int
    lost: int
    line: RatingLine

    @property
    def played(self) -> int:
        return self.won + self.drawn + self.lost


class PlayerPage(Struct, frozen=True):
    """All that the page says. The newest of the matches that are `over` come first. `more` of those
    that are `going` are left out, and `earlier` ones that are over, because there are many.
    `reliability` is empty where nothing was counted. `people` are the places of the other players'
    pages, by name."""

    name: str
    reliability: str
    ratings: Sequence[GameRating]
    going: Sequence[Going]
    more: int
    over: Sequence[Over]
    earlier: int
    people: Mapping[str, str]


def player(shown: PlayerPage, language: str) -> str:
    """Return a player's page."""
    rows = {"player": shown, "width": WIDTH, "height": HEIGHT}
    return public_page("shared/site/player.html.j2", "", language, **rows)


def points(ratings: Iterable[tuple[float, int]]) -> str:
    """Return the points of a line through ratings, each with its time in seconds.

    Times that are all equal are drawn with equal steps.

    >>> points([(0, 1500), (10, 1600), (40, 1550)])
    '4,76 82,4 316,40'
    """
    times, heights = zip(*ratings, strict=True)
    if times[0] == times[-1]:
        times = tuple(range(len(times)))
    across = _positions(times, WIDTH)
    up = _positions(heights, HEIGHT)
    return " ".join(f"{x},{HEIGHT - y}" for x, y in zip(across, up, strict=True))


def _positions(values: Sequence[float], size: int) -> list[int]:
    low, high = min(values), max(values)
    room = size - 2 * _EDGE
    if low == high:
        return [size // 2 for _ in values]
    return [round(_EDGE + room * (value - low) / (high - low)) for value in values]
