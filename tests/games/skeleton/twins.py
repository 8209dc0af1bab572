"""Pairs of states that one seat cannot tell apart; `tests/test_secrecy.py` says what for."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.visible import plain
from tests.games.playouts import garble
from tests.games.skeleton.game import SKELETON
from tests.games.skeleton.game.orders import Mark
from tests.games.skeleton.game.rules import OTHER, SEATS, SQUARES, Event, Hit, Marked, State
from tests.games.twin_states import Twins


def pairs() -> st.SearchStrategy[Twins]:
    return st.builds(_twins, st.integers(0, 2**32), st.sampled_from(SEATS))


def _twins(seed: int, seat: Seat) -> Twins:
    """Lay a few marks of both sides, and then those that the seat has not found elsewhere."""
    rng = Random(seed)
    own, other, found = rng.randint(0, 3), rng.randint(1, 3), rng.randint(0, 1)
    squares = rng.sample(SQUARES, len(SQUARES))
    seen = dict.fromkeys(squares[:own], seat)
    seen |= dict.fromkeys(squares[own : own + found], OTHER[seat])
    rest = squares[own + found :]
    mover, turn = rng.choice(SEATS), own + other + 2 * found + 1

    def truth() -> State:
        hidden = dict.fromkeys(rng.sample(rest, other), OTHER[seat])
        known = {seat: tuple(square for square, by in seen.items() if by != seat)}
        state = State(variant="standard", to_move=mover, turn=turn, marks={**seen, **hidden})
        return replace(state, found=known)

    return Twins(seat, truth(), truth())


def sheet(state: State, seat: Seat, rng: Random) -> str:
    """Return what a seat might send that feels for hidden marks."""
    text = f"CLAIM {rng.choice(SQUARES)}"
    return text if rng.random() < 0.5 else garble(text, rng)


def same_orders(twins: Twins, rng: Random) -> Mapping[Seat, Sequence[Mark]] | None:
    mover = twins.left.to_move
    seen = [SKELETON.sight.observe(state, mover).marks for state in (twins.left, twins.right)]
    free = [square for square in SQUARES if not any(square in marks for marks in seen)]
    return {mover: (Mark(rng.choice(free)),)} if free else None


def told(events: Sequence[Event], seat: Seat) -> Any:
    return plain([SKELETON.sight.witness(event, seat) for event in events])


def disguised(event: Event, seat: Seat, rng: Random) -> Event:
    if isinstance(event, Marked | Hit) and event.seat != seat:
        return replace(event, square=rng.choice(SQUARES))
    return event


def untold(view: dict[str, Any]) -> dict[str, Any]:
    return view  # a seat is told of all that it sees


def canaries(state: State, seat: Seat) -> tuple[State, Sequence[str]]:
    seen = SKELETON.sight.observe(state, seat).marks
    hidden = [square for square in state.marks if square not in seen]
    marks = {square: f"canary-{square}-" for square in hidden}
    return (
        replace(state, marks={marks.get(one, one): by for one, by in state.marks.items()}),
        [*marks.values()],
    )
