"""Dice from the seats' chains (section 6): for the first turn, and for each turn to come."""

from adjudicator.core.dice import CHAIN_LENGTH, Chance
from adjudicator.core.match import Seat
from adjudicator.games.spion.rules.movement import stuck
from adjudicator.games.spion.rules.ply_in_progress import Course
from adjudicator.games.spion.rules.state import (
    Begun,
    Dice,
    OpeningRolled,
    Roll,
    Rolled,
    State,
    chain,
)

RESERVE = 10  # links that a chain must have left, or the match ends as by A38
LAST_ROUND = CHAIN_LENGTH - RESERVE  # at the latest, for a chain has no more keys


def next_roll(state: State, seat: Seat, chance: Chance) -> Roll:
    """Return what the next link of the seat's chain gives (6.4)."""
    who = chain(seat)
    number = state.links.get(who, 0) + 1
    return Roll(number, dice_of(chance, who, number), chance.key(who, number).hex())


def dice_of(chance: Chance, who: str, number: int) -> Dice:
    """Return the roll that a link of a chain gives (6.4)."""
    stream = chance.public(who, number)
    return stream.die(), stream.die()


def open_match(course: Course) -> None:
    """Let the seat that rolls most begin; those that tie roll again (R1.3, A32)."""
    rivals = course.state.seats
    while len(rivals) > 1:
        sums: dict[Seat, int] = {}
        for seat in rivals:
            roll = next_roll(course.state, seat, course.chance)
            course.tell(OpeningRolled(seat, roll.number, roll.dice, roll.key))
            sums[seat] = roll.total
        rivals = tuple(seat for seat in rivals if sums[seat] == max(sums.values()))
    course.tell(Begun(rivals[0]))


def roll_ahead(course: Course) -> None:
    """Roll the dice for what is ordered next (5.1): those of the seat to move, or everybody's."""
    state = course.state
    alone = state.settings.mode == "turns"
    for seat in [state.to_move] if state.to_move else state.seats:
        if alone and not rolls(course, seat):
            continue
        roll = next_roll(course.state, seat, course.chance)
        course.tell(Rolled(seat, roll.number, roll.dice, roll.key, public=alone))


def rolls(course: Course, seat: Seat) -> bool:
    """Return whether the seat rolls: always (A26), but by summary 13 not if the spy cannot move at
    all."""
    return course.state.settings.roll_when_blocked or not stuck(course.position, seat)


def exhausted(state: State) -> bool:
    return any(used > CHAIN_LENGTH - RESERVE for used in state.links.values())
