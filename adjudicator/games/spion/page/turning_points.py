"""The turning points of a match that has ended: where a reader may want to look first."""

from collections.abc import Iterator, Sequence
from enum import IntEnum

from adjudicator.core.message import Message, say
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_title
from adjudicator.games.spion.rules.state import (
    Card,
    Challenged,
    Ended,
    Event,
    GuessedRight,
    Shown,
    State,
)

Three = tuple[str, Card]  # who held three cards of a type


class Weight(IntEnum):
    """The worth of a turning point to a reader, if there are too many of them."""

    WRONG = 1
    AMBUSH = 2
    RIGHT = 3
    THREE = 4
    END = 5


Weighed = tuple[Weight, Message]


def turning_points(facts: Sequence[tuple[Event, State]], told: set[Three]) -> Iterator[Weighed]:
    """Yield the turning points of a turn: ambushes, guesses, the first three cards of a type, the
    set that won. `told` are the threes of earlier turns; those of this one are added."""
    for event, state in facts:
        yield from _guesses(event)
        for seat, card in _threes(state):
            if (seat, card) not in told:
                told.add((seat, card))
                three = say(
                    "{seat} holds three {card}.", seat=SEAT_TITLES[seat], card=card_title(card)
                )
                yield Weight.THREE, three
        if isinstance(event, Ended) and event.outcome.reason == "set":
            for seat in event.outcome.winners:
                card = state.holders[seat][0] or ""
                four = say(
                    "{seat} holds four {card}.", seat=SEAT_TITLES[seat], card=card_title(card)
                )
                yield Weight.END, four


def _guesses(event: Event) -> Iterator[Weighed]:
    match event:
        case Challenged(seat, target, ambush=True):
            waylaid = say(
                "{seat} ambushes {target}.", seat=SEAT_TITLES[seat], target=SEAT_TITLES[target]
            )
            yield Weight.AMBUSH, waylaid
        case Shown(seat, place, card):
            wrong = say(
                "A wrong guess: place {n} of {seat} holds {card}.",
                n=place,
                seat=SEAT_TITLES[seat],
                card=card_title(card),
            )
            yield Weight.WRONG, wrong
        case GuessedRight(seat, target, place, card):
            right = say(
                "{seat} guesses right: place {n} of {target} holds {card}.",
                seat=SEAT_TITLES[seat],
                n=place,
                target=SEAT_TITLES[target],
                card=card_title(card),
            )
            yield Weight.RIGHT, right


def _threes(state: State) -> Iterator[Three]:
    for seat, holder in state.holders.items():
        for card in state.types:
            if holder.count(card) == 3:
                yield seat, card
