"""A card that comes to a holder: from an embassy (R5), or as the fifth (R5.3)."""

from collections.abc import Sequence

from adjudicator.core.dice import Stream
from adjudicator.core.match import Seat
from adjudicator.games.spion.orders.values import Order, Put, canonical
from adjudicator.games.spion.rules import defaults, standing_orders
from adjudicator.games.spion.rules.cards import free
from adjudicator.games.spion.rules.ply_in_progress import Course
from adjudicator.games.spion.rules.position import vacant
from adjudicator.games.spion.rules.standing_orders import (
    Act,
    Case,
    Failed,
    GivesUp,
    SendsBack,
    Stays,
)
from adjudicator.games.spion.rules.state import Kept, Place, Refused, Swapped, Took, Unfollowed, Why


def enter(course: Course, seat: Seat, embassy: Place, sheet: Sequence[Order]) -> None:
    """Let the spy take the card of the embassy that it entered, if one lies there (R5.1)."""
    card = course.state.embassies.get(embassy)
    if card is None:
        return
    place = room(course, seat, sheet)
    course.tell(Took(seat, embassy, card, place))
    if place is None:
        decide_fifth(course, seat, embassy)


def room(course: Course, seat: Seat, sheet: Sequence[Order]) -> int | None:
    """Return the free place for a card that is taken, named before it is seen (R5.2)."""
    places = free(course.state.holders[seat])
    wanted = [order for order in sheet if isinstance(order, Put)]
    good = next((n for n, order in enumerate(wanted) if order.place in places), len(wanted))
    why: Why = "filled" if places else "full"
    tell_failed(course, seat, tuple((order, why) for order in wanted[:good]))
    return wanted[good].place if wanted[good:] else next(iter(places), None)


def tell_failed(course: Course, seat: Seat, failed: Failed) -> None:
    """Tell the seat which of its lines could not be followed, and why (9.1)."""
    for line, why in failed:
        course.tell(Unfollowed(seat, canonical(line), why))


def case(course: Course, seat: Seat, origin: Place | None = None) -> Case:
    """Return what is to be decided about the card on "?"."""
    unplaced = course.state.unplaced
    assert unplaced, "a choice without a card"
    return Case(unplaced.card, course.state.holders[seat], vacant(course.position), origin)


def decide_fifth(
    course: Course, seat: Seat, origin: Place | None = None, known: bool = False
) -> None:
    """Decide about a fifth card (R5.3). `known` says that it was guessed right (R6.2)."""
    now = case(course, seat, origin)
    act, failed = standing_orders.fifth(now, course.state.standing.get(seat, ()))
    # A link of X is always opened, needed or not: whether the seat's tables had a line for this
    # card is not told by the number of links (6.6).
    chance = course.draw(seat, "fifth")
    tell_failed(course, seat, failed)
    place_card(course, seat, now, act or defaults.fifth(now), chance, known)


def place_card(
    course: Course,
    seat: Seat,
    case: Case,
    act: Act,
    chance: Stream,
    known: bool = False,
) -> None:
    """Carry a choice out; `chance` draws the embassy if none was named."""
    match act:
        case Stays(place):
            course.tell(Kept(seat, place, case.card))
        case GivesUp(place, to):
            there = to or chance.choice(case.vacant)
            given = case.holder[place - 1]
            assert given, "a card was given up that is not there"
            course.tell(Swapped(seat, place, there, given, case.card))
        case SendsBack(to):
            there = to or chance.choice(case.permitted)
            course.tell(Refused(seat, there, case.card, known))
