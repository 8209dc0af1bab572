"""The built-in players: what they may know, that they play by the rules, and how well."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TypeAlias

import pytest
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance, Stream
from adjudicator.core.match import Seat, Setting
from adjudicator.core.orders import Line
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.computers import BLUNDERS, COMPUTERS, thinking
from adjudicator.games.espionage.computers.beliefs import beliefs
from adjudicator.games.espionage.computers.homes import home_likelihoods
from adjudicator.games.espionage.computers.placing import guarded_army
from adjudicator.games.espionage.orders.check import check
from adjudicator.games.espionage.orders.values import Order, Rows
from adjudicator.games.espionage.rules.armies import sensible_army
from adjudicator.games.espionage.rules.board import BOARDS, Square, rank_of
from adjudicator.games.espionage.rules.pieces import (
    ARMIES,
    BLACK,
    ENEMY,
    SIDES,
    WHITE,
    Piece,
    Rank,
)
from adjudicator.games.espionage.rules.state import Settings, State
from adjudicator.games.espionage.sight.memory import remember
from adjudicator.games.espionage.sight.observe import SeenStep, View, observe
from tests.games.espionage import arena
from tests.games.espionage.armies_measured import Placed
from tests.games.one_turn import play_turn
from tests.nightly import each_once, mostly_nightly

Player: TypeAlias = Callable[[View, Stream], tuple[Order, ...]]

NORMAL, EASY = COMPUTERS["computer"], COMPUTERS["computer:easy"]
RANDOM = COMPUTERS["computer:random"]
THINKING = pytest.mark.parametrize("name", ["computer:easy", "computer", "computer:strong"])
WITHOUT_BLUNDERS = {
    "computer:easy": thinking.easy,
    "computer": thinking.normal,
    "computer:strong": thinking.strong,
}
# Which level beats which in how many of 20 matches of each variant.
LEVELS = (("computer:strong", "computer", 14), ("computer", "computer:easy", 15))
HIDDEN = tuple(variant for variant in ESPIONAGE.variants if variant != "open-fast")
LONGEST = 400


def _opened(variant: str, number: int) -> tuple[State, Chance]:
    chance = Chance(bytes([number]) * 32, f"{variant}-{number}", label=LABEL)
    options = {name: option.default for name, option in ESPIONAGE.options.items()}
    return ESPIONAGE.rules.set_up(Setting(variant, options, SIDES), chance), chance


def _played(variant: str, number: int, players: Mapping[Seat, Player]) -> Sequence[State]:
    """Return how things stood before every order and at last; end after LONGEST turns at the
    latest."""
    state, chance = _opened(variant, number)
    states = [state]
    while not state.outcome and state.turn < LONGEST:
        orders = {
            seat: players[seat](*_asked(state, seat)) for seat in ESPIONAGE.rules.awaiting(state)
        }
        _, state = play_turn(ESPIONAGE, state, orders, chance)
        states.append(state)
    return states


def _asked(state: State, seat: Seat) -> tuple[View, Stream]:
    """Return the sheet that a player is given."""
    return observe(state, seat), Stream(b"private", f"{seat}|{state.turn}")


def _twin(state: State, seat: Seat) -> State:
    """Return another state that `seat` cannot tell from this one: the enemy's hidden ranks have
    changed places, those of moved pieces among each other (rule 2.2)."""
    pieces = dict(state.pieces)
    for moved in (True, False):
        hidden = [s for s, piece in pieces.items() if _is_hidden(piece, seat, moved)]
        ranks = [pieces[square].rank for square in hidden]
        for square, rank in zip(hidden, [*ranks[1:], *ranks[:1]], strict=True):
            pieces[square] = replace(pieces[square], rank=rank)
    return replace(state, pieces=pieces)


def _is_hidden(piece: Piece, seat: Seat, moved: bool) -> bool:
    return piece.side != seat and piece.known_since is None and piece.moved == moved


def _standing(pieces: Mapping[str, Piece], variant: str = "fast", turn: int = 5) -> State:
    placed = {Square(square): piece for square, piece in pieces.items()}
    return State(Settings(variant), (), placed, turn=turn, to_move=WHITE)


def _order(state: State, name: str = "computer") -> list[str]:
    """Return what a computer orders where it does not blunder."""
    orders = WITHOUT_BLUNDERS[name](*_asked(state, WHITE))
    return [ESPIONAGE.orders.canonical(order) for order in orders]


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "name"), each_once([*ESPIONAGE.variants], [*COMPUTERS]))
def test_every_order_passes_the_check_of_its_own_view(variant: str, name: str):
    seen: list[View] = []

    def checked(view: View, chance: Stream) -> tuple[Order, ...]:
        orders = COMPUTERS[name](view, chance)
        text = "\n".join(ESPIONAGE.orders.canonical(order) for order in orders)
        sheet = ESPIONAGE.orders.parse(
            [Line(i, line) for i, line in enumerate(text.splitlines(), 1)]
        )
        assert sheet.orders == orders
        assert not sheet.problems
        assert not check(view, sheet)
        seen.append(view)
        return orders

    _played(variant, 1, {WHITE: checked, BLACK: checked})
    assert {view.seat for view in seen} == set(SIDES)


@pytest.mark.slow
@pytest.mark.parametrize("variant", mostly_nightly(ESPIONAGE.variants, every_day=["small-fast"]))
@pytest.mark.parametrize(("better", "worse"), [(EASY, RANDOM), (NORMAL, EASY)])
def test_a_computer_beats_a_weaker_one(variant: str, better: Player, worse: Player):
    won = 0
    for number in range(10):
        seat = SIDES[number % 2]
        last = _played(variant, number, {seat: better, ENEMY[seat]: worse})[-1]
        won += last.outcome is not None and last.outcome.winner == seat
    assert won >= 8


@pytest.mark.slow
@pytest.mark.parametrize("variant", mostly_nightly(ESPIONAGE.variants, every_day=["small"]))
def test_its_matches_against_itself_end(variant: str):
    for number in range(3):
        outcome = _played(variant, number, {WHITE: NORMAL, BLACK: NORMAL})[-1].outcome
        assert outcome
        assert outcome.reason in ("headquarters", "no-legal-move")


@pytest.mark.slow
@THINKING
def test_the_same_view_and_chance_give_the_same_order(name: str):
    player = COMPUTERS[name]
    for state in _played("small", 2, {WHITE: NORMAL, BLACK: NORMAL})[:-1:3]:
        for seat in ESPIONAGE.rules.awaiting(state):
            assert player(*_asked(state, seat)) == player(*_asked(state, seat))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "name"),
    each_once([*HIDDEN], ["computer:easy", "computer", "computer:strong"]),
)
def test_it_orders_the_same_whatever_hidden_ranks_the_enemy_has(variant: str, name: str):
    player = COMPUTERS[name]
    changed = 0
    for state in _played(variant, 3, {WHITE: NORMAL, BLACK: NORMAL})[:-1:2]:
        if state.to_move:
            twin = _twin(state, state.to_move)
            changed += twin != state
            assert observe(twin, state.to_move) == observe(state, state.to_move)
            assert player(*_asked(twin, state.to_move)) == player(*_asked(state, state.to_move))
    assert changed > 10


@pytest.mark.parametrize("variant", ESPIONAGE.variants)
def test_it_places_another_sensible_army_each_time(variant: str):
    state, _ = _opened(variant, 1)
    view = observe(state, BLACK)
    drawn = {NORMAL(view, Stream(b"private", str(number))) for number in range(20)}
    assert len(drawn) == 20
    for (order,) in drawn:
        assert isinstance(order, Rows)
        assert "H" not in order.rows[0]
    assert EASY(view, Stream(b"private", "3")) == (
        Rows(sensible_army(view.board.size, Stream(b"private", "3"))),
    )


@pytest.mark.parametrize("size", ARMIES)
def test_it_takes_of_several_armies_one_that_guards_the_headquarters_best(size: int):
    for number in range(40):
        plain = Placed(sensible_army(size, Stream(b"private", str(number))))
        chosen = Placed(guarded_army(size, Stream(b"private", str(number))))
        assert sorted(chosen.at.values()) == sorted(plain.at.values())
        assert chosen.home[0] == plain.home[0]
        assert chosen.is_walled == plain.is_walled
        assert _mines_beside(chosen) >= _mines_beside(plain) - 1


def _mines_beside(army: Placed) -> int:
    row, file = army.home
    return sum(abs(r - row) + abs(f - file) == 1 for r, f in army.mines)


@THINKING
def test_it_takes_a_headquarters_that_it_knows(name: str):
    state = _standing(
        {
            "a1": Piece(WHITE, Rank.HEADQUARTERS),
            "e9": Piece(WHITE, Rank.CORPORAL),
            "c3": Piece(WHITE, Rank.GENERAL),
            "e10": Piece(BLACK, Rank.HEADQUARTERS, known_since=3),
            "c4": Piece(BLACK, Rank.COLONEL, known_since=3),
        }
    )
    assert _order(state, name) == ["e9-e10"]


def test_a_piece_beside_its_headquarters_is_taken_before_anything_else():
    state = _standing(
        {
            "a1": Piece(WHITE, Rank.HEADQUARTERS),
            "c1": Piece(WHITE, Rank.CAPTAIN),
            "g5": Piece(WHITE, Rank.GENERAL),
            "b1": Piece(BLACK, Rank.SPY, moved=True, known_since=3),
            "g6": Piece(BLACK, Rank.COLONEL, moved=True, known_since=3),
            "j10": Piece(BLACK, Rank.HEADQUARTERS),
        }
    )
    assert _order(state) == ["c1-b1"]


def test_it_does_not_attack_a_known_mine_with_a_soldier():
    state = _standing(
        {
            "a1": Piece(WHITE, Rank.HEADQUARTERS),
            "e8": Piece(WHITE, Rank.GENERAL),
            "e9": Piece(BLACK, Rank.MINE, known_since=3),
            "e10": Piece(BLACK, Rank.HEADQUARTERS, known_since=3),
            "j8": Piece(BLACK, Rank.CORPORAL, known_since=3),
        }
    )
    assert _order(state) in (["e8-d8"], ["e8-f8"])


def test_a_sapper_opens_the_way_to_a_headquarters():
    state = _standing(
        {
            "a1": Piece(WHITE, Rank.HEADQUARTERS),
            "e8": Piece(WHITE, Rank.SAPPER),
            "b5": Piece(WHITE, Rank.CAPTAIN),
            "e9": Piece(BLACK, Rank.MINE, known_since=3),
            "e10": Piece(BLACK, Rank.HEADQUARTERS, known_since=3),
            "b6": Piece(BLACK, Rank.CAPTAIN, moved=True, known_since=3),
        }
    )
    assert _order(state) == ["e8-e9"]


def test_it_puts_somebody_strong_where_the_enemy_may_reach_its_headquarters():
    state = _standing(
        {
            "a1": Piece(WHITE, Rank.HEADQUARTERS),
            "a2": Piece(WHITE, Rank.MINE),
            "d1": Piece(WHITE, Rank.GENERAL),
            "h5": Piece(WHITE, Rank.CORPORAL),
            "c3": Piece(BLACK, Rank.COLONEL, moved=True, known_since=3),
            "h8": Piece(BLACK, Rank.LIEUTENANT, moved=True, known_since=3),
            "j10": Piece(BLACK, Rank.HEADQUARTERS),
        }
    )
    assert _order(state) == ["d1-c1"]


@pytest.mark.parametrize("variant", HIDDEN)
def test_where_somebody_left_there_was_no_headquarters(variant: str):
    state = _played(variant, 7, {WHITE: RANDOM, BLACK: RANDOM})[20]
    view = observe(state, WHITE)
    mines, homes = home_likelihoods(view)
    still = {p.square for p in view.pieces if p.side == BLACK and not p.moved}
    assert sum(homes.values()) == pytest.approx(1)
    assert sum(mines.values()) == pytest.approx(ARMIES[view.board.size][Rank.MINE])
    assert all(likely == 0 for square, likely in homes.items() if square not in still)


def test_a_known_mine_makes_a_headquarters_beside_it_likelier():
    state, _ = _opened("standard", 1)
    squares = BOARDS[10].squares
    enemies = {s: Piece(BLACK, Rank.CORPORAL) for s in squares if rank_of(s) > 7}
    for known in (None, 3):
        pieces = {**enemies, Square("e9"): Piece(BLACK, Rank.MINE, known_since=known)}
        _, homes = home_likelihoods(observe(replace(state, pieces=pieces, to_move=WHITE), WHITE))
        if known is None:
            before = homes[Square("e10")]
    assert homes[Square("e10")] > 2 * before


@pytest.mark.slow
def test_a_piece_that_moved_is_believed_neither_mine_nor_headquarters():
    for state in _played("standard", 4, {WHITE: NORMAL, BLACK: NORMAL})[1:-1]:
        view = observe(state, WHITE)
        believed = beliefs(view)
        for piece in view.pieces:
            if piece.side == BLACK and piece.moved:
                assert believed[piece.square].mobile == 1


def test_beliefs_add_up_to_the_enemy_army():
    states = _played("standard", 5, {WHITE: NORMAL, BLACK: NORMAL})
    believed = beliefs(observe(states[1], WHITE))
    for belief in believed.values():
        assert sum(belief.chances.values()) == pytest.approx(1)
    for rank, n in ARMIES[10].items():
        expected = sum(belief.chances[rank] for belief in believed.values())
        assert expected == pytest.approx(n)


def test_a_told_rank_is_believed():
    for state in _played("small", 6, {WHITE: NORMAL, BLACK: NORMAL})[1:-1]:
        believed = beliefs(observe(state, WHITE))
        for square, piece in state.pieces.items():
            if piece.side == BLACK and piece.known_since is not None:
                assert believed[square].chances == {piece.rank: 1}


# What it has seen it remembers.

BESIDE = {
    "a1": Piece(WHITE, Rank.HEADQUARTERS),
    "e7": Piece(WHITE, Rank.CAPTAIN),
    "e8": Piece(BLACK, Rank.COLONEL),
    "j10": Piece(BLACK, Rank.HEADQUARTERS),
}


def _lost(target: str, rank: Rank) -> SeenStep:
    """Let White's own piece of that rank attack the square and be removed."""
    return SeenStep(
        turn=3,
        side=WHITE,
        step=1,
        start=Square("e7"),
        target=Square(target),
        outcome="lost",
        attacker=rank,
        defender=None,
        revealed=(),
    )


