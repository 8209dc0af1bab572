"""Let built-in players of Espionage play matches against each other, by the game alone."""

from collections.abc import Callable
from time import process_time
from typing import TypeAlias

from msgspec import Struct

from adjudicator.core.dice import LABEL, Chance, Stream
from adjudicator.core.match import Seat, Setting
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.orders.values import Order
from adjudicator.games.espionage.rules.pieces import BLACK, SIDES, WHITE
from adjudicator.games.espionage.rules.state import State, Stepped
from adjudicator.games.espionage.sight.memory import remember
from adjudicator.games.espionage.sight.observe import SeenStep, View, observe, witness
from tests.games.one_turn import play_turn

Player: TypeAlias = Callable[[View, Stream], tuple[Order, ...]]

LONGEST = 300  # turns; a match that is longer is half won by both


class Played(Struct, frozen=True):
    """How a match went: `first_fight` is its turn, `slowest` the most processor time an order
    took."""

    winner: Seat | None
    turns: int
    first_fight: int
    slowest: float


def play(variant: str, number: int, white: Player, black: Player) -> Played:
    """Play a match; its seed follows from the number."""
    chance = Chance(number.to_bytes(32, "big"), f"{variant}-{number}", label=LABEL)
    options = {name: option.default for name, option in ESPIONAGE.options.items()}
    state = ESPIONAGE.rules.set_up(Setting(variant, options, SIDES), chance)
    players = {WHITE: white, BLACK: black}
    seen: dict[Seat, list[SeenStep]] = {seat: [] for seat in SIDES}
    fought, slowest = LONGEST, 0.0
    while not state.outcome and state.turn < LONGEST:
        orders = {}
        for seat in ESPIONAGE.rules.awaiting(state):
            view = remember(observe(state, seat), seen[seat], options)
            since = process_time()
            orders[seat] = players[seat](view, chance.private(seat, f"computer {state.turn}"))
            slowest = max(slowest, process_time() - since)
        events, state = play_turn(ESPIONAGE, state, orders, chance)
        for seat, steps in seen.items():
            steps += [step for event in events if (step := witness(event, seat))]
        fights = (e.turn for e in events if isinstance(e, Stepped) and e.met)
        fought = min(fought, *fights, LONGEST)
    return Played(_winner(state), state.turn, fought, slowest)


def _winner(state: State) -> Seat | None:
    return state.outcome.winner if state.outcome else None


def matches(number: int, one: Player, other: Player, variant: str = "standard") -> list[Played]:
    """Play so many matches. Each seed is played twice, with the sides exchanged; the winner `white`
    is the first player in each."""
    played = []
    for n in range(number):
        if n % 2:
            match = play(variant, n // 2, other, one)
            winner = {WHITE: BLACK, BLACK: WHITE, None: None}[match.winner]
            played.append(Played(winner, match.turns, match.first_fight, match.slowest))
        else:
            played.append(play(variant, n // 2, one, other))
    return played


def share_won(played: list[Played]) -> float:
    """Return the share of the first player, a match without a winner as half."""
    points = {WHITE: 1.0, BLACK: 0.0, None: 0.5}
    return sum(points[match.winner] for match in played) / len(played)
