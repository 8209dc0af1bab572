"""Gifts in the own turn (rules 5.10)."""

from collections.abc import Sequence

from adjudicator.games.spies.orders.values import Give, Order
from adjudicator.games.spies.rules import events
from adjudicator.games.spies.rules.atlas import Power
from adjudicator.games.spies.rules.control import told_as
from adjudicator.games.spies.rules.ply_in_progress import Course


def gifts_step(course: Course, power: Power, sheet: Sequence[Order]) -> None:
    """Make gifts in the order of the lines; what is not there in full is left out without an
    event."""
    for order in sheet:
        if isinstance(order, Give):
            _give(course, power, order)


def _give(course: Course, power: Power, order: Give) -> None:
    state = course.state
    hand = state.hands[power]
    if order.power == power or order.power not in state.hands or len(state.seats) == 2:
        return
    if order.chit is None:
        if hand.money >= order.money:
            course.tell(events.Give(power, order.power, order.money))
    elif hand.chits.get(order.chit, 0):
        told = (told_as(state, power), told_as(state, order.power))
        course.tell(events.Give(power, order.power, 0, order.chit, told))