def test_a_piece_that_beat_a_colonel_is_believed_no_weaker():
    view = remember(observe(_standing(BESIDE), WHITE), [_lost("e8", Rank.COLONEL)], {})
    believed = beliefs(view)[Square("e8")]
    assert {rank for rank, chance in believed.chances.items() if chance} == {
        Rank.GENERAL,
        Rank.MINE,
    }
    assert believed.beats[Rank.CAPTAIN] == 0


def test_what_beat_a_general_in_defence_is_a_mine():
    view = remember(observe(_standing(BESIDE), WHITE), [_lost("e8", Rank.GENERAL)], {})
    assert beliefs(view)[Square("e8")].chances == {Rank.MINE: 1.0}


def test_a_computer_draws_its_own_conclusions_where_people_are_given_none():
    seen = [_lost("e8", Rank.GENERAL)]
    view = remember(observe(_standing(BESIDE), WHITE), seen, {"aids": "off"})
    assert beliefs(view)[Square("e8")].chances == {Rank.MINE: 1.0}


def test_who_beats_an_attacker_and_stays_is_mostly_a_mine_to_whoever_reads_moves():
    army = {s: Piece(BLACK, Rank.CORPORAL) for s in BOARDS[10].squares if rank_of(s) > 7}
    view = remember(observe(_standing(army), WHITE), [_lost("e8", Rank.CAPTAIN)], {})
    plain, read = (beliefs(view, reads_moves=reads)[Square("e8")] for reads in (False, True))
    assert read.mine > plain.mine
    assert sum(read.chances.values()) == pytest.approx(1)


