"""The pairing of a round of a Swiss with 128 entrants, beside networkx's matching alone."""

from collections.abc import Iterator
from random import Random

import networkx

from adjudicator.core.pairing import swiss
from adjudicator.core.pairing.history import PairedEntry, in_places
from tests.bench.measuring import Row, beside, milliseconds, scaled

ENTRANTS = 128
SEED = bytes(32)


def rows(scale: float) -> Iterator[Row]:
    number = scaled(ENTRANTS, scale, least=8) // 2 * 2
    entries = _entries(number)
    graph: networkx.Graph[int] = networkx.Graph()
    for pair, cost in swiss.costs(SEED, 5, in_places(entries)).items():
        graph.add_edge(*pair, weight=-cost[1])
    ours, theirs, ratio = beside(
        lambda: swiss.pairs_of_round(SEED, 5, entries),
        scaled(5, scale),
        lambda: networkx.max_weight_matching(graph, maxcardinality=True),
    )
    yield Row(
        name=f"pairing of {number} entrants (the matching by points alone)",
        ours=milliseconds(ours),
        theirs=milliseconds(theirs),
        ratio=ratio,
        most=10,
    )


def _entries(number: int) -> list[PairedEntry]:
    """Return entries as they stand after four rounds, with results drawn at random."""
    draw = Random(1)
    met: dict[int, dict[int, int]] = {n: {} for n in range(1, number + 1)}
    points = dict.fromkeys(met, 0)
    seats: dict[int, list[int]] = {n: [] for n in met}
    for _ in range(4):
        order = list(met)
        draw.shuffle(order)
        for one, other in zip(order[::2], order[1::2], strict=True):
            met[one][other] = met[other][one] = 1
            winner = draw.choice((one, other))
            points[winner] += 24
            seats[one].append(0)
            seats[other].append(1)
    return [
        PairedEntry(number=n, address=str(n), points=points[n], met=met[n], seats=tuple(seats[n]))
        for n in met
    ]
