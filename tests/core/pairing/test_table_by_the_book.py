"""The tables of tournaments against sums made here, word by word, from club 7.7 and 7.8."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from adjudicator.core.pairing import table
from adjudicator.core.pairing.history import Pairing

ENDINGS = ("played", "played", "played", "forfeit", "withdrawn", "ruled", "void")


def given(line):
    return (line.place, line.points, line.compared, line.won)


def places(worth):
    """Return the place of each, by what it is worth: 1, 2, 2, 4."""
    return {n: 1 + sum(other > worth[n] for other in worth.values()) for n in worth}


def swiss_of(random, entries, rounds):
    """Return the pairings of a Swiss, some of whose entries leave after a round."""
    there, made = list(range(1, entries + 1)), []
    for round_ in range(1, rounds + 1):
        random.shuffle(there)
        board = 0
        for board, pair in enumerate(zip(there[::2], there[1::2], strict=False), 1):
            points = random.choice([(24, 0), (0, 24), (12, 12), (0, 0)])
            ending = random.choice(ENDINGS)
            made.append(
                Pairing(round=round_, board=board, entries=pair, points=points, ending=ending)
            )
        if len(there) % 2:
            kind, paid = random.choice([("bye", 24), ("left_out", 0)])
            bye = (there[-1],)
            made.append(
                Pairing(round=round_, board=board + 1, entries=bye, points=(paid,), kind=kind)
            )
        if len(there) > 3 and random.random() < 0.5:
            there.pop()
    return made


@pytest.mark.parametrize("seed", range(60))
def test_a_swiss_compares_by_the_opponents_or_by_the_own_points(seed):
    random = Random(seed)
    entries, rounds = random.randint(4, 9), random.randint(1, 5)
    pairings = swiss_of(random, entries, rounds)

    points = dict.fromkeys(range(1, entries + 1), 0)
    for one in pairings:
        for n, got in zip(one.entries, one.points, strict=True):
            points[n] += got
    compared = {n: Fraction(0) for n in points}
    for n in points:
        for round_ in range(1, rounds + 1):
            played = [
                one
                for one in pairings
                if one.round == round_ and n in one.entries and one.ending == "played"
            ]
            if played:
                (other,) = (m for m in played[0].entries if m != n)
                compared[n] += points[other]
            else:
                compared[n] += points[n]
    won = {
        n: sum(
            one.ending == "played" and one.points[one.entries.index(n)] == 24
            for one in pairings
            if n in one.entries
        )
        for n in points
    }
    place = places({n: (points[n], compared[n], won[n]) for n in points})

    random.shuffle(pairings)
    lines = {line.number: given(line) for line in table.swiss(points, pairings)}
    assert lines == {n: (place[n], points[n], compared[n], won[n]) for n in points}


@pytest.mark.parametrize("seed", range(60))
def test_a_round_robin_counts_who_left_by_what_had_been_played_out(seed):
    random = Random(seed)
    entries = random.randint(3, 7)
    gone = random.sample(range(1, entries + 1), random.randint(0, min(3, entries - 1)))
    pairings = []
    for board, pair in enumerate(combinations(range(1, entries + 1), 2), 1):
        points = random.choice([(24, 0), (0, 24), (12, 12)])
        ending = random.choice(("played", "played", "forfeit", "ruled"))
        if {*pair} & {*gone} and random.random() < 0.5:
            points, ending = None, "withdrawn"
        pairings.append(Pairing(round=board, board=1, entries=pair, points=points, ending=ending))

    early = {
        n
        for n in gone
        if Fraction(sum(n in p.entries and p.ending == "played" for p in pairings))
        < Fraction(entries - 1, 2)
    }
    counted = {
        n: {
            m: 24 if p.points is None and m in gone else (p.points or (0, 0))[p.entries.index(n)]
            for p in pairings
            for m in p.entries
            if n in p.entries and m != n and not early & {n, m}
        }
        for n in range(1, entries + 1)
        if n not in early
    }
    points = {n: sum(against.values()) for n, against in counted.items()}
    among = {
        n: sum(got for m, got in against.items() if points[m] == points[n])
        for n, against in counted.items()
    }
    won = {
        n: sum(
            p.ending == "played" and p.points[p.entries.index(n)] == 24
            for p in pairings
            if n in p.entries and not early & {*p.entries}
        )
        for n in points
    }
    place = places({n: (points[n], among[n], won[n]) for n in points})
    expected = {n: (place[n], points[n], among[n], won[n]) for n in points}
    expected |= {n: (len(points) + 1, 0, 0, 0) for n in early}

    for order in (sorted(gone), sorted(gone, reverse=True)):
        random.shuffle(pairings)
        matches = dict.fromkeys(range(1, entries + 1), entries - 1)
        uncounted = table.early_leavers(pairings, order, matches)
        kept = table.pairings_that_count(pairings, order, matches)
        lines = table.round_robin(range(1, entries + 1), kept, uncounted)
        assert {line.number: given(line) for line in lines} == expected


@pytest.mark.parametrize(("played", "is_early"), [(1, True), (2, False)])
def test_half_of_the_matches_is_enough(played, is_early):
    pairings = [
        Pairing(round=n, board=1, entries=(1, n + 1), points=(24, 0), ending="played")
        for n in range(1, played + 1)
    ]
    assert table.early_leavers(pairings, [1], {1: 4}) == ({1} if is_early else set())
