"""Warn of what cannot be carried out as things stand, and say which defaults would apply, judged on
the sender's own view only (rules 5.2). These are warnings, for it may change before the turn is
executed."""

from collections.abc import Iterator, Sequence

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, Problem, Sheet, problem
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_title
from adjudicator.games.spion.orders.check import can_end, no_end
from adjudicator.games.spion.orders.values import (
    ANY,
    Ambush,
    Answer,
    At,
    Challenge,
    Fifth,
    Goal,
    Keep,
    Move,
    Order,
    Out,
    Pass,
    Put,
    Refuse,
    Swap,
)
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.movement import written_way
from adjudicator.games.spion.rules.position import Position, eligible, may_challenge
from adjudicator.games.spion.rules.state import EMPTY, Holder
from adjudicator.games.spion.sight.view import (
    View,
    blocking,
    doubled,
    own_roll,
    position_of,
    seat_in,
    standing_of,
)

_EMPTY = Problem(
    0, "", say("your orders are empty, so your standing orders and the default rules decide")
)


def warn(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    """Return the lines that cannot work as things stand now, and the defaults that would apply,
    each told by its rule (5.4); of empty orders at least that they are empty."""
    found = _found(view, sheet) if view.phase == "play" else ()
    return found or (() if sheet.written else (_EMPTY,))


def _found(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    here = position_of(view)
    found = [
        problem(entry.line, message)
        for entry in sheet.written
        for message in _now(view, here, entry.order)
    ]
    return (*found, *_defaults(view, here, sheet))


def _now(view: View, here: Position, order: Order) -> Iterator[Message]:
    match order:
        case Move(goals):
            yield from _out_of_reach(view, here, goals)
        case Challenge(target, place):
            yield from _no_challenge(view, here, target, place)
            if target in view.targets and here.spies[Seat(target)] in here.board.embassies:
                yield say(
                    "the spy of {seat} is in an embassy, so your bodyguard goes home",
                    seat=SEAT_TITLES[target],
                )
        case Ambush():
            yield from _no_ambush(view, here, order)
            yield from _where(view, here, order)
        case Swap(target):
            if target not in blocking(view):
                yield say("no bodyguard of {seat} blocks you now", seat=SEAT_TITLES[target])
        case Put(place):
            if place in here.filled[view.seat]:
                yield say("your place {place} is filled now", place=place)
        case Fifth(_, act):
            yield from _cannot_give(view, here, act)
        case Keep(_, act):
            if isinstance(act, Out) and len(here.filled[view.seat]) < len(PLACES):
                yield say("your holder has room now; OUT is only for a full holder")
            yield from _cannot_give(view, here, act)
        case Answer():
            yield from _no_answer(view, here, order)
        case _:
            return


def _out_of_reach(view: View, here: Position, goals: Sequence[Goal]) -> Iterator[Message]:
    if own_roll(view):
        for goal in goals:
            if not can_end(here.board, goal):
                yield no_end(goal.place)
            elif not goal.near and goal.place not in view.reach:
                yield say("{place} is out of reach now", place=goal.place)
            elif not _can_go(view, here, goal):
                yield say("your spy cannot follow that path to {place} now", place=goal.place)
    for goal in goals:
        if goal.if_card and goal.place not in here.out:
            yield say("there is no card in {place} now", place=goal.place)


def _can_go(view: View, here: Position, goal: Goal) -> bool:
    """Return whether the spy can go to a goal with the reader's dice, by the way that he wrote."""
    if goal.near or goal.place not in view.reach:
        return goal.near
    own = own_roll(view)
    return (
        not goal.path or written_way(here, view.seat, sum(own.dice) if own else 0, goal) is not None
    )


def _no_challenge(view: View, here: Position, target: str, place: int) -> Iterator[Message]:
    if own_roll(view) and not doubled(view):
        yield say("you did not roll a double")
    else:
        yield from _no_target(view, here, target, place)


def _no_ambush(view: View, here: Position, order: Ambush) -> Iterator[Message]:
    places = view.ambushes.get(order.target, ())
    if here.out:
        yield say("you cannot ambush while an embassy has a card")
    elif doubled(view):
        yield say("you cannot ambush on a double; you must challenge if you can")
    elif missing := next(_no_target(view, here, order.target, order.place), None):
        yield missing
    elif not places:
        yield say(
            "your spy cannot stop next to the spy of {seat} now", seat=SEAT_TITLES[order.target]
        )
    elif order.via and order.via not in places:
        yield say(
            "you cannot ambush {seat} from {place} now",
            place=order.via,
            seat=SEAT_TITLES[order.target],
        )


def _where(view: View, here: Position, order: Ambush) -> Iterator[Message]:
    """Say where the spy stops in an ambush for which no square is named."""
    places = here.board.in_order(view.ambushes.get(order.target, ()))
    if not order.via and len(places) > 1:
        yield say(
            "your spy stops on {place}, the first square by column and row; use VIA to name "
            "another",
            place=places[0],
        )


def _no_answer(view: View, here: Position, order: Answer) -> Iterator[Message]:
    """Warn that an ANSWER names no card that could be taken now."""
    asking = view.pending.challenger if view.pending else None
    seat = asking if order.challenger == ANY else order.challenger
    if seat is None or any(place in here.filled[Seat(seat)] for place in order.take):
        return
    places = ", ".join(map(str, order.take))
    if order.final:
        yield say(
            "{seat} has no card on {places} now; because of FINAL you are still not asked, and "
            "the next line or chance decides",
            seat=SEAT_TITLES[seat],
            places=places,
        )
    else:
        yield say("{seat} has no card on {places} now", seat=SEAT_TITLES[seat], places=places)


def _no_target(view: View, here: Position, target: str, place: int) -> Iterator[Message]:
    if not here.filled[view.seat]:
        yield say("you have no card, so you cannot challenge anyone now")
    elif target not in eligible(here, view.seat):
        yield say("{seat} cannot be challenged now", seat=SEAT_TITLES[target])
    elif place not in here.filled[Seat(target)]:
        yield say("place {place} of {seat} is empty now", place=place, seat=SEAT_TITLES[target])


def _cannot_give(view: View, here: Position, act: At | Out | Refuse) -> Iterator[Message]:
    holder = seat_in(view, view.seat).cards or EMPTY
    if isinstance(act, At):
        if act.place in here.filled[view.seat]:
            yield say("your place {place} is filled now", place=act.place)
        return
    if isinstance(act, Out):
        yield from _not_held(act.what, holder)
    lying = [place for place in act.to if place in here.out]
    if lying and len(lying) == len(act.to):
        yield say(
            "there is a card in {places} now; the next line would be used, else the default rules",
            places=", ".join(lying),
        )
        return
    for place in lying:
        yield say("there is a card in {place} now", place=place)


def _not_held(what: int | str, holder: Holder) -> Iterator[Message]:
    if isinstance(what, str):
        if what not in holder:
            yield say("you have no {card} now", card=card_title(what))
    elif holder[what - 1] is None:
        yield say("your place {place} is empty now", place=what)


def _defaults(view: View, here: Position, sheet: Sheet[Order]) -> Iterator[Problem]:
    """Say which rule decides where the sheet is silent; line 0 is the sheet as a whole."""
    whole = Line(0, "")
    yield from (problem(whole, message) for message in _open(view, here, sheet.orders))


def _open(view: View, here: Position, orders: Sequence[Order]) -> Iterator[Message]:
    """Say what nothing on the sheet or among the standing orders decides, as things stand."""
    kinds = {type(order) for order in orders} | {type(order) for order in standing_of(view)}
    if view.pending:
        if Answer not in kinds:
            yield say("without ANSWER the place is drawn at random")
        return
    if doubled(view) and view.targets:
        if not any(_can_challenge(here, view, order) for order in orders):
            yield say(
                "you rolled a double and must challenge: without a possible CHALLENGE the first "
                "target clockwise is challenged, with a random place and guess"
            )
    elif view.reach:
        if not any(_goes(view, here, order) for order in orders):
            yield say(
                "without a destination in reach your spy goes to an embassy with a card, else to "
                "any embassy, else towards a card; ties are decided at random"
            )
    elif blocking(view) and not kinds & {Swap, Pass}:
        yield say("without SWAP or PASS the first bodyguard in your way, clockwise, is swapped")
    if len(here.filled[view.seat]) == len(PLACES) and Fifth not in kinds:
        yield say(
            "your holder is full: without FIFTH the rarest type is given up, to a random embassy"
        )


def _can_challenge(here: Position, view: View, order: Order) -> bool:
    return isinstance(order, Challenge) and may_challenge(
        here, view.seat, order.target, order.place, order.guess
    )


def _goes(view: View, here: Position, order: Order) -> bool:
    if isinstance(order, Ambush):
        return next(_no_ambush(view, here, order), None) is None
    if not isinstance(order, Move):
        return False
    counting = [goal for goal in order.goals if not goal.if_card or goal.place in here.out]
    return any(_can_go(view, here, goal) for goal in counting)
