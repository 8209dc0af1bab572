"""Rounds that are known from the start: Berger's tables (FIDE C.05), a Scheveningen, and a
knock-out's bracket."""

from collections.abc import Mapping, Sequence

from adjudicator.core.pairing.history import lot


def berger(entries: int, *, twice: bool = False) -> list[list[tuple[int, int]]]:
    """Return the rounds of a round robin as pairs of numbers, the first seat first (club, 7.5.1).

    With an odd number of entries the opponent of the number that is missing has no pair.
    """
    even = entries + entries % 2
    rounds = [_berger_round(even, index) for index in range(even - 1)]
    if even != entries:
        rounds = [[pair for pair in pairs if even not in pair] for pairs in rounds]
    again = [[(second, first) for first, second in pairs] for pairs in rounds]
    return rounds + again if twice else rounds


def _berger_round(entries: int, index: int) -> list[tuple[int, int]]:
    circle = entries - 1  # all but the highest number stand in a circle
    first = index * (entries // 2) % circle

    def at(steps: int) -> int:
        return (first + steps) % circle + 1

    top = (at(0), entries) if index % 2 == 0 else (entries, at(0))
    return [top, *((at(step), at(-step)) for step in range(1, entries // 2))]


def scheveningen(entries: int, *, twice: bool = False) -> list[list[tuple[int, int]]]:
    """Return the rounds of two teams as pairs of numbers, the first seat first (club, 7.5.5).

    The first team has the lower half of the numbers, and one more if they are odd: in each round
    one of its members has no pair.
    """
    team = entries - entries // 2
    rounds = [_round_of_teams(entries, team, index) for index in range(team)]
    again = [[(second, first) for first, second in pairs] for pairs in rounds]
    return rounds + again if twice else rounds


def _round_of_teams(entries: int, team: int, index: int) -> list[tuple[int, int]]:
    pairs = [(own + 1, team + (own + index) % team + 1) for own in range(team)]
    # In the round that has none to make up for it, the seats change from board to board.
    is_single = team % 2 == 1 and index == team - 1
    return [
        (other, own) if (board if is_single else index) % 2 else (own, other)
        for board, (own, other) in enumerate(pair for pair in pairs if pair[1] <= entries)
    ]


def rounds_of_bracket(entries: int) -> int:
    """Return how many rounds a knock-out of so many entries has."""
    return (entries - 1).bit_length()


def bracket(entries: int) -> list[int | None]:
    """Return the numbers in the order of a knock-out's first round; neighbours meet (club, 7.5.4).

    None stands for a number that is missing: its neighbour has a bye.
    """
    order = [1]
    while len(order) < entries:
        whole = 2 * len(order) + 1
        order = [
            number
            for place, x in enumerate(order)
            for number in ((x, whole - x) if place % 2 == 0 else (whole - x, x))
        ]
    return [number if number <= entries else None for number in order]


def next_places(winners: Mapping[int, int | None], boards: int) -> list[int | None]:
    """Return who stands on each place of the next round: the winners in the order of boards.

    A board without a winner leaves its place empty.
    """
    return [winners.get(board) for board in range(1, boards + 1)]


def meetings(places: Sequence[int | None]) -> list[tuple[int, ...]]:
    """Return who meets on each board: two, one who has a bye, or nobody."""
    pairs = zip(places[::2], places[1::2], strict=True)
    return [tuple(number for number in pair if number is not None) for pair in pairs]


def in_seats(seed: bytes, round_: int, pair: Sequence[int]) -> tuple[int, ...]:
    """Return who meets in a knock-out in the order of seats: by lot (club, 7.5.4)."""
    return tuple(sorted(pair, key=lambda number: lot(seed, f"seat|{round_}|{number}")))
