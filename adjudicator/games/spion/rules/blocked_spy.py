"""A spy that has nowhere to go (R8)."""

from collections.abc import Sequence

from adjudicator.core.match import Seat
from adjudicator.games.spion.orders.values import Order, Pass, Swap
from adjudicator.games.spion.rules.movement import Ends
from adjudicator.games.spion.rules.ply_in_progress import Course
from adjudicator.games.spion.rules.position import blockers
from adjudicator.games.spion.rules.state import Blocked, GuardSwapped


def stand_still(course: Course, seat: Seat, found: Ends, sheet: Sequence[Order]) -> None:
    """Make the optional swap of one blocking bodyguard (R8.2); nothing else moves (A29)."""
    by = blockers(course.position, seat, found.met)
    course.tell(Blocked(seat, by))
    replaced = _chosen(by, sheet)
    if replaced:
        state = course.state
        course.tell(
            GuardSwapped(
                seat=seat,
                replaced=replaced,
                square=state.bodyguards[replaced],
                guard_from=state.bodyguards[seat],
                home=course.board.homes[replaced],
            )
        )


def _chosen(by: Sequence[Seat], sheet: Sequence[Order]) -> Seat | None:
    """Return the first SWAP that can be made or PASS, else the first clockwise (5.4)."""
    for order in sheet:
        if isinstance(order, Pass):
            return None
        if isinstance(order, Swap) and order.target in by:
            return Seat(order.target)
    return next(iter(by), None)
