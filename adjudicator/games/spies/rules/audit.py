"""Check that the chance in a match is what its seed says (rules 2.1 to 2.4, 2.7)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from adjudicator.core.dice import Chance
from adjudicator.core.message import Message, say
from adjudicator.games.spies.rules import placing
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.events import AnyEvent, Ordered, Placed, Reshuffled
from adjudicator.games.spies.rules.match import open_match
from adjudicator.games.spies.rules.ply_in_progress import reshuffle
from adjudicator.games.spies.rules.sensible import sensible_set_up
from adjudicator.games.spies.rules.state import State


def audit(state: State, events: Sequence[AnyEvent], chance: Chance) -> Iterator[Message]:
    """Name everything in a match that its seed does not give: the deal, set-ups that were drawn,
    and pools that were shuffled again. `state` is its last, `events` all of it."""
    now = open_match(state.settings, state.seats, chance)
    if _dealt(now) != _dealt(state):
        yield say("the deal does not follow from the seed")
        return
    placed = {event.seat for event in events if _wrote(event, "SETUP")}
    auto = {event.seat for event in events if _wrote(event, "SETUP AUTO")}
    for event in events:
        match event:
            case Reshuffled() if event != reshuffle(now, chance):
                yield say("shuffle {n} of the chits does not follow from the seed", n=event.number)
            case Placed(power):
                seat = next(seat for seat, led in state.seats.items() if power in led)
                drawn = (
                    sensible_set_up(now, power, chance)
                    if seat in auto
                    else placing.random_set_up(power, chance, with_spies=True)
                )
                if seat not in placed and event != drawn:
                    yield say("the set-up of {power} does not follow from the seed", power=power)
        now = apply(now, event)
    if {power: hand.chits for power, hand in now.hands.items()} != {
        power: hand.chits for power, hand in state.hands.items()
    }:
        yield say("the chits that were drawn do not follow from the seed")


def _dealt(state: State) -> Sequence[Mapping[str, object]]:
    """Return what never changes once it was dealt."""
    return (
        {code: secret.face for code, secret in state.secrets.items()},
        {code: spy.strength for code, spy in state.spies.items()},
    )


def _wrote(event: AnyEvent, line: str) -> TypeGuard[Ordered]:
    """Return whether a set-up sheet has a line; with SETUP alone it names the places itself."""
    return isinstance(event, Ordered) and event.ply == 1 and line in event.lines
