"""Events that no rule brings about, as a club that cheats would like them: one of each game that
helps its operator."""

from collections.abc import Callable, Mapping
from typing import Any

from adjudicator.core.match import Seat
from adjudicator.games.espionage.rules import state as espionage
from adjudicator.games.spies.rules import events as spies
from adjudicator.games.spion.rules import state as spion


def _stepped(state: Any, seat: str) -> espionage.Stepped:
    """Move a piece of a seat one step on, though it is not its turn or not its order."""
    side = Seat(seat)
    mine = {at: one for at, one in state.pieces.items() if one.side == side}
    start, target = next(
        (at, to)
        for at in mine
        for to in (f"{chr(ord(at[0]) + 1)}{at[1:]}", f"{at[0]}{int(at[1:]) - 1}")
        if to not in state.pieces and to[0] in "abcdefgh" and to[1:] != "0"
    )
    return espionage.Stepped(side, state.turn, 1, start, target, mine[start].rank)


def _moved(state: Any, seat: str) -> spion.Moved:
    goal = next(iter(state.embassies))
    return spion.Moved(Seat(seat), state.spies[Seat(seat)], goal, (goal,))


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


Forged = Callable[[Any, str], Any]

FORGED: Mapping[str, Mapping[str, Forged]] = {
    "espionage": {"a piece is elsewhere": _stepped},
    "spion": {
        "a spy is elsewhere": _moved,
        "standing orders are wiped": lambda state, seat: spion.Replaced(Seat("blue")),
    },
    "spies": {"50 £ are given": _given, "police are moved": _rearranged},
}

EVERY = [(game, name) for game, forged in FORGED.items() for name in forged]
