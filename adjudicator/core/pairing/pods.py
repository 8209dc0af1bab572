"""Matches of three or more for a round of a Swiss (club, 7.5.3).

There is no fast exact search for the best pods. They begin as the places say, and two entries of
different pods are exchanged as long as that lowers what is wrong: two of one address together, then
second meetings, then differences of points.
"""

from collections.abc import Sequence
from itertools import combinations, permutations

from adjudicator.core.pairing.history import PairedEntry, in_places, lot

_MUCH = 1 << 40  # more than all squares of differences, or all meetings, can sum to


def sizes(entries: int, least: int, most: int) -> tuple[int, ...]:
    """Return the sizes of the pods, the larger first: as few byes as possible, then as few pods.

    What is left over are byes. Empty if there are too few entries for one pod.
    """
    for playing in range(entries, least - 1, -1):
        pods = -(-playing // most)
        if pods * least <= playing:
            small, larger = divmod(playing, pods)
            return (small + 1,) * larger + (small,) * (pods - larger)
    return ()


def pods_of_round(
    seed: bytes, round_: int, entries: Sequence[PairedEntry], least: int, most: int
) -> list[tuple[int, ...]] | None:
    """Return the pods in the order of boards, each in the order of seats; byes are tuples of one.

    None if two of one address could not be kept apart, or there are too few entries.
    """
    pod_sizes = sizes(len(entries), least, most)
    if not pod_sizes:
        return None
    playing = in_places(entries)
    byes = []
    for _ in range(len(entries) - sum(pod_sizes)):
        free = min(reversed(playing), key=lambda entry: (entry.byes, entry.points))
        playing.remove(free)
        byes.append((free.number,))
    pods = _improve_pods(
        _snake(playing, pod_sizes) if round_ == 1 else _cut_into_pods(playing, pod_sizes)
    )
    if any(map(_has_one_address_twice, pods)):
        return None
    place = {entry.number: index for index, entry in enumerate(playing)}
    pods.sort(key=lambda pod: min(place[entry.number] for entry in pod))
    seated = [_in_seats(seed, round_, board, pod) for board, pod in enumerate(pods, 1)]
    return seated + byes


def _snake(placed: Sequence[PairedEntry], pod_sizes: Sequence[int]) -> list[list[PairedEntry]]:
    """Deal entries to and fro over the pods; a full one is passed over."""
    pods: list[list[PairedEntry]] = [[] for _ in pod_sizes]
    there_and_back = [*range(len(pods)), *reversed(range(len(pods)))]
    position = 0
    for entry in placed:
        while len(pods[pod := there_and_back[position % len(there_and_back)]]) == pod_sizes[pod]:
            position += 1
        pods[pod].append(entry)
        position += 1
    return pods


def _cut_into_pods(
    placed: Sequence[PairedEntry], pod_sizes: Sequence[int]
) -> list[list[PairedEntry]]:
    pods, begin = [], 0
    for size in pod_sizes:
        pods.append(list(placed[begin : begin + size]))
        begin += size
    return pods


def _improve_pods(pods: Sequence[Sequence[PairedEntry]]) -> list[list[PairedEntry]]:
    """Exchange two entries of different pods as long as that lowers the sum of what is wrong."""
    placed = in_places(entry for pod in pods for entry in pod)
    home = {entry.number: index for index, pod in enumerate(pods) for entry in pod}
    # What would be wrong with each entry in each pod, beside those who are in it.
    beside = [
        [sum(_wrong(one, other) for other in pod if other is not one) for pod in pods]
        for one in placed
    ]
    pairs = [
        (i, j, 2 * _wrong(one, other))
        for (i, one), (j, other) in combinations(enumerate(placed), 2)
    ]
    while True:
        at = [home[entry.number] for entry in placed]
        change, i, j = min(
            (
                (
                    beside[i][at[j]]
                    + beside[j][at[i]]
                    - beside[i][at[i]]
                    - beside[j][at[j]]
                    - between,
                    i,
                    j,
                )
                for i, j, between in pairs
                if at[i] != at[j]
            ),
            default=(0, 0, 0),
        )
        if change >= 0:
            break
        one, other = placed[i], placed[j]
        for k, entry in enumerate(placed):
            moved = (_wrong(entry, other) if k != j else 0) - (_wrong(entry, one) if k != i else 0)
            beside[k][at[i]] += moved
            beside[k][at[j]] -= moved
        home[one.number], home[other.number] = at[j], at[i]
    return [[e for e in placed if home[e.number] == index] for index in range(len(pods))]


def _wrong(one: PairedEntry, other: PairedEntry) -> int:
    """Return what is wrong with two entries in one pod; sums are compared from the left."""
    return (
        int(one.address == other.address) * _MUCH**2
        + one.times_met(other) * _MUCH
        + (one.points - other.points) ** 2
    )


def _has_one_address_twice(pod: Sequence[PairedEntry]) -> bool:
    return len({entry.address for entry in pod}) < len(pod)


def _in_seats(seed: bytes, round_: int, board: int, pod: Sequence[PairedEntry]) -> tuple[int, ...]:
    """Return a pod in the order of seats that its entries had least often, else by lot."""

    def order(seated: Sequence[PairedEntry]) -> tuple[int, bytes]:
        numbers = ",".join(str(entry.number) for entry in seated)
        had = sum(entry.seats.count(seat) ** 2 for seat, entry in enumerate(seated))
        return had, lot(seed, f"seats|{round_}|{board}|{numbers}")

    return tuple(entry.number for entry in min(permutations(pod), key=order))
