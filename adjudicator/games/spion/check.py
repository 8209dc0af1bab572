"""What could never be carried out, and what cannot as things stand, judged on the sender's own
view only (rules 5.2): the first is a problem, the second a warning."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, Problem, Sheet, folded, problem, shown
from adjudicator.games.spion.board import Board
from adjudicator.games.spion.orders import (
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
    Phrase,
    Put,
    Refuse,
    Swap,
)
from adjudicator.games.spion.position import Position, eligible, may_challenge
from adjudicator.games.spion.sight import View, blocking, position_seen, standing_of
from adjudicator.games.spion.state import EMPTY, Holder

PLACES = (1, 2, 3, 4)


def check(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    """Every problem of the sheet, by line."""
    here = position_seen(view)
    found = [
        problem(entry.line, message)
        for entry in sheet.written
        for message in (*_untimely(view, entry.order), *_impossible(view, here, entry.order))
    ]
    return (*found, *_twice(sheet))


def _untimely(view: View, order: Order) -> Iterator[Message]:
    """Lines of another phase."""
    if view.phase == "setup" and not isinstance(order, Phrase):
        yield say("nobody moves yet; write PHRASE and some words for the dice, or nothing")
    elif view.phase == "play" and isinstance(order, Phrase):
        yield say("all phrases are in and the cards are dealt")
    elif view.pending and not isinstance(order, Answer | Keep | Fifth | Phrase):
        yield say("you are asked for an answer now; write ANSWER, and KEEP if you like")


def _impossible(view: View, here: Position, order: Order) -> Iterator[Message]:
    """What this seat could never use on this board."""
    match order:
        case Move(goals):
            for goal in goals:
                yield from _goal(here.board, goal)
            if not any(_can_end(here.board, goal) for goal in goals):
                yield from (_no_end(goal.place) for goal in goals if goal.place in here.board.order)
        case Challenge(target, place, guess):
            yield from _mission(view, here, target, place, guess)
        case Ambush(target, place, guess, via):
            yield from _mission(view, here, target, place, guess)
            if len(here.types) > len(here.seats):  # I3
                yield say("with so few players cards always lie out, so there is no ambush")
            if via is not None and not here.board.open_ground(via):
                yield say("{place} is no street and no well", place=shown(via))
        case Swap(target):
            yield from _other(view, here, target)
        case Put(place):
            yield from _place(place)
        case Fifth(card, act):
            yield from _card(here, card)
            yield from _act(here, act)
        case Keep(card, act):
            yield from _card(here, card)
            yield from _act(here, act)
        case Answer(challenger, take):
            if challenger != ANY:
                yield from _other(view, here, challenger)
            for place in take:
                yield from _place(place)
        case Phrase() | Pass():
            return


def _goal(board: Board, goal: Goal) -> Iterator[Message]:
    for place in (goal.place, *goal.path):
        if place not in board.order or board.kinds.get(place) == "embassy":
            yield _no_place(board, place)
            return
    if goal.if_card and goal.place not in board.embassies:
        yield say("IF CARD is for embassies; {place} is none", place=goal.place)
    strange = [place for place in goal.path if place not in board.walk]
    if strange:
        yield say("nobody walks over {place}", place=strange[0])


def _can_end(board: Board, goal: Goal) -> bool:
    """Whether a move can ever end there (R3.2); NEAR may name any place."""
    return goal.near or goal.place in board.embassies or board.open_ground(goal.place)


def _no_end(place: str) -> Message:
    return say(
        "no move ends on {place}; a spy ends on streets, wells and in embassies", place=place
    )


def _no_place(board: Board, place: str) -> Message:
    named = {
        folded(name): entry.code
        for entry in board.embassies.values()
        for name in (*entry.name.values(), entry.cell)
    }
    if code := named.get(folded(place)):
        return say("write {code} for {place}", code=code, place=shown(place))
    return say(
        "{place} is no place of this board; its embassies are {codes}",
        place=shown(place),
        codes=", ".join(board.embassies),
    )


def _mission(view: View, here: Position, target: str, place: int, guess: str) -> Iterator[Message]:
    yield from _other(view, here, target)
    yield from _place(place)
    yield from _type(here, guess)


def _other(view: View, here: Position, target: str) -> Iterator[Message]:
    if target == view.seat:
        yield say("{seat} is your own colour", seat=target)
    elif target not in here.seats:
        others = ", ".join(seat for seat in here.seats if seat != view.seat)
        yield say("there is no {seat} here; the others are {others}", seat=target, others=others)


def _place(place: int) -> Iterator[Message]:
    if place not in PLACES:
        yield say("a holder has places 1 to 4, not {place}", place=place)


def _type(here: Position, card: str) -> Iterator[Message]:
    """A type out of play is refused (A17)."""
    if card not in here.types:
        types = ", ".join(here.types)
        yield say("{card} is not in play; the types are {types}", card=shown(card), types=types)


def _card(here: Position, card: str) -> Iterator[Message]:
    if card != ANY:
        yield from _type(here, card)


def _act(here: Position, act: At | Out | Refuse) -> Iterator[Message]:
    match act:
        case At(place):
            yield from _place(place)
        case Out(what, to):
            yield from _place(what) if isinstance(what, int) else _type(here, what)
            yield from _embassies(here.board, to)
        case Refuse(to):
            yield from _embassies(here.board, to)


def _embassies(board: Board, places: Sequence[str]) -> Iterator[Message]:
    for place in places:
        if place not in board.embassies:
            yield _no_place(board, place)


def _twice(sheet: Sheet[Order]) -> Iterator[Problem]:
    """All other lines may be repeated: the first that can be carried out is (5.2)."""
    phrases = [entry.line for entry in sheet.written if isinstance(entry.order, Phrase)]
    for line in phrases[1:]:
        yield problem(line, say("one PHRASE is enough"))


def warn(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    """Lines that cannot work as things stand now, and which defaults would apply, told by their
    rule (5.4): things may change before the turn is executed."""
    if view.phase != "play":
        return ()
    here = position_seen(view)
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
            yield from _no_target(view, here, target, place)
        case Ambush(target, place):
            if here.out:
                yield say("an ambush needs that no card lies in any embassy (R7)")
            else:
                yield from _no_target(view, here, target, place)
        case Swap(target):
            if target not in blocking(view):
                yield say("no bodyguard of {seat} blocks you now", seat=target)
        case Put(place):
            if place in here.filled[view.seat]:
                yield say("your place {place} is filled now", place=place)
        case Fifth(_, act):
            yield from _cannot_give(view, here, act)
        case Keep(_, act):
            yield from _cannot_give(view, here, act)
        case _:
            return


def _out_of_reach(view: View, here: Position, goals: Sequence[Goal]) -> Iterator[Message]:
    if view.dice and view.seat in {roll.seat for roll in view.dice}:
        for goal in goals:
            if not _can_end(here.board, goal):
                yield _no_end(goal.place)
            elif not goal.near and goal.place not in view.reach:
                yield say("{place} is out of reach now", place=goal.place)
    for goal in goals:
        if goal.if_card and goal.place not in here.out:
            yield say("no card lies in {place} now", place=goal.place)


def _no_target(view: View, here: Position, target: str, place: int) -> Iterator[Message]:
    if not here.filled[view.seat]:
        yield say("you hold no card, so you may challenge nobody now")
    elif target not in eligible(here, view.seat):
        yield say("{seat} cannot be challenged now", seat=target)
    elif place not in _filled(here, target):
        yield say("place {place} of {seat} is empty now", place=place, seat=target)


def _filled(here: Position, target: str) -> Sequence[int]:
    return next(places for seat, places in here.filled.items() if seat == target)


def _cannot_give(view: View, here: Position, act: At | Out | Refuse) -> Iterator[Message]:
    holder = next(entry.cards or EMPTY for entry in view.seats if entry.seat == view.seat)
    if isinstance(act, At):
        if act.place in here.filled[view.seat]:
            yield say("your place {place} is filled now", place=act.place)
        return
    if isinstance(act, Out):
        yield from _not_held(act.what, holder)
    for place in act.to:
        if place in here.out:
            yield say("a card lies in {place} now", place=place)


def _not_held(what: int | str, holder: Holder) -> Iterator[Message]:
    if isinstance(what, str):
        if what not in holder:
            yield say("you hold no {card} now", card=what)
    elif holder[what - 1] is None:
        yield say("your place {place} is empty now", place=what)


def _defaults(view: View, here: Position, sheet: Sheet[Order]) -> Iterator[Problem]:
    """Which rule decides where the sheet is silent; line 0 is the sheet as a whole."""
    whole = Line(0, "")
    yield from (problem(whole, message) for message in _open(view, here, sheet.orders))


def _open(view: View, here: Position, orders: Sequence[Order]) -> Iterator[Message]:
    """What nothing on the sheet or among the standing orders decides, as things stand."""
    kinds = {type(order) for order in orders} | {type(order) for order in standing_of(view)}
    if view.pending:
        if Answer not in kinds:
            yield say("without ANSWER the place is drawn by the chain X (5.4)")
        return
    own = next((roll for roll in view.dice if roll.seat == view.seat), None)
    if own and own.dice[0] == own.dice[1] and view.targets:
        if not any(_can_challenge(here, view, order) for order in orders):
            yield say(
                "you rolled a double and must challenge: without a CHALLENGE that can be made "
                "the first target clockwise is taken, its place and the guess by the chain X (5.4)"
            )
    elif view.reach:
        if not any(_goes(view, order) for order in orders):
            yield say(
                "without a goal that you can reach your spy goes to an embassy with a card, else "
                "to any embassy, else towards a card; ties are drawn by the chain X (5.4)"
            )
    elif blocking(view) and not kinds & {Swap, Pass}:
        yield say("without SWAP or PASS the first bodyguard in your way, clockwise, is swapped")
    if len(here.filled[view.seat]) == len(PLACES) and Fifth not in kinds:
        yield say(
            "your holder is full: without FIFTH the rarest type is given up, to an embassy drawn "
            "by the chain X (5.4)"
        )


def _can_challenge(here: Position, view: View, order: Order) -> bool:
    return isinstance(order, Challenge) and may_challenge(
        here, view.seat, order.target, order.place, order.guess
    )


def _goes(view: View, order: Order) -> bool:
    if isinstance(order, Ambush):
        return order.target in view.ambushes
    return isinstance(order, Move) and any(
        goal.near or goal.place in view.reach for goal in order.goals
    )
