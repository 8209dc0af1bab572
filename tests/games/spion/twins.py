"""Pairs of Spion's states that one seat cannot tell apart (rules R10, 5.5).

Every game has such a module; `tests/test_secrecy.py` says what it is for. It has `pairs`, `sheet`,
`same_orders`, `told`, `disguised`, `untold` and `canaries`.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Seat
from adjudicator.core.visible import plain
from adjudicator.games.spion import SPION
from adjudicator.games.spion.orders.values import ANY, Answer, Order
from adjudicator.games.spion.rules.cards import complete
from adjudicator.games.spion.rules.state import (
    SEATS,
    Card,
    Dealt,
    Event,
    GuardSwapped,
    Instructed,
    Kept,
    Ordered,
    Refused,
    Roll,
    Rolled,
    State,
    Swapped,
    TakenInAnswer,
    Took,
    Unfollowed,
)
from tests.games.playouts import computer_order, garble, playout
from tests.games.twin_states import Twins

RARE = frozenset({GuardSwapped})  # one turn in a thousand; the cases of R8 tell of it


def pairs() -> st.SearchStrategy[Twins]:
    """Make twins from positions of random matches, the first turn among them."""
    lengths = st.integers(1, 3) | st.integers(3, 80)
    return st.builds(_in_play, st.integers(0, 2**32), st.integers(0, 3), lengths)


def _in_play(seed: int, number: int, length: int) -> Twins:
    rng = Random(seed)
    first = next(playout(SPION, rng, 1))
    left, options = first.after, first.setting.options
    for ply in playout(SPION, rng, length):
        if ply.after.outcome is None:  # at the end everything is shown
            left, options = ply.after, ply.setting.options
    seat = left.seats[number % len(left.seats)]
    return Twins(seat, left, twin_of(left, seat, rng), options)


def twin_of(state: State, seat: Seat, rng: Random) -> State:
    """Return another truth behind the same view.

    Unseen cards have changed places, and the others have other dice to come and other standing
    orders. The order in which the state happens to list the others' things tells nothing either.
    """
    for _ in range(50):
        twin = _shuffled(state, seat, rng)
        if not any(complete(holder) for holder in twin.holders.values()):
            break
    else:
        twin = state
    others = [other for other in state.seats if other != seat]
    rolls = dict(state.rolls)
    if state.settings.mode == "rounds":
        for other in others:
            if other in rolls:
                rolls[other] = _other_roll(rolls[other], rng)
    orders = {other: (Answer(ANY, (rng.randint(1, 4),), rng.random() < 0.5),) for other in others}
    return replace(twin, rolls=rolls, standing={**state.standing, **orders})


def _shuffled(state: State, seat: Seat, rng: Random) -> State:
    others = [other for other in state.seats if other != seat]
    cards = [card for other in others for card in state.holders[other] if card is not None]
    cards += state.embassies.values()
    rng.shuffle(cards)
    holders = dict(state.holders)
    for other in others:
        first, second, third, fourth = (
            cards.pop() if card is not None else None for card in state.holders[other]
        )
        holders[other] = first, second, third, fourth
    return replace(
        state, holders=holders, embassies={code: cards.pop() for code in state.embassies}
    )


def _other_roll(roll: Roll, rng: Random) -> Roll:
    dice = rng.randint(1, 6), rng.randint(1, 6)
    return Roll(roll.number, dice, rng.randbytes(32).hex())


def sheet(state: State, seat: Seat, rng: Random) -> str:
    """Return what the seat might send: a good sheet, a garbled one, or lines that feel for hidden
    things."""
    if seat not in SPION.rules.awaiting(state) or rng.random() < 0.4:
        return "\n".join(_probe(state, rng) for _ in range(rng.randint(0, 4)))
    order = computer_order(SPION, state, seat, Chance(rng.randbytes(32), "twins", label=LABEL), 0)
    text = "\n".join(map(SPION.orders.canonical, order))
    return text if rng.random() < 0.3 else garble(text, rng)


def _probe(state: State, rng: Random) -> str:
    target, place = rng.choice(SEATS), rng.randint(0, 5)
    card = rng.choice([*state.types, "FYSIK", "GULD"])
    code = rng.choice([*state.embassies, "NOR", "e5", "zz9", "ATLANTIS"])
    return rng.choice(
        [
            f"CHALLENGE {target} {place} {card}",
            f"AMBUSH {target} {place} {card} VIA {code}",
            f"MOVE {code} IF CARD, NEAR {code}",
            f"FIFTH {card}: OUT {place} TO {code}",
            f"KEEP {card}: OUT {card} TO {code}",
            f"ANSWER {target}: TAKE {place}",
            f"SWAP {target}",
            f"PLACE {place}",
        ]
    )


def same_orders(twins: Twins, rng: Random) -> Mapping[Seat, Sequence[Order]] | None:
    """Return orders for the next ply that are legal in both twins; None if there are none."""
    waiting = SPION.rules.awaiting(twins.left)
    if not waiting or waiting != SPION.rules.awaiting(twins.right):
        return None
    chance = Chance(rng.randbytes(32), "twins", label=LABEL)
    return {
        seat: computer_order(SPION, twins.left, seat, chance, 0)
        for seat in twins.left.seats
        if seat in waiting
    }


def told(events: Sequence[Event], seat: Seat) -> Any:
    """Return the seat's news."""
    sights = (SPION.sight.witness(event, seat) for event in events)
    return plain([sight for sight in sights if sight is not None])


def disguised(event: Event, seat: Seat, rng: Random) -> Event:
    """Return the event as it might have been for all that `seat` may learn of it (5.5)."""
    strange: Card = rng.choice(["ATOM", "KEMI", "RYMD"])
    match event:
        case Ordered():
            return replace(event, lines=("PASS",))
        case Instructed():
            return replace(event, standing=(Answer(ANY, (rng.randint(1, 4),)),))
        case Dealt(cards):
            return replace(event, cards=dict.fromkeys(cards, strange))
        case Rolled():
            return replace(event, dice=(rng.randint(1, 6), 1), key=rng.randbytes(32).hex())
        case Took(seat=who) | Kept(seat=who) if who != seat:
            return replace(event, card=strange)
        case Refused(seat=who, known=False) if who != seat:
            return replace(event, card=strange)
        case Swapped(seat=who) if who != seat:
            return replace(event, given=strange, kept=strange)
        case TakenInAnswer(seat=who, challenger=challenger) if seat not in (who, challenger):
            return replace(event, card=strange)
        case Unfollowed(seat=who) if who != seat:
            return replace(event, line=f"FIFTH {strange}: OUT 1", why="missing")
        case _:
            return event


def untold(view: dict[str, Any]) -> dict[str, Any]:
    """Return the view as it is, for a seat learns everything in it from some event."""
    return view


def canaries(state: State, seat: Seat) -> tuple[State, Sequence[str]]:
    """Return the state with every card that `seat` may not see replaced by a word that is nowhere
    else."""
    marks: list[str] = []

    def mark(card: Card | None) -> Any:
        if card is None:
            return None
        marks.append(f"canary-{len(marks)}-")
        return marks[-1]

    holders = {
        other: holder if other == seat else tuple(mark(card) for card in holder)
        for other, holder in state.holders.items()
    }
    embassies = {code: mark(card) for code, card in state.embassies.items()}
    return replace(state, holders=holders, embassies=embassies), marks
