"""The whole table for the game master, in monospace. Never part of a player's report."""

from collections.abc import Iterator

from adjudicator.core.match import Seat
from adjudicator.games.spion.rules.state import State
from adjudicator.games.spion.rules.variants import board_of


def truth(state: State) -> str:
    """Draw every card face up; a dash stands where there is none."""
    return "\n".join((*_seats(state), "", *_embassies(state)))


def _seats(state: State) -> Iterator[str]:
    for seat in state.seats:
        cards = " ".join(card or "-" for card in state.holders[seat])
        yield f"{seat:<7} spy {state.spies[seat]:<4} bodyguard {state.bodyguards[seat]:<4} {cards}"
        if roll := _dice(state, seat):
            yield f"        {roll}"


def _dice(state: State, seat: Seat) -> str:
    roll = state.rolls.get(seat)
    return f"dice {roll.dice[0]}+{roll.dice[1]}" if roll else ""


def _embassies(state: State) -> Iterator[str]:
    for code, entry in board_of(state.settings).embassies.items():
        inside = ", ".join(seat for seat in state.seats if state.spies[seat] == code)
        yield f"{code} {entry.cell:<4} {state.embassies.get(code, '-'):<6} {inside}".rstrip()
