"""The rules, one by one, by the numbers of `RULES.md`; what nobody may see; the computers."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import pytest
from adjud_battleships import BATTLESHIPS
from adjud_battleships.rules import (
    BLUE,
    OTHER,
    RED,
    SEATS,
    SHIPS,
    SQUARES,
    Fleet,
    Order,
    Shoot,
    State,
    between,
    shots_due,
)
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.core.orders import split_lines

CHANCE = Chance(bytes(32), "m", BATTLESHIPS.proof.label)
IN_ROWS_1_TO_5 = (
    "PLACE carrier a1 e1",
    "PLACE battleship a2 d2",
    "PLACE cruiser a3 c3",
    "PLACE submarine a4 c4",
    "PLACE destroyer a5 b5",
)


def opened(**options: str) -> State:
    setting = Setting.of(BATTLESHIPS.options, "standard", options, SEATS)
    return BATTLESHIPS.rules.set_up(setting, CHANCE)


def ordered(state: State, seat: Seat, *lines: str) -> tuple[Sequence[Order], Sequence[str]]:
    """Return the orders of these lines, and what is said of them."""
    sheet = BATTLESHIPS.orders.parse(split_lines("\n".join(lines)))
    problems = BATTLESHIPS.orders.check(BATTLESHIPS.sight.observe(state, seat), sheet)
    return sheet.orders, [str(one.message) for one in (*sheet.problems, *problems)]


def refused(state: State, *lines: str) -> Sequence[str]:
    return ordered(state, BLUE, *lines)[1]


def events_of(state: State, orders: Mapping[Seat, Sequence[Order]]) -> Sequence[Any]:
    return list(BATTLESHIPS.rules.adjudicate(state, orders, CHANCE))


def played(state: State, orders: Mapping[Seat, Sequence[Order]], chance: Chance = CHANCE) -> State:
    events = BATTLESHIPS.rules.adjudicate(state, orders, chance)
    return reduce(BATTLESHIPS.rules.apply, events, state)


def turn(state: State, **lines: str) -> State:
    """Play a turn, with a line of orders for each seat."""
    given = {Seat(seat): ordered(state, Seat(seat), line) for seat, line in lines.items()}
    assert [told for _, told in given.values()] == [[] for _ in given]
    return played(state, {seat: orders for seat, (orders, _) in given.items()})


def placed(**options: str) -> State:
    """Return a match in which both fleets lie in the rows 1 to 5, from column `a` on."""
    state = opened(**options)
    return played(state, {seat: ordered(state, seat, *IN_ROWS_1_TO_5)[0] for seat in SEATS})


def lies_right(fleet: Fleet) -> bool:
    covered = [square for squares in fleet.values() for square in squares]
    straight = all(squares == between(squares[0], squares[-1]) for squares in fleet.values())
    sizes = {ship: len(squares) for ship, squares in fleet.items()}
    return straight and sizes == SHIPS and len({*covered}) == len(covered)


def test_a_fleet_lies_where_it_was_placed() -> None:
    """1.4."""
    fleet = placed().fleets[BLUE]
    assert fleet["carrier"] == ("a1", "b1", "c1", "d1", "e1")
    assert fleet["destroyer"] == ("a5", "b5")
    assert lies_right(fleet)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("PLACE carrier a1 d1", "carrier covers 5 squares in a row or a column"),
        ("PLACE carrier a1 e5", "carrier covers 5 squares in a row or a column"),
        ("PLACE carrier a1 a5", "a2 is taken by: carrier"),
        ("PLACE carrier a1 a11", "'a11' is not a square; squares are a1 to j10"),
        ("PLACE ferry a1 a5", "I do not understand 'PLACE ferry a1 a5'; write PLACE carrier a1 a5"),
        ("PLACE destroyer j1 j2", "destroyer is placed twice"),
        ("SHOOT a1", "place your fleet first, as in PLACE carrier a1 a5"),
    ],
)
def test_a_fleet_that_cannot_lie_so_is_refused(line: str, told: str) -> None:
    """1.2 to 1.4."""
    assert any(said.startswith(told) for said in refused(opened(), line, *IN_ROWS_1_TO_5[1:]))


def test_no_ship_may_be_missing_without_random() -> None:
    """1.5."""
    assert refused(opened(), *IN_ROWS_1_TO_5[:-1]) == [
        "destroyer is not placed; write PLACE random for all ships that you do not name"
    ]
    assert refused(opened(), *IN_ROWS_1_TO_5[:-1], "PLACE random") == []


@pytest.mark.parametrize("named", range(6))
def test_chance_places_what_is_not_named(named: int) -> None:
    """1.5."""
    lines = (*IN_ROWS_1_TO_5[:named], "PLACE random")
    state = opened()
    orders = {seat: ordered(state, seat, *lines)[0] for seat in SEATS}
    for number in range(20):
        fleets = played(state, orders, Chance(bytes([number] * 32), "m", CHANCE.label)).fleets
        assert all(map(lies_right, fleets.values()))
        assert all(
            fleets[seat][ship] == placed().fleets[seat][ship]
            for seat in SEATS
            for ship in [*SHIPS][:named]
        )
        assert named >= 4 or fleets[BLUE] != fleets[RED]


def test_words_of_orders_may_be_norwegian_or_swedish() -> None:
    said = ("plasser hangarskip A1 E1", "placera slagskepp a2 d2", "Plasser tilfeldig.")
    assert refused(opened(), *said) == []
    assert refused(placed(), "SKYT A1, B1, C1, D1, E1") == []


def test_a_salvo_has_a_shot_for_each_ship_afloat() -> None:
    """2.2, 3.2."""
    state = turn(placed(), blue="SHOOT a5 b5 j1 j2 j3", red="SHOOT j1 j2 j3 j4 j5")
    assert (shots_due(state, BLUE), shots_due(state, RED)) == (5, 4)
    assert BATTLESHIPS.sight.observe(state, BLUE).sunk == {BLUE: (), RED: ("destroyer",)}
    assert refused(state, "SHOOT c1 c2 c3 c4") == ["your salvo has 5 shots, not 4"]


def test_a_salvo_may_be_of_one_shot() -> None:
    """2.2."""
    assert refused(placed(salvo="one"), "SHOOT b5") == []
    assert refused(placed(salvo="one"), "SHOOT b5 b6") == ["your salvo has 1 shot, not 2"]


def test_no_square_is_shot_at_twice() -> None:
    """2.3."""
    state = turn(placed(), blue="SHOOT a5 j1 j2 j3 j4", red="SHOOT j1 j2 j3 j4 j5")
    assert refused(state, "SHOOT a5 b5 c5 d5 e5") == ["you have shot at a5 before"]
    assert refused(state, "SHOOT b5 b5 c5 d5 e5") == ["b5 appears here twice"]


def test_the_last_squares_are_a_smaller_salvo() -> None:
    """2.3."""
    state = replace(placed(), shots={BLUE: dict.fromkeys(SQUARES[:97], "miss")})
    assert shots_due(state, BLUE) == 3


def test_both_fire_at_once_or_in_turn() -> None:
    """2.1."""
    awaiting = BATTLESHIPS.rules.awaiting
    assert awaiting(placed()) == {BLUE, RED}
    state = placed(turns="alternating")
    assert awaiting(state) == {BLUE}
    state = turn(state, blue="SHOOT j1 j2 j3 j4 j5")
    assert awaiting(state) == {RED}
    assert awaiting(turn(state, red="SHOOT j1 j2 j3 j4 j5")) == {BLUE}


def test_what_is_called_out() -> None:
    """3.1."""
    salvos = {"blue": "SHOOT a1 a2 j1 j2 j3", "red": "SHOOT j1 j2 j3 j4 j5"}
    misses = {"j1": "miss", "j2": "miss", "j3": "miss"}
    assert turn(placed(), **salvos).shots[BLUE] == {"a1": "hit", "a2": "hit"} | misses
    named = turn(placed(called="ship"), **salvos)
    assert named.shots[BLUE] == {"a1": "carrier", "a2": "battleship"} | misses


def nearly_sunk() -> State:
    """Return a match in which each fleet has one square left that is not hit: a1."""
    state = placed()
    squares = {square for squares in state.fleets[BLUE].values() for square in squares}
    shots = dict.fromkeys(sorted(squares - {"a1"}), "hit")
    return replace(state, shots=dict.fromkeys(SEATS, shots))


def test_whoever_loses_the_last_ship_has_lost() -> None:
    """4.1."""
    outcome = turn(nearly_sunk(), blue="SHOOT a1", red="SHOOT j1").outcome
    assert outcome
    assert (outcome.winners, outcome.reason) == ((BLUE,), "sunk")


def test_nobody_wins_if_both_lose_the_last_ship() -> None:
    """4.2."""
    outcome = turn(nearly_sunk(), blue="SHOOT a1", red="SHOOT a1").outcome
    assert outcome
    assert (outcome.winners, outcome.reason) == ((), "both-sunk")


@pytest.mark.parametrize("called", ["hit", "ship"])
@pytest.mark.parametrize("seat", [*SEATS, Seat("")])
def test_nobody_sees_where_the_other_fleet_lies(seat: Seat, called: str) -> None:
    """3.3: two matches that differ in what was not called out look the same, before a salvo and
    after it."""
    one = placed(called=called)
    elsewhere: Fleet = {
        "carrier": between("f1", "f5"),
        "battleship": between("a2", "d2"),
        "cruiser": between("a3", "c3"),
        "submarine": between("h8", "j8"),
        "destroyer": between("a9", "a10"),
    }
    hidden = [OTHER[seat]] if seat else SEATS
    twin = replace(one, fleets={**one.fleets, **dict.fromkeys(hidden, elsewhere)})
    salvo = {who: [Shoot(("a2", "b3", "j1", "j2", "j3"))] for who in SEATS}
    for state, other in ((one, twin), (played(one, salvo), played(twin, salvo))):
        assert state.fleets != other.fleets
        assert BATTLESHIPS.sight.observe(state, seat) == BATTLESHIPS.sight.observe(other, seat)
    told, of_twin = (
        [BATTLESHIPS.sight.witness(event, seat) for event in events_of(state, salvo)]
        for state in (one, twin)
    )
    assert told == of_twin
    assert any(told)


def test_everything_is_shown_when_the_match_is_over() -> None:
    """3.3."""
    over = turn(nearly_sunk(), blue="SHOOT a1", red="SHOOT j1")
    assert BATTLESHIPS.sight.observe(over, Seat("")).fleets == over.fleets


def test_templates_are_refused_and_examples_are_legal() -> None:
    for state in (opened(), placed(), placed(salvo="one"), nearly_sunk()):
        view = BATTLESHIPS.sight.observe(state, BLUE)
        assert refused(state, *BATTLESHIPS.orders.template(view))
        assert refused(state, *BATTLESHIPS.orders.example(view)) == []


def match_of(blue: str, red: str, seed: int, **options: str) -> State:
    """Play a match between two computers; all their orders are legal."""
    chance, state = Chance(bytes([seed] * 32), "m", CHANCE.label), opened(**options)
    players = {BLUE: BATTLESHIPS.computers[blue], RED: BATTLESHIPS.computers[red]}
    while due := BATTLESHIPS.rules.awaiting(state):
        views = {seat: BATTLESHIPS.sight.observe(state, seat) for seat in sorted(due)}
        orders = {
            seat: players[seat](view, chance.private(seat, f"turn {state.turn}"))
            for seat, view in views.items()
        }
        for seat, given in orders.items():
            assert ordered(state, seat, *BATTLESHIPS.orders.lines(given)) == (given, [])
        state = played(state, orders, chance)
    return state


def test_the_hunting_computer_beats_chance() -> None:
    outcomes = [match_of("computer", "computer:random", seed).outcome for seed in range(5)]
    outcomes += [match_of("computer:random", "computer", seed).outcome for seed in range(5)]
    assert [outcome and outcome.winner for outcome in outcomes] == [BLUE] * 5 + [RED] * 5


@pytest.mark.parametrize("option", ["turns=alternating", "salvo=one", "called=ship"])
def test_computers_play_under_each_option(option: str) -> None:
    name, _, value = option.partition("=")
    assert match_of("computer", "computer:random", 1, **{name: value}).outcome
