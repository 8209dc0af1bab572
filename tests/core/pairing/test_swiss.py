"""Pairs and pods of a Swiss, held against a search through all that is possible (club, 7.5)."""

from itertools import permutations
from random import Random

import pytest

from adjudicator.core.pairing import pods, swiss
from adjudicator.core.pairing.history import PairedEntry, Pairing, entries_before, in_places, lot

SEED = bytes(range(32))


def all_matchings(numbers):
    if not numbers:
        yield ()
        return
    first, *rest = numbers
    for other in rest:
        left = [number for number in rest if number != other]
        for others in all_matchings(left):
            yield ((first, other), *others)


def cost_by_the_book(entries, pairs, round_):
    """Sum the costs of a round as section 7.5.2 says them, written down a second time."""
    placed = sorted(entries, key=lambda e: (-e.points, e.number))
    place = {entry.number: n for n, entry in enumerate(placed, 1)}
    number = {entry.number: entry for entry in entries}
    total = [0, 0, 0, 0, 0]
    for pair in pairs:
        low, high = sorted(pair)
        drawn = int.from_bytes(lot(SEED, f"pair|{round_}|{low}|{high}")[:4])
        b = number[high]
        if low == 0:
            parts = (
                b.byes,
                (b.points - min(e.points for e in entries)) ** 2,
                0,
                (2 * (len(entries) - place[high])) ** 2,
                drawn,
            )
        else:
            a = number[low]
            better = a if place[a.number] < place[b.number] else b
            same = sum(e.points == better.points for e in entries)
            more = (a.balance > 0 and b.balance > 0) or (a.balance < 0 and b.balance < 0)
            parts = (
                a.met.get(high, 0),
                (a.points - b.points) ** 2,
                int(more),
                (2 * abs(place[a.number] - place[b.number]) - same) ** 2,
                drawn,
            )
        total = [x + y for x, y in zip(total, parts, strict=True)]
    return total


def played_at_random(numbers, rounds, random):
    """Play a Swiss by the program's own pairings, with random results."""
    addresses = {number: f"{number}@example.org" for number in numbers}
    played = []
    for round_ in range(1, rounds + 1):
        entries = entries_before(addresses, played)
        made = swiss.pairs_of_round(SEED, round_, entries)
        for board, pair in enumerate(made, 1):
            points = random.choice([(24, 0), (0, 24), (12, 12)]) if len(pair) > 1 else (24,)
            kind = "match" if len(pair) > 1 else "bye"
            played.append(
                Pairing(
                    round=round_,
                    board=board,
                    entries=pair,
                    points=points,
                    kind=kind,
                    ending="played" if len(pair) > 1 else "",
                )
            )
    return addresses, played


@pytest.mark.parametrize("count", [4, 5, 6, 7, 8])
@pytest.mark.parametrize("chance", range(4))
def test_the_pairs_of_a_round_are_those_that_a_search_finds(count, chance):
    rounds = min(3, swiss.most_rounds(count)) - 1
    addresses, played = played_at_random(range(1, count + 1), rounds, Random(chance))
    entries = entries_before(addresses, played)
    numbers = sorted(addresses) if count % 2 == 0 else [0, *sorted(addresses)]

    made = swiss.pairs_of_round(SEED, rounds + 1, entries)

    best = min(all_matchings(numbers), key=lambda m: cost_by_the_book(entries, m, rounds + 1))
    found = {tuple(sorted(pair)) if len(pair) == 2 else (0, *pair) for pair in made}
    assert found == {tuple(sorted(pair)) for pair in best}


@pytest.mark.parametrize("count", [8, 9, 16, 23])
def test_nobody_meets_anybody_twice_and_nobody_has_two_byes(count):
    addresses, played = played_at_random(
        range(1, count + 1), swiss.most_rounds(count), Random(count)
    )

    for entry in entries_before(addresses, played):
        assert set(entry.met.values()) <= {1}
        assert entry.byes <= 1
        assert abs(entry.balance) <= 3


