"""Change the state as each fact says."""

from collections.abc import Mapping
from typing import TypeVar, assert_never

from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.games.spion.rules.cards import put
from adjudicator.games.spion.rules.dossier import note_fact
from adjudicator.games.spion.rules.state import (
    AnswerAwaited,
    Begun,
    Blocked,
    Card,
    Challenged,
    Dealt,
    Drew,
    Ended,
    Event,
    GuardSwapped,
    GuessedRight,
    Holder,
    Instructed,
    Kept,
    Left,
    Moved,
    OpeningRolled,
    Ordered,
    Pending,
    Phrased,
    Place,
    Refused,
    Replaced,
    Roll,
    Rolled,
    Shown,
    State,
    Swapped,
    TakenInAnswer,
    Took,
    TurnOpened,
    TurnPassed,
    Unfollowed,
    Unplaced,
    X,
    chain,
)
from adjudicator.games.spion.rules.variants import board_of

T = TypeVar("T")


def apply(state: State, event: Event) -> State:
    """Return the state after one fact."""
    if state.settings.memory == "open":
        state = replace(state, dossier=note_fact(state, event))
    match event:
        case Ordered(ply=ply):
            return replace(state, ply=ply)
        case Phrased(seat, text):
            return replace(state, phrases={**state.phrases, seat: text})
        case Dealt(cards):
            return replace(state, embassies=cards)
        case OpeningRolled(seat, number):
            return replace(state, links={**state.links, chain(seat): number})
        case Begun(first):
            alone = first if state.settings.mode == "turns" else None
            return replace(state, first=first, to_move=alone, turn=1, round=1)
        case Rolled(seat, number, dice, key):
            return replace(
                state,
                rolls={**state.rolls, seat: Roll(number, dice, key)},
                links={**state.links, chain(seat): number},
            )
        case Drew(number=number):
            return replace(state, links={**state.links, X: number})
        case Instructed(seat, standing):
            return replace(state, standing={**state.standing, seat: standing})
        case TurnOpened(seat):
            return replace(state, to_move=seat)
        case AnswerAwaited(challenger, defender, place):
            return replace(state, pending=Pending(challenger, defender, place))
        case TurnPassed(seat, to_move, turn, number):
            rolls = _without(state.rolls, seat)
            return replace(
                state, rolls=rolls, to_move=to_move, turn=turn, round=number, pending=None
            )
        case Left(seat, reason):
            return replace(
                state,
                left={**state.left, seat: reason},
                standing=_without(state.standing, seat),
            )
        case Replaced(seat):
            return replace(state, standing=_without(state.standing, seat))
        case Ended(outcome):
            return replace(state, outcome=outcome, to_move=None, pending=None)
        case Moved() | Challenged() | GuardSwapped():
            return _pieces(state, event)
        case Took() | Swapped() | Refused() | Kept() | GuessedRight() | TakenInAnswer():
            return _cards(state, event)
        case Blocked() | Shown() | Unfollowed():
            return state
        case _:
            assert_never(event)


def _without(table: Mapping[Seat, T], seat: Seat) -> dict[Seat, T]:
    return {other: value for other, value in table.items() if other != seat}


def _pieces(state: State, event: Moved | Challenged | GuardSwapped) -> State:
    match event:
        case Moved(seat=seat, goal=goal):
            return replace(state, spies={**state.spies, seat: goal})
        case Challenged(seat=seat, target=target):
            return replace(
                state,
                bodyguards={**state.bodyguards, seat: event.guard_to},
                spies={**state.spies, target: event.spy_to},
            )
        case GuardSwapped(seat=seat, replaced=replaced):
            moved = {replaced: event.home, seat: event.square}
            return replace(state, bodyguards={**state.bodyguards, **moved})


def _cards(
    state: State, event: Took | Swapped | Refused | Kept | GuessedRight | TakenInAnswer
) -> State:
    match event:
        case Took(seat, embassy, card, place):
            left = {code: held for code, held in state.embassies.items() if code != embassy}
            return _arrives(replace(state, embassies=left), seat, card, place)
        case GuessedRight(seat, target, place, card, into):
            return _arrives(_puts(state, target, place, None), seat, card, into)
        case TakenInAnswer(seat, challenger, place, card):
            state = replace(state, pending=None)
            return _arrives(_puts(state, challenger, place, None), seat, card, None)
        case Kept(seat, place, card):
            return _puts(replace(state, unplaced=None), seat, place, card)
        case Swapped(seat, place, embassy, given, kept):
            state = _puts(replace(state, unplaced=None), seat, place, kept)
            return replace(state, embassies=_laid(state, embassy, given))
        case Refused(embassy=embassy, card=card):
            return replace(state, unplaced=None, embassies=_laid(state, embassy, card))


def _arrives(state: State, seat: Seat, card: Card, place: int | None) -> State:
    if place is None:
        return replace(state, unplaced=Unplaced(seat, card))
    return _puts(state, seat, place, card)


def _puts(state: State, seat: Seat, place: int, card: Card | None) -> State:
    holder: Holder = put(state.holders[seat], place, card)
    return replace(state, holders={**state.holders, seat: holder})


def _laid(state: State, embassy: Place, card: Card) -> dict[Place, Card]:
    """Lay a card into an embassy, in the board's order, which tells nothing of when a card came."""
    laid = {**state.embassies, embassy: card}
    return {code: laid[code] for code in board_of(state.settings).in_order(laid)}
