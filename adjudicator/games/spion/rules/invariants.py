"""Check what must hold after every fact of a match (rules I1 to I5)."""

from collections import Counter
from collections.abc import Iterator

from adjudicator.games.spion.rules.board_file import COPIES
from adjudicator.games.spion.rules.cards import free
from adjudicator.games.spion.rules.ply_in_progress import position
from adjudicator.games.spion.rules.position import vacant
from adjudicator.games.spion.rules.state import Card, State
from adjudicator.games.spion.rules.variants import board_of


def violations(state: State) -> Iterator[str]:
    """Name the invariants that do not hold; none in a sound state."""
    if not state.turn:
        return
    if Counter(_cards(state)) != dict.fromkeys(state.types, COPIES):
        yield "I1"
    if not _has_room_for_a_fifth(state):
        yield "I2"
    if not state.unplaced and (not state.embassies) != _all_full(state):
        yield "I3"
    yield from _misplaced(state)


def _cards(state: State) -> Iterator[Card]:
    yield from (card for holder in state.holders.values() for card in holder if card)
    yield from state.embassies.values()
    if state.unplaced:
        yield state.unplaced.card


def _has_room_for_a_fifth(state: State) -> bool:
    """Return whether there are five vacant embassies at least, beside those for which there never
    were cards; one of them may be the one from which the card came."""
    if not state.unplaced or free(state.holders[state.unplaced.seat]):
        return True
    spare = len(board_of(state.settings).embassies) - COPIES * len(state.types)
    return len(vacant(position(state))) >= 5 + spare


def _all_full(state: State) -> bool:
    full = not any(None in holder for holder in state.holders.values())
    return full and len(state.types) == len(state.seats)


def _misplaced(state: State) -> Iterator[str]:
    board = board_of(state.settings)
    taken: list[str] = []
    for seat in state.seats:
        spy, guard = state.spies[seat], state.bodyguards[seat]
        if spy not in (board.starts[seat], *board.embassies) and not board.open_ground(spy):
            yield "I4"
        if guard != board.homes[seat] and not board.open_ground(guard):
            yield "I5"
        taken += [place for place in (spy, guard) if place not in board.embassies]
    if len(taken) != len(set(taken)):
        yield "I4"
