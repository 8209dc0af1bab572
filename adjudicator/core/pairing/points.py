"""What a match of a tournament gives to its seats (club, 7.6)."""

from collections.abc import Collection, Sequence
from fractions import Fraction

WHOLE = 24  # a match won; every share of two to five seats is a whole number of 24ths
_SIGNS = {
    Fraction(1, 4): "¼",
    Fraction(1, 3): "⅓",
    Fraction(1, 2): "½",
    Fraction(2, 3): "⅔",
    Fraction(3, 4): "¾",
    Fraction(1, 8): "⅛",
    Fraction(3, 8): "⅜",
    Fraction(5, 8): "⅝",
    Fraction(7, 8): "⅞",
    Fraction(1, 6): "⅙",
    Fraction(5, 6): "⅚",
}


def points_of(places: Sequence[Sequence[str]], silent: Collection[str] = ()) -> dict[str, int]:
    """Return the 24ths of each seat: the share of the others that it beat; an equal counts half.

    `places` are groups of seats, the best first. A seat that was forfeited by silence gets nothing,
    and nobody gets more for it.
    """
    seats = sum(map(len, places))
    given, below = {}, seats
    for group in places:
        below -= len(group)
        share = Fraction(WHOLE * (2 * below + len(group) - 1), 2 * (seats - 1))
        for seat in group:
            given[seat] = 0 if seat in silent else int(share)
    return given


def points_of_match(
    places: Sequence[Sequence[str]], silent: Collection[str], *, seats: int
) -> dict[str, int]:
    """Return the 24ths of each seat of a match that has ended: nobody gets any if all were
    silent."""
    given = points_of(places, silent)
    return dict.fromkeys(given, 0) if len(silent) == seats else given


def shown_points(points: Fraction | int, whole: int = WHOLE) -> str:
    """Return 24ths as people write them: 2½, 1⅔, or 11/24 where there is no sign."""
    number = Fraction(points, whole) if isinstance(points, int) else points / whole
    full, rest = divmod(number, 1)
    if not rest:
        return str(full)
    sign = _SIGNS.get(rest)
    if sign is None:
        return f"{full} {rest}" if full else str(rest)
    return f"{full or ''}{sign}"
