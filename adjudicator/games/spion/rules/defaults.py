"""Decide what happens if nobody ordered, or nothing that was ordered can be done (5.4).

Each default is a rule about what everybody sees, but for cards: those ties go to the lowest place.
"""

from collections.abc import Sequence

from adjudicator.core.match import Seat
from adjudicator.games.spion.rules.board import steps_to
from adjudicator.games.spion.rules.cards import first_place, free, rarest
from adjudicator.games.spion.rules.movement import Ends
from adjudicator.games.spion.rules.position import Position, eligible
from adjudicator.games.spion.rules.standing_orders import Case, GivesUp, SendsBack, Stays
from adjudicator.games.spion.rules.state import Place


def goals(position: Position, found: Ends) -> tuple[Place, ...]:
    """Return the equally good ends: an embassy with a card, else any embassy, else the nearest to
    an embassy with a card (to any, if no card is out)."""
    ends = tuple(found.paths)
    embassies = tuple(end for end in ends if end in position.board.embassies)
    with_card = tuple(end for end in embassies if end in position.out)
    return with_card or embassies or _nearest_to_cards(position, ends)


def _nearest_to_cards(position: Position, ends: Sequence[Place]) -> tuple[Place, ...]:
    board = position.board
    far = {
        end: min(steps_to(board, code)[end] for code in position.out or board.embassies)
        for end in ends
    }
    best = min(far.values())
    return tuple(end for end in ends if far[end] == best)


def target(position: Position, seat: Seat) -> Seat:
    """Return to whom a compulsory challenge is made: to the lowest eligible seat clockwise from the
    mover."""
    return eligible(position, seat)[0]


def fifth(case: Case) -> GivesUp | SendsBack:
    """Give up the rarest of the five cards; refuse the new card if it is among them."""
    rare = rarest([case.card, *(card for card in case.holder if card)])
    place = None if case.card in rare else first_place(case.holder, rare)
    return SendsBack() if place is None else GivesUp(place)


def keep_if_room(case: Case) -> Stays | GivesUp | SendsBack:
    """Keep the card if there is room."""
    room = free(case.holder)
    return Stays(room[0]) if room else fifth(case)
