"""Berger's tables, a knock-out's bracket and two teams (club, 7.5.1, 7.5.4 and 7.5.5)."""

from collections import Counter

import pytest

from adjudicator.core.pairing.fixed import (
    berger,
    bracket,
    in_seats,
    meetings,
    next_places,
    rounds_of_bracket,
    scheveningen,
)


def test_four_and_six_are_paired_as_fide_prints_it():
    assert berger(4) == [[(1, 4), (2, 3)], [(4, 3), (1, 2)], [(2, 4), (3, 1)]]
    assert berger(6) == [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]


@pytest.mark.parametrize("entries", range(3, 17))
def test_everybody_meets_everybody_once_and_nobody_plays_two_matches_in_a_round(entries):
    rounds = berger(entries)

    assert len(rounds) == entries - (entries % 2 == 0)
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert len(met) == entries * (entries - 1) // 2
    assert set(met.values()) == {1}
    for pairs in rounds:
        assert len({number for pair in pairs for number in pair}) == 2 * len(pairs)


@pytest.mark.parametrize("entries", [3, 5, 7, 9])
def test_an_odd_number_gives_each_the_first_seat_as_often_as_the_second(entries):
    first = Counter(pair[0] for pairs in berger(entries) for pair in pairs)

    assert set(first.values()) == {(entries - 1) // 2}


def test_twice_is_once_more_with_seats_changed():
    once = berger(5)

    assert berger(5, twice=True) == once + [[(b, a) for a, b in pairs] for pairs in once]


def test_a_bracket_of_eight_and_one_with_missing_numbers():
    assert bracket(2) == [1, 2]
    assert bracket(8) == [1, 8, 5, 4, 3, 6, 7, 2]
    assert bracket(5) == [1, None, 5, 4, 3, None, None, 2]
    assert meetings(bracket(5)) == [(1,), (5, 4), (3,), (2,)]
    assert [rounds_of_bracket(n) for n in (2, 3, 4, 5, 64)] == [1, 2, 2, 3, 6]


def test_the_two_highest_can_meet_in_the_last_round_alone():
    for entries in range(3, 65):
        places, rounds = bracket(entries), 0
        while len(places) > 1:
            boards = meetings(places)
            assert (1, 2) not in {tuple(sorted(pair)) for pair in boards} or len(boards) == 1
            winners = {board: min(pair, default=None) for board, pair in enumerate(boards, 1)}
            places, rounds = next_places(winners, len(boards)), rounds + 1
        assert places == [1]
        assert rounds == rounds_of_bracket(entries)


def test_an_empty_place_goes_on_and_gives_a_bye():
    assert next_places({1: 4, 2: None, 3: 6}, 4) == [4, None, 6, None]
    assert meetings([4, None, None, None]) == [(4,), ()]


def test_the_seats_of_a_knock_out_are_a_lot_of_the_round():
    seeds = [bytes([n]) * 32 for n in range(40)]

    assert {in_seats(seed, 1, (3, 6)) for seed in seeds} == {(3, 6), (6, 3)}
    assert in_seats(seeds[0], 1, (3, 6)) == in_seats(seeds[0], 1, (6, 3))


def test_two_teams_of_two_and_of_three():
    assert scheveningen(4) == [[(1, 3), (2, 4)], [(4, 1), (3, 2)]]
    assert scheveningen(5) == [[(1, 4), (2, 5)], [(5, 1), (4, 3)], [(2, 4), (5, 3)]]


@pytest.mark.parametrize("entries", range(4, 33))
def test_each_of_a_team_meets_each_of_the_other_once_with_both_seats_as_often(entries):
    team = entries - entries // 2
    rounds = scheveningen(entries)

    assert len(rounds) == team
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert met == {
        frozenset((own, other)): 1
        for own in range(1, team + 1)
        for other in range(team + 1, entries + 1)
    }
    for pairs in rounds:
        assert len({number for pair in pairs for number in pair}) == 2 * len(pairs)
    first = Counter(pair[0] for pairs in rounds for pair in pairs)
    played = Counter(number for pairs in rounds for pair in pairs for number in pair)
    for number, most in played.items():
        assert abs(2 * first[number] - most) <= 2 - most % 2 * (entries % 2 == 0)


def test_two_teams_that_meet_twice_change_seats():
    once = scheveningen(6)
    assert scheveningen(6, twice=True) == once + [[(b, a) for a, b in pairs] for pairs in once]
