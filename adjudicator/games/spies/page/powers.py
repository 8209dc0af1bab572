"""The tables of the powers: what all see of each, and at the end its points by year."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from adjudicator.core.message import Words
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.pieces import Piece, piece_text, pieces
from adjudicator.games.spies.rules.atlas import (
    FIRST_YEAR,
    LAST_YEAR,
    LETTERS,
    POWERS,
    Power,
    atlas,
)
from adjudicator.games.spies.sight.view import SeenSpy, View

YEARS = range(FIRST_YEAR, LAST_YEAR + 1)


class PowerRow(Struct, frozen=True, kw_only=True):
    """One power, as all see it. A dormant power has no money, chits or tiles, and only a report
    that may know a power's points has them. `record` has the pieces that came in each year."""

    power: Power
    letter: str
    title: str
    own: bool
    dormant: bool
    money: int | None
    chits: int | None
    tiles: int | None
    points: int | None
    record: Sequence[tuple[int, str]]


class PointsRow(Struct, frozen=True, kw_only=True):
    """A seat's points as they came, year by year."""

    title: str
    by_year: Sequence[int]
    sum: int


def powers(view: View, words: Words) -> list[PowerRow]:
    """Return a row for each power, also for those that nobody plays."""
    known = pieces(view)
    return [
        PowerRow(
            power=power,
            letter=LETTERS[power],
            title=words(TITLES[power]),
            own=power in view.powers,
            dormant=power in view.dormant,
            money=view.money.get(power),
            chits=view.chits.get(power),
            tiles=view.tiles.get(power),
            points=view.points.get(power),
            record=_record(view, power, known),
        )
        for power in POWERS
    ]


def _record(view: View, power: Power, known: Mapping[str, Piece]) -> list[tuple[int, str]]:
    years: dict[int, list[str]] = {}
    for entry in view.record[power]:
        years.setdefault(entry.year, []).append(piece_text(known[entry.code]))
    return [(year, ", ".join(told)) for year, told in years.items()]


def points(view: View, words: Words) -> list[PointsRow] | None:
    """Return each seat's points as they came; None before the end."""
    if view.result is None or not view.placed:
        return None
    known = pieces(view)
    return [
        PointsRow(title=words(TITLES[seat]), by_year=by_year, sum=sum(by_year))
        for seat, led in view.seats.items()
        for by_year in [[_came(view, led, year, known) for year in YEARS]]
    ]


def _came(view: View, led: Sequence[Power], year: int, known: Mapping[str, Piece]) -> int:
    """Return the points that these powers made in a year."""
    return sum(
        atlas().factors[year] * _worth(known[entry.code])
        for power in led
        for entry in view.record[power]
        if entry.year == year
    )


def _worth(piece: Piece) -> int:
    """Return what a piece counts on a record; a counterspy counts nothing."""
    return (piece.strength if isinstance(piece, SeenSpy) else piece.value) or 0
