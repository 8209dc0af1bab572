"""Pairs for a round of a Swiss of two seats: a matching of least cost (club, 7.5.2).

Theory. Each pair that may meet has a cost, a tuple that is summed over the round and compared from
the left: meetings before, difference of points, seats, distance from the fold of a group of equal
points, and a lot. The tuple is written as one whole number: each part is multiplied by more than
all parts to its right can sum to. Whole numbers make the matching exact, and the lot makes it the
only one. The bye is one more node, the number 0.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from adjudicator.core.pairing.history import PairedEntry, in_places, lot

Cost: TypeAlias = tuple[int, int, int, int, int]
BYE = 0  # the number that stands for no opponent
_LOT = 4  # bytes


def most_rounds(entries: int) -> int:
    """Return up to how many rounds nobody need meet anybody twice (Dirac's theorem)."""
    return entries // 2


def pairs_of_round(
    seed: bytes, round_: int, entries: Sequence[PairedEntry]
) -> list[tuple[int, ...]] | None:
    """Return the pairs in the order of boards, the first seat first; a bye is a tuple of one.

    None if not all can be paired, because two of one address never meet.
    """
    placed = in_places(entries)
    matched = _matching(costs(seed, round_, placed))
    if 2 * len(matched) < len(placed):
        return None
    number = {entry.number: entry for entry in placed}
    place = {entry.number: index for index, entry in enumerate(placed)}
    pairs = [
        _in_seats(seed, round_, [number[n] for n in pair if n != BYE])
        for pair in sorted(matched, key=lambda pair: min(place[n] for n in pair if n != BYE))
    ]
    byes = [pair for pair in pairs if len(pair) == 1]
    return [pair for pair in pairs if len(pair) > 1] + byes


def costs(seed: bytes, round_: int, placed: Sequence[PairedEntry]) -> dict[tuple[int, int], Cost]:
    """Return the cost of each pair that may meet, and of each bye as a pair with 0.

    `placed` are the entries of the round in the order of their places.
    """
    with_points = [sum(entry.points == other.points for other in placed) for entry in placed]
    found: dict[tuple[int, int], Cost] = {}
    for (i, better), (j, worse) in combinations(enumerate(placed), 2):
        if better.address != worse.address:
            low, high = sorted((better.number, worse.number))
            found[low, high] = (
                better.times_met(worse),
                (better.points - worse.points) ** 2,
                int(better.balance * worse.balance > 0),
                (2 * (j - i) - with_points[i]) ** 2,
                _lot_of_pair(seed, round_, low, high),
            )
    if len(placed) % 2:
        fewest = min(entry.points for entry in placed)
        for i, entry in enumerate(placed):
            found[BYE, entry.number] = (
                entry.byes,
                (entry.points - fewest) ** 2,
                0,
                (2 * (len(placed) - 1 - i)) ** 2,
                _lot_of_pair(seed, round_, BYE, entry.number),
            )
    return found


def _lot_of_pair(seed: bytes, round_: int, low: int, high: int) -> int:
    return int.from_bytes(lot(seed, f"pair|{round_}|{low}|{high}")[:_LOT])


def _matching(cost: Mapping[tuple[int, int], Cost]) -> set[tuple[int, int]]:
    """Return the pairs of the perfect matching that costs least, or fewer if there is none."""
    import networkx  # it is slow to import, and used when a round is paired

    nodes = {number for pair in cost for number in pair}
    bases = [
        1 + (len(nodes) // 2) * max((c[part] for c in cost.values()), default=0)
        for part in range(5)
    ]
    graph: networkx.Graph[int] = networkx.Graph()
    for pair, parts in cost.items():
        whole = 0
        for part, base in zip(parts, bases, strict=True):
            whole = whole * base + part
        graph.add_edge(*pair, weight=-whole)
    return {
        (min(pair), max(pair)) for pair in networkx.max_weight_matching(graph, maxcardinality=True)
    }


def _in_seats(seed: bytes, round_: int, pair: Sequence[PairedEntry]) -> tuple[int, ...]:
    """Return a pair, the first seat first: who had it less often, else who alone had the second in
    his last match, else by lot."""

    def order(entry: PairedEntry) -> tuple[int, int, bytes]:
        return entry.balance, -_last_seat(entry), lot(seed, f"seat|{round_}|{entry.number}")

    return tuple(entry.number for entry in sorted(pair, key=order))


def _last_seat(entry: PairedEntry) -> int:
    return entry.seats[-1] if entry.seats else 0
