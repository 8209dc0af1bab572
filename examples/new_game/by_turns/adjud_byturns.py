"""Byturns, a small game to change rule by rule: noughts and crosses with hidden marks.

1.1 Cross begins. In turn both mark a square of a board of three by three, and see their own marks.
1.2 If the other side has marked the square already, the turn is lost, and that mark is seen.
1.3 Three in a row win. If the board is full, the match is drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.simple import (
    Chance,
    Event,
    Look,
    Message,
    Position,
    Seat,
    Seen,
    Setting,
    SimpleOrders,
    SimpleRules,
    SimpleSight,
    Square,
    Squares,
    Thing,
    Visible,
    Words,
    end_of_match,
    position_fields,
    say,
    simple_game,
    view_fields,
)

CONTRACT = 1  # the version of docs/games.md for which this is written

CROSS, NOUGHT = Seat("cross"), Seat("nought")
TITLES: Mapping[Seat, Message] = {CROSS: say("Cross"), NOUGHT: say("Nought")}
OTHER: Mapping[Seat, Seat] = {CROSS: NOUGHT, NOUGHT: CROSS}
SIGNS: Mapping[Seat, str] = {CROSS: "X", NOUGHT: "O"}
ROWS = (("a3", "b3", "c3"), ("a2", "b2", "c2"), ("a1", "b1", "c1"))
SQUARES = tuple(square for row in ROWS for square in row)
LINES = (*ROWS, *zip(*ROWS, strict=True), ("a1", "b2", "c3"), ("a3", "b2", "c1"))


# An order: the word that stands before its fields is in `orders` below.


class Mark(Struct, frozen=True):
    square: Literal["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]


# What is true: the state, and what may happen to it. Nobody is shown these.


class State(Position, frozen=True, kw_only=True):
    """`found` are marks of the other side on which a seat has come (1.2)."""

    to_move: Seat = CROSS
    marks: Mapping[str, Seat] = {}
    found: Mapping[Seat, tuple[str, ...]] = {}


class Marked(Event, frozen=True):
    seat: Seat
    square: str
    taken: bool


# What a seat is shown: all that it sees now, and what it learns of one event.


class View(Seen, frozen=True, kw_only=True):
    to_move: Seat | None
    marks: Mapping[str, Seat]


class News(Visible, frozen=True, kw_only=True):
    """`square` is told to the seat itself alone."""

    seat: Seat
    square: str | None
    taken: bool


# The rules. They are given all they need, and change nothing: `adjudicate` says what happens, and
# `apply` returns the state after it.


def set_up(setting: Setting, chance: Chance) -> State:
    return State(**position_fields(setting))


def adjudicate(
    state: State, orders: Mapping[Seat, Sequence[Mark]], chance: Chance
) -> Iterator[Event]:
    seat = state.to_move
    (order,) = orders[seat]
    taken = order.square in state.marks
    yield Marked(seat, order.square, taken)
    if taken:  # 1.2
        return
    own = {order.square, *(square for square, by in state.marks.items() if by == seat)}
    if any(own.issuperset(line) for line in LINES):  # 1.3
        yield end_of_match("three-in-a-row", seat)
    elif len(state.marks) + 1 == len(SQUARES):
        yield end_of_match("full-board")


def apply(state: State, event: Marked) -> State:
    after = replace(state, turn=state.turn + 1, to_move=OTHER[event.seat])
    if event.taken:
        own = (*state.found.get(event.seat, ()), event.square)
        return replace(after, found={**state.found, event.seat: own})
    return replace(after, marks={**state.marks, event.square: event.seat})


def awaiting(state: State) -> Sequence[Seat]:
    return [state.to_move]


# The only two functions from what is true to what a seat is shown. The seat "" is nobody's: it sees
# what all may see. When the match is over, nothing is hidden any more.


def observe(state: State, seat: Seat) -> View:
    found = state.found.get(seat, ())
    return View(
        **view_fields(state, seat),
        to_move=None if state.outcome else state.to_move,
        marks={
            square: by
            for square, by in sorted(state.marks.items())
            if by == seat or square in found or state.outcome
        },
    )


def witness(event: Marked, seat: Seat) -> News:
    if seat != event.seat:
        return News(seat=event.seat, square=None, taken=False)
    return News(seat=event.seat, square=event.square, taken=event.taken)


def legal(view: View) -> Sequence[Mark]:
    return [Mark(square) for square in SQUARES if square not in view.marks]  # type: ignore[arg-type]


# How it looks.


def board(view: View, words: Words) -> Squares:
    return Squares(
        columns=[square[0] for square in ROWS[0]],
        rows=[
            (row[0][1], [Square("", _things(view, square, words)) for square in row])
            for row in ROWS
        ],
    )


def _things(view: View, square: str, words: Words) -> Sequence[Thing]:
    side = view.marks.get(square)
    if side is None:
        return ()
    return [Thing(SIGNS[side], "mine" if side == view.seat else "theirs", words(TITLES[side]))]


def news(told: News) -> Message:
    if told.square is None:
        return say("{side} ordered a mark.", side=TITLES[told.seat])
    if told.taken:
        return say("{square} is marked by the other side.", square=told.square)
    return say("You marked {square}.", square=told.square)


GAME = simple_game(
    slug="byturns",
    contract=CONTRACT,
    title="Byturns",
    gist=say("Two players mark squares in secret. Three in a row win."),
    about=say(
        "In Byturns you and your opponent mark squares, and you see your own marks only. You win "
        "with three in a row."
    ),
    lasts=say("A match takes some minutes."),
    seats=TITLES,
    rules=SimpleRules(
        state=State,
        event=Marked,
        set_up=set_up,
        adjudicate=adjudicate,
        apply=apply,
        awaiting=awaiting,
    ),
    orders=SimpleOrders(words={"CLAIM": Mark}, examples=("CLAIM b2",), legal=legal),
    sight=SimpleSight(view=View, sighting=News, observe=observe, witness=witness),
    look=Look(
        board=board,
        news=news,
        label=lambda order, words: order.square,
        square=lambda order: order.square,
        how=[say("Write CLAIM and a square, as in CLAIM b2.")],
        rules=[say("You see your own marks only. Three in a row win.")],
        reasons={"three-in-a-row": say("three in a row"), "full-board": say("the board is full")},
    ),
)
