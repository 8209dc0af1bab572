"""Find what could never be carried out, judged on the sender's own view only (rules 5.2): that is a
problem. What cannot be as things stand is a warning, see `warn`."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import Problem, Sheet, folded, nearest, problem, shown
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_title
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
    Phrase,
    Put,
    Refuse,
    Swap,
)
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.position import Position
from adjudicator.games.spion.sight.view import View, position_of


def check(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    """Return every problem of the sheet, by line."""
    return (*playable(view, sheet), *_answers_nothing(view, sheet))


def playable(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    """Say what is wrong with a sheet also in a record, which may have been played by version 0.1:
    there tables alone were an answer."""
    here = position_of(view)
    found = [
        problem(entry.line, message)
        for entry in sheet.written
        for message in (*_untimely(view, entry.order), *_impossible(view, here, entry.order))
    ]
    return (*found, *_twice(sheet))


def _untimely(view: View, order: Order) -> Iterator[Message]:
    """Complain of lines of another phase."""
    if view.phase == "setup" and not isinstance(order, Phrase):
        yield say("nobody moves yet; write PHRASE and some words for the dice, or nothing")
    elif view.phase == "play" and isinstance(order, Phrase):
        yield say("no phrases are used any more: the cards are dealt when the match is made")
    elif view.pending and not isinstance(order, Answer | Keep | Fifth | Phrase):
        yield say("you are asked for an answer now; write ANSWER, and KEEP if you like")


def _answers_nothing(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    """Complain of a sheet of tables alone, which is no answer (9.4)."""
    if view.pending and sheet.written and all(isinstance(o, Keep | Fifth) for o in sheet.orders):
        told = say(
            "you are asked for an answer: add an ANSWER line, or send empty orders to leave it "
            "to your standing orders and the default rules"
        )
        yield Problem(0, "", told)


def _impossible(view: View, here: Position, order: Order) -> Iterator[Message]:
    """Say what this seat could never use on this board."""
    match order:
        case Move(goals):
            for goal in goals:
                yield from _goal(here.board, goal)
            if not any(can_end(here.board, goal) for goal in goals):
                yield from (no_end(goal.place) for goal in goals if goal.place in here.board.order)
        case Challenge(target, place, guess):
            yield from _mission(view, here, target, place, guess)
        case Ambush(target, place, guess, via):
            yield from _mission(view, here, target, place, guess)
            if len(here.types) > len(here.seats):  # I3
                yield say(
                    "with so few players some embassy always has a card, so you cannot ambush"
                )
            if via is not None and not here.board.open_ground(via):
                yield say("{place} is not a street or a well", place=shown(via))
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
        yield say("IF CARD is for embassies; {place} is not one", place=goal.place)
    if goal.near:
        yield from _near(board, goal)
    strange = [place for place in goal.path if place not in board.walk]
    if strange:
        yield say("a spy cannot walk over {place}", place=strange[0])


def _near(board: Board, goal: Goal) -> Iterator[Message]:
    if not (can_end(board, replace(goal, near=False)) or board.kinds[goal.place] == "forbidden"):
        yield say(
            "there is no way to {place}; NEAR needs a street, a well, forbidden area or an embassy",
            place=goal.place,
        )
    if goal.path:
        yield say("PATH is for a named destination, not for NEAR")


def can_end(board: Board, goal: Goal) -> bool:
    """Return whether a move can ever end there (R3.2); NEAR may name other places too."""
    return goal.near or goal.place in board.embassies or board.open_ground(goal.place)


def no_end(place: str) -> Message:
    return say(
        "a move cannot end on {place}; a spy ends on streets, wells and in embassies", place=place
    )


def _no_place(board: Board, place: str) -> Message:
    named = _named(board) | {entry.cell: entry.code for entry in board.embassies.values()}
    if code := named.get(folded(place)):
        return say("write {code} for {place}", code=code, place=shown(place))
    if meant := _meant(board, place):
        return say(
            "{place} is not on this board; did you mean {meant}?",
            place=shown(place),
            meant=meant,
        )
    return say(
        "{place} is not on this board; its embassies are {codes}",
        place=shown(place),
        codes=", ".join(board.embassies),
    )


def _named(board: Board) -> dict[str, str]:
    """Return the embassies by their codes and their names in every language."""
    return {
        folded(name): entry.code
        for entry in board.embassies.values()
        for name in (entry.code, *entry.name.values())
    }


def _meant(board: Board, place: str) -> str | None:
    """Return the embassy whose name begins so in some language, or is nearly so."""
    named = _named(board)
    begun = {code for name, code in named.items() if name.startswith(folded(place))}
    if len(begun) == 1 and len(place) > 1:
        return begun.pop()
    return named.get(nearest(place, named) or "")


def _mission(view: View, here: Position, target: str, place: int, guess: str) -> Iterator[Message]:
    yield from _other(view, here, target)
    yield from _place(place)
    yield from _type(here, guess)


def _other(view: View, here: Position, target: str) -> Iterator[Message]:
    if target == view.seat:
        yield say("{seat} is your own colour", seat=SEAT_TITLES[target])
    elif target not in here.seats:
        yield say(
            "there is no {seat} here; the others are {others}",
            seat=SEAT_TITLES.get(target) or shown(target),
            others=listed(SEAT_TITLES[seat] for seat in here.seats if seat != view.seat),
        )


def _place(place: int) -> Iterator[Message]:
    if place not in PLACES:
        yield say("a holder has places 1 to 4, not {place}", place=place)


def _type(here: Position, card: str) -> Iterator[Message]:
    """Refuse a type that is out of play (A17)."""
    if card not in here.types:
        types = listed(card_title(known) for known in here.types)
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
        if board.kinds.get(place, "embassy") != "embassy":
            yield say("{place} is not an embassy", place=place)
        elif place not in board.embassies:
            yield _no_place(board, place)


def _twice(sheet: Sheet[Order]) -> Iterator[Problem]:
    """Complain of lines that may stand once only. All others may be repeated: the first that can be
    carried out is (5.2)."""
    phrases = [entry.line for entry in sheet.written if isinstance(entry.order, Phrase)]
    for line in phrases[1:]:
        yield problem(line, say("one PHRASE is enough"))
