"""The table of a tournament: places, points, and what decides between equal points (club, 7.7)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from adjudicator.core.pairing.history import Pairing
from adjudicator.core.pairing.points import WHOLE


class TableLine(Struct, frozen=True, kw_only=True):
    """A line of the table. Equal lines share their place (1, 2, 2, 4).

    `compared` is what decides between equal points, in 24ths: the opponents' points in a Swiss, the
    points among the equals in a round robin, the team's in a Scheveningen. `won` counts matches
    that were won and played out.
    """

    place: int
    number: int
    points: int  # 24ths
    compared: Fraction = Fraction(0)
    won: int = 0
    played: int = 0  # matches that are done
    round: int = 0  # of a knock-out: how many rounds it survived


def early_leavers(
    pairings: Iterable[Pairing], withdrawn: Iterable[int], matches: Mapping[int, int]
) -> set[int]:
    """Return which of the entries that have withdrawn do not count where each match counts at once:
    those of whose `matches` fewer than half had been played out (club, 7.8)."""
    finished = Counter(
        number for pairing in pairings if pairing.ending == "played" for number in pairing.entries
    )
    return {number for number in withdrawn if 2 * finished[number] < matches[number]}


def pairings_that_count(
    pairings: Iterable[Pairing], withdrawn: Iterable[int], matches: Mapping[int, int]
) -> list[Pairing]:
    """Return what counts from which entries have withdrawn, where each match counts at once
    (club, 7.8); `matches` has how many each number was to play.

    Nothing counts of an entry that withdrew too early; each opponent whom another one has not met
    gets the points of a match won. Neither depends on the order of the entries.
    """
    played, gone = list(pairings), set(withdrawn)
    early = early_leavers(played, gone, matches)
    return [
        _won_against(gone, pairing)
        if gone & {*pairing.entries} and pairing.kind == "match" and not pairing.is_done
        else pairing
        for pairing in played
        if not early & {*pairing.entries}
    ]


def _won_against(gone: Collection[int], pairing: Pairing) -> Pairing:
    return Pairing(
        round=pairing.round,
        board=pairing.board,
        entries=pairing.entries,
        points=tuple(
            WHOLE if any(other in gone for other in pairing.entries if other != number) else 0
            for number in pairing.entries
        ),
        ending="withdrawn",
    )


def round_robin(
    numbers: Iterable[int], counted: Sequence[Pairing], uncounted: Collection[int] = ()
) -> list[TableLine]:
    """Return the table of a round robin: points, those among the equals, matches won. Entries that
    do not count share the last place."""
    points = _points((number for number in numbers if number not in uncounted), counted)
    among = {
        number: sum(
            pairing.points_for(number)
            for pairing in counted
            if number in pairing.entries
            and all(points.get(other) == points[number] for other in pairing.entries)
        )
        for number in points
    }
    lines = _table_lines(points, {number: Fraction(x) for number, x in among.items()}, counted)
    return [*lines, *_last(len(lines), uncounted)]


def scheveningen(
    team_of: Mapping[int, int], counted: Sequence[Pairing], uncounted: Collection[int] = ()
) -> list[TableLine]:
    """Return the table of two teams: points, those of the team, matches won. Entries that do not
    count share the last place."""
    points = _points((number for number in team_of if number not in uncounted), counted)
    of_team = Counter[int]()
    for number, own in points.items():
        of_team[team_of[number]] += own
    compared = {number: Fraction(of_team[team_of[number]]) for number in points}
    return [*_table_lines(points, compared, counted), *_last(len(points), uncounted)]


def _last(counted: int, uncounted: Collection[int]) -> list[TableLine]:
    return [TableLine(place=counted + 1, number=n, points=0) for n in sorted(uncounted)]


def swiss(numbers: Iterable[int], pairings: Sequence[Pairing]) -> list[TableLine]:
    """Return the table of a Swiss: points, the opponents' points, matches won."""
    points = _points(numbers, pairings)
    compared = dict.fromkeys(points, Fraction(0))
    for round_ in sorted({pairing.round for pairing in pairings}):
        in_it = {n: one for one in pairings if one.round == round_ for n in one.entries}
        for number in points:
            compared[number] += _comparison_of_round(number, in_it.get(number), points)
    return _table_lines(points, compared, pairings)


def _comparison_of_round(
    number: int, pairing: Pairing | None, points: Mapping[int, int]
) -> Fraction:
    """Return what a round gives to compare: the mean of the opponents' points, or the entry's own
    in a round without a match that was played out, as of one that has withdrawn."""
    if pairing is not None and not pairing.is_done:
        return Fraction(0)
    if pairing is None or pairing.ending != "played" or len(pairing.entries) < 2:
        return Fraction(points[number])
    others = [points[other] for other in pairing.entries if other != number]
    return Fraction(sum(others), len(others))


def knock_out(rounds: Mapping[int, int], pairings: Sequence[Pairing]) -> list[TableLine]:
    """Return the table of a knock-out: the rounds that each entry survived, by number."""
    points = _points(rounds, pairings)
    won, played = _matches_won(points, pairings), _matches_played(points, pairings)
    order = sorted(rounds, key=lambda number: (-rounds[number], number))
    survived = [rounds[number] for number in order]
    return [
        TableLine(
            place=survived.index(rounds[number]) + 1,
            number=number,
            points=points[number],
            won=won[number],
            played=played[number],
            round=rounds[number],
        )
        for number in order
    ]


def _points(numbers: Iterable[int], pairings: Sequence[Pairing]) -> dict[int, int]:
    points = dict.fromkeys(numbers, 0)
    for pairing in pairings:
        for number in pairing.entries:
            points[number] += pairing.points_for(number)
    return points


def _table_lines(
    points: Mapping[int, int], compared: Mapping[int, Fraction], pairings: Sequence[Pairing]
) -> list[TableLine]:
    won, played = _matches_won(points, pairings), _matches_played(points, pairings)
    worth = {number: (points[number], compared[number], won[number]) for number in points}
    order = sorted(points, key=lambda number: (*(-part for part in worth[number]), number))
    ordered = [worth[number] for number in order]
    return [
        TableLine(
            place=ordered.index(worth[number]) + 1,
            number=number,
            points=points[number],
            compared=compared[number],
            won=won[number],
            played=played[number],
        )
        for number in order
    ]


def _matches_won(numbers: Iterable[int], pairings: Iterable[Pairing]) -> dict[int, int]:
    won = dict.fromkeys(numbers, 0)
    for pairing in pairings:
        if pairing.ending == "played" and pairing.points:
            for number, points in zip(pairing.entries, pairing.points, strict=True):
                won[number] += points == WHOLE
    return won


def _matches_played(numbers: Iterable[int], pairings: Iterable[Pairing]) -> dict[int, int]:
    played = dict.fromkeys(numbers, 0)
    for pairing in pairings:
        if pairing.kind == "match" and pairing.is_done:
            for number in pairing.entries:
                played[number] += 1
    return played
