"""Challenges: missions on a double (R6) and ambushes (R7)."""

from collections.abc import Mapping, Sequence

from adjudicator.core.match import Seat
from adjudicator.games.spion.orders.values import Ambush, Challenge, Order
from adjudicator.games.spion.rules import defaults, standing_orders
from adjudicator.games.spion.rules.cards import filled_places, free
from adjudicator.games.spion.rules.movement import Path, ambushes
from adjudicator.games.spion.rules.ply_in_progress import Course
from adjudicator.games.spion.rules.position import may_challenge
from adjudicator.games.spion.rules.state import (
    AnswerAwaited,
    Challenged,
    GuessedRight,
    Moved,
    Pending,
    Place,
    Shown,
    TakenInAnswer,
)
from adjudicator.games.spion.rules.take_card import (
    case,
    decide_fifth,
    place_card,
    room,
    tell_failed,
)


def mission(course: Course, seat: Seat, sheet: Sequence[Order]) -> None:
    """Make the first CHALLENGE that can be made, else the default (R6, 5.4)."""
    now = course.position
    wanted = (
        order
        for order in sheet
        if isinstance(order, Challenge)
        and may_challenge(now, seat, order.target, order.place, order.guess)
    )
    challenge(course, seat, next(wanted, None) or _default(course, seat), sheet)


def _default(course: Course, seat: Seat) -> Challenge:
    now = course.position
    target = defaults.target(now, seat)
    chance = course.draw(seat, "challenge")
    return Challenge(target, chance.choice(now.filled[target]), chance.choice(now.types))


def ambush(course: Course, seat: Seat, count: int, sheet: Sequence[Order]) -> bool:
    """Make the first AMBUSH that can be made (R7.1, R7.2); return False if there is none."""
    if course.state.embassies:
        return False
    for order in sheet:
        if isinstance(order, Ambush) and (path := _way(course, seat, count, order)) is not None:
            if path:
                start = course.state.spies[seat]
                course.tell(Moved(seat, start, path[-1], path, ambush=True))
            challenge(course, seat, order, sheet)
            return True
    return False


def _way(course: Course, seat: Seat, count: int, order: Ambush) -> Path | None:
    """Return the way to the square that was named, else to the first possible one by column and
    row."""
    now = course.position
    if not may_challenge(now, seat, order.target, order.place, order.guess):
        return None
    ways: Mapping[Place, Path] = ambushes(now, seat, Seat(order.target), count)
    if order.via:
        return ways.get(order.via)
    first = next(iter(now.board.in_order(ways)), None)
    return None if first is None else ways[first]


def challenge(
    course: Course, seat: Seat, order: Challenge | Ambush, sheet: Sequence[Order]
) -> None:
    """Play a challenge (R6.1 to R6.3). In mode `turns` it may stop at the defender's answer
    (5.3)."""
    target, place, guess = Seat(order.target), order.place, order.guess
    course.tell(_challenged(course, seat, order))
    card = course.state.holders[target][place - 1]
    assert card, "a place was challenged that is not filled"
    if card == guess:
        into = room(course, seat, sheet)
        course.tell(GuessedRight(seat, target, place, card, into))
        if into is None:
            decide_fifth(course, seat, known=True)
        return
    course.tell(Shown(target, place, card))
    if _asks(course, seat, target):
        course.tell(AnswerAwaited(seat, target, place))
    else:
        answer(course, Pending(seat, target, place))


def _challenged(course: Course, seat: Seat, order: Challenge | Ambush) -> Challenged:
    state, target = course.state, Seat(order.target)
    spy = state.spies[target]
    # With open doors the spy may be in an embassy, where no bodyguard can stand (I5).
    there = spy if course.board.open_ground(spy) else course.board.homes[seat]
    return Challenged(
        seat=seat,
        target=target,
        place=order.place,
        guess=order.guess,
        guard_from=state.bodyguards[seat],
        guard_to=there,
        spy_from=spy,
        spy_to=course.board.starts[target],
        ambush=isinstance(order, Ambush),
    )


def _asks(course: Course, seat: Seat, target: Seat) -> bool:
    """Return whether the defender gets a second letter (5.3); a seat that left is not asked
    (5.4)."""
    state = course.state
    if state.settings.mode == "rounds" or target in state.left:
        return False
    return not standing_orders.has_final(seat, state.standing.get(target, ()))


def answer(course: Course, asked: Pending, sheet: Sequence[Order] = ()) -> None:
    """Let the defender take a card and keep or refuse it (R6.3). The lines of a letter that answers
    this very challenge come before the standing ones; FIFTH is for a full holder only. A link of X
    is always opened, needed or not: that the defender has a table for this is his own affair (5.4,
    6.6)."""
    challenger, defender = asked.challenger, asked.defender
    tables = (sheet, course.state.standing.get(defender, ()))
    places = filled_places(course.state.holders[challenger])
    chance = course.draw(defender, "answer")
    wanted, failed = standing_orders.place_to_take(challenger, places, *tables)
    tell_failed(course, defender, failed)
    place = wanted or chance.choice(places)
    card = course.state.holders[challenger][place - 1]
    assert card, "a card was taken that is not there"
    course.tell(TakenInAnswer(defender, challenger, place, card))
    now = case(course, defender)
    act, failed = standing_orders.keep_choice(now, *tables)
    tell_failed(course, defender, failed)
    if act is None and not free(now.holder):
        act, failed = standing_orders.fifth(now, *tables)
        tell_failed(course, defender, failed)
    place_card(course, defender, now, act or defaults.keep_if_room(now), chance)
