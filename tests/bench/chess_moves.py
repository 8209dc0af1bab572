"""Random play: legal moves, the rules, the next position.

An order of the standard game is two piece moves, a move of chess is one. The same number of piece
moves is made in both, and processor time is measured.
"""

from collections.abc import Callable, Iterator
from random import Random
from statistics import median
from typing import Any

from adjudicator.games.espionage import ESPIONAGE
from tests.bench.matches import moves, random_order, set_up
from tests.bench.measuring import MISSING, Row, in_turns, peer, per_second, scaled, spent
from tests.games.one_turn import play_turn

LONGEST = 200  # moves of a game of chess; kings alone would wander for ever
LEAST = 2  # times as fast
QUIET = 200  # turns of a match without a fight; two Sappers alone would wander for ever


def rows(scale: float) -> Iterator[Row]:
    number = scaled(2_000, scale, least=20)
    rounds = scaled(15, scale, least=2)
    ours = _Espionage(number)
    chess = peer("chess")
    name = "random play, piece moves (python-chess)"
    if chess is None:
        (own,) = in_turns(rounds, ours, measure=spent)
        yield Row(name=name, ours=per_second(number, own, "moves"), theirs=MISSING, least=LEAST)
    else:
        theirs = _chess(chess, number)
        ours()  # fills caches
        pairs = [(spent(ours), spent(theirs)) for _ in range(rounds)]
        own, other = (median(taken) for taken in zip(*pairs, strict=True))
        yield Row(
            name=name,
            ours=per_second(number, own, "moves"),
            theirs=per_second(number, other, "moves"),
            ratio=median(other / own for own, other in pairs),
            least=LEAST,
        )
    yield Row(name="  the same in orders of two steps", ours=per_second(ours.orders, own, "orders"))


class _Espionage:
    """Random play of Espionage that goes on where it stopped; `orders` is how many the last call
    made."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.orders = 0
        self.rng = Random(1)
        self.state, self.chance = set_up(self.rng)

    def __call__(self) -> None:
        made = self.orders = 0
        while made < self.number:
            side, steps = random_order(self.state, self.rng)
            orders = {side: moves(steps)}
            _, self.state = play_turn(ESPIONAGE, self.state, orders, self.chance)
            made += len(steps)
            self.orders += 1
            if self.state.outcome is not None or self.state.quiet >= QUIET:
                self.state, self.chance = set_up(self.rng)


def _chess(chess: Any, number: int) -> Callable[[], object]:
    """Play chess at random in the cheapest way: an empty list of legal moves shows that a game has
    ended."""
    rng = Random(1)
    board = chess.Board()

    def play() -> None:
        made = 0
        while made < number:
            legal = list(board.legal_moves)
            if legal and len(board.move_stack) < LONGEST:
                board.push(rng.choice(legal))
                made += 1
            else:
                board.reset()

    return play
