"""How a club cheats in Spies: what it does to a match of Anna's, who plays the first seat."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from adjudicator.core.match import Seat
from adjudicator.games.spies.rules import events as spies
from tests.service.cheats.scene import Scene

Lines: TypeAlias = Callable[[Scene], Sequence[str]]


def _given(state: Any, seat: str) -> spies.Give:
    """Give a seat's first power 50 £."""
    powers = [power for others in state.seats.values() for power in others]
    mine = state.seats[Seat(seat)][0]
    return spies.Give(next(one for one in powers if one != mine), mine, 50)


def _rearranged(state: Any, seat: str) -> spies.Rearranged:
    """Move the police of another power away."""
    code, piece = next((code, one) for code, one in state.police.items() if one.city and one.on)
    power = next(power for power in state.record if code.startswith(power[0].upper()))
    return spies.Rearranged(power, {code: spies.Spot(piece.city)})


# Orders of the last seat that no rule allows.
ILLEGAL: Mapping[str, Lines] = {
    "a tile that was played": lambda scene: ["PLAY TR1"],
    "a tile of another power": lambda scene: ["PLAY TC1"],
    "a spy of another power": lambda scene: ["SPY G-B: GO ARK"],
    "police of another power": lambda scene: ["POLICE G-P1 BER"],
    "what no order is": lambda scene: [*scene.legal("russia"), "FLY TO THE MOON"],
}
# Events that no rule brings about, as a club that cheats would like them.
FORGED: Mapping[str, Callable[[Any, str], Any]] = {
    "50 £ are given": _given,
    "police are moved": _rearranged,
}
# A key of a report as JSON, and another value of it.
IN_JSON: tuple[str, Callable[[Any], Any]] = ("money", lambda money: dict.fromkeys(money, 1))
