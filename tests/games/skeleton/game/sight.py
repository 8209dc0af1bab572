"""Show a seat what it may know: a view of the state, and news of an event (1.2)."""

from collections.abc import Mapping

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.visible import Visible
from tests.games.skeleton.game.rules import CROSS, ROWS, Event, Hit, Marked, State, phase


class View(Visible, frozen=True, kw_only=True):
    """`marks` are the seat's own, and those of the other that it has found."""

    variant: str
    phase: str
    seat: Seat
    turn: int
    to_move: Seat | None
    marks: Mapping[str, Seat]
    result: Outcome | None


class News(Visible, frozen=True, kw_only=True):
    """A seat ordered a mark; `square` is told to itself alone."""

    seat: Seat
    square: str | None
    hit: bool


def observe(state: State, seat: Seat) -> View:
    """Return what the seat sees; at the end nothing is hidden. The seat "" has no marks."""
    found = state.found.get(seat, ())
    return View(
        variant=state.variant,
        phase=phase(state),
        seat=seat,
        turn=state.turn,
        to_move=None if state.outcome else state.to_move,
        marks={
            square: by
            for square, by in sorted(state.marks.items())
            if by == seat or square in found or state.outcome
        },
        result=state.outcome,
    )


def witness(event: Event, seat: Seat) -> News | None:
    match event:
        case Marked(by, square) | Hit(by, square):
            own = square if by == seat else None
            return News(seat=by, square=own, hit=isinstance(event, Hit))
        case _:
            return None  # the end stands in the view


def truth(state: State) -> str:
    return drawn(state.marks)


def drawn(marks: Mapping[str, Seat]) -> str:
    """Draw the board for monospace."""
    signs = {square: "x" if by == CROSS else "o" for square, by in marks.items()}
    lines = (f"{row[0][1]}  " + " ".join(signs.get(one, ".") for one in row) for row in ROWS)
    return "\n".join((*lines, "", "   a b c"))