def test_who_moves_first_is_rather_a_spy_than_a_sapper_to_whoever_reads_moves():
    state, _ = _opened("standard", 1)
    squares = {s: Piece(BLACK, Rank.CORPORAL) for s in BOARDS[10].squares if rank_of(s) > 7}
    pieces = {**squares, Square("e7"): Piece(BLACK, Rank.SPY, moved=True)}
    view = observe(replace(state, pieces=pieces, to_move=WHITE), WHITE)
    plain, read = (beliefs(view, reads_moves=reads)[Square("e7")] for reads in (False, True))
    assert read.chances[Rank.SPY] > plain.chances[Rank.SPY]
    assert read.chances[Rank.SAPPER] < plain.chances[Rank.SAPPER]


def test_a_standard_match_between_computers_ends_within_60_turns():
    """The middle one of five seeds; `python -m tests.games.strength` plays more of them."""
    played = [arena.play("standard", n, NORMAL, NORMAL) for n in range(5)]
    assert sorted(match.turns for match in played)[2] <= 60
    assert max(match.slowest for match in played) < 1


@pytest.mark.nightly
@pytest.mark.parametrize("variant", ESPIONAGE.variants)
@pytest.mark.parametrize(("better", "worse", "least"), LEVELS)
def test_each_level_beats_the_one_below_it(variant: str, better: str, worse: str, least: int):
    played = arena.matches(20, COMPUTERS[better], COMPUTERS[worse], variant)
    assert 20 * arena.share_won(played) >= least
    assert max(match.slowest for match in played) <= 1


@pytest.mark.nightly
def test_half_of_many_standard_matches_between_computers_end_before_turn_60():
    played = [arena.play("standard", 1000 + n, NORMAL, NORMAL) for n in range(100)]
    assert median(match.turns for match in played) < 60


@pytest.mark.parametrize("name", ["computer", "computer:easy"])
def test_the_levels_below_the_strong_one_blunder_in_some_turns(name: str):
    state = _played("small", 6, {WHITE: NORMAL, BLACK: NORMAL})[6]
    assert state.to_move
    view, _ = _asked(state, state.to_move)
    careful = WITHOUT_BLUNDERS[name]
    drawn_by_chance = 0
    for number in range(200):
        orders = COMPUTERS[name](view, Stream(b"private", str(number)))
        stream = Stream(b"private", str(number))
        stream.below(100)
        drawn_by_chance += orders != careful(view, stream)
    assert 0.5 * BLUNDERS[name]["small"] < drawn_by_chance / 2 < 1.5 * BLUNDERS[name]["small"]