def test_two_of_one_address_never_meet_and_are_told_of_where_nothing_else_is_possible():
    entries = [
        PairedEntry(number=n, address="home@example.org" if n < 3 else f"{n}@example.org")
        for n in range(1, 5)
    ]

    for round_ in range(1, 20):
        made = swiss.pairs_of_round(SEED, round_, entries)
        assert {1, 2} not in [set(pair) for pair in made]
    assert swiss.pairs_of_round(SEED, 1, entries[:2]) is None


def test_the_first_seat_goes_to_who_had_it_less_often_then_to_who_had_the_second_last():
    def pair(*seats):
        entries = [
            PairedEntry(number=n, address=str(n), seats=had) for n, had in enumerate(seats, 1)
        ]
        return swiss.pairs_of_round(SEED, 3, entries)[0]

    assert pair((0, 0), (1, 0)) == (2, 1)
    assert pair((0, 1), (1, 0)) == (1, 2)
    assert pair((1, 0), (0, 1)) == (2, 1)


def test_boards_are_numbered_by_the_best_place_in_them():
    addresses, played = played_at_random(range(1, 10), 2, Random(5))
    entries = entries_before(addresses, played)
    place = {entry.number: n for n, entry in enumerate(in_places(entries))}

    *pairs, bye = swiss.pairs_of_round(SEED, 3, entries)

    best = [min(place[number] for number in pair) for pair in pairs]
    assert best == sorted(best)
    assert len(bye) == 1


@pytest.mark.parametrize(
    ("entries", "least", "most", "wanted"),
    [
        (7, 3, 4, (4, 3)),
        (5, 3, 4, (4,)),
        (6, 3, 5, (3, 3)),
        (13, 3, 5, (5, 4, 4)),
        (7, 4, 4, (4,)),
        (2, 3, 4, ()),
    ],
)
def test_sizes_of_pods(entries, least, most, wanted):
    assert pods.sizes(entries, least, most) == wanted


def test_the_first_round_of_pods_is_dealt_like_a_snake():
    entries = [PairedEntry(number=n, address=str(n)) for n in range(1, 8)]

    made = pods.pods_of_round(SEED, 1, entries, 3, 4)

    assert [set(pod) for pod in made] == [{1, 4, 5, 7}, {2, 3, 6}]


def test_pods_keep_one_address_apart_and_give_seats_that_were_had_least_often():
    random = Random(3)
    addresses = {n: "home" if n in (1, 2) else str(n) for n in range(1, 12)}
    played = []
    for round_ in range(1, 5):
        made = pods.pods_of_round(SEED, round_, entries_before(addresses, played), 3, 4)
        for board, pod in enumerate(made, 1):
            assert not {1, 2} <= set(pod)
            points = [8] * len(pod)
            points[random.randrange(len(pod))] = 24
            played.append(Pairing(round=round_, board=board, entries=pod, points=tuple(points)))
    for entry in entries_before(addresses, played):
        assert max(entry.seats.count(seat) for seat in entry.seats) <= 2


def test_no_single_exchange_of_pods_is_better():
    random = Random(11)
    met = {n: {m: random.randrange(3) for m in range(1, 9)} for n in range(1, 9)}
    entries = [
        PairedEntry(
            number=n,
            address=str(n),
            points=random.randrange(4) * 8,
            met={m: met[min(n, m)][max(n, m)] for m in range(1, 9) if m != n},
        )
        for n in range(1, 9)
    ]

    made = pods.pods_of_round(SEED, 2, entries, 4, 4)

    number = {entry.number: entry for entry in entries}

    def wrong(split):
        pairs = [(number[a], number[b]) for pod in split for a in pod for b in pod if a < b]
        return (
            sum(a.times_met(b) for a, b in pairs),
            sum((a.points - b.points) ** 2 for a, b in pairs),
        )

    first, second = made
    for i in range(4):
        for j in range(4):
            here, there = list(first), list(second)
            here[i], there[j] = there[j], here[i]
            assert wrong([here, there]) >= wrong(made)


def test_of_equal_seats_the_lowest_lot_decides():
    entries = [PairedEntry(number=n, address=str(n)) for n in range(1, 4)]

    (pod,) = pods.pods_of_round(SEED, 2, entries, 3, 3)

    orders = permutations((1, 2, 3))
    assert pod == min(orders, key=lambda o: lot(SEED, "seats|2|1|" + ",".join(map(str, o))))
