"""How often each built-in player of Spion beats the one below it, two playing:
`python -m tests.games.spion.strength [MATCHES]`. Each deal is played twice, with seats exchanged.
"""

import sys
from itertools import pairwise
from time import process_time
from typing import TypeAlias

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.match import Seat
from adjudicator.games.spion.computers import COMPUTERS
from adjudicator.games.spion.orders.values import Order
from adjudicator.games.spion.rules import turns
from adjudicator.games.spion.rules.state import State
from adjudicator.games.spion.sight.observe import observe
from tests.games.spion.matches import adjudicated, chance_of, setting

Kind: TypeAlias = str
KINDS = ("computer:random", "computer:easy", "computer", "computer:strong")  # the weakest first
SEATS = ("blue", "yellow")
LONGEST = 400  # rounds


class Clock:
    """The slowest turn of each kind, in seconds of the processor."""

    def __init__(self) -> None:
        self.slowest = dict.fromkeys(KINDS, 0.0)

    def ordered(self, kind: Kind, state: State, seat: Seat, stream: Stream) -> tuple[Order, ...]:
        start = process_time()
        orders = COMPUTERS[kind](observe(state, seat), stream)
        self.slowest[kind] = max(self.slowest[kind], process_time() - start)
        return orders


def won(kind: Kind, other: Kind, number: int, clock: Clock, variant: str = "original") -> float:
    """Return 1 if a kind wins a match, 0.5 if nobody does."""
    first = number % 2 == 0
    kinds = dict(zip(SEATS, (kind, other) if first else (other, kind), strict=True))
    chance: Chance = chance_of((number // 2).to_bytes(32))
    state = turns.set_up(setting(variant, 2, max_rounds=str(LONGEST)), chance)
    while waiting := turns.awaiting(state):
        orders = {
            seat: clock.ordered(
                kinds[seat], state, seat, chance.private(seat, f"computer {state.ply + 1}")
            )
            for seat in state.seats
            if seat in waiting
        }
        state = adjudicated(state, orders, chance).states[-1]
    assert state.outcome, "matches end"
    winner = state.outcome.winner
    return 0.5 if winner is None else float(kinds[winner] == kind)


def share(kind: Kind, other: Kind, matches: int, clock: Clock, variant: str = "original") -> float:
    return sum(won(kind, other, number, clock, variant) for number in range(matches)) / matches


def main(matches: int) -> None:
    clock = Clock()
    print(f"{matches} matches each: share of victories")
    for other, kind in pairwise(KINDS):
        print(f"  {kind} against {other}: {share(kind, other, matches, clock):.0%}", flush=True)
    for kind, seconds in clock.slowest.items():
        print(f"  {kind}: slowest turn {seconds:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
