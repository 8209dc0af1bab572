"""Atonce, a small game to change rule by rule: both dig for treasure, at once and in secret.

1.1 Nine holes have treasures worth 0, 0, 0, 1, 1, 2, 2, 3 and 4 points; nobody knows where.
1.2 In each turn both dig at a hole where they have not dug yet. Whoever is first takes what is
    there; if both dig there at once, both take it.
1.3 A seat sees where it has dug and what it took there, and nothing of the other's.
1.4 After five turns more points win.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct
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
    ValueTable,
    Visible,
    Words,
    end_of_match,
    position_fields,
    say,
    simple_game,
    view_fields,
)

CONTRACT = 1  # the version of docs/games.md for which this is written

BLUE, RED = SEATS = (Seat("blue"), Seat("red"))
TITLES: Mapping[Seat, Message] = {BLUE: say("Blue"), RED: say("Red")}
TREASURES = (0, 0, 0, 1, 1, 2, 2, 3, 4)
HOLES = tuple(range(1, 10))
TURNS = 5


# An order: the word that stands before its fields is in `orders` below.


class Dig(Struct, frozen=True):
    hole: Annotated[int, Meta(ge=1, le=9)]


# What is true: the state, and what may happen to it. Nobody is shown these.


class State(Position, frozen=True, kw_only=True):
    """`hidden` are the treasures of the holes, `dug` what each seat took where."""

    hidden: tuple[int, ...]
    dug: Mapping[Seat, Mapping[str, int]]


class Dug(Event, frozen=True):
    """All have dug: by seat the hole, and what was taken there."""

    holes: Mapping[Seat, int]
    taken: Mapping[Seat, int]


# What a seat is shown: all that it sees now, and what it learns of one event.


class View(Seen, frozen=True, kw_only=True):
    """`dug` has the reader's own holes; when the match is over, those of both."""

    dug: Mapping[Seat, Mapping[str, int]]


class News(Visible, frozen=True, kw_only=True):
    """What the reader dug; None for who has no seat."""

    hole: int | None
    taken: int | None


# The rules. They are given all they need, and change nothing: `adjudicate` says what happens, and
# `apply` returns the state after it. All chance comes from `chance`.


def set_up(setting: Setting, chance: Chance) -> State:
    return State(
        **position_fields(setting),
        hidden=tuple(chance.deal().shuffled(TREASURES)),
        dug={seat: {} for seat in setting.seats},
    )


def adjudicate(
    state: State, orders: Mapping[Seat, Sequence[Dig]], chance: Chance
) -> Iterator[Event]:
    holes = {seat: order.hole for seat, (order,) in orders.items()}
    empty = {hole for own in state.dug.values() for hole in own}
    taken = {
        seat: 0 if str(hole) in empty else state.hidden[hole - 1] for seat, hole in holes.items()
    }
    done = Dug(holes, taken)
    yield done
    if state.turn == TURNS:  # 1.4
        points = {seat: sum(own.values()) for seat, own in apply(state, done).dug.items()}
        best = [seat for seat in SEATS if points[seat] == max(points.values())]
        yield end_of_match("points", *best) if len(best) == 1 else end_of_match("level")


def apply(state: State, event: Dug) -> State:
    dug = {
        seat: {**own, str(event.holes[seat]): event.taken[seat]} for seat, own in state.dug.items()
    }
    return replace(state, turn=state.turn + 1, dug=dug)


# The only two functions from what is true to what a seat is shown. The seat "" is nobody's: it sees
# what all may see. When the match is over, nothing is hidden any more.


def observe(state: State, seat: Seat) -> View:
    dug = {who: own for who, own in state.dug.items() if who == seat or state.outcome}
    return View(**view_fields(state, seat), dug=dug)


def witness(event: Dug, seat: Seat) -> News:
    return News(hole=event.holes.get(seat), taken=event.taken.get(seat))


def legal(view: View) -> Sequence[Dig]:
    own = view.dug.get(view.seat, {})
    return [Dig(hole) for hole in HOLES if str(hole) not in own]


# How it looks.


def board(view: View, words: Words) -> ValueTable:
    """Return a row for each hole, and a column for each seat of which the reader sees holes."""
    return ValueTable(
        [words(say("Hole")), *(words(TITLES[seat]) for seat in view.dug)],
        [
            (str(hole), *(str(own.get(str(hole), "-")) for own in view.dug.values()))
            for hole in HOLES
        ],
    )


def news(told: News) -> Message:
    if told.hole is None:
        return say("Both have dug.")
    return say("You dug at {hole} and took {taken}.", hole=told.hole, taken=told.taken or 0)


GAME = simple_game(
    slug="atonce",
    contract=CONTRACT,
    title="Atonce",
    gist=say("Two players dig for treasure, at once and in secret."),
    about=say(
        "In Atonce you and your opponent dig for treasure, at once and in secret. After five turns "
        "more points win."
    ),
    lasts=say("A match has five turns of a minute each."),
    seats=TITLES,
    rules=SimpleRules(state=State, event=Dug, set_up=set_up, adjudicate=adjudicate, apply=apply),
    orders=SimpleOrders(words={"DIG": Dig}, examples=("DIG 7",), legal=legal),
    sight=SimpleSight(view=View, sighting=News, observe=observe, witness=witness),
    look=Look(
        board=board,
        news=news,
        label=lambda order, words: str(order.hole),
        how=[say("Write DIG and a hole, as in DIG 7.")],
        rules=[say("Treasures are worth 0 to 4 points. After five turns more points win.")],
        reasons={"points": say("more points"), "level": say("equal points")},
    ),
)
