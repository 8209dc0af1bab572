"""The rules of a simple game, with what the program needs beside them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.game import Rules
from adjudicator.core.match import Seat, Setting
from adjudicator.core.simple.state import (
    Ended,
    Left,
    Position,
    SheetPlayed,
    end_of_match,
    phase,
    turn,
)

S = TypeVar("S", bound=Position)
O = TypeVar("O")  # noqa: E741


def _all(state: Position) -> Iterable[Seat]:
    return state.playing


def _nothing(state: Position, seats: Sequence[Seat], reason: str) -> Iterable[Any]:
    return ()


@dataclass(frozen=True, kw_only=True)
class SimpleRules(Generic[S, O]):
    """`set_up`, `adjudicate` and `apply` as in `Rules`. `event` is one type of events, or a union;
    `adjudicate` ends the match with `end_of_match`, which `apply` is not given.

    `awaiting` are the seats that have to order now, by default all that play; it is not asked after
    the end. `leave` yields what else happens when seats leave, by "resignation" or "forfeit": it is
    given the state in which they have left, and may end the match with this reason. A match of
    which one player is left ends, and he has won.
    """

    state: type[S]
    event: Any
    set_up: Callable[[Setting, Chance], S]
    adjudicate: Callable[[S, Mapping[Seat, Sequence[O]], Chance], Iterable[Any]]
    apply: Callable[[S, Any], S]
    awaiting: Callable[[S], Iterable[Seat]] = _all
    leave: Callable[[S, Sequence[Seat], str], Iterable[Any]] = _nothing
    places: Callable[[S], Sequence[Sequence[Seat]]] = lambda state: ()


def rules(
    own: SimpleRules[S, O],
    lines: Callable[[Iterable[O]], Iterable[str]],
    silent: Callable[[S, Seat, Stream], Sequence[O] | None],
) -> Rules[S, O, Any]:
    """Return the rules as the program asks for them. `lines` writes orders as canonical lines, and
    `silent` draws them for a seat that sends none."""

    def adjudicate(state: S, orders: Mapping[Seat, Sequence[O]], chance: Chance) -> Iterator[Any]:
        for seat, given in sorted(orders.items(), key=lambda one: state.seats.index(one[0])):
            yield SheetPlayed(state.ply + 1, seat, tuple(lines(given)))
        yield from own.adjudicate(state, orders, chance)

    def apply(state: S, event: Any) -> S:
        match event:
            case SheetPlayed():
                return replace(state, ply=event.ply, ordered_turn=state.turn)
            case Left():
                return replace(state, left=(*state.left, event.seat), ordered_turn=None)
            case Ended():
                return replace(state, outcome=event.outcome)
        return own.apply(state, event)

    def leave(state: S, seats: Sequence[Seat], reason: str) -> Iterator[Any]:
        gone = [Left(seat, reason) for seat in seats]
        yield from gone
        state = reduce(apply, gone, state)
        rest = state.playing
        for event in own.leave(state, seats, reason) if rest else ():
            yield event
            state = apply(state, event)
        if len(rest) < 2 and state.outcome is None:
            yield end_of_match(reason, *rest)

    return Rules(
        state=own.state,
        event=reduce(or_, (SheetPlayed, Left, Ended), own.event),
        set_up=own.set_up,
        awaiting=lambda state: frozenset() if state.outcome else frozenset(own.awaiting(state)),
        outcome=lambda state: state.outcome,
        turn=turn,
        phase=phase,
        adjudicate=adjudicate,
        apply=apply,
        leave=leave,
        close=lambda state, reason: (end_of_match(reason),),
        gone=lambda state: state.left,
        default=silent,
        places=own.places,
    )
