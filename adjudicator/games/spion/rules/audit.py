"""Check that the chance in a match is what its seed and phrases say (rules section 6.7)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.dice import Chance
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.games.spion.rules.cards import deal
from adjudicator.games.spion.rules.rolls import dice_of
from adjudicator.games.spion.rules.state import (
    Card,
    Dealt,
    Drew,
    Event,
    OpeningRolled,
    Place,
    Roll,
    Rolled,
    State,
    TurnOpened,
    X,
    chain,
)
from adjudicator.games.spion.rules.variants import board_of


def audit(state: State, events: Sequence[Event], chance: Chance) -> Iterator[Message]:
    """Name everything in a match's events that its chains do not give: rolls, keys, the deal; and
    links that were left out or used again."""
    used: Counter[str] = Counter()
    for event in events:
        match event:
            case Rolled(seat, number, dice, key) | OpeningRolled(seat, number, dice, key):
                yield from _roll(seat, Roll(number, dice, key), used[chain(seat)] + 1, chance)
                used[chain(seat)] = number
            case TurnOpened(seat, _, roll) if roll:
                yield from _roll(seat, roll, used[chain(seat)], chance)
            case Drew(number=number, key=key):
                due = (used[X] or 1, used[X] + 1)  # one turn may draw twice from a link
                if number not in due or chance.key(X, number).hex() != key:
                    yield say("draw {n} of the adjudicator is not what was shown", n=number)
                used[X] = number
            case Dealt(cards) if cards != _dealt(state, chance):
                yield say("the deal does not follow from the seed and the phrases")


def _roll(seat: Seat, roll: Roll, number: int, chance: Chance) -> Iterator[Message]:
    who = chain(seat)
    right = Roll(number, dice_of(chance, who, number), chance.key(who, number).hex())
    if roll != right:
        yield say("roll {n} of {seat} is not what its chain says", n=roll.number, seat=seat)


def _dealt(state: State, chance: Chance) -> Mapping[Place, Card]:
    return deal(board_of(state.settings), len(state.seats), chance.deal())
