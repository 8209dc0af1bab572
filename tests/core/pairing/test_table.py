"""Points of matches and the places that follow (club, 7.6 and 7.7)."""

from fractions import Fraction

from adjudicator.core.pairing import table
from adjudicator.core.pairing.history import Pairing, entries_before
from adjudicator.core.pairing.points import points_of, shown_points


def match(round_, board, first, second, points, ending="played"):
    given = {"1": (24, 0), "0": (0, 24), "=": (12, 12), "-": (0, 0)}.get(points)
    return Pairing(round=round_, board=board, entries=(first, second), points=given, ending=ending)


def test_a_seat_gets_the_share_of_the_others_that_it_beat():
    assert points_of([["white"], ["black"]]) == {"white": 24, "black": 0}
    assert points_of([["white", "black"]]) == {"white": 12, "black": 12}
    assert points_of([["a"], ["b", "c", "d"]]) == {"a": 24, "b": 8, "c": 8, "d": 8}
    assert points_of([["a", "b"], ["c"], ["d"], ["e"]]) == dict(
        zip("abcde", (21, 21, 12, 6, 0), strict=True)
    )
    assert points_of([["a"], ["b"], ["c"]]) == {"a": 24, "b": 12, "c": 0}


def test_who_was_silent_gets_nothing_and_nobody_more_for_it():
    assert points_of([["a"], ["b", "c", "d"]], silent="b") == {"a": 24, "b": 0, "c": 8, "d": 8}


def test_points_are_written_as_people_write_them():
    assert [shown_points(n) for n in (0, 12, 24, 60, 40, 11, 35, 8)] == [
        "0",
        "½",
        "1",
        "2½",
        "1⅔",
        "11/24",
        "1 11/24",
        "⅓",
    ]


def test_equal_points_in_a_round_robin_are_decided_by_the_matches_among_the_equals():
    played = [
        match(1, 1, 1, 4, "1"),
        match(1, 2, 2, 3, "1"),
        match(2, 1, 4, 3, "0"),
        match(2, 2, 1, 2, "0"),
        match(3, 1, 2, 4, "0"),
        match(3, 2, 3, 1, "0"),
    ]

    lines = table.round_robin(range(1, 5), played)

    # 1 and 2 have two points each, and 2 won against 1; 3 and 4 have one each, and 3 won.
    assert [(line.place, line.number, line.points) for line in lines] == [
        (1, 2, 48),
        (2, 1, 48),
        (3, 3, 24),
        (4, 4, 24),
    ]


def test_those_who_are_wholly_equal_share_their_place():
    played = [match(1, 1, 1, 2, "="), match(2, 1, 2, 3, "="), match(3, 1, 1, 3, "=")]

    lines = table.round_robin(range(1, 5), played)

    assert [(line.place, line.number) for line in lines] == [(1, 1), (1, 2), (1, 3), (4, 4)]


def test_a_swiss_adds_the_opponents_points_and_the_own_where_nothing_was_played_out():
    played = [
        match(1, 1, 1, 2, "1"),
        match(1, 2, 3, 4, "0", ending="forfeit"),
        Pairing(round=1, board=3, entries=(5,), points=(24,), kind="bye"),
        match(2, 1, 1, 4, "="),
        Pairing(round=2, board=2, entries=(2, 5, 3), points=(24, 12, 0), ending="played"),
    ]

    compared = {line.number: line.compared for line in table.swiss(range(1, 6), played)}

    # 1: 36, 2: 24, 3: 0, 4: 36, 5: 36
    assert compared == {
        1: 24 + 36,
        2: 36 + Fraction(36 + 0, 2),
        3: 0 + Fraction(24 + 36, 2),
        4: 36 + 36,
        5: 36 + Fraction(24 + 0, 2),
    }


def test_one_who_withdraws_early_counts_nowhere_and_later_each_opponent_wins():
    early = [match(1, 1, 1, 4, "1"), match(1, 2, 2, 3, "1"), match(2, 1, 4, 3, "", "")]
    late = [match(1, 1, 1, 4, "1"), match(2, 1, 4, 3, "1"), match(3, 1, 2, 4, "", "")]

    assert table.pairings_that_count(early, [4], dict.fromkeys(range(1, 5), 3)) == [early[1]]
    counted = table.pairings_that_count(late, [4], dict.fromkeys(range(1, 5), 3))
    points = {line.number: line.points for line in table.round_robin(range(1, 5), counted)}
    assert points == {1: 24, 2: 24, 3: 0, 4: 24}


def test_a_knock_out_is_placed_by_the_round_that_was_reached():
    lines = table.knock_out({1: 2, 2: 1, 3: 0, 4: 0}, [])

    assert [(line.place, line.number) for line in lines] == [(1, 1), (2, 2), (3, 3), (3, 4)]


def test_only_matches_that_are_done_are_counted_as_played():
    found = [
        match(1, 1, 1, 2, "1"),
        match(1, 2, 4, 5, "-", ending="void"),
        Pairing(round=1, board=3, entries=(3,), points=(24,), kind="bye"),
        match(2, 1, 1, 3, "not yet"),
    ]

    lines = table.round_robin(range(1, 6), found)

    assert {line.number: line.played for line in lines} == {1: 1, 2: 1, 3: 0, 4: 1, 5: 1}


def test_before_a_round_only_what_is_done_has_been_played():
    found = [match(1, 1, 2, 1, "1"), match(2, 1, 1, 3, "not yet")]

    one, two, three = entries_before({1: "a", 2: "b", 3: "c"}, found)

    assert (one.met, one.seats, one.points) == ({2: 1}, (1,), 0)
    assert (two.met, two.seats, two.points) == ({1: 1}, (0,), 24)
    assert (three.met, three.seats, three.points) == ({}, (), 0)
