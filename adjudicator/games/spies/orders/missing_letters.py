"""Fills in the letter of own pieces that a seat with one power may leave out (rules 9.1)."""

from collections.abc import Sequence

from msgspec.structs import replace

from adjudicator.games.spies.orders.values import (
    ALL,
    Answer,
    Flee,
    Kill,
    Order,
    Place,
    Plan,
    Post,
    Spare,
    Step,
)
from adjudicator.games.spies.rules.atlas import LETTERS, SPY_LETTERS, Power


def complete_codes(order: Order, powers: Sequence[Power]) -> Order:
    """Return the order with all codes whole; for a seat with two powers it stays as it is."""
    if len(powers) != 1:
        return order
    letter = LETTERS[powers[0]]
    match order:
        case Plan(spy, steps):
            return Plan(_whole(spy, letter), tuple(_step(step, letter) for step in steps))
        case Post(piece) | Place(piece):
            return replace(order, piece=_whole(piece, letter))
        case Answer(spies=spies) | Flee(spies=spies):
            return replace(order, spies=tuple(_whole(spy, letter) for spy in spies))
        case Spare(things):
            return Spare(tuple(_whole(thing, letter) for thing in things))
        case _:
            return order


def _step(step: Step, letter: str) -> Step:
    return replace(step, spy=_whole(step.spy, letter)) if isinstance(step, Kill) else step


def _whole(code: str, letter: str) -> str:
    return f"{letter}-{code}" if is_bare(code) else code


def is_bare(code: str) -> bool:
    """Return whether the letter of the power is missing: `A`, `P1`."""
    return code != ALL and (code in SPY_LETTERS or (len(code) == 2 and code[0] == "P"))
