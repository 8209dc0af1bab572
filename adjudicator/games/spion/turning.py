"""The turning points of a match that has ended: where a reader may want to look first."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import Message, say
from adjudicator.games.spion.lexicon import SEAT_TITLES
from adjudicator.games.spion.state import Card, Challenged, Ended, Event, GuessedRight, Shown, State

Three = tuple[str, Card]  # who held three cards of a type


def turning_points(facts: Sequence[tuple[Event, State]], told: set[Three]) -> Iterator[Message]:
    """Of a turn: ambushes, guesses, the first three cards of a type, the set that won. `told` are
    the threes of earlier turns; those of this one are added."""
    for event, state in facts:
        yield from _guesses(event)
        for seat, card in _threes(state):
            if (seat, card) not in told:
                told.add((seat, card))
                yield say("{seat} holds three {card}.", seat=SEAT_TITLES[seat], card=card)
        if isinstance(event, Ended) and event.outcome.reason == "set":
            for seat in event.outcome.winners:
                card = state.holders[seat][0] or ""
                yield say("{seat} holds four {card}.", seat=SEAT_TITLES[seat], card=card)


def _guesses(event: Event) -> Iterator[Message]:
    match event:
        case Challenged(seat, target, ambush=True):
            yield say(
                "{seat} waylays {target}.", seat=SEAT_TITLES[seat], target=SEAT_TITLES[target]
            )
        case Shown(seat, place, card):
            yield say(
                "A wrong guess: place {n} of {seat} holds {card}.",
                n=place,
                seat=SEAT_TITLES[seat],
                card=card,
            )
        case GuessedRight(seat, target, place, card):
            yield say(
                "{seat} guesses right: place {n} of {target} holds {card}.",
                seat=SEAT_TITLES[seat],
                n=place,
                target=SEAT_TITLES[target],
                card=card,
            )


def _threes(state: State) -> Iterator[Three]:
    for seat, holder in state.holders.items():
        for card in state.types:
            if holder.count(card) == 3:
                yield seat, card
